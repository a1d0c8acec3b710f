package store

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
)

// sqliteDialect is SQLite's SQL.
type sqliteDialect struct{}

func (sqliteDialect) name() string { return "sqlite" }

func (sqliteDialect) mark(n int) string {
	if n < len(sqliteMarks) {
		return sqliteMarks[n]
	}
	return "?" + strconv.Itoa(n)
}

// sqliteMarks are the placeholders that nearly all statements have.
var sqliteMarks = func() (marks [64]string) {
	for n := range marks {
		marks[n] = "?" + strconv.Itoa(n)
	}
	return marks
}()

// tenantMark hides the bare parameter: SQLite is compiled with STAT4 here and would plan a statement anew whenever it is bound to
// another tenant.
func (d sqliteDialect) tenantMark(n int) string {
	if n == 1 { // as it is in nearly all statements
		return "(?1+0)"
	}
	return "(" + d.mark(n) + "+0)"
}

func (sqliteDialect) contains(a *arguments, column, needle string) string {
	return "has_text(" + column + ", " + a.arg(schema.Value{Kind: schema.Text, Set: true, S: needle}) + ")"
}

func (sqliteDialect) member(document, name string, k schema.Kind) string {
	x := "json_extract(" + document + ", '$." + name + "')"
	if k == schema.ID {
		return "unhex(" + x + ")"
	}
	return x
}

func (sqliteDialect) weight(column string) string { return "octet_length(" + column + ")" }

func (sqliteDialect) lock() string { return "" }

func (sqliteDialect) among(a *arguments, x string, values []schema.Value) string {
	kind := values[0].Kind
	if len(values) <= fewValues || kind == schema.Number { // whose last digit JSON might not bring across
		return x + " IN (" + strings.Join(a.marks(values), ", ") + ")"
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
		case countsInN(kind):
			doc = strconv.AppendInt(doc, v.N, 10)
		default:
			doc = schema.AppendString(doc, v.S)
		}
	}
	return x + " IN (SELECT " + item + " FROM json_each(" + a.arg(schema.Value{
		Kind: schema.Text, Set: true,
		S: string(append(doc, ']')),
	}) + "))"
}

func (sqliteDialect) hasItem(a *arguments, key string, items []string) string {
	items = slices.Sorted(slices.Values(items)) // see has_item
	return "has_item(" + key + ", " + a.arg(schema.Value{
		Kind: schema.Text, Set: true,
		S: separator + strings.Join(items, separator) + separator,
	}) + ")"
}

func (sqliteDialect) liveByID(alias string) string { return alias + "." + live }

func (sqliteDialect) indexedBy(index string) string { return " INDEXED BY " + index }

// rowNumber lets the entries of a business's log lie together, in their order.
func (sqliteDialect) rowNumber(table string, marks []string) string {
	if table != "change" {
		return ""
	}
	return marks[0] + " << " + strconv.Itoa(rowBits) + " | " + marks[1]
}

func (sqliteDialect) tenantKey(_ schema.UUID, number int64) schema.Value {
	return schema.IntValue(kindTenant, number)
}

func (sqliteDialect) businessOf(schema.Value) (schema.UUID, bool) { return schema.UUID{}, false }

func (sqliteDialect) businessBy() string { return "id" }

// newTenantKey is the next number, which leads the numbers of the business's rows.
func (d sqliteDialect) newTenantKey(ctx context.Context, c conn, id schema.UUID) (key schema.Value, err error) {
	err = c.query(ctx, "SELECT coalesce(max(business_id), 0) + 1 FROM business", nil, func(r row) error {
		key = d.tenantKey(id, r.Value(0, schema.Integer).N)
		return nil
	})
	return key, err
}

// startsUpTo gives the starts as one argument, see starts_up_to.
func (sqliteDialect) startsUpTo(a *arguments, x string, periods *query.Periods) string {
	starts := make([]byte, 0, 8*len(periods.Starts))
	for _, start := range periods.Starts {
		starts = binary.LittleEndian.AppendUint64(starts, uint64(start))
	}
	return "starts_up_to(" + x + ", " + a.arg(schema.Value{Kind: kindBytes, Set: true, S: string(starts)}) + ")"
}

// private are the notes of what is to be done for the file, and how the rows of a business lie in it.
func (sqliteDialect) private(table string, values []schema.Value) bool {
	switch table {
	case "setting":
		return strings.HasPrefix(values[0].S, scouring) || strings.HasPrefix(values[0].S, filling)
	case "tally":
		return strings.HasSuffix(values[1].S, rowRangesName(""))
	}
	return false
}
