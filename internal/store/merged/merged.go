// Package merged keeps which records were merged into which others and which references moved with them, and what is no duplicate.
package merged

import (
	"context"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// A record that was merged into another one is in the bin. What is needed to find the survivor by it, and to take the merge back,
// is in tables of its own: so the survivor is found even where the record itself is gone for good.

// Merge is how a record was merged into another one.
type Merge struct {
	Other, Survivor schema.UUID
	// At is where the change log ended when it was merged: the order of merges.
	At         int64
	ExternalID string
	// Undo is what the domain needs to know to take it back.
	Undo string
}

// Add remembers a merge.
func Add(tx *store.Tx, res *schema.Resource, m Merge) error {
	return tx.AddRows(room.Rows{
		Table: "merged", Columns: []string{"resource", "other_id", "survivor_id", "at_seq", "external_id", "undo"}, N: 1,
		Fill: func(_ int, row []schema.Value) []schema.Value {
			return append(row, room.Text(res.Name), schema.IDValue(m.Other), schema.IDValue(m.Survivor), room.Integer(m.At),
				schema.TextValue(schema.Text, m.ExternalID), room.Text(m.Undo))
		},
	})
}

// Rewrite remembers anew what a merge changed in the survivor.
func Rewrite(tx *store.Tx, res *schema.Resource, m Merge) error {
	return tx.Change(room.SQL(`
		UPDATE merged SET undo = ?
		WHERE business_id = {business} AND resource = '`+res.Name+`' AND other_id = ?`, room.Text(m.Undo), schema.IDValue(m.Other)))
}

// Forget forgets a merge.
func Forget(tx *store.Tx, res *schema.Resource, other schema.UUID) error {
	return run(tx, schema.IDValue(other),
		"DELETE FROM merged_reference WHERE business_id = {business} AND other_id = ?",
		"DELETE FROM merged WHERE business_id = {business} AND other_id = ? AND resource = '"+res.Name+"'")
}

// ForgetAll forgets the merges that a record had a part in.
func ForgetAll(tx *store.Tx, res *schema.Resource, id schema.UUID) error {
	return end(tx, res, id, "DELETE FROM merged")
}

// Blank forgets what the merges changed that a record had a part in. The survivor is still found by it.
func Blank(tx *store.Tx, res *schema.Resource, id schema.UUID) error {
	return end(tx, res, id, "UPDATE merged SET undo = '{}'")
}

func end(tx *store.Tx, res *schema.Resource, id schema.UUID, how string) error {
	if !res.Life.Merges {
		return nil
	}
	how += " WHERE business_id = {business} AND resource = '" + res.Name + "' AND "
	return run(tx, schema.IDValue(id), how+"other_id = ?", how+"survivor_id = ?",
		"DELETE FROM merged_reference WHERE business_id = {business} AND other_id = ?",
		"DELETE FROM merged_reference WHERE business_id = {business} AND record_id = ?")
}

// run runs statements that are about one id.
func run(tx *store.Tx, id schema.Value, statements ...string) error {
	for _, text := range statements {
		if _, err := tx.Exec(room.SQL(text, id)); err != nil {
			return err
		}
	}
	return nil
}

const columns = "t.other_id, t.survivor_id, t.at_seq, t.external_id, t.undo"

func read(r room.Row) Merge {
	return Merge{
		Other: room.FirstID(r), Survivor: r.Value(1, schema.ID).UUID(), At: r.Value(2, schema.Integer).N,
		ExternalID: room.TextAt(r, 3), Undo: room.TextAt(r, 4),
	}
}

// Of tells how a record was merged into another one, or nil.
func Of(tx *store.Tx, res *schema.Resource, other schema.UUID) (m *Merge, err error) {
	err = tx.Query(room.SQL(`
		SELECT `+columns+` FROM merged t
		WHERE t.business_id = {business} AND t.resource = '`+res.Name+`' AND t.other_id = ?`, schema.IDValue(other)),
		func(r room.Row) error {
			found := read(r)
			m = &found
			return nil
		})
	return m, err
}

// Into lists what was merged into a record behind a place of the change log, in order.
func Into(tx *store.Tx, res *schema.Resource, survivor schema.UUID, after int64) (all []Merge, err error) {
	err = tx.Query(room.SQL(`
		SELECT `+columns+` FROM merged t
		WHERE t.business_id = {business} AND t.resource = '`+res.Name+`' AND t.survivor_id = ? AND t.at_seq > ?
		ORDER BY t.at_seq`, schema.IDValue(survivor), room.Integer(after)),
		room.Collect(&all, read))
	return all, err
}

// Count tells how many records were merged into one.
func Count(tx *store.Tx, res *schema.Resource, survivor schema.UUID) (n int64, err error) {
	err = tx.Query(room.SQL(`
		SELECT count(*) FROM merged t
		WHERE t.business_id = {business} AND t.resource = '`+res.Name+`' AND t.survivor_id = ?`, schema.IDValue(survivor)),
		room.Into(&n, room.FirstInt))
	return n, err
}

// chain selects the merges that lead from a record, its first argument, to its final survivor, the next first.
func chain(res *schema.Resource) string {
	return `(WITH RECURSIVE merging (other_id, survivor_id, steps) AS (SELECT t.other_id, t.survivor_id, 1 FROM merged t
			WHERE t.business_id = {business} AND t.resource = '` + res.Name + `' AND t.other_id = ?
			UNION ALL
			SELECT n.other_id, n.survivor_id, m.steps + 1 FROM merging m JOIN merged n ON n.other_id = m.survivor_id
			WHERE n.business_id = {business} AND n.resource = '` + res.Name + `')
		SELECT other_id, survivor_id, steps FROM merging)`
}

// survivor finds the final survivor.
func survivor(res *schema.Resource, id schema.UUID) room.Statement {
	return room.SQL("SELECT c.survivor_id FROM "+chain(res)+" c ORDER BY c.steps DESC LIMIT 1", schema.IDValue(id))
}

// Survivor finds the record that one was merged into in the end. It gives the zero id where it was not merged.
func Survivor(ctx context.Context, t store.Tenant, res *schema.Resource, id schema.UUID) (into schema.UUID, err error) {
	err = t.Query(ctx, survivor(res, id), room.Into(&into, room.FirstID))
	return into, err
}

// SurvivorIn finds, in a transaction, the record that one was merged into in the end. It gives the zero id where it was not merged.
func SurvivorIn(tx *store.Tx, res *schema.Resource, id schema.UUID) (into schema.UUID, err error) {
	err = tx.Query(survivor(res, id), room.Into(&into, room.FirstID))
	return into, err
}

// Through finds the record by which another one came to a survivor: the last on the way. It gives the zero id where it did not.
func Through(tx *store.Tx, res *schema.Resource, other, survivor schema.UUID) (last schema.UUID, err error) {
	err = tx.Query(room.SQL("SELECT c.other_id FROM "+chain(res)+" c WHERE c.survivor_id = ?",
		schema.IDValue(other), schema.IDValue(survivor)), room.Into(&last, room.FirstID))
	return last, err
}

// SurvivorBy finds the final survivor by the external id of a record that was merged into it, the last one where several had it. It
// gives the zero id where none had.
func SurvivorBy(tx *store.Tx, res *schema.Resource, externalID string) (into schema.UUID, err error) {
	var other schema.UUID
	err = tx.Query(room.SQL(`
		SELECT t.other_id FROM merged t
		WHERE t.business_id = {business} AND t.resource = '`+res.Name+`' AND t.external_id = ?
		ORDER BY t.other_id DESC LIMIT 1`, room.Text(externalID)), room.Into(&other, room.FirstID))
	if err != nil || other == (schema.UUID{}) {
		return into, err
	}
	return SurvivorIn(tx, res, other)
}

// NotTwins finds those among pairs of which somebody said that they are not the same.
func NotTwins(ctx context.Context, t store.Tenant, res *schema.Resource, pairs []store.Pair) (not map[store.Pair]bool, err error) {
	not = map[store.Pair]bool{}
	if len(pairs) == 0 {
		return not, nil
	}
	st := room.SQL(`
		SELECT t.first_id, t.second_id FROM not_twins t
		WHERE t.business_id = {business} AND t.resource = '` + res.Name + `' AND {among t.first_id}`)
	for _, p := range pairs {
		st.Among = append(st.Among, schema.IDValue(p[0]))
	}
	err = t.Query(ctx, st, func(r room.Row) error {
		not[store.Pair{room.FirstID(r), r.Value(1, schema.ID).UUID()}] = true
		return nil
	})
	return not, err
}

// SetNotTwins remembers that two records are not the same.
func SetNotTwins(tx *store.Tx, res *schema.Resource, p store.Pair) error {
	_, err := tx.Exec(room.SQL(`
		INSERT INTO not_twins (business_id, resource, first_id, second_id, at, user_id)
		VALUES ({business}, '`+res.Name+`', ?, ?, ?, ?)
		ON CONFLICT (business_id, resource, first_id, second_id) DO NOTHING`,
		schema.IDValue(p[0]), schema.IDValue(p[1]), schema.TimeValue(tx.Now), schema.IDValue(tx.Actor.User)))
	return err
}
