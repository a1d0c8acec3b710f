package layout

import (
	"encoding/hex"
	"math"
	"slices"
	"strconv"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
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

// CustomEntry is one row of them: which value a record has, in the table of its kind.
type CustomEntry struct {
	Table string
	Field int64
	Key   schema.Value
}

// customEntryTables are the tables of index entries. By the primary key they stand in the order of the values, and by the index
// those with one value in that of the creation of their records.
func customEntryTables() []engine.Table {
	customEntries := func(name, key string) engine.Table {
		return engine.Table{
			Name:    name,
			Columns: columns("business_id business, field integer, key " + key + ", record_id id, created_at time"),
			Primary: []string{"business_id", "field", "key", "record_id"},
			Indexes: []engine.Index{{Name: name + "_filter", Columns: []string{"business_id", "field", "key", "created_at", "record_id"}}},
		}
	}
	return []engine.Table{customEntries(CustomTexts, "text"), customEntries(CustomNumbers, "integer")}
}

// CustomEntriesOf are the index entries of a record's value: one for each item of a list.
func CustomEntriesOf(l *schema.Leaf, v schema.Value) (customEntries []CustomEntry) {
	if !v.Set {
		return nil
	}
	keys := []schema.Value{KeyOf(l, v)}
	if l.Kind == schema.Choices {
		keys = keys[:0]
		for _, item := range body.Strings(v) {
			keys = append(keys, room.Text(item))
		}
	}
	for _, k := range keys {
		s := CustomEntry{CustomTable(l), FieldNumber(l).N, OnCustomEntry(l, k)}
		if !slices.Contains(customEntries, s) {
			customEntries = append(customEntries, s)
		}
	}
	return customEntries
}

// CustomEntries are those of a record.
func CustomEntries(rec *schema.Record) (customEntries []CustomEntry) {
	if !rec.Live() {
		return nil
	}
	for _, l := range rec.Filed() {
		customEntries = append(customEntries, CustomEntriesOf(l, rec.Get(l))...)
	}
	return customEntries
}

// customIndexWork has a row for each field of which index entries are to be removed or filed. Those that are there already are
// removed first, since nobody knows how old they are; but not at once, because other servers may take some seconds to hear that the
// index is no more. filing tells that entries are to be filed when the old ones are gone, cleared that these are, and after_id is the last
// record whose entries are there.
func customIndexWork() engine.Table {
	return engine.Table{
		Name: "slip_work",
		Columns: columns(`
			business_id business, field integer, resource text, filing integer, cleared integer, after_id id?, planned_at time`),
		Primary: []string{"business_id", "field"},
	}
}
