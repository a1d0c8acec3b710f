package storetest

import (
	"testing"
	"time"

	"kith/internal/schema"
	"kith/internal/store"
)

// testImports holds imports to their business, and their rows to the file that is being sent.
func testImports(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	now := time.Now()
	first, second := schema.NewID(now), schema.NewID(now)
	i := &store.Import{ID: schema.NewID(now), Resource: "contact", User: schema.NewID(now), Scopes: []string{"contact.all"}, Options: `{}`}
	rows := func(file schema.UUID, want bool, rows ...store.ImportRows) {
		t.Helper()
		write(t, b, func(tx *store.Tx) error {
			still, err := tx.PutImportRows(i.ID, file, rows)
			if still != want {
				t.Errorf("rows of a file were taken: %v", still)
			}
			return err
		})
	}
	found := func(in store.Tenant, file schema.UUID, row int64) string {
		t.Helper()
		kept, err := in.ImportRows(ctx, i.ID, file, row)
		if err != nil {
			t.Fatal(err)
		}
		return string(kept.Data)
	}
	write(t, b, func(tx *store.Tx) error {
		if err := tx.AddImport(i); err != nil {
			return err
		}
		return tx.BeginFile(i.ID, first)
	})
	rows(first, true, store.ImportRows{First: 1, Data: []byte("one")}, store.ImportRows{First: 101, Data: []byte("two")})
	write(t, b, func(tx *store.Tx) error { return tx.BeginFile(i.ID, second) })
	rows(first, false, store.ImportRows{First: 201, Data: []byte("late")})
	rows(second, true, store.ImportRows{First: 1, Data: []byte("second")})
	write(t, b, func(tx *store.Tx) error {
		if ended, err := tx.EndFile(i.ID, first, `{}`); err != nil || ended {
			t.Errorf("a file that is not waited for has come: %v", err)
		}
		ended, err := tx.EndFile(i.ID, second, `{"rows":1}`)
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
	if _, err := other.Import(ctx, i.ID); err == nil {
		t.Error("another business has the import")
	}
	kept, err := b.Import(ctx, i.ID)
	if err != nil || kept.FileID != second || kept.File == "" || kept.Resource != "contact" {
		t.Errorf("the import is %+v, %v", kept, err)
	}
	if all, err := b.Imports(ctx, i.User, schema.UUID{}, false, 10); err != nil || len(all) != 1 {
		t.Errorf("%d imports, %v", len(all), err)
	}
	forget := func(in store.Tenant, id schema.UUID) {
		t.Helper()
		for done := false; !done; {
			write(t, in, func(tx *store.Tx) (err error) {
				done, err = tx.ForgetImportRows(id, 1)
				return err
			})
		}
	}
	// A third file is coming, whose rows stay as those of the second do.
	third := schema.NewID(now)
	write(t, b, func(tx *store.Tx) error { return tx.BeginFile(i.ID, third) })
	rows(third, true, store.ImportRows{First: 1, Data: []byte("third")})
	forget(b, i.ID)
	if found(b, first, 1) != "" || found(b, second, 1) != "second" || found(b, third, 1) != "third" {
		t.Error("not the rows of the first file alone were forgotten")
	}
	write(t, other, func(tx *store.Tx) error { return tx.LoseFiles() })
	forget(other, schema.UUID{})
	if found(b, second, 1) != "second" {
		t.Error("another business forgot the rows")
	}
	write(t, b, func(tx *store.Tx) error { return tx.LoseFiles() })
	rows(third, false, store.ImportRows{First: 101, Data: []byte("late")})
	forget(b, schema.UUID{})
	if found(b, second, 1) != "" || found(b, third, 1) != "" {
		t.Error("rows of files that are lost are left")
	}
	old, err := s.OldImports(ctx, now.AddDate(0, 0, 1))
	listed := false
	for _, d := range old {
		listed = listed || d.Job == i.ID && d.ID() == b.ID()
	}
	if err != nil || !listed {
		t.Errorf("the import is not among those that are old, %v", err)
	}
	write(t, b, func(tx *store.Tx) error { return tx.ForgetImport(i.ID) })
}
