package store_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"kith/internal/store"
	"kith/internal/store/storetest"
)

// What is kept is gone after a day, and does not pile up.
func TestKeptAnswersEnd(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		b := storetest.Business(t, s)
		write := func(fn func(tx *store.Tx) error) {
			t.Helper()
			if err := b.Write(t.Context(), store.Actor{}, fn); err != nil {
				t.Fatal(err)
			}
		}
		hash := func(n int) [32]byte { return sha256.Sum256([]byte{byte(n), byte(n >> 8)}) }
		const many = 200
		write(func(tx *store.Tx) error {
			for n := range many {
				if err := tx.KeepAnswer(hash(n), store.Answer{Status: 201, ETag: `"1"`, Body: []byte("early")}); err != nil {
					return err
				}
			}
			return nil
		})
		find := func(n int) (found *store.Answer) {
			write(func(tx *store.Tx) (err error) {
				found, err = tx.Answer(hash(n))
				return err
			})
			return found
		}
		if a := find(7); a == nil || a.Status != 201 || a.ETag != `"1"` || a.Location != "" || string(a.Body) != "early" {
			t.Errorf("kept is %+v", a)
		}
		later := time.Now().Add(store.AnswersLast + time.Minute)
		s.SetClock(func() time.Time { return later })
		if a := find(7); a != nil {
			t.Errorf("after a day there is still %+v", a)
		}
		write(func(tx *store.Tx) error {
			for n := range many { // the same hashes, and as many others
				for _, n := range []int{n, n + many} {
					if err := tx.KeepAnswer(hash(n), store.Answer{Status: 200, Body: []byte("late")}); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if a := find(7); a == nil || a.Status != 200 || a.ETag != "" || string(a.Body) != "late" {
			t.Errorf("kept again is %+v", a)
		}
		later = later.Add(store.AnswersLast + time.Minute)
		write(func(tx *store.Tx) error {
			for n := range 3 * many {
				if err := tx.KeepAnswer(hash(n+2*many), store.Answer{Status: 200, Body: []byte("last")}); err != nil {
					return err
				}
			}
			return nil
		})
		n, err := s.Answers(t.Context())
		if err != nil || n < 3*many || n > 3*many+many/2 { // of the 400 that are too old a few may not have had their turn
			t.Errorf("%d answers are left, %v; want %d and few of the 400 before them", n, err, 3*many)
		}
	})
}
