package work_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/testworld"

	. "github.com/kith-crm/kith/internal/apitest"
)

// planted is what everything about the person has in it, as a word and as digits. Neither is anywhere else.
const (
	planted       = "Vrxqplanted"
	plantedDigits = "55501933774"
)

// plant makes a person of whom something is everywhere, among others, and gives them more past than fits into one transaction.
func plant(w *World, t *testing.T) {
	t.Helper()
	fill := strings.Repeat(planted+" was here. ", 200)
	for _, f := range []string{
		`{"resource":"contact","name":"nick","label":"Nick","kind":"text","searchable":true,"indexed":true}`,
		`{"resource":"contact","name":"handle","label":"Handle","kind":"text","unique":true}`,
		`{"resource":"contact","name":"story","label":"Story","kind":"long_text"}`,
		`{"resource":"product","name":"friend_id","label":"Friend","kind":"reference","target":"contact"}`,
	} {
		w.Create(t, "fields", f, "")
	}
	others := func(n int) {
		var operations []string
		for i := range n {
			operations = append(operations, fmt.Sprintf(`{"op":"create","data":{"first_name":"Other %d","last_name":"%s",`+
				`"email":"other%d@elsewhere.example"}}`, i, strings.Repeat("x", i%90), i))
		}
		for len(operations) > 0 {
			some := min(100, len(operations))
			w.Ask(t, Step{Do: "POST /contacts/batch", Body: `{"operations":[` + strings.Join(operations[:some], ",") + `]}`})
			operations = operations[some:]
		}
	}
	others(300)
	person := strings.NewReplacer("$p", planted, "$d",
		plantedDigits).Replace(`{"first_name":"$p","last_name":"von $p","email":"$p@$p.example","phone":"+$d","mobile_phone":"+1$d",
		"job_title":"$p's boss","lead_source":"$p fair","address":{"street":"$p 1","city":"$p city","region":"$p","postal_code":"$p",
		"country":"$p land"},
		"linkedin_url":"https://social.example/$p","external_id":"$p-1","tags":["$p"],"custom_fields":{"handle":"$p-1",
		"nick":"$p the first","story":"` + fill + `"}}`)
	w.Ask(t, Step{Do: "POST /contacts", Send: []string{"Idempotency-Key: first"}, Body: person})
	a := w.Ask(t, Step{Do: "POST /contacts", Body: strings.ReplaceAll(person, planted+"-1", planted+"-2")})
	w.Vars["person"] = fmt.Sprint(At(a.JSON, "id"))
	w.Vars["twin"] = fmt.Sprint(At(w.Ask(t, Step{
		Do:   "POST /contacts/search",
		Body: `{"filters":[{"field":"external_id","operator":"eq","value":"` + planted + `-1"}]}`,
	}).JSON, "data.0.id"))
	w.Ask(t, Step{Do: "POST /contacts/duplicates/dismiss", Body: `{"ids":["$person","$twin"]}`})
	others(200)
	w.Create(t, "companies", `{"name":"Harbour"}`, "company")
	w.Create(t, "deals", `{"name":"Cranes","contact_id":"$person"}`, "deal")
	w.Create(t, "quotes", `{"title":"Cranes","contact_id":"$person"}`, "quote")
	w.Create(t, "products", `{"name":"Crane","custom_fields":{"friend_id":"$person"}}`, "product")
	for i := range 30 { // about the person alone
		w.Create(t, "notes", fmt.Sprintf(`{"title":"%s %d","body":"%s","contact_id":"$person"}`, planted, i, fill[:40*i+20]), "note")
	}
	w.Create(t, "tasks", `{"title":"Call `+planted+`","description":"`+planted+`","contact_id":"$person"}`, "task")
	w.Create(t, "activities", `{"activity_type":"call","subject":"`+planted+`","body":"`+planted+`","outcome":"`+planted+`","location":"`+
		planted+`","contact_id":"$person"}`, "activity")
	w.Create(t, "notes", `{"body":"`+planted+` by association"}`, "linked")
	w.Create(t, "associations", `{"from_id":"$linked","to_id":"$person","label":"about `+planted+`"}`, "link")
	w.Create(t, "notes", `{"body":"`+planted+` in the bin","contact_id":"$person"}`, "binned")
	w.Ask(t, Step{Do: "DELETE /notes/$binned"})
	w.Create(t, "notes", `{"body":"shared","contact_id":"$person","company_id":"$company"}`, "shared")
	w.Create(t, "notes", `{"body":"shared and in the bin","contact_id":"$person","deal_id":"$deal"}`, "shared_bin")
	w.Ask(t, Step{Do: "DELETE /notes/$shared_bin"})
	var operations []string
	for i := range 250 {
		operations = append(operations, fmt.Sprintf(`{"op":"update","id":"$person","data":{"job_title":"%s %d",`+
			`"custom_fields":{"story":"%s"}}}`, planted, i, fill[:(i*37)%2000+1]))
	}
	for len(operations) > 0 {
		some := min(50, len(operations))
		w.Ask(t, Step{
			Do: "POST /contacts/batch", Send: []string{"Idempotency-Key: batch" + strconv.Itoa(len(operations))},
			Body: `{"operations":[` + strings.Join(operations[:some], ",") + `]}`,
		})
		operations = operations[some:]
	}
	others(200)
}

// After an erasure nothing of the person is in any answer, nor, once the database was tidied and scrubbed, in its files, nor in the
// server's log.
func TestNothingIsLeftOfWhoWasErased(t *testing.T) {
	t.Parallel()
	testworld.OnBoth(t, func(t *testing.T, url string) {
		w := NewWorld(t, url, httpapi.Options{})
		plant(w, t)
		restart(w, t) // so that all of it is in SQLite's file, and not only in its log
		for _, id := range []string{"$person", "$twin"} {
			w.Run(t, []Step{{Rule: "erase", Do: "POST /contacts/" + id + "/erase", Body: `{"reason":"Asked for it"}`, Status: 204}})
		}
		w.WorkOff(t)
		for _, search := range []string{
			"contacts", "companies", "deals", "quotes", "products", "notes", "tasks", "activities",
			"associations",
		} {
			for _, bin := range []string{"", "/deleted"} {
				if a := w.Ask(t, Step{
					Do:   "POST /" + search + bin + "/search",
					Body: `{"limit":100,"search_text":"` + planted + `"}`,
				}); strings.Contains(string(a.Text), planted) {
					t.Errorf("%s%s: %s", search, bin, a.Text)
				}
			}
		}
		for after, more := any("0"), true; more; {
			a := w.Ask(t, Step{Do: "POST /changes/search", Body: fmt.Sprintf(`{"limit":100,"after":%v}`, after)})
			if strings.Contains(string(a.Text), planted) {
				t.Fatalf("in the log: %s", a.Text)
			}
			more, after = At(a.JSON, "meta.next") != At(a.JSON, "meta.latest"), At(a.JSON, "meta.next")
		}
		if a := w.Ask(t, Step{Do: "POST /contacts", Send: []string{"Idempotency-Key: first"}, Body: "{}"}); a.Status != 422 {
			t.Errorf("the key is not known any more: %d %s", a.Status, a.Text)
		}
		if strings.Contains(w.Log.String(), planted) {
			t.Error("it is in the server's log")
		}
		if err := w.Store.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
		restart(w, t)
		report(t, w, "after tidying")
		if err := w.Store.Scrub(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := report(t, w, "after scrubbing"); n > 0 {
			t.Errorf("%d places of the files have it", n)
		}
	})
}

// restart stops the server, which closes the database, and starts another.
func restart(w *World, t *testing.T) {
	t.Helper()
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	w.Serve(t, w.Database, httpapi.Options{})
	var err error
	if w.Tenant, err = w.Store.Tenant(t.Context(), w.Tenant.ID()); err != nil {
		t.Fatal(err)
	}
}

// report counts the places of the database's files in which something of the person is.
func report(t *testing.T, w *World, when string) (places int) {
	t.Helper()
	for _, file := range files(t, w) {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // one that the database took away meanwhile
		}
		text = bytes.ToLower(text)
		for _, needle := range []string{strings.ToLower(planted), plantedDigits} {
			if n := bytes.Count(text, []byte(needle)); n > 0 {
				places += n
				t.Logf("%s: %d times %s in %s", when, n, needle, filepath.Base(file))
			}
		}
	}
	return places
}

// files are those in which the database is.
func files(t *testing.T, w *World) (all []string) {
	t.Helper()
	if path, sqlite := strings.CutPrefix(w.Database, "sqlite:"); sqlite {
		return []string{path, path + "-wal"}
	}
	conn, err := pgx.Connect(t.Context(), w.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var folder, oid string
	if err := conn.QueryRow(t.Context(), "SELECT current_setting('data_directory'), oid::text FROM pg_database WHERE datname = "+
		"current_database()").Scan(&folder, &oid); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "CHECKPOINT"); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(folder, "base", oid), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			all = append(all, path)
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Logf("the files of the server cannot be read from here: %v", err)
	}
	return all
}
