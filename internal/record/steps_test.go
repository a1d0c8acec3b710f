package record_test

import (
	"slices"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/testworld"
)

// writing runs a test in one transaction of the administrator of a business, with what does an operation there. What is refused is
// not undone, so that what it leaves shows.
func writing(t *testing.T, test func(t *testing.T, tx *store.Tx, do func(op record.Operation, text string) (*schema.Record, error))) {
	testworld.OnBoth(t, func(t *testing.T, url string) {
		e := testworld.Engine(t, testworld.Open(t, url))
		who := testworld.Business(t, e, "Harbour", account.Person{Email: "anna@harbour.example", Name: "Anna"})
		err := who.Tenant.Write(t.Context(), store.Actor{User: who.User}, func(tx *store.Tx) error {
			test(t, tx, func(op record.Operation, text string) (*schema.Record, error) {
				var err error
				if op.Body, err = body.Parse([]byte(text)); err != nil {
					t.Fatal(err)
				}
				step, err := e.Plan(who, op)
				if err != nil {
					return nil, err
				}
				out, err := step(tx)
				return out.Record, err
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// Numbers, ids and secrets are made of what nothing is wrong with, so that none is lost on what is refused.
func TestWhatIsRefusedTakesNoNumber(t *testing.T) {
	t.Parallel()
	writing(t, func(t *testing.T, _ *store.Tx, do func(record.Operation, string) (*schema.Record, error)) {
		op := record.Operation{Kind: record.Field, Name: record.Create}
		first, err := do(op, `{"resource":"contact","name":"tier","kind":"text"}`)
		if err != nil {
			t.Fatal(err)
		}
		for _, refused := range []string{
			`{"resource":"contact","name":"tier","kind":"text"}`,
			`{"resource":"contact","name":"note","kind":"long_text","indexed":true}`,
			`{"resource":"contact","name":"size","kind":"select"}`,
		} {
			if _, err := do(op, refused); problem.As(err) == nil {
				t.Errorf("%s: %v", refused, err)
			}
		}
		second, err := do(op, `{"resource":"contact","name":"region","kind":"text"}`)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := first.Get(record.Fields.Number).N, second.Get(record.Fields.Number).N; b != a+1 {
			t.Errorf("the fields have the numbers %d and %d", a, b)
		}
	})
}

// What a kind has against a record is told together, in the order in which its rules stand, whatever completing it takes.
func TestAllThatAKindRefusesIsToldInOrder(t *testing.T) {
	t.Parallel()
	writing(t, func(t *testing.T, tx *store.Tx, do func(record.Operation, string) (*schema.Record, error)) {
		found, err := tx.Find(&crm.Pipeline.Resource, 1)
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		strange := schema.FormatID("stage", tx.NewID())
		for _, c := range []struct {
			op   record.Operation
			text string
			want []string
		}{
			{
				record.Operation{Kind: crm.Pipeline, Name: record.Update, ID: schema.FormatID("pipeline", found[0].ID())},
				`{"is_default":false,"stages":[{"name":"One"},{"name":"Two","id":"` + strange +
					`"},{"name":"Three","id":"` + strange + `"}]}`,
				[]string{"is_default not_allowed", "stages[1].id not_found", "stages[2].id not_allowed"},
			},
			{
				record.Operation{Kind: record.Field, Name: record.Create},
				`{"resource":"contact","name":"a.b","kind":"number","target":"deal","searchable":true,"options":[{"value":"x"}]}`,
				[]string{"name invalid_format", "target not_allowed", "searchable not_allowed", "options not_allowed"},
			},
			{
				record.Operation{Kind: account.App, Name: record.Create},
				`{"name":"Sync","scopes":["contact.read"],"redirect_uris":["http://harbour.example","https://*.harbour.example"]}`,
				[]string{"redirect_uris[0] invalid_format", "redirect_uris[1] invalid_format"},
			},
			{
				record.Operation{Kind: crm.Webhook, Name: record.Create},
				`{"url":"https://10.0.0.1/hook","events":["deal.vanished"]}`,
				[]string{"url invalid_format", "events not_allowed"},
			},
		} {
			_, err := do(c.op, c.text)
			told := problem.As(err)
			if told == nil {
				t.Errorf("%s: %v", c.text, err)
				continue
			}
			var got []string
			for _, f := range told.Fields {
				got = append(got, f.Field+" "+f.Code)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: refused are %q, want %q", c.text, got, c.want)
			}
		}
	})
}
