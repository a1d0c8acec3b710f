package httpapi_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// oddValues are an absent, an empty and a wrong value of every kind. For each field most of them are wrong, and none may be too much.
var oddValues = []string{
	`null`, `""`, `" "`, `"x"`, `0`, `-1`, `1.5`, `1e400`, `true`, `[]`, `{}`, `[null]`, `[""]`, `["x"]`, `[{}]`, `{"x":null}`, `{"x":1}`,
	`"2024-02-30"`, `"user_01h455vb4pex5vsknk084sn02q"`,
}

// plainRecord is a body with what must be given and nothing else. No two are alike.
func plainRecord(k *record.Kind, n int, ids map[string]string) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	for _, l := range k.Leaves {
		if l.ReadOnly || l.Of != nil || (!l.Required || l.Derived || l.Default != "") && l.Path != "name" && l.Path != "title" {
			continue
		}
		switch value := validValue(l, n, ids); {
		case l.Format == schema.Email:
			fields[l.Path] = fmt.Appendf(nil, `"person%d@harbour.example"`, n)
		case l.Format == schema.RecordID:
			fields[l.Path] = json.RawMessage(validValue(l, n+l.Index, ids))
		case l == record.Fields.Name:
			fields[l.Path] = fmt.Appendf(nil, `"n%d"`, n)
		case l.Kind == schema.Text && l != crm.Webhooks.URL:
			fields[l.Path] = fmt.Appendf(nil, `"%s %d"`, l.Label, n)
		default:
			fields[l.Path] = json.RawMessage(value)
		}
	}
	return fields
}

// with gives a body with one field more. A field of a group is in its group.
func with(t *testing.T, fields map[string]json.RawMessage, l *schema.Leaf, value string) string {
	t.Helper()
	body := map[string]json.RawMessage{}
	for name, v := range fields {
		body[name] = v
	}
	if l.Of != nil {
		body[l.Of.Name] = fmt.Appendf(nil, `{%q:%s}`, l.Name, value)
	} else {
		body[l.Path] = json.RawMessage(value)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Whatever a field is created or patched with, the answer is a record or says what is wrong. A field that a rule forgot, or one
// that a rule asks of the wrong resource, would be an error of ours.
func TestEveryFieldTakesOrRefusesEveryValue(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		ids, n := w.oneOfEach(t), 0
		for _, k := range record.Kinds() {
			t.Run(k.Plural, func(t *testing.T) {
				fine := func(s step) {
					a := w.ask(t, s)
					if a.status != 200 && a.status != 201 && a.status != 409 && a.status != 422 {
						t.Errorf("%s %s is %d: %s", s.do, s.body, a.status, a.text)
					}
				}
				n++
				text, err := json.Marshal(plainRecord(k, n, ids))
				if err != nil {
					t.Fatal(err)
				}
				id := w.create(t, k.Plural, string(text), "")
				for _, l := range k.Leaves {
					if l.Writing.BinOnly {
						continue
					}
					for _, value := range oddValues {
						n++
						fine(step{do: "POST /" + k.Plural, body: with(t, plainRecord(k, n, ids), l, value)})
						if offers(k, "patch") {
							fine(step{do: "PATCH /" + k.Plural + "/" + id, body: with(t, nil, l, value)})
						}
					}
				}
			})
		}
	})
}

// What a record is answered with can be written back as it is, and changes nothing.
func TestEveryRecordIsReadBackIntoItself(t *testing.T) {
	lines := `,"line_items":[{"name":"Oar","unit_price":"12.5","quantity":3,"discount_percent":10,"tax_rate":19},{"product_id":%q}]}`
	onBothEngines(t, func(t *testing.T, w *world) {
		ids := w.oneOfEach(t)
		for _, k := range record.Kinds() {
			if !offers(k, "patch") {
				continue
			}
			t.Run(k.Plural, func(t *testing.T) {
				for i := range 3 {
					body := variedRecord(k, i, ids)
					if k.Leaf("line_items") != nil {
						product := w.create(t, "products", `{"name":"Rope","price":"1.25","currency":"EUR"}`, "")
						body = `{"name":"Boat"` + fmt.Sprintf(lines, product)
						if k.Leaf("name") == nil {
							body = `{"title":"Boat"` + fmt.Sprintf(lines, product)
						}
					}
					a := w.ask(t, step{do: "POST /" + k.Plural, body: body})
					if a.status != 201 {
						t.Fatalf("%s is %d: %s", body, a.status, a.text)
					}
					id := fmt.Sprint(at(a.json, "id"))
					got := w.ask(t, step{do: "GET /" + k.Plural + "/" + id})
					var fields map[string]json.RawMessage
					if err := json.Unmarshal(got.text, &fields); err != nil {
						t.Fatal(err)
					}
					for _, f := range k.Tree {
						if f.ReadOnly || f.Writing.Immutable {
							delete(fields, f.Name)
						}
					}
					text, err := json.Marshal(fields)
					if err != nil {
						t.Fatal(err)
					}
					back := w.ask(t, step{do: "PATCH /" + k.Plural + "/" + id, body: string(text)})
					if back.status != 200 || string(back.text) != string(got.text) {
						t.Errorf("%s is %d:\n%s\nand was\n%s", text, back.status, back.text, got.text)
					}
				}
			})
		}
	})
}

// What kith fills in where it is not given, it fills in again where it is emptied.
func TestAnEmptiedCurrencyIsFilledInAgain(t *testing.T) {
	line := `"line_items":[{"name":"Oar","unit_price":10,"currency":"USD"}]`
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, plural := range []string{"companies", "products", "deals", "quotes"} {
			name := "name"
			if plural == "quotes" {
				name = "title"
			}
			id := w.create(t, plural, fmt.Sprintf(`{%q:"Boat","currency":"USD"}`, name), "")
			for _, empty := range []string{`null`, `""`} {
				w.send(t, step{do: "PATCH /" + plural + "/" + id, body: `{"currency":"USD"}`})
				a := w.send(t, step{do: "PATCH /" + plural + "/" + id, body: `{"currency":` + empty + `}`})
				if a.status != 200 || at(a.json, "currency") != "EUR" {
					t.Errorf("%s with the currency %s: %d %s", plural, empty, a.status, a.text)
				}
			}
		}
		w.create(t, "deals", `{"name":"Boat",`+line+`}`, "deal")
		w.run(t, []step{
			{
				rule: "that of the first line comes first", do: "PATCH /deals/$deal", body: `{"currency":null}`, status: 200,
				want: `{"currency":"USD"}`,
			},
			{
				rule: "a quote of the deal has the deal's", do: "POST /quotes", body: `{"deal_id":"$deal","currency":"EUR"}`, status: 201,
				save: "quote",
			},
			{
				rule: "and again when it is emptied", do: "PATCH /quotes/$quote", body: `{"currency":null}`, status: 200,
				want: `{"currency":"USD"}`,
			},
		})
	})
}
