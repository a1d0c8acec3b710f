package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// A record that was merged into another one is in the bin. What is needed to find the survivor by it, and to take the merge back,
// is in tables of its own: so the survivor is found even where the record itself is gone for good.

// mergedTable has a row for every record that was merged into another one: into which, where the change log ended then, the
// external id by which the survivor is found, and what changed in the survivor, as the domain writes it.
func mergedTable() engine.Table {
	return engine.Table{
		Name: "merged",
		Columns: []engine.Column{
			required("business_id", engine.KindTenant),
			required("resource", schema.Text),
			required("other_id", schema.ID),
			required("survivor_id", schema.ID),
			required("at_seq", schema.Integer),
			optional("external_id", schema.Text),
			required("undo", schema.Text),
		},
		Primary: []string{"business_id", "resource", "other_id"},
		Indexes: []engine.Index{
			{Name: "merged_survivor", Columns: []string{"business_id", "resource", "survivor_id", "at_seq"}},
			{Name: "merged_external", Columns: []string{"business_id", "resource", "external_id"}, Where: "external_id IS NOT NULL"},
		},
	}
}

// mergedReferenceTable has the references that a merge moved, by the record that was merged: those of which fields of which records.
func mergedReferenceTable() engine.Table {
	columns := []string{"business_id", "other_id", "resource", "field", "record_id"}
	return engine.Table{
		Name: "merged_reference",
		Columns: []engine.Column{
			required("business_id", engine.KindTenant),
			required("other_id", schema.ID),
			required("resource", schema.Text),
			required("field", schema.Text),
			required("record_id", schema.ID),
		},
		Primary: columns,
		Indexes: []engine.Index{{Name: "merged_reference_record", Columns: []string{"business_id", "record_id"}}},
	}
}

// Merged is how a record was merged into another one.
type Merged struct {
	Other, Survivor schema.UUID
	// At is where the change log ended when it was merged: the order of merges.
	At         int64
	ExternalID string
	// Undo is what the domain needs to know to take it back.
	Undo string
}

// KeepMerged remembers a merge.
func (tx *Tx) KeepMerged(res *schema.Resource, m Merged) error {
	return tx.insertRows("merged", func() []string {
		return []string{"resource", "other_id", "survivor_id", "at_seq", "external_id", "undo"}
	}, 1, func(_ int, row []schema.Value) []schema.Value {
		return append(row, text(res.Name), schema.IDValue(m.Other), schema.IDValue(m.Survivor), schema.IntValue(schema.Integer, m.At),
			schema.TextValue(schema.Text, m.ExternalID), text(m.Undo))
	})
}

// RewriteMerged remembers anew what a merge changed in the survivor.
func (tx *Tx) RewriteMerged(res *schema.Resource, m Merged) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "UPDATE merged SET undo = " + b.Arg(text(m.Undo)) + " WHERE business_id = " + b.TenantMark() + " AND resource = '" + res.Name +
		"' AND other_id = " + b.Arg(schema.IDValue(m.Other))
	return tx.c.Change(tx.ctx, sql, b.Values)
}

// ForgetMerged forgets a merge.
func (tx *Tx) ForgetMerged(res *schema.Resource, other schema.UUID) error {
	for _, table := range []string{"merged_reference", "merged"} {
		b := newBuilder(tx.s.engine, tx.key)
		sql := "DELETE FROM " + table + " WHERE business_id = " + b.TenantMark() + " AND other_id = " + b.Arg(schema.IDValue(other))
		if table == "merged" {
			sql += " AND resource = '" + res.Name + "'"
		}
		if _, err := tx.c.Exec(tx.ctx, sql, b.Values); err != nil {
			return err
		}
	}
	return nil
}

// ForgetMerges forgets the merges that a record had a part in, and BlankMerges only what it had before and after them: then the
// survivor is still found by it.
func (tx *Tx) ForgetMerges(res *schema.Resource, id schema.UUID) error {
	return tx.endMerges(res, id, func(*builder) string { return "DELETE FROM merged" })
}

// BlankMerges forgets what the merges changed that a record had a part in. The survivor is still found by it.
func (tx *Tx) BlankMerges(res *schema.Resource, id schema.UUID) error {
	return tx.endMerges(res, id, func(b *builder) string { return "UPDATE merged SET undo = " + b.Arg(text("{}")) })
}

func (tx *Tx) endMerges(res *schema.Resource, id schema.UUID, how func(*builder) string) error {
	if !res.Merges {
		return nil
	}
	for _, column := range []string{"other_id", "survivor_id"} {
		b := newBuilder(tx.s.engine, tx.key)
		sql := how(b) + " WHERE business_id = " + b.TenantMark() + " AND resource = '" + res.Name + "' AND " + column + " = " +
			b.Arg(schema.IDValue(id))
		if _, err := tx.c.Exec(tx.ctx, sql, b.Values); err != nil {
			return err
		}
	}
	return errors.Join(tx.drop("merged_reference", "other_id", id), tx.drop("merged_reference", "record_id", id))
}

const mergedColumns = "t.other_id, t.survivor_id, t.at_seq, t.external_id, t.undo"

func scanMerged(r engine.Row) Merged {
	return Merged{
		Other: r.Value(0, schema.ID).UUID(), Survivor: r.Value(1, schema.ID).UUID(), At: r.Value(2, schema.Integer).N,
		ExternalID: r.Value(3, schema.Text).S, Undo: r.Value(4, schema.Text).S,
	}
}

// Merged tells how a record was merged into another one, or nil.
func (tx *Tx) Merged(res *schema.Resource, other schema.UUID) (m *Merged, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT " + mergedColumns + " FROM merged t WHERE t.business_id = " + b.TenantMark() + " AND t.resource = '" + res.Name +
		"' AND t.other_id = " + b.Arg(schema.IDValue(other))
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		found := scanMerged(r)
		m = &found
		return nil
	})
	return m, err
}

// MergedInto lists what was merged into a record behind a place of the change log, in order.
func (tx *Tx) MergedInto(res *schema.Resource, survivor schema.UUID, after int64) (all []Merged, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT " + mergedColumns + " FROM merged t WHERE t.business_id = " + b.TenantMark() + " AND t.resource = '" + res.Name +
		"' AND t.survivor_id = " + b.Arg(schema.IDValue(survivor)) +
		" AND t.at_seq > " + b.Arg(schema.IntValue(schema.Integer, after)) + " ORDER BY t.at_seq"
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		all = append(all, scanMerged(r))
		return nil
	})
	return all, err
}

// CountMerged tells how many records were merged into one.
func (tx *Tx) CountMerged(res *schema.Resource, survivor schema.UUID) (n int64, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT count(*) FROM merged t WHERE t.business_id = " + b.TenantMark() + " AND t.resource = '" + res.Name +
		"' AND t.survivor_id = " + b.Arg(schema.IDValue(survivor))
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		n = r.Value(0, schema.Integer).N
		return nil
	})
	return n, err
}

// chain selects the merges that lead from a record to its final survivor, the next first.
func (b *builder) chain(res *schema.Resource, of schema.UUID) string {
	here := func(alias string) string {
		return alias + ".business_id = " + b.TenantMark() + " AND " + alias + ".resource = '" + res.Name + "'"
	}
	return "(WITH RECURSIVE merging (other_id, survivor_id, steps) AS (" +
		"SELECT t.other_id, t.survivor_id, 1 FROM merged t WHERE " + here("t") + " AND t.other_id = " + b.Arg(schema.IDValue(of)) +
		" UNION ALL" +
		" SELECT n.other_id, n.survivor_id, m.steps + 1 FROM merging m JOIN merged n ON n.other_id = m.survivor_id WHERE " + here("n") +
		") SELECT other_id, survivor_id, steps FROM merging)"
}

// survivorOf is the statement that finds the final survivor.
func (t Tenant) survivorOf(res *schema.Resource, id schema.UUID) (string, []schema.Value) {
	b := newBuilder(t.s.engine, t.key)
	return "SELECT c.survivor_id FROM " + b.chain(res, id) + " c ORDER BY c.steps DESC LIMIT 1", b.Values
}

// SurvivorOf finds the record that one was merged into in the end. It gives the zero id where it was not merged.
func (t Tenant) SurvivorOf(ctx context.Context, res *schema.Resource, id schema.UUID) (survivor schema.UUID, err error) {
	sql, args := t.survivorOf(res, id)
	err = t.read(ctx, func(c engine.Conn) error { return c.Query(ctx, sql, args, readID(&survivor)) })
	return survivor, err
}

// SurvivorOf finds the record that one was merged into in the end. It gives the zero id where it was not merged.
func (tx *Tx) SurvivorOf(res *schema.Resource, id schema.UUID) (survivor schema.UUID, err error) {
	sql, args := tx.survivorOf(res, id)
	return survivor, tx.c.Query(tx.ctx, sql, args, readID(&survivor))
}

func readID(id *schema.UUID) func(engine.Row) error {
	return func(r engine.Row) error {
		*id = r.Value(0, schema.ID).UUID()
		return nil
	}
}

// MergedThrough finds the record by which another one came to a survivor: the last on the way. It gives the zero id where it did not.
func (tx *Tx) MergedThrough(res *schema.Resource, other, survivor schema.UUID) (last schema.UUID, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT c.other_id FROM " + b.chain(res, other) + " c WHERE c.survivor_id = " + b.Arg(schema.IDValue(survivor))
	return last, tx.c.Query(tx.ctx, sql, b.Values, readID(&last))
}

// SurvivorBy finds the final survivor by the external id of a record that was merged into it, the last one where several had it. It
// gives the zero id where none had.
func (tx *Tx) SurvivorBy(res *schema.Resource, externalID string) (survivor schema.UUID, err error) {
	var other schema.UUID
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT t.other_id FROM merged t WHERE t.business_id = " + b.TenantMark() + " AND t.resource = '" + res.Name +
		"' AND t.external_id = " + b.Arg(text(externalID)) +
		" ORDER BY t.other_id DESC LIMIT 1"
	if err := tx.c.Query(tx.ctx, sql, b.Values, readID(&other)); err != nil || other == (schema.UUID{}) {
		return survivor, err
	}
	return tx.SurvivorOf(res, other)
}

// Reference is a declared field by which records refer to others.
type Reference struct {
	Resource *schema.Resource
	Leaf     *schema.Leaf
}

// states are the conditions that a record is live and that it is deleted, with how the indexes are called that find it by a reference.
var states = []struct {
	condition string
	index     func(*schema.Leaf) string
}{{engine.Live, filterIndex}, {"deleted_at IS NOT NULL", binIndex}}

// CountReferences counts the records, live and deleted, that refer to one by some fields, up to most for each of both, and about
// how many bytes they have. All is asked at once.
func (tx *Tx) CountReferences(all []Reference, to schema.UUID, most int) (n, bytes int, err error) {
	for _, ref := range all {
		weight := "0"
		for _, l := range ref.Resource.Leaves {
			if l.Member == "" && (l.Kind == schema.LongText || l.Kind == schema.List || l.Kind == schema.Document) {
				weight += " + coalesce(" + tx.s.engine.Weight("t."+l.Column.Name) + ", 0)"
			}
		}
		for _, state := range states {
			b := newBuilder(tx.s.engine, tx.key)
			sql := "SELECT count(*), CAST(coalesce(sum(s.weight), 0) AS bigint) FROM (SELECT " + weight + " AS weight" +
				" FROM " + ref.Resource.Plural + " t" + b.Dialect.IndexedBy(ref.Resource.Name+"_"+state.index(ref.Leaf)) +
				" WHERE t.business_id = " + b.TenantMark() + " AND t." + ref.Leaf.Column.Name + " = " + b.Arg(schema.IDValue(to)) +
				" AND t." + state.condition +
				fmt.Sprintf(" LIMIT %d) s", most)
			err := tx.c.Ask(tx.ctx, sql, b.Values, func(r engine.Row) error {
				n, bytes = n+int(r.Value(0, schema.Integer).N), bytes+int(r.Value(1, schema.Integer).N)
				return nil
			})
			if err != nil {
				return 0, 0, err
			}
		}
	}
	err = tx.c.Query(tx.ctx, "SELECT 1", nil, func(engine.Row) error { return nil }) // by then all is answered
	tx.weight += bytes
	return n, bytes, err
}

// Those reads records by their ids, be they live or deleted, in the order of these, and keeps others from changing them. What is
// not there is left out.
func (tx *Tx) Those(res *schema.Resource, ids []schema.UUID) (found []*schema.Record, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT " + b.wholeRecord(res) + " FROM " + res.Plural + " t WHERE t.business_id = " + b.TenantMark() + " AND " +
		b.Dialect.Among(&b.Arguments,
			"t.id", idValues(ids)) + " ORDER BY t.id" + tx.s.engine.Lock()
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		rec, err := tx.has(scanRecord(r, res))
		found = append(found, rec)
		return err
	})
	return found, err
}

// Moved is a record whose reference a merge, or its reverse, made lead elsewhere.
type Moved struct {
	ID schema.UUID
	// Own tells that it is the acting user's own.
	Own bool
}

// MoveReferences lets the records that refer to one by a field, live and deleted, refer to another one, all but some, and remembers
// which these were. Nothing of a record that is kept beside it depends on such a reference, so they are changed without being read.
func (tx *Tx) MoveReferences(ref Reference, from, to schema.UUID, but ...schema.UUID) (moved []Moved, err error) {
	for _, state := range states {
		found, err := tx.redirect(ref, from, to, ref.Resource.Name+"_"+state.index(ref.Leaf), func(b *builder) string {
			where := state.condition
			if len(but) > 0 {
				where += " AND NOT " + b.Dialect.Among(&b.Arguments, "id", idValues(but))
			}
			return where
		})
		if err != nil {
			return nil, err
		}
		moved = append(moved, found...)
	}
	ids := make([]schema.UUID, len(moved))
	for i, m := range moved {
		ids[i] = m.ID
	}
	return moved, tx.RememberMoved(from, ref.Resource, ref.Leaf.Path, ids...)
}

// MoveBack lets the records whose reference a merge moved refer to what they referred to, unless they refer to something else by
// now: those are left.
func (tx *Tx) MoveBack(ref Reference, other, survivor schema.UUID) (left []Moved, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	column := "t." + ref.Leaf.Column.Name
	sql := "SELECT t.id, " + owners("t.", ref.Resource) + " FROM merged_reference m JOIN " + ref.Resource.Plural + " t ON t.business_id " +
		"= " + b.TenantMark() + " AND t.id = m.record_id" +
		" WHERE m.business_id = " + b.TenantMark() + " AND " + b.movedBy("m.", other, ref.Resource,
		ref.Leaf.Path) + " AND (" + column + " IS NULL OR " + column + " <> " + b.Arg(schema.IDValue(survivor)) + ") ORDER BY t.id"
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		left = append(left, Moved{r.Value(0, schema.ID).UUID(), tx.isOwn(r, 1, ref.Resource)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	_, err = tx.redirect(ref, survivor, other, "", func(b *builder) string {
		return "id IN (SELECT m.record_id FROM merged_reference m WHERE m.business_id = " + b.TenantMark() + " AND " + b.movedBy("m.",
			other, ref.Resource, ref.Leaf.Path) + ")"
	})
	return left, err
}

// redirect changes a reference of the records that a condition chooses, with an entry in the log for each.
func (tx *Tx) redirect(ref Reference, from, to schema.UUID, index string, where func(*builder) string) (moved []Moved, err error) {
	res, column := ref.Resource, ref.Leaf.Column.Name
	type entry struct {
		Moved
		version int64
	}
	var all []entry
	b := newBuilder(tx.s.engine, tx.key)
	sql := "UPDATE " + res.Plural
	if index != "" {
		sql += b.Dialect.IndexedBy(index)
	}
	sql += " SET " + column + " = " + b.Arg(schema.IDValue(to)) +
		", updated_at = " + b.Arg(schema.TimeValue(tx.Now)) + ", updated_by = " + b.Arg(schema.IDValue(tx.actor.User)) +
		", version = version + 1" +
		" WHERE business_id = " + b.TenantMark() + " AND " + column + " = " + b.Arg(schema.IDValue(from)) + " AND " + where(b) +
		" RETURNING id, version, " + owners("", res)
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		all = append(all, entry{Moved{r.Value(0, schema.ID).UUID(), tx.isOwn(r, 2, res)}, r.Value(1, schema.Integer).N})
		return nil
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	tx.memory = remembered{}
	tx.weight += len(all) * writeWeight
	slices.SortFunc(all, func(a, b entry) int { return slices.Compare(a.ID[:], b.ID[:]) })
	doc := schema.AppendString([]byte{'{'}, ref.Leaf.Path)
	doc = schema.AppendValue(append(doc, `:{"from":`...), ref.Leaf, schema.IDValue(from))
	doc = append(schema.AppendValue(append(doc, `,"to":`...), ref.Leaf, schema.IDValue(to)), "}}"...)
	for _, e := range all {
		tx.changes = append(tx.changes, change{
			resource: res.Name, id: e.ID, version: e.version, action: "update", at: tx.Now,
			actor: tx.actor, changes: doc,
		})
		moved = append(moved, e.Moved)
	}
	tx.unlogged += len(all) * len(doc)
	return moved, nil
}

// owners lists the columns that tell whose own a record is.
func owners(alias string, res *schema.Resource) string {
	var columns []string
	for _, l := range res.Owners {
		columns = append(columns, alias+l.Column.Name)
	}
	return strings.Join(columns, ", ")
}

// isOwn reads from a row whether a record is the acting user's own.
func (tx *Tx) isOwn(r engine.Row, at int, res *schema.Resource) bool {
	for i := range res.Owners {
		if v := r.Value(at+i, schema.ID); v.Set && v.UUID() == tx.actor.User {
			return true
		}
	}
	return false
}

func idValues(ids []schema.UUID) []schema.Value {
	values := make([]schema.Value, len(ids))
	for i, id := range ids {
		values[i] = schema.IDValue(id)
	}
	return values
}

// RememberMoved remembers of which records a merge moved a reference.
func (tx *Tx) RememberMoved(other schema.UUID, res *schema.Resource, field string, ids ...schema.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	return tx.insertRows("merged_reference", func() []string { return []string{"other_id", "resource", "field", "record_id"} }, len(ids),
		func(i int, row []schema.Value) []schema.Value {
			return append(row, schema.IDValue(other), text(res.Name), text(field), schema.IDValue(ids[i]))
		})
}

// RememberAlso remembers of one more record that a merge moved its reference, unless it is remembered already.
func (tx *Tx) RememberAlso(other schema.UUID, res *schema.Resource, field string, id schema.UUID) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "INSERT INTO merged_reference (business_id, other_id, resource, field, record_id) VALUES (" +
		b.TenantMark() + ", " + b.Arg(schema.IDValue(other)) + ", '" + res.Name + "', " + b.Arg(text(field)) + ", " +
		b.Arg(schema.IDValue(id)) + ")" +
		" ON CONFLICT (business_id, other_id, resource, field, record_id) DO NOTHING"
	_, err := tx.c.Exec(tx.ctx, sql, b.Values)
	return err
}

// ForgetMoved forgets that merges moved a reference of a record, those that were made behind a place of the change log: what it led
// to then is no longer what it has.
func (tx *Tx) ForgetMoved(ref Reference, field string, id schema.UUID, after int64) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "DELETE FROM merged_reference WHERE business_id = " + b.TenantMark() + " AND record_id = " + b.Arg(schema.IDValue(id)) +
		" AND resource = '" + ref.Resource.Name + "' AND field = " + b.Arg(text(field)) +
		" AND other_id IN (SELECT m.other_id " +
		"FROM merged m WHERE m.business_id = " + b.TenantMark() + " AND m.resource = '" + ref.Leaf.Target.Name + "' AND m.other_id = " +
		"merged_reference.other_id AND m.at_seq > " + b.Arg(schema.IntValue(schema.Integer, after)) + ")"
	_, err := tx.c.Exec(tx.ctx, sql, b.Values)
	return err
}

// movedBy is the condition that a reference was moved by a merge.
func (b *builder) movedBy(alias string, other schema.UUID, res *schema.Resource, field string) string {
	return alias + "other_id = " + b.Arg(schema.IDValue(other)) + " AND " + alias + "resource = '" + res.Name + "' AND " + alias +
		"field = " + b.Arg(text(field))
}

// MovedFields lists the fields, by resource, of which a merge moved references.
func (tx *Tx) MovedFields(other schema.UUID) (fields [][2]string, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT DISTINCT t.resource, t.field FROM " +
		"merged_reference t WHERE t.business_id = " + b.TenantMark() + " AND t.other_id = " + b.Arg(schema.IDValue(other)) +
		" ORDER BY 1, 2"
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		fields = append(fields, [2]string{r.Value(0, schema.Text).S, r.Value(1, schema.Text).S})
		return nil
	})
	return fields, err
}

// MovedSurvivors lists those records of which a merge moved a reference that others were merged into.
func (tx *Tx) MovedSurvivors(other schema.UUID, res *schema.Resource, field string) (ids []schema.UUID, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT DISTINCT m.survivor_id FROM " +
		"merged_reference t JOIN merged m ON m.business_id = " + b.TenantMark() + " AND m.resource = '" + res.Name +
		"' AND m.survivor_id = t.record_id" +
		" WHERE t.business_id = " + b.TenantMark() + " AND " + b.movedBy("t.", other, res, field) + " ORDER BY 1"
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		ids = append(ids, r.Value(0, schema.ID).UUID())
		return nil
	})
	return ids, err
}

// MovedRecords lists the records of which a merge moved a reference.
func (tx *Tx) MovedRecords(other schema.UUID, res *schema.Resource, field string) (ids []schema.UUID, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT t.record_id FROM merged_reference t WHERE t.business_id = " + b.TenantMark() + " AND " + b.movedBy("t.", other, res,
		field) + " ORDER BY t.record_id"
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		ids = append(ids, r.Value(0, schema.ID).UUID())
		return nil
	})
	return ids, err
}
