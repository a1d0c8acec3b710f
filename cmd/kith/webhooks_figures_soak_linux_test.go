//go:build soak

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What webhooks cost and how fast they are, as docs/performance.md tells it: events per second to a receiver beside the server, and what is left of the writes of a business while a hundred
// webhooks wait for what is not written, and while they are told of every write. With and without take turns, so that all of it is measured in the same minutes.
func TestWebhookFigures(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		_, token := newBusiness(t, db)
		v := newVictim(t, db, "--private-webhooks")
		var got atomic.Int64
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			got.Add(1)
		}))
		defer receiver.Close()
		v.client.Transport = &http.Transport{MaxIdleConnsPerHost: 16}
		ask := func(do, body string) string {
			a := v.send(token, do, body, "")
			if a.status >= 300 {
				t.Fatalf("%s: %d %s", do, a.status, a.text)
			}
			var made struct{ ID string }
			_ = json.Unmarshal([]byte(a.text), &made)
			return made.ID
		}
		hook := func(events string) string {
			return ask("POST /v1/webhooks", `{"url":"`+receiver.URL+`","events":["`+events+`"]}`)
		}
		status := func(id, to string) { ask("PATCH /v1/webhooks/"+id, `{"status":"`+to+`"}`) }

		one := hook("contact.created")
		status(one, "disabled")
		const events = 10_000
		for n := range events / 100 {
			operations := make([]string, 100)
			for i := range operations {
				operations[i] = fmt.Sprintf(`{"op":"create","data":{"name":"Contact %d of %d","job_title":"Director of measurements"}}`, i, n)
			}
			ask("POST /v1/contacts/batch", `{"operations":[`+strings.Join(operations, ",")+`]}`)
		}
		began := time.Now()
		status(one, "active")
		eventually(t, "all is told", func() bool { return got.Load() >= events })
		t.Logf("%s: %.0f deliveries a second to one receiver", db[:6], events/time.Since(began).Seconds())
		ask("DELETE /v1/webhooks/"+one, "")

		// writes counts how many contacts eight clients write, one by one, in some seconds.
		writes := func() int64 {
			var n atomic.Int64
			var all sync.WaitGroup
			stop := time.Now().Add(4 * time.Second)
			for range 8 {
				all.Go(func() {
					for time.Now().Before(stop) {
						ask("POST /v1/contacts", `{"name":"Written alone"}`)
						n.Add(1)
					}
				})
			}
			all.Wait()
			return n.Load()
		}
		writes() // and the caches are warm
		for _, c := range []struct{ name, events string }{{"that wait for something else", "deal.won"}, {"that are told of every write", "contact.created"}} {
			var hooks []string
			for range 100 {
				id := hook(c.events)
				status(id, "disabled")
				hooks = append(hooks, id)
			}
			without, with := int64(0), int64(0)
			for range 3 {
				without += writes()
				for _, id := range hooks {
					status(id, "active")
				}
				before := got.Load()
				with += writes()
				t.Logf("%s: %d deliveries meanwhile", db[:6], got.Load()-before)
				for _, id := range hooks {
					status(id, "disabled")
				}
			}
			t.Logf("%s: writes with 100 webhooks %s against none: %.2f (%d and %d)", db[:6], c.name, float64(with)/float64(without), with, without)
			for _, id := range hooks {
				ask("DELETE /v1/webhooks/"+id, "")
			}
		}
	})
}
