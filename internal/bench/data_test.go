package bench

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/watch"
)

// loadedTimes loads one business on SQLite and gives when its contacts were created and changed, in the order in which they came.
func loadedTimes(t *testing.T, disorder float64) (set *Set, created, updated []time.Time) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "bench.db")
	set, _, err := Options{Disorder: disorder}.loadSet(t.Context(), url, []int{3000})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), url, record.Registry)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = watch.Read(t.Context(), s, []watch.Ran{{SQL: "SELECT created_at, updated_at FROM contacts ORDER BY rid"}},
		func(_ int, r watch.Row) bool {
			created, updated = append(created, r.Value(0, schema.Time).Time()), append(updated, r.Value(1, schema.Time).Time())
			return true
		})
	if err != nil {
		t.Fatal(err)
	}
	return set, created, updated
}

// descents counts how often a contact is older than the one that came before it.
func descents(times []time.Time) (n int) {
	for i := 1; i < len(times); i++ {
		if times[i].Before(times[i-1]) {
			n++
		}
	}
	return n
}

func TestContactsAreSpreadOverTwoYears(t *testing.T) {
	set, created, updated := loadedTimes(t, 0)
	if len(created) != 3000 || descents(created) != 0 {
		t.Fatalf("%d contacts, %d of them older than the one before", len(created), descents(created))
	}
	for i, at := range created {
		if even := set.loaded.Add(-history + history/3000*time.Duration(i)); at.Before(even.Add(-time.Millisecond)) ||
			at.After(even.Add(history/3000)) {
			t.Fatalf("contact %d is of %v, not about %v", i, at, even)
		}
		if updated[i].Before(at) || updated[i].After(set.loaded) {
			t.Fatalf("contact %d of %v was changed at %v, and loaded at %v", i, at, updated[i], set.loaded)
		}
	}
}

func TestDisorderBringsOlderContactsInLater(t *testing.T) {
	set, created, _ := loadedTimes(t, 0.3)
	if len(created) != 3000 || descents(created) != 1 {
		t.Fatalf("%d contacts in %d sorted loads", len(created), descents(created)+1)
	}
	late := 1
	for !created[late].Before(created[late-1]) {
		late++
	}
	if share := 1 - float64(late)/3000; share < 0.25 || share > 0.35 {
		t.Errorf("%.2f of the contacts came late", share)
	}
	// Who they are does not depend on when they came.
	ordered, _, _ := loadedTimes(t, 0)
	for i, c := range ordered.contacts {
		other := set.contacts[i]
		c.id, other.id = schema.UUID{}, schema.UUID{}
		if c != other {
			t.Fatalf("contact %d is %+v, and with disorder %+v", i, c, other)
		}
	}
	if _, created, _ := loadedTimes(t, 1); len(created) != 3000 || descents(created) != 0 {
		t.Errorf("all late: %d contacts in %d loads", len(created), descents(created)+1)
	}
}
