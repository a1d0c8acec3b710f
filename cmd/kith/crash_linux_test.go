package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/pgtest"
)

// A campaign writes to a server that is killed in the midst of it, again and again, and knows everything that was acknowledged.
// Whoever got no answer, or was told that the database is not there, sends the same request with the same key once more. In the end
// every record must be exactly what its writer knows.
type campaign struct {
	t         *testing.T
	db, token string
	// servers are those that are asked at the moment. They share the database.
	servers []atomic.Pointer[victim]
	// answered counts the requests that were acknowledged, and replayed those of them whose first answer was lost.
	answered, replayed atomic.Int64
	stop               atomic.Bool
	writers            []*writer
	// imported are the names of all rows of the files that were imported.
	imported []string
}

// known is a record as its writer knows it.
type known struct {
	resource, id, name string
	version            int
	field, value       string
}

type writer struct {
	number, sent int
	contacts     []*known
	deals        []*known
}

const campaignWriters = 6

// newCampaign makes a business and starts the servers.
func newCampaign(t *testing.T, db string, servers int) *campaign {
	t.Helper()
	_, token := newBusiness(t, db)
	c := &campaign{t: t, db: db, token: token, servers: make([]atomic.Pointer[victim], servers)}
	for n := range servers {
		c.servers[n].Store(newVictim(t, db))
	}
	return c
}

// server is the n-th of the servers, counted round.
func (c *campaign) server(n int) *victim { return c.servers[n%len(c.servers)].Load() }

// killServer kills one and starts another in its place.
func (c *campaign) killServer(n int) {
	c.server(n).kill()
	c.servers[n%len(c.servers)].Store(newVictim(c.t, c.db))
}

// do sends a write until it is acknowledged, and tells false where the campaign is over before that was tried. Where there are
// several servers, the next one is asked again.
func (c *campaign) do(w *writer, do, body string) (record map[string]any, ok bool) {
	w.sent++
	key := fmt.Sprintf("w%d-%d", w.number, w.sent)
	for tries := 0; ; tries++ {
		if c.stop.Load() && tries == 0 {
			return nil, false
		}
		a := c.server(w.number+tries).send(c.token, do, body, key)
		switch a.status {
		case http.StatusOK, http.StatusCreated, http.StatusAccepted:
			if err := json.Unmarshal([]byte(a.text), &record); err != nil {
				c.t.Errorf("%s: %v: %s", do, err, a.text)
				return nil, false
			}
			c.answered.Add(1)
			if a.replayed {
				c.replayed.Add(1)
			}
			return record, true
		case 0, http.StatusServiceUnavailable, http.StatusConflict: // gone, not there, or the first try is still under way
			if a.status == http.StatusConflict && a.code != "idempotency_in_progress" {
				c.t.Errorf("%s is answered %d: %s", do, a.status, a.text)
				return nil, false
			}
			time.Sleep(10 * time.Millisecond)
		default:
			c.t.Errorf("%s is answered %d: %s", do, a.status, a.text)
			return nil, false
		}
	}
}

// write makes, changes and moves records until the campaign is over: single creates and patches, batches, and actions.
func (c *campaign) write(w *writer) {
	last := func(all []*known) *known { return all[len(all)-1] }
	for n := 0; !c.t.Failed(); n++ {
		name := fmt.Sprintf("name%dx%d", w.number, n)
		switch n % 6 {
		case 0:
			record, ok := c.do(w, "POST /v1/contacts", `{"name":"`+name+`"}`)
			if !ok {
				return
			}
			w.contacts = append(w.contacts, &known{"contacts", record["id"].(string), name, 1, "job_title", ""})
		case 1:
			k := last(w.contacts)
			if _, ok := c.do(w, "PATCH /v1/contacts/"+k.id, `{"job_title":"`+name+`"}`); !ok {
				return
			}
			k.version, k.value = k.version+1, name
		case 2:
			k := last(w.contacts)
			result, ok := c.do(w, "POST /v1/contacts/batch",
				`{"atomic":true,`+
					`"operations":[{"op":"create","data":{"name":"`+name+`a"}},{"op":"update","id":"`+k.id+`","data":{"job_title":"`+name+
					`"}},{"op":"create","data":{"name":"`+name+`b"}}]}`)
			if !ok {
				return
			}
			k.version, k.value = k.version+1, name
			results, _ := result["data"].([]any)
			if len(results) != 3 {
				c.t.Errorf("a batch has the results %v", result)
				return
			}
			for i, suffix := range map[int]string{0: "a", 2: "b"} {
				made := results[i].(map[string]any)["record"].(map[string]any)
				w.contacts = append(w.contacts, &known{"contacts", made["id"].(string), name + suffix, 1, "job_title", ""})
			}
		case 3:
			record, ok := c.do(w, "POST /v1/deals", `{"name":"`+name+`","amount":"10"}`)
			if !ok {
				return
			}
			w.deals = append(w.deals, &known{"deals", record["id"].(string), name, 1, "status", "open"})
		case 4, 5:
			k, action := last(w.deals), "win"
			if k.value == "won" {
				action = "reopen"
			}
			if _, ok := c.do(w, "POST /v1/deals/"+k.id+"/"+action, ""); !ok {
				return
			}
			k.version++
			k.value = map[string]string{"win": "won", "reopen": "open"}[action]
		}
	}
}

// importedRows is how many rows a file has that is imported: enough that kills meet its job in the middle of them.
const importedRows = 1500

// importFiles imports one file after the other until the campaign is over, the last one to its end.
func (c *campaign) importFiles(w *writer) {
	for n := 0; !c.t.Failed(); n++ {
		var file strings.Builder
		file.WriteString("name\n")
		var names []string
		for i := range importedRows {
			names = append(names, fmt.Sprintf("row%dx%dx%d", w.number, n, i))
			file.WriteString(names[i] + "\n")
		}
		made, ok := c.do(w, "POST /v1/imports", `{"resource":"contact"}`)
		if !ok {
			return
		}
		path := "/v1/imports/" + made["id"].(string)
		if _, ok := c.do(w, "PUT "+path+"/file", file.String()); !ok {
			return
		}
		if _, ok := c.do(w, "POST "+path+"/run", ""); !ok {
			return
		}
		c.imported = append(c.imported, names...)
		c.ends(path)
	}
}

// ends waits until an import has come to its end, and holds that to each row having become a record.
func (c *campaign) ends(path string) {
	var a reply
	deadline := time.Now().Add(5 * long)
	for tries := 0; time.Now().Before(deadline) && !c.t.Failed(); tries++ {
		time.Sleep(200 * time.Millisecond)
		a = c.server(tries).send(c.token, "GET "+path, "", "")
		if a.status == 0 || a.status == http.StatusServiceUnavailable || a.status == http.StatusOK &&
			strings.Contains(a.text, `"status":"running"`) {
			continue
		}
		break
	}
	if want := fmt.Sprintf(`"status":"succeeded","total":%d,"done":%d,"created":%d,"changed":0,"unchanged":0,"refused":0`, importedRows,
		importedRows, importedRows); !strings.Contains(a.text, want) {
		c.t.Errorf("an import is %d %s", a.status, a.text)
	}
}

// run lets the writers write while kill, which is to bring everything back that it takes down, is called so many times.
func (c *campaign) run(kills int, kill func(n int)) {
	var all sync.WaitGroup
	for n := range campaignWriters {
		w := &writer{number: n}
		c.writers = append(c.writers, w)
		all.Go(func() { c.write(w) })
	}
	for n := range importers {
		all.Go(func() { c.importFiles(&writer{number: campaignWriters + n}) })
	}
	for n := range kills {
		goal := c.answered.Load() + int64(20+n%7*13)
		eventually(c.t, "enough is written for the next kill", func() bool { return c.answered.Load() >= goal || c.t.Failed() })
		kill(n)
	}
	goal := c.answered.Load() + 30
	eventually(c.t, "it goes on after the last kill", func() bool { return c.answered.Load() >= goal || c.t.Failed() })
	c.stop.Store(true)
	all.Wait()
	c.check()
	c.t.Logf("%d kills, %d writes acknowledged, %d of them with an answer that was lost at first; %d rows imported", kills,
		c.answered.Load(), c.replayed.Load(), len(c.imported))
}

// check holds the database to what the writers know: every record is there once, as it was acknowledged, and is found; and
// everything in the database agrees.
func (c *campaign) check() {
	t, v := c.t, c.server(0)
	t.Helper()
	ask := func(do, body string) (answer map[string]any) {
		a := v.send(c.token, do, body, "")
		if err := json.Unmarshal([]byte(a.text), &answer); a.status != http.StatusOK || err != nil {
			t.Fatalf("%s %s is answered %d: %s", do, body, a.status, a.text)
		}
		return answer
	}
	list := func(answer map[string]any) []any { return answer["data"].([]any) }
	counts, won := map[string]int{"contacts": len(c.imported)}, 0
	names := v.names(t, c.token)
	for _, name := range c.imported {
		if names[name] != 1 {
			t.Errorf("the row %s was made %d times", name, names[name])
		}
	}
	versions := map[string]int{}
	for _, w := range c.writers {
		for _, k := range append(append([]*known{}, w.contacts...), w.deals...) {
			counts[k.resource]++
			versions[k.id] = k.version
			if k.value == "won" {
				won++
			}
			record := ask("GET /v1/"+k.resource+"/"+k.id, "")
			value, _ := record[k.field].(string)
			if record["name"] != k.name || record["version"] != float64(k.version) || value != k.value {
				t.Errorf("%s is %v, version %v, %s %q; want %s, %d, %q", k.id, record["name"], record["version"], k.field, value, k.name,
					k.version, k.value)
			}
			found := list(ask("POST /v1/"+k.resource+"/search", `{"search_text":"`+k.name+`","fields":["name"],"limit":100}`))
			same := 0
			for _, f := range found {
				if f.(map[string]any)["name"] == k.name {
					same++
				}
			}
			if same != 1 {
				t.Errorf("the text index finds %s %d times", k.name, same)
			}
		}
	}
	for resource, want := range counts {
		answer := ask("POST /v1/"+resource+"/search", `{"limit":1}`)
		if total := answer["meta"].(map[string]any)["total"]; total != float64(want) {
			t.Errorf("there are %v %s, want %d", total, resource, want)
		}
	}
	if answer := ask("POST /v1/deals/search", `{"limit":1,"total":true,`+
		`"filters":[{"field":"status","operator":"eq","value":"won"}]}`); answer["meta"].(map[string]any)["total"] != float64(won) {
		t.Errorf("%v deals are won, want %d", answer["meta"], won)
	}
	if code, faults := checked(t, c.db); code != 0 {
		t.Errorf("a check finds %v", faults)
	}
	// The log has for each record every version once.
	seq, logged := 0.0, map[string]int{}
	for {
		page := list(ask("POST /v1/changes/search", fmt.Sprintf(`{"after":%.0f,"limit":100}`, seq)))
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			entry := e.(map[string]any)
			seq = entry["seq"].(float64)
			id := entry["record_id"].(string)
			if logged[id]++; versions[id] > 0 && entry["version"] != float64(logged[id]) {
				t.Errorf("the %d. entry about %s has the version %v", logged[id], id, entry["version"])
			}
		}
	}
	for id, version := range versions {
		if logged[id] != version {
			t.Errorf("%s has version %d and %d entries in the log", id, version, logged[id])
		}
	}
}

// The server itself is killed.
func TestKilledServersLoseNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		c := newCampaign(t, db, 1)
		c.run(kills, c.killServer)
	})
}

// Several servers share a database, which may be a cluster. One after the other is killed, and whoever was asking it asks the next
// with the same key.
func TestServersThatShareADatabaseLoseNothing(t *testing.T) {
	c := newCampaign(t, migratedPostgres(t), 3)
	c.run(kills, c.killServer)
}

// PostgreSQL crashes, or is killed, under a server that goes on.
func TestAKilledDatabaseLosesNothing(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	db := server.URL("postgres")
	must(t, "migrate", "--db", db)
	c := newCampaign(t, db, 1)
	c.run(kills, func(n int) {
		if n%2 == 0 {
			server.Crash()
		} else {
			server.Kill()
		}
		server.Start()
	})
}
