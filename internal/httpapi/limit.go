package httpapi

import (
	"fmt"
	"math"
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
	// policy is the limit as the header of the IETF draft tells it.
	policy  []string
	mu      sync.Mutex
	buckets map[schema.UUID]*bucket
	swept   time.Time
	now     func() time.Time
}

type bucket struct {
	left float64
	at   time.Time
}

func newLimiter(rate, burst int) *limiter {
	burst = max(burst, 1)
	policy := []string{fmt.Sprintf(`"token";q=%d;w=1;burst=%d`, rate, burst)}
	return &limiter{rate: float64(rate), burst: float64(burst), policy: policy, now: time.Now, buckets: map[schema.UUID]*bucket{}}
}

// check takes one request out of the token's bucket, and tells the caller in the headers of the IETF draft how much is left.
func (l *limiter) check(token schema.UUID, header http.Header) error {
	if l.rate <= 0 {
		return nil
	}
	now := l.now()
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

	// The headers count whole seconds until the next request fits; a burst refills faster than that, so the problem counts milliseconds.
	wait := time.Duration(0)
	if left < 1 {
		wait = time.Duration(math.Ceil((1-left)/l.rate*1000)) * time.Millisecond
	}
	seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
	header["Ratelimit-Policy"] = l.policy
	header.Set("RateLimit", `"token";r=`+strconv.Itoa(int(left))+";t="+seconds)
	if enough {
		return nil
	}
	header.Set("Retry-After", seconds)
	p := problem.New(problem.TooManyRequests, "This token may make %d requests per second, and %d at once. The next one fits in %d ms.", int(l.rate), int(l.burst), wait.Milliseconds())
	p.RetryAfter = wait
	return p
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
