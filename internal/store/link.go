package store

import (
	"fmt"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/search"
)

// Links are records that have two others as their ends. The table of ends has each link twice, once as either end sees it: so one
// key leads from a record to all that it is linked with, and from a resource to all of its records that are linked with another
// resource. A second index leads from the link to its ends, to find out who may see it.

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
		if err := tx.send(room.SQL("DELETE FROM "+layout.EndTable(via)+" WHERE business_id = {business} AND link_id = ?",
			schema.IDValue(rec.ID()))); err != nil {
			return err
		}
	}
	ends, err := EndsOf(via, rec)
	if err != nil {
		return err
	}
	rows := endRows(rec, ends)
	return tx.insertRows(layout.EndTable(via), func() []string { return layout.EndColumns }, len(rows),
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
			text(near.Resource), text(far.Resource), room.Integer(live),
			schema.IDValue(near.ID), schema.IDValue(far.ID), schema.IDValue(rec.ID()),
		}
	}
	return rows
}

// CountLinks counts the live links of a record, up to most.
func (tx *Tx) CountLinks(via *schema.Resource, of End, most int) (int, error) {
	b := tx.builder()
	n, err := search.Count(tx.ctx, tx.c.Query, &b.Arguments, layout.EndTable(via)+" e", []string{b.linksOf(via, of, nil, true)}, most)
	return int(n), err
}

// linksOf is the condition that a row of ends is about a record, live or deleted; with another record that it is about both.
func (b *builder) linksOf(via *schema.Resource, of End, with *End, live bool) string {
	far := "e.far IN ('" + strings.Join(via.EndLeaves[0].Ref.Among, "', '") + "')"
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
func (tx *Tx) Links(via *schema.Resource, of End, with *End, live bool, most int) ([]*schema.Record, error) {
	b := tx.builder()
	sql := "SELECT " + b.wholeRecord(via) + " FROM " + via.Plural + " t" +
		" WHERE t.business_id = " + b.TenantMark() + " AND t.id IN (SELECT e.link_id FROM " + layout.EndTable(via) + " e" +
		" WHERE " + b.linksOf(via, of, with, live) + ")" +
		fmt.Sprintf(" ORDER BY t.created_at, t.id LIMIT %d", most)
	return tx.records(via, sql, b.Values)
}
