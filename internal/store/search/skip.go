package search

import (
	"context"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// A page that leaves out the first so many matches begins behind the last of these. That record is found first, by statements that
// read of each record no more than what it is sorted by, which an index of the order tells alone; from there on the page is read as
// behind a cursor.

// passing gives the walks of a phase that pass all of its matches, one after the other.
type passing func(s *Search, ctx context.Context, c engine.Conn, p phase) ([]walk, error)

// after reads a page from where it begins.
func (s *Search) after(ctx context.Context, c engine.Conn, walks passing, read func(context.Context, engine.Conn) error) error {
	whole := s.q
	if whole.Skip == 0 {
		return read(ctx, c)
	}
	last, err := s.skip(ctx, c, walks)
	if err != nil || last == nil {
		return err
	}
	part := *whole
	part.After = last
	s.q = &part
	defer func() { s.q = whole }()
	return read(ctx, c)
}

// skip gives the position of the last record that is left out, or nil where there are no more records than are left out.
func (s *Search) skip(ctx context.Context, c engine.Conn, passing passing) (*query.Position, error) {
	keys := *s.q
	keys.Leaves, keys.Through, keys.Limit = nil, nil, keys.Skip
	k := s.t.Search(&keys, nil)
	k.state, k.needles = s.state, s.needles
	for _, p := range k.phases() {
		walks, err := passing(k, ctx, c, p)
		if err != nil {
			return nil, err
		}
		for _, way := range walks {
			last, n, err := k.pass(ctx, c, p, way, int64(keys.Skip)-s.passed)
			if s.passed += n; err != nil || last != nil {
				return last, err
			}
		}
	}
	return nil, nil
}

// passingWalks are those of a search of records.
func (s *Search) passingWalks(ctx context.Context, c engine.Conn, p phase) (walks []walk, err error) {
	if len(s.needles) > 0 {
		return []walk{indexWalk}, nil
	}
	if err := s.choose(ctx, c); err != nil || s.way.nothing {
		return nil, err
	}
	if none, err := s.allFiled(ctx, c, p); err != nil || none {
		return nil, err
	}
	along := s.alongCustomEntries(p)
	if along == nil || !along.exact {
		return []walk{plainWalk}, nil
	}
	runs, err := s.customEntryRuns(ctx, c, along)
	for _, run := range runs {
		walks = append(walks, run.render)
	}
	return walks, err
}

// pass gives the position of the n-th match of a walk, or nil and how many matches it has, where these are fewer.
func (s *Search) pass(ctx context.Context, c engine.Conn, p phase, way walk, n int64) (last *query.Position, passed int64, err error) {
	first := func(b *Builder) string {
		b.keys = true
		a := s.asked(b, p)
		a.limit = " LIMIT " + b.Arg(room.Integer(n))
		return way(s, b, a)
	}
	b := s.t.Builder()
	sql := "SELECT * FROM (" + first(b) + ") matches LIMIT 1 OFFSET " + b.Arg(room.Integer(n-1))
	err = c.Weigh(ctx, sql, b.Values, func(r engine.Row) error {
		last = &query.Position{Value: r.Value(0, s.q.Order.Leaf.SortKind()), ID: r.Value(1, schema.ID).UUID(), Total: -1}
		return nil
	})
	if err != nil || last != nil {
		return last, n, err
	}
	b = s.t.Builder()
	err = c.Weigh(ctx, "SELECT count(*) FROM ("+first(b)+") matches", b.Values, room.Into(&passed, room.FirstInt))
	return nil, passed, err
}
