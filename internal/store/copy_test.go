package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/demo"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/portable"
	"github.com/kith-crm/kith/internal/testworld"
)

// emptyDatabase gives a database of an engine in which there is nothing yet.
func emptyDatabase(t *testing.T, engine string) string {
	t.Helper()
	if engine == "postgres" {
		return newPostgres(t)
	}
	return "sqlite:" + t.TempDir() + "/copy.db"
}

// healthy holds a whole database to what a check expects of it, and gives how many records it has.
func healthy(t *testing.T, s *store.Store) (records int64) {
	t.Helper()
	all, err := s.Businesses(t.Context())
	if err != nil || len(all) == 0 {
		t.Fatalf("there are %d businesses, %v", len(all), err)
	}
	for _, b := range all {
		tenant, err := s.Tenant(t.Context(), b.ID)
		if err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		err = tenant.Check(t.Context(), store.Checking{
			Rules: record.CheckRules(), Looked: func(looked int64) { n += looked },
			Found: func(f store.Fault) { t.Errorf("%s %x: %s", f.Resource, f.ID, f.What) },
		})
		if err != nil {
			t.Fatal(err)
		}
		records += n
	}
	return records
}

// A copy that is broken off again and again goes on where it was, from one engine to the other and back, and ends as the same database.
func TestACopyGoesOnWhereItWasStopped(t *testing.T) {
	t.Parallel()
	source := testworld.Open(t, testworld.Database(t, "sqlite"))
	e := testworld.Engine(t, source)
	if _, _, err := demo.Make(t.Context(), e, time.Now()); err != nil {
		t.Fatal(err)
	}
	testworld.Business(t, e, "Another", account.Person{Email: "anna@other.example", Name: "Anna"})
	want := healthy(t, source)
	for _, engine := range []string{"postgres", "sqlite"} {
		target := testworld.Open(t, emptyDatabase(t, engine))
		target.SetTextRange(50)
		source.SetLeaving(300)
		errStop := errors.New("stop")
		runs, rows := 0, int64(0)
		for {
			runs++
			ctx, stop := context.WithCancelCause(t.Context())
			pages := 0
			done, err := portable.Copy(ctx, source, target, func(what, _ string, n, _ int64) {
				if what == "copied" && n <= rows {
					t.Errorf("after %d rows there are %d", rows, n)
				}
				if pages++; what == "copied" {
					if rows = n; pages == 12 {
						stop(errStop)
					}
				}
			})
			stop(nil)
			if err == nil {
				if !done.Resumed || done.Rows < 1000 {
					t.Errorf("the last run tells %+v", done)
				}
				break
			}
			if runs > 100 {
				t.Fatalf("the copy does not end: %v", err)
			}
			// What is there so far is no database to work with.
			if _, err := target.Migrate(t.Context()); !errors.Is(err, store.ErrUnfinished) {
				t.Errorf("an unfinished copy is opened with %v", err)
			}
		}
		if runs < 3 {
			t.Errorf("the copy was stopped %d times", runs-1)
		}
		if _, err := target.Migrate(t.Context()); err != nil {
			t.Error(err)
		}
		if got := healthy(t, target); got != want {
			t.Errorf("the copy has %d records, want %d", got, want)
		}
		if _, err := portable.Copy(t.Context(), source, target, nil); err == nil || !strings.Contains(err.Error(), "has data already") {
			t.Errorf("a second copy into the same: %v", err)
		}
		source = target
	}
}

// What changed in the source between two runs of a copy is noticed.
func TestACopyOfASourceThatChangedIsRefused(t *testing.T) {
	t.Parallel()
	source := testworld.Open(t, testworld.Database(t, "sqlite"))
	e := testworld.Engine(t, source)
	first := testworld.Business(t, e, "First", account.Person{Email: "anna@first.example", Name: "Anna"})
	target := testworld.Open(t, emptyDatabase(t, "sqlite"))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if _, err := portable.Copy(ctx, source, target, func(_, table string, _, _ int64) {
		if table == "change" {
			stop()
		}
	}); err == nil {
		t.Fatal("the copy was not stopped")
	}
	testworld.User(t, e, first.Tenant, account.Person{Email: "ben@first.example", Name: "Ben"}, "member")
	if _, err := portable.Copy(t.Context(), source, target, nil); err == nil || !strings.Contains(err.Error(), "begin anew") {
		t.Errorf("a copy of what changed meanwhile ends with %v", err)
	}
	if _, err := target.Migrate(t.Context()); !errors.Is(err, store.ErrUnfinished) {
		t.Errorf("it can be used: %v", err)
	}
}
