package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
)

// message gives what is said about a field of the input.
func message(a *answer, field string) string {
	list, _ := at(a.json, "errors").([]any)
	for _, e := range list {
		if at(e, "field") == field {
			return fmt.Sprint(at(e, "message"))
		}
	}
	return ""
}

// Whoever writes a name that is not there is told the one that they may have meant.
func TestNamesThatWereMeant(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, c := range []struct{ do, body, field, want string }{
			{"POST /contacts", `{"company":"x"}`, "company", "is not a field of this resource; did you mean company_id?"},
			{"POST /contacts", `{"companyId":"x"}`, "companyId", "did you mean company_id?"},
			{"POST /contacts", `{"e-mail":"x"}`, "e-mail", "did you mean email?"},
			{"POST /contacts", `{"emial":"x"}`, "emial", "did you mean email?"},
			{"POST /contacts", `{"tag":[]}`, "tag", "did you mean tags?"},
			{"POST /contacts", `{"lifecycleStage":"x"}`, "lifecycleStage", "did you mean lifecycle_stage_id?"},
			{
				"POST /contacts", `{"address":{"town":"x","zip_code":"y","postalCode":"z"}}`, "address.postalCode",
				"is not a field of address; did you mean postal_code?",
			},
			{"POST /contacts", `{"address":{"town":"x"}}`, "address.town", "is not a field of address"},
			{"POST /deals", `{"line_items":[{"quantitiy":1}]}`, "line_items[0].quantitiy", "did you mean quantity?"},
			{
				"POST /tasks", `{"title":"x","priority":"hihg"}`, "priority",
				`must be one of low, normal, high, urgent, not "hihg"; did you mean high?`,
			},
			{
				"POST /tokens", `{"name":"x","scopes":["contacts.read"]}`, "scopes[0]",
				`"contacts.read" is none of those that are possible; did you mean contact.read?`,
			},
			{"POST /tokens", `{"name":"x","scopes":["everything"]}`, "scopes[0]", `"everything" is none of those that are possible`},
			{
				"POST /roles", `{"name":"x","permissions":{"contacts":{"read":"all"}}}`, "permissions.contacts",
				"is not a resource; did you mean contact?",
			},
			{"POST /deals/search", `{"filter":[]}`, "filter", "is not a part of a search; did you mean filters?"},
			{"POST /deals/search", `{"orderBy":"name"}`, "orderBy", "did you mean order_by?"},
			{"POST /deals/search", `{"order_by":"creation"}`, "order_by", `"creation" is not a field of deal`},
			{"POST /deals/search", `{"order_by":"createdAt"}`, "order_by", `"createdAt" is not a field of deal; did you mean created_at?`},
			{"POST /deals/search", `{"fields":["nmae"]}`, "fields[0]", "did you mean name?"},
			{
				"POST /deals/search", `{"filters":[{"field":"company","operator":"eq","value":"x"}]}`, "filters[0].field",
				"did you mean company_id?",
			},
			{
				"POST /deals/search", `{"filters":[{"field":"company.nmae","operator":"eq","value":"x"}]}`, "filters[0].field",
				`"nmae" is not a field of company; did you mean name?`,
			},
			{
				"POST /deals/search", `{"filters":[{"field":"name","operator":"start_with","value":"x"}]}`, "filters[0].operator",
				`"start_with" is not an operator; did you mean starts_with?`,
			},
			{
				"POST /deals/search", `{"filters":[{"field":"name","operator":"=","value":"x"}]}`, "filters[0].operator",
				`"=" is not an operator`,
			},
			{
				"POST /deals/search", `{"filters":[{"field":"name","operator":7,"value":"x"}]}`, "filters[0].operator",
				"must be the name of an operator, not a number",
			},
			{
				"POST /deals/search", `{"filters":[{"field":"name","operators":"eq","value":"x"}]}`, "filters[0].operators",
				"did you mean operator?",
			},
			{"PATCH /business", `{"time_zone":"UTC"}`, "time_zone", "did you mean timezone?"},
		} {
			a := w.check(t, step{do: c.do, body: c.body, status: 422})
			if got := message(a, c.field); !strings.HasSuffix(got, c.want) {
				t.Errorf("%s %s: %s %q, want %q", c.do, c.body, c.field, got, c.want)
			}
		}
	})
}

// Every read-only field that some action changes tells which: the actions are run, and what they change is then written in vain.
func TestReadOnlyFieldsNameTheirActions(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		pipelines := w.check(t, step{do: "POST /pipelines/search", status: 200})
		w.vars["meeting"] = fmt.Sprint(at(pipelines.json, "data.0.stages.1.id"))
		quote := `{"title":"Q","contact_id":"$anna","line_items":[{"name":"Oar","quantity":1,"unit_price":"5"}]}`
		bookkeeping := []string{"id", "created_at", "created_by", "updated_at", "updated_by", "version"}
		for _, life := range []struct{ plural, body, actions string }{
			{"deals", `{"name":"Boat"}`, `change_stage:{"stage_id":"$meeting"} win reopen lose:{"lost_reason":"price"}`},
			{"tasks", `{"title":"Call"}`, `complete reopen`},
			{"notes", `{"title":"N"}`, `pin unpin`},
			{"quotes", quote, `send accept`},
			{"quotes", quote, `send decline:{"declined_reason":"price"}`},
			{"quotes", quote, `send revise`},
			{"quotes", quote, `send share unshare`},
			{"apps", `{"name":"A","scopes":["contact.read"],"user_id":"$admin"}`, `rotate_secret`},
			{"webhooks", `{"url":"https://example.com","events":["*"]}`, `rotate_secret test replay:{"from_seq":1,"to_seq":1}`},
		} {
			k := kindOf(t, life.plural)
			before := w.check(t, step{do: "POST /" + life.plural, body: life.body, status: 201, save: "record"})
			for _, action := range strings.Fields(life.actions) {
				name, body, _ := strings.Cut(action, ":")
				a := w.ask(t, step{do: "POST /" + life.plural + "/$record/" + name, body: body})
				if a.status != 200 && a.status != 201 {
					t.Fatalf("%s of %s: %d %s", name, life.plural, a.status, a.text)
				}
				if a.status == 201 {
					continue // another record is the answer
				}
				for _, l := range k.Leaves {
					from, to := fmt.Sprint(at(before.json, l.Path)), fmt.Sprint(at(a.json, l.Path))
					if !l.ReadOnly || from == to || slices.Contains(bookkeeping, l.Path) {
						continue
					}
					refused := w.check(t, step{
						do: "PATCH /" + life.plural + "/$record", body: `{"` + l.Path + `":null}`, status: 422,
						wrong: l.Path + ":read_only",
					})
					if got := message(refused, l.Path); !strings.Contains(got, "/{id}/"+name) {
						t.Errorf("%s of %s changes %s, which says %q", name, life.plural, l.Path, got)
					}
				}
				before = a
			}
		}
		said := w.check(t, step{do: "PATCH /deals/" + w.create(t, "deals", `{"name":"x"}`, ""), body: `{"status":"won"}`, status: 422})
		if got, want := message(said, "status"), "cannot be written; POST …/{id}/win, …/{id}/lose, …/{id}/reopen or …/{id}/change_stage "+
			"changes it"; got != want {
			t.Errorf("status %s, want %s", got, want)
		}
		for _, k := range record.Kinds() { // so that the table above stays whole
			for _, action := range k.Actions {
				if !strings.Contains("change_stage win reopen lose complete pin unpin send accept decline revise share unshare "+
					"rotate_secret test replay merge unmerge", action.Name) {
					t.Errorf("%s of %s is not run", action.Name, k.Plural)
				}
			}
		}
	})
}

func TestMalformedBodiesAreExplained(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, c := range []struct{ body, want string }{
			{"{\"name\":\"x\",\n}", "there is a comma with nothing after it, at line 1, column 12 (byte 11)."},
			{`{"tags":["a",]}`, "there is a comma with nothing after it, at line 1, column 13 (byte 12)."},
			{`{name:"x"}`, "keys stand in double quotes, at line 1, column 2 (byte 1)."},
			{`{'name':'x'}`, "keys and texts stand in double quotes, at line 1, column 2 (byte 1)."},
			{`{"name":"x"} {}`, "The body goes on after its JSON value, which ends at line 1, column 13 (byte 12)."},
		} {
			a := w.check(t, step{do: "POST /contacts", body: c.body, status: 400, code: "malformed_json"})
			if got := fmt.Sprint(at(a.json, "detail")); !strings.HasSuffix(got, c.want) {
				t.Errorf("%s: %s, want %s", c.body, got, c.want)
			}
		}
	})
}
