package metrics_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/metrics"
)

func lines(r *metrics.Requests) []string {
	var p metrics.Page
	r.Write(&p)
	return strings.Split(string(p.Text()), "\n")
}

func TestRequestsAreCountedByRouteAndStatus(t *testing.T) {
	r := metrics.NewRequests()
	r.Count(http.MethodGet, "/v1/contacts/{id}", 200, 3*time.Millisecond)
	r.Count(http.MethodGet, "/v1/contacts/{id}", 200, time.Hour)
	r.Count(http.MethodGet, "/v1/contacts/{id}", 404, 5*time.Millisecond)
	r.Count("BREW\"\n", "", 0, 0)
	got := lines(r)
	for _, want := range []string{
		`# TYPE kith_http_requests_total counter`,
		`kith_http_requests_total{method="GET",route="/v1/contacts/{id}",status="200"} 2`,
		`kith_http_requests_total{method="GET",route="/v1/contacts/{id}",status="404"} 1`,
		`kith_http_requests_total{method="other",route="other",status="100"} 1`,
		`# TYPE kith_http_request_duration_seconds histogram`,
		`kith_http_request_duration_seconds_bucket{method="GET",route="/v1/contacts/{id}",le="0.0025"} 0`,
		`kith_http_request_duration_seconds_bucket{method="GET",route="/v1/contacts/{id}",le="0.005"} 2`,
		`kith_http_request_duration_seconds_bucket{method="GET",route="/v1/contacts/{id}",le="10"} 2`,
		`kith_http_request_duration_seconds_bucket{method="GET",route="/v1/contacts/{id}",le="+Inf"} 3`,
		`kith_http_request_duration_seconds_count{method="GET",route="/v1/contacts/{id}"} 3`,
		`kith_http_request_duration_seconds_sum{method="GET",route="/v1/contacts/{id}"} 3600.008`,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(strings.Join(got, "\n"))
	}
}

// Every request pays for it.
func TestCountingAllocatesNothing(t *testing.T) {
	r := metrics.NewRequests()
	r.Count(http.MethodGet, "/v1/me", 200, time.Millisecond)
	if n := testing.AllocsPerRun(100, func() { r.Count(http.MethodGet, "/v1/me", 200, time.Millisecond) }); n > 0 {
		t.Errorf("a count allocates %v times", n)
	}
	var none *metrics.Requests
	none.Count(http.MethodGet, "/v1/me", 200, time.Millisecond)
}

func TestNoneIsLostWhenManyCount(t *testing.T) {
	r := metrics.NewRequests()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				r.Count(http.MethodPost, "/v1/contacts", 201, time.Millisecond)
			}
		})
	}
	all.Wait()
	if !slices.Contains(lines(r), `kith_http_requests_total{method="POST",route="/v1/contacts",status="201"} 8000`) {
		t.Error(strings.Join(lines(r), "\n"))
	}
}

func TestLabelsAreEscaped(t *testing.T) {
	var p metrics.Page
	p.Family("x", metrics.Gauge, "X.")
	p.Value(0.5, "a", "back\\slash \"quoted\"\nnext", "b", "")
	if got, want := string(p.Text()), "# HELP x X.\n# TYPE x gauge\nx{a=\"back\\\\slash "+
		"\\\"quoted\\\"\\nnext\",b=\"\"} 0.5\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func BenchmarkCount(b *testing.B) {
	r := metrics.NewRequests()
	for b.Loop() {
		r.Count(http.MethodGet, "/v1/contacts/{id}", 200, 3*time.Millisecond)
	}
}
