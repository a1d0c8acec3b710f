package httpapi

import (
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// refusals counts how many of n requests a limiter refuses.
func refusals(t *testing.T, l *limiter, token schema.UUID, n int) (refused int) {
	t.Helper()
	for range n {
		header := http.Header{}
		err := l.check(token, header)
		var p *problem.Problem
		switch {
		case err == nil:
		case errors.As(err, &p) && p.Code == problem.TooManyRequests:
			refused++
			if wait, err := strconv.Atoi(header.Get("Retry-After")); err != nil || wait < 1 {
				t.Errorf("Retry-After is %q", header.Get("Retry-After"))
			}
		default:
			t.Fatal(err)
		}
	}
	return refused
}

// The policy tells the figures that the operator gave, and a refusal to the millisecond when the next request fits: whole seconds, which is
// all that the headers can say, would waste most of what a quick limit allows.
func TestLimiterTellsItsFigures(t *testing.T) {
	for _, c := range []struct {
		rate, burst int
		policy      string
		// left is what the token has; wait is when the next request fits.
		left      float64
		wait      time.Duration
		ratelimit string
	}{
		{5, 100, `"token";q=5;w=1;burst=100`, 99.5, 0, `"token";r=98;t=0`},
		{5, 100, `"token";q=5;w=1;burst=100`, 1.5, 0, `"token";r=0;t=1`},
		{200, 100, `"token";q=200;w=1;burst=100`, 0.5, 3 * time.Millisecond, `"token";r=0;t=1`},
		{3, 100, `"token";q=3;w=1;burst=100`, 0, 334 * time.Millisecond, `"token";r=0;t=1`},
		{1, 1, `"token";q=1;w=1;burst=1`, 0, time.Second, `"token";r=0;t=1`},
		{50, 0, `"token";q=50;w=1;burst=1`, 0, 20 * time.Millisecond, `"token";r=0;t=1`},
	} {
		l := newLimiter(c.rate, c.burst)
		token := schema.NewID(time.Now())
		start := time.Now()
		now := start
		l.tokens.Now = func() time.Time { return now }
		refusals(t, l, token, max(c.burst, 1))
		now = start.Add(time.Duration(c.left / float64(c.rate) * float64(time.Second)))
		header := http.Header{}
		err := l.check(token, header)
		if got := header.Get("RateLimit-Policy"); got != c.policy {
			t.Errorf("%d and %d: the policy is %s, want %s", c.rate, c.burst, got, c.policy)
		}
		if got := header.Get("RateLimit"); got != c.ratelimit {
			t.Errorf("%d and %d with %v left: RateLimit is %s, want %s", c.rate, c.burst, c.left, got, c.ratelimit)
		}
		p := problem.As(err)
		if (p != nil) != (c.wait > 0) {
			t.Errorf("%d and %d with %v left: %v", c.rate, c.burst, c.left, err)
			continue
		}
		if p != nil && (p.RetryAfter != c.wait || header.Get("Retry-After") != "1") {
			t.Errorf("%d and %d with %v left: the next fits in %v, want %v; Retry-After is %s", c.rate, c.burst, c.left, p.RetryAfter,
				c.wait, header.Get("Retry-After"))
		}
	}
}

func TestLimiterKeepsTokensApart(t *testing.T) {
	l := newLimiter(1, 1)
	first, second := schema.NewID(time.Now()), schema.NewID(time.Now())
	if n := refusals(t, l, first, 3) + refusals(t, l, second, 3); n != 4 {
		t.Errorf("%d of 6 were refused, want 4", n)
	}
}

func TestNoLimit(t *testing.T) {
	l := newLimiter(0, 0)
	header := http.Header{}
	if err := l.check(schema.NewID(time.Now()), header); err != nil || len(header) != 0 {
		t.Errorf("a limiter that is off says %v, %v", err, header)
	}
}
