package store

import (
	"context"
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Whole finds the live record that holds an item, or ErrNotFound.
func Whole(tx *Tx, p *schema.ListItem, item schema.UUID) (*schema.Record, error) {
	var whole schema.UUID
	err := tx.Query(room.SQL("SELECT i."+layout.WholeColumn(p)+" FROM "+p.Table()+" i WHERE i.business_id = {business} AND i.id = ?",
		schema.IDValue(item)), room.Into(&whole, room.FirstID))
	if err != nil {
		return nil, err
	}
	if whole == (schema.UUID{}) {
		return nil, ErrNotFound
	}
	return tx.Peek(p.Whole, whole)
}

// writeParts brings the rows of a record's items to what the record holds. old is nil for a new record.
func (tx *Tx) writeListItems(res *schema.Resource, old, rec *schema.Record) error {
	for _, p := range tx.s.reg.ListItems {
		if p.Whole.Name != res.Name {
			continue
		}
		list, id := rec.Get(p.List), schema.IDValue(rec.ID())
		if old != nil {
			if old.Get(p.List) == list && old.Live() == rec.Live() {
				continue
			}
			if err := tx.drop(p.Table(), layout.WholeColumn(p), rec.ID()); err != nil {
				return err
			}
		}
		if !rec.Live() {
			continue
		}
		rows, err := layout.ListItemRows(p, list)
		if err != nil {
			return err
		}
		err = tx.insertRows(p.Table(), func() []string { return layout.ListItemColumns(p) }, len(rows),
			func(i int, row []schema.Value) []schema.Value {
				return append(append(row, id), rows[i]...)
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// fillParts writes the rows of all items that records hold: for a database that had none.
func (s *Store) fillListItems(ctx context.Context, c engine.Conn) error {
	for _, p := range s.reg.ListItems {
		columns := slices.Concat([]string{"business_id"}, layout.ListItemColumns(p))
		selected := "SELECT t.business_id, t.id, t." + p.List.Column.Name + ", t.deleted_at FROM " + p.Whole.Plural + " t"
		insert := s.insertSQL(p.Table(), columns, s.engine.Mark(1))
		err := s.batches(ctx, c, selected, [2]string{"t.business_id", "t.id"}, [2]schema.Kind{engine.KindTenant, schema.ID},
			func(r engine.Row) ([][]schema.Value, error) {
				if r.Value(3, schema.Time).Set {
					return nil, nil
				}
				return layout.ListItemRows(p, r.Value(2, p.List.Kind))
			}, insert)
		if err != nil {
			return err
		}
	}
	return nil
}
