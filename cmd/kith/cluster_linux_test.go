package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/schema"
)

// A server starts while a worker of its cluster is gone or hangs. The businesses of the others are served, with their jobs and new
// webhooks, by tokens that nobody has used yet; those of the worker are told that the database is not there, and are served again when it
// is.
func TestAServerStartsWithoutAMachineOfACluster(t *testing.T) {
	for _, fault := range []struct {
		name        string
		begin, over func(*pgtest.Machine)
	}{
		{"killed", (*pgtest.Machine).Kill, (*pgtest.Machine).Start},
		{"hung", func(m *pgtest.Machine) { m.Signal(syscall.SIGSTOP) }, func(m *pgtest.Machine) { m.Signal(syscall.SIGCONT) }},
	} {
		t.Run(fault.name, func(t *testing.T) {
			machines := pgtest.Breakable(t)
			db := migratedPostgres(t)
			tokens := map[int]string{} // by the port of the worker
			for len(tokens) < 2 {
				business, token := newBusiness(t, db)
				tokens[workerOf(t, db, business)] = token
			}
			lost := machines[1]
			there, here := tokens[lost.Port], ""
			for port, token := range tokens {
				if port != lost.Port {
					here = token
				}
			}
			over := sync.OnceFunc(func() { fault.over(lost) })
			t.Cleanup(over)
			fault.begin(lost)
			v := newVictim(t, db, "--private-webhooks")
			if a := v.send("", "GET /readyz", "", ""); a.status != http.StatusOK {
				t.Errorf("it is not ready: %d, %s", a.status, a.text)
			}
			var delivered atomic.Int32
			receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { delivered.Add(1) }))
			defer receiver.Close()
			hook := `{"url":"` + receiver.URL + `","events":["contact.created"]}`
			if a := v.send(here, "POST /v1/webhooks", hook, ""); a.status != http.StatusCreated {
				t.Fatalf("a webhook is answered %d: %s", a.status, a.text)
			}
			if a := v.send(here, "POST /v1/contacts", `{"name":"Ada"}`, ""); a.status != http.StatusCreated {
				t.Fatalf("a write is answered %d: %s", a.status, a.text)
			}
			a := v.send(here, "POST /v1/contacts/bulk", `{"filters":[],"op":"update","data":{"name":"Ada Lovelace"}}`, "")
			var job struct{ ID string }
			if err := json.Unmarshal([]byte(a.text), &job); err != nil || a.status != http.StatusAccepted {
				t.Fatalf("a bulk operation is answered %d: %s", a.status, a.text)
			}
			eventually(t, "the job is done", func() bool {
				return strings.Contains(v.send(here, "GET /v1/jobs/"+job.ID, "", "").text, `"succeeded"`)
			})
			eventually(t, "the event is delivered", func() bool { return delivered.Load() > 0 })
			if a := v.send(there, "POST /v1/contacts", `{"name":"Eve"}`, ""); a.status != http.StatusServiceUnavailable {
				t.Errorf("a write without its worker is answered %d: %s", a.status, a.text)
			}
			over()
			eventually(t, "the worker's business is served", func() bool {
				return v.send(there, "POST /v1/contacts", `{"name":"Eve"}`, "").status == http.StatusCreated
			})
		})
	}
}

// workerOf is the port of the worker on which a business lies.
func workerOf(t *testing.T, db, business string) (port int) {
	t.Helper()
	id, err := schema.ParseID("business", business)
	if err != nil {
		t.Fatal(err)
	}
	c, err := pgx.Connect(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	const sql = `SELECT n.nodeport FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
		WHERE p.shardid = get_shard_id_for_distribution_column('business', $1::uuid)`
	if err := c.QueryRow(t.Context(), sql, [16]byte(id)).Scan(&port); err != nil {
		t.Fatal(err)
	}
	return port
}
