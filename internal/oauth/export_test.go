package oauth

import (
	"context"
	"net"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store/keep"
)

// PassTime lets the throttle of registrations believe that time has passed.
func (s *Server) PassTime(d time.Duration) { passTime(s.registrations, d) }

// PassTime lets the throttles of log-ins and links believe that time has passed.
func (p *People) PassTime(d time.Duration) {
	for _, t := range p.throttles() {
		passTime(t, d)
	}
}

// StopTime lets all throttles believe that it stays the time that it is, so that nothing comes back while a test runs.
func StopTime(p *People, s *Server) {
	now := time.Now()
	for _, t := range append(p.throttles(), s.registrations) {
		t.own.Now = func() time.Time { return now }
	}
}

func (p *People) throttles() []*shared {
	return []*shared{p.byAccount, p.byAddress, p.links, p.toOne, p.byBusiness}
}

func passTime(t *shared, d time.Duration) {
	before := t.own.Now
	t.own.Now = func() time.Time { return before().Add(d) }
}

// Hashes is how many hashes were computed to check passwords.
func (p *People) Hashes() int64 { return p.hashes.Load() }

// Through lets mail for any server go to the one at an address.
func (m *Mail) Through(address string) {
	m.dial = func(string) (net.Conn, error) { return net.Dial("tcp", address) }
}

// TakeLink uses up one of the links that somebody may ask for.
func TakeLink(ctx context.Context, p *People, key string) bool { return p.links.Take(ctx, key) }

// NoteFailure counts a log-in of somebody that was refused.
func NoteFailure(ctx context.Context, p *People, id keep.Identity) {
	p.failures.note(ctx, record.LogInFailed, id)
}
