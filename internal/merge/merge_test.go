package merge_test

import (
	"context"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/testworld"
)

// world is a business in a file.
type world struct {
	t    *testing.T
	e    *record.Engine
	call record.Call
}

func newWorld(t *testing.T) *world {
	t.Helper()
	e := testworld.Engine(t, testworld.Open(t, testworld.Database(t, "sqlite")))
	return &world{t, e, record.Call{Principal: testworld.Business(t, e, "Acme", account.Person{Name: "Ada", Email: "ada@acme.example"})}}
}

func (w *world) do(k *record.Kind, operation, id, data string) (*schema.Record, error) {
	w.t.Helper()
	n, err := body.Parse([]byte(data))
	if err != nil {
		w.t.Fatal(err)
	}
	return w.e.Do(context.Background(), w.call, record.Operation{Kind: k, Name: operation, ID: id, Body: n})
}

// must does what has to work, and gives the id of the record.
func (w *world) must(k *record.Kind, operation, id, data string) string {
	w.t.Helper()
	rec, err := w.do(k, operation, id, data)
	if err != nil {
		w.t.Fatalf("%s %s %s: %v %+v", operation, k.Name, data, err, problem.As(err))
	}
	return schema.FormatID(k.Name, rec.ID())
}

func (w *world) merge(k *record.Kind, survivor, other, prefer string) {
	w.t.Helper()
	w.must(k, record.Merge, survivor, `{"other_id":"`+other+`","prefer":{`+prefer+`}}`)
}

func (w *world) unmerge(k *record.Kind, survivor, other string) {
	w.t.Helper()
	w.must(k, record.Unmerge, survivor, `{"other_id":"`+other+`"}`)
}

// has compares fields of a record with how they are written as JSON.
func (w *world) has(k *record.Kind, id string, want map[*schema.Leaf]string) {
	w.t.Helper()
	rec, err := w.call.Get(context.Background(), k, id)
	if err != nil {
		w.t.Fatal(err)
	}
	for l, value := range want {
		if is := string(schema.AppendValue(nil, l, rec.Get(l))); is != value {
			w.t.Errorf("%s is %s, expected %s", l.Path, is, value)
		}
	}
}

// refused expects that a merge is refused for a field.
func (w *world) refused(k *record.Kind, survivor, other, prefer, field, message string) {
	w.t.Helper()
	_, err := w.do(k, record.Merge, survivor, `{"other_id":"`+other+`","prefer":{`+prefer+`}}`)
	p := problem.As(err)
	if p == nil || len(p.Fields) != 1 || p.Fields[0].Field != field || !strings.Contains(p.Fields[0].Message, message) {
		w.t.Errorf("merge with %s: %v %+v", prefer, err, p)
	}
}

// What a kind says that both values make together is neither's alone, is not lost, and goes back with the merge.
func TestCombinedFields(t *testing.T) {
	w := newWorld(t)
	early, late, contacts := `"2020-01-01T00:00:00.000000Z"`, `"2021-01-01T00:00:00.000000Z"`, crm.Contacts
	for _, c := range []struct{ mine, theirs, quiet, at string }{
		{`"do_not_contact":true,"last_contacted_at":` + late, `"last_contacted_at":` + early, "true", late},
		{`"last_contacted_at":` + early, `"do_not_contact":true,"last_contacted_at":` + late, "true", late},
		{`"do_not_contact":false`, `"last_contacted_at":` + early, "false", early},
		{`"last_contacted_at":` + early, `"do_not_contact":false`, "false", early},
	} {
		mine := w.must(crm.Contact, record.Create, "", `{"name":"Anna",`+c.mine+`}`)
		theirs := w.must(crm.Contact, record.Create, "", `{"name":"Anna",`+c.theirs+`}`)
		before, err := w.call.Get(t.Context(), crm.Contact, mine)
		if err != nil {
			t.Fatal(err)
		}
		had := map[*schema.Leaf]string{}
		for _, l := range []*schema.Leaf{contacts.DoNotContact, contacts.LastContactedAt} {
			had[l] = string(schema.AppendValue(nil, l, before.Get(l)))
		}
		w.merge(crm.Contact, mine, theirs, "")
		w.has(crm.Contact, mine, map[*schema.Leaf]string{contacts.DoNotContact: c.quiet, contacts.LastContactedAt: c.at})
		w.unmerge(crm.Contact, mine, theirs)
		w.has(crm.Contact, mine, had)
	}
}

// A field that follows others follows what comes with a merge, unless somebody gave it or it was preferred.
func TestComputedFieldsFollow(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ mine, prefer, name string }{
		{`"first_name":"Anna"`, ``, `"Anna Lind"`},
		{`"first_name":"Anna","name":"Boss"`, ``, `"Boss"`},
		{`"first_name":"Anna"`, `"name":"other"`, `"A. Lind"`},
		{`"first_name":"Anna"`, `"first_name":"other"`, `"A. Lind"`},
		{`"email":"anna@acme.example"`, ``, `"A. Lind"`},
	} {
		mine := w.must(crm.Contact, record.Create, "", `{`+c.mine+`}`)
		theirs := w.must(crm.Contact, record.Create, "", `{"first_name":"A.","last_name":"Lind"}`)
		w.merge(crm.Contact, mine, theirs, c.prefer)
		w.has(crm.Contact, mine, map[*schema.Leaf]string{crm.Contacts.Name: c.name})
	}
}

// Amounts stay in the currency that they are in.
func TestAmountsKeepTheirCurrency(t *testing.T) {
	w := newWorld(t)
	revenue := crm.Company.Leaf("annual_revenue")
	for _, c := range []struct{ mine, theirs, prefer, currency, revenue string }{
		{`"currency":"EUR"`, `"currency":"SEK","annual_revenue":"5"`, ``, `"SEK"`, `"5.00"`},
		{`"currency":"EUR"`, `"currency":"SEK"`, ``, `"EUR"`, `null`},
		{`"currency":"EUR","annual_revenue":"3"`, `"currency":"SEK","annual_revenue":"5"`, ``, `"EUR"`, `"3.00"`},
		{`"currency":"EUR"`, `"currency":"EUR","annual_revenue":"5"`, ``, `"EUR"`, `"5.00"`},
		{
			`"currency":"EUR","annual_revenue":"3"`, `"currency":"SEK","annual_revenue":"5"`,
			`"currency":"other","annual_revenue":"other"`, `"SEK"`, `"5.00"`,
		},
	} {
		mine := w.must(crm.Company, record.Create, "", `{"name":"Acme",`+c.mine+`}`)
		theirs := w.must(crm.Company, record.Create, "", `{"name":"Acme",`+c.theirs+`}`)
		if c.prefer != "" {
			w.refused(crm.Company, mine, theirs, `"currency":"other"`, "prefer.currency", "is not that of annual_revenue")
			w.refused(crm.Company, mine, theirs, `"annual_revenue":"other"`, "prefer.annual_revenue", "is in another currency")
		}
		w.merge(crm.Company, mine, theirs, c.prefer)
		w.has(crm.Company, mine, map[*schema.Leaf]string{crm.Companies.Currency: c.currency, revenue: c.revenue})
	}
}

// No record comes to be its own parent by a merge, or when one is taken back.
func TestParents(t *testing.T) {
	w := newWorld(t)
	parent := crm.Companies.ParentCompanyID
	company := func(below string) string {
		if below == "" {
			return w.must(crm.Company, record.Create, "", `{"name":"Acme"}`)
		}
		return w.must(crm.Company, record.Create, "", `{"name":"Acme","parent_company_id":"`+below+`"}`)
	}
	under := func(id, want string) {
		t.Helper()
		if want != "" {
			want = `"` + want + `"`
		} else {
			want = "null"
		}
		w.has(crm.Company, id, map[*schema.Leaf]string{parent: want})
	}

	// The survivor is below the other, and takes its place.
	top := company("")
	other := company(top)
	between := company(other)
	low := company(between)
	w.merge(crm.Company, low, other, "")
	under(low, top)
	under(between, low)
	w.unmerge(crm.Company, low, other)
	under(low, between)
	under(between, other)

	// The other is below the survivor, which keeps its own parent, and is refused the other's.
	w.refused(crm.Company, other, low, `"parent_company_id":"other"`, "prefer.parent_company_id",
		"a company cannot be its own parent, directly or through others")
	w.merge(crm.Company, other, low, "")
	under(other, top)

	// One without a parent takes the other's, and gives it back.
	lone, placed := company(""), company(top)
	w.merge(crm.Company, lone, placed, "")
	under(lone, top)
	w.unmerge(crm.Company, lone, placed)
	under(lone, "")
	under(placed, top)

	// It is not given back where the parent before is below the survivor by now.
	was := company("")
	moved := company(was)
	goal := company("")
	target := company(goal)
	w.merge(crm.Company, moved, target, `"parent_company_id":"other"`)
	under(moved, goal)
	w.must(crm.Company, record.Update, was, `{"parent_company_id":"`+moved+`"}`)
	w.unmerge(crm.Company, moved, target)
	under(moved, goal)
}
