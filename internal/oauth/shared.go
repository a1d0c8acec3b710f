package oauth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"log/slog"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/throttle"
)

// shared is a throttle that holds for all servers of a database together, and that a restart does not forgive. What this server's
// own memory refuses is refused at once; what it lets pass is counted in the database as well. So a flood costs the database no
// more than it lets pass.
type shared struct {
	name      string
	allowance keep.Allowance
	own       *throttle.Throttle
	store     *store.Store
	log       *slog.Logger

	mu     sync.Mutex
	secret []byte
}

func newShared(name string, most int, period time.Duration, s *store.Store, log *slog.Logger) *shared {
	return &shared{name: name, allowance: keep.Allowance{Most: most, Period: period}, own: throttle.New(most, period), store: s, log: log}
}

// hash is what the database knows a key by. A key may be somebody's e-mail address, so the hash needs what all servers know and
// nobody else: without it the addresses of a list could be tried.
func (s *shared) hash(ctx context.Context, key string) (h keep.Hash, err error) {
	s.mu.Lock()
	secret := s.secret
	s.mu.Unlock()
	if secret == nil {
		if secret, err = s.store.Secret(ctx, "attempt"); err != nil {
			return h, err
		}
		s.mu.Lock()
		s.secret = secret
		s.mu.Unlock()
	}
	sum := hmac.New(sha256.New, secret)
	sum.Write([]byte(s.name + "\x00" + key))
	return keep.Hash(sum.Sum(nil)), nil
}

// Take uses up one for a key, and reports false where none is left. While the database does not answer, each server goes by its own count.
func (s *shared) Take(ctx context.Context, key string) bool { return s.TakeEach(ctx, key)[0] }

// TakeEach uses up one for each of some keys, and tells of each whether one was left.
func (s *shared) TakeEach(ctx context.Context, keys ...string) []bool {
	had := make([]bool, len(keys))
	var let []int
	var hashes []keep.Hash
	for i, key := range keys {
		if had[i] = s.own.Take(key); !had[i] {
			continue
		}
		hash, err := s.hash(ctx, key)
		if err != nil {
			s.alone(err)
			continue
		}
		let, hashes = append(let, i), append(hashes, hash)
	}
	if len(hashes) == 0 {
		return had
	}
	inAll, err := keep.Take(ctx, s.store, hashes, s.allowance, s.own.Now())
	if err != nil {
		s.alone(err)
		return had
	}
	for n, i := range let {
		had[i] = inAll[n]
	}
	return had
}

// Forgive gives a key all back.
func (s *shared) Forgive(ctx context.Context, key string) {
	s.own.Forgive(key)
	hash, err := s.hash(ctx, key)
	if err == nil {
		err = keep.Forgive(ctx, s.store, hash)
	}
	if err != nil {
		s.alone(err)
	}
}

func (s *shared) alone(err error) {
	s.log.Warn("attempts are counted by this server alone", "what", s.name, "error", err)
}
