package store

import (
	"context"
	"errors"
)

// Complete makes anew what servers of other releases left behind in businesses whose records they changed. What it mended is told. It
// gives how many businesses have still to be completed, because others wrote meanwhile.
func (s *Store) Complete(ctx context.Context, rules Rules, told func(Fault)) (left int, err error) {
	// What was written by programs of this layout from before there were stamps is whole, and from here on nobody else can move it on.
	err = s.outside(ctx, s.stampSQL("figured_seq = change_seq"))
	// Where a machine of a cluster is gone, the businesses on the others are completed all the same.
	stale, failed := s.businessesAcross(ctx, "t.figured_seq IS NULL OR NOT ("+s.wholeSQL("t")+")")
	err = errors.Join(err, failed)
	for _, t := range stale {
		done, failed := t.complete(ctx, rules, told)
		if err = errors.Join(err, failed); !done {
			left++
		}
	}
	return left, err
}

func (t Tenant) complete(ctx context.Context, rules Rules, told func(Fault)) (done bool, err error) {
	var seq int64
	if err := t.Write(ctx, Actor{}, func(tx *Tx) error { seq = tx.seq; return nil }); err != nil {
		return false, err
	}
	err = t.Check(ctx, Checking{Rules: rules, Repair: true, Found: func(f Fault) {
		if f.Mended {
			told(f)
		}
	}})
	if err != nil {
		return false, err
	}
	err = t.Write(ctx, Actor{}, func(tx *Tx) error {
		if done = tx.seq == seq; !done {
			return nil
		}
		return tx.refigure()
	})
	return done, err
}
