package httpapi_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/testworld"
)

// rowsOf reads a CSV file.
func rowsOf(t *testing.T, text []byte) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return rows
}

func TestExport(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{
				rule: "a field is added", do: "POST /fields", body: `{"resource":"contact","name":"badge","label":"Badge","kind":"text"}`,
				status: 201,
			},
			{
				rule: "and one that leads elsewhere", do: "POST /fields",
				body: `{"resource":"contact","name":"mentor_id","label":"Mentor","kind":"reference","target":"contact"}`, status: 201,
			},
			{rule: "a company", do: "POST /companies", body: `{"name":"Kaffee, \"Hafen\" & Co"}`, status: 201, save: "cafe"},
			{
				rule: "a contact with what spreadsheets take for formulas", do: "POST /contacts",
				body: `{"name":"=1+1","email":"anna@example.com","phone":"+49 40 1234","company_id":"$cafe","tags":["vip","a,b"],` +
					`"custom_fields":{"badge":"'=x"},"address":{"city":"Hamburg"}}`, status: 201, save: "anna",
			},
			{
				rule: "and another one", do: "POST /contacts", body: `{"name":"Ben Bose","custom_fields":{"mentor_id":"$anna"}}`,
				status: 201, save: "ben",
			},
			{
				rule: "members may not take records out", as: "member", do: "POST /contacts/export", status: 403, code: "forbidden_by_role",
				want: `{"detail":"The role member lacks the feature permission export, which taking records out needs."}`,
			},
			{rule: "nor who lacks the scope", as: "admin:deal.all", do: "POST /contacts/export", status: 403, code: "insufficient_scope"},
			{
				rule: "all that is wrong is told", do: "POST /contacts/export",
				body: `{"format":"pdf","cursor":"x","limit":0,"fields":["nme"]}`, status: 422,
				wrong: "format:not_allowed cursor:unknown_field limit:out_of_range fields[0]:unknown_field",
			},
			{
				rule: "managers may", as: "manager", do: "POST /contacts/export", body: `{"fields":["name"],"order_by":"name"}`,
				status: 200,
				head:   []string{`Content-Type: text/csv*`, `Content-Disposition: attachment; filename="contacts-*`},
			},
			{
				rule: "which the audit log tells", do: "POST /audit/search",
				body:   `{"filters":[{"field":"action","operator":"eq","value":"data.exported"}],"fields":["user_id","resource","action"]}`,
				status: 200, want: `{"data":[{"user_id":"$manager","resource":"contact"}],"meta":{"total":1}}`,
			},
			{rule: "an archive takes no body", do: "POST /export", body: `{"format":"csv"}`, status: 422, wrong: "format:unknown_field"},
		})
		all := rowsOf(t, w.check(t, step{
			do: "POST /contacts/export", body: `{"order_by":"created_at","sort_direction":"asc"}`,
			status: 200,
		}).text)
		cell := func(row int, column string) string {
			for i, name := range all[0] {
				if name == column {
					return all[row][i]
				}
			}
			t.Fatalf("there is no column %s in %v", column, all[0])
			return ""
		}
		for _, c := range []struct {
			row          int
			column, want string
		}{
			{1, "id", w.vars["anna"]},
			{1, "name", "'=1+1"},
			{1, "phone", "'+49 40 1234"},
			{1, "company_id", w.vars["cafe"]},
			{1, "company.name", `Kaffee, "Hafen" & Co`},
			{1, "owner.name", "admin"},
			{1, "tags", `["vip","a,b"]`},
			{1, "address.city", "Hamburg"},
			{1, "custom_fields.badge", "''=x"},
			{1, "custom_fields.mentor.name", ""},
			{2, "name", "Ben Bose"},
			{2, "custom_fields.mentor_id", w.vars["anna"]},
			{2, "custom_fields.mentor.name", "'=1+1"},
			{2, "do_not_contact", "false"},
			{2, "created_by.name", "admin"},
		} {
			if got := cell(c.row, c.column); got != c.want {
				t.Errorf("%s of row %d is %q, want %q", c.column, c.row, got, c.want)
			}
		}
		if len(all) != 3 {
			t.Errorf("there are %d rows", len(all))
		}
		some := w.check(t, step{do: "POST /contacts/export", body: `{"fields":["email"],"sort_direction":"asc"}`, status: 200})
		if string(some.text) != "email\r\nanna@example.com\r\n\"\"\r\n" {
			t.Errorf("one column is %q", some.text)
		}
		// What may not be read is there as a column without values.
		blind := rowsOf(t, w.check(t, step{
			as: "admin:contact.read", do: "POST /contacts/export",
			body: `{"fields":["company.name","name"],"filters":[{"field":"email","operator":"is_set"}]}`, status: 200,
		}).text)
		if fmt.Sprint(blind) != "[[name company.name] ['=1+1 ]]" {
			t.Errorf("without the scope of companies the file is %q", blind)
		}
		// Lines of JSON are what a search answers.
		body := `"search_text":"ben","fields":["id","name","owner.name","custom_fields"]`
		line := w.check(t, step{
			do: "POST /contacts/export", body: `{"format":"jsonl",` + body + `}`, status: 200,
			head: []string{"Content-Type: application/jsonl"},
		})
		page := w.check(t, step{do: "POST /contacts/search", body: `{` + body + `}`, status: 200})
		if want := strings.TrimPrefix(string(page.text), `{"data":[`); !strings.HasPrefix(want,
			strings.TrimSuffix(string(line.text), "\n")+"]") {
			t.Errorf("a line is %s, and the search answers %s", line.text, page.text)
		}
		if text := w.check(t, step{
			as: "stranger", do: "POST /contacts/export", body: `{"format":"jsonl"}`,
			status: 200,
		}).text; len(text) > 0 {
			t.Errorf("another business has %s", text)
		}
		sheet := w.check(t, step{
			do:   "POST /contacts/export",
			body: `{"format":"xlsx","fields":["name","custom_fields.badge"],"order_by":"created_at","sort_direction":"asc"}`, status: 200,
			chance: true,
		})
		if text := unzipped(t, sheet.text)["xl/worksheets/sheet1.xml"]; !strings.Contains(text,
			`<row r="2"><c r="A2" t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c>`) {
			t.Errorf("the sheet is %s", text)
		}
		archive := unzipped(t, w.check(t, step{
			do: "POST /export", status: 200, chance: true,
			head: []string{"Content-Type: application/zip"},
		}).text)
		for name, part := range map[string]string{
			"contacts.jsonl": `"name":"=1+1"`, "companies.jsonl": "Hafen",
			"fields.jsonl": `"mentor_id"`, "users.jsonl": "manager@harbour", "business.json": "Harbour", "schema.json": `"resources"`,
		} {
			if !strings.Contains(archive[name], part) {
				t.Errorf("%s of the archive is %.300q", name, archive[name])
			}
		}
		w.check(t, step{as: "member", do: "POST /export", status: 403, code: "forbidden_by_role"})
	})
}

// unzipped gives the files of a zip by their names.
func unzipped(t *testing.T, text []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		part, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(part)
	}
	return files
}

// many makes contacts, a hundred at once.
func (w *world) many(t *testing.T, hundreds int) {
	t.Helper()
	for i := range hundreds {
		var ops []string
		for j := range 100 {
			ops = append(ops, fmt.Sprintf(`{"op":"create","data":{"name":"Contact %d","external_id":"c-%d"}}`, (i*100+j)%7, i*100+j))
		}
		w.check(t, step{do: "POST /contacts/batch", body: `{"operations":[` + strings.Join(ops, ",") + `]}`, status: 200, chance: true})
	}
}

// However many steps an export takes, and although records come and go meanwhile, each that is there all the time comes once, in order.
func TestExportsGoOnInSteps(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.many(t, 4)
		seen := map[string]int{}
		writer := &interrupted{ResponseRecorder: httptest.NewRecorder(), at: func(n int) {
			if n == 1 { // behind the first step
				w.check(t, step{do: "POST /contacts", body: `{"name":"Contact 3","external_id":"new"}`, status: 201})
				w.check(t, step{
					do:   "POST /contacts/search",
					body: `{"limit":1,"filters":[{"field":"external_id","operator":"eq","value":"c-0"}]}`, status: 200,
					save: "gone=data.0.id",
				})
				w.check(t, step{do: "DELETE /contacts/$gone", status: 204})
			}
		}}
		w.api.ServeHTTP(writer, testworld.Request(t, "POST", "/v1/contacts/export", w.tokens["admin"],
			`{"format":"csv","fields":["external_id"],"order_by":"created_at","sort_direction":"desc"}`))
		rows := rowsOf(t, writer.Body.Bytes())[1:]
		for _, row := range rows {
			seen[row[0]]++
		}
		for i := 1; i < 400; i++ {
			if id := fmt.Sprintf("c-%d", i); seen[id] != 1 {
				t.Errorf("%s is there %d times", id, seen[id])
			}
		}
		if seen["c-0"] > 0 || seen["new"] > 0 || len(rows) != 399 {
			t.Errorf("%d rows, and of what came and went %v", len(rows), seen)
		}
		if rows[0][0] != "c-399" || rows[398][0] != "c-1" {
			t.Errorf("the first is %s, the last %s", rows[0], rows[398])
		}
		half := rowsOf(t, w.check(t, step{
			do: "POST /contacts/export", body: `{"limit":123,"fields":["id"]}`, status: 200,
			chance: true,
		}).text)
		if len(half) != 124 {
			t.Errorf("of 123 asked for there are %d", len(half)-1)
		}
		packed := w.send(t, step{do: "POST /contacts/export", body: `{"fields":["external_id"]}`, send: []string{"Accept-Encoding: gzip"}})
		if packed.header.Get("Content-Encoding") != "gzip" || packed.text[0] != 0x1f {
			t.Errorf("who accepts gzip gets %v", packed.header)
		}
	})
}

// interrupted has something happen before each write.
type interrupted struct {
	*httptest.ResponseRecorder
	writes int
	at     func(n int)
}

func (w *interrupted) Write(text []byte) (int, error) {
	w.writes++
	w.at(w.writes)
	return w.ResponseRecorder.Write(text)
}

// A file ends when the token does, in a way that nobody takes for the whole.
func TestAnExportEndsWithItsToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databaseURL(t, "sqlite"), httpapi.Options{})
	w.many(t, 3)
	w.check(t, step{do: "POST /tokens", body: `{"name":"Nightly","scopes":["contact.read"]}`, status: 201, save: "nightly secret=token"})
	writer := &interrupted{ResponseRecorder: httptest.NewRecorder(), at: func(n int) {
		if n == 1 {
			w.check(t, step{do: "DELETE /tokens/$nightly", status: 204})
		}
	}}
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler {
				t.Errorf("the export ends with %v", p)
			}
		}()
		w.api.ServeHTTP(writer, testworld.Request(t, "POST", "/v1/contacts/export", w.vars["secret"], `{}`))
	}()
	if rows := bytes.Count(writer.Body.Bytes(), []byte("\n")); rows > 101 {
		t.Errorf("%d rows were sent", rows)
	}
	if !strings.Contains(w.log.String(), "export broke off") {
		t.Error("the log does not tell")
	}
}

// A business has only so many exports at once, and they leave room for others.
func TestExportsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databaseURL(t, "sqlite"), httpapi.Options{})
	var ends []func()
	for range httpapi.MaxExportsByOne {
		end, ok := w.api.BeginExport(w.tenant.ID())
		if !ok {
			t.Fatal("there is no room for an export")
		}
		ends = append(ends, end)
	}
	w.check(t, step{do: "POST /contacts/export", status: 429, code: "too_many_requests", head: []string{"Retry-After: 5"}})
	w.check(t, step{as: "stranger", do: "POST /contacts/export", status: 200})
	ends[0]()
	w.check(t, step{do: "POST /contacts/export", status: 200})
	w.check(t, step{do: "POST /contacts/export", status: 200})
}
