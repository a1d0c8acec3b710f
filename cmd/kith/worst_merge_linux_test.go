package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/merge"
)

// make makes a record and gives its id.
func (v *victim) make(t *testing.T, token, path, text string) string {
	t.Helper()
	var made struct{ ID string }
	status, _, answer, err := v.ask(t.Context(), token, "POST "+path, text)
	if err != nil || status != http.StatusCreated {
		t.Fatalf("%s: status %d, %v: %s", path, status, err, answer)
	}
	answer, _, _ = strings.Cut(answer, ",")
	if err := json.Unmarshal([]byte(answer+"}"), &made); err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// many makes many records in batches.
func (v *victim) many(t *testing.T, token, path string, n int, text func(i int) string) {
	t.Helper()
	for from := 0; from < n; from += 100 {
		operations := items(min(100, n-from), func(i int) string { return `{"op":"create","data":` + text(from+i) + `}` })
		for try := 1; ; try++ {
			status, _, answer, err := v.ask(t.Context(), token, "POST "+path+"/batch", `{"atomic":true,"operations":[`+operations+`]}`)
			if err == nil && status == http.StatusServiceUnavailable && try < 10 { // the machine is crowded
				continue
			}
			if err != nil || status != http.StatusOK {
				t.Fatalf("%s: status %d, %v: %s", path, status, err, answer)
			}
			break
		}
	}
}

// ids lists the ids of all records of a resource.
func (v *victim) ids(t *testing.T, token, path string) (all []string) {
	t.Helper()
	for cursor := ""; ; {
		var page struct {
			Data []struct{ ID string }
			Meta struct{ Cursor struct{ Next string } }
		}
		if err := json.Unmarshal(v.read(t, token, path+"/search", `{"limit":100,"fields":["id"]`+cursor+`}`), &page); err != nil {
			t.Fatal(err)
		}
		for _, rec := range page.Data {
			all = append(all, rec.ID)
		}
		if page.Meta.Cursor.Next == "" {
			return all
		}
		cursor = `,"cursor":"` + page.Meta.Cursor.Next + `"`
	}
}

// The largest merges that are allowed, each rehearsed, done and taken back.
func TestNoMergeCostsTheOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		_, token := newBusiness(t, db)
		t.Setenv("GOGC", "20")
		v := newVictim(t, db)
		v.make(t, token, "/fields", `{"resource":"note","name":"about_id","label":"About","kind":"reference","target":"company"}`)
		survivor := v.make(t, token, "/companies", `{"name":"Survivor"}`)
		company := func(name string) string { return v.make(t, token, "/companies", `{"name":"`+name+`"}`) }
		text := strings.Repeat("words of a note ", 60)

		declared, added, linked, large, huge := company("Declared"), company("Added"), company("Linked"), company("Large"), company("Huge")
		v.many(t, token, "/activities", merge.MaxMoved, func(int) string {
			return `{"activity_type":"call","company_id":"` + declared + `","body":"` + text + `"}`
		})
		v.many(t, token, "/notes", merge.MaxMoved, func(int) string {
			return `{"title":"x","body":"` + text + `","custom_fields":{"about_id":"` + added + `"}}`
		})
		notes := v.ids(t, token, "/notes")
		v.many(t, token, "/associations", merge.MaxMoved, func(i int) string {
			return fmt.Sprintf(`{"from_id":%q,"to_id":%q,"label":"number %d"}`, linked, notes[i%len(notes)], i)
		})
		line := `{"name":"x","unit_price":"1","description":"` + strings.Repeat("d", 3_800) + `"}`
		for range 100 {
			v.make(t, token, "/deals", `{"name":"Large","company_id":"`+large+`","line_items":[`+items(20,
				func(int) string { return line })+`]}`)
		}
		for range 12 {
			v.make(t, token, "/deals", `{"name":"Huge","company_id":"`+huge+`","line_items":[`+items(190,
				func(int) string { return line })+`]}`)
		}
		v.cost(t, token, "a first request", "GET /me", "", 200)
		for name, other := range map[string]string{
			"references": declared, "custom references": added, "associations": linked,
			"large records": large,
		} {
			body := `{"other_id":"` + other + `"}`
			v.cost(t, token, "a merge with "+name+", rehearsed", "POST /companies/"+survivor+"/merge?dry_run=true", body, 200, 503)
			v.cost(t, token, "a merge with "+name, "POST /companies/"+survivor+"/merge", body, 200, 422, 503)
			v.cost(t, token, "its reverse, rehearsed", "POST /companies/"+survivor+"/unmerge?dry_run=true", body, 200, 422, 503)
			v.cost(t, token, "its reverse", "POST /companies/"+survivor+"/unmerge", body, 200, 422, 503)
		}
		// How much is too much is told by what the database keeps, which PostgreSQL compresses.
		v.cost(t, token, "a merge with huge records", "POST /companies/"+survivor+"/merge?dry_run=true", `{"other_id":"`+huge+`"}`, 200,
			409, 503)
		crowd := company("Crowd")
		v.many(t, token, "/tasks", merge.MaxMoved+1, func(int) string { return `{"title":"x","company_id":"` + crowd + `"}` })
		v.cost(t, token, "one reference too many", "POST /companies/"+survivor+"/merge", `{"other_id":"`+crowd+`"}`, 409)
	})
}
