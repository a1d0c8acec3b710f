// Package metrics counts what the operator watches, and tells it in the text form of Prometheus. It is written by hand, because
// every request pays for it: a count is a look into a map and three additions, and nothing is allocated.
package metrics

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Requests counts requests by method, route and status, and how long they took by method and route. Its labels are patterns and
// never what somebody sent, so that they are few and tell of nobody. A nil one counts nothing.
type Requests struct {
	mu sync.RWMutex
	by map[where]*counts
}

type where struct{ method, route string }

// counts are those of one route.
type counts struct {
	// within has for each bound how many took no longer than that and longer than the bound before, and last those beyond.
	within   [len(bounds) + 1]atomic.Int64
	took     atomic.Int64 // nanoseconds
	statuses [500]atomic.Int64
}

// bounds of the buckets, in seconds.
var bounds = [...]float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}

// NewRequests makes one.
func NewRequests() *Requests { return &Requests{by: map[where]*counts{}} }

// Count counts a request that was answered. The route is a pattern of ours; where none matched, it is empty.
func (r *Requests) Count(method, route string, status int, took time.Duration) {
	if r == nil {
		return
	}
	c := r.of(where{knownMethod(method), cmp.Or(route, "other")})
	seconds := took.Seconds()
	at := 0
	for at < len(bounds) && seconds > bounds[at] {
		at++
	}
	c.within[at].Add(1)
	c.took.Add(int64(took))
	c.statuses[min(max(status, 100), 599)-100].Add(1)
}

func (r *Requests) of(at where) *counts {
	r.mu.RLock()
	c := r.by[at]
	r.mu.RUnlock()
	if c != nil {
		return c
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c = r.by[at]; c == nil {
		c = &counts{}
		r.by[at] = c
	}
	return c
}

// knownMethod keeps the methods that a stranger makes up from becoming labels.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// Write tells the counts.
func (r *Requests) Write(p *Page) {
	r.mu.RLock()
	all := maps.Clone(r.by)
	r.mu.RUnlock()
	order := slices.SortedFunc(maps.Keys(all), func(a, b where) int {
		return cmp.Or(strings.Compare(a.route, b.route), strings.Compare(a.method, b.method))
	})

	p.Family("kith_http_requests_total", Counter, "Requests that were answered, by the pattern of their route.")
	for _, at := range order {
		for i := range all[at].statuses {
			if n := all[at].statuses[i].Load(); n > 0 {
				p.Value(float64(n), "method", at.method, "route", at.route, "status", strconv.Itoa(100+i))
			}
		}
	}
	p.Family("kith_http_request_duration_seconds", Histogram, "How long requests took until their answer was handed over.")
	for _, at := range order {
		var total int64
		for i := range all[at].within {
			total += all[at].within[i].Load()
			bound := "+Inf"
			if i < len(bounds) {
				bound = strconv.FormatFloat(bounds[i], 'g', -1, 64)
			}
			p.part("_bucket", float64(total), "method", at.method, "route", at.route, "le", bound)
		}
		p.part("_sum", time.Duration(all[at].took.Load()).Seconds(), "method", at.method, "route", at.route)
		p.part("_count", float64(total), "method", at.method, "route", at.route)
	}
}

// What a family's values are.
const (
	Counter   = "counter"
	Gauge     = "gauge"
	Histogram = "histogram"
)

// Page is a page of metrics that is being written. Its text form is version 0.0.4 of Prometheus's.
type Page struct {
	text   []byte
	family string
}

// ContentType is that of a page.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Family begins the values of one name.
func (p *Page) Family(name, kind, help string) {
	p.family = name
	p.text = append(p.text, "# HELP "+name+" "+help+"\n# TYPE "+name+" "+kind+"\n"...)
}

// One tells a family with one value.
func (p *Page) One(name, kind, help string, value float64) {
	p.Family(name, kind, help)
	p.Value(value)
}

// Value tells a value of the family, with names and values of its labels in turn.
func (p *Page) Value(value float64, labels ...string) { p.part("", value, labels...) }

func (p *Page) part(suffix string, value float64, labels ...string) {
	p.text = append(append(p.text, p.family...), suffix...)
	for i := 0; i+1 < len(labels); i += 2 {
		between := byte(',')
		if i == 0 {
			between = '{'
		}
		p.text = append(append(append(p.text, between), labels[i]...), '=', '"')
		p.text = append(append(p.text, escapes.Replace(labels[i+1])...), '"')
	}
	if len(labels) > 0 {
		p.text = append(p.text, '}')
	}
	p.text = append(strconv.AppendFloat(append(p.text, ' '), value, 'g', -1, 64), '\n')
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// Text is the page.
func (p *Page) Text() []byte { return p.text }
