package oauth

import "time"

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
