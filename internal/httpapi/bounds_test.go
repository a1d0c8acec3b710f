package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"

	. "github.com/kith-crm/kith/internal/apitest"
)

// largestRefusal is how many bytes the answer to a refused request may have, whatever was sent.
const largestRefusal = 512 << 10

func repeated(n int, item string) string {
	return strings.TrimSuffix(strings.Repeat(item+",", n), ",")
}

// numberedKeys writes n keys, each with its number in it.
func numberedKeys(n int, value string) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, `"key%d":%s,`, i, value)
	}
	return "{" + strings.TrimSuffix(s.String(), ",") + "}"
}

func TestRefusalsAreBounded(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		contact := w.Create(t, "contacts", `{"first_name":"Ida"}`, "ida")
		deal := w.Create(t, "deals", `{"name":"Boat"}`, "deal")
		long := strings.Repeat("x", 900_000)
		refusing(w, t, func() {
			for _, c := range []struct {
				rule, do, text string
				status         int
				wrong          string
			}{
				{
					"60,000 custom fields", "PATCH /contacts/" + contact, `{"custom_fields":` + numberedKeys(60_000, "1") + `}`, 422,
					"custom_fields:too_many",
				},
				{
					"60,000 permissions", "POST /roles", `{"name":"x","permissions":` + numberedKeys(60_000, "{}") + `}`, 422,
					"permissions:too_many",
				},
				{"60,000 fields", "POST /contacts", numberedKeys(60_000, "1"), 422, "body:too_many"},
				{
					"as many custom fields as are listed", "PATCH /contacts/" + contact,
					`{"custom_fields":` + numberedKeys(body.MaxKeys, "1") + `}`, 422, "",
				},
				{"250,000 names in fields", "POST /contacts/search", `{"fields":[` + repeated(250_000, `"x"`) + `]}`, 413, ""},
				{
					"names in fields", "POST /contacts/search", `{"fields":[` + repeated(body.MaxValues-2, `"x"`) + `]}`, 422,
					"fields:too_many",
				},
				{
					"unknown keys in line items", "PATCH /deals/" + deal, `{"line_items":[` + repeated(90, numberedKeys(450, "1")) + `]}`,
					422, "",
				},
				{"wrong scopes", "POST /tokens", `{"name":"x","scopes":[` + repeated(100, `"x"`) + `]}`, 422, ""},
				{"a long key", "POST /contacts", `{"` + long + `":1}`, 422, ""},
				{
					"a long field in a filter", "POST /contacts/search", `{"filters":[{"field":"` + long + `","operator":"eq","value":1}]}`,
					422, "",
				},
				{"a long order", "POST /contacts/search", `{"order_by":"` + long + `"}`, 422, ""},
				{
					"control characters in a name", "POST /contacts/search", `{"order_by":"` + strings.Repeat(`\u0001`, 150_000) + `"}`,
					422,
					"",
				},
				{"many empty arrays", "POST /contacts", `[` + repeated(340_000, "[]") + `]`, 413, ""},
				{
					"wrong values", "POST /contacts/search",
					`{"filters":[` + repeated(4, `{"field":"status","operator":"in","values":[`+repeated(500, "1")+`]}`) + `]}`, 422, "",
				},
			} {
				a := refused(w, t, c.do, c.text, c.status)
				if c.wrong != "" && WrongFields(a) != c.wrong {
					t.Errorf("%s: wrong is %.300s, want %s", c.rule, WrongFields(a), c.wrong)
				}
				if len(a.Text) > largestRefusal {
					t.Errorf("%s: the answer has %d bytes", c.rule, len(a.Text))
				}
				if listed, _ := At(a.JSON, "errors").([]any); len(listed) == problem.MaxFields && At(a.JSON, "errors_omitted") == nil &&
					c.rule != "wrong scopes" {
					t.Errorf("%s: nothing tells how many errors are left out", c.rule)
				}
			}
		})
		// Each key is reported, or counted as left out: those of a record, and those of the items inside it together.
		many := numberedKeys(problem.MaxFields+5, "1")
		few := strings.Replace(numberedKeys(problem.MaxFields/2, "1"), "{", `{"name":"Oar","unit_price":"1",`, 1)
		for _, c := range []struct{ do, text, first, omitted string }{
			{"POST /contacts", many, "key0", "5"},
			{"PATCH /deals/" + deal, `{"line_items":[` + repeated(3, few) + `]}`, "line_items[0].key0", "50"},
		} {
			a := refused(w, t, c.do, c.text, 422)
			listed, _ := At(a.JSON, "errors").([]any)
			if len(listed) != problem.MaxFields || fmt.Sprint(At(a.JSON, "errors_omitted")) != c.omitted {
				t.Errorf("%s: %d errors are listed, %v omitted", c.do, len(listed), At(a.JSON, "errors_omitted"))
				continue
			}
			if At(listed[0], "field") != c.first || At(listed[0], "code") != "unknown_field" {
				t.Errorf("%s: the first error is %v", c.do, listed[0])
			}
		}
	})
}
