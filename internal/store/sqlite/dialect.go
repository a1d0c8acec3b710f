package sqlite

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Dialect is SQLite's SQL.
type Dialect struct{}

func (Dialect) Name() string { return "sqlite" }

func (Dialect) Mark(n int) string {
	if n < len(marks) {
		return marks[n]
	}
	return "?" + strconv.Itoa(n)
}

// sqliteMarks are the placeholders that nearly all statements have.
var marks = func() (marks [64]string) {
	for n := range marks {
		marks[n] = "?" + strconv.Itoa(n)
	}
	return marks
}()

// TenantMark hides the bare parameter: SQLite is compiled with STAT4 here and would plan a statement anew whenever it is bound to
// another tenant.
func (d Dialect) TenantMark(n int) string {
	if n == 1 { // as it is in nearly all statements
		return "(?1+0)"
	}
	return "(" + d.Mark(n) + "+0)"
}

func (Dialect) Contains(a *engine.Arguments, column, needle string) string {
	return "has_text(" + column + ", " + a.Arg(room.Text(needle)) + ")"
}

func (Dialect) Member(document, name string, k schema.Kind) string {
	x := "json_extract(" + document + ", '$." + name + "')"
	if k == schema.ID {
		return "unhex(" + x + ")"
	}
	return x
}

func (Dialect) Weight(column string) string { return "octet_length(" + column + ")" }

func (Dialect) Lock() string { return "" }

func (Dialect) Among(a *engine.Arguments, x string, values []schema.Value) string {
	kind := values[0].Kind
	if len(values) <= engine.FewValues || kind == schema.Number { // whose last digit JSON might not bring across
		return x + " IN (" + strings.Join(a.Marks(values), ", ") + ")"
	}
	item := "value"
	if kind == schema.ID {
		item = "unhex(value)"
	}
	doc := []byte{'['}
	for i, v := range values {
		if i > 0 {
			doc = append(doc, ',')
		}
		switch {
		case kind == schema.ID:
			doc = schema.AppendString(doc, hex.EncodeToString([]byte(v.S)))
		case engine.CountsInN(kind):
			doc = strconv.AppendInt(doc, v.N, 10)
		default:
			doc = schema.AppendString(doc, v.S)
		}
	}
	return x + " IN (SELECT " + item + " FROM json_each(" + a.Arg(room.Text(string(append(doc, ']')))) + "))"
}

func (Dialect) HasItem(a *engine.Arguments, key string, items []string) string {
	items = slices.Sorted(slices.Values(items)) // see has_item
	return "has_item(" + key + ", " + a.Arg(room.Text(engine.Separator+strings.Join(items, engine.Separator)+engine.Separator)) + ")"
}

func (Dialect) LiveByID(alias string) string { return alias + "." + engine.Live }

func (Dialect) IndexedBy(index string) string { return " INDEXED BY " + index }

// RowNumber lets the entries of a business's log lie together, in their order.
func (Dialect) RowNumber(table string, marks []string) string {
	if table != "change" {
		return ""
	}
	return marks[0] + " << " + strconv.Itoa(RowBits) + " | " + marks[1]
}

func (Dialect) TenantKey(_ schema.UUID, number int64) schema.Value {
	return schema.IntValue(engine.KindTenant, number)
}

func (Dialect) BusinessOf(schema.Value) (schema.UUID, bool) { return schema.UUID{}, false }

func (Dialect) BusinessBy() string { return "id" }

// NewTenantKey is the next number, which leads the numbers of the business's rows.
func (d Dialect) NewTenantKey(ctx context.Context, c engine.Conn, id schema.UUID) (key schema.Value, err error) {
	err = c.Query(ctx, "SELECT coalesce(max(business_id), 0) + 1 FROM business", nil, func(r engine.Row) error {
		key = d.TenantKey(id, r.Value(0, schema.Integer).N)
		return nil
	})
	return key, err
}

// StartsUpTo gives the starts as one argument, see starts_up_to.
func (Dialect) StartsUpTo(a *engine.Arguments, x string, periods *query.Periods) string {
	starts := make([]byte, 0, 8*len(periods.Starts))
	for _, start := range periods.Starts {
		starts = binary.LittleEndian.AppendUint64(starts, uint64(start))
	}
	return "starts_up_to(" + x + ", " + a.Arg(schema.Value{Kind: engine.KindBytes, Set: true, S: string(starts)}) + ")"
}

// Private are the notes of what is to be done for the file, and how the rows of a business lie in it.
func (Dialect) Private(table string, values []schema.Value) bool {
	switch table {
	case "setting":
		return strings.HasPrefix(values[0].S, Scouring) || strings.HasPrefix(values[0].S, filling)
	case "tally":
		return strings.HasSuffix(values[1].S, RowRangesName(""))
	}
	return false
}

// Overflowed tells it by the code of whatever a function refuses while a statement runs: SQLite has none for this alone. Where it was
// something else, the statement without plain sums says so once more.
func (Dialect) Overflowed(err error) bool { return sqlite.ErrCode(err) == sqlite.ResultError }
