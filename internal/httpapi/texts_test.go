package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

// message gives what is said about a field of the input.
func message(a *Answer, field string) string {
	list, _ := At(a.JSON, "errors").([]any)
	for _, e := range list {
		if At(e, "field") == field {
			return fmt.Sprint(At(e, "message"))
		}
	}
	return ""
}

// Whoever writes a name that is not there is told the one that they may have meant.
func TestNamesThatWereMeant(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
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
			a := w.Check(t, Step{Do: c.do, Body: c.body, Status: 422})
			if got := message(a, c.field); !strings.HasSuffix(got, c.want) {
				t.Errorf("%s %s: %s %q, want %q", c.do, c.body, c.field, got, c.want)
			}
		}
	})
}

// Every read-only field that some action changes tells which: the actions are run, and what they change is then written in vain.
func TestReadOnlyFieldsNameTheirActions(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		pipelines := w.Check(t, Step{Do: "POST /pipelines/search", Status: 200})
		w.Vars["meeting"] = fmt.Sprint(At(pipelines.JSON, "data.0.stages.1.id"))
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
			k := KindOf(t, life.plural)
			before := w.Check(t, Step{Do: "POST /" + life.plural, Body: life.body, Status: 201, Save: "record"})
			for _, action := range strings.Fields(life.actions) {
				name, body, _ := strings.Cut(action, ":")
				a := w.Ask(t, Step{Do: "POST /" + life.plural + "/$record/" + name, Body: body})
				if a.Status != 200 && a.Status != 201 {
					t.Fatalf("%s of %s: %d %s", name, life.plural, a.Status, a.Text)
				}
				if a.Status == 201 {
					continue // another record is the answer
				}
				for _, l := range k.Leaves {
					from, to := fmt.Sprint(At(before.JSON, l.Path)), fmt.Sprint(At(a.JSON, l.Path))
					if !l.ReadOnly || from == to || slices.Contains(bookkeeping, l.Path) {
						continue
					}
					refused := w.Check(t, Step{
						Do: "PATCH /" + life.plural + "/$record", Body: `{"` + l.Path + `":null}`, Status: 422,
						Wrong: l.Path + ":read_only",
					})
					if got := message(refused, l.Path); !strings.Contains(got, "/{id}/"+name) {
						t.Errorf("%s of %s changes %s, which says %q", name, life.plural, l.Path, got)
					}
				}
				before = a
			}
		}
		said := w.Check(t, Step{Do: "PATCH /deals/" + w.Create(t, "deals", `{"name":"x"}`, ""), Body: `{"status":"won"}`, Status: 422})
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
	OnBothEngines(t, func(t *testing.T, w *World) {
		for _, c := range []struct{ body, want string }{
			{"{\"name\":\"x\",\n}", "there is a comma with nothing after it, at line 1, column 12 (byte 11)."},
			{`{"tags":["a",]}`, "there is a comma with nothing after it, at line 1, column 13 (byte 12)."},
			{`{name:"x"}`, "keys stand in double quotes, at line 1, column 2 (byte 1)."},
			{`{'name':'x'}`, "keys and texts stand in double quotes, at line 1, column 2 (byte 1)."},
			{`{"name":"x"} {}`, "The body goes on after its JSON value, which ends at line 1, column 13 (byte 12)."},
		} {
			a := w.Check(t, Step{Do: "POST /contacts", Body: c.body, Status: 400, Code: "malformed_json"})
			if got := fmt.Sprint(At(a.JSON, "detail")); !strings.HasSuffix(got, c.want) {
				t.Errorf("%s: %s, want %s", c.body, got, c.want)
			}
		}
	})
}
