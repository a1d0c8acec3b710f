package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// importer imports files into a business.
type importer struct {
	db, business, dir string
}

// file writes a file.
func (im importer) file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(im.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (im importer) args(path string, more ...string) []string {
	return append([]string{"import", path, "--db", im.db, "--business", im.business, "--user", "anna@acme.example"}, more...)
}

// run imports a file, and gives the exit code and what became of the rows: made, changed, unchanged, refused.
func (im importer) run(t *testing.T, path string, more ...string) (code int, counts string, examples []string) {
	t.Helper()
	code, out, errs := kith(t, im.args(path, append(more, "--json")...)...)
	var told struct {
		Created, Changed, Unchanged, Refused int
		Examples                             []string
	}
	if err := json.Unmarshal([]byte(out), &told); err != nil {
		t.Fatalf("kith import %s %v ends with %d: %s%s", path, more, code, out, errs)
	}
	return code, fmt.Sprint(told.Created, told.Changed, told.Unchanged, told.Refused), told.Examples
}

// taken exports a resource to a file.
func (im importer) taken(t *testing.T, resource, name string) (path, text string) {
	t.Helper()
	path = filepath.Join(im.dir, name)
	must(t, "export", path, "--db", im.db, "--business", im.business, "--resource", resource, "--search", `{"sort_direction":"asc"}`)
	read, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, string(read)
}

// A file as spreadsheets of half of Europe write it becomes records: columns are known by other names, companies are found or made,
// what is refused can be corrected and sent again, and nothing is done twice.
func TestImportsByCommand(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db string) {
		business, _ := filled(t, db)
		im := importer{db, business, t.TempDir()}
		table := "\ufeffVorname;Nachname;E-Mail;Telefon;Firma;Ort;Lead score;Badge;Last contacted;Kommentar\r\n" +
			"Jürgen;Groß;juergen@example.com;+49 40 1;Nordic Beans;Köln;1.234,5;B-10;16.11.2026 14:30;x\r\n" +
			"Ada;Angström;ada@nordic.example;;;Lund;7;;;\r\n" +
			"Zoë;Ny;zoe@example.com;;Neue Rösterei;Kiel;viel;;;\r\n" +
			"'=cmd;Böse;boese@example.com;;neue rösterei;Kiel;;;;\r\n" +
			"Ohne;Adresse;keine Adresse;;Neue Rösterei;;;;;\r\n"
		path := im.file(t, "leute.csv", table)
		of := []string{"--resource", "contact", "--match", "email"}
		if code, _, errs := kith(t, im.args(path, of...)...); code != 1 ||
			!strings.Contains(errs, "the column Kommentar is no field of contact") || !strings.Contains(errs, "--map 'Kommentar=-'") {
			t.Fatalf("a column that is no field: %d %s", code, errs)
		}
		of = append(of, "--map", "Kommentar=-")
		if code, counts, _ := im.run(t, path, append(of, "--preview")...); code != 1 || counts != "2 1 0 2" {
			t.Errorf("a preview tells %d %s", code, counts)
		}
		if _, before := im.taken(t, "company", "before.csv"); strings.Contains(before, "Rösterei") {
			t.Error("a preview has written something")
		}
		refused := filepath.Join(im.dir, "refused.csv")
		code, counts, why := im.run(t, path, append(of, "--refused", refused)...)
		if code != 1 || counts != "2 1 0 2" || len(why) != 2 || !strings.Contains(why[0], "row 3: Lead score must be a number") ||
			!strings.Contains(why[1], "row 5: E-Mail") {
			t.Errorf("the import tells %d %s %q", code, counts, why)
		}
		if _, out, _ := kith(t, im.args(path, of...)...); !strings.Contains(out, "5 rows: 2 made, 1 changed") ||
			!strings.Contains(out, "All of it was done before, within a day, and was not done again.") {
			t.Errorf("once more it tells %s", out)
		}
		if _, counts, _ := im.run(t, path, append(of, "--again")...); counts != "0 0 3 2" {
			t.Errorf("again it tells %s", counts)
		}
		_, people := im.taken(t, "contact", "people.csv")
		for _, part := range []string{"1234.5", "Nordic Beans", "2026-11-16T14:30:00.000000Z", "'=cmd", "B-10", "neue rösterei"} {
			if !strings.Contains(people, part) {
				t.Errorf("the contacts lack %s: %s", part, people)
			}
		}
		if n := strings.Count(people, "\r\n"); n != 5 {
			t.Errorf("there are %d contacts: %s", n-1, people)
		}
		if _, companies := im.taken(t, "company", "companies.csv"); strings.Count(companies, "neue rösterei") != 1 {
			t.Errorf("the companies are %s", companies)
		}
		text, err := os.ReadFile(refused)
		if err != nil {
			t.Fatal(err)
		}
		mended := strings.NewReplacer("viel", "5", "keine Adresse", "ohne@example.com").Replace(string(text))
		if code, counts, why := im.run(t, im.file(t, "mended.csv", mended), of...); code != 0 || counts != "2 0 0 0" {
			t.Errorf("the rows that were mended: %d %s %q", code, counts, why)
		}
		if _, companies := im.taken(t, "company", "found.csv"); strings.Count(companies, "\r\n") != 3 {
			t.Errorf("a company that is written in another way was made again: %s", companies)
		}
		for _, args := range [][]string{
			{path},
			{path, "--resource", "user"},
			{path, "--resource", "contact", "--policy", "replace"},
			{path, "--resource", "contact", "--map", "x"},
		} {
			if code, _, _ := kith(t, im.args(args[0], args[1:]...)...); code != 2 {
				t.Errorf("kith import %v ends with %d", args, code)
			}
		}
		for _, bad := range [][]string{{"--policy", "update"}, {"--match", "name"}, {"--map", "Nichts=-"}} {
			if code, _, errs := kith(t, im.args(path, append([]string{"--resource", "contact"}, bad...)...)...); code != 1 || errs == "" {
				t.Errorf("with %v it ends with %d %s", bad, code, errs)
			}
		}
		if code, faults := checked(t, db); code != 0 {
			t.Errorf("a check finds %v", faults)
		}
	})
}

// Fields and options that the business lacks are made on the way, where that is said; a preview makes none.
func TestImportsMakeFieldsByCommand(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db string) {
		business, _ := filled(t, db)
		im := importer{db, business, t.TempDir()}
		path := im.file(t, "more.csv", "name,Hut size,Grade\nA,\"57,5\",gold\nB,,\nC,58,Very fine\nD,x,gold\n")
		of := []string{
			"--resource", "contact", "--map", "Hut size=custom_fields.hat", "--new-fields", "hat:number:Hat size,grade:select",
			"--decimals", "comma",
		}
		for range 2 {
			if code, counts, why := im.run(t, path, append(of, "--preview")...); code != 1 || counts != "3 0 0 1" ||
				!strings.Contains(why[0], "row 4: Hut size must be a number") {
				t.Fatalf("a preview tells %d %s %q", code, counts, why)
			}
		}
		if _, counts, why := im.run(t, path, of...); counts != "3 0 0 1" {
			t.Errorf("the import tells %s %q", counts, why)
		}
		if _, people := im.taken(t, "contact", "people.csv"); !strings.Contains(people, "57.5") || !strings.Contains(people, "Very fine") {
			t.Errorf("the contacts are %s", people)
		}
		further := im.file(t, "further.csv", "name,Grade\nE,silver\n")
		if _, counts, _ := im.run(t, further, "--resource", "contact"); counts != "0 0 0 1" {
			t.Errorf("an option that there is not: %s", counts)
		}
		if _, counts, why := im.run(t, further, "--resource", "contact", "--new-options"); counts != "1 0 0 0" {
			t.Errorf("an option that is made: %s %q", counts, why)
		}
		if code, _, _ := kith(t, im.args(path, "--resource", "contact", "--new-fields", "hat:size")...); code != 2 {
			t.Errorf("a kind that there is not ends with %d", code)
		}
	})
}

// What was taken out and is brought in again changes nothing, and comes into another business with nothing lost that can be written.
func TestAnExportThatIsImportedChangesNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db string) {
		business, token := filled(t, db)
		r := start(t, "--db", db)
		for _, made := range []struct{ path, body string }{
			{"/contacts", `{"name":"=1+1","phone":"+49 1","tags":["a,b","'x"],"lead_score":0.125,"address":{"city":"\"Kiel\"; Nord"},` +
				`"do_not_contact":true}`},
			{"/contacts", `{"name":"''=2","email":"o'hara@example.com","tags":["-","plain"],"custom_fields":{"badge":"'=b"}}`},
			{"/tasks", `{"title":"- call","due_at":"2026-11-16T10:00:00.123456Z","priority":"high"}`},
			{"/notes", `{"body":"=one\n\"two\";\tthree, four"}`},
			{"/products", `{"name":"Beans","sku":"+1","price":"1.234","currency":"EUR"}`},
			{"/activities", `{"activity_type":"call","subject":"@home","occurred_at":"2026-01-02T03:04:05Z"}`},
		} {
			if status, answer := r.post(t, token, made.path, made.body); status != http.StatusCreated {
				t.Fatalf("%s is answered %d %s", made.path, status, answer)
			}
		}
		r.stop()
		r.ended(t)
		im := importer{db, business, t.TempDir()}
		for _, resource := range []string{"contact", "company", "deal", "product", "task", "note", "activity"} {
			for _, format := range []string{"csv", "jsonl"} {
				if resource == "deal" && format == "jsonl" {
					continue // whose lines have amounts that only kith writes
				}
				path, before := im.taken(t, resource, resource+"."+format)
				code, counts, why := im.run(t, path, "--resource", resource)
				if code != 0 || !strings.HasPrefix(counts, "0 0 ") || !strings.HasSuffix(counts, " 0") {
					t.Errorf("%s as %s: %d %s %q", resource, format, code, counts, why)
				}
				if _, after := im.taken(t, resource, "again-"+resource+"."+format); after != before {
					t.Errorf("%s as %s are\n%s, and were\n%s", resource, format, after, before)
				}
			}
		}
		other, _ := newBusiness(t, db)
		there := importer{db, other, im.dir}
		if code, counts, why := there.run(t, filepath.Join(im.dir, "company.csv"), "--resource", "company", "--policy", "create", "--map",
			"owner_id=-,lifecycle_stage_id=-"); code != 0 {
			t.Errorf("companies in another business: %d %s %q", code, counts, why)
		}
	})
}

// However an import ends, the same command goes on where it stopped, and each row becomes one record.
func TestAnImportThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db string) {
		business, token := newBusiness(t, db)
		im := importer{db, business, t.TempDir()}
		var table strings.Builder
		table.WriteString("name,tags\n")
		const rows = 1000
		for i := range rows {
			fmt.Fprintf(&table, "Row %d,r%d\n", i, i%7)
		}
		path := im.file(t, "many.csv", table.String())
		r := start(t, "--db", db)
		program, said := process(t, im.args(path, "--resource", "contact")...)
		killOnce(t, program, said, func() bool {
			_, answer := r.post(t, token, "/contacts/search", `{"limit":1,"fields":["id"]}`)
			return !strings.Contains(answer, `"total":0`)
		})
		if code, counts, why := im.run(t, path, "--resource", "contact"); code != 0 || counts != fmt.Sprintf("%d 0 0 0", rows) {
			t.Errorf("the second time: %d %s %q", code, counts, why)
		}
		if _, answer := r.post(t, token, "/contacts/search", `{"limit":1,"fields":["id"]}`); !strings.Contains(answer,
			fmt.Sprintf(`"total":%d`, rows)) {
			t.Errorf("there are %s", answer)
		}
		r.stop()
		r.ended(t)
	})
}
