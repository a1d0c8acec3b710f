package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

// operation is one thing that is measured.
type operation struct {
	name string
	// question gives the n-th question: the same each time, and none that another n gives.
	question func(n int) question
	// count is how many questions there are; 0 is more than a run asks.
	count int
	// again tells that the questions are asked again when all have been asked, because by nature there are no others. Without it a run ends
	// with its questions.
	again bool
	// prepare makes the questions ready that cannot be made up, within a time; nil where there is nothing to do.
	prepare func(ctx context.Context, within time.Duration) error
	// beside is asked of kith in the same turns, to be compared with.
	beside *operation
	// creates is how many contacts one request makes that the floor makes as well, of its own.
	creates int
	// ours tells that only kith has such a thing: no peer is asked, the floor does not learn it, and the mix and the growth leave
	// it out, so that they stay comparable.
	ours bool
	// lone operations are asked over one connection: they keep a processor busy for so long that it only tells how many there are.
	lone bool
	// writes tells that the operation changes data.
	writes bool
	// page is its number where it is one of the pages by cursor of the growth.
	page int
	// kith asks kith, over all that a run does with the operation.
	kith asker
}

// question is a request to kith, and for the page behind a cursor the record that it follows, as kith wrote it: other servers do not know
// kith's cursors.
type question struct {
	request request
	before  []byte
}

// askKith gives what asks kith at an address.
func (op *operation) askKith(addr string) *asker {
	a := &op.kith
	a.addr, a.count, a.again = addr, op.count, op.again
	a.request = func(n int) (request, error) { return op.question(n).request, nil }
	return a
}

// The names of the pages, which the results compare.
const (
	firstPage = "first page by created_at"
	deepPage  = "1,000th page by cursor"
)

// operations are everything that is measured against kith.
func operations(ctx context.Context, a asking) ([]*operation, error) {
	deep, err := a.deep(ctx, `{}`)
	if err != nil {
		return nil, err
	}
	return a.operations(deep), nil
}

// operations are everything that is asked; deep is for a page far behind the first.
func (a asking) operations(deep question) []*operation {
	first := a.only(firstPage, `{}`)
	all := []*operation{
		a.getOne(),
		first,
		{name: deepPage, count: 1, again: true, beside: first, question: func(int) question { return deep }},
		a.search("owner + lead_score range by updated_at", a.ownerAndRange),
		a.search("owner + lead_score range, total asked for", func(n int, r *rand.Rand) string {
			return with(a.ownerAndRange(n, r), `"total":true`)
		}),
		a.emailOfFew(),
		a.emailOfMany(),
		a.twoWords(),
		a.search("search_text of a first name by name", a.firstNameByName),
		a.only("search_text, matches all oldest, by name", fmt.Sprintf(`{"search_text":%q,"order_by":"name"}`, bunchedWord)),
		a.only("search_text, matches all oldest, by created_at", fmt.Sprintf(`{"search_text":%q}`, bunchedWord)),
		a.twoCharacters(),
		a.only("order by a field mostly absent", `{"order_by":"last_contacted_at"}`),
		a.search("lifecycle stage by name", a.lifecycleByName),
		a.search("owner one of 20 by created_at", a.ownerOneOf),
		a.search("created in 30 days by lead_score", a.recentByScore),
		a.companyPrefix(),
		a.deals("deals of a stage by created_at", func(d dealFacts, atLeast string) string {
			return filtered("", where("pipeline_id", "eq", schema.FormatID("pipeline", d.pipeline)),
				where("stage_id", "eq", schema.FormatID("stage", d.stage)), atLeast)
		}),
		a.deals("deal status by name", func(d dealFacts, atLeast string) string {
			return filtered(byName, where("status", "eq", d.status), atLeast)
		}),
	}
	all = append(all, a.aboutWhatHappened(first)...)
	all = append(all, a.aggregates()...)
	// What changes the set comes last.
	create := a.create()
	return slices.Concat(all, a.secondPage(), []*operation{create, a.patch(), a.createOnce(create), a.createMany(create)})
}

// only is an operation with one question.
func (a asking) only(name, body string) *operation {
	return a.each(name, []string{body}, true)
}

// each is an operation with these questions.
func (a asking) each(name string, bodies []string, again bool) *operation {
	return &operation{name: name, count: len(bodies), again: again, question: func(n int) question { return a.find(bodies[n]) }}
}

// inRandomOrder is an operation with these questions, each once, shuffled.
func (a asking) inRandomOrder(name string, bodies []string, again bool) *operation {
	slices.Sort(bodies)
	bodies = slices.Compact(bodies)
	seeded(name, 0).Shuffle(len(bodies), func(i, j int) { bodies[i], bodies[j] = bodies[j], bodies[i] })
	return a.each(name, bodies, again)
}

// search is an operation with more questions than a run asks. Each has a number in it that no other has.
func (a asking) search(name string, body func(n int, random *rand.Rand) string) *operation {
	return &operation{name: name, question: func(n int) question { return a.find(body(n, seeded(name, n))) }}
}

// where writes a condition on a text.
func where(field, operator, value string) string {
	return fmt.Sprintf(`{"field":%q,"operator":%q,"value":%q}`, field, operator, value)
}

// filtered writes a search for what meets all conditions, in an order or newest first.
func filtered(order string, conditions ...string) string {
	return `{"filters":[` + strings.Join(conditions, ",") + `]` + order + `}`
}

// byName is the order from A to Z.
const byName = `,"order_by":"name","sort_direction":"asc"`

// apart is up to how many questions differ by the number that is put behind the drawn digits.
const apart = 1_000_000

// tenths writes a bound of so many tenths, with the number of the question behind it. It is less than a tenth above them.
func tenths(k, n int) string { return fmt.Sprintf("%d.%d%06d", k/10, k%10, n%apart) }

// atLeastScore is a lower bound that some of the contacts with such a score pass.
func atLeastScore(tenth, n int) string {
	return fmt.Sprintf(`{"field":"lead_score","operator":"gte","value":%s}`, tenths(tenth, n))
}

func (a asking) contact(r *rand.Rand) contactFacts { return pick(r, a.set.contacts) }

// ownerAndRange asks for the owner of a contact and three tenths of all scores, its own among them.
func (a asking) ownerAndRange(n int, r *rand.Rand) string {
	c := a.contact(r)
	least := max(0, int(c.score)-299)
	low := least + r.IntN(int(c.score)-least)
	return a.ownedBetween(int(c.owner), low, low+300, n)
}

// ownedBetween asks for those of an owner with a score between so many tenths.
func (a asking) ownedBetween(owner, low, high, n int) string {
	between := fmt.Sprintf(`{"field":"lead_score","operator":"between","values":[%s,%s]}`, tenths(low, n), tenths(high, n))
	return filtered(`,"order_by":"updated_at"`, a.ownedBy(owner), between)
}

func (a asking) ownedBy(owner int) string {
	return where("owner_id", "eq", schema.FormatID("user", a.set.owners[owner]))
}

const (
	// enoughOwned is how many contacts an owner must have for a second page to be sure.
	enoughOwned = 32
	// richlyOwned is how many they must have for three tenths of the scores to fill it.
	richlyOwned = 200
)

// secondPage asks for the page behind the first of an owner and a range. It gives none where no owner has enough contacts.
func (a asking) secondPage() []*operation {
	const name = "page 2 of owner + lead_score range"
	owned := make([]int, len(a.set.owners))
	for _, c := range a.set.contacts {
		owned[c.owner]++
	}
	var owners []int
	for owner, n := range owned {
		if n >= enoughOwned {
			owners = append(owners, owner)
		}
	}
	if len(owners) == 0 {
		return nil
	}
	return []*operation{fetched(name, mostPages, func(n int) (question, error) {
		r := seeded(name, n)
		owner := pick(r, owners)
		low, width := 0, 1000
		if owned[owner] >= richlyOwned {
			width = 300
			low = r.IntN(1000 - width)
		}
		return a.behind(contactSearch, a.ownedBetween(owner, low, low+width, n), `"fields":["id","updated_at"]`)
	})}
}

// lifecycleByName asks for the stage of a contact and a score that it passes.
func (a asking) lifecycleByName(n int, r *rand.Rand) string {
	c := a.contact(r)
	stage := schema.FormatID("lifecycle_stage", a.set.lifecycle[c.lifecycle])
	return filtered(byName, where("lifecycle_stage_id", "eq", stage), atLeastScore(r.IntN(int(c.score)), n))
}

// ownerOneOf asks for 20 of the owners, or half of them where there are few.
func (a asking) ownerOneOf(_ int, r *rand.Rand) string {
	some := min(20, len(a.set.owners)/2)
	var ids []string
	for _, place := range r.Perm(len(a.set.owners))[:some] {
		ids = append(ids, `"`+schema.FormatID("user", a.set.owners[place])+`"`)
	}
	return fmt.Sprintf(`{"filters":[{"field":"owner_id","operator":"in","values":[%s]}]}`, strings.Join(ids, ","))
}

// recentByScore asks for what was made since a moment 30 days ago, or half a day more or less.
func (a asking) recentByScore(n int, r *rand.Rand) string {
	const hour = 3_600_000
	since := a.set.loaded.Add(-30*24*time.Hour + time.Duration(r.IntN(24)-12)*time.Hour + time.Duration(n%hour)*time.Millisecond)
	return filtered(`,"order_by":"lead_score"`, where("created_at", "gte", since.Format("2006-01-02T15:04:05.000Z")))
}

// getOne asks for every contact of the business, in a random order.
func (a asking) getOne() *operation {
	order := shuffled(a.set.Size, 1)
	return &operation{name: "get one", count: a.set.Size, again: true, question: func(n int) question {
		return a.ask("GET", a.path(order[n]), "")
	}}
}

func (a asking) path(contact int) string {
	return "/v1/contacts/" + schema.FormatID("contact", a.set.contacts[contact].id)
}

func (a asking) create() *operation {
	return &operation{name: "create", writes: true, creates: 1, question: func(n int) question {
		return a.ask("POST", "/v1/contacts", newContact("create", n))
	}}
}

// newcomer is what is told of a new contact.
type newcomer struct {
	first, last, email, phone string
	score                     float64
}

// comes is the n-th contact that an operation makes.
func comes(operation string, n int) newcomer {
	r := seeded(operation, n)
	return newcomer{
		pick(r, firstNames), pick(r, lastNames), "new." + strconv.Itoa(n) + "@created.example",
		fmt.Sprintf("+49 30 %07d", r.IntN(10_000_000)), float64(r.IntN(1000)) / 10,
	}
}

// newContact is what somebody sends to make the n-th contact of an operation.
func newContact(operation string, n int) string {
	c := comes(operation, n)
	return fmt.Sprintf(`{"first_name":%q,"last_name":%q,"email":%q,"phone":%q,"lead_score":%.1f}`, c.first, c.last, c.email, c.phone,
		c.score)
}

// createOnce is a creation that a retry does not repeat.
func (a asking) createOnce(plain *operation) *operation {
	const name = "create with a key"
	return &operation{name: name, writes: true, ours: true, beside: plain, question: func(n int) question {
		return a.ask("POST", "/v1/contacts", newContact(name, n), fmt.Sprintf("Idempotency-Key: %08d", n))
	}}
}

// createMany makes a hundred contacts with one request.
func (a asking) createMany(plain *operation) *operation {
	const name, many = "create in batches of 100", 100
	return &operation{name: name, writes: true, ours: true, beside: plain, creates: many, question: func(n int) question {
		operations := make([]string, many)
		for i := range operations {
			operations[i] = `{"op":"create","data":` + newContact(name, n*many+i) + `}`
		}
		return a.ask("POST", "/v1/contacts/batch", `{"operations":[`+strings.Join(operations, ",")+`]}`)
	}}
}

// patch changes every contact of the business, in a random order, to a score that it did not have.
func (a asking) patch() *operation {
	order := shuffled(a.set.Size, 2)
	return &operation{name: "patch", writes: true, question: func(n int) question {
		return a.ask("PATCH", a.path(order[n%len(order)]), fmt.Sprintf(`{"lead_score":%s}`, tenths(seeded("patch", n).IntN(1000), n)))
	}}
}

// emailOfFew asks for the number of a contact and the beginning of the domain behind it.
func (a asking) emailOfFew() *operation {
	order := shuffled(a.set.Size, 3)
	const lengths = 3
	return &operation{name: "e-mail contains", count: lengths * a.set.Size, question: func(n int) question {
		i := order[n%a.set.Size]
		domain := domains[a.set.contacts[i].domain][:3+n/a.set.Size%lengths]
		return a.find(filtered("", where("email", "contains", fmt.Sprintf(".%d@%s", i, domain))))
	}}
}

// names are the pairs of a first and a last name that contacts have.
func (a asking) names() (pairs []contactFacts) {
	seen := map[contactFacts]bool{}
	for _, c := range a.set.contacts {
		if pair := (contactFacts{first: c.first, last: c.last}); !seen[pair] {
			seen[pair] = true
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// emailOfMany asks for the end of a first name, the dot, and the beginning of a last name.
func (a asking) emailOfMany() *operation {
	var bodies []string
	for _, c := range a.names() {
		name := localName(c.first, c.last)
		dot := strings.IndexByte(name, '.')
		for from := range dot {
			for to := dot + 2; to <= len(name); to++ {
				// The ends of domains would match a tenth of all.
				if piece := name[from:to]; !strings.Contains(strings.Join(domains, ".example ")+".example", piece) {
					bodies = append(bodies, filtered("", where("email", "contains", piece)))
				}
			}
		}
	}
	return a.inRandomOrder("e-mail contains, many matches", bodies, false)
}

// twoWords asks for parts of a first and of a last name.
func (a asking) twoWords() *operation {
	var bodies []string
	for _, c := range a.names() {
		for _, first := range pieces(strings.ToLower(firstNames[c.first]), 3) {
			for _, last := range pieces(strings.ToLower(lastNames[c.last]), 3) {
				bodies = append(bodies, fmt.Sprintf(`{"search_text":"%s %s"}`, first, last),
					fmt.Sprintf(`{"search_text":"%s %s"}`, last, first))
			}
		}
	}
	return a.inRandomOrder("search_text of two words", bodies, false)
}

// firstNameByName asks for a first name, which one in twenty has, and a score that nearly all pass.
func (a asking) firstNameByName(n int, r *rand.Rand) string {
	c := a.contact(r)
	return with(filtered(byName, atLeastScore(r.IntN(min(100, int(c.score))), n)),
		fmt.Sprintf(`"search_text":%q`, strings.ToLower(firstNames[c.first])))
}

// twoCharacters asks for the beginnings of the names.
func (a asking) twoCharacters() *operation {
	var bodies []string
	for _, c := range a.names() {
		for _, name := range []string{firstNames[c.first], lastNames[c.last]} {
			bodies = append(bodies, fmt.Sprintf(`{"search_text":%q}`, strings.ToLower(name[:2])))
		}
	}
	return a.inRandomOrder("search_text of two characters", bodies, true)
}

// companyPrefix asks for the first three or four letters of a company's name.
func (a asking) companyPrefix() *operation {
	var bodies []string
	for _, name := range a.set.employers {
		for _, letters := range []int{3, 4} {
			bodies = append(bodies, filtered("", where("company.name", "starts_with", name[:letters])))
		}
	}
	return a.inRandomOrder("company name starts with", bodies, false)
}

// deals asks for deals like one that is there, and an amount that it passes.
func (a asking) deals(name string, body func(d dealFacts, atLeast string) string) *operation {
	return &operation{name: name, question: func(n int) question {
		r := seeded(name, n)
		d := pick(r, a.set.deals)
		atLeast := fmt.Sprintf("%d.%04d", 100*r.IntN(d.hundreds)+n%apart/10_000, n%10_000)
		return a.ask("POST", "/v1/deals/search", body(d, where("amount", "gte", atLeast)))
	}}
}
