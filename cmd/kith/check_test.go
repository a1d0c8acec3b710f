package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kith-crm/kith/client"
)

// filled makes a business that has something of everything that a check looks at, and gives its id and token.
func filled(t *testing.T, db string) (business, token string) {
	t.Helper()
	business, token = newBusiness(t, db)
	r := start(t, "--db", db)
	post := func(path, body string) (id string) {
		status, answer := r.post(t, token, path, body)
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(answer), &made); status >= 300 || err != nil {
			t.Fatalf("POST %s: %d %s", path, status, answer)
		}
		return made.ID
	}
	for _, field := range []string{
		`{"resource":"contact","name":"badge","kind":"text","indexed":true,"searchable":true}`,
		`{"resource":"contact","name":"shoe_size","kind":"number","indexed":true}`,
		`{"resource":"contact","name":"mentor_id","kind":"reference","target":"contact"}`,
	} {
		post("/fields", field)
	}
	company := post("/companies", `{"name":"Nordic Beans","domain":"nordic.example","phone":"+46 8 123 456"}`)
	first := post("/contacts", `{"name":"Ada Angström",`+
		`"email":"ada@nordic.example","phone":"+46 8 123 457","company_id":"`+company+`","custom_fields":{"badge":"B-1","shoe_size":38}}`)
	second := post("/contacts", `{"name":"Bo Lindqvist","mobile_phone":"+46 8 123 458","custom_fields":{"badge":"B-2","shoe_size":44,`+
		`"mentor_id":"`+first+`"}}`)
	post("/associations", `{"from_id":"`+first+`","to_id":"`+second+`","label":"sister"}`)
	deal := post("/deals", `{"name":"Ten machines","amount":"1000","contact_id":"`+first+`"}`)
	post("/quotes", `{"title":"Offer","deal_id":"`+deal+`","line_items":[{"name":"Machine","unit_price":"100","quantity":"10",`+
		`"discount_percent":5,"tax_rate":20}]}`)
	gone := post("/contacts", `{"name":"Gone Person"}`)
	if err := r.as(t, token).Contacts.Delete(t.Context(), client.ContactID(gone)); err != nil {
		t.Fatal(err)
	}
	r.stop()
	r.ended(t)
	return business, token
}

// checked runs a check, and gives its exit code and what it found.
func checked(t *testing.T, db string, more ...string) (code int, faults []fault) {
	t.Helper()
	code, out, errs := kith(t, append([]string{"check", "--db", db, "--json"}, more...)...)
	var told struct{ Faults []fault }
	if err := json.Unmarshal([]byte(out), &told); err != nil {
		t.Fatalf("kith check ends with %d and says %s%s: %v", code, out, errs, err)
	}
	return code, told.Faults
}

// damage is something that was done to a database behind kith's back, and what a check tells of it.
type damage struct{ sqlite, postgres, says string }

// both is a damage by the same statement on both engines.
func both(sql, says string) damage { return damage{sql, sql, says} }

// mendable are damages to what follows from something else. Those of one list do not meet.
var mendable = [][]damage{{
	both("UPDATE tally SET n = n + 3 WHERE name = 'contact'", "the kept count of live contacts is 5, expected 2"),
	both("DELETE FROM tally WHERE name = 'contact.bin'", "the kept count of deleted contacts is 0, expected 1"),
	both("UPDATE contacts SET name_key = 'somebody else' WHERE name LIKE 'Ada%'",
		`the key of name is "somebody else", expected "ada angstrom"`),
	both("UPDATE contacts SET search_doc = ' nothing' WHERE name LIKE 'Bo%'", "the search document does not have the words"),
	both("DELETE FROM match_key WHERE key LIKE 'p%457'", "match_key lacks a row about it"),
	both("DELETE FROM custom_text", "custom_text lacks a row about it"),
	both("UPDATE custom_number SET key = key + 1", "custom_number has a row too many"),
	both("DELETE FROM added_reference", "added_reference lacks a row"),
	both("DELETE FROM association_end WHERE near = 'contact'", "association_end lacks a row"),
	both("UPDATE stages SET name = 'Elsewhere'", "stages has a row too many"),
	both(`UPDATE business SET login_domains = '["nordic.example"]'`, `login_domain lacks "nordic.example"`),
	both("UPDATE deal_figure SET n = n + 1", "the kept figures are"),
	{
		"UPDATE companies SET rid = rid + (5 << 37)", "UPDATE companies SET shelf = shelf + 1",
		"it ",
	},
}, {
	both("UPDATE login_domain SET domain = 'elsewhere.example'", `login_domain has "elsewhere.example"`),
	both("UPDATE match_key SET key = 'p000000' WHERE key LIKE 'p%457'", "match_key has a row too many"),
	{"DELETE FROM contacts_fts WHERE rowid = (SELECT rid FROM contacts WHERE name LIKE 'Ada%')", "", "the text index does not find it"},
	{"INSERT INTO deals_fts (rowid, doc) SELECT rid, '0' || x'81e1e2e3' FROM deals", "", "by words that it does not have"},
	{"INSERT INTO notes_fts (rowid, doc) SELECT (business_id << 40) + 7, '0' || x'81e1e2e3' FROM business", "", "finds a record at place"},
}}

// final are damages that nobody can undo but by a backup.
var final = []damage{
	both("UPDATE contacts SET company_id = id WHERE name LIKE 'Ada%'", "company_id leads to company_"),
	both("UPDATE quotes SET total = total + 1", `total is "1140.0001", expected "1140.00"`),
	both("DELETE FROM change WHERE seq = 9", "entry 9 of the change log is missing"),
	both("UPDATE business SET change_seq = change_seq + 2, figured_seq = change_seq + 2", "of the change log are missing"),
	both("UPDATE contacts SET version = 7 WHERE name LIKE 'Bo%'", "it has version 7, and the last entry of the change log about it"),
	both("DELETE FROM associations", "the change log tells of it, and not that it was removed"),
}

// Whatever is damaged is found, told with the record that it is about, and mended where it follows from something else.
func TestDamageIsFoundAndMended(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db string) {
		business, _ := filled(t, db)
		if code, faults := checked(t, db); code != 0 || len(faults) != 0 {
			t.Fatalf("a healthy database is told to have %v", faults)
		}
		// hurt does damages, and gives what must be told of them.
		hurt := func(all []damage) (says []string) {
			for _, d := range all {
				sql := d.postgres
				if strings.HasPrefix(db, "sqlite:") {
					sql = d.sqlite
				}
				if sql != "" {
					script(t, db, sql)
					says = append(says, d.says)
				}
			}
			return says
		}
		tells := func(when string, faults []fault, says []string, mended bool) {
			t.Helper()
			for _, text := range says {
				if !slices.ContainsFunc(faults, func(f fault) bool {
					return f.Business == business && f.Mended == mended && strings.Contains(f.What, text)
				}) {
					t.Errorf("%s: nothing tells that %s, but %v", when, text, faults)
				}
			}
		}
		for _, all := range mendable {
			says := hurt(all)
			code, faults := checked(t, db, "--business", business)
			if tells("a check", faults, says, false); code != exitWrong {
				t.Errorf("a check of a damaged database ends with %d", code)
			}
			code, mended := checked(t, db, "--repair")
			if tells("a repair", mended, says, true); code != 0 {
				t.Errorf("a repair ends with %d", code)
			}
			if code, left := checked(t, db); code != 0 || len(left) != 0 {
				t.Errorf("after the repair there are %v", left)
			}
		}
		says := hurt(final)
		code, faults := checked(t, db, "--repair")
		if tells("what cannot be mended", faults, says, false); code != exitWrong {
			t.Errorf("a repair that leaves something ends with %d", code)
		}
	})
}

// A database in which others write is as healthy as one in which nobody does.
func TestAServerCanBeCheckedWhileItWrites(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db string) {
		_, token := filled(t, db)
		r := start(t, "--db", db)
		var stop atomic.Bool
		var written atomic.Int64
		var all sync.WaitGroup
		for w := range 4 {
			all.Go(func() {
				for n := 0; !stop.Load(); n++ {
					status, answer := r.post(t, token, "/contacts/batch",
						fmt.Sprintf(`{"operations":[{"op":"create","data":{"name":"Writer %d","phone":"+1 %07d",`+
							`"custom_fields":{"badge":"W%d-%d"}}},{"op":"create","data":{"name":"Other"}}]}`, n, n, w, n))
					if status >= 300 {
						t.Errorf("%d %s", status, answer)
						return
					}
					written.Add(1)
				}
			})
		}
		for range 2 {
			goal := written.Load() + 20
			eventuallyTrue(t, "something is written between two checks", func() bool { return written.Load() >= goal || t.Failed() })
			if code, faults := checked(t, db); code != 0 {
				t.Errorf("while %d batches were written, there are %v", written.Load(), faults)
			}
		}
		stop.Store(true)
		all.Wait()
	})
}

// Pages that are damaged are told as that by everything that meets them: a check names them and what cannot be read, goes on with the
// rest and recommends no other try; a server that meets them says so in its answers and by /readyz.
func TestDamagedPagesAreToldAsThat(t *testing.T) {
	t.Parallel()
	db := missingSQLite(t)
	business, token := filled(t, db)
	other, _ := newBusiness(t, db)
	path := strings.TrimPrefix(db, "sqlite:")
	page := rootPage(t, path, "deals")
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(bytes.Repeat([]byte{0xa5}, 4096), (page-1)*4096); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	code, out, errs := kith(t, "check", "--db", db)
	for _, must := range []string{
		fmt.Sprint("page ", page), business + " it cannot be read to its end, because the database is damaged", "restore a backup",
	} {
		if !strings.Contains(out, must) {
			t.Errorf("the check does not tell %q: %s%s", must, out, errs)
		}
	}
	if strings.Contains(out+errs, "Try again") || strings.Contains(out+errs, "cannot be reached") || code != exitWrong {
		t.Errorf("the check ends with %d and recommends to wait: %s%s", code, out, errs)
	}
	_, faults := checked(t, db) // one that cannot be read does not keep the next from being checked
	for _, each := range []string{business, other} {
		if !slices.ContainsFunc(faults, func(f fault) bool {
			return f.Business == each && strings.Contains(f.What, "the database is damaged")
		}) {
			t.Errorf("nothing is told of %s: %v", each, faults)
		}
	}
	if code, _, errs := kith(t, "backup", path+".backup", "--db", db); code != 1 || !strings.Contains(errs, "The database is damaged") {
		t.Errorf("a backup of it: %d %s", code, errs)
	}
	r := start(t, "--db", db)
	eventuallyTrue(t, "a request that meets the damage is told so, and from then on /readyz, too", func() bool {
		status, answer := r.post(t, token, "/deals/search", `{}`)
		if status != http.StatusServiceUnavailable || !strings.Contains(answer, "The database is damaged") {
			t.Fatalf("a request that meets it: %d %s", status, answer)
		}
		status, answer = get(t, r.url+"/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(answer, "The database is damaged")
	})
}

// rootPage is the first page of a table.
func rootPage(t *testing.T, path, table string) (page int64) {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = sqlitex.Execute(c, "PRAGMA wal_checkpoint(TRUNCATE)", nil)
	if err == nil {
		err = sqlitex.Execute(c, "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?", &sqlitex.ExecOptions{
			Args: []any{table},
			ResultFunc: func(s *sqlite.Stmt) error {
				page = s.ColumnInt64(0)
				return nil
			},
		})
	}
	if err != nil || page == 0 {
		t.Fatalf("%s has no page: %v", table, err)
	}
	return page
}

func TestWhatCannotBeCheckedIsNotCalledHealthy(t *testing.T) {
	for _, args := range [][]string{
		{"--db", "sqlite:" + t.TempDir() + "/none.db"},
		{"--db", "postgres://nobody@127.0.0.1:1/none?connect_timeout=1"},
	} {
		if code, out, errs := kith(t, append([]string{"check"}, args...)...); code != exitUnchecked ||
			!strings.Contains(errs, "could not be checked") {
			t.Errorf("kith check %v ends with %d: %s%s", args, code, out, errs)
		}
	}
	db := missingSQLite(t)
	must(t, "migrate", "--db", db)
	if code, _, errs := kith(t, "check", "--db", db, "--business", "business_01ka5tv500e008dbwdq08zkhh7"); code != exitUnchecked ||
		!strings.Contains(errs, "there is no business") {
		t.Errorf("a business that is not there: %d %s", code, errs)
	}
}
