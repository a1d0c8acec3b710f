package httpapi

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"kith/internal/problem"
	"kith/internal/schema"
)

// limiter gives each token a bucket of requests that refills steadily.
type limiter struct {
	rate, burst float64
	mu          sync.Mutex
	buckets     map[schema.UUID]*bucket
	swept       time.Time
}

type bucket struct {
	left float64
	at   time.Time
}

func newLimiter(rate, burst int) *limiter {
	return &limiter{rate: float64(rate), burst: float64(max(burst, 1)), buckets: map[schema.UUID]*bucket{}}
}

// check takes one request out of the token's bucket, and tells the caller in the headers of the IETF draft how much is left.
func (l *limiter) check(token schema.UUID, header http.Header) error {
	if l.rate <= 0 {
		return nil
	}
	now := time.Now()
	l.mu.Lock()
	l.sweep(now)
	b := l.buckets[token]
	if b == nil {
		if len(l.buckets) >= mostBuckets {
			l.forgetOne()
		}
		b = &bucket{left: l.burst, at: now}
		l.buckets[token] = b
	}
	b.left = min(l.burst, b.left+now.Sub(b.at).Seconds()*l.rate)
	b.at = now
	enough := b.left >= 1
	if enough {
		b.left--
	}
	left := b.left
	l.mu.Unlock()

	// Whole seconds until the next request fits, as Retry-After counts them.
	wait := int((1-left)/l.rate) + 1
	if left >= 1 {
		wait = 0
	}
	header.Set("RateLimit-Policy", fmt.Sprintf(`"token";q=%d;w=%d`, int(l.burst), max(1, int(l.burst/l.rate))))
	header.Set("RateLimit", fmt.Sprintf(`"token";r=%d;t=%d`, int(left), wait))
	if enough {
		return nil
	}
	header.Set("Retry-After", strconv.Itoa(wait))
	return problem.New(problem.TooManyRequests, "This token may make %d requests per second; try again in %d s.", int(l.rate), wait)
}

// mostBuckets is how many tokens' buckets are remembered, some ten megabytes of them.
const mostBuckets = 100_000

// forgetOne makes room for a bucket: of a few that chance chooses, the fullest goes, which is the least worth remembering.
func (l *limiter) forgetOne() {
	var fullest schema.UUID
	left, looked := -1.0, 0
	for token, b := range l.buckets {
		if b.left > left {
			fullest, left = token, b.left
		}
		if looked++; looked == 16 {
			break
		}
	}
	delete(l.buckets, fullest)
}

// sweep forgets the buckets that are full again, now and then.
func (l *limiter) sweep(now time.Time) {
	if now.Sub(l.swept) < time.Minute {
		return
	}
	l.swept = now
	for token, b := range l.buckets {
		if now.Sub(b.at).Seconds()*l.rate+b.left >= l.burst {
			delete(l.buckets, token)
		}
	}
}
