package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

func (sqliteText) PlacedBy() string { return "rid" }

func (sqliteText) Words(dst []byte, t Business, doc string) []byte {
	return sqlite.AppendTokens(dst, t.key.N, doc)
}

// Indexed reads the index word by word, from the first that begins with the business to the last.
func (sqliteText) Indexed(ctx context.Context, c engine.Conn, t Business, res *schema.Resource, each func(place int64, word string)) error {
	words := "words_of_" + res.Plural
	if _, err := c.Exec(ctx, "CREATE VIRTUAL TABLE IF NOT EXISTS temp."+words+" USING fts5vocab('main', '"+res.Plural+
		"_fts', 'instance')", nil); err != nil {
		return err
	}
	first := sqlite.AppendToken(nil, t.key.N, 0, 0, 0)
	first = first[:len(first)-3]
	last := slices.Clone(first)
	last[len(last)-1]++ // never beyond the last byte, because the number ends in seven bits
	if first[len(first)-1] == 0xff {
		last = append(slices.Clone(first), 0xff, 0xff, 0xff, 0xff)
	}
	// Without positions, so that every word of a record is there once.
	sql := "SELECT doc, term FROM temp." + words + " WHERE term >= ?1 AND term < ?2"
	return c.Query(ctx, sql, []schema.Value{room.Text(string(first)), room.Text(string(last))}, func(r engine.Row) error {
		each(room.FirstInt(r), r.Value(1, schema.Text).S)
		return nil
	})
}

// Mend has the index forget what it knows of a row number, and learn what lies there.
func (x sqliteText) Mend(w *Writing, res *schema.Resource, rid int64) error {
	if low, high := sqlite.RowRange(w.key); rid < low || rid > high {
		return nil
	}
	if err := x.remove(w, res, rid); err != nil {
		return err
	}
	b := w.Builder()
	doc := schema.Absent(schema.Text)
	sql := "SELECT t.search_doc FROM " + res.Plural + " t" +
		" WHERE +t.business_id = " + b.TenantMark() + " AND t.rid = " + b.Arg(room.Integer(rid)) +
		" AND t." + engine.Live
	err := w.c.Query(w.ctx, sql, b.Values, room.Into(&doc, room.First(schema.Text)))
	if err != nil || !doc.Set {
		return err
	}
	return x.Add(w, res, rid, doc.S)
}

// Misplaced finds the rows that do not lie in a row range of their business, or not in its order: a search passes them over.
func (sqliteText) Misplaced(ctx context.Context, c engine.Conn, t Business, res *schema.Resource,
	found func(id schema.UUID, what string, mend func(*Writing) error),
) error {
	n, err := t.Tally(ctx, c, sqlite.RowRangesName(res.Plural))
	if err != nil {
		return err
	}
	set := sqlite.RowRangeSet(n)
	for rowRange := range sqlite.RowRanges {
		low, high := sqlite.RowRangeBounds(t.key, rowRange)
		args := []schema.Value{room.Integer(low), room.Integer(high)}
		rows := res.Plural + " t WHERE t.rid BETWEEN ?1 AND ?2"
		switch {
		case !set.Has(rowRange):
			err = c.Query(ctx, "SELECT t.id FROM "+rows+" LIMIT 1", args, func(r engine.Row) error {
				found(room.FirstID(r),
					fmt.Sprintf("it lies in row range %d of %s, which is not known to be in use", rowRange, res.Plural),
					func(w *Writing) error { return w.markRowRange(res, 1<<rowRange) })
				return nil
			})
		case set.Ordered(rowRange) && set&((sqlite.LaidInto|sqlite.LaidFrom)<<rowRange) == 0:
			sql := "SELECT x.id FROM (SELECT t.id, t.created_at, lag(t.created_at) OVER w AS at, lag(t.id) OVER w AS behind" +
				" FROM " + rows + " WINDOW w AS (ORDER BY t.rid)) x" +
				" WHERE (x.created_at, x.id) < (x.at, x.behind) LIMIT 100"
			err = c.Query(ctx, sql, args, func(r engine.Row) error {
				mend := func(w *Writing) error { return w.markRowRange(res, sqlite.UnorderedFirst) }
				if rowRange > 0 {
					mend = nil
				}
				found(room.FirstID(r),
					fmt.Sprintf("it lies in row range %d of %s behind one that was created later", rowRange, res.Plural), mend)
				return nil
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
