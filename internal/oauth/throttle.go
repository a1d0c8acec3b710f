package oauth

import (
	"crypto/sha256"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Throttle lets something happen so many times in a period for each key. It is kept in memory: a restart forgives. Keys are what a stranger
// sent, so it keeps their hashes, and of those a bounded number.
type Throttle struct {
	most   float64
	period time.Duration
	mu     sync.Mutex
	left   map[throttleKey]allowance
	swept  time.Time
}

type throttleKey [16]byte

// mostThrottled is how many keys a throttle remembers, some ten megabytes of them.
const mostThrottled = 100_000

func hashThrottled(key string) throttleKey {
	sum := sha256.Sum256([]byte(key))
	return throttleKey(sum[:16])
}

type allowance struct {
	left float64
	at   time.Time
}

// NewThrottle makes one.
func NewThrottle(most int, period time.Duration) *Throttle {
	return &Throttle{most: float64(most), period: period, left: map[throttleKey]allowance{}}
}

// Take uses up one for a key, and reports false where none is left. It refills steadily, so nobody is locked out for good.
func (t *Throttle) Take(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if now.Sub(t.swept) > t.period {
		for k, a := range t.left {
			if now.Sub(a.at) > t.period {
				delete(t.left, k)
			}
		}
		t.swept = now
	}
	key := hashThrottled(name)
	a, ok := t.left[key]
	if !ok {
		if len(t.left) >= mostThrottled {
			t.forgetOne()
		}
		a = allowance{left: t.most, at: now}
	}
	a.left = min(t.most, a.left+t.most*float64(now.Sub(a.at))/float64(t.period))
	a.at = now
	if a.left < 1 {
		t.left[key] = a
		return false
	}
	a.left--
	t.left[key] = a
	return true
}

// forgetOne makes room for a key. Of a few that chance chooses it forgets the one that has the most left: so a flood of new keys pushes out
// itself, and not those that have used up what they had.
func (t *Throttle) forgetOne() {
	var most throttleKey
	left, looked := -1.0, 0
	for key, a := range t.left {
		if a.left > left {
			most, left = key, a.left
		}
		if looked++; looked == 16 {
			break
		}
	}
	delete(t.left, most)
}

// Forgive gives a key all back.
func (t *Throttle) Forgive(name string) {
	t.mu.Lock()
	delete(t.left, hashThrottled(name))
	t.mu.Unlock()
}

// network is what an address is throttled by. An IPv6 address counts as its /64 network: whoever has one has all of it.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}

// RemoteAddress is the address of the connection.
func RemoteAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
