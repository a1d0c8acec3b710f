package merge_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

// pairsOf reads all pages of duplicates, each pair as the external ids of its records and what they have alike, in any order.
func pairsOf(w *World, t *testing.T, as, plural string, limit int) (pairs []string) {
	t.Helper()
	cursor := ""
	for range 100 {
		body := fmt.Sprintf(`{"limit":%d%s}`, limit, cursor)
		a := w.Check(t, Step{As: as, Do: "POST /" + plural + "/duplicates/search", Body: body, Status: 200, Chance: true})
		data := At(a.JSON, "data").([]any)
		if len(data) > limit {
			t.Fatalf("a page of %d has %d pairs", limit, len(data))
		}
		for _, p := range data {
			names := []string{fmt.Sprint(At(p, "records.0.name")), fmt.Sprint(At(p, "records.1.name"))}
			slices.Sort(names)
			pairs = append(pairs, strings.Join(names, "+")+" "+strings.Trim(fmt.Sprint(At(p, "reasons")), "[]"))
		}
		next := At(a.JSON, "meta.cursor.next")
		if next == nil {
			slices.Sort(pairs)
			return pairs
		}
		cursor = fmt.Sprintf(`,"cursor":%q`, next)
	}
	t.Fatal("the pages do not end")
	return nil
}

func hasPairs(w *World, t *testing.T, as, plural string, want ...string) {
	t.Helper()
	slices.Sort(want)
	for _, limit := range []int{1, 3, 100} {
		if got := pairsOf(w, t, as, plural, limit); !slices.Equal(got, want) {
			t.Errorf("the pairs of %s in pages of %d are\n%s\nwant\n%s", plural, limit, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestDuplicates(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.OwnReader(t)
		w.Create(t, "companies", `{"name":"Acme","domain":"acme.example"}`, "acme")
		for _, c := range []struct{ name, rest string }{
			{"Anna Lindt", `"email":"anna@acme.example","company_id":"$acme"`},
			{"A. Lindt", `"email":"ANNA@acme.example"`},
			{"Bert Larsson", `"phone":"+46 (70) 123-456","email":"b@free.example","company_id":"$acme"`},
			{"Bert Larson", `"mobile_phone":"4670123456","company_id":"$acme"`},
			{"Cleo Nilsen", `"email":"cleo@one.example"`},
			{"Cleo Nilssen", `"email":"c.nilsen@one.example"`},
			{"Cleo Nislen", `"email":"x@two.example"`},
			{"Dora", `"email":"dora@gmail.com"`},
			{"Dora ", `"email":"dora2@gmail.com"`},
			{"Emil", `"company_id":"$acme","phone":"12345"`},
			{"Emul", `"company_id":"$acme","phone":"12345"`},
		} {
			w.Create(t, "contacts", fmt.Sprintf(`{"name":%q,%s}`, c.name, c.rest),
				strings.ReplaceAll(strings.ToLower(strings.TrimSpace(c.name)), " ", "_"))
		}
		w.Vars["bert"], w.Vars["bert2"], w.Vars["anna"], w.Vars["anna2"] = w.Vars["bert_larsson"], w.Vars["bert_larson"],
			w.Vars["anna_lindt"], w.Vars["a._lindt"]
		anna, bert, cleo := "A. Lindt+Anna Lindt email", "Bert Larson+Bert Larsson phone name", "Cleo Nilsen+Cleo Nilssen name"
		hasPairs(w, t, "", "contacts", anna, bert, cleo)
		one := "POST /contacts/duplicates/search"
		w.Run(t, []Step{
			{
				Rule: "of one record, with what is alike", Do: one, Body: `{"id":"$bert"}`, Status: 200,
				Want: `{"data":[{"records":[{"id":"$bert","name":"Bert Larsson","email":"b@free.example","company":{"name":"Acme"}},` +
					`{"id":"$bert2"}],"reasons":["phone","name"],"score":90}],"meta":{"cursor":{"next":null,"has_more":false}}}`,
			},
			{Rule: "or none", Do: one, Body: `{"id":"$emil"}`, Status: 200, Want: `{"data":[]}`},
			{Rule: "which must be there", Do: one, Body: `{"id":"contact_01h455vb4pex5vsknk084sn02q"}`, Status: 404},
			{Rule: "in this business", As: "stranger", Do: one, Body: `{"id":"$bert"}`, Status: 404},
			{
				Rule: "all that is wrong is named", Do: one, Body: `{"limit":0,"filters":[]}`, Status: 422,
				Wrong: "limit:out_of_range filters:unknown_field",
			},
			{Rule: "cursors are its own", Do: one, Body: `{"cursor":"x"}`, Status: 422, Wrong: "cursor:invalid_cursor"},
			{Rule: "it needs the scope", As: "admin:note.read", Do: one, Body: `{}`, Status: 403, Code: "insufficient_scope"},
			{
				Rule: "two are dismissed by their ids", Do: "POST /contacts/duplicates/dismiss", Body: `{}`, Status: 422,
				Wrong: "ids:required",
			},
			{
				Rule: "two of them", Do: "POST /contacts/duplicates/dismiss", Body: `{"ids":["$bert"]}`, Status: 422,
				Wrong: "ids:out_of_range",
			},
			{
				Rule: "of this resource", Do: "POST /contacts/duplicates/dismiss", Body: `{"ids":["$bert","$acme"]}`, Status: 422,
				Wrong: "ids[1]:invalid_id",
			},
			{
				Rule: "that are there", As: "stranger", Do: "POST /contacts/duplicates/dismiss", Body: `{"ids":["$bert","$bert2"]}`,
				Status: 422, Wrong: "ids[0]:not_found ids[1]:not_found",
			},
			{
				Rule: "and one's to change", As: "viewer", Do: "POST /contacts/duplicates/dismiss", Body: `{"ids":["$bert","$bert2"]}`,
				Status: 403,
			},
			{
				Rule: "at least one", As: "member", Do: "POST /contacts/duplicates/dismiss", Body: `{"ids":["$bert","$bert2"]}`,
				Status: 403,
				Code:   "forbidden_by_role",
			},
			{
				Rule: "a dry run remembers nothing", Do: "POST /contacts/duplicates/dismiss?dry_run=true",
				Body: `{"ids":["$bert","$bert2"]}`, Status: 204,
			},
			{Rule: "as can be seen", Do: one, Body: `{"id":"$bert"}`, Status: 200, Want: `{"data":[{"score":90}]}`},
			{Rule: "it is remembered", Do: "POST /contacts/duplicates/dismiss", Body: `{"ids":["$bert2","$bert"]}`, Status: 204},
			{Rule: "for either", Do: one, Body: `{"id":"$bert"}`, Status: 200, Want: `{"data":[]}`},
			{Rule: "and again", Do: "POST /contacts/duplicates/dismiss", Body: `{"ids":["$bert","$bert2"]}`, Status: 204},
		})
		hasPairs(w, t, "", "contacts", anna, cleo)
		hasPairs(w, t, "own", "contacts")
		hasPairs(w, t, "stranger", "contacts")
		w.Run(t, []Step{
			{
				Rule: "what changes is kept up with", Do: "PATCH /contacts/$anna",
				Body: `{"email":"a@other.example","phone":"030 99 88 77"}`, Status: 200,
			},
			{Rule: "in every way", Do: "PATCH /contacts/$dora", Body: `{"mobile_phone":"0 309 988 77"}`, Status: 200},
		})
		hasPairs(w, t, "", "contacts", cleo, "Anna Lindt+Dora phone")
		w.Run(t, []Step{
			{Rule: "the bin does not count", Do: "DELETE /contacts/$dora", Status: 204},
			{Rule: "one's own are shown", Do: "PATCH /contacts/$anna2", Body: `{"owner_id":"$own","phone":"+49 111 222 333"}`, Status: 200},
		})
		hasPairs(w, t, "", "contacts", cleo)
		w.Run(t, []Step{
			{Rule: "until it is restored", Do: "POST /contacts/$dora/restore", Status: 200},
			{Rule: "both must be", Do: "POST /contacts", Body: `{"name":"Mine","phone":"49111222333","owner_id":"$own"}`, Status: 201},
			{Rule: "as here", Do: "POST /contacts", Body: `{"name":"Not mine","phone":"49 111222333"}`, Status: 201},
		})
		hasPairs(w, t, "own", "contacts", "A. Lindt+Mine phone")
		hasPairs(w, t, "", "contacts", cleo, "Anna Lindt+Dora phone", "A. Lindt+Mine phone", "A. Lindt+Not mine phone",
			"Mine+Not mine phone")

		for _, body := range []string{
			`{"name":"Öst AB","domain":"ost.example"}`, `{"name":"OST ab"}`,
			`{"name":"Norr","domain":"OST.example","phone":"+46 8 555 666"}`, `{"name":"Syd","phone":"468555666","domain":"gmail.com"}`,
			`{"name":"Väst","domain":"gmail.com"}`,
		} {
			w.Create(t, "companies", body, "")
		}
		hasPairs(w, t, "", "companies", "Norr+Öst AB domain", "OST ab+Öst AB name", "Norr+Syd phone")
	})
}

// What many have alike is no sign of anything: the number of a switchboard, or the name of a mailbox.
func TestDuplicatesLeaveOutWhatManyHave(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "companies", `{"name":"Acme"}`, "acme")
		var crowd []string
		for n := range 21 {
			crowd = append(crowd, fmt.Sprintf(`{"op":"create","data":{"name":"Reception %d","phone":"030 111 222"}}`, 10*n),
				`{"op":"create","data":{"name":"Mailbox","company_id":"$acme"}}`)
		}
		for n := range 3 {
			crowd = append(crowd, fmt.Sprintf(`{"op":"create","data":{"name":"Person %d","phone":"030 333 444"}}`, n))
		}
		crowd = append(crowd, `{"op":"create","data":{"name":"Zoe","phone":"030 111 222","email":"zoe@a.example"}}`,
			`{"op":"create","data":{"name":"Zoey","phone":"030 111 222","email":"zoe@a.example"}}`)
		w.Check(t, Step{Do: "POST /contacts/batch", Body: `{"atomic":true,"operations":[` + strings.Join(crowd, ",") + `]}`, Status: 200})
		hasPairs(w, t, "", "contacts", "Person 0+Person 1 phone", "Person 0+Person 2 phone", "Person 1+Person 2 phone", "Zoe+Zoey email")
	})
}

// person is what a contact of the random test has.
type person struct{ name, email, phone, mobile, company string }

// edits is how many letters two names differ by, where two neighbours that changed places are one: told by looking at all ways.
func edits(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// reasons says as plainly as possible why two contacts may be the same.
func reasons(a, b person) (all []string) {
	digits := func(p person) (numbers []string) {
		for _, number := range []string{p.phone, p.mobile} {
			plain := strings.Map(func(r rune) rune {
				if r < '0' || r > '9' {
					return -1
				}
				return r
			}, number)
			if len(plain) >= 6 {
				numbers = append(numbers, plain)
			}
		}
		return numbers
	}
	if a.email != "" && strings.EqualFold(a.email, b.email) {
		all = append(all, "email")
	}
	if slices.ContainsFunc(digits(a), func(n string) bool { return slices.Contains(digits(b), n) }) {
		all = append(all, "phone")
	}
	_, one, _ := strings.Cut(strings.ToLower(a.email), "@")
	_, other, _ := strings.Cut(strings.ToLower(b.email), "@")
	together := a.company != "" && a.company == b.company || one != "" && one == other && one != "gmail.com"
	x, y := []rune(strings.ToLower(a.name)), []rune(strings.ToLower(b.name))
	if together && (slices.Equal(x, y) || len(x) >= 6 && len(y) >= 6 && edits(x, y) <= 1) {
		all = append(all, "name")
	}
	return all
}

// Whatever contacts there are and however they change, the pairs are those that looking at each two of them tells.
func TestDuplicatesAreWhatLookingAtAllTells(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		t.Parallel()
		random := rand.New(rand.NewPCG(4, 11))
		oneOf := func(from ...string) string { return from[random.IntN(len(from))] }
		companies := []string{"", w.Create(t, "companies", `{"name":"One"}`, ""), w.Create(t, "companies", `{"name":"Two"}`, "")}
		draw := func() person {
			letters := []rune(oneOf("Marten Ek", "Marteen Ek", "Malin", "Maline", "Kerstin Berg"))
			if at := random.IntN(len(letters)); random.IntN(2) == 0 {
				letters[at] = []rune("aeMZ")[random.IntN(4)]
			}
			return person{
				name: string(letters), company: oneOf(companies...), phone: oneOf("", "+49 30 11", "030-55 66 77", "0305-56677", "12345"),
				mobile: oneOf("", "", "(030) 556677", "0171 99 88 77"),
				email: oneOf("", "", fmt.Sprintf("p%d@one.example", random.IntN(9)), fmt.Sprintf("P%d@One.example", random.IntN(9)),
					fmt.Sprintf("p%d@gmail.com", random.IntN(9)), fmt.Sprintf("p%d@two.example", random.IntN(9))),
			}
		}
		field := func(value string) string {
			if value == "" {
				return "null"
			}
			return fmt.Sprintf("%q", value)
		}
		body := func(p person) string {
			return fmt.Sprintf(`{"name":%q,"email":%s,"phone":%s,"mobile_phone":%s,"company_id":%s}`, p.name, field(p.email),
				field(p.phone), field(p.mobile), field(p.company))
		}
		people := map[string]person{}
		for range 30 {
			p := draw()
			people[w.Create(t, "contacts", body(p), "")] = p
		}
		for round := range 2 {
			for _, id := range slices.Sorted(maps.Keys(people)) {
				switch random.IntN(6) {
				case 0:
					p := draw()
					w.Check(t, Step{Do: "PATCH /contacts/" + id, Body: body(p), Status: 200})
					people[id] = p
				case 1:
					w.Check(t, Step{Do: "DELETE /contacts/" + id, Status: 204})
					if round == 0 {
						w.Check(t, Step{Do: "POST /contacts/" + id + "/restore", Status: 200})
					} else {
						delete(people, id)
					}
				}
			}
			var want []string
			ids := slices.Sorted(maps.Keys(people))
			for i, a := range ids {
				for _, b := range ids[i+1:] {
					if why := reasons(people[a], people[b]); len(why) > 0 {
						want = append(want, a+" "+b+" "+strings.Join(why, " "))
					}
				}
			}
			if len(want) < 10 {
				t.Fatalf("only %d pairs prove little", len(want))
			}
			slices.Sort(want)
			for _, limit := range []int{2, 100} {
				if got := pairIDs(w, t, limit, ""); !slices.Equal(got, want) {
					t.Errorf("round %d, in pages of %d, the pairs are\n%s\nwant\n%s", round, limit, strings.Join(got, "\n"),
						strings.Join(want, "\n"))
				}
			}
			for _, id := range ids[:10] {
				of := slices.DeleteFunc(slices.Clone(want), func(pair string) bool { return !strings.Contains(pair, id) })
				if got := pairIDs(w, t, 100, id); !slices.Equal(got, of) {
					t.Errorf("round %d: those of %s are\n%s\nwant\n%s", round, id, strings.Join(got, "\n"), strings.Join(of, "\n"))
				}
			}
		}
	})
}

// pairIDs reads all pairs, or those of one record, by their ids in order.
func pairIDs(w *World, t *testing.T, limit int, id string) (pairs []string) {
	t.Helper()
	cursor := ""
	if id != "" {
		cursor = fmt.Sprintf(`,"id":%q`, id)
	}
	for range 1000 {
		a := w.Check(t, Step{
			Do: "POST /contacts/duplicates/search", Body: fmt.Sprintf(`{"limit":%d%s}`, limit, cursor), Status: 200,
			Chance: true,
		})
		for _, p := range At(a.JSON, "data").([]any) {
			pairs = append(pairs, fmt.Sprint(At(p, "records.0.id"))+" "+fmt.Sprint(At(p,
				"records.1.id"))+" "+strings.Trim(fmt.Sprint(At(p, "reasons")), "[]"))
		}
		next := At(a.JSON, "meta.cursor.next")
		if next == nil {
			break
		}
		cursor = fmt.Sprintf(`,"cursor":%q`, next)
	}
	slices.Sort(pairs)
	return pairs
}
