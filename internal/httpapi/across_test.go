package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// hits gives the resources and names of what a search across resources found, in order.
func hits(a *answer) string {
	var out []string
	data, _ := at(a.json, "data").([]any)
	for _, h := range data {
		out = append(out, fmt.Sprintf("%v %v", at(h, "resource"), at(h, "record.name")))
	}
	return strings.Join(out, ", ")
}

func TestSearchAcrossResources(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "companies", `{"name":"Lund AB","domain":"lund.example","industry":"Boats"}`, "lund")
		w.create(t, "contacts", `{"name":"Anna Lund","email":"anna@lund.example","phone":"+46 (70) 12-3","company_id":"$lund"}`, "anna")
		w.create(t, "contacts", `{"name":"Bert Grund","job_title":"Lundin"}`, "bert")
		w.create(t, "contacts", `{"name":"Östlund"}`, "ost")
		w.create(t, "deals", `{"name":"Lund","amount":"12.5"}`, "deal")
		w.create(t, "tasks", `{"title":"Call Lund-Hansen","due_at":"2031-01-02"}`, "task")
		w.create(t, "notes", `{"body":"  They met\n at Lund, where it rained and rained for days until nobody could tell any more what `+
			`the matter was.","contact_id":"$anna"}`, "note")
		w.create(t, "activities", `{"activity_type":"call","body":"lund again"}`, "call")
		w.create(t, "quotes", `{"terms":"none"}`, "")
		w.create(t, "products", `{"name":"Oar","sku":"LUND","tags":["lund","vip"]}`, "oar")
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
				a := w.check(t, step{do: "POST /search", body: c.body, status: 200})
				if got := hits(a); got != c.want {
					t.Errorf("%s finds\n%s, want\n%s", c.body, got, c.want)
				}
			})
		}
		w.run(t, []step{
			{
				rule: "a hit has its name and what tells most of it", do: "POST /search", body: across("anna", ""), status: 200,
				want: `{"data":[{"resource":"contact","record":{"id":"$anna","name":"Anna Lund","email":"anna@lund.example","phone":"+46 ` +
					`(70) 12-3","company":{"name":"Lund AB"}}}],"meta":{"has_more":false}}`,
			},
			{
				rule: "it tells that there is more", do: "POST /search", body: across("lund", `,"limit":3`), status: 200,
				want: `{"meta":{"has_more":true}}`,
			},
			{
				rule: "a changed record comes before others that fit alike", do: "PATCH /contacts/$anna", body: `{"job_title":"x"}`,
				status: 200,
			},
			{
				rule: "now", do: "POST /search", body: across("lund", `,"resources":["contact"],"limit":1`), status: 200,
				want: `{"data":[{"record":{"id":"$anna"}}]}`,
			},
			{rule: "a deleted one is not found", do: "DELETE /contacts/$anna", status: 204},
			{rule: "any more", do: "POST /search", body: across("anna", ""), status: 200, want: `{"data":[]}`},

			{rule: "words are needed", do: "POST /search", body: `{}`, status: 422, wrong: "search_text:required"},
			{rule: "and not just space", do: "POST /search", body: `{"search_text":" \n "}`, status: 422, wrong: "search_text:required"},
			{
				rule: "not too many", do: "POST /search", body: across(strings.Repeat("x", 501), ""), status: 422,
				wrong: "search_text:too_long",
			},
			{
				rule: "a resource must be one", do: "POST /search", body: across("x", `,"resources":["contacts"],"limit":0,"cursor":"x"`),
				status: 422, wrong: "resources[0]:not_allowed limit:out_of_range cursor:unknown_field",
			},
			{
				rule: "it is no dry run", do: "POST /search?dry_run=true", body: across("x", ""), status: 422,
				wrong: "dry_run:unknown_parameter",
			},
			{rule: "it needs a token", as: "none", do: "POST /search", body: across("x", ""), status: 401},
			{
				rule: "named without scope it is forbidden", as: "admin:contact.read", do: "POST /search",
				body: across("lund", `,"resources":["contact","deal"]`), status: 403, code: "insufficient_scope",
			},
			{
				rule: "left out it is not looked in, and what may not be read of others is not told", as: "admin:deal.read,contact.read",
				do: "POST /search", body: across("lund", ""), status: 200,
				want: `{"data":[{"resource":"deal"},{"resource":"contact","record":{"name":"Bert Grund","company":null}},` +
					`{"resource":"contact","record":{"name":"Östlund"}}]}`,
			},
			{
				rule: "without any scope there is nothing", as: "admin:contact.write", do: "POST /search", body: across("lund", ""),
				status: 200, want: `{"data":[],"meta":{"has_more":false}}`,
			},
			{
				rule: "another business has others", as: "stranger", do: "POST /search", body: across("lund", ""), status: 200,
				want: `{"data":[]}`,
			},

			{
				rule: "a role reaches its own deals", do: "POST /roles",
				body: `{"name":"Own","permissions":{"deal":{"read":"own"},"view":{"read":"all"}}}`, status: 201, save: "own",
			},
			{rule: "once it is given", do: "PATCH /users/$viewer", body: `{"role_id":"$own"}`, status: 200},
			{rule: "a deal of theirs", do: "POST /deals", body: `{"name":"Lund too","owner_id":"$viewer"}`, status: 201},
			{rule: "a view of somebody else's", do: "POST /views", body: `{"name":"Lund of mine","resource":"deal"}`, status: 201},
			{rule: "one that is shared", do: "POST /views", body: `{"name":"Lund of all","resource":"deal","shared":true}`, status: 201},
			{
				rule: "are found as far as one reaches", as: "viewer", do: "POST /search", body: across("lund", ""), status: 200,
				want: `{"data":[{"resource":"view","record":{"name":"Lund of all"}},{"resource":"deal","record":{"name":"Lund too"}}]}`,
			},
			{
				rule: "by a role that allows nothing of it it is forbidden", as: "viewer", do: "POST /search",
				body: across("lund", `,"resources":["contact"]`), status: 403, code: "forbidden_by_role",
			},
		})
	})
}

// Where more match than are weighed, the one whose name is the text itself is still the best, however long ago it was changed.
func TestSearchAcrossFindsANameAmongMany(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "companies", `{"name":"Harbour"}`, "old")
		for range 3 {
			var operations []string
			for i := range 100 {
				operations = append(operations, fmt.Sprintf(`{"op":"create","data":{"name":"The Harbour %d"}}`, i))
			}
			w.check(t, step{
				do: "POST /companies/batch", body: `{"operations":[` + strings.Join(operations, ",") + `]}`, status: 200,
				chance: true,
			})
		}
		a := w.check(t, step{
			do: "POST /search", body: `{"search_text":"harbour","resources":["company"],"limit":5}`, status: 200,
			chance: true,
		})
		if at(a.json, "data.0.record.id") != w.vars["old"] || at(a.json, "meta.has_more") != true {
			t.Errorf("found %s", a.text)
		}
	})
}

// Every resource tells three things of its records, and a name where there is one.
func TestEveryResourceIsFoundAcross(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, r := range newRecords {
			k := kindOf(t, r.plural)
			told, err := k.Told()
			if err != nil || len(k.Summary.Telling) != 3 || len(told.Leaves)+len(told.Through) != 3 || len(k.Names) == 0 {
				t.Errorf("%s tells %v by %v: %v", k.Plural, k.Summary.Telling, k.Summary.NamedBy, err)
			}
			fields := map[string]any{}
			if err := json.Unmarshal([]byte(r.body), &fields); err != nil {
				t.Fatal(err)
			}
			fields["external_id"], fields[k.Names[0].Path] = "across", "zzfind"
			body, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			id := w.create(t, r.plural, string(body), "")
			a := w.check(t, step{do: "POST /search", body: `{"search_text":"zzfind","resources":["` + k.Name + `"]}`, status: 200})
			if at(a.json, "data.0.record.id") != id || at(a.json, "data.0.record.name") != "zzfind" ||
				len(at(a.json, "data.0.record").(map[string]any)) != 5 {
				t.Errorf("%s: found %s", r.plural, a.text)
			}
		}
	})
}
