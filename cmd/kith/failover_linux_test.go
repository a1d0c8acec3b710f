package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/pgtest"
)

// The primary of a pair is killed, or hangs, while eight writers write; its standby is promoted. The server finds that by itself,
// and nothing that it acknowledged is lost.
func TestFailover(t *testing.T) {
	for _, c := range []struct {
		name string
		fall func(*pgtest.Server)
	}{
		{"killed", (*pgtest.Server).Kill},
		{"hung", (*pgtest.Server).Hang},
	} {
		for n := range failovers {
			t.Run(fmt.Sprint(c.name, n+1), func(t *testing.T) {
				t.Parallel()
				primary, standby, db := pair(t)
				must(t, "migrate", "--db", db)
				_, token := newBusiness(t, db)
				v := newVictim(t, db)
				const writers = 8
				var acknowledged sync.Map // name → the moment of the answer
				var count atomic.Int64
				stop := make(chan struct{})
				var all sync.WaitGroup
				for w := range writers {
					all.Go(func() {
						for n := 0; ; n++ {
							name := fmt.Sprintf("w%d-%d", w, n)
							for {
								select {
								case <-stop:
									return
								default:
								}
								a := v.send(token, "POST /v1/contacts", `{"name":"`+name+`"}`, name)
								if a.status == http.StatusCreated {
									acknowledged.Store(name, time.Now())
									count.Add(1)
									break
								}
								if a.status != http.StatusServiceUnavailable {
									t.Errorf("%s is answered %d: %s", name, a.status, a.text)
									return
								}
								time.Sleep(20 * time.Millisecond)
							}
						}
					})
				}
				eventually(t, "there is something to lose", func() bool { return count.Load() > 100 || t.Failed() })
				c.fall(primary)
				before := count.Load()
				standby.Promote()
				promoted := time.Now()
				eventually(t, "writes are acknowledged again", func() bool { return count.Load() >= before+10*writers || t.Failed() })
				close(stop)
				all.Wait()
				first := time.Duration(-1)
				acknowledged.Range(func(_, at any) bool {
					if since := at.(time.Time).Sub(promoted); since > 0 && (first < 0 || since < first) {
						first = since
					}
					return true
				})
				t.Logf("%d writes were acknowledged, %d of them before the fall; the first one %v after the promotion", count.Load(),
					before, first.Round(time.Millisecond))
				if first > inTime {
					t.Errorf("the first write after the promotion came after %v", first)
				}
				names := v.names(t, token)
				acknowledged.Range(func(name, _ any) bool {
					if names[name.(string)] != 1 {
						t.Errorf("%s was acknowledged, and is there %d times", name, names[name.(string)])
					}
					return true
				})
				for name, n := range names {
					if n != 1 {
						t.Errorf("%s is there %d times", name, n)
					}
				}
				// The one that hung comes back, and believes to be the primary still. Nobody asks it any more.
				if c.name == "hung" {
					primary.Resume()
					if a := v.send(token, "POST /v1/contacts", `{"name":"after all"}`, ""); a.status != http.StatusCreated {
						t.Errorf("a write after the old primary is back is answered %d: %s", a.status, a.text)
					}
					if !strings.Contains(standby.Ask("SELECT string_agg(name, ',') FROM contacts"), "after all") {
						t.Error("it went to the old primary")
					}
				}
			})
		}
	}
}
