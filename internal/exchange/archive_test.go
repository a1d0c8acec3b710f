package exchange_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
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
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
		w.Vars["logo"] = ALogo(t, 40, 20)
		w.Run(t, []Step{
			{Rule: "a logo", Do: "PATCH /business", Body: `{"logo":"$logo"}`, Status: 200},
			{Rule: "a field", Do: "POST /fields", Body: `{"resource":"contact","name":"tier","kind":"select",` +
				`"options":[{"value":"gold"}],"required":true}`, Status: 201},
			{Rule: "a company", Do: "POST /companies", Body: `{"name":"Harbour"}`, Status: 201, Save: "company"},
			{Rule: "one below", Do: "POST /companies", Body: `{"name":"Pier","parent_company_id":"$company"}`, Status: 201},
			{
				Rule: "a contact", Do: "POST /contacts", Body: `{"name":"Anna","company_id":"$company","custom_fields":{"tier":"gold"}}`,
				Status: 201, Save: "contact",
			},
			{Rule: "a deal", Do: "POST /deals", Body: `{"name":"Cranes","contact_id":"$contact"}`, Status: 201, Save: "deal"},
			{Rule: "that is won", Do: "POST /deals/$deal/win", Status: 200},
			{
				Rule: "a quote", Do: "POST /quotes", Body: `{"contact_id":"$contact","line_items":[{"name":"Crane","unit_price":"2.00"}]}`,
				Status: 201, Save: "quote",
			},
			{Rule: "that is sent", Do: "POST /quotes/$quote/send", Status: 200},
			{Rule: "and accepted", Do: "POST /quotes/$quote/accept", Status: 200},
			{
				Rule: "who may not change the business brings none", As: "member", Do: "POST /imports", Body: `{"resource":"business"}`,
				Status: 403, Code: "forbidden_by_role",
			},
			{
				Rule: "nothing is to be decided", As: "stranger", Do: "POST /imports", Body: `{"resource":"business","match":"email"}`,
				Status: 422, Wrong: "match:not_allowed",
			},
			{
				Rule: "an archive begins like any import", As: "stranger", Do: "POST /imports", Body: `{"resource":"business"}`,
				Status: 201,
				Save:   "import",
			},
		})
		w.Vars["file"] = string(w.Send(t, Step{Do: "POST /export"}).Text)
		put := func(as string) *Answer {
			return w.Send(t, Step{As: as, Do: "PUT /imports/$import/file", Body: "$file", Send: []string{"Content-Type: application/zip"}})
		}
		if a := put("stranger"); a.Status != http.StatusOK || At(a.JSON, "file.format") != "archive" {
			t.Fatalf("the archive: %d %s", a.Status, a.Text)
		}
		start := func(what string) *Answer {
			if a := w.Send(t, Step{As: "stranger", Do: "POST /imports/$import/" + what}); a.Status >= 300 {
				t.Fatalf("%s: %d %s", what, a.Status, a.Text)
			}
			return w.Settled(t, "stranger", w.Vars["import"])
		}
		if a := start("preview"); fmt.Sprint(At(a.JSON, "preview.refused")) != "0" {
			t.Errorf("a preview refuses: %s", a.Text)
		}
		found := func(resource, body string) any {
			return At(w.Send(t, Step{As: "stranger", Do: "POST /" + resource + "/search", Body: body}).JSON, "meta.total")
		}
		if n := found("contacts", `{}`); fmt.Sprint(n) != "0" {
			t.Errorf("a preview has made %v contacts", n)
		}
		for range 2 { // the second time after it was undone
			if a := start("run"); fmt.Sprint(At(a.JSON, "run.refused")) != "0" || At(a.JSON, "status") != "succeeded" {
				t.Fatalf("the run: %s", a.Text)
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
			if a := w.Send(t, Step{As: "stranger", Do: "POST /imports/$import/undo"}); a.Status >= 300 {
				t.Fatalf("undo: %d %s", a.Status, a.Text)
			}
			w.Settled(t, "stranger", w.Vars["import"])
			if n := found("contacts", `{}`); fmt.Sprint(n) != "0" {
				t.Errorf("after it is undone there are %v contacts", n)
			}
		}
		w.Run(t, []Step{
			{Rule: "the logo came along", As: "stranger", Do: "GET /business/logo", Status: 200, Chance: true},
			{Rule: "the next quote has the next number", As: "stranger", Do: "POST /quotes", Body: `{}`, Status: 201, Want: `{"number":2}`},
			{Rule: "an archive of the business itself", Do: "POST /imports", Body: `{"resource":"business"}`, Status: 201, Save: "import"},
		})
		if put("").Status != http.StatusOK {
			t.Fatal("its own archive can be read")
		}
		w.Run(t, []Step{{Rule: "does not come into it", Do: "POST /imports/$import/run", Status: 409, Code: "conflict"}})
	})
}

// What is no archive, or is made to do harm, is refused within bounds.
func TestHostileArchives(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{{Rule: "an import", Do: "POST /imports", Body: `{"resource":"business"}`, Status: 201, Save: "import"}})
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
			w.Vars["file"] = hostile.file
			a := w.Send(t, Step{Do: "PUT /imports/$import/file", Body: "$file", Send: []string{"Content-Type: application/zip"}})
			if a.Status != hostile.status || !strings.Contains(string(a.Text), hostile.says) {
				t.Errorf("%s: %d %s", name, a.Status, a.Text)
			}
		}
		w.Run(t, []Step{{Rule: "nothing of it is kept", Do: "GET /imports/$import", Status: 200, Want: `{"file":null,"status":"new"}`}})
	})
}

// Records that are no such records are refused one by one, and the import ends: nothing in an archive is taken for granted.
func TestArchivesOfNonsense(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
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
			"reports":          {"aggregate", "resource"},
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
		w.Run(t, []Step{{Rule: "an import", Do: "POST /imports", Body: `{"resource":"business"}`, Status: 201, Save: "import"}})
		w.Vars["file"] = zipped(t, files...)
		if a := w.Send(t, Step{
			Do: "PUT /imports/$import/file", Body: "$file",
			Send: []string{"Content-Type: application/zip"},
		}); a.Status != http.StatusOK {
			t.Fatalf("%d %s", a.Status, a.Text)
		}
		for _, what := range []string{"preview", "run"} {
			if a := w.Send(t, Step{Do: "POST /imports/$import/" + what}); a.Status >= 300 {
				t.Fatalf("%s: %d %s", what, a.Status, a.Text)
			}
			a := w.Settled(t, "", w.Vars["import"])
			if At(a.JSON, what+".status") != "succeeded" || strings.Contains(string(a.Text), "our side") {
				t.Fatalf("%s: %s", what, a.Text)
			}
			t.Logf("%s: %v refused", what, At(a.JSON, what+".refused"))
		}
	})
}
