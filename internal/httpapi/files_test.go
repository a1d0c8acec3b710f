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

	. "github.com/kith-crm/kith/internal/apitest"
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
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "a field is added", Do: "POST /fields", Body: `{"resource":"contact","name":"badge","label":"Badge","kind":"text"}`,
				Status: 201,
			},
			{
				Rule: "and one that leads elsewhere", Do: "POST /fields",
				Body: `{"resource":"contact","name":"mentor_id","label":"Mentor","kind":"reference","target":"contact"}`, Status: 201,
			},
			{Rule: "a company", Do: "POST /companies", Body: `{"name":"Kaffee, \"Hafen\" & Co"}`, Status: 201, Save: "cafe"},
			{
				Rule: "a contact with what spreadsheets take for formulas", Do: "POST /contacts",
				Body: `{"name":"=1+1","email":"anna@example.com","phone":"+49 40 1234","company_id":"$cafe","tags":["vip","a,b"],` +
					`"custom_fields":{"badge":"'=x"},"address":{"city":"Hamburg"}}`, Status: 201, Save: "anna",
			},
			{
				Rule: "and another one", Do: "POST /contacts", Body: `{"name":"Ben Bose","custom_fields":{"mentor_id":"$anna"}}`,
				Status: 201, Save: "ben",
			},
			{
				Rule: "members may not take records out", As: "member", Do: "POST /contacts/export", Status: 403, Code: "forbidden_by_role",
				Want: `{"detail":"The role member lacks the feature permission export, which taking records out needs."}`,
			},
			{Rule: "nor who lacks the scope", As: "admin:deal.all", Do: "POST /contacts/export", Status: 403, Code: "insufficient_scope"},
			{
				Rule: "all that is wrong is told", Do: "POST /contacts/export",
				Body: `{"format":"pdf","cursor":"x","limit":0,"fields":["nme"]}`, Status: 422,
				Wrong: "format:not_allowed cursor:unknown_field limit:out_of_range fields[0]:unknown_field",
			},
			{
				Rule: "managers may", As: "manager", Do: "POST /contacts/export", Body: `{"fields":["name"],"order_by":"name"}`,
				Status: 200,
				Head:   []string{`Content-Type: text/csv*`, `Content-Disposition: attachment; filename="contacts-*`},
			},
			{
				Rule: "which the audit log tells", Do: "POST /audit/search",
				Body:   `{"filters":[{"field":"action","operator":"eq","value":"data.exported"}],"fields":["user_id","resource","action"]}`,
				Status: 200, Want: `{"data":[{"user_id":"$manager","resource":"contact"}],"meta":{"total":1}}`,
			},
			{Rule: "an archive takes no body", Do: "POST /export", Body: `{"format":"csv"}`, Status: 422, Wrong: "format:unknown_field"},
		})
		all := rowsOf(t, w.Check(t, Step{
			Do: "POST /contacts/export", Body: `{"order_by":"created_at","sort_direction":"asc"}`,
			Status: 200,
		}).Text)
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
			{1, "id", w.Vars["anna"]},
			{1, "name", "'=1+1"},
			{1, "phone", "'+49 40 1234"},
			{1, "company_id", w.Vars["cafe"]},
			{1, "company.name", `Kaffee, "Hafen" & Co`},
			{1, "owner.name", "admin"},
			{1, "tags", `["vip","a,b"]`},
			{1, "address.city", "Hamburg"},
			{1, "custom_fields.badge", "''=x"},
			{1, "custom_fields.mentor.name", ""},
			{2, "name", "Ben Bose"},
			{2, "custom_fields.mentor_id", w.Vars["anna"]},
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
		some := w.Check(t, Step{Do: "POST /contacts/export", Body: `{"fields":["email"],"sort_direction":"asc"}`, Status: 200})
		if string(some.Text) != "email\r\nanna@example.com\r\n\"\"\r\n" {
			t.Errorf("one column is %q", some.Text)
		}
		// What may not be read is there as a column without values.
		blind := rowsOf(t, w.Check(t, Step{
			As: "admin:contact.read", Do: "POST /contacts/export",
			Body: `{"fields":["company.name","name"],"filters":[{"field":"email","operator":"is_set"}]}`, Status: 200,
		}).Text)
		if fmt.Sprint(blind) != "[[name company.name] ['=1+1 ]]" {
			t.Errorf("without the scope of companies the file is %q", blind)
		}
		// Lines of JSON are what a search answers.
		body := `"search_text":"ben","fields":["id","name","owner.name","custom_fields"]`
		line := w.Check(t, Step{
			Do: "POST /contacts/export", Body: `{"format":"jsonl",` + body + `}`, Status: 200,
			Head: []string{"Content-Type: application/jsonl"},
		})
		page := w.Check(t, Step{Do: "POST /contacts/search", Body: `{` + body + `}`, Status: 200})
		if want := strings.TrimPrefix(string(page.Text), `{"data":[`); !strings.HasPrefix(want,
			strings.TrimSuffix(string(line.Text), "\n")+"]") {
			t.Errorf("a line is %s, and the search answers %s", line.Text, page.Text)
		}
		if text := w.Check(t, Step{
			As: "stranger", Do: "POST /contacts/export", Body: `{"format":"jsonl"}`,
			Status: 200,
		}).Text; len(text) > 0 {
			t.Errorf("another business has %s", text)
		}
		sheet := w.Check(t, Step{
			Do:   "POST /contacts/export",
			Body: `{"format":"xlsx","fields":["name","custom_fields.badge"],"order_by":"created_at","sort_direction":"asc"}`, Status: 200,
			Chance: true,
		})
		if text := unzipped(t, sheet.Text)["xl/worksheets/sheet1.xml"]; !strings.Contains(text,
			`<row r="2"><c r="A2" t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c>`) {
			t.Errorf("the sheet is %s", text)
		}
		archive := unzipped(t, w.Check(t, Step{
			Do: "POST /export", Status: 200, Chance: true,
			Head: []string{"Content-Type: application/zip"},
		}).Text)
		for name, part := range map[string]string{
			"contacts.jsonl": `"name":"=1+1"`, "companies.jsonl": "Hafen",
			"fields.jsonl": `"mentor_id"`, "users.jsonl": "manager@harbour", "business.json": "Harbour", "schema.json": `"resources"`,
		} {
			if !strings.Contains(archive[name], part) {
				t.Errorf("%s of the archive is %.300q", name, archive[name])
			}
		}
		w.Check(t, Step{As: "member", Do: "POST /export", Status: 403, Code: "forbidden_by_role"})
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
func many(w *World, t *testing.T, hundreds int) {
	t.Helper()
	for i := range hundreds {
		var ops []string
		for j := range 100 {
			ops = append(ops, fmt.Sprintf(`{"op":"create","data":{"name":"Contact %d","external_id":"c-%d"}}`, (i*100+j)%7, i*100+j))
		}
		w.Check(t, Step{Do: "POST /contacts/batch", Body: `{"operations":[` + strings.Join(ops, ",") + `]}`, Status: 200, Chance: true})
	}
}

// However many steps an export takes, and although records come and go meanwhile, each that is there all the time comes once, in order.
func TestExportsGoOnInSteps(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		many(w, t, 4)
		seen := map[string]int{}
		writer := &interrupted{ResponseRecorder: httptest.NewRecorder(), at: func(n int) {
			if n == 1 { // behind the first step
				w.Check(t, Step{Do: "POST /contacts", Body: `{"name":"Contact 3","external_id":"new"}`, Status: 201})
				w.Check(t, Step{
					Do:   "POST /contacts/search",
					Body: `{"limit":1,"filters":[{"field":"external_id","operator":"eq","value":"c-0"}]}`, Status: 200,
					Save: "gone=data.0.id",
				})
				w.Check(t, Step{Do: "DELETE /contacts/$gone", Status: 204})
			}
		}}
		w.API.ServeHTTP(writer, testworld.Request(t, "POST", "/v1/contacts/export", w.Tokens["admin"],
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
		half := rowsOf(t, w.Check(t, Step{
			Do: "POST /contacts/export", Body: `{"limit":123,"fields":["id"]}`, Status: 200,
			Chance: true,
		}).Text)
		if len(half) != 124 {
			t.Errorf("of 123 asked for there are %d", len(half)-1)
		}
		packed := w.Send(t, Step{Do: "POST /contacts/export", Body: `{"fields":["external_id"]}`, Send: []string{"Accept-Encoding: gzip"}})
		if packed.Header.Get("Content-Encoding") != "gzip" || packed.Text[0] != 0x1f {
			t.Errorf("who accepts gzip gets %v", packed.Header)
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
	w := NewWorld(t, DatabaseURL(t, "sqlite"), httpapi.Options{})
	many(w, t, 3)
	w.Check(t, Step{Do: "POST /tokens", Body: `{"name":"Nightly","scopes":["contact.read"]}`, Status: 201, Save: "nightly secret=token"})
	writer := &interrupted{ResponseRecorder: httptest.NewRecorder(), at: func(n int) {
		if n == 1 {
			w.Check(t, Step{Do: "DELETE /tokens/$nightly", Status: 204})
		}
	}}
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler {
				t.Errorf("the export ends with %v", p)
			}
		}()
		w.API.ServeHTTP(writer, testworld.Request(t, "POST", "/v1/contacts/export", w.Vars["secret"], `{}`))
	}()
	if rows := bytes.Count(writer.Body.Bytes(), []byte("\n")); rows > 101 {
		t.Errorf("%d rows were sent", rows)
	}
	if !strings.Contains(w.Log.String(), "export broke off") {
		t.Error("the log does not tell")
	}
}

// A business has only so many exports at once, and they leave room for others.
func TestExportsAreBounded(t *testing.T) {
	t.Parallel()
	w := NewWorld(t, DatabaseURL(t, "sqlite"), httpapi.Options{})
	var ends []func()
	for range httpapi.MaxExportsByOne {
		end, ok := w.API.BeginExport(w.Tenant.ID())
		if !ok {
			t.Fatal("there is no room for an export")
		}
		ends = append(ends, end)
	}
	w.Check(t, Step{Do: "POST /contacts/export", Status: 429, Code: "too_many_requests", Head: []string{"Retry-After: 5"}})
	w.Check(t, Step{As: "stranger", Do: "POST /contacts/export", Status: 200})
	ends[0]()
	w.Check(t, Step{Do: "POST /contacts/export", Status: 200})
	w.Check(t, Step{Do: "POST /contacts/export", Status: 200})
}
