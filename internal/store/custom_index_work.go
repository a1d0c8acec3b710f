package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/search"
)

// Index entries of values that are there already, and the removal of those that nobody needs any more, may take long. So they are written
// down as work, and done in small steps between the writes of the business, by whichever server comes to it. Each step is a
// transaction of its own in the business's turn: nobody changes a record while its index entries are written, and what a server did that
// died in the middle is done.

// The sizes of steps.
const (
	filedAtOnce   = 200
	removedAtOnce = 1000
)

// IndexWork is what is to be done for a field of a business.
type IndexWork struct {
	Tenant
	// Member is what the values of the field are called in the documents of the resource.
	Member, Resource string
}

// PlanIndex has the index entries of a field removed, and with filing those of all records written afterwards.
func (tx *Tx) PlanIndex(resource, member string, filing bool) error {
	b := newBuilder(tx.s.engine, tx.key)
	number, err := strconv.ParseInt(member[1:], 10, 64)
	if err != nil {
		return err
	}
	want := int64(0)
	if filing {
		want = 1
	}
	wanted := b.Arg(schema.IntValue(schema.Integer, want))
	// A field of which nothing is left to be done, and that has no index, has no index entries.
	sql := "INSERT INTO slip_work (business_id, field, " +
		"resource, filing, cleared, planned_at) VALUES (" + b.TenantMark() + ", " + b.Arg(schema.IntValue(schema.Integer, number)) + ", " +
		b.Arg(text(resource)) + ", " + wanted + ", " + wanted + ", " + b.Arg(schema.TimeValue(tx.Now)) + ")" +
		" ON CONFLICT (business_id, field) DO UPDATE SET filing = excluded.filing, cleared = 0, after_id = NULL, planned_at = " +
		"excluded.planned_at"
	_, err = tx.c.Exec(tx.ctx, sql, b.Values)
	return err
}

// indexState is what the row of a field says.
type indexState struct {
	there, filing, cleared bool
	after                  schema.Value
}

func (tx *Tx) indexState(field schema.Value) (state indexState, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT w.filing, w.cleared, w.after_id " +
		"FROM slip_work w WHERE w.business_id = " + b.TenantMark() + " AND w.field = " + b.Arg(field)
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		state = indexState{true, r.Value(0, schema.Integer).N == 1, r.Value(1, schema.Integer).N == 1, r.Value(2, schema.ID)}
		return nil
	})
	return state, err
}

// FileNow writes the index entries of all records at once, where these are few and none are there yet. Otherwise it tells that it did not.
func (tx *Tx) FileNow(res *schema.Resource, l *schema.Leaf, few int) (filed bool, err error) {
	state, err := tx.indexState(layout.FieldNumber(l))
	if err != nil || state.there {
		return false, err
	}
	records, err := tx.searched().Tally(tx.ctx, tx.c, search.TallyName(res, false))
	if err != nil || records+tx.tallies[search.TallyName(res, false)] > int64(few) {
		return false, err
	}
	_, _, err = tx.fileFrom(res, l, schema.Absent(schema.ID), few+1)
	return true, err
}

// fileFrom writes the index entries of the records behind an id, at most so many, and tells the last, and whether it was the last of all.
func (tx *Tx) fileFrom(res *schema.Resource, l *schema.Leaf, after schema.Value, most int) (last schema.Value, all bool, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	where := []string{"t.business_id = " + b.TenantMark(), "t." + engine.Live}
	if after.Set {
		where = append(where, "t.id > "+b.Arg(after))
	}
	sql := "SELECT t.id, t.created_at, " + b.Column("t", l) + " FROM " + res.Plural + " t WHERE " + strings.Join(where,
		" AND ") + " ORDER BY t.id LIMIT " + strconv.Itoa(most)
	var rows [][]schema.Value
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		rows = append(rows, []schema.Value{r.Value(0, schema.ID), r.Value(1, schema.Time), r.Value(2, l.Kind)})
		return nil
	})
	if err != nil {
		return last, false, err
	}
	for _, values := range rows {
		last = values[0]
		for _, s := range layout.CustomEntriesOf(l, values[2]) {
			if err := tx.fileCustomEntry(s, values[0], values[1]); err != nil {
				return last, false, err
			}
		}
	}
	return last, len(rows) < most, nil
}

// IndexWorks lists what is to be done, at most some of it: index entries that are to be removed only where that was planned before a time.
func (s *Store) IndexWorks(ctx context.Context, before time.Time) (all []IndexWork, err error) {
	_, err = s.tenantsAcross(ctx, engine.Lookup{
		SQL: `SELECT t.id, t.business_id, w.field, w.resource FROM {slip_work} w JOIN {business} t ON t.business_id = w.business_id
			WHERE w.cleared = 1 OR w.planned_at <= ` + s.engine.Mark(1),
		Order: " ORDER BY 2, 3 LIMIT 100",
		Args:  []schema.Value{schema.TimeValue(before)}, Kinds: []schema.Kind{schema.Integer, schema.Text},
	}, func(t Tenant, r engine.Row) {
		all = append(all, IndexWork{t, "f" + strconv.FormatInt(r.Value(2, schema.Integer).N, 10), r.Value(3, schema.Text).S})
	})
	return all, err
}

// TendIndex does one step of the work on a leaf; nil where there is no such field any more. done tells that nothing is left to do,
// and filed that it ended with all index entries in their places.
func (tx *Tx) TendIndex(res *schema.Resource, member string, l *schema.Leaf) (done, filed bool, err error) {
	number, err := strconv.ParseInt(member[1:], 10, 64)
	if err != nil {
		return false, false, err
	}
	field := schema.IntValue(schema.Integer, number)
	state, err := tx.indexState(field)
	if err != nil || !state.there {
		return true, false, err
	}
	filing := state.filing && l != nil && l.Filed
	switch {
	case !state.cleared:
		left, err := tx.removeCustomEntries(field)
		if err != nil || left {
			return false, false, err
		}
		if filing {
			return false, false, tx.noteIndexWork(field, schema.Absent(schema.ID))
		}
	case filing:
		most := filedAtOnce
		if l.Kind == schema.Choices { // each record may have many
			most /= 10
		}
		last, all, err := tx.fileFrom(res, l, state.after, most)
		if err != nil {
			return false, false, err
		}
		if !all {
			return false, false, tx.noteIndexWork(field, last)
		}
		filed = true
	}
	b := newBuilder(tx.s.engine, tx.key)
	_, err = tx.c.Exec(tx.ctx, "DELETE FROM slip_work WHERE business_id = "+b.TenantMark()+" AND field = "+b.Arg(field), b.Values)
	return true, filed, err
}

// noteIndexWork notes how far the work has come.
func (tx *Tx) noteIndexWork(field, after schema.Value) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "UPDATE slip_work SET cleared = 1, after_id = " + b.Arg(after) + " WHERE business_id = " + b.TenantMark() + " AND field = " +
		b.Arg(field)
	_, err := tx.c.Exec(tx.ctx, sql, b.Values)
	return err
}

// removeCustomEntries removes some index entries of a field, and tells whether there may be more.
func (tx *Tx) removeCustomEntries(field schema.Value) (left bool, err error) {
	for _, table := range []string{layout.CustomTexts, layout.CustomNumbers} {
		b := newBuilder(tx.s.engine, tx.key)
		number := b.Arg(field)
		sql := "DELETE FROM " + table + " WHERE business_id = " + b.TenantMark() + " AND field = " + number + " AND (key, record_id) IN" +
			" (SELECT x.key, x.record_id FROM " + table + " x WHERE x.business_id = " + b.TenantMark() + " AND x.field = " + number +
			" ORDER BY x.key, x.record_id LIMIT " + strconv.Itoa(removedAtOnce) + ")"
		n, err := tx.c.Exec(tx.ctx, sql, b.Values)
		if err != nil {
			return false, err
		}
		left = left || n >= removedAtOnce
	}
	return left, nil
}
