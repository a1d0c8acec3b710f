package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/pgtest"
)

// inTime is how long an answer may take while the database is ill. What the server promises is a third of it; the rest is for a
// crowded machine. Without a promise it would be until the client gives up.
const inTime = 25 * time.Second

// commitWait is after how long callers leave a write that does not come to its end.
const commitWait = 5 * time.Second

// everything is a request of each kind: reads and writes of the API, the pages, the authorization server, and who looks after the server.
var everything = []struct{ do, body string }{
	{"GET /v1/me", ""},
	{"POST /v1/contacts/search", `{}`},
	{"POST /v1/contacts/search", `{"search_text":"someone"}`},
	{"POST /v1/contacts", `{"name":"Someone"}`},
	{"POST /v1/contacts?dry_run=true", `{"name":"Someone"}`},
	{"POST /v1/contacts/batch", `{"operations":[{"op":"create","data":{"name":"Someone"}}]}`},
	{"GET /v1/contacts/contact_01h455vb4pex5vsknk084sn02q", ""},
	{"POST /v1/changes/search", `{}`},
	{"GET /setup", ""},
	{"POST /oauth/token", "grant_type=refresh_token&client_id=kith_client_x&refresh_token=x"},
}

// refusesAll asks for everything at once, and holds each answer to 503 in time.
func (v *victim) refusesAll(t *testing.T, token, when string) (longest time.Duration) {
	t.Helper()
	var all sync.WaitGroup
	answers := make([]reply, len(everything))
	for i, r := range everything {
		all.Go(func() { answers[i] = v.send(token, r.do, r.body, "") })
	}
	all.Wait()
	for i, a := range answers {
		longest = max(longest, a.took)
		do := everything[i].do
		if do == "GET /setup" && a.status == http.StatusSeeOther || a.status == http.StatusNotFound && do == "GET /setup" {
			continue // that the house is set up is remembered
		}
		api := strings.HasPrefix(do, "GET /v1") || strings.HasPrefix(do, "POST /v1")
		if a.status != http.StatusServiceUnavailable || a.retryAfter == "" || api && a.code != "database_unavailable" || a.took > inTime {
			t.Errorf("%s: %s is answered %d %s, Retry-After %q, after %v: %s", when, do, a.status, a.code, a.retryAfter, a.took, a.text)
		}
	}
	// Who watches over the server is told that it lives, and to send nobody here.
	if a := v.send("", "GET /healthz", "", ""); a.status != http.StatusOK {
		t.Errorf("%s: the server is said to be dead: %d %s", when, a.status, a.text)
	}
	eventually(t, when+": the server is not ready", func() bool {
		a := v.send("", "GET /readyz", "", "")
		return a.status == http.StatusServiceUnavailable && a.took < inTime
	})
	return longest
}

// works waits until the server reads and writes again.
func (v *victim) works(t *testing.T, token string) {
	t.Helper()
	eventually(t, "the server reads and writes again", func() bool {
		return v.send(token, "POST /v1/contacts/search", `{}`, "").status == http.StatusOK &&
			v.send(token, "POST /v1/contacts", `{"name":"Someone"}`, "").status == http.StatusCreated &&
			v.send("", "GET /readyz", "", "").status == http.StatusOK
	})
}

// A server that is stopped, crashes, is killed or hangs: everybody is told in time, and when it is back everything goes on, without
// a restart.
func TestADatabaseThatIsIll(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	db := server.URL("postgres")
	must(t, "migrate", "--db", db)
	_, token := newBusiness(t, db)
	v := newVictim(t, db)
	v.works(t, token)
	for _, c := range []struct {
		name       string
		fall, rise func()
	}{
		{"hung", server.Hang, server.Resume},
		{"crashed", server.Crash, server.Start},
		{"killed", server.Kill, server.Start},
		{"stopped", server.Stop, server.Start},
	} {
		c.fall()
		first := v.refusesAll(t, token, c.name)
		second := v.refusesAll(t, token, c.name+", a second time")
		c.rise()
		begin := time.Now()
		v.works(t, token)
		t.Logf("%s: everybody was told within %v, the second time within %v; back %v after the database", c.name,
			first.Round(time.Millisecond), second.Round(time.Millisecond), time.Since(begin).Round(time.Millisecond))
	}
}

// pair is a server with a synchronous standby, and the address of both.
func pair(t *testing.T) (primary, standby *pgtest.Server, db string) {
	t.Helper()
	primary = pgtest.NewServer(t, "synchronous_standby_names=second")
	primary.Do("ALTER SYSTEM SET synchronous_commit = local") // until there is one
	standby = primary.Standby("second")
	eventually(t, "the standby follows", func() bool {
		return primary.Ask("SELECT count(*)::text FROM pg_stat_replication WHERE sync_state = 'sync'") == "1"
	})
	primary.Do("ALTER SYSTEM RESET synchronous_commit")
	primary.Do("SELECT pg_reload_conf()")
	return primary, standby, "postgres://postgres@" + primary.Address() + "," + standby.Address() + "/postgres?sslmode=disable&" +
		"target_session_attrs=read-write"
}

// A standby that hangs keeps every write from its end. Twenty businesses write; readers, and who looks after the server, notice
// nothing. In the end everything was done once.
func TestAStandbyThatHangsLeavesReadersAlone(t *testing.T) {
	t.Parallel()
	primary, standby, db := pair(t)
	must(t, "migrate", "--db", db)
	const businesses = 20
	tokens := make([]string, businesses)
	for i := range tokens {
		tokens[i] = object(t, "business_id user_id token", "business", "create", "--db", db, "--name", fmt.Sprint("B", i),
			"--admin-email", fmt.Sprintf("anna@b%d.example", i), "--admin-password", "correct horse")["token"]
	}
	v := newVictim(t, db)
	v.works(t, tokens[0])
	standby.Hang()
	// The operator cancels a write that waits for the standby. PostgreSQL then says that it is committed, and would lose it: nobody
	// is told so.
	cancelled := make(chan reply)
	go func() { cancelled <- v.send(tokens[0], "POST /v1/contacts", `{"name":"Only one"}`, "the-only-one") }()
	const waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
	var a reply
	for told := false; !told; {
		primary.Ask("SELECT coalesce(string_agg(pg_cancel_backend(pid)::text, ','), '') " + waiting)
		select {
		case a = <-cancelled:
			told = true
		case <-time.After(50 * time.Millisecond):
		}
	}
	if a.status != http.StatusServiceUnavailable || a.code != "database_unavailable" || !strings.Contains(a.text, "not known") {
		t.Errorf("a write that is not on the standby is answered %d after %v: %s", a.status, a.took, a.text)
	} else if a.took > commitWait {
		t.Logf("the write was left after %v, and not cancelled", a.took)
	}
	var writers sync.WaitGroup
	answers := make([]reply, businesses)
	for i, token := range tokens {
		writers.Go(func() { answers[i] = v.send(token, "POST /v1/contacts", `{"name":"Only one"}`, "the-only-one") })
	}
	written := make(chan struct{})
	go func() {
		writers.Wait()
		close(written)
	}()
	reads, longest := 0, time.Duration(0)
	for done := false; !done; {
		select {
		case <-written:
			done = true
		default:
		}
		for _, do := range []string{"POST /v1/contacts/search", "GET /readyz"} {
			a := v.send(tokens[reads%businesses], do, map[string]string{"POST /v1/contacts/search": `{}`}[do], "")
			longest = max(longest, a.took)
			if a.status != http.StatusOK || a.took > inTime {
				t.Errorf("%s is answered %d after %v: %s", do, a.status, a.took, a.text)
			}
		}
		reads++
		time.Sleep(5 * time.Millisecond) // the processors are for others, too
	}
	slowest := time.Duration(0)
	for i, a := range answers {
		slowest = max(slowest, a.took)
		if a.status != http.StatusServiceUnavailable || a.retryAfter == "" || a.took > inTime {
			t.Errorf("the write of business %d is answered %d %s after %v: %s", i, a.status, a.code, a.took, a.text)
		}
	}
	t.Logf("%d writers were told within %v; meanwhile %d reads, the longest %v; %s backends of the server wait", businesses,
		slowest.Round(time.Millisecond), 2*reads, longest.Round(time.Millisecond),
		primary.Ask("SELECT count(*)::text FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))
	standby.Resume()
	for i, token := range tokens {
		eventually(t, fmt.Sprint("business ", i, " writes again"), func() bool {
			return v.send(token, "POST /v1/contacts", `{"name":"Only one"}`, "the-only-one").status == http.StatusCreated
		})
		a := v.send(token, "POST /v1/contacts/search", `{"filters":[{"field":"name","operator":"eq","value":"Only one"}],"total":true}`, "")
		if !strings.Contains(a.text, `"total":1`) {
			t.Errorf("business %d has not one record: %s", i, a.text)
		}
	}
}
