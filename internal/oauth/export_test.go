package oauth

import (
	"net"
	"time"
)

// PassTime lets the throttle of registrations believe that time has passed.
func (s *Server) PassTime(d time.Duration) { s.registrations.passTime(d) }

// PassTime lets the throttles of log-ins and links believe that time has passed.
func (p *People) PassTime(d time.Duration) {
	for _, t := range []*Throttle{p.byAccount, p.byAddress, p.links} {
		t.passTime(d)
	}
}

func (t *Throttle) passTime(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, a := range t.left {
		a.at = a.at.Add(-d)
		t.left[key] = a
	}
}

// Hashes is how many hashes were computed to check passwords.
func (p *People) Hashes() int64 { return p.hashes.Load() }

// Through lets mail for any server go to the one at an address.
func (m *Mail) Through(address string) {
	m.dial = func(string) (net.Conn, error) { return net.Dial("tcp", address) }
}
