package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/search"
)

// Records that are removed for good leave traces: entries of the log, kept answers, records that refer to them. However many these
// are, no transaction works off more than a few of them. The domain knows what there is to do, and package queue what is left of
// it; here are the ways to do it.

// Remove takes a record away for good, be it live or in the bin, under an action's name for the log. told is what the entry has as
// its changes, a JSON object.
func (tx *Tx) Remove(res *schema.Resource, rec *schema.Record, action, told string) error {
	if err := tx.c.Wipe(tx.ctx); err != nil {
		return err
	}
	wasLive := rec.Live()
	if wasLive {
		if err := tx.s.search.Planner.Text().Change(&tx.texts, res, rec.ID(), true, false, ""); err != nil {
			return err
		}
	}
	tx.forget(res, rec, rec)
	tx.weight += writeWeight + rec.Weight()
	if err := tx.drop(res.Plural, "id", rec.ID()); err != nil {
		return err
	}
	tx.tallies[search.TallyName(res, !wasLive)]--
	gone := rec.Clone()
	gone.Put(res.Common.DeletedAt, schema.TimeValue(tx.Now))
	if wasLive {
		tx.figure(res, rec.Get, -1)
		if err := tx.writeListItems(res, rec, gone); err != nil {
			return err
		}
		if err := tx.rewriteMatches(res, rec, gone); err != nil {
			return err
		}
		if err := tx.refileCustomEntries(rec, gone); err != nil {
			return err
		}
	}
	_, added := rec.Document()
	for _, l := range added {
		gone.Put(l, schema.Absent(l.Kind))
	}
	if err := tx.rewriteAddedReferences(res, rec, gone); err != nil {
		return err
	}
	if len(res.EndLeaves) > 0 {
		if err := tx.drop(layout.EndTable(res), "link_id", rec.ID()); err != nil {
			return err
		}
	}
	if res.Duplicates != nil {
		for _, side := range []string{"first_id", "second_id"} {
			b := newBuilder(tx.s.engine, tx.key)
			sql := "DELETE FROM not_twins WHERE business_id = " + b.TenantMark() + " AND resource = '" + res.Name + "' AND " + side +
				" = " + b.Arg(schema.IDValue(rec.ID()))
			if _, err := tx.c.Exec(tx.ctx, sql, b.Values); err != nil {
				return err
			}
		}
	}
	return tx.note(res, change{
		resource: res.Name, id: rec.ID(), version: rec.Version() + 1, action: action, at: tx.Now, actor: tx.actor,
		changes: []byte(told),
	})
}

// Scour has the text index of a resource drop in time what it still holds of records that were removed.
func (tx *Tx) Scour(res *schema.Resource) error {
	return tx.s.search.Planner.Text().Scour(&tx.texts, res)
}

// drop deletes the rows of a table that have an id.
func (tx *Tx) drop(table, column string, id schema.UUID) error {
	b := newBuilder(tx.s.engine, tx.key)
	_, err := tx.c.Exec(tx.ctx, "DELETE FROM "+table+" WHERE business_id = "+b.TenantMark()+" AND "+column+" = "+
		b.Arg(schema.IDValue(id)), b.Values)
	return err
}

// Actor is who makes the changes of the transaction.
func (tx *Tx) Actor() Actor { return tx.actor }

// mostEmptied is how many bytes are emptied of entries of the log in one step.
const mostEmptied = 1 << 20

// EmptyLog takes what the entries of a record's log tell of its values, from the one behind place on, at most so many: what they
// are about, when and by whom it was stays. Entries of the given action keep theirs. It gives the place to go on from, which is
// empty once all are done.
func (tx *Tx) EmptyLog(resource string, id schema.UUID, except, place string, most int) (next string, err error) {
	after, _ := strconv.ParseInt(place, 10, 64) // the beginning where there is no place
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT t.seq, CAST(length(CAST(t.changes AS text)) AS bigint) FROM change t" + b.Dialect.IndexedBy("change_record") +
		" WHERE t.business_id = " + b.TenantMark() + " AND t.resource = " + b.Arg(text(resource)) + " AND t.record_id = " +
		b.Arg(schema.IDValue(id)) +
		" AND t.seq > " + b.Arg(schema.IntValue(schema.Integer, after)) + fmt.Sprintf(" ORDER BY t.seq LIMIT %d", most)
	seen, bytes, last := 0, int64(0), after
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		if bytes > mostEmptied {
			return engine.ErrFull
		}
		seen++
		last, bytes = r.Value(0, schema.Integer).N, bytes+r.Value(1, schema.Integer).N
		return nil
	})
	full := errors.Is(err, engine.ErrFull)
	if err != nil && !full {
		return "", err
	}
	if seen > 0 {
		if err := tx.c.Wipe(tx.ctx); err != nil {
			return "", err
		}
		b = newBuilder(tx.s.engine, tx.key)
		sql = "UPDATE change SET changes = " + b.Arg(schema.Value{Kind: schema.Document, Set: true, S: "{}"}) +
			" WHERE business_id = " + b.TenantMark() + " AND resource = " + b.Arg(text(resource)) + " AND record_id = " +
			b.Arg(schema.IDValue(id)) +
			" AND seq > " + b.Arg(schema.IntValue(schema.Integer, after)) + " AND seq <= " + b.Arg(schema.IntValue(schema.Integer, last)) +
			" AND action <> " + b.Arg(text(except))
		if _, err := tx.c.Exec(tx.ctx, sql, b.Values); err != nil {
			return "", err
		}
	}
	if seen < most && !full {
		return "", nil
	}
	return strconv.FormatInt(last, 10), nil
}

// Referring looks through records of a resource from the one behind place on, at most so many, and gives those that have an id in
// one of the leaves, or, as a member of a leaf that is a document, anywhere in it. In the bin it goes by when they were deleted;
// otherwise it looks at all records, deleted ones too. It gives the place to go on from, which is empty once all were looked at.
func (tx *Tx) Referring(res *schema.Resource, bin bool, leaves []*schema.Leaf, id schema.UUID, place string,
	most int,
) (found []schema.UUID, next string, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	var hits []string
	for _, l := range leaves {
		if l.Kind == schema.Document {
			hits = append(hits, b.Dialect.Contains(&b.Arguments, "CAST(t."+l.Column.Name+" AS text)", hex.EncodeToString(id[:])))
		} else {
			hits = append(hits, "t."+l.Column.Name+" = "+b.Arg(schema.IDValue(id)))
		}
	}
	from, where, order := res.Plural+" t", "t.business_id = "+b.TenantMark(), "t.id"
	at, last := int64(0), schema.UUID{}
	if place != "" {
		when, key, _ := strings.Cut(place, " ")
		at, _ = strconv.ParseInt(when, 10, 64)
		raw, err := hex.DecodeString(key)
		if err != nil || len(raw) != len(last) {
			return nil, "", fmt.Errorf("the place %q among %s", place, res.Plural)
		}
		copy(last[:], raw)
	}
	if bin {
		from, order = from+b.Dialect.IndexedBy(res.Name+"_bin"), "t.deleted_at, t.id"
		where += " AND t.deleted_at IS NOT NULL"
	}
	switch {
	case place != "" && bin:
		where += " AND (t.deleted_at, t.id) > (" + b.Arg(schema.IntValue(schema.Time, at)) + ", " + b.Arg(schema.IDValue(last)) + ")"
	case place != "":
		where += " AND t.id > " + b.Arg(schema.IDValue(last))
	}
	sql := "SELECT t.id, t.deleted_at, CAST(CASE WHEN " + strings.Join(hits, " OR ") + " THEN 1 ELSE 0 END AS bigint) FROM " + from +
		" WHERE " + where + fmt.Sprintf(" ORDER BY %s LIMIT %d", order, most)
	seen := 0
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		seen++
		last, at = r.Value(0, schema.ID).UUID(), r.Value(1, schema.Time).N
		if r.Value(2, schema.Integer).N == 1 {
			found = append(found, last)
		}
		return nil
	})
	if err != nil || seen < most {
		return found, "", err
	}
	return found, strconv.FormatInt(at, 10) + " " + hex.EncodeToString(last[:]), nil
}

// Deleted reads records of a resource that were deleted before a time, those that are so the longest first, at most so many.
func (tx *Tx) Deleted(res *schema.Resource, before time.Time, most int) (found []*schema.Record, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT " + b.wholeRecord(res) + " FROM " + res.Plural + " t" + b.Dialect.IndexedBy(res.Name+"_bin") +
		" WHERE t.business_id = " + b.TenantMark() + " AND t.deleted_at IS NOT NULL AND t.deleted_at < " + b.Arg(schema.TimeValue(before)) +
		fmt.Sprintf(" ORDER BY t.deleted_at, t.id LIMIT %d", most)
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		rec, err := tx.has(scanRecord(r, res))
		found = append(found, rec)
		return err
	})
	return found, err
}

// Retaining lists the businesses that do not keep deleted records for ever.
func (s *Store) Retaining(ctx context.Context) ([]Tenant, error) {
	return s.businessesAcross(ctx, "t.bin_days IS NOT NULL")
}

// GetAny reads one record, be it live or deleted, or ErrNotFound.
func (tx *Tx) GetAny(res *schema.Resource, id schema.UUID) (*schema.Record, error) {
	rec, err := tx.Get(res, id, false)
	if errors.Is(err, ErrNotFound) {
		rec, err = tx.Get(res, id, true)
	}
	return rec, err
}

// Scrub writes the database anew, so that its files have nothing of what is no longer in it. Meanwhile nobody can write, and in
// PostgreSQL nobody can read.
func (s *Store) Scrub(ctx context.Context) error { return s.engine.Scrub(ctx) }
