//go:build soak

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// figures measures what it costs a business that writes to have listeners.
type figures struct {
	t *testing.T
	v *victim
	// tokens are those of the business that writes, and others each one of another business.
	tokens, others []string
	// got counts what receivers of webhooks were told, and lines what clients of streams were.
	got, lines atomic.Int64
	receiver   string
	hooks      []string
	hush       []func()
}

func (f *figures) ask(do, body string) string {
	a := f.v.send(f.tokens[0], do, body, "")
	if a.status >= 300 {
		f.t.Fatalf("%s: %d %s", do, a.status, a.text)
	}
	var made struct{ ID string }
	_ = json.Unmarshal([]byte(a.text), &made)
	return made.ID
}

// writes counts how many contacts eight clients write a second, one by one.
func (f *figures) writes() float64 {
	const long = 3 * time.Second
	var n atomic.Int64
	var all sync.WaitGroup
	stop := time.Now().Add(long)
	for range 8 {
		all.Go(func() {
			for time.Now().Before(stop) {
				f.ask("POST /v1/contacts", `{"name":"Written alone"}`)
				n.Add(1)
			}
		})
	}
	all.Wait()
	return float64(n.Load()) / long.Seconds()
}

// webhooks has a hundred wait for events.
func (f *figures) webhooks(events string) {
	for range 100 {
		f.hooks = append(f.hooks, f.ask("POST /v1/webhooks", `{"url":"`+f.receiver+`","events":["`+events+`"]}`))
	}
}

// streams has a thousand clients listen, by turns with each of some tokens.
func (f *figures) streams(tokens []string) {
	var ready sync.WaitGroup
	for n := range 1000 {
		ctx, cancel := context.WithCancel(f.t.Context())
		f.hush = append(f.hush, cancel)
		ready.Add(1)
		go func() {
			begun := sync.OnceFunc(ready.Done)
			defer begun()
			req, _ := http.NewRequestWithContext(ctx, "GET", f.v.url+"/v1/changes/stream", nil)
			req.Header.Set("Version", "v1")
			req.Header.Set("Authorization", "Bearer "+tokens[n%len(tokens)])
			res, err := (&http.Transport{}).RoundTrip(req)
			if err != nil {
				f.t.Errorf("a stream: %v", err)
				return
			}
			defer res.Body.Close()
			if res.StatusCode != http.StatusOK {
				f.t.Errorf("a stream is answered %d", res.StatusCode)
			}
			begun()
			buffer := make([]byte, 64<<10)
			for {
				n, err := res.Body.Read(buffer)
				f.lines.Add(int64(bytes.Count(buffer[:n], []byte("\n\n"))))
				if err != nil {
					return
				}
			}
		}()
	}
	ready.Wait()
}

// alone takes all listeners away.
func (f *figures) alone() {
	for _, end := range f.hush {
		end()
	}
	for _, id := range f.hooks {
		f.ask("DELETE /v1/webhooks/"+id, "")
	}
	f.hush, f.hooks = nil, nil
	eventually(f.t, "nobody listens any more", func() bool {
		return f.metric("kith_streams") == 0 &&
			f.metric("kith_webhook_businesses") == 0
	})
}

// metric reads one from the server.
func (f *figures) metric(name string) float64 {
	_, page := get(f.t, f.v.log.entry(f.t, "metrics")["address"].(string))
	for lines := bufio.NewScanner(strings.NewReader(page)); lines.Scan(); {
		if value, is := strings.CutPrefix(lines.Text(), name+" "); is {
			number, err := strconv.ParseFloat(value, 64)
			if err != nil {
				f.t.Fatal(err)
			}
			return number
		}
	}
	f.t.Fatalf("there is no metric %s", name)
	return 0
}

// What webhooks and streams cost, as docs/performance.md tells it: events per second to a receiver beside the server, and what is
// left of the writes of a business while others listen to it. With and without take turns, so that all of it is measured in the
// same minutes.
func TestWebhookFigures(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		f := &figures{t: t}
		_, token := newBusiness(t, db)
		f.tokens = append(f.tokens, token)
		for range 19 {
			_, other := newBusiness(t, db)
			f.others = append(f.others, other)
		}
		f.v = newVictim(t, db, "--private-webhooks", "--metrics-addr", "127.0.0.1:0", "--rate-limit", "1000000", "--rate-burst", "1000000")
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			f.got.Add(1)
		}))
		defer receiver.Close()
		f.receiver = receiver.URL
		for range 9 {
			a := f.v.send(token, "POST /v1/tokens", `{"name":"Streams","scopes":["contact.read"]}`, "")
			var made struct{ Token string }
			if err := json.Unmarshal([]byte(a.text), &made); err != nil || made.Token == "" {
				t.Fatalf("%d %s", a.status, a.text)
			}
			f.tokens = append(f.tokens, made.Token)
		}
		f.v.client.Transport = &http.Transport{MaxIdleConnsPerHost: 16}
		engine, _, _ := strings.Cut(db, ":")

		one := f.ask("POST /v1/webhooks", `{"url":"`+f.receiver+`","events":["contact.created"],"status":"disabled"}`)
		const events = 10_000
		for n := range events / 100 {
			operations := make([]string, 100)
			for i := range operations {
				operations[i] = fmt.Sprintf(`{"op":"create","data":{"name":"Contact %d of %d","job_title":"Director of measurements"}}`,
					i, n)
			}
			f.ask("POST /v1/contacts/batch", `{"operations":[`+strings.Join(operations, ",")+`]}`)
		}
		began := time.Now()
		f.ask("PATCH /v1/webhooks/"+one, `{"status":"active"}`)
		eventually(t, "all is told", func() bool { return f.got.Load() >= events })
		t.Logf("%s: %.0f deliveries a second to one receiver", engine, events/time.Since(began).Seconds())
		f.ask("DELETE /v1/webhooks/"+one, "")

		f.writes() // and the caches are warm
		cases := []struct {
			name   string
			listen func()
			ratios []float64
		}{
			{"100 webhooks that wait for something else", func() { f.webhooks("deal.won") }, nil},
			{"100 webhooks that are told of every write", func() { f.webhooks("contact.created") }, nil},
			{"1,000 streams of the business", func() { f.streams(f.tokens) }, nil},
			{"1,000 streams of the business and 100 webhooks that wait", func() { f.streams(f.tokens); f.webhooks("deal.won") }, nil},
			{
				"1,000 streams of 20 businesses and 100 webhooks that wait",
				func() { f.streams(append(f.others, token)); f.webhooks("deal.won") }, nil,
			},
			{
				"1,000 streams of 20 businesses and 100 webhooks that are told",
				func() { f.streams(append(f.others, token)); f.webhooks("contact.created") }, nil,
			},
		}
		for range 4 {
			for i := range cases {
				c := &cases[i]
				before := f.writes()
				c.listen()
				got, lines := f.got.Load(), f.lines.Load()
				with := f.writes()
				t.Logf("%s: %s: %.2f (%.0f and %.0f); %d deliveries and %d entries meanwhile; webhooks lag %.1f s, streams %.1f s",
					engine, c.name, with/before, with, before,
					f.got.Load()-got, f.lines.Load()-lines, f.metric("kith_webhook_lag_seconds"), f.metric("kith_stream_lag_seconds"))
				f.alone()
				c.ratios = append(c.ratios, with/before)
			}
		}
		for _, c := range cases {
			if slices.Sort(c.ratios); len(c.ratios) > 0 {
				t.Logf("%s: writes with %s against none: %.2f (%.2f to %.2f)", engine, c.name, c.ratios[len(c.ratios)/2], c.ratios[0],
					c.ratios[len(c.ratios)-1])
			}
		}
	})
}
