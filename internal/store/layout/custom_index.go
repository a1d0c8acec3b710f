package layout

import (
	"encoding/hex"
	"math"
	"strconv"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Custom fields have no columns: the entries of their indexes are rows of two tables that all businesses share.
const (
	CustomTexts   = "custom_text"
	CustomNumbers = "custom_number"
)

// maxCustomEntry is how many bytes a text has at most on an index entry: PostgreSQL's indexes have no room for long ones. The
// domain lets none in that are longer.
const maxCustomEntry = 1024

// CustomTable is the table in which the index entries of a leaf are.
func CustomTable(l *schema.Leaf) string {
	switch l.Kind {
	case schema.Text, schema.Choice, schema.Choices, schema.ID:
		return CustomTexts
	default:
		return CustomNumbers
	}
}

// FieldNumber is what index entries of a leaf are filed under: the number of its member.
func FieldNumber(l *schema.Leaf) schema.Value {
	n, err := strconv.ParseInt(l.Member[1:], 10, 64)
	if err != nil {
		panic("store: the member " + l.Member + " has no number")
	}
	return schema.IntValue(schema.Integer, n)
}

// OnCustomEntry is a value in the form of index entries. Texts are given as they are compared.
func OnCustomEntry(l *schema.Leaf, v schema.Value) schema.Value {
	switch {
	case l.Kind == schema.ID:
		return room.Text(hex.EncodeToString([]byte(v.S)))
	case CustomTable(l) == CustomTexts:
		return room.Text(query.Beginning(v.S, maxCustomEntry))
	case l.Kind == schema.Number:
		return schema.IntValue(schema.Integer, sortable(v.Float()))
	default:
		return schema.IntValue(schema.Integer, v.N)
	}
}

// sortable is a whole number for each floating-point number, in the same order.
func sortable(f float64) int64 {
	if f == 0 { // also the negative one
		return 0
	}
	n := int64(math.Float64bits(f))
	if n < 0 {
		n = math.MinInt64 - n
	}
	return n
}
