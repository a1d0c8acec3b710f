package store_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/changelog"
	"github.com/kith-crm/kith/internal/store/storetest"
	"github.com/kith-crm/kith/internal/store/watch"
)

// What happened is read from the part of the tables in which a business lies, for as many parts as statements are kept for, and
// from the tables as a whole for the others.
func TestWhatHappenedIsReadWhereItLies(t *testing.T) {
	for name, fresh := range wholly {
		t.Run(name, func(t *testing.T) {
			s := open(t, fresh(t))
			oneMachine(t, s.Engine())
			watch.Begin(s)
			contacts, notes := &record.KindOf("contact").Resource, &record.KindOf("note").Resource
			may := func(*schema.Record) error { return nil }
			parts, whole := map[string]bool{}, 0
			for range 24 {
				ctx := context.Background()
				b := storetest.Business(t, s)
				contact, note := storetest.NewRecord(contacts), storetest.NewRecord(notes)
				note.Put(notes.Must("contact_id"), schema.IDValue(contact.ID()))
				err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
					if err := tx.Insert(contacts, contact, "create"); err != nil {
						return err
					}
					return tx.Insert(notes, note, "create")
				})
				if err != nil {
					t.Fatal(err)
				}
				var seen []watch.Ran
				ctx = watch.Noting(ctx, &seen)
				entries := 0
				if _, _, err := b.History(ctx, contacts, contact.ID(), changelog.Span{Limit: 25}, may,
					func(store.Change) { entries++ }); err != nil || entries != 1 {
					t.Errorf("the history has %d entries, %v", entries, err)
				}
				q := changelog.Timeline{
					Resource: contacts, ID: contact.ID(), Limit: 25, May: may,
					Sources: []changelog.Source{{Resource: notes, Via: notes.Must("contact_id"), Rank: 1}},
				}
				events := 0
				if _, err := b.Timeline(ctx, q, func(changelog.Event) { events++ }); err != nil || events != 2 {
					t.Errorf("the timeline has %d events, %v", events, err)
				}
				names := map[string]bool{}
				for _, ran := range seen {
					for _, table := range regexp.MustCompile(`FROM (?:contacts|notes|change)(_p\d+)? t`).FindAllStringSubmatch(ran.SQL,
						-1) {
						names[table[1]] = true
					}
				}
				if len(names) != 1 {
					t.Errorf("a business lies in the parts %v", names)
				}
				if names[""] {
					whole++
				} else {
					for name := range names {
						parts[name] = true
					}
				}
			}
			if s.Engine() == "sqlite" && len(parts) > 0 || s.Engine() == "postgres" && (len(parts) != 4 || whole == 0) {
				t.Errorf("the parts %v are named, and %d of 24 businesses read from the whole", parts, whole)
			}
		})
	}
}

// What is written while a timeline is read is not in it on SQLite, although it takes several statements.
func TestATimelineOfSQLiteIsOfOneMoment(t *testing.T) {
	s := open(t, newSQLite(t))
	ctx := context.Background()
	contacts, notes := &record.KindOf("contact").Resource, &record.KindOf("note").Resource
	b, contact := storetest.Business(t, s), storetest.NewRecord(contacts)
	insert := func(res *schema.Resource, rec *schema.Record) error {
		return b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.Insert(res, rec, "create") })
	}
	if err := insert(contacts, contact); err != nil {
		t.Fatal(err)
	}
	events := func(meanwhile func() error) (n int) {
		t.Helper()
		q := changelog.Timeline{
			Resource: contacts, ID: contact.ID(), Limit: 25, May: func(*schema.Record) error { return meanwhile() },
			Sources: []changelog.Source{{Resource: notes, Via: notes.Must("contact_id"), Rank: 1}},
		}
		if _, err := b.Timeline(ctx, q, func(changelog.Event) { n++ }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	during := events(func() error {
		note := storetest.NewRecord(notes)
		note.Put(notes.Must("contact_id"), schema.IDValue(contact.ID()))
		return insert(notes, note)
	})
	if after := events(func() error { return nil }); during != 1 || after != 2 {
		t.Errorf("%d events while a note is written, and %d afterwards", during, after)
	}
}
