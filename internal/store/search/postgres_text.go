package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/postgres"
)

// postgresText is a GIN index of trigrams that is led by the text range on which a record stands, see postgres_text_range.go. The server
// keeps it by itself.
type postgresText struct{}

func (Postgres) Text() TextIndex { return postgresText{} }

// Place puts new records on the last text range. When the transaction ends, those that belong elsewhere are moved, see shelve.
func (postgresText) Place(w *Writing, res *schema.Resource, recs []*schema.Record) (Places, error) {
	last, err := w.lastRange(res)
	for _, rec := range recs {
		w.placed[res.Name] = append(w.placed[res.Name], placed{rec.ID(), rec.Get(res.Common.CreatedAt).N})
	}
	return Places{"shelf", last.start, 0}, err
}

func (postgresText) Add(*Writing, *schema.Resource, int64, string) error { return nil }

func (postgresText) Change(*Writing, *schema.Resource, schema.UUID, bool, bool, string) error {
	return nil
}

// Scour leaves it to the server, which takes what is gone out of its indexes when it vacuums.
func (postgresText) Scour(*Writing, *schema.Resource) error { return nil }

// needles are the texts as they are, where there are more records than a walk would look through.
func (postgresText) needles(_ context.Context, _ engine.Conn, s *Search) ([]string, error) {
	if s.state.count <= int64(max(s.t.Window, s.t.Small)) {
		return nil, nil
	}
	return needles(s.q), nil
}

func (postgresText) candidates(b *Builder, res *schema.Resource, needles []string) (from string, where []string) {
	return shelved(b, res, needles, "DESC", nil, nil), nil
}

// walkCreation looks at the first records, and then goes from text range to text range. The look finds a word that all have 4.8 times as
// fast, and costs a rare one a quarter to a third.
func (postgresText) walkCreation(ctx context.Context, c engine.Conn, s *Search, p phase) error {
	if full, err := s.tryWindow(ctx, c, p, s.t.Glance); err != nil || full {
		return err
	}
	_, err := s.fill(ctx, s.inOrder(c.Query), p, textRangeWalk)
	return err
}

// errOutOfOrder tells that the database gave records in another order than they were asked for. A page of them would be wrong
// without a sign of it.
var errOutOfOrder = errors.New("the records of a search by created_at came out of order")

// inOrder holds the records of a question to the order of creation that was asked for.
func (s *Search) inOrder(run engine.Question) engine.Question {
	return func(ctx context.Context, sql string, args []schema.Value, each func(engine.Row) error) error {
		var last engine.Creation
		return run(ctx, sql, args, func(r engine.Row) error {
			this := engine.Creation{At: r.Value(len(s.kinds), schema.Time).N, ID: r.Value(len(s.kinds)+1, schema.ID).UUID()}
			if last != (engine.Creation{}) && (this.Compare(last) > 0) == s.q.Desc {
				return errOutOfOrder
			}
			last = this
			return each(r)
		})
	}
}

func (postgresText) walkOrder(ctx context.Context, c engine.Conn, s *Search, p phase) error {
	if full, err := s.tryWindow(ctx, c, p, s.blindWindow()); err != nil || full {
		return err
	}
	_, err := s.fill(ctx, c.Query, p, indexWalk)
	return err
}

// blindWindow is how many records PostgreSQL walks, which has no sample to tell how many candidates there are: as many as it would
// fetch where the walk is just too short to fill a page. In the order of a text in which words are looked for, matches are often
// together, and a walk from elsewhere is in vain: there it only glances.
func (s *Search) blindWindow() int {
	if len(s.q.Words) > 0 && s.q.Order.Leaf.Find.Searchable {
		return s.t.Glance
	}
	even := int(math.Sqrt(2 * float64(s.q.Limit+1) * float64(s.state.count)))
	return min(s.t.Window, max(s.t.Glance, even))
}

// shelved reads the candidates of the text index text range by text range, as t: from the newest text range on or from the oldest,
// and only as far as rows are asked for. With page, each text range is held to its conditions and order. The offset keeps the
// planner from leaving the index for a walk along the asked order that looks for text on the way.
func shelved(b *Builder, res *schema.Resource, needles []string, direction string, after *query.Position,
	page func(from string) string,
) string {
	own := " FROM shelf f WHERE f.business_id = " + b.TenantMark() + " AND f.resource = '" + res.Name + "'"
	first, begin := b.Arg(schema.IntValue(schema.Integer, firstTextRange(b.Tenant.UUID()))), ""
	if after != nil {
		at := b.Arg(schema.IntValue(schema.Integer, after.Value.N))
		if begin = " WHERE e.start <= " + at; direction == "ASC" {
			begin = " WHERE e.start >= coalesce((SELECT max(f.start)" + own + " AND f.start <= " + at + "), " + first + ")"
		}
	}
	textRanges := "(SELECT e.start FROM (SELECT f.start" + own + " UNION ALL SELECT " + first + "::bigint) e" + begin +
		" ORDER BY e.start " + direction + ") s"
	where := []string{"c.business_id = " + b.TenantMark(), "c." + engine.Live, "c.shelf = s.start"}
	for _, n := range needles {
		where = append(where, b.has("c.search_doc", query.Beginning(n, postgres.LongNeedle)))
	}
	from := "(SELECT * FROM " + res.Plural + " c WHERE " + strings.Join(where, " AND ") + " OFFSET 0) t"
	if page != nil {
		from = "(" + page(from) + ") t"
	}
	return textRanges + " CROSS JOIN LATERAL " + from
}

// textRangeWalk renders the walk along the text ranges that fills a page by created_at. The text ranges are ordered here, which
// costs nothing, because they are read in that order. On a text range the records are in order as well, but SQL does not promise
// that a join leaves them so. To sort them once more above the text ranges has its price: it would have to read the next text range
// to know that one has ended. So inOrder looks whether they are.
func textRangeWalk(s *Search, b *Builder, a asked) string {
	// What references lead to is read on the text range and goes up under names of its own: a join above the text ranges could lose
	// their order.
	inner, above := "t.*", make([]string, len(a.far))
	for i, expression := range a.far {
		above[i] = fmt.Sprintf("t.far%d", i)
		inner += fmt.Sprintf(", %s AS far%d", expression, i)
	}
	from := shelved(b, s.q.Resource, s.needles, a.direction, a.after, func(candidates string) string {
		where := slices.Concat(b.Conditions(s.q), a.position)
		return "SELECT " + inner + " FROM " + candidates + b.joins(s.q, false) +
			" WHERE " + strings.Join(where, " AND ") + a.orderBy + a.limit
	})
	return "SELECT " + b.columns(s.q, above, a.order) + " FROM " + from + " ORDER BY s.start " + a.direction + a.limit
}

func (postgresText) PlacedBy() string { return "shelf" }

func (postgresText) Words(dst []byte, _ Business, _ string) []byte { return dst }

func (postgresText) Indexed(context.Context, engine.Conn, Business, *schema.Resource, func(place int64, word string)) error {
	return nil
}

func (postgresText) Mend(*Writing, *schema.Resource, int64) error { return nil }

// Misplaced finds the records that stand on another text range than that of their time, where a search does not look for them.
func (postgresText) Misplaced(ctx context.Context, c engine.Conn, t Business, res *schema.Resource,
	found func(id schema.UUID, what string, mend func(*Writing) error),
) error {
	b := t.Builder()
	sql := "SELECT x.id, x.shelf, x.expected, x.created" +
		" FROM (SELECT t.id, t.shelf, " + createdAt + " AS created, " + t.textRangeAt(b, res.Name, createdAt) + " AS expected" +
		" FROM " + res.Plural + " t" +
		" WHERE t.business_id = " + b.TenantMark() + ") x" +
		" WHERE x.shelf <> x.expected" +
		" ORDER BY x.id LIMIT 10000"
	return c.Query(ctx, sql, b.Values, func(r engine.Row) error {
		record := placed{r.Value(0, schema.ID).UUID(), r.Value(3, schema.Integer).N}
		found(record.id, fmt.Sprintf("it lies in the range %d of the text index, expected %d", r.Value(1, schema.Integer).N,
			r.Value(2, schema.Integer).N),
			func(w *Writing) error { return w.move(res.Name, record) })
		return nil
	})
}
