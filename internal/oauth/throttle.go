package oauth

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Throttle lets something happen so many times in a period for each key. It is kept in memory: a restart forgives.
type Throttle struct {
	most   float64
	period time.Duration
	mu     sync.Mutex
	left   map[string]allowance
	swept  time.Time
}

type allowance struct {
	left float64
	at   time.Time
}

// NewThrottle makes one.
func NewThrottle(most int, period time.Duration) *Throttle {
	return &Throttle{most: float64(most), period: period, left: map[string]allowance{}}
}

// Take uses up one for a key, and reports false where none is left. It refills steadily, so nobody is locked out for good.
func (t *Throttle) Take(key string) bool {
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
	a, ok := t.left[key]
	if !ok {
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

// Forgive gives a key all back.
func (t *Throttle) Forgive(key string) {
	t.mu.Lock()
	delete(t.left, key)
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
