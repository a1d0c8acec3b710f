package httpapi_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

// zipped packs files, each given as a name and a text.
func zipped(t *testing.T, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i+1 < len(files); i += 2 {
		to, err := z.Create(files[i])
		if err == nil {
			_, err = to.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The archive of a business comes into another one by the API: tried, run, taken back and run again.
func TestAnArchiveComesIntoAnotherBusiness(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.workers(t)
		w.vars["logo"] = aLogo(t, 40, 20)
		w.run(t, []step{
			{rule: "a logo", do: "PATCH /business", body: `{"logo":"$logo"}`, status: 200},
			{rule: "a field", do: "POST /fields", body: `{"resource":"contact","name":"tier","kind":"select",` +
				`"options":[{"value":"gold"}],"required":true}`, status: 201},
			{rule: "a company", do: "POST /companies", body: `{"name":"Harbour"}`, status: 201, save: "company"},
			{rule: "one below", do: "POST /companies", body: `{"name":"Pier","parent_company_id":"$company"}`, status: 201},
			{
				rule: "a contact", do: "POST /contacts", body: `{"name":"Anna","company_id":"$company","custom_fields":{"tier":"gold"}}`,
				status: 201, save: "contact",
			},
			{rule: "a deal", do: "POST /deals", body: `{"name":"Cranes","contact_id":"$contact"}`, status: 201, save: "deal"},
			{rule: "that is won", do: "POST /deals/$deal/win", status: 200},
			{
				rule: "a quote", do: "POST /quotes", body: `{"contact_id":"$contact","line_items":[{"name":"Crane","unit_price":"2.00"}]}`,
				status: 201, save: "quote",
			},
			{rule: "that is sent", do: "POST /quotes/$quote/send", status: 200},
			{rule: "and accepted", do: "POST /quotes/$quote/accept", status: 200},
			{
				rule: "who may not change the business brings none", as: "member", do: "POST /imports", body: `{"resource":"business"}`,
				status: 403, code: "forbidden_by_role",
			},
			{
				rule: "nothing is to be decided", as: "stranger", do: "POST /imports", body: `{"resource":"business","match":"email"}`,
				status: 422, wrong: "match:not_allowed",
			},
			{
				rule: "an archive begins like any import", as: "stranger", do: "POST /imports", body: `{"resource":"business"}`,
				status: 201,
				save:   "import",
			},
		})
		w.vars["file"] = string(w.send(t, step{do: "POST /export"}).text)
		put := func(as string) *answer {
			return w.send(t, step{as: as, do: "PUT /imports/$import/file", body: "$file", send: []string{"Content-Type: application/zip"}})
		}
		if a := put("stranger"); a.status != http.StatusOK || at(a.json, "file.format") != "archive" {
			t.Fatalf("the archive: %d %s", a.status, a.text)
		}
		start := func(what string) *answer {
			if a := w.send(t, step{as: "stranger", do: "POST /imports/$import/" + what}); a.status >= 300 {
				t.Fatalf("%s: %d %s", what, a.status, a.text)
			}
			return w.settled(t, "stranger", w.vars["import"])
		}
		if a := start("preview"); fmt.Sprint(at(a.json, "preview.refused")) != "0" {
			t.Errorf("a preview refuses: %s", a.text)
		}
		found := func(resource, body string) any {
			return at(w.send(t, step{as: "stranger", do: "POST /" + resource + "/search", body: body}).json, "meta.total")
		}
		if n := found("contacts", `{}`); fmt.Sprint(n) != "0" {
			t.Errorf("a preview has made %v contacts", n)
		}
		for range 2 { // the second time after it was undone
			if a := start("run"); fmt.Sprint(at(a.json, "run.refused")) != "0" || at(a.json, "status") != "succeeded" {
				t.Fatalf("the run: %s", a.text)
			}
			for _, q := range [][2]string{
				{"contacts", `{"filters":[{"field":"company.name","operator":"eq","value":"Harbour"},{"field":"custom_fields.tier",` +
					`"operator":"eq","value":"gold"}]}`},
				{"companies", `{"filters":[{"field":"parent_company.name","operator":"eq","value":"Harbour"}]}`},
				{"deals", `{"filters":[{"field":"status","operator":"eq","value":"won"},{"field":"contact.name","operator":"eq",` +
					`"value":"Anna"}]}`},
				{"quotes", `{"filters":[{"field":"status","operator":"eq","value":"accepted"},{"field":"number","operator":"eq",` +
					`"value":1},{"field":"total","operator":"eq","value":"2.00"}]}`},
			} {
				if n := found(q[0], q[1]); fmt.Sprint(n) != "1" {
					t.Errorf("%s: %v match %s", q[0], n, q[1])
				}
			}
			if a := w.send(t, step{as: "stranger", do: "POST /imports/$import/undo"}); a.status >= 300 {
				t.Fatalf("undo: %d %s", a.status, a.text)
			}
			w.settled(t, "stranger", w.vars["import"])
			if n := found("contacts", `{}`); fmt.Sprint(n) != "0" {
				t.Errorf("after it is undone there are %v contacts", n)
			}
		}
		w.run(t, []step{
			{rule: "the logo came along", as: "stranger", do: "GET /business/logo", status: 200, chance: true},
			{rule: "the next quote has the next number", as: "stranger", do: "POST /quotes", body: `{}`, status: 201, want: `{"number":2}`},
			{rule: "an archive of the business itself", do: "POST /imports", body: `{"resource":"business"}`, status: 201, save: "import"},
		})
		if put("").status != http.StatusOK {
			t.Fatal("its own archive can be read")
		}
		w.run(t, []step{{rule: "does not come into it", do: "POST /imports/$import/run", status: 409, code: "conflict"}})
	})
}

// What is no archive, or is made to do harm, is refused within bounds.
func TestHostileArchives(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.run(t, []step{{rule: "an import", do: "POST /imports", body: `{"resource":"business"}`, status: 201, save: "import"}})
		business := `{"id":"business_01kh4xv1qcf0mvq8gk8d8mvxd9","name":"X","currency":"EUR"}`
		chaff := make([]byte, 1<<20)
		for i := range chaff {
			chaff[i] = "0123456789abcdef"[rand.IntN(16)]
		}
		line := `{"name":"` + strings.Repeat("a", 1000) + `"}` + "\n"
		for name, hostile := range map[string]struct {
			file   string
			status int
			says   string
		}{
			"no archive":          {"name,email\nx,y\n", 422, "damaged"},
			"half of one":         {zipped(t, "business.json", business)[:60], 422, "damaged"},
			"without a business":  {zipped(t, "contacts.jsonl", `{"name":"x"}`), 422, "business.json"},
			"a name that escapes": {zipped(t, "business.json", business, "../../contacts.jsonl", "{}"), 422, "in no archive"},
			"a file twice":        {zipped(t, "business.json", business, "contacts.jsonl", "{}", "contacts.jsonl", "{}"), 422, "twice"},
			"empty lines":         {zipped(t, "business.json", business, "contacts.jsonl", strings.Repeat("\n", 1<<20)), 422, "empty line"},
			"a line without end": {zipped(t, "business.json", business, "contacts.jsonl", strings.Repeat("x", 5<<20), "schema.json",
				string(chaff)), 422, "a line"},
			"a bomb":    {zipped(t, "business.json", business, "contacts.jsonl", strings.Repeat(line, 20_000)), 413, "unpacked"},
			"no record": {zipped(t, "business.json", business, "pipelines.jsonl", "[]"), 422, "no record"},
		} {
			w.vars["file"] = hostile.file
			a := w.send(t, step{do: "PUT /imports/$import/file", body: "$file", send: []string{"Content-Type: application/zip"}})
			if a.status != hostile.status || !strings.Contains(string(a.text), hostile.says) {
				t.Errorf("%s: %d %s", name, a.status, a.text)
			}
		}
		w.run(t, []step{{rule: "nothing of it is kept", do: "GET /imports/$import", status: 200, want: `{"file":null,"status":"new"}`}})
	})
}

// Records that are no such records are refused one by one, and the import ends: nothing in an archive is taken for granted.
func TestArchivesOfNonsense(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.workers(t)
		const id = "_01kh4xv1qcf0mvq8gk8d8mvxd9"
		// What each field may be that it must not be, in records that have an id, no id, another's, and one twice.
		odd := []string{`null`, `7`, `"x"`, `[]`, `[7]`, `[{}]`, `[[]]`, `{}`, `{"a":{"b":[]}}`, `"company` + id + `"`, `"-1"`}
		files := []string{"business.json", `{"id":"business` + id + `","name":7,"currency":[],"address":"x"}`}
		for plural, fields := range map[string][]string{
			"pipelines":        {"name", "stages", "is_default"},
			"lifecycle_stages": {"name", "position", "is_default"},
			"fields":           {"resource", "name", "kind", "options", "target", "required"},
			"companies":        {"name", "parent_company_id", "custom_fields", "owner_id", "address", "tags"},
			"contacts":         {"name", "company_id", "custom_fields", "tags", "email"},
			"deals":            {"name", "stage_id", "pipeline_id", "line_items", "amount", "closed_at"},
			"quotes":           {"number", "status", "line_items", "sent_at"},
			"tasks":            {"completed_at", "completed_by"},
			"notes":            {"pinned_at", "body"},
			"associations":     {"from_id", "to_id", "label"},
			"views":            {"search", "resource"},
			"users":            {"id", "email"},
		} {
			kind := map[string]string{
				"pipelines": "pipeline", "lifecycle_stages": "lifecycle_stage", "companies": "company",
				"deals": "deal",
			}[plural]
			if kind == "" {
				kind = strings.TrimSuffix(plural, "s")
			}
			var lines []string
			for _, f := range fields {
				for i, v := range odd {
					given := []string{`"id":"` + kind + id + `",`, ``, `"id":"role` + id + `",`, `"id":[],`}[i%4]
					lines = append(lines, `{`+given+`"name":"`+fmt.Sprint("n", i)+`","`+f+`":`+v+`}`)
				}
			}
			if plural == "pipelines" { // the second one has more stages than the guide knows
				lines = append([]string{
					`{"id":"pipeline` + id + `","name":"P","stages":[{"name":"A","kind":"open"}]}`,
					`{"id":"pipeline` + id + `","name":"P","stages":[{"name":"A","kind":"open"},{"name":"B","kind":"open"},{"name":"C",` +
						`"kind":"won"}]}`,
				}, lines...)
			}
			files = append(files, plural+".jsonl", strings.Join(lines, "\n")+"\n")
		}
		w.run(t, []step{{rule: "an import", do: "POST /imports", body: `{"resource":"business"}`, status: 201, save: "import"}})
		w.vars["file"] = zipped(t, files...)
		if a := w.send(t, step{
			do: "PUT /imports/$import/file", body: "$file",
			send: []string{"Content-Type: application/zip"},
		}); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.text)
		}
		for _, what := range []string{"preview", "run"} {
			if a := w.send(t, step{do: "POST /imports/$import/" + what}); a.status >= 300 {
				t.Fatalf("%s: %d %s", what, a.status, a.text)
			}
			a := w.settled(t, "", w.vars["import"])
			if at(a.json, what+".status") != "succeeded" || strings.Contains(string(a.text), "our side") {
				t.Fatalf("%s: %s", what, a.text)
			}
			t.Logf("%s: %v refused", what, at(a.json, what+".refused"))
		}
	})
}
