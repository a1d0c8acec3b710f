package httpapi

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/throttle"
)

// limiter gives each token a number of requests that refills steadily.
type limiter struct {
	rate, burst int
	// policy is the limit as the header of the IETF draft tells it.
	policy []string
	// tokens counts for each; nil is no limit.
	tokens *throttle.Throttle
}

func newLimiter(rate, burst int) *limiter {
	if rate <= 0 {
		return &limiter{}
	}
	burst = max(burst, 1)
	refill := time.Duration(float64(burst) / float64(rate) * float64(time.Second))
	return &limiter{
		rate: rate, burst: burst, policy: []string{fmt.Sprintf(`"token";q=%d;w=1;burst=%d`, rate, burst)},
		tokens: throttle.New(burst, refill),
	}
}

// check takes one request of what the token has, and tells the caller in the headers of the IETF draft how much is left.
func (l *limiter) check(token schema.UUID, header http.Header) error {
	if l.tokens == nil {
		return nil
	}
	left, enough := l.tokens.TakeOf(string(token[:]))

	// The headers count whole seconds until the next request fits; a burst refills faster than that, so the problem counts milliseconds.
	wait := time.Duration(0)
	if left < 1 {
		wait = time.Duration(math.Ceil((1-left)/float64(l.rate)*1000)) * time.Millisecond
	}
	seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
	header["Ratelimit-Policy"] = l.policy
	header.Set("RateLimit", `"token";r=`+strconv.Itoa(int(left))+";t="+seconds)
	if enough {
		return nil
	}
	header.Set("Retry-After", seconds)
	p := problem.New(problem.TooManyRequests, "This token may make %d requests per second, and %d at once. The next one fits in %d ms.",
		l.rate, l.burst, wait.Milliseconds())
	p.RetryAfter = wait
	return p
}
