package store_test

import (
	"crypto/sha256"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// What is kept is gone after a day, and does not unordered range up.
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
				if err := queue.KeepAnswer(tx, hash(n), queue.Answer{Status: 201, ETag: `"1"`, Body: []byte("early")}); err != nil {
					return err
				}
			}
			return nil
		})
		find := func(n int) (found *queue.Answer) {
			write(func(tx *store.Tx) (err error) {
				found, err = queue.AnswerIn(tx, hash(n))
				return err
			})
			return found
		}
		if a := find(7); a == nil || a.Status != 201 || a.ETag != `"1"` || a.Location != "" || string(a.Body) != "early" {
			t.Errorf("kept is %+v", a)
		}
		later := time.Now().Add(queue.AnswersLast + time.Minute)
		s.SetClock(func() time.Time { return later })
		if a := find(7); a != nil {
			t.Errorf("after a day there is still %+v", a)
		}
		write(func(tx *store.Tx) error {
			for n := range many { // the same hashes, and as many others
				for _, n := range []int{n, n + many} {
					if err := queue.KeepAnswer(tx, hash(n), queue.Answer{Status: 200, Body: []byte("late")}); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if a := find(7); a == nil || a.Status != 200 || a.ETag != "" || string(a.Body) != "late" {
			t.Errorf("kept again is %+v", a)
		}
		later = later.Add(queue.AnswersLast + time.Minute)
		write(func(tx *store.Tx) error {
			for n := range 3 * many {
				if err := queue.KeepAnswer(tx, hash(n+2*many), queue.Answer{Status: 200, Body: []byte("last")}); err != nil {
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

// Answers are looked up and swept along the primary key. Plans are kept, so also those that were made while the table was new.
func TestAnswersAreFoundByTheirKey(t *testing.T) {
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) {
			oneMachine(t, name)
			url := fresh(t)
			s, traced := open(t, url), open(t, url)
			var mu sync.Mutex
			seen := map[string]store.Statement{}
			traced.Trace(func(st store.Statement) {
				mu.Lock()
				defer mu.Unlock()
				if strings.Contains(st.SQL, " answer ") {
					seen[strings.Fields(st.SQL)[0]+strings.Fields(st.SQL)[1]] = st
				}
			})
			b := storetest.Business(t, traced)
			day := time.Now()
			traced.SetClock(func() time.Time { return day })
			hash := [32]byte{0: 2} // its end says that it sweeps
			for range 2 {
				if err := queue.WriteOnce(t.Context(), b, store.Actor{}, hash, func(tx *store.Tx, _ *queue.Answer) error {
					return queue.KeepAnswer(tx, hash, queue.Answer{Status: 200, Body: []byte("kept")})
				}); err != nil {
					t.Fatal(err)
				}
				hash[0]-- // the next sweep begins before it, and finds it too old
				day = day.Add(queue.AnswersLast + time.Minute)
			}
			check := func(when string) {
				t.Helper()
				for _, what := range []string{"SELECTt.at,", "SELECTt.hash,", "DELETEFROM"} {
					st, ok := seen[what]
					if !ok {
						t.Fatalf("nothing was asked with %s: %v", what, seen)
					}
					lines, err := s.ExplainPlan(t.Context(), st.SQL, st.Args, true)
					if err != nil {
						t.Fatal(err)
					}
					plan := strings.Join(lines, "\n")
					if strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN") || strings.Contains(plan, "TEMP B-TREE") ||
						!strings.Contains(plan, "answer_pkey") && !strings.Contains(plan, "USING INDEX answer_id (business_id=? AND hash") {
						t.Errorf("%s the plan is wrong:\n%s\n%s", when, st.SQL, plan)
					}
				}
			}
			check("while the table is new")
			if name == "postgres" {
				if err := s.Script(t.Context(), []string{"ANALYZE answer"}); err != nil {
					t.Fatal(err)
				}
				check("when it is known to be small")
			}
		})
	}
}
