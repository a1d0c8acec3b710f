package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// What is measured of the fields that a business adds is asked of a business of its own: it has as many contacts as the largest,
// with ten values each in indexed fields. Two of these have what declared fields have, too, so that the one can be compared with
// the other.

// fieldsBusiness is the number of that business, and ofField the stream of its random values.
const (
	fieldsBusiness        = 1 << 20
	ofField        uint64 = 100
)

// addedFields are what the business adds, in the order of their values in a contact.
var addedFields = []struct{ name, kind, more string }{
	{"owner_code", "text", ""},
	{"rating", "number", ""},
	{"region", "text", ""},
	{"joined", "date", ""},
	{"budget", "money", ""},
	{"seen", "datetime", ""},
	{"tier", "select", `,"options":[{"value":"gold"},{"value":"silver"},{"value":"bronze"}]`},
	{"vip", "boolean", ""},
	{"code", "text", ""},
	{"visits", "number", ""},
}

// ownerCode is what a contact has in its own field for the owner.
func ownerCode(owner uint8) string { return fmt.Sprintf("owner %02d", owner) }

// putAdded gives a contact its values.
func (f *filler) putAdded(rec *schema.Record, c contactFacts, i int) {
	_, leaves := f.contacts.Document()
	for at, text := range addedValues(c, i, f.random(ofField, i)) {
		n, err := body.Parse([]byte(text))
		if err != nil {
			panic(err)
		}
		v, wrong := body.Value(*n, leaves[at])
		if wrong != nil {
			panic(leaves[at].Path + " " + wrong.Message)
		}
		rec.Put(leaves[at], v)
	}
}

// addedValues are the values of a contact, as JSON.
func addedValues(c contactFacts, i int, r *rand.Rand) []string {
	return []string{
		fmt.Sprintf("%q", ownerCode(c.owner)), fmt.Sprintf("%d.%d", c.score/10, c.score%10), fmt.Sprintf("%q", pick(r, lastNames)),
		fmt.Sprintf(`"20%02d-%02d-%02d"`, r.IntN(26), 1+r.IntN(12), 1+r.IntN(28)),
		fmt.Sprintf(`"%d.00"`, r.IntN(1_000_000)), fmt.Sprintf(`"20%02d-01-02T03:04:%02dZ"`, r.IntN(26), r.IntN(60)),
		fmt.Sprintf("%q", pick(r, []string{"gold", "silver", "bronze"})),
		fmt.Sprint(r.IntN(2) == 0), fmt.Sprintf(`"c-%d"`, i), fmt.Sprint(r.IntN(500)),
	}
}

// asksFields tells whether any operation is run on fields that a business adds.
func (o Options) asksFields() bool {
	return o.Peer == nil && slices.ContainsFunc(fieldOperations, func(name string) bool { return strings.Contains(name, o.Only) })
}

// The names of the operations.
const (
	customEqual  = "one value of an indexed custom field"
	customFirst  = "first page by an indexed custom field"
	customDeep   = "1,000th page by an indexed custom field"
	customCreate = "create with 10 indexed custom values"
)

var fieldOperations = []string{customEqual, customFirst, customDeep, customCreate}

// addFields makes the fields, and has contacts made with them from then on.
func (f *filler) addFields() error {
	for _, field := range addedFields {
		text := fmt.Sprintf(`{"resource":"contact","name":%q,"kind":%q,"indexed":true%s}`, field.name, field.kind, field.more)
		err := f.who.Tenant.Write(f.ctx, f.who.Actor(""), func(tx *store.Tx) error {
			_, err := f.e.Add(tx, f.who, record.KindOf("field"), text)
			return err
		})
		if err != nil {
			return err
		}
	}
	shapes, err := f.e.Shapes(f.ctx, f.who.Tenant, int64(len(addedFields)))
	if err != nil {
		return err
	}
	f.who.Shapes = shapes
	f.contacts = f.who.Resource(record.KindOf("contact"))
	return nil
}

// fieldsAbout asks for what the business of the fields is measured by.
func (a asking) fieldsAbout(ctx context.Context) ([]*operation, error) {
	equal := func(name string, condition func(owner int) string) *operation {
		var bodies []string
		for owner := range a.set.owners {
			bodies = append(bodies, filtered("", condition(owner)))
		}
		return a.inRandomOrder(name, bodies, true)
	}
	custom := equal(customEqual, func(owner int) string { return where("custom_fields.owner_code", "eq", ownerCode(uint8(owner))) })
	custom.beside = equal("one owner", a.ownedBy)
	const byScore, byRating = `{"order_by":"lead_score"}`, `{"order_by":"custom_fields.rating"}`
	first, deep := a.only(customFirst, byRating), a.only(customDeep, byRating)
	first.beside, deep.beside = a.only("the same page by lead_score", byScore), a.only("the same page by lead_score", byScore)
	for body, op := range map[string]*operation{byRating: deep, byScore: deep.beside} {
		asked, err := a.deep(ctx, body)
		if err != nil {
			return nil, err
		}
		op.question = func(int) question { return asked }
	}
	create := &operation{name: customCreate, writes: true, beside: a.create(), question: func(n int) question {
		r := seeded(customCreate, n)
		values := addedValues(contactFacts{owner: uint8(r.IntN(len(a.set.owners))), score: uint16(1 + r.IntN(1000))}, n, r)
		for i, field := range addedFields {
			values[i] = fmt.Sprintf("%q:%s", field.name, values[i])
		}
		return a.ask("POST", "/v1/contacts", with(newContact(customCreate, n), `"custom_fields":{`+strings.Join(values, ",")+`}`))
	}}
	all := []*operation{custom, first, deep, create}
	for _, op := range all {
		op.ours = true
	}
	return all, nil
}
