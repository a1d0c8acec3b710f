package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// SQLite's text index only marks what is removed. What was removed for good leaves it by the next tidying, also where the server
// was stopped before; and nothing is left of the zeros that took up free pages meanwhile.
func TestSQLiteTextIndexDropsWhatWasRemoved(t *testing.T) {
	ctx := context.Background()
	url := newSQLite(t)
	res := record.Registry.Resource("contact")
	first := open(t, url)
	first.HoldTidying()
	b := storetest.Business(t, first)
	insert := func(name string) *schema.Record {
		rec := storetest.NewRecord(res)
		rec.PutText(res.Must("name"), name)
		if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.Insert(res, rec, "create") }); err != nil {
			t.Fatal(err)
		}
		return rec
	}
	ask := func(s *store.Store, sql string) string {
		lines, err := s.Rows(ctx, sql, 1)
		if err != nil || len(lines) != 1 {
			t.Fatal(lines, err)
		}
		return lines[0]
	}
	// The letters q, z and x as the index has them.
	const words = "SELECT CAST(count(*) AS text) FROM contacts_fts_data WHERE instr(block, x'F1FAF8') > 0"
	const due = "SELECT CAST(count(*) AS text) FROM setting WHERE name LIKE 'scour:%' OR name LIKE 'zeros:%'"
	insert("Somebody")
	rec := insert("Qzxwvk")
	err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return errors.Join(tx.Remove(res, rec, "erase", "{}"), tx.Scour(res)) })
	if err != nil {
		t.Fatal(err)
	}
	if ask(first, words) == "0" || ask(first, due) != "1" {
		t.Error("the words are gone already, so this proves nothing")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := open(t, url)
	if err := second.Tidy(ctx); err != nil {
		t.Fatal(err)
	}
	if left := ask(second, words); left != "0" {
		t.Errorf("%s parts of the index still have the words", left)
	}
	if left := ask(second, due); left != "0" {
		t.Errorf("%s settings are left", left)
	}
}
