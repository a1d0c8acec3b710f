package exchange_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"

	. "github.com/kith-crm/kith/internal/apitest"
)

// wrong are the last values of columns for which a row is refused, which are drawn less often. An empty one is wrong where the
// field is required.
var wrong = map[string]bool{
	"nowhere": true, "many": true, "nobody@harbour.example": true, "large": true, "not one": true, "-1": true, "x": true,
	"unknown@example.com": true, "Nowhere": true, "2030-13-02": true,
	"nope": true, "shout": true, "-3": true, "": true,
}

// importedKind is what files of one resource are made of: what it is matched by, and what may stand in each column. Few values are
// drawn from, so that rows meet records, and each other.
type importedKind struct {
	resource, plural string
	matches          []string
	columns          map[string][]string
}

var importedKinds = []importedKind{
	{"contact", "contacts", []string{"external_id", "external_id", "email", ""}, map[string][]string{
		"name": {"Anna", "Bo Ö", "=Cy", "Dora; Dahl"}, "email": {"", "e%d@example.com", "nowhere"}, "job_title": {"", "Cook", "Captain"},
		"tags": {"", "a", "a,b", "c"}, "company": {"", "Known", "New %d", "new 1", "New 1"},
		"lead_score": {"", "1.5", "70", "many"}, "address.city": {"", "Oslo", "Köln"}, "do_not_contact": {"", "yes", "no"},
		"owner.email": {"", "member@harbour.example", "nobody@harbour.example"},
		"Tier":        {"", "gold", "silver", "own %d"}, "Shoe": {"", "38.5", "44", "large"}, "mark": {"", "red", "red", "red", "blue"},
	}},
	{"company", "companies", []string{"external_id", "external_id", "domain", ""}, map[string][]string{
		"name": {"Known", "Firm %d", "New 1", ""}, "domain": {"", "d%d.example", "not one"}, "employee_count": {"", "5", "-1"},
		"annual_revenue": {"", "10.50", "9"}, "parent_company.name": {"", "Known", "Parent %d"},
	}},
	{"deal", "deals", []string{"external_id", "external_id", ""}, map[string][]string{
		"name": {"Big", "Small %d", ""}, "amount": {"", "7", "1000.25", "x"}, "company": {"", "Known", "Buyer %d"},
		"contact.email": {"", "e1@example.com", "unknown@example.com"}, "stage.name": {"", "Won", "Proposal", "Nowhere"},
		"expected_close_date": {"", "2030-01-02", "2030-13-02"},
		"probability":         {"", "5", "100"},
	}},
	{"task", "tasks", []string{"external_id", "external_id", ""}, map[string][]string{
		"title": {"Call %d", "Write", ""}, "status": {"", "open", "completed", "nope"}, "priority": {"", "high"},
		"due_at": {"", "2030-01-02", "2030-01-02T03:04:05Z"}, "contact.email": {"", "e1@example.com", "e2@example.com"},
		"company": {"", "Known", "Asker %d"},
	}},
	{"activity", "activities", []string{"external_id", "external_id", ""}, map[string][]string{
		"activity_type": {"call", "email", "shout"}, "subject": {"", "Hello %d"},
		"occurred_at":   {"", "2025-01-02", "2026-02-03T04:05:06Z", "2024-05-06"},
		"contact.email": {"", "e1@example.com", "e2@example.com", "e3@example.com"}, "company": {"", "Known", "Caller %d"},
	}},
	{"product", "products", []string{"external_id", "external_id", "sku", ""}, map[string][]string{
		"name": {"Coffee", "Tea %d", ""}, "sku": {"", "S-%d", "s-1"}, "price": {"", "1.25", "-3"}, "status": {"", "archived"},
	}},
	{"note", "notes", []string{"external_id", "external_id", ""}, map[string][]string{
		"body": {"Line\nbreak", "Note %d", ""}, "contact.email": {"", "e1@example.com", "unknown@example.com"}, "company": {"", "Known"},
	}},
}

// table draws a file of so many rows.
func (k importedKind) table(random *rand.Rand, rows int) string {
	head := []string{"external_id"}
	for _, name := range slices.Sorted(maps.Keys(k.columns)) {
		if random.IntN(4) > 0 || name == "name" || name == "title" || name == "body" || name == "activity_type" || name == "domain" ||
			name == "email" || name == "sku" {
			head = append(head, name)
		}
	}
	random.Shuffle(len(head), func(i, j int) { head[i], head[j] = head[j], head[i] })
	var file strings.Builder
	w := csv.NewWriter(&file)
	_ = w.Write(head)
	for range rows {
		row := make([]string, len(head))
		for i, name := range head {
			if name == "external_id" {
				if n := random.IntN(rows); random.IntN(5) > 0 {
					row[i] = fmt.Sprint("x", n)
				}
				continue
			}
			values := k.columns[name]
			if wrong[values[len(values)-1]] && random.IntN(12) > 0 {
				values = values[:len(values)-1]
			}
			row[i] = strings.ReplaceAll(values[random.IntN(len(values))], "%d", fmt.Sprint(random.IntN(rows)))
		}
		_ = w.Write(row)
	}
	w.Flush()
	return file.String()
}

// Whatever a file does, makes, changes, or is refused for, its undo leaves every record as it was and nothing that it made; also by
// a job, where that is much. What it leaves is told: the fields that were made on the way, and that options were.
func TestImportsUndoneLeaveEverythingAsBefore(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
		random := rand.New(rand.NewPCG(14, 2))
		w.Run(t, []Step{
			{Rule: "a company", Do: "POST /companies", Body: `{"name":"Known","domain":"d0.example"}`, Status: 201},
			{
				Rule: "a field with options", Do: "POST /fields",
				Body: `{"resource":"contact","name":"mark","label":"Mark","kind":"select","options":[{"value":"red"}]}`, Status: 201,
			},
		})
		// What is there comes out of files, too.
		for _, k := range importedKinds {
			w.Upload(t, `{"resource":"`+k.resource+`","new_fields":{"old":{"kind":"text"}},"mapping":{"*":"-"}}`, k.table(random, 12))
			if a := w.Send(t, Step{Do: "POST /imports/$import/run"}); a.Status != http.StatusAccepted {
				t.Fatalf("%d %s", a.Status, a.Text)
			}
			w.Settled(t, "", w.Vars["import"])
		}
		did := map[string]int{}
		for round := range 2 * len(importedKinds) {
			k := importedKinds[round%len(importedKinds)]
			rows := 10 + random.IntN(20)
			if round == 0 {
				rows = 600
			}
			decided := map[string]any{
				"resource": k.resource, "mapping": map[string]string{"*": "-"},
				"empty": []string{"keep", "clear"}[random.IntN(2)], "unknown_options": []string{"refuse", "make"}[random.IntN(2)],
			}
			if match := k.matches[random.IntN(len(k.matches))*min(round, 1)]; match != "" {
				decided["match"], decided["policy"] = match, []string{"upsert", "update"}[random.IntN(8)/7]
			}
			if k.resource == "contact" {
				decided["new_fields"] = map[string]any{
					fmt.Sprint("tier", round): map[string]string{"kind": "select", "label": "Tier"},
					fmt.Sprint("shoe", round): map[string]string{"kind": "number", "label": "Shoe"},
				}
			}
			text, err := json.Marshal(decided)
			if err != nil {
				t.Fatal(err)
			}
			before, settings := w.Records(t), settingsOf(w, t)
			file := k.table(random, rows)
			w.Upload(t, string(text), file)
			if a := w.Send(t, Step{Do: "POST /imports/$import/run"}); a.Status != http.StatusAccepted {
				t.Fatalf("%d %s", a.Status, a.Text)
			}
			done := w.Settled(t, "", w.Vars["import"])
			for _, what := range []string{"created", "changed", "unchanged", "refused"} {
				n, _ := At(done.JSON, "run."+what).(json.Number).Int64()
				did[what] += int(n)
			}
			if At(done.JSON, "status") != "succeeded" {
				t.Fatalf("%s", done.Text)
			}
			if reflect.DeepEqual(before, w.Records(t)) {
				continue // all was refused, or so already
			}
			now := settingsOf(w, t)
			if a := w.Send(t, Step{Do: "POST /imports/$import/undo"}); a.Status != map[bool]int{true: 202, false: 200}[rows > 300] {
				t.Fatalf("undo of %d rows: %d %s", rows, a.Status, a.Text)
			}
			a := w.Settled(t, "", w.Vars["import"])
			if left := fmt.Sprint(At(a.JSON, "undo.left")); At(a.JSON, "status") != "undone" ||
				(left == "0") != reflect.DeepEqual(settings, now) {
				t.Fatalf("round %d, %s: %s\nfile:\n%s", round, text, a.Text, file)
			}
			if after := settingsOf(w, t); !reflect.DeepEqual(now, after) {
				t.Errorf("round %d: fields and options were\n%v\nand are\n%v", round, now, after)
			}
			after := w.Records(t)
			for id := range after { // what it made is in the bin
				if _, was := before["/search"+strings.TrimPrefix(id, "/deleted/search")]; !was && before[id] == nil &&
					strings.HasPrefix(id, "/deleted") {
					delete(after, id)
				}
			}
			if !reflect.DeepEqual(before, after) {
				t.Fatalf("round %d, %s: the undo leaves another state: %s\nfile:\n%s", round, text, RecordThatDiffers(before, after), file)
			}
		}
		for _, what := range []string{"created", "changed", "unchanged", "refused"} {
			if did[what] == 0 {
				t.Errorf("no row was %s", what)
			}
		}
		if err := w.Tenant.Check(t.Context(), store.Checking{
			Rules: record.CheckRules(), Looked: func(int64) {},
			Found: func(f store.Fault) { t.Errorf("%+v", f) },
		}); err != nil {
			t.Error(err)
		}
		t.Logf("%v", did)
	})
}

// settings reads the fields of the business with their options.
func settingsOf(w *World, t *testing.T) any {
	t.Helper()
	return At(w.Send(t, Step{Do: "POST /fields/search", Body: `{"limit":100,"order_by":"id","fields":["name","kind","options"]}`}).JSON,
		"data")
}
