package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kith/internal/schema"
)

func (e *sqliteEngine) snapshot(ctx context.Context, fn func(conn) error) error {
	return e.read(ctx, share{}, func(c conn) error {
		reader := c.(*sqliteConn)
		if err := reader.do("BEGIN"); err != nil {
			return err
		}
		err := fn(c)
		if end := reader.do("ROLLBACK"); err == nil {
			err = end
		}
		return err
	})
}

// inspect has SQLite look through its file: whether pages and indexes are whole, and the text indexes in themselves.
func (e *sqliteEngine) inspect(ctx context.Context, c conn, found func(what string)) error {
	return c.query(ctx, "PRAGMA integrity_check(100)", nil, func(r row) error {
		if says := r.Value(0, schema.Text).S; says != "ok" {
			found(strings.Clone(says))
		}
		return nil
	})
}

func (sqliteText) placedBy() string { return "rid" }

// entries are the words of the index, each with the row number: it has no positions, so that every word is there once.
func (sqliteText) entries(t Tenant, place int64, doc string) (all [][]schema.Value) {
	words := strings.Fields(tokens(t.key.N, doc))
	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		all = append(all, []schema.Value{schema.IntValue(schema.Integer, place), text(word)})
	}
	return all
}

func (sqliteText) entryKinds() []schema.Kind { return []schema.Kind{schema.Integer, schema.Text} }

// indexed reads the index word by word, from the first that begins with the business to the last.
func (sqliteText) indexed(ctx context.Context, c conn, t Tenant, res *schema.Resource, each func(values []schema.Value)) error {
	words := "words_of_" + res.Plural
	if _, err := c.exec(ctx, "CREATE VIRTUAL TABLE IF NOT EXISTS temp."+words+" USING fts5vocab('main', '"+res.Plural+"_fts', 'instance')", nil); err != nil {
		return err
	}
	first := appendToken(nil, t.key.N, 0, 0, 0)
	first = first[:len(first)-3]
	last := slices.Clone(first)
	last[len(last)-1]++ // never beyond the last byte, because the number ends in seven bits
	if first[len(first)-1] == 0xff {
		last = append(slices.Clone(first), 0xff, 0xff, 0xff, 0xff)
	}
	sql := "SELECT doc, term FROM temp." + words + " WHERE term >= ?1 AND term < ?2"
	return c.query(ctx, sql, []schema.Value{text(string(first)), text(string(last))}, func(r row) error {
		each([]schema.Value{r.Value(0, schema.Integer), r.Value(1, schema.Text)})
		return nil
	})
}

// mend has the index forget what it knows of a row number, and learn what lies there.
func (x sqliteText) mend(tx *Tx, res *schema.Resource, rid int64) error {
	if low, high := rowRange(tx.key); rid < low || rid > high {
		return nil
	}
	if err := x.remove(tx, res, rid); err != nil {
		return err
	}
	b := newBuilder(tx.s.engine, tx.key)
	doc := schema.Absent(schema.Text)
	sql := "SELECT t.search_doc FROM " + res.Plural + " t WHERE +t.business_id = " + b.tenantMark() + " AND t.rid = " + b.arg(schema.IntValue(schema.Integer, rid)) + " AND t." + live
	err := tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		doc = cloneValues([]schema.Value{r.Value(0, schema.Text)})[0]
		return nil
	})
	if err != nil || !doc.Set {
		return err
	}
	return x.add(tx, res, rid, doc.S)
}

// misplaced finds the rows that do not lie in a lane of their business, or not in its order: a search passes them over.
func (sqliteText) misplaced(ctx context.Context, c conn, t Tenant, res *schema.Resource, found func(id schema.UUID, what string, mend func(*Tx) error)) error {
	n, err := t.tally(ctx, c, lanesName(res.Plural))
	if err != nil {
		return err
	}
	set := laneSet(n)
	for lane := range lanes {
		low, high := laneRange(t.key, lane)
		args := []schema.Value{schema.IntValue(schema.Integer, low), schema.IntValue(schema.Integer, high)}
		rows := res.Plural + " t WHERE t.rid BETWEEN ?1 AND ?2"
		switch {
		case !set.has(lane):
			err = c.query(ctx, "SELECT t.id FROM "+rows+" LIMIT 1", args, func(r row) error {
				found(r.Value(0, schema.ID).UUID(), fmt.Sprintf("it lies in lane %d of %s, which is not known to be in use", lane, res.Plural), func(tx *Tx) error { return tx.markLane(res, 1<<lane) })
				return nil
			})
		case set.ordered(lane) && set&((laidInto|laidFrom)<<lane) == 0:
			sql := "SELECT x.id FROM (SELECT t.id, t.created_at, lag(t.created_at) OVER w AS at, lag(t.id) OVER w AS behind FROM " + rows + " WINDOW w AS (ORDER BY t.rid)) x WHERE (x.created_at, x.id) < (x.at, x.behind) LIMIT 100"
			err = c.query(ctx, sql, args, func(r row) error {
				mend := func(tx *Tx) error { return tx.markLane(res, unorderedFirst) }
				if lane > 0 {
					mend = nil
				}
				found(r.Value(0, schema.ID).UUID(), fmt.Sprintf("it lies in lane %d of %s behind one that was created later", lane, res.Plural), mend)
				return nil
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// markLane notes something about the lanes of a resource, where it is not noted yet.
func (tx *Tx) markLane(res *schema.Resource, mark laneSet) error {
	n, err := tx.tally(tx.ctx, tx.c, lanesName(res.Plural))
	if err != nil || laneSet(n)&mark != 0 {
		return err
	}
	return tx.add(lanesName(res.Plural), int64(mark))
}
