package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

// testImports holds imports to their business, and their rows to the file that is being sent.
func testImports(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	now := time.Now()
	first, second := schema.NewID(now), schema.NewID(now)
	i := &queue.Import{ID: schema.NewID(now), Resource: "contact", User: schema.NewID(now), Scopes: []string{"contact.all"}, Options: `{}`}
	rows := func(file schema.UUID, want bool, rows ...queue.ImportRows) {
		t.Helper()
		write(t, b, func(tx *store.Tx) error {
			still, err := queue.PutImportRows(tx, i.ID, file, rows)
			if still != want {
				t.Errorf("rows of a file were taken: %v", still)
			}
			return err
		})
	}
	found := func(in store.Tenant, file schema.UUID, row int64) string {
		t.Helper()
		kept, err := queue.FindRows(ctx, in, i.ID, file, row)
		if err != nil {
			t.Fatal(err)
		}
		return string(kept.Data)
	}
	write(t, b, func(tx *store.Tx) error {
		if err := queue.AddImport(tx, i); err != nil {
			return err
		}
		return queue.BeginFile(tx, i.ID, first)
	})
	rows(first, true, queue.ImportRows{First: 1, Data: []byte("one")}, queue.ImportRows{First: 101, Data: []byte("two")})
	write(t, b, func(tx *store.Tx) error { return queue.BeginFile(tx, i.ID, second) })
	rows(first, false, queue.ImportRows{First: 201, Data: []byte("late")})
	rows(second, true, queue.ImportRows{First: 1, Data: []byte("second")})
	write(t, b, func(tx *store.Tx) error {
		if ended, err := queue.EndFile(tx, i.ID, first, `{}`); err != nil || ended {
			t.Errorf("a file that is not waited for has come: %v", err)
		}
		ended, err := queue.EndFile(tx, i.ID, second, `{"rows":1}`)
		if !ended {
			t.Error("the file has not come")
		}
		return err
	})
	for row, want := range map[int64]string{1: "one", 100: "one", 101: "two", 5000: "two"} {
		if got := found(b, first, row); got != want {
			t.Errorf("row %d is among %q, want %q", row, got, want)
		}
	}
	if found(other, second, 1) != "" {
		t.Error("another business has the rows")
	}
	if _, err := queue.FindImport(ctx, other, i.ID); err == nil {
		t.Error("another business has the import")
	}
	kept, err := queue.FindImport(ctx, b, i.ID)
	if err != nil || kept.FileID != second || kept.File == "" || kept.Resource != "contact" {
		t.Errorf("the import is %+v, %v", kept, err)
	}
	if all, err := queue.Imports(ctx, b, i.User, schema.UUID{}, false, 10); err != nil || len(all) != 1 {
		t.Errorf("%d imports, %v", len(all), err)
	}
	forget := func(in store.Tenant, id schema.UUID) {
		t.Helper()
		for done := false; !done; {
			write(t, in, func(tx *store.Tx) (err error) {
				done, err = queue.ForgetImportRows(tx, id, 1)
				return err
			})
		}
	}
	// A third file is coming, whose rows stay as those of the second do.
	third := schema.NewID(now)
	write(t, b, func(tx *store.Tx) error { return queue.BeginFile(tx, i.ID, third) })
	rows(third, true, queue.ImportRows{First: 1, Data: []byte("third")})
	forget(b, i.ID)
	if found(b, first, 1) != "" || found(b, second, 1) != "second" || found(b, third, 1) != "third" {
		t.Error("not the rows of the first file alone were forgotten")
	}
	write(t, other, func(tx *store.Tx) error { return queue.LoseFiles(tx) })
	forget(other, schema.UUID{})
	if found(b, second, 1) != "second" {
		t.Error("another business forgot the rows")
	}
	write(t, b, func(tx *store.Tx) error { return queue.LoseFiles(tx) })
	rows(third, false, queue.ImportRows{First: 101, Data: []byte("late")})
	forget(b, schema.UUID{})
	if found(b, second, 1) != "" || found(b, third, 1) != "" {
		t.Error("rows of files that are lost are left")
	}
	old, err := queue.OldImports(ctx, s, now.AddDate(0, 0, 1))
	if err != nil || !slices.ContainsFunc(old, func(d queue.DueJob) bool { return d.Job == i.ID && d.ID() == b.ID() }) {
		t.Errorf("the import is not among those that are old, %v", err)
	}
	write(t, b, func(tx *store.Tx) error { return queue.ForgetImport(tx, i.ID) })
}
