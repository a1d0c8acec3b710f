package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestHealthTellsWhetherTheServerCanWork(t *testing.T) {
	db := missingSQLite(t)
	r := start(t, "--db", db)
	at := strings.TrimPrefix(r.url, "http://")
	_, port, _ := net.SplitHostPort(at)
	for _, addr := range []string{at, ":" + port, "0.0.0.0:" + port} {
		t.Setenv("KITH_ADDR", addr) // as a container has it
		for _, args := range [][]string{{"health"}, {"health", "--live"}, {"health", "--json"}} {
			if code, out, errs := kith(t, args...); code != 0 || !strings.Contains(out, "ok") {
				t.Errorf("%v at %s: %d %s%s", args, addr, code, out, errs)
			}
		}
	}
	script(t, db, "UPDATE migration SET number = 1002 WHERE number = 2")
	eventuallyTrue(t, "an ill server is told from a healthy one", func() bool {
		code, _, errs := kith(t, "health")
		return code == 1 && strings.Contains(errs, "The database is not migrated.")
	})
	if code, _, errs := kith(t, "health", "--live"); code != 0 {
		t.Errorf("a server that runs: %d %s", code, errs)
	}
	r.stop()
	r.ended(t)
	if code, _, errs := kith(t, "health", "--live"); code != 1 || !strings.Contains(errs, "does not answer") {
		t.Errorf("a server that is gone: %d %s", code, errs)
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	code, _, errs := kith(t, "health", "--addr", strings.TrimPrefix(other.URL, "http://"))
	if code != 1 || !strings.Contains(errs, "not answered as kith does") {
		t.Errorf("another server: %d %s", code, errs)
	}
}

// balancer sends requests to the first of some servers that was ready when it last asked, as proxies in front of several do.
type balancer struct {
	to    []*url.URL
	ready []atomic.Bool
	next  atomic.Int64
}

func (b *balancer) ask(ctx context.Context) {
	for ctx.Err() == nil {
		for i, to := range b.to {
			answer, err := http.Get(to.String() + "/readyz")
			b.ready[i].Store(err == nil && answer.StatusCode == http.StatusOK)
			if err == nil {
				answer.Body.Close()
			}
		}
		select { // as seldom as proxies do
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (b *balancer) choose(p *httputil.ProxyRequest) {
	at := int(b.next.Add(1))
	for range b.to {
		if at++; b.ready[at%len(b.to)].Load() {
			break
		}
	}
	p.SetURL(b.to[at%len(b.to)])
}

// With the default of --stop-delay no request fails while a server behind a proxy is replaced, not even those that cannot be sent again.
func TestNoRequestFailsWhileAServerIsReplaced(t *testing.T) {
	t.Parallel()
	db := migratedPostgres(t)
	_, token := newBusiness(t, db)
	servers := []*running{start(t, "--db", db), start(t, "--db", db)}
	b := &balancer{ready: make([]atomic.Bool, len(servers))}
	for _, r := range servers {
		to, err := url.Parse(r.url)
		if err != nil {
			t.Fatal(err)
		}
		b.to = append(b.to, to)
	}
	go b.ask(t.Context())
	eventuallyTrue(t, "both servers are ready", func() bool { return b.ready[0].Load() && b.ready[1].Load() })
	var refused atomic.Pointer[string]
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: b.choose,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			says := err.Error()
			refused.Store(&says)
			w.WriteHeader(http.StatusBadGateway)
		},
	})
	defer proxy.Close()
	front := &running{url: proxy.URL, log: newLogged()}
	var stop atomic.Bool
	var done atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for !stop.Load() {
				if status, answer := front.post(t, token, "/contacts", `{"name":"Somebody"}`); status != http.StatusCreated {
					t.Errorf("%d %s", status, answer)
					return
				}
				done.Add(1)
				time.Sleep(time.Millisecond) // so that connections lie idle for a moment, as they do
			}
		})
	}
	more := func(n int64) {
		goal := done.Load() + n
		eventuallyTrue(t, "requests are answered", func() bool { return done.Load() >= goal || t.Failed() })
	}
	more(50)
	servers[0].stop()
	servers[0].ended(t)
	more(50)
	stop.Store(true)
	all.Wait()
	if says := refused.Load(); says != nil {
		t.Errorf("the proxy was told %s", *says)
	}
}
