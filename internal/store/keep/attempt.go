package keep

import (
	"context"
	"time"

	"kith/internal/schema"
	"kith/internal/store"
	"kith/internal/store/internal/room"
)

// Allowance is how often something may happen for a key: most times at once, and as often in each period.
type Allowance struct {
	Most   int
	Period time.Duration
}

// Take uses up one of what a key may do, and reports false where none is left. It counts in the database, for all servers together. A row says when the key will
// have everything back: the further that is off, the less it has.
func Take(ctx context.Context, s *store.Store, key Hash, a Allowance, now time.Time) (ok bool, err error) {
	err = s.Outside(ctx, func(o store.Outside) error {
		// The row first, so that of several who come at once each waits for those before it.
		if _, err := o.Exec(room.SQL("INSERT INTO attempt (hash, full_at) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING", key.value(), schema.TimeValue(now))); err != nil {
			return err
		}
		full := now
		err := o.Query(room.SQL("SELECT full_at FROM attempt WHERE hash = ? {lock}", key.value()), func(r room.Row) error {
			full = timeOf(r, 0)
			return nil
		})
		if err != nil {
			return err
		}
		if full.Before(now) {
			full = now
		}
		full = full.Add(a.Period / time.Duration(a.Most))
		if ok = !full.After(now.Add(a.Period)); !ok {
			return nil
		}
		_, err = o.Exec(room.SQL("UPDATE attempt SET full_at = ? WHERE hash = ?", schema.TimeValue(full), key.value()))
		return err
	})
	return ok, err
}

// Forgive gives a key all back.
func Forgive(ctx context.Context, s *store.Store, key Hash) error {
	return s.Outside(ctx, func(o store.Outside) error {
		_, err := o.Exec(room.SQL("DELETE FROM attempt WHERE hash = ?", key.value()))
		return err
	})
}
