// Package throttle counts what may happen only so often: log-ins of an account, requests with a token.
package throttle

import (
	"crypto/sha256"
	"sync"
	"time"
)

// Throttle lets something happen so many times for each key, and gives back what was used as time goes by. It is kept in memory: a restart
// forgives. Keys may be what a stranger sent, so it keeps their hashes, and of those a bounded number.
type Throttle struct {
	// Now is its clock, for tests to set another.
	Now func() time.Time

	most, perSecond float64
	mu              sync.Mutex
	left            map[hash]allowance
	swept           time.Time
}

type hash [16]byte

type allowance struct {
	left float64
	at   time.Time
}

// maxKeys is how many keys a throttle remembers, some ten megabytes of them.
const maxKeys = 100_000

// New makes a throttle that lets something happen most times at once, and as often in each period.
func New(most int, period time.Duration) *Throttle {
	return &Throttle{most: float64(most), perSecond: float64(most) / period.Seconds(), Now: time.Now, left: map[hash]allowance{}}
}

// Take uses up one for a key, and reports false where none is left. It refills steadily, so nobody is locked out for good.
func (t *Throttle) Take(key string) bool {
	_, ok := t.TakeOf(key)
	return ok
}

// TakeOf does as Take, and tells how much the key has left.
func (t *Throttle) TakeOf(key string) (left float64, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.Now()
	t.sweep(now)
	k := hashOf(key)
	a, known := t.left[k]
	if !known {
		if len(t.left) >= maxKeys {
			t.forgetOne()
		}
		a = allowance{left: t.most, at: now}
	}
	a = allowance{left: t.refilled(a, now), at: now}
	if ok = a.left >= 1; ok {
		a.left--
	}
	t.left[k] = a
	return a.left, ok
}

// Forgive gives a key all back.
func (t *Throttle) Forgive(key string) {
	t.mu.Lock()
	delete(t.left, hashOf(key))
	t.mu.Unlock()
}

func hashOf(key string) hash {
	sum := sha256.Sum256([]byte(key))
	return hash(sum[:16])
}

// refilled is what an allowance has become by now.
func (t *Throttle) refilled(a allowance, now time.Time) float64 {
	return min(t.most, a.left+now.Sub(a.at).Seconds()*t.perSecond)
}

// sweep forgets the keys that have all back, now and then.
func (t *Throttle) sweep(now time.Time) {
	if now.Sub(t.swept) < time.Minute {
		return
	}
	t.swept = now
	for k, a := range t.left {
		if t.refilled(a, now) >= t.most {
			delete(t.left, k)
		}
	}
}

// forgetOne makes room for a key. Of a few that chance chooses it forgets the one that has the most left: so a flood of new keys pushes out
// itself, and not those that have used up what they had.
func (t *Throttle) forgetOne() {
	var most hash
	left, looked := -1.0, 0
	for k, a := range t.left {
		if a.left > left {
			most, left = k, a.left
		}
		if looked++; looked == 16 {
			break
		}
	}
	delete(t.left, most)
}
