package queue

import (
	"context"
	"strconv"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// The indexes of custom fields are filled and removed in small steps between the writes of the business, by whichever server comes to it.
// Each step is a transaction of its own in the business's turn: nobody changes a record while its index entries are written, and what a
// server did that died in the middle is done.

// The sizes of steps.
const (
	filedAtOnce   = 200
	removedAtOnce = 1000
)

// IndexWork is what is to be done for a field of a business.
type IndexWork struct {
	store.Tenant
	// Member is what the values of the field are called in the documents of the resource.
	Member, Resource string
}

// fieldNumber is what index entries of a member are filed under.
func fieldNumber(member string) (schema.Value, error) {
	number, err := strconv.ParseInt(member[1:], 10, 64)
	return room.Integer(number), err
}

// PlanIndex has the index entries of a field removed, and with filing those of all records written afterwards.
func PlanIndex(tx *store.Tx, resource, member string, filing bool) error {
	field, err := fieldNumber(member)
	if err != nil {
		return err
	}
	// A field of which nothing is left to be done, and that has no index, has no index entries.
	return store.Run(tx, `
		INSERT INTO slip_work (business_id, field, resource, filing, cleared, planned_at) VALUES ({business}, ?, ?, ?, ?, ?)
		ON CONFLICT (business_id, field) DO UPDATE
		SET filing = excluded.filing, cleared = 0, after_id = NULL, planned_at = excluded.planned_at`,
		field, room.Text(resource), room.Flag(filing), room.Flag(filing), schema.TimeValue(tx.Now))
}

// indexState is what the row of a field says.
type indexState struct {
	filing, cleared bool
	after           schema.Value
}

func readIndexState(tx *store.Tx, field schema.Value) (*indexState, error) {
	find := room.SQL("SELECT w.filing, w.cleared, w.after_id FROM slip_work w WHERE w.business_id = {business} AND w.field = ?", field)
	return room.Find(tx.Query, find, func(r room.Row) indexState {
		return indexState{room.IntAt(r, 0) == 1, room.IntAt(r, 1) == 1, r.Value(2, schema.ID)}
	})
}

// FileNow writes the index entries of all records at once, where these are few and none are there yet. Otherwise it tells that it did not.
func FileNow(tx *store.Tx, res *schema.Resource, l *schema.Leaf, few int) (filed bool, err error) {
	field, err := fieldNumber(l.Member)
	if err != nil {
		return false, err
	}
	state, err := readIndexState(tx, field)
	if err != nil || state != nil {
		return false, err
	}
	records, err := tx.Count(res, few+1)
	if err != nil || records > few {
		return false, err
	}
	_, _, err = tx.FileEntries(res, l, schema.Absent(schema.ID), few+1)
	return true, err
}

// IndexWorks lists what is to be done, at most some of it: index entries that are to be removed only where that was planned before a time.
func IndexWorks(ctx context.Context, s *store.Store, before time.Time) (all []IndexWork, err error) {
	_, err = s.LookUp(ctx, room.Lookup{
		Text: `SELECT t.id, t.business_id, w.field, w.resource FROM {slip_work} w JOIN {business} t ON t.business_id = w.business_id
			WHERE w.cleared = 1 OR w.planned_at <= ?`,
		Order: " ORDER BY 2, 3 LIMIT 100",
		Args:  []schema.Value{schema.TimeValue(before)}, Kinds: []schema.Kind{schema.Integer, schema.Text},
	}, func(t store.Tenant, r room.Row) {
		all = append(all, IndexWork{t, "f" + strconv.FormatInt(room.IntAt(r, 2), 10), room.TextAt(r, 3)})
	})
	return all, err
}

// TendIndex does one step of the work on a leaf; nil where there is no such field any more. done tells that nothing is left to do,
// and filed that it ended with all index entries in their places.
func TendIndex(tx *store.Tx, res *schema.Resource, member string, l *schema.Leaf) (done, filed bool, err error) {
	field, err := fieldNumber(member)
	if err != nil {
		return false, false, err
	}
	state, err := readIndexState(tx, field)
	if err != nil || state == nil {
		return true, false, err
	}
	filing := state.filing && l != nil && l.Filed
	switch {
	case !state.cleared:
		left, err := removeEntries(tx, field)
		if err != nil || left {
			return false, false, err
		}
		if filing {
			return false, false, noteIndexWork(tx, field, schema.Absent(schema.ID))
		}
	case filing:
		most := filedAtOnce
		if l.Kind == schema.Choices { // each record may have many
			most /= 10
		}
		last, all, err := tx.FileEntries(res, l, state.after, most)
		if err != nil {
			return false, false, err
		}
		if !all {
			return false, false, noteIndexWork(tx, field, last)
		}
		filed = true
	}
	return true, filed, store.Run(tx, "DELETE FROM slip_work WHERE business_id = {business} AND field = ?", field)
}

// noteIndexWork notes how far the work has come.
func noteIndexWork(tx *store.Tx, field, after schema.Value) error {
	return store.Run(tx, "UPDATE slip_work SET cleared = 1, after_id = ? WHERE business_id = {business} AND field = ?", after, field)
}

// removeEntries removes some index entries of a field, and tells whether there may be more.
func removeEntries(tx *store.Tx, field schema.Value) (left bool, err error) {
	for _, table := range []string{"custom_text", "custom_number"} {
		n, err := tx.Exec(room.SQL(`
			DELETE FROM `+table+` WHERE business_id = {business} AND field = ? AND (key, record_id) IN
			(SELECT x.key, x.record_id FROM `+table+` x WHERE x.business_id = {business} AND x.field = ?
			ORDER BY x.key, x.record_id LIMIT `+strconv.Itoa(removedAtOnce)+`)`, field, field))
		if err != nil {
			return false, err
		}
		left = left || n >= removedAtOnce
	}
	return left, nil
}
