package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Links are records that have two others as their ends. The table of ends has each link twice, once as either end sees it: so one
// key leads from a record to all that it is linked with, and from a resource to all of its records that are linked with another
// resource. A second index leads from the link to its ends, to find out who may see it.

func endTableName(via *schema.Resource) string { return via.Name + "_end" }

// endColumns are those of the key, behind the business.
var endColumns = []string{"near", "far", "live", "near_id", "far_id", "link_id"}

func endTable(via *schema.Resource) engine.Table {
	return engine.Table{
		Name: endTableName(via),
		Columns: []engine.Column{
			required("business_id", engine.KindTenant),
			required("near", schema.Text),
			required("far", schema.Text),
			required("live", schema.Integer),
			required("near_id", schema.ID),
			required("far_id", schema.ID),
			required("link_id", schema.ID),
		},
		Primary: append([]string{"business_id"}, endColumns...),
		Indexes: []engine.Index{{Name: endTableName(via) + "_link", Columns: []string{"business_id", "link_id"}}},
	}
}

// End is a record at one end of a link.
type End struct {
	Resource string
	ID       schema.UUID
}

// EndsOf reads the ends of a link.
func EndsOf(via *schema.Resource, rec *schema.Record) (ends [2]End, err error) {
	for i, l := range via.EndLeaves {
		if ends[i].Resource, ends[i].ID, err = schema.RecordOf(rec.Text(l)); err != nil {
			return ends, fmt.Errorf("%s of a %s: %w", l.Path, via.Name, err)
		}
	}
	return ends, nil
}

// writeEnds brings the rows of a link to what it is now. old is nil for a new one.
func (tx *Tx) writeEnds(via *schema.Resource, old, rec *schema.Record) error {
	if len(via.EndLeaves) == 0 {
		return nil
	}
	from, to := via.EndLeaves[0], via.EndLeaves[1]
	if old != nil {
		if old.Live() == rec.Live() && old.Get(from) == rec.Get(from) && old.Get(to) == rec.Get(to) {
			return nil
		}
		b := newBuilder(tx.s.engine, tx.key)
		sql := "DELETE FROM " + endTableName(via) + " WHERE business_id = " + b.TenantMark() + " AND link_id = " +
			b.Arg(schema.IDValue(rec.ID()))
		if err := tx.c.Ask(tx.ctx, sql, b.Values, func(engine.Row) error { return nil }); err != nil {
			return err
		}
	}
	ends, err := EndsOf(via, rec)
	if err != nil {
		return err
	}
	rows := endRows(rec, ends)
	return tx.insertRows(endTableName(via), func() []string { return endColumns }, len(rows),
		func(i int, row []schema.Value) []schema.Value {
			return append(row, rows[i]...)
		})
}

// endRows are the two rows of a link, behind the business.
func endRows(rec *schema.Record, ends [2]End) (rows [2][]schema.Value) {
	live := int64(0)
	if rec.Live() {
		live = 1
	}
	for i := range rows {
		near, far := ends[i], ends[1-i]
		rows[i] = []schema.Value{
			text(near.Resource), text(far.Resource), schema.IntValue(schema.Integer, live),
			schema.IDValue(near.ID), schema.IDValue(far.ID), schema.IDValue(rec.ID()),
		}
	}
	return rows
}

// CountLinks counts the live links of a record, up to most.
func (tx *Tx) CountLinks(via *schema.Resource, of End, most int) (int, error) {
	b := newBuilder(tx.s.engine, tx.key)
	n, err := tx.count(tx.ctx, tx.c.Query, b, endTableName(via)+" e", []string{b.linksOf(via, of, nil, true)}, most)
	return int(n), err
}

// linksOf is the condition that a row of ends is about a record, live or deleted; with another record that it is about both.
func (b *builder) linksOf(via *schema.Resource, of End, with *End, live bool) string {
	far := "e.far IN ('" + strings.Join(via.EndLeaves[0].Among, "', '") + "')"
	if with != nil {
		far = "e.far = '" + with.Resource + "'"
	}
	state := "0"
	if live {
		state = "1"
	}
	where := "e.business_id = " + b.TenantMark() + " AND e.near = '" + of.Resource + "' AND " + far + " AND e.live = " + state +
		" AND e.near_id = " + b.Arg(schema.IDValue(of.ID))
	if with != nil {
		where += " AND e.far_id = " + b.Arg(schema.IDValue(with.ID))
	}
	return where
}

// Links finds the links of a record, live or deleted, oldest first, at most so many; with another record only those with that.
func (tx *Tx) Links(via *schema.Resource, of End, with *End, live bool, most int) (found []*schema.Record, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT " + b.wholeRecord(via) + " FROM " + via.Plural + " t" +
		" WHERE t.business_id = " + b.TenantMark() + " AND t.id IN (SELECT e.link_id FROM " + endTableName(via) + " e WHERE " +
		b.linksOf(via, of, with, live) + ")" +
		fmt.Sprintf(" ORDER BY t.created_at, t.id LIMIT %d", most)
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		rec, err := tx.has(scanRecord(r, via))
		found = append(found, rec)
		return err
	})
	return found, err
}

// linked selects one column of the ends that a condition on linked records goes by, as the given side sees them.
func (b *builder) linked(f query.Condition, column, near, far string, held ...string) string {
	where := []string{"e.business_id = " + b.TenantMark(), "e.near = '" + near + "'", "e.far = '" + far + "'", "e.live = 1"}
	where = append(where, held...)
	other := "e.far_id"
	if near == f.Leaf.Target.Name && column == "e.far_id" {
		other = "e.near_id"
	}
	if f.Linked.OwnRecords {
		where = append(where, b.someOf("o", f.Leaf.Target, other, f.Linked.User))
	}
	if f.Linked.OwnLinks {
		where = append(where, b.someOf("l", f.Leaf.Via, "e.link_id", f.Linked.User))
	}
	return "SELECT " + column + " FROM " + endTableName(f.Leaf.Via) + " e WHERE " + strings.Join(where, " AND ")
}

// someOf is the condition that a record is a user's own.
func (b *builder) someOf(alias string, res *schema.Resource, id string, user schema.UUID) string {
	return "EXISTS (SELECT 1 FROM " + res.Plural + " " + alias +
		" WHERE " + alias + ".business_id = " + b.TenantMark() + " AND " + alias + ".id = " + id + " AND " + b.own(alias, res, user) + ")"
}

// linkCondition renders a filter on linked records. Where these are named, it begins with them, and so does not depend on the
// searched record.
func (b *builder) linkCondition(f query.Condition) string {
	here, there := f.Leaf.Whose, f.Leaf.Target.Name
	switch f.Operator {
	case query.IsSet:
		return "EXISTS (" + b.linked(f, "1", here, there, "e.near_id = t.id") + ")"
	case query.IsNotSet:
		return "NOT EXISTS (" + b.linked(f, "1", here, there, "e.near_id = t.id") + ")"
	}
	if len(f.Values) == 0 {
		return emptySet(f.Operator)
	}
	within := "t.id IN (" + b.linked(f, "e.far_id", there, here, b.Dialect.Among(&b.Arguments, "e.near_id", f.Values)) + ")"
	if f.Operator == query.Nin {
		return "NOT " + within
	}
	return within
}

// candidates selects the records that a filter on linked records lets through, where it demands any.
func (b *builder) linkCandidates(f query.Condition) string {
	here, there := f.Leaf.Whose, f.Leaf.Target.Name
	if f.Operator == query.IsSet {
		return strings.Replace(b.linked(f, "e.near_id", here, there), "SELECT ", "SELECT DISTINCT ", 1)
	}
	return b.linked(f, "e.far_id", there, here, b.Dialect.Among(&b.Arguments, "e.near_id", f.Values))
}

// linkDriver is the driver of a filter on linked records: these are looked up, and where they are few they are all that need be
// read. none tells that there are none.
func (s *searcher) linkDriver(ctx context.Context, c engine.Conn, f query.Condition) (d *driver, none bool, err error) {
	if !demanding(f.Operator) || f.Operator != query.IsSet && len(f.Values) == 0 {
		return nil, false, nil
	}
	b := newBuilder(s.t.s.engine, s.t.key)
	few := s.isFew()
	var ids []schema.Value
	sql := b.linkCandidates(f) + fmt.Sprintf(" LIMIT %d", few+1)
	err = c.Query(ctx, sql, b.Values, func(r engine.Row) error {
		ids = append(ids, schema.IDValue(r.Value(0, schema.ID).UUID()))
		return nil
	})
	if err != nil || len(ids) == 0 || len(ids) > few {
		return nil, err == nil && len(ids) == 0, err
	}
	made := newDriver(s.q, s.q.Resource.Common.ID, len(ids) == 1,
		func(b *builder) string { return b.Dialect.Among(&b.Arguments, "t.id", ids) })
	made.added = true
	made.fits = func(*fieldStatistics) *recordSet { return nil }
	return &made, false, nil
}

// endsSeen is the condition that somebody may see both ends of a link.
func (b *builder) endsSeen(via *schema.Resource, link string, ends *query.Ends) string {
	var hidden []string
	for _, res := range ends.None {
		hidden = append(hidden, "e.far = '"+res.Name+"'")
	}
	for _, res := range ends.Own {
		hidden = append(hidden, "(e.far = '"+res.Name+"' AND NOT "+b.someOf("o", res, "e.far_id", ends.User)+")")
	}
	return "NOT EXISTS (SELECT 1 FROM " + endTableName(via) + " e" +
		" WHERE e.business_id = " + b.TenantMark() + " AND e.link_id = " + link + " AND (" + strings.Join(hidden, " OR ") + "))"
}
