package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// heard is an event as a receiver got it.
type heard struct {
	id        string
	seq, prev int64
	record    string
}

// listener is the receiver of a webhook. It checks every signature.
type listener struct {
	t      *testing.T
	url    string
	mu     sync.Mutex
	checks *standardwebhooks.Webhook
	all    []heard
	// records counts how often it was told of each.
	records map[string]int
}

func newListener(t *testing.T) *listener {
	l := &listener{t: t, records: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var e struct {
			Seq  int64 `json:"seq"`
			Prev int64 `json:"prev_seq"`
			Data struct {
				RecordID string `json:"record_id"`
			} `json:"data"`
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // its sender was killed
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if err := l.checks.Verify(body, r.Header); err != nil {
			t.Errorf("%v: %s", err, body)
		}
		if err := json.Unmarshal(body, &e); err != nil {
			t.Errorf("%v: %s", err, body)
		}
		l.all = append(l.all, heard{r.Header.Get("webhook-id"), e.Seq, e.Prev, e.Data.RecordID})
		l.records[e.Data.RecordID]++
	}))
	t.Cleanup(server.Close)
	l.url = server.URL
	return l
}

func (l *listener) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}

// unnoted is the most that a server has delivered and not noted: what it notes at once, and what is on its way.
const unnoted = 200 + 2*16

// Of several servers on one database the one that delivers to webhooks is killed in the midst of it. Every event arrives, signed,
// in a chain without a gap, and those that come twice came just before the kill. A receiver that never answers is beside it all the
// time.
func TestKilledServersLoseNothingOfWebhooks(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		t.Parallel()
		_, token := newBusiness(t, db)
		begin := func() *victim { return newVictim(t, db, "--private-webhooks", "--metrics-addr", "127.0.0.1:0") }
		servers := []*victim{begin()}
		for strings.HasPrefix(db, "postgres") && len(servers) < tellers {
			servers = append(servers, begin())
		}
		well := newListener(t)
		hangs := make(chan struct{})
		dead := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hangs }))
		stop := sync.OnceFunc(func() { close(hangs) })
		t.Cleanup(dead.Close)
		t.Cleanup(stop)
		for _, to := range []string{dead.URL, well.url} {
			a := servers[0].send(token, "POST /v1/webhooks", `{"url":"`+to+`","events":["contact.created"]}`, "")
			var made struct{ Secret string }
			if err := json.Unmarshal([]byte(a.text), &made); err != nil || a.status != http.StatusCreated {
				t.Fatalf("%d %s", a.status, a.text)
			}
			var err error
			if well.checks, err = standardwebhooks.NewWebhook(made.Secret); err != nil {
				t.Fatal(err)
			}
		}
		written := map[string]bool{}
		write := func(n int) {
			operations := make([]string, 100)
			for i := range operations {
				operations[i] = fmt.Sprintf(`{"op":"create","data":{"name":"C%dx%d"}}`, n, i)
			}
			a := servers[0].send(token, "POST /v1/contacts/batch", `{"operations":[`+strings.Join(operations, ",")+`]}`, fmt.Sprint("w", n))
			var results struct {
				Data []struct{ Record struct{ ID string } }
			}
			if err := json.Unmarshal([]byte(a.text), &results); err != nil || a.status != http.StatusOK || len(results.Data) != 100 {
				t.Fatalf("%d %s", a.status, a.text)
			}
			for _, r := range results.Data {
				written[r.Record.ID] = true
			}
		}
		var killedAt []int
		for n := range tellings / 100 {
			write(n)
			if len(killedAt) >= silenced || (n+1)*(silenced+1) < (len(killedAt)+1)*tellings/100 {
				continue
			}
			before := well.count()
			eventually(t, "it is told of something before the next kill",
				func() bool { return well.count() > before || well.count() == len(written) })
			at := slices.IndexFunc(servers, func(v *victim) bool {
				_, page := get(t, v.log.entry(t, "metrics")["address"].(string))
				return strings.Contains(page, "\nkith_webhook_businesses 1\n")
			})
			if at = max(0, at); len(servers) > 1 && at == 0 {
				servers[0], servers[1], at = servers[1], servers[0], 1 // who is asked from now on lives
			}
			servers[at].kill()
			killedAt = append(killedAt, well.count())
			servers[at] = begin()
		}
		told := func() int {
			well.mu.Lock()
			defer well.mu.Unlock()
			return len(well.records)
		}
		for known := 0; known < len(written) && !t.Failed(); known = told() { // as long as that takes, while it gets on
			eventually(t, fmt.Sprintf("it is told of more than %d of %d", known, len(written)),
				func() bool { return t.Failed() || told() > known })
		}
		stop()
		well.mu.Lock()
		defer well.mu.Unlock()
		first, ids := map[int64]int{}, map[string]int64{}
		doubles := 0
		for i, h := range well.all {
			if seq, known := ids[h.id]; known && seq != h.seq || !written[h.record] {
				t.Errorf("%+v came, and its id was that of %d", h, seq)
			}
			ids[h.id] = h.seq
			if at, again := first[h.seq]; again {
				doubles++
				if !slices.ContainsFunc(killedAt, func(kill int) bool { return at < kill+unnoted && at >= kill-unnoted }) {
					t.Errorf("%+v came as number %d and again as %d; servers were killed at %v", h, at, i, killedAt)
				}
				continue
			}
			first[h.seq] = i
		}
		// Whatever came how often: each event names the one before it.
		chain := slices.SortedFunc(slices.Values(well.all), func(a, b heard) int { return int(a.seq - b.seq) })
		last := int64(0)
		for _, h := range chain {
			if h.seq != last {
				if h.prev != last {
					t.Errorf("%d came behind %d, and says %d", h.seq, last, h.prev)
				}
				last = h.seq
			}
		}
		t.Logf("%d events, %d of them twice, %d kills", len(written), doubles, len(killedAt))
	})
}
