package record_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/schema"

	. "github.com/kith-crm/kith/internal/apitest"
)

// hits gives the resources and names of what a search across resources found, in order.
func hits(a *Answer) string {
	var out []string
	data, _ := At(a.JSON, "data").([]any)
	for _, h := range data {
		out = append(out, fmt.Sprintf("%v %v", At(h, "resource"), At(h, "record.name")))
	}
	return strings.Join(out, ", ")
}

func TestSearchAcrossResources(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "companies", `{"name":"Lund AB","domain":"lund.example","industry":"Boats"}`, "lund")
		w.Create(t, "contacts", `{"name":"Anna Lund","email":"anna@lund.example","phone":"+46 (70) 12-3","company_id":"$lund"}`, "anna")
		w.Create(t, "contacts", `{"name":"Bert Grund","job_title":"Lundin"}`, "bert")
		w.Create(t, "contacts", `{"name":"Östlund"}`, "ost")
		w.Create(t, "deals", `{"name":"Lund","amount":"12.5"}`, "deal")
		w.Create(t, "tasks", `{"title":"Call Lund-Hansen","due_at":"2031-01-02"}`, "task")
		w.Create(t, "notes", `{"body":"  They met\n at Lund, where it rained and rained for days until nobody could tell any more what `+
			`the matter was.","contact_id":"$anna"}`, "note")
		w.Create(t, "activities", `{"activity_type":"call","body":"lund again"}`, "call")
		w.Create(t, "quotes", `{"terms":"none"}`, "")
		w.Create(t, "products", `{"name":"Oar","sku":"LUND","tags":["lund","vip"]}`, "oar")
		across := func(text, more string) string {
			return fmt.Sprintf(`{"search_text":%q%s}`, text, more)
		}
		for _, c := range []struct{ rule, body, want string }{
			{
				"the whole value comes first, then beginnings of words, then the rest, and the last changed before others",
				across("lund", ""),
				"product Oar, deal Lund, activity lund again, note They met at Lund, where it rained and rained for days until nobody " +
					"could tell…, task Call Lund-Hansen, contact Bert Grund, contact Anna Lund, company Lund AB, contact Östlund",
			},
			{"without regard to case and accents", across(" ÖSTLUND ", ""), "contact Östlund"},
			{"several words rank by the weakest", across("lund call", ""), "task Call Lund-Hansen"},
			{"unless they are a whole value", across("anna  LUND", ""), "contact Anna Lund"},
			{"a phone number is found by its digits", across("4670123", ""), "contact Anna Lund"},
			{"a tag is a value", across("vip", ""), "product Oar"},
			{
				"only where it is asked", across("lund", `,"resources":["company","contact"]`),
				"contact Bert Grund, contact Anna Lund, company Lund AB, contact Östlund",
			},
			{"as many as are asked for", across("lund", `,"limit":2`), "product Oar, deal Lund"},
			{"what is not there is not found", across("nothing like it", ""), ""},
			{"one letter is the beginning of a word", across("ö", `,"resources":["contact","product"]`), "product Oar, contact Östlund"},
		} {
			t.Run(c.rule, func(t *testing.T) {
				a := w.Check(t, Step{Do: "POST /search", Body: c.body, Status: 200})
				if got := hits(a); got != c.want {
					t.Errorf("%s finds\n%s, want\n%s", c.body, got, c.want)
				}
			})
		}
		w.Run(t, []Step{
			{
				Rule: "a hit has its name and what tells most of it", Do: "POST /search", Body: across("anna", ""), Status: 200,
				Want: `{"data":[{"resource":"contact","record":{"id":"$anna","name":"Anna Lund","email":"anna@lund.example","phone":"+46 ` +
					`(70) 12-3","company":{"name":"Lund AB"}}}],"meta":{"has_more":false}}`,
			},
			{
				Rule: "it tells that there is more", Do: "POST /search", Body: across("lund", `,"limit":3`), Status: 200,
				Want: `{"meta":{"has_more":true}}`,
			},
			{
				Rule: "a changed record comes before others that fit alike", Do: "PATCH /contacts/$anna", Body: `{"job_title":"x"}`,
				Status: 200,
			},
			{
				Rule: "now", Do: "POST /search", Body: across("lund", `,"resources":["contact"],"limit":1`), Status: 200,
				Want: `{"data":[{"record":{"id":"$anna"}}]}`,
			},
			{Rule: "a deleted one is not found", Do: "DELETE /contacts/$anna", Status: 204},
			{Rule: "any more", Do: "POST /search", Body: across("anna", ""), Status: 200, Want: `{"data":[]}`},

			{Rule: "words are needed", Do: "POST /search", Body: `{}`, Status: 422, Wrong: "search_text:required"},
			{Rule: "and not just space", Do: "POST /search", Body: `{"search_text":" \n "}`, Status: 422, Wrong: "search_text:required"},
			{
				Rule: "not too many", Do: "POST /search", Body: across(strings.Repeat("x", 501), ""), Status: 422,
				Wrong: "search_text:too_long",
			},
			{
				Rule: "a resource must be one", Do: "POST /search", Body: across("x", `,"resources":["contacts"],"limit":0,"cursor":"x"`),
				Status: 422, Wrong: "resources[0]:not_allowed limit:out_of_range cursor:unknown_field",
			},
			{
				Rule: "it is no dry run", Do: "POST /search?dry_run=true", Body: across("x", ""), Status: 422,
				Wrong: "dry_run:unknown_parameter",
			},
			{Rule: "it needs a token", As: "none", Do: "POST /search", Body: across("x", ""), Status: 401},
			{
				Rule: "named without scope it is forbidden", As: "admin:contact.read", Do: "POST /search",
				Body: across("lund", `,"resources":["contact","deal"]`), Status: 403, Code: "insufficient_scope",
			},
			{
				Rule: "left out it is not looked in, and what may not be read of others is not told", As: "admin:deal.read,contact.read",
				Do: "POST /search", Body: across("lund", ""), Status: 200,
				Want: `{"data":[{"resource":"deal"},{"resource":"contact","record":{"name":"Bert Grund","company":null}},` +
					`{"resource":"contact","record":{"name":"Östlund"}}]}`,
			},
			{
				Rule: "without any scope there is nothing", As: "admin:contact.write", Do: "POST /search", Body: across("lund", ""),
				Status: 200, Want: `{"data":[],"meta":{"has_more":false}}`,
			},
			{
				Rule: "another business has others", As: "stranger", Do: "POST /search", Body: across("lund", ""), Status: 200,
				Want: `{"data":[]}`,
			},

			{
				Rule: "a role reaches its own deals", Do: "POST /roles",
				Body: `{"name":"Own","permissions":{"deal":{"read":"own"},"view":{"read":"all"}}}`, Status: 201, Save: "own",
			},
			{Rule: "once it is given", Do: "PATCH /users/$viewer", Body: `{"role_id":"$own"}`, Status: 200},
			{Rule: "a deal of theirs", Do: "POST /deals", Body: `{"name":"Lund too","owner_id":"$viewer"}`, Status: 201},
			{Rule: "a view of somebody else's", Do: "POST /views", Body: `{"name":"Lund of mine","resource":"deal"}`, Status: 201},
			{Rule: "one that is shared", Do: "POST /views", Body: `{"name":"Lund of all","resource":"deal","shared":true}`, Status: 201},
			{
				Rule: "are found as far as one reaches", As: "viewer", Do: "POST /search", Body: across("lund", ""), Status: 200,
				Want: `{"data":[{"resource":"view","record":{"name":"Lund of all"}},{"resource":"deal","record":{"name":"Lund too"}}]}`,
			},
			{
				Rule: "by a role that allows nothing of it it is forbidden", As: "viewer", Do: "POST /search",
				Body: across("lund", `,"resources":["contact"]`), Status: 403, Code: "forbidden_by_role",
			},
		})
	})
}

// Where more match than are weighed, the one whose name is the text itself is still the best, however long ago it was changed.
func TestSearchAcrossFindsANameAmongMany(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "companies", `{"name":"Harbour"}`, "old")
		for range 3 {
			var operations []string
			for i := range 100 {
				operations = append(operations, fmt.Sprintf(`{"op":"create","data":{"name":"The Harbour %d"}}`, i))
			}
			w.Check(t, Step{
				Do: "POST /companies/batch", Body: `{"operations":[` + strings.Join(operations, ",") + `]}`, Status: 200,
				Chance: true,
			})
		}
		a := w.Check(t, Step{
			Do: "POST /search", Body: `{"search_text":"harbour","resources":["company"],"limit":5}`, Status: 200,
			Chance: true,
		})
		if At(a.JSON, "data.0.record.id") != w.Vars["old"] || At(a.JSON, "meta.has_more") != true {
			t.Errorf("found %s", a.Text)
		}
	})
}

// Every resource tells three things of its records, and a name where there is one.
func TestEveryResourceIsFoundAcross(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		for _, r := range NewRecords {
			k := KindOf(t, r.Plural)
			told, err := k.Told()
			if err != nil || len(k.Summary.Telling) != 3 || len(told.Leaves)+len(told.Through) != 3 || len(k.Names) == 0 {
				t.Errorf("%s tells %v by %v: %v", k.Plural, k.Summary.Telling, k.Summary.NamedBy, err)
			}
			if k.Names[0].Format == schema.RecordID { // what is known by the record that it is about has no words of its own
				continue
			}
			fields := map[string]any{}
			if err := json.Unmarshal([]byte(r.Body), &fields); err != nil {
				t.Fatal(err)
			}
			fields["external_id"], fields[k.Names[0].Path] = "across", "zzfind"
			body, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			id := w.Create(t, r.Plural, string(body), "")
			a := w.Check(t, Step{Do: "POST /search", Body: `{"search_text":"zzfind","resources":["` + k.Name + `"]}`, Status: 200})
			if At(a.JSON, "data.0.record.id") != id || At(a.JSON, "data.0.record.name") != "zzfind" ||
				len(At(a.JSON, "data.0.record").(map[string]any)) != 5 {
				t.Errorf("%s: found %s", r.Plural, a.Text)
			}
		}
	})
}
