package store

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
	s   *Store
	all map[textRangeOwner]*textRanges
}

type textRangeOwner struct {
	business schema.UUID
	resource string
}

// text ranges are those of a resource of a business.
type textRanges struct {
	tx     *Tx
	starts []int64
	lastTextRange
	changed bool
}

func (postgresText) shelver(s *Store) shelver {
	return &postgresShelver{s: s, all: map[textRangeOwner]*textRanges{}}
}

func (x *postgresShelver) place(ctx context.Context, c engine.Conn, t Tenant, res *schema.Resource, made engine.Creation) (int64, error) {
	of := textRangeOwner{t.id, res.Name}
	has := x.all[of]
	if has == nil {
		tx := &Tx{Tenant: t, ctx: ctx, c: c, textRanges: map[string]lastTextRange{}}
		starts, err := tx.textRangeStarts(res.Name)
		if err != nil {
			return 0, err
		}
		last, err := tx.textRange(res)
		if err != nil {
			return 0, err
		}
		if last.made == 0 {
			last.latest = math.MinInt64
		}
		has = &textRanges{starts: starts, lastTextRange: last}
		x.all[of] = has
	}
	has.tx = &Tx{Tenant: t, ctx: ctx, c: c}
	if has.made > 0 && has.made%x.s.textRange == 0 && made.At > has.latest && has.latest >= has.start {
		has.start = has.latest + 1
		has.starts = append(has.starts, has.start)
		if err := has.tx.addTextRange(res.Name, has.start); err != nil {
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

func (x *postgresShelver) add(context.Context, engine.Conn, Tenant, *schema.Resource, int64, string) error {
	return nil
}

// finish notes in the tallies what the last text ranges are.
func (x *postgresShelver) finish(ctx context.Context, c engine.Conn) error {
	for of, has := range x.all {
		if has.changed {
			b := newBuilder(x.s.engine, has.tx.key)
			number := func(n int64) string { return b.Arg(schema.IntValue(schema.Integer, n)) }
			sql := "INSERT INTO tally (business_id, " +
				"name, n, made, latest, shelf) VALUES (" + b.TenantMark() + ", " + b.Arg(text(of.resource)) + ", 0, " + number(has.made) +
				", " + number(has.latest) + ", " + number(has.start) + ")" +
				" ON CONFLICT (business_id, name) DO UPDATE SET made = excluded.made, latest = excluded.latest, shelf = excluded.shelf"
			if _, err := c.Exec(ctx, sql, b.Values); err != nil {
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

func (x *postgresShelver) forget(_ context.Context, _ engine.Conn, t Tenant, res *schema.Resource) error {
	delete(x.all, textRangeOwner{t.id, res.Name})
	return nil
}
