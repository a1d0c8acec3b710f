package search

import (
	"context"
	"fmt"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

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
