package record_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

// oddValues are an absent, an empty and a wrong value of every kind. For each field most of them are wrong, and none may be too much.
var oddValues = []string{
	`null`, `""`, `" "`, `"x"`, `0`, `-1`, `1.5`, `1e400`, `true`, `[]`, `{}`, `[null]`, `[""]`, `["x"]`, `[{}]`, `{"x":null}`, `{"x":1}`,
	`"2024-02-30"`, `"user_01h455vb4pex5vsknk084sn02q"`,
}

// Whatever a field is created or patched with, the answer is a record or says what is wrong. A field that a rule forgot, or one
// that a rule asks of the wrong resource, would be an error of ours.
func TestEveryFieldTakesOrRefusesEveryValue(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		ids, n := w.OneOfEach(t), 0
		for _, k := range record.Kinds() {
			t.Run(k.Plural, func(t *testing.T) {
				fine := func(s Step) {
					a := w.Ask(t, s)
					if a.Status != 200 && a.Status != 201 && a.Status != 409 && a.Status != 422 {
						t.Errorf("%s %s is %d: %s", s.Do, s.Body, a.Status, a.Text)
					}
				}
				n++
				text, err := json.Marshal(PlainRecord(k, n, ids))
				if err != nil {
					t.Fatal(err)
				}
				id := w.Create(t, k.Plural, string(text), "")
				for _, l := range k.Leaves {
					if l.Writing.BinOnly {
						continue
					}
					for _, value := range oddValues {
						n++
						fine(Step{Do: "POST /" + k.Plural, Body: With(t, PlainRecord(k, n, ids), l, value)})
						if Offers(k, "patch") {
							fine(Step{Do: "PATCH /" + k.Plural + "/" + id, Body: With(t, nil, l, value)})
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
	OnBothEngines(t, func(t *testing.T, w *World) {
		ids := w.OneOfEach(t)
		for _, k := range record.Kinds() {
			if !Offers(k, "patch") {
				continue
			}
			t.Run(k.Plural, func(t *testing.T) {
				for i := range 3 {
					body := VariedRecord(k, i, ids)
					if k.Leaf("line_items") != nil {
						product := w.Create(t, "products", `{"name":"Rope","price":"1.25","currency":"EUR"}`, "")
						body = `{"name":"Boat"` + fmt.Sprintf(lines, product)
						if k.Leaf("name") == nil {
							body = `{"title":"Boat"` + fmt.Sprintf(lines, product)
						}
					}
					a := w.Ask(t, Step{Do: "POST /" + k.Plural, Body: body})
					if a.Status != 201 {
						t.Fatalf("%s is %d: %s", body, a.Status, a.Text)
					}
					id := fmt.Sprint(At(a.JSON, "id"))
					got := w.Ask(t, Step{Do: "GET /" + k.Plural + "/" + id})
					var fields map[string]json.RawMessage
					if err := json.Unmarshal(got.Text, &fields); err != nil {
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
					back := w.Ask(t, Step{Do: "PATCH /" + k.Plural + "/" + id, Body: string(text)})
					if back.Status != 200 || string(back.Text) != string(got.Text) {
						t.Errorf("%s is %d:\n%s\nand was\n%s", text, back.Status, back.Text, got.Text)
					}
				}
			})
		}
	})
}

// What kith fills in where it is not given, it fills in again where it is emptied.
func TestAnEmptiedCurrencyIsFilledInAgain(t *testing.T) {
	line := `"line_items":[{"name":"Oar","unit_price":10,"currency":"USD"}]`
	OnBothEngines(t, func(t *testing.T, w *World) {
		for _, plural := range []string{"companies", "products", "deals", "quotes"} {
			name := "name"
			if plural == "quotes" {
				name = "title"
			}
			id := w.Create(t, plural, fmt.Sprintf(`{%q:"Boat","currency":"USD"}`, name), "")
			for _, empty := range []string{`null`, `""`} {
				w.Send(t, Step{Do: "PATCH /" + plural + "/" + id, Body: `{"currency":"USD"}`})
				a := w.Send(t, Step{Do: "PATCH /" + plural + "/" + id, Body: `{"currency":` + empty + `}`})
				if a.Status != 200 || At(a.JSON, "currency") != "EUR" {
					t.Errorf("%s with the currency %s: %d %s", plural, empty, a.Status, a.Text)
				}
			}
		}
		w.Create(t, "deals", `{"name":"Boat",`+line+`}`, "deal")
		w.Run(t, []Step{
			{
				Rule: "that of the first line comes first", Do: "PATCH /deals/$deal", Body: `{"currency":null}`, Status: 200,
				Want: `{"currency":"USD"}`,
			},
			{
				Rule: "a quote of the deal has the deal's", Do: "POST /quotes", Body: `{"deal_id":"$deal","currency":"EUR"}`, Status: 201,
				Save: "quote",
			},
			{
				Rule: "and again when it is emptied", Do: "PATCH /quotes/$quote", Body: `{"currency":null}`, Status: 200,
				Want: `{"currency":"USD"}`,
			},
		})
	})
}
