package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// Set is what the questions are drawn from: a loaded business.
type Set struct {
	Size     int
	business store.Tenant
	token    string
	// loaded is the time at which the business was as it is; nothing in it is younger.
	loaded time.Time
	// owners and lifecycle are the ids that contacts refer to.
	owners, lifecycle []schema.UUID
	contacts          []contactFacts
	deals             []dealFacts
	// busy are the places of the contacts around whom much happens.
	busy []int
	// changes is how many entries the log has at least.
	changes int
	// employers are the names of the companies that contacts work for.
	employers []string
}

// contactFacts are what a contact can be asked for by: the places of its words and of the records that it refers to, its lead score
// in tenths. Its place in the set is the number in its e-mail address.
type contactFacts struct {
	id                                    schema.UUID
	first, last, domain, owner, lifecycle uint8
	score                                 uint16
}

// dealFacts are the same of a deal; its amount is in whole hundreds.
type dealFacts struct {
	pipeline, stage schema.UUID
	status          string
	hundreds        int
}

// sizes spreads contacts over businesses: the largest gets three tenths, the others follow Zipf's law.
func sizes(contacts, businesses int) []int {
	if businesses == 1 {
		return []int{contacts}
	}
	out := []int{contacts * 3 / 10}
	weight := 0.0
	for i := 1; i < businesses; i++ {
		weight += 1 / float64(i)
	}
	rest := contacts - out[0]
	left := rest
	for i := 1; i < businesses; i++ {
		out = append(out, int(float64(rest)/float64(i)/weight))
		left -= out[i]
	}
	for i := range left { // what rounding left over, one each
		out[1+i]++
	}
	return out
}

// The numbers of owners: those of the largest business are enough to choose from.
const (
	manyOwners = 60
	someOwners = 10
)

// The proportions of a set.
const (
	contactsPerCompany = 20
	contactsPerDeal    = 10
	history            = 2 * 365 * 24 * time.Hour
)

// filler fills one business.
type filler struct {
	ctx      context.Context
	e        *record.Engine
	number   int
	deals    int
	disorder float64
	progress func(more int)
	who      *record.Principal
	set      *Set
	stages   []stage
	// companies are those that were made, with what tells whether somebody works for them.
	companies []company
	// contacts are those of a business that adds fields to them, or nil.
	contacts *schema.Resource
}

type company struct {
	id    schema.UUID
	name  string
	taken bool
}

// stage is a stage of a pipeline, and what a deal has from it.
type stage struct {
	pipeline, id schema.Value
	kind         string
	probability  schema.Value
}

func (f *filler) business(size int) (*Set, error) {
	f.set = &Set{Size: size, loaded: time.Now().UTC().Truncate(time.Millisecond)}
	owners := someOwners
	if f.number == 0 || f.number == fieldsBusiness {
		owners = manyOwners
	}
	// The users come in the same transaction: with a wait for the disk for each, a thousand businesses would take half as long again.
	var err error
	admin := account.Person{Email: fmt.Sprintf("admin%d@bench.example", f.number), Name: "Admin"}
	f.who, err = account.CreateBusinessSince(f.ctx, f.e, f.set.loaded.Add(-history), fmt.Sprintf("Business %d", f.number), "EUR", admin,
		func(tx *store.Tx, who *record.Principal) error {
			return f.settings(tx, who, owners)
		})
	if err != nil {
		return nil, err
	}
	f.set.business = f.who.Tenant
	if f.number == fieldsBusiness {
		if err := f.addFields(); err != nil {
			return nil, err
		}
	}
	f.companies = make([]company, max(1, size/contactsPerCompany))
	f.set.contacts, f.set.deals = make([]contactFacts, size), make([]dealFacts, f.deals)
	if err := f.insert("company", upTo(len(f.companies)), f.company); err != nil {
		return nil, err
	}
	if err := f.insert("contact", f.arrivals(size), f.contact); err != nil {
		return nil, err
	}
	if err := f.insert("deal", upTo(f.deals), f.deal); err != nil {
		return nil, err
	}
	if f.number == 0 {
		if err := f.events(); err != nil {
			return nil, err
		}
	}
	for _, c := range f.companies {
		if c.taken {
			f.set.employers = append(f.set.employers, c.name)
		}
	}
	return f.set, nil
}

// settings adds a token, users and a second pipeline to what every business begins with, and notes what records can refer to.
func (f *filler) settings(tx *store.Tx, who *record.Principal, owners int) error {
	f.set.owners, f.set.lifecycle, f.stages = []schema.UUID{who.User}, nil, nil // it may run again after a conflict
	token, err := operator.MintToken(f.e, tx, who.User, "bench", record.Scopes(), time.Time{})
	if err != nil {
		return err
	}
	f.set.token = token.Once.Value
	for i := range owners - 1 {
		user, err := f.e.Add(tx, who, record.KindOf("user"),
			fmt.Sprintf(`{"name":%q,"email":"user%d.%d@bench.example","status":"active"}`, firstNames[i%len(firstNames)], f.number, i))
		if err != nil {
			return err
		}
		f.set.owners = append(f.set.owners, user.ID())
	}
	if _, err := f.e.Add(tx, who, record.KindOf("pipeline"),
		`{"name":"Renewals","stages":[{"name":"Due"},{"name":"Offer sent"},{"name":"Verbal yes"}]}`); err != nil {
		return err
	}
	lifecycle, err := tx.Find(&record.KindOf("lifecycle_stage").Resource, 100)
	if err != nil {
		return err
	}
	for _, s := range lifecycle {
		f.set.lifecycle = append(f.set.lifecycle, s.ID())
	}
	pipeline := record.KindOf("pipeline")
	pipelines, err := tx.Find(&pipeline.Resource, 100)
	if err != nil {
		return err
	}
	for _, p := range pipelines {
		items, err := body.Items(p.Get(crm.Pipelines.Stages), pipeline.Inner[crm.Pipelines.Stages.Name])
		if err != nil {
			return err
		}
		for _, s := range items {
			f.stages = append(f.stages, stage{
				pipeline: p.Get(crm.Pipelines.ID), id: s.Get(crm.Pipelines.Stage.ID),
				kind: s.Text(crm.Pipelines.Stage.Kind), probability: s.Get(crm.Pipelines.Stage.Probability),
			})
		}
	}
	return nil
}

// arrivals are the places of the contacts in the order in which they come: those in time, and behind them the others. Both are in the
// order of their creation, as bulk loads arrive.
func (f *filler) arrivals(size int) []int {
	random := rand.New(rand.NewPCG(uint64(f.number), 3))
	var early, late []int
	for i := range size {
		if random.Float64() < f.disorder {
			late = append(late, i)
		} else {
			early = append(early, i)
		}
	}
	return append(early, late...)
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// insert writes records, many in a transaction.
func (f *filler) insert(kind string, places []int, record func(i int) *schema.Record) error {
	for some := range slices.Chunk(places, 1000) {
		records := make([]*schema.Record, len(some))
		for i, place := range some {
			records[i] = record(place)
		}
		err := f.who.Tenant.Write(f.ctx, store.Actor{User: f.who.User}, func(tx *store.Tx) error {
			return tx.InsertMany(f.resource(kind), records, "create")
		})
		if err != nil {
			return err
		}
		f.set.changes += len(some)
		if kind == "contact" {
			f.progress(len(some))
		}
	}
	return nil
}

// resource is a kind as the business has it.
func (f *filler) resource(kind string) *schema.Resource {
	if kind == "contact" && f.contacts != nil {
		return f.contacts
	}
	return &record.KindOf(kind).Resource
}

// begin makes the i-th of so many records of a kind, with what all kinds share. They are spread evenly over the history of the
// business, but for some jitter, and changed at some time since. Times are whole milliseconds, which every peer can keep.
func (f *filler) begin(kind string, i, of int, random *rand.Rand) (rec *schema.Record, at time.Time) {
	at = f.creation(i, of, random)
	return f.made(kind, at, random), at
}

// creation is when the i-th of so many records was made, by the first of its random numbers.
func (f *filler) creation(i, of int, random *rand.Rand) time.Time {
	step := history / time.Duration(of)
	return f.set.loaded.Add(-history + step*time.Duration(i) + time.Duration(random.Int64N(int64(step)))).Truncate(time.Millisecond)
}

// made makes a record of a kind that was created at a time and changed at some time since.
func (f *filler) made(kind string, at time.Time, random *rand.Rand) *schema.Record {
	since := min(f.set.loaded.Sub(at), 1_000_000*time.Second)
	changed := at.Add(time.Duration(random.Int64N(int64(since) + 1))).Truncate(time.Millisecond)
	rec := schema.NewRecord(&f.resource(kind).Shape)
	common, owner := &rec.Common, schema.IDValue(f.set.owners[random.IntN(len(f.set.owners))])
	rec.Put(common.ID, schema.IDValue(schema.NewID(at)))
	rec.Put(common.OwnerID, owner)
	rec.Put(common.CreatedAt, schema.TimeValue(at))
	rec.Put(common.CreatedBy, owner)
	rec.Put(common.UpdatedAt, schema.TimeValue(changed))
	rec.Put(common.UpdatedBy, owner)
	rec.Put(common.Version, schema.IntValue(schema.Integer, 1))
	return rec
}

// The streams of random numbers: one for each kind of records, and one for the changes of contacts.
const (
	ofCompany uint64 = iota + 1
	ofContact
	ofDeal
	ofChange
	ofHappening // and the following
)

// random gives the random numbers of one record, which do not depend on the order of loading.
func (f *filler) random(stream uint64, i int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(f.number)<<8|stream, uint64(i)))
}

func (f *filler) company(i int) *schema.Record {
	random, fields := f.random(ofCompany, i), &crm.Companies
	rec, _ := f.begin("company", i, len(f.companies), random)
	name := companyName(random)
	rec.PutText(fields.Name, name)
	rec.PutText(fields.Industry, pick(random, industries))
	rec.PutText(fields.Currency, "EUR")
	rec.PutText(fields.Address.City, "Berlin")
	rec.Put(fields.LifecycleStageID, schema.IDValue(pick(random, f.set.lifecycle)))
	f.companies[i] = company{id: rec.ID(), name: name}
	return rec
}

func (f *filler) contact(i int) *schema.Record {
	random, fields := f.random(ofContact, i), &crm.Contacts
	rec, at := f.begin("contact", i, f.set.Size, random)
	facts := contactFacts{
		id: rec.ID(), first: uint8(random.IntN(len(firstNames))), last: uint8(random.IntN(len(lastNames))),
		domain:    uint8(random.IntN(len(domains))),
		lifecycle: uint8(random.IntN(len(f.set.lifecycle))), score: uint16(1 + random.IntN(1000)),
		owner: uint8(slices.Index(f.set.owners, rec.Get(fields.OwnerID).UUID())),
	}
	first, last := firstNames[facts.first], lastNames[facts.last]
	rec.PutText(fields.FirstName, first)
	rec.PutText(fields.LastName, last)
	rec.PutText(fields.Name, first+" "+last)
	rec.PutText(fields.Email, fmt.Sprintf("%s.%d@%s.example", localName(facts.first, facts.last), i, domains[facts.domain]))
	rec.PutText(fields.Phone, fmt.Sprintf("+49 30 %07d", random.IntN(10_000_000)))
	job := pick(random, jobs)
	if i < f.set.Size/3 {
		job += " " + bunchedWord
	}
	rec.PutText(fields.JobTitle, job)
	employer := &f.companies[random.IntN(len(f.companies))]
	employer.taken = true
	rec.Put(fields.CompanyID, schema.IDValue(employer.id))
	rec.Put(fields.LeadScore, schema.FloatValue(float64(facts.score)/10))
	rec.Put(fields.LifecycleStageID, schema.IDValue(f.set.lifecycle[facts.lifecycle]))
	if random.IntN(50) == 0 {
		rec.Put(fields.LastContactedAt, schema.TimeValue(at.Add(min(time.Hour, f.set.loaded.Sub(at)))))
	}
	rec.PutText(fields.Address.City, "Berlin")
	rec.Put(fields.DoNotContact, schema.BoolValue(false))
	f.set.contacts[i] = facts
	if f.contacts != nil {
		f.putAdded(rec, facts, i)
	}
	return rec
}

// dealFields are the fields of deals that only the benchmark names.
var dealFields = schema.FieldsOf[struct{ Name *schema.Leaf }](&crm.Deal.Shape)

func (f *filler) deal(i int) *schema.Record {
	random, fields := f.random(ofDeal, i), &crm.Deals
	rec, at := f.begin("deal", i, f.deals, random)
	in := pick(random, f.stages)
	contact, company := pick(random, f.set.contacts), pick(random, f.companies)
	cents := 100_000 + random.Int64N(4_900_000)
	rec.PutText(dealFields.Name, fmt.Sprintf("%s: %s for %d", company.name, pick(random, products), 1+random.IntN(500)))
	rec.Put(fields.PipelineID, in.pipeline)
	rec.Put(fields.StageID, in.id)
	rec.PutText(fields.Status, in.kind)
	rec.Put(fields.Probability, in.probability)
	rec.Put(fields.Amount, schema.IntValue(schema.Money, cents*schema.DecimalOne/100))
	rec.Put(fields.WeightedAmount, crm.Weighted(rec.Get(fields.Amount), in.probability))
	rec.PutText(fields.Currency, "EUR")
	rec.Put(fields.CompanyID, schema.IDValue(company.id))
	rec.Put(fields.ContactID, schema.IDValue(contact.id))
	rec.Put(fields.StageChangedAt, schema.TimeValue(at))
	if in.kind != "open" {
		rec.Put(fields.ClosedAt, schema.TimeValue(at))
	}
	f.set.deals[i] = dealFacts{pipeline: in.pipeline.UUID(), stage: in.id.UUID(), status: in.kind, hundreds: int(cents / 10_000)}
	return rec
}
