package keep

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Allowance is how often something may happen for a key: most times at once, and as often in each period.
type Allowance struct {
	Most   int
	Period time.Duration
}

// Take uses up one of what each of some keys may do, and tells of each whether it had any left. It counts in the database, for all servers
// together, and all keys in one transaction, so that how long it takes does not tell how many they are. A row says when the key will have
// everything back: the further that is off, the less it has.
func Take(ctx context.Context, s *store.Store, keys []Hash, a Allowance, now time.Time) (had []bool, err error) {
	inOrder := make([]int, len(keys)) // so that no two wait for each other
	for i := range keys {
		inOrder[i] = i
	}
	slices.SortFunc(inOrder, func(i, j int) int { return bytes.Compare(keys[i][:], keys[j][:]) })
	err = s.Outside(ctx, func(o store.Outside) error {
		had = make([]bool, len(keys))
		for _, i := range inOrder {
			ok, err := takeOne(o, keys[i], a, now)
			if err != nil {
				return err
			}
			had[i] = ok
		}
		return nil
	})
	return had, err
}

func takeOne(o store.Outside, key Hash, a Allowance, now time.Time) (ok bool, err error) {
	// The row first, so that of several who come at once each waits for those before it.
	insert := "INSERT INTO attempt (hash, full_at) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING"
	if _, err := o.Exec(room.SQL(insert, key.value(), schema.TimeValue(now))); err != nil {
		return false, err
	}
	full, err := room.One(o.Query, room.SQL("SELECT full_at FROM attempt WHERE hash = ? {lock}", key.value()), firstTime)
	if err != nil {
		return false, err
	}
	if full.Before(now) {
		full = now
	}
	full = full.Add(a.Period / time.Duration(a.Most))
	if full.After(now.Add(a.Period)) {
		return false, nil
	}
	_, err = o.Exec(room.SQL("UPDATE attempt SET full_at = ? WHERE hash = ?", schema.TimeValue(full), key.value()))
	return true, err
}

// Forgive gives a key all back.
func Forgive(ctx context.Context, s *store.Store, key Hash) error {
	return outside(ctx, s, "DELETE FROM attempt WHERE hash = ?", key.value())
}
