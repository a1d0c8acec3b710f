package oauth

import (
	"net"
	"time"

	"kith/internal/throttle"
)

// PassTime lets the throttle of registrations believe that time has passed.
func (s *Server) PassTime(d time.Duration) { passTime(s.registrations, d) }

// PassTime lets the throttles of log-ins and links believe that time has passed.
func (p *People) PassTime(d time.Duration) {
	for _, t := range []*throttle.Throttle{p.byAccount, p.byAddress, p.links} {
		passTime(t, d)
	}
}

func passTime(t *throttle.Throttle, d time.Duration) {
	before := t.Now
	t.Now = func() time.Time { return before().Add(d) }
}

// Hashes is how many hashes were computed to check passwords.
func (p *People) Hashes() int64 { return p.hashes.Load() }

// Through lets mail for any server go to the one at an address.
func (m *Mail) Through(address string) {
	m.dial = func(string) (net.Conn, error) { return net.Dial("tcp", address) }
}
