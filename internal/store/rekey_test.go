package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// keyColumns reads every key of a database, table by table, with what it belongs to.
func keyColumns(t *testing.T, s *store.Store) (lines []string) {
	t.Helper()
	for _, res := range record.Registry.Resources {
		for _, l := range res.Leaves {
			if l.Key == "" {
				continue
			}
			rows, err := s.Rows(context.Background(),
				"SELECT t."+l.Column.Name+", t."+l.Key+" FROM "+res.Plural+" t WHERE t."+l.Column.Name+" IS NOT NULL ORDER BY t.id", 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				lines = append(lines, res.Name+"."+l.Path+": "+row)
			}
		}
	}
	rows, err := s.Rows(context.Background(), "SELECT i.email_key, u.name FROM identity i JOIN users u ON u.business_id = i.business_id "+
		"AND u.id = i.user_id ORDER BY u.id", 2)
	if err != nil {
		t.Fatal(err)
	}
	return append(lines, rows...)
}

// stageRows reads the rows of all stages.
func stageRows(t *testing.T, s *store.Store) []string {
	t.Helper()
	rows, err := s.Rows(context.Background(), "SELECT r.id, r.pipeline_id, r.name, r.name_key, r.kind FROM stages r ORDER BY "+
		"r.business_id, r.id", 5)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// A database that was filled when all texts had folded keys has the keys of a new one after the migration, and finds what a new one finds.
func TestMigrationWritesKeysAnew(t *testing.T) {
	samples := map[schema.Format][]string{
		schema.Email:  {"Straße@example.com", "STRASSE@example.org", "josé@example.com", "plain@example.com"},
		schema.Domain: {"münchen.example"}, schema.URL: {"https://Example.com/É"},
		schema.Phone: {"+46 (70) 12-3", "467"}, schema.Code: {"Größe-1", "A-1"}, schema.Plain: {"Zoë"},
	}
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		s.SetRekeyBatch(3) // so that there are several
		for range 2 {
			b := storetest.Business(t, s)
			err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
				for _, res := range record.Registry.Resources {
					for n := range 7 {
						rec := storetest.NewRecord(res)
						for i, l := range res.Leaves {
							if l.Kind != schema.Text {
								continue
							}
							from := samples[l.Format]
							if from == nil || n == 6 && !l.Required { // some have none
								continue
							}
							rec.Values[i] = schema.TextValue(l.Kind, from[n%len(from)])
							if l.Identity.Unique {
								rec.Values[i].S = fmt.Sprint(n, rec.Values[i].S)
							}
						}
						if res.Name == "pipeline" {
							rec.Put(crm.Pipelines.Stages,
								schema.TextValue(schema.List,
									fmt.Sprintf(`[{"id":%q,"name":"Zoë","position":1,"kind":"won","probability":5}]`,
										schema.FormatID("stage", schema.NewID(tx.Now)))))
						}
						if err := tx.Insert(res, rec, "create"); err != nil {
							return err
						}
						if deleted := rec.Clone(); n == 5 {
							deleted.Put(res.Common.DeletedAt, schema.TimeValue(tx.Now))
							if err := tx.Update(res, rec, deleted, "delete"); err != nil {
								return err
							}
						}
						if res.Name == "user" {
							if err := keep.SetIdentity(tx, rec.ID(), "", rec.Text(rec.Must("email"))); err != nil {
								return err
							}
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		fresh, stages := keyColumns(t, s), stageRows(t, s)
		if err := s.UndoKeys(ctx, query.Fold); err != nil {
			t.Fatal(err)
		}
		old := keyColumns(t, s)
		if slices.Equal(fresh, old) || slices.Contains(old, "contact.phone: +46 (70) 12-3 46701 23") {
			t.Fatal("the old keys are the new ones")
		}
		done, err := s.Migrate(ctx)
		if err != nil || len(done) != 2 {
			t.Fatalf("%d steps were done, %v", len(done), err)
		}
		if got := keyColumns(t, s); !slices.Equal(got, fresh) {
			for i := range got {
				if got[i] != fresh[i] {
					t.Errorf("after the migration %q, in a new database %q", got[i], fresh[i])
				}
			}
		}
		if got := stageRows(t, s); !slices.Equal(got, stages) || len(stages) != 2*6 { // one of seven pipelines is deleted
			t.Errorf("the stages are %q, in a new database %q", got, stages)
		}
		if len(fresh) < 500 {
			t.Errorf("only %d keys were compared", len(fresh))
		}
	})
}
