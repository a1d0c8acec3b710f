package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kith/internal/schema"
)

// Records that are removed for good leave traces: entries of the log, kept answers, records that refer to them. However many these are, no transaction works
// off more than a few of them. What is left to do is a row of the table erasure, which is written together with the removal, so that a server that is killed
// forgets nothing. The domain knows what there is to do; here are the ways to do it.

// Erasure is a record that was removed for good and whose traces are being worked off.
type Erasure struct {
	Resource string
	ID       schema.UUID
	// Of is the record that it went with, or its own id.
	Of schema.UUID
	// At is when it was removed, and Actor by whom.
	At    time.Time
	Actor Actor
	// Chore is what is to be done next, and Place how far it has come, both in the domain's words.
	Chore, Place string
}

func erasureTable() table {
	return table{
		name: "erasure",
		columns: []column{
			{"business_id", kindTenant, true},
			{"of_id", schema.ID, true},
			{"record_id", schema.ID, true},
			{"resource", schema.Text, true},
			{"at", schema.Time, true},
			{"user_id", schema.ID, false},
			{"token_id", schema.ID, false},
			{"app_id", schema.ID, false},
			{"client_id", schema.Text, false},
			{"request_id", schema.Text, false},
			{"chore", schema.Text, true},
			{"place", schema.Text, true},
		},
		primary: []string{"business_id", "of_id", "record_id"},
		indexes: []index{{name: "erasure_record", columns: []string{"business_id", "record_id"}}},
	}
}

// Remove takes a record away for good, be it live or in the bin, under an action's name for the log. told is what the entry has as its changes, a JSON object.
func (tx *Tx) Remove(res *schema.Resource, rec *schema.Record, action, told string) error {
	if err := tx.c.wipe(tx.ctx); err != nil {
		return err
	}
	wasLive := rec.Live()
	if wasLive {
		if err := tx.s.engine.text().change(tx, res, rec.ID(), true, false, ""); err != nil {
			return err
		}
	}
	tx.forget(res, rec, rec)
	tx.weight += writeWeight + rec.Weight()
	if err := tx.drop(res.Plural, "id", rec.ID()); err != nil {
		return err
	}
	tx.tallies[tallyName(res, !wasLive)]--
	gone := rec.Clone()
	gone.Put(res.Common.DeletedAt, schema.TimeValue(tx.Now))
	if wasLive {
		tx.figure(res, rec.Get, -1)
		if err := tx.writeParts(res, rec, gone); err != nil {
			return err
		}
		if err := tx.rewriteMatches(res, rec, gone); err != nil {
			return err
		}
		if err := tx.refileSlips(rec, gone); err != nil {
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
		if err := tx.drop(endTableName(res), "link_id", rec.ID()); err != nil {
			return err
		}
	}
	if res.Duplicates != nil {
		for _, side := range []string{"first_id", "second_id"} {
			b := newBuilder(tx.s.engine, tx.key)
			sql := "DELETE FROM not_twins WHERE business_id = " + b.tenantMark() + " AND resource = '" + res.Name + "' AND " + side + " = " + b.arg(schema.IDValue(rec.ID()))
			if _, err := tx.c.exec(tx.ctx, sql, b.args); err != nil {
				return err
			}
		}
	}
	return tx.note(res, change{resource: res.Name, id: rec.ID(), version: rec.Version() + 1, action: action, at: tx.Now, actor: tx.actor, changes: []byte(told)})
}

// Scour has the text index of a resource drop in time what it still holds of records that were removed.
func (tx *Tx) Scour(res *schema.Resource) error { return tx.s.engine.text().scour(tx, res) }

// drop deletes the rows of a table that have an id.
func (tx *Tx) drop(table, column string, id schema.UUID) error {
	b := newBuilder(tx.s.engine, tx.key)
	_, err := tx.c.exec(tx.ctx, "DELETE FROM "+table+" WHERE business_id = "+b.tenantMark()+" AND "+column+" = "+b.arg(schema.IDValue(id)), b.args)
	return err
}

// Actor is who makes the changes of the transaction.
func (tx *Tx) Actor() Actor { return tx.actor }

// AddErasure notes a record that was removed.
func (tx *Tx) AddErasure(e Erasure) error {
	columns := func() []string {
		return []string{"of_id", "record_id", "resource", "at", "user_id", "token_id", "app_id", "client_id", "request_id", "chore", "place"}
	}
	return tx.insertRows("erasure", columns, 1, func(_ int, row []schema.Value) []schema.Value {
		return append(row, schema.IDValue(e.Of), schema.IDValue(e.ID), text(e.Resource), schema.TimeValue(tx.Now),
			schema.IDValue(tx.actor.User), schema.IDValue(tx.actor.Token), schema.IDValue(tx.actor.App), schema.TextValue(schema.Text, tx.actor.Client),
			schema.TextValue(schema.Text, tx.actor.RequestID), text(e.Chore), text(e.Place))
	})
}

// PutErasure notes what is to be done next about a record that was removed.
func (tx *Tx) PutErasure(e Erasure) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "UPDATE erasure SET chore = " + b.arg(text(e.Chore)) + ", place = " + b.arg(text(e.Place)) +
		" WHERE business_id = " + b.tenantMark() + " AND of_id = " + b.arg(schema.IDValue(e.Of)) + " AND record_id = " + b.arg(schema.IDValue(e.ID))
	return tx.c.change(tx.ctx, sql, b.args)
}

// Erasures reads those that have something left to do, the oldest first, at most so many: all that are nobody's company, or those that went with a record and have
// a chore.
func (tx *Tx) Erasures(of *schema.UUID, chore string, most int) (all []Erasure, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	where := " AND t.record_id = t.of_id ORDER BY t.at, t.of_id"
	if of != nil {
		where = " AND t.of_id = " + b.arg(schema.IDValue(*of)) + " AND t.record_id <> t.of_id AND t.chore = " + b.arg(text(chore)) + " ORDER BY t.record_id"
	}
	sql := "SELECT t.resource, t.record_id, t.of_id, t.at, t.user_id, t.token_id, t.app_id, t.client_id, t.request_id, t.chore, t.place FROM erasure t" +
		" WHERE t.business_id = " + b.tenantMark() + where + fmt.Sprintf(" LIMIT %d", most)
	err = tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		e := Erasure{
			Resource: strings.Clone(r.Value(0, schema.Text).S), ID: r.Value(1, schema.ID).UUID(), Of: r.Value(2, schema.ID).UUID(), At: r.Value(3, schema.Time).Time(),
			Actor: Actor{
				User: r.Value(4, schema.ID).UUID(), Token: r.Value(5, schema.ID).UUID(), App: r.Value(6, schema.ID).UUID(),
				Client: strings.Clone(r.Value(7, schema.Text).S), RequestID: strings.Clone(r.Value(8, schema.Text).S),
			},
			Chore: strings.Clone(r.Value(9, schema.Text).S), Place: strings.Clone(r.Value(10, schema.Text).S),
		}
		all = append(all, e)
		return nil
	})
	return all, err
}

// EndErasure forgets up to so many of the records that went with one, and last that one itself. It tells whether it has.
func (tx *Tx) EndErasure(of schema.UUID, most int) (done bool, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	var ids []schema.Value
	sql := "SELECT t.record_id FROM erasure t WHERE t.business_id = " + b.tenantMark() + " AND t.of_id = " + b.arg(schema.IDValue(of)) +
		" AND t.record_id <> t.of_id" + fmt.Sprintf(" LIMIT %d", most)
	err = tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		ids = append(ids, schema.IDValue(r.Value(0, schema.ID).UUID()))
		return nil
	})
	if err != nil {
		return false, err
	}
	if done = len(ids) < most; done {
		ids = append(ids, schema.IDValue(of))
	}
	b = newBuilder(tx.s.engine, tx.key)
	sql = "DELETE FROM erasure WHERE business_id = " + b.tenantMark() + " AND of_id = " + b.arg(schema.IDValue(of)) + " AND " + b.d.among(b, "record_id", ids)
	_, err = tx.c.exec(tx.ctx, sql, b.args)
	return done, err
}

// Erased finds those among some ids whose records were removed and are still being worked off.
func (tx *Tx) Erased(ids []schema.UUID) (erased []schema.UUID, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	values := make([]schema.Value, len(ids))
	for i, id := range ids {
		values[i] = schema.IDValue(id)
	}
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT t.record_id FROM erasure t WHERE t.business_id = " + b.tenantMark() + " AND " + b.d.among(b, "t.record_id", values)
	err = tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		erased = append(erased, r.Value(0, schema.ID).UUID())
		return nil
	})
	return erased, err
}

// Erasing lists the businesses in which something that was removed is still being worked off.
func (s *Store) Erasing(ctx context.Context) (all []Tenant, err error) {
	err = s.engine.read(ctx, share{}, func(c conn) error {
		all, err = s.businesses(ctx, c, "WHERE business_id IN (SELECT e.business_id FROM erasure e)")
		return err
	})
	return all, err
}

// mostEmptied is how many bytes are emptied in one step, of entries of the log or of kept answers.
const mostEmptied = 1 << 20

// EmptyLog takes what the entries of a record's log tell of its values, from the one behind place on, at most so many: what they are about, when and by whom it was
// stays. Entries of the given action keep theirs. It gives the place to go on from, which is empty once all are done.
func (tx *Tx) EmptyLog(resource string, id schema.UUID, except, place string, most int) (next string, err error) {
	after, _ := strconv.ParseInt(place, 10, 64) // the beginning where there is no place
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT t.seq, CAST(length(CAST(t.changes AS text)) AS bigint) FROM change t" + b.d.indexedBy("change_record") +
		" WHERE t.business_id = " + b.tenantMark() + " AND t.resource = " + b.arg(text(resource)) + " AND t.record_id = " + b.arg(schema.IDValue(id)) +
		" AND t.seq > " + b.arg(schema.IntValue(schema.Integer, after)) + fmt.Sprintf(" ORDER BY t.seq LIMIT %d", most)
	seen, bytes, last := 0, int64(0), after
	err = tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		if bytes > mostEmptied {
			return errFull
		}
		seen++
		last, bytes = r.Value(0, schema.Integer).N, bytes+r.Value(1, schema.Integer).N
		return nil
	})
	full := errors.Is(err, errFull)
	if err != nil && !full {
		return "", err
	}
	if seen > 0 {
		if err := tx.c.wipe(tx.ctx); err != nil {
			return "", err
		}
		b = newBuilder(tx.s.engine, tx.key)
		sql = "UPDATE change SET changes = " + b.arg(schema.Value{Kind: schema.Document, Set: true, S: "{}"}) +
			" WHERE business_id = " + b.tenantMark() + " AND resource = " + b.arg(text(resource)) + " AND record_id = " + b.arg(schema.IDValue(id)) +
			" AND seq > " + b.arg(schema.IntValue(schema.Integer, after)) + " AND seq <= " + b.arg(schema.IntValue(schema.Integer, last)) +
			" AND action <> " + b.arg(text(except))
		if _, err := tx.c.exec(tx.ctx, sql, b.args); err != nil {
			return "", err
		}
	}
	if seen < most && !full {
		return "", nil
	}
	return strconv.FormatInt(last, 10), nil
}

// CutAnswers looks through kept answers from the one behind place on, at most so many: cut gives what is left of a body, and false where that is all of it. Those that
// are too old to be given to anybody are taken away. It gives the place to go on from, which is empty once all are done.
func (tx *Tx) CutAnswers(place string, most int, cut func(body []byte) ([]byte, bool, error)) (next string, err error) {
	after, err := hex.DecodeString(place)
	if err != nil {
		return "", err
	}
	b := newBuilder(tx.s.engine, tx.key)
	behind := ""
	if len(after) > 0 {
		behind = " AND t.hash > " + b.arg(bytesValue(after))
	}
	sql := "SELECT t.hash, CAST(length(t.body) AS bigint) FROM answer t WHERE t.business_id = " + b.tenantMark() + behind + fmt.Sprintf(" ORDER BY t.hash LIMIT %d", most)
	var hashes []schema.Value
	bytes, full := int64(0), false
	err = tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		if full = bytes > mostEmptied; full {
			return errFull
		}
		bytes += r.Value(1, schema.Integer).N
		hashes = append(hashes, bytesValue([]byte(r.Value(0, kindBytes).S)))
		return nil
	})
	if err != nil && !full || len(hashes) == 0 {
		return "", err
	}
	type answer struct {
		hash schema.Value
		body []byte
		old  bool
	}
	var found []answer
	b = newBuilder(tx.s.engine, tx.key)
	if behind = ""; len(after) > 0 {
		behind = " AND t.hash > " + b.arg(bytesValue(after))
	}
	last := hashes[len(hashes)-1]
	sql = "SELECT t.hash, t.at, t.body FROM answer t WHERE t.business_id = " + b.tenantMark() + behind + " AND t.hash <= " + b.arg(last)
	err = tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		a := answer{hash: bytesValue([]byte(r.Value(0, kindBytes).S)), old: !r.Value(1, schema.Time).Time().After(tx.Now.Add(-AnswersLast))}
		if !a.old {
			a.body = []byte(r.Value(2, kindBytes).S)
		}
		found = append(found, a)
		return nil
	})
	if err != nil {
		return "", err
	}
	if err := tx.c.wipe(tx.ctx); err != nil {
		return "", err
	}
	for _, a := range found {
		b := newBuilder(tx.s.engine, tx.key)
		sql := "DELETE FROM answer"
		if !a.old {
			rest, changed, err := cut(a.body)
			if err != nil {
				return "", err
			}
			if !changed {
				continue
			}
			sql = "UPDATE answer SET body = " + b.arg(bytesValue(rest))
		}
		if _, err := tx.c.exec(tx.ctx, sql+" WHERE business_id = "+b.tenantMark()+" AND hash = "+b.arg(a.hash), b.args); err != nil {
			return "", err
		}
	}
	if len(hashes) < most && !full {
		return "", nil
	}
	return hex.EncodeToString([]byte(last.S)), nil
}

// Referring looks through records of a resource from the one behind place on, at most so many, and gives those that have an id in one of the leaves, or, as a member of a
// leaf that is a document, anywhere in it. In the bin it goes by when they were deleted; otherwise it looks at all records, deleted ones too. It gives the place to go on
// from, which is empty once all were looked at.
func (tx *Tx) Referring(res *schema.Resource, bin bool, leaves []*schema.Leaf, id schema.UUID, place string, most int) (found []schema.UUID, next string, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	var hits []string
	for _, l := range leaves {
		if l.Kind == schema.Document {
			hits = append(hits, b.d.contains(b, "CAST(t."+l.Column.Name+" AS text)", hex.EncodeToString(id[:])))
		} else {
			hits = append(hits, "t."+l.Column.Name+" = "+b.arg(schema.IDValue(id)))
		}
	}
	from, where, order := res.Plural+" t", "t.business_id = "+b.tenantMark(), "t.id"
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
		from, order = from+b.d.indexedBy(res.Name+"_bin"), "t.deleted_at, t.id"
		where += " AND t.deleted_at IS NOT NULL"
	}
	switch {
	case place != "" && bin:
		where += " AND (t.deleted_at, t.id) > (" + b.arg(schema.IntValue(schema.Time, at)) + ", " + b.arg(schema.IDValue(last)) + ")"
	case place != "":
		where += " AND t.id > " + b.arg(schema.IDValue(last))
	}
	sql := "SELECT t.id, t.deleted_at, CAST(CASE WHEN " + strings.Join(hits, " OR ") + " THEN 1 ELSE 0 END AS bigint) FROM " + from +
		" WHERE " + where + fmt.Sprintf(" ORDER BY %s LIMIT %d", order, most)
	seen := 0
	err = tx.c.query(tx.ctx, sql, b.args, func(r row) error {
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
	sql := "SELECT " + b.wholeRecord(res) + " FROM " + res.Plural + " t" + b.d.indexedBy(res.Name+"_bin") +
		" WHERE t.business_id = " + b.tenantMark() + " AND t.deleted_at IS NOT NULL AND t.deleted_at < " + b.arg(schema.TimeValue(before)) +
		fmt.Sprintf(" ORDER BY t.deleted_at, t.id LIMIT %d", most)
	err = tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		rec, err := tx.has(scanRecord(r, res))
		found = append(found, rec)
		return err
	})
	return found, err
}

// Retaining lists the businesses that do not keep deleted records for ever.
func (s *Store) Retaining(ctx context.Context) (all []Tenant, err error) {
	err = s.engine.read(ctx, share{}, func(c conn) error {
		all, err = s.businesses(ctx, c, "WHERE bin_days IS NOT NULL")
		return err
	})
	return all, err
}

// GetAny reads one record, be it live or deleted, or ErrNotFound.
func (tx *Tx) GetAny(res *schema.Resource, id schema.UUID) (*schema.Record, error) {
	rec, err := tx.Get(res, id, false)
	if errors.Is(err, ErrNotFound) {
		rec, err = tx.Get(res, id, true)
	}
	return rec, err
}

// Scrub writes the database anew, so that its files have nothing of what is no longer in it. Meanwhile nobody can write, and in PostgreSQL nobody can read.
func (s *Store) Scrub(ctx context.Context) error { return s.engine.scrub(ctx) }
