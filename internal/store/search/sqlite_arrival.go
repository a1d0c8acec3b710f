package search

import (
	"context"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// sqliteShelver puts records into the first row range, behind one another, as long as they come in the order of their creation, and the
// others onto the unordered range. Most come so: they come by their ids.
type sqliteShelver struct {
	rowRanges map[heap]*rowRangesEnd
}

// heap is where the records of a resource of a business lie.
type heap struct {
	table    string
	business schema.Value
}

// rowRangesEnd is where the first row range and the unordered range of a heap end.
type rowRangesEnd struct {
	first, unordered int64
	made             engine.Creation
	unorderedRows    bool
}

func (sqliteText) Shelver(*Database) Shelver {
	return &sqliteShelver{rowRanges: map[heap]*rowRangesEnd{}}
}

func (x *sqliteShelver) Place(ctx context.Context, c engine.Conn, t Business, res *schema.Resource, made engine.Creation) (int64, error) {
	h := heap{res.Plural, t.key}
	end := x.rowRanges[h]
	if end == nil {
		if len(x.rowRanges) > 1000 { // rows come business by business, so the others are done
			clear(x.rowRanges)
		}
		end = &rowRangesEnd{}
		var err error
		low, high := sqlite.RowRangeBounds(t.key, 0)
		if end.first, end.made, err = t.lastRow(ctx, c, res.Plural, low+1, high); err != nil {
			return 0, err
		}
		low, high = sqlite.RowRangeBounds(t.key, sqlite.Unordered)
		if end.unordered, _, err = t.lastRow(ctx, c, res.Plural, low+1, high); err != nil {
			return 0, err
		}
		set, err := t.Tally(ctx, c, sqlite.RowRangesName(res.Plural))
		if err != nil {
			return 0, err
		}
		end.unorderedRows = sqlite.RowRangeSet(set).Has(sqlite.Unordered)
		x.rowRanges[h] = end
	}
	if made.Compare(end.made) >= 0 {
		end.first++
		end.made = made
		return end.first, nil
	}
	if !end.unorderedRows {
		if err := (&Writing{Business: t, ctx: ctx, c: c}).Add(sqlite.RowRangesName(res.Plural), 1<<sqlite.Unordered); err != nil {
			return 0, err
		}
		end.unorderedRows = true
	}
	end.unordered++
	return end.unordered, nil
}

func (x *sqliteShelver) Add(ctx context.Context, c engine.Conn, t Business, res *schema.Resource, place int64, doc string) error {
	return sqliteText{}.Add(&Writing{Business: t, ctx: ctx, c: c}, res, place, doc)
}

// Finish tells the text indexes, which would otherwise wait for the end of the transaction, with all documents in memory.
func (x *sqliteShelver) Finish(_ context.Context, c engine.Conn) error {
	return c.(*sqlite.Conn).WriteTexts()
}

func (x *sqliteShelver) Forget(ctx context.Context, c engine.Conn, t Business, res *schema.Resource) error {
	low, high := sqlite.RowRange(t.key)
	delete(x.rowRanges, heap{res.Plural, t.key})
	for {
		var some []int64
		sql := "SELECT t.rid FROM " + res.Plural + " t WHERE t.rid BETWEEN ?1 AND ?2 AND t." + engine.Live + " ORDER BY t.rid LIMIT 1000"
		err := c.Query(ctx, sql, []schema.Value{room.Integer(low), room.Integer(high)},
			room.Collect(&some, room.FirstInt))
		if err != nil || len(some) == 0 {
			return err
		}
		for _, rid := range some {
			if err := (sqliteText{}).remove(&Writing{Business: t, ctx: ctx, c: c}, res, rid); err != nil {
				return err
			}
		}
		if err := x.Finish(ctx, c); err != nil {
			return err
		}
		low = some[len(some)-1] + 1
	}
}
