package search

import (
	"context"
	"math"
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// postgresShelver puts records on text ranges as they come: nearly in the order of their creation, because they come by their ids. One
// that comes late goes back to the text range of its time.
type postgresShelver struct {
	d   *Database
	all map[textRangeOwner]*textRanges
}

type textRangeOwner struct {
	business schema.UUID
	resource string
}

// text ranges are those of a resource of a business.
type textRanges struct {
	w      *Writing
	starts []int64
	lastTextRange
	changed bool
}

func (postgresText) Shelver(d *Database) Shelver {
	return &postgresShelver{d: d, all: map[textRangeOwner]*textRanges{}}
}

func (x *postgresShelver) Place(ctx context.Context, c engine.Conn, t Business, res *schema.Resource, made engine.Creation) (int64, error) {
	of := textRangeOwner{t.id, res.Name}
	has := x.all[of]
	if has == nil {
		w := &Writing{Business: t, ctx: ctx, c: c, TextRanges: TextRangeEnds{}}
		starts, err := w.textRangeStarts(res.Name)
		if err != nil {
			return 0, err
		}
		last, err := w.lastRange(res)
		if err != nil {
			return 0, err
		}
		if last.made == 0 {
			last.latest = math.MinInt64
		}
		has = &textRanges{starts: starts, lastTextRange: last}
		x.all[of] = has
	}
	has.w = &Writing{Business: t, ctx: ctx, c: c}
	if has.made > 0 && has.made%x.d.TextRange == 0 && made.At > has.latest && has.latest >= has.start {
		has.start = has.latest + 1
		has.starts = append(has.starts, has.start)
		if err := has.w.addTextRange(res.Name, has.start); err != nil {
			return 0, err
		}
	}
	has.made++
	has.latest, has.changed = max(has.latest, made.At), true
	at, found := slices.BinarySearch(has.starts, made.At)
	if !found {
		at--
	}
	return has.starts[max(at, 0)], nil
}

func (x *postgresShelver) Add(context.Context, engine.Conn, Business, *schema.Resource, int64, string) error {
	return nil
}

// Finish notes in the tallies what the last text ranges are.
func (x *postgresShelver) Finish(ctx context.Context, c engine.Conn) error {
	for of, has := range x.all {
		if has.changed {
			sql, args := has.w.lastRangeAdded(of.resource, 0, has.lastTextRange,
				"made = excluded.made, latest = excluded.latest, shelf = excluded.shelf")
			if _, err := c.Exec(ctx, sql, args); err != nil {
				return err
			}
			has.changed = false
		}
	}
	if len(x.all) > 1000 { // rows come business by business, so the others are done
		clear(x.all)
	}
	return nil
}

func (x *postgresShelver) Forget(_ context.Context, _ engine.Conn, t Business, res *schema.Resource) error {
	delete(x.all, textRangeOwner{t.id, res.Name})
	return nil
}
