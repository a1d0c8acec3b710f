package store_test

import (
	"context"
	"slices"
	"testing"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
)

// What a server of an older release leaves behind, because it does not know the tables, is made anew by a newer one, whoever wrote in
// between; and where nobody else has written, nothing is looked at.
func TestWhatOlderServersLeaveBehindIsMadeAnew(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		e := newEngine(t, s)
		who := newBusiness(t, e)
		write := func(phone string) {
			t.Helper()
			n, err := body.Parse([]byte(`{"name":"Ada Angström","phone":"` + phone + `"}`))
			if err != nil {
				t.Fatal(err)
			}
			create := record.Operation{Kind: record.KindOf("contact"), Name: record.Create, Body: n}
			if _, err := e.Do(ctx, record.Call{Principal: who}, create); err != nil {
				t.Fatal(err)
			}
		}
		complete := func() (mended []string) {
			t.Helper()
			left, err := s.Complete(ctx, record.CheckRules(), func(f store.Fault) { mended = append(mended, f.What) })
			if err != nil || left != 0 {
				t.Fatalf("%d businesses are left: %v", left, err)
			}
			return mended
		}
		faults := func() (all []string) {
			t.Helper()
			err := who.Tenant.Check(ctx, store.Checking{
				Rules: record.CheckRules(),
				Found: func(f store.Fault) { all = append(all, f.What) },
			})
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		// older lets something be written as a server would that knows neither the tables nor the stamp: it leaves both as they were.
		older := func(phone string, script_ ...string) {
			t.Helper()
			stamps, err := s.Rows(ctx, "SELECT CAST(figured_seq AS text) FROM business", 1)
			if err != nil || len(stamps) != 1 {
				t.Fatal(stamps, err)
			}
			write(phone)
			for _, sql := range script_ {
				script(t, s, sql)
			}
			script(t, s, "UPDATE business SET figured_seq = "+stamps[0])
		}
		write("+46 8 123 456")
		script(t, s, "DELETE FROM match_key WHERE key = 'p468123456'") // behind everybody's back: nobody looks for it
		if mended := complete(); len(mended) != 0 {
			t.Errorf("where no other server wrote, this was made anew: %v", mended)
		}
		older("+46 8 123 457", "DELETE FROM match_key WHERE key = 'p468123457'")
		write("+46 8 123 458") // a newer server does not hide it
		if found := faults(); len(found) != 2 {
			t.Fatalf("two rows are missing, and found are %v", found)
		}
		if mended := complete(); len(mended) != 2 {
			t.Errorf("two rows were missing, and made anew are %v", mended)
		}
		if found := faults(); len(found) != 0 {
			t.Errorf("afterwards there are %v", found)
		}
		// A stamp of a program with another layout is none of this one's, and what is written moves this one's on.
		older("+46 8 123 459", "DELETE FROM match_key", "UPDATE tally SET n = n + 1 WHERE name = 'contact'")
		if mended := complete(); !slices.ContainsFunc(mended, func(what string) bool { return len(what) > 0 }) || len(faults()) != 0 {
			t.Errorf("made anew are %v, and left %v", mended, faults())
		}
		write("+46 8 123 460")
		if mended := complete(); len(mended) != 0 {
			t.Errorf("everything was whole, and made anew are %v", mended)
		}
	})
}
