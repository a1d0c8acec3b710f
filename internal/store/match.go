package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
)

// What two records have alike that may be the same one is found by indexes: those of the resource itself, and for phone numbers, of
// which a record has several, and the domains of addresses a table of match keys. It has those of live records, and is written
// together with them. Whoever reads it looks at the records themselves before believing it.

// The letters that the keys of phone numbers and of domains begin with.
const (
	PhoneKeys  = "p"
	DomainKeys = "d"
)

// leastDigits is how many digits a phone number has that tells anything.
const leastDigits = 6

// Phone is a phone number as it is matched, or nothing where it is too short to tell anything.
func Phone(v schema.Value) string {
	if digits := query.Digits(v.S); v.Set && len(digits) >= leastDigits {
		return digits[:min(len(digits), 40)]
	}
	return ""
}

// MailDomain is the domain of an e-mail address as it is matched, or nothing where everybody gets one there.
func MailDomain(v schema.Value) string {
	domain := query.FoldCase(v.S[strings.LastIndexByte(v.S, '@')+1:])
	if !v.Set || schema.FreeMail(domain) {
		return ""
	}
	return domain
}

// matchKeys are those of a record, by its values.
func matchKeys(d *schema.Duplicates, value func(*schema.Leaf) schema.Value) (keys []string) {
	for _, l := range d.PhoneLeaves {
		if phone := Phone(value(l)); phone != "" && !slices.Contains(keys, PhoneKeys+phone) {
			keys = append(keys, PhoneKeys+phone)
		}
	}
	if d.EmailLeaf != nil {
		if domain := MailDomain(value(d.EmailLeaf)); domain != "" {
			keys = append(keys, DomainKeys+domain)
		}
	}
	return keys
}

// writeMatches adds the keys of new records.
func (tx *Tx) writeMatches(res *schema.Resource, recs []*schema.Record) error {
	if res.Life.Duplicates == nil {
		return nil
	}
	var keys []string
	var ids []schema.Value
	for _, rec := range recs {
		for _, key := range matchKeys(res.Life.Duplicates, rec.Get) {
			keys, ids = append(keys, key), append(ids, rec.Get(res.Common.ID))
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return tx.insertRows("match_key", func() []string { return []string{"resource", "key", "record_id"} }, len(keys),
		func(i int, row []schema.Value) []schema.Value {
			return append(row, text(res.Name), text(keys[i]), ids[i])
		})
}

// rewriteMatches brings the keys of a record to what it is now. A server from before there were any may have left some.
func (tx *Tx) rewriteMatches(res *schema.Resource, old, rec *schema.Record) error {
	if res.Life.Duplicates == nil {
		return nil
	}
	keysOf := func(r *schema.Record) []string {
		if !r.Live() {
			return nil
		}
		return matchKeys(res.Life.Duplicates, r.Get)
	}
	before, after := keysOf(old), keysOf(rec)
	id := rec.Get(res.Common.ID)
	for _, key := range before {
		if slices.Contains(after, key) {
			continue
		}
		if err := tx.send(room.SQL("DELETE FROM match_key WHERE business_id = {business} AND resource = '"+res.Name+
			"' AND key = ? AND record_id = ?", text(key), id)); err != nil {
			return err
		}
	}
	for _, key := range after {
		if slices.Contains(before, key) {
			continue
		}
		if err := tx.send(room.SQL("INSERT INTO match_key (business_id, resource, key, record_id) VALUES ({business}, '"+res.Name+
			"', ?, ?) ON CONFLICT (business_id, resource, key, record_id) DO NOTHING", text(key), id)); err != nil {
			return err
		}
	}
	return nil
}

// fillMatches writes the keys of all live records: for a database that had none.
func (s *Store) fillMatches(ctx context.Context, c engine.Conn) error {
	for _, res := range s.reg.Resources {
		d := res.Life.Duplicates
		if d == nil {
			continue
		}
		leaves := slices.Clone(d.PhoneLeaves)
		if d.EmailLeaf != nil {
			leaves = append(leaves, d.EmailLeaf)
		}
		selected := "SELECT t.business_id, t.id, t.deleted_at"
		for _, l := range leaves {
			selected += ", t." + l.Column.Name
		}
		selected += " FROM " + res.Plural + " t"
		insert := s.insertSQL("match_key", []string{"business_id", "record_id", "resource", "key"}, s.engine.Mark(1))
		err := s.batches(ctx, c, selected, [2]string{"t.business_id", "t.id"}, [2]schema.Kind{engine.KindTenant, schema.ID},
			func(r engine.Row) (rows [][]schema.Value, err error) {
				if r.Value(2, schema.Time).Set {
					return nil, nil
				}
				for _, key := range matchKeys(d, func(l *schema.Leaf) schema.Value { return r.Value(3+slices.Index(leaves, l), l.Kind) }) {
					rows = append(rows, []schema.Value{text(res.Name), text(key)})
				}
				return rows, nil
			}, insert)
		if err != nil {
			return err
		}
	}
	return nil
}

// Alike is something that records may have alike: the value of a leaf, or a match key with a beginning.
type Alike struct {
	Leaf *schema.Leaf
	Keys string
}

// value is that by which a key is compared.
func (a Alike) value(key string) schema.Value {
	if a.Leaf != nil && a.Leaf.Kind == schema.ID {
		return schema.Value{Kind: schema.ID, Set: true, S: key}
	}
	return text(a.Keys + key)
}

// source is where records lie by what they have alike, the columns of that and of their ids, and what holds of all of them.
func (a Alike) source(b *builder, res *schema.Resource) (from, key, id string, where []string) {
	if a.Leaf == nil {
		return "match_key t", "t.key", "t.record_id", []string{"t.business_id = " + b.TenantMark(), "t.resource = '" + res.Name + "'"}
	}
	index := res.Name + "_" + layout.FilterIndex(a.Leaf)
	if !a.Leaf.Find.Indexed {
		index = res.Name + "_" + a.Leaf.Column.Name + "_order"
	}
	return res.Plural + " t" + b.Dialect.IndexedBy(index), "t." + layout.SortColumn(a.Leaf), "t.id",
		[]string{"t.business_id = " + b.TenantMark(), "t." + engine.Live}
}

// AlikeFrom reads the records behind a key, in the order of what they have alike, at most so many, and hands them to each with their keys.
func (t Tenant) AlikeFrom(ctx context.Context, res *schema.Resource, a Alike, after string, most int,
	each func(key string, id schema.UUID),
) error {
	return t.read(ctx, func(c engine.Conn) error {
		b := t.builder()
		from, key, id, where := a.source(b, res)
		order := key + ", " + id
		if a.Leaf != nil && a.Leaf.Find.Indexed {
			order = key + ", t.created_at, t.id"
		}
		if after != "" || a.Keys != "" {
			where = append(where, key+" > "+b.Arg(a.value(after)))
		} else {
			where = append(where, key+" IS NOT NULL")
		}
		if a.Keys != "" {
			end, _ := query.Successor(a.Keys)
			where = append(where, key+" < "+b.Arg(text(end)))
		}
		kind := schema.Text
		if a.Leaf != nil && a.Leaf.Kind == schema.ID {
			kind = schema.ID
		}
		sql := "SELECT " + key + ", " + id + " FROM " + from +
			" WHERE " + strings.Join(where, " AND ") +
			" ORDER BY " + order + fmt.Sprintf(" LIMIT %d", most)
		return c.Query(ctx, sql, b.Values, func(r engine.Row) error {
			each(strings.TrimPrefix(r.Value(0, kind).S, a.Keys), r.Value(1, schema.ID).UUID())
			return nil
		})
	})
}

// AlikeTo reads the records that have one key, at most so many.
func (t Tenant) AlikeTo(ctx context.Context, res *schema.Resource, a Alike, key string, most int) (ids []schema.UUID, err error) {
	err = t.read(ctx, func(c engine.Conn) error {
		b := t.builder()
		from, column, id, where := a.source(b, res)
		where = append(where, column+" = "+b.Arg(a.value(key)))
		sql := "SELECT " + id + " FROM " + from + " WHERE " + strings.Join(where, " AND ") + fmt.Sprintf(" LIMIT %d", most)
		return c.Query(ctx, sql, b.Values, room.Collect(&ids, room.FirstID))
	})
	return ids, err
}

// KeysOf reads the keys that live records have of a text.
func (t Tenant) KeysOf(ctx context.Context, res *schema.Resource, l *schema.Leaf, ids []schema.UUID) (keys map[schema.UUID]string,
	err error,
) {
	keys = map[schema.UUID]string{}
	if len(ids) == 0 {
		return keys, nil
	}
	st := room.SQL("SELECT t.id, t." + l.Key + " FROM " + res.Plural + " t WHERE t.business_id = {business} AND {among t.id} AND " +
		t.s.engine.LiveByID("t"))
	for _, id := range ids {
		st.Among = append(st.Among, schema.IDValue(id))
	}
	err = t.Query(ctx, st, func(r room.Row) error {
		keys[room.FirstID(r)] = r.Value(1, schema.Text).S
		return nil
	})
	return keys, err
}

// Pair is two records, the smaller id first.
type Pair [2]schema.UUID

// PairOf puts two ids in order.
func PairOf(a, b schema.UUID) Pair {
	if strings.Compare(string(a[:]), string(b[:])) > 0 {
		a, b = b, a
	}
	return Pair{a, b}
}
