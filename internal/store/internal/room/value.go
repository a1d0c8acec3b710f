package room

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

// Text is a text, which may be empty.
func Text(s string) schema.Value { return schema.Value{Kind: schema.Text, Set: true, S: s} }

// TextOrNone is a text, absent where it is empty.
func TextOrNone(s string) schema.Value { return schema.TextValue(schema.Text, s) }

// Integer is a whole number.
func Integer(n int64) schema.Value { return schema.IntValue(schema.Integer, n) }

// Flag is a number that tells whether something is so: 1 or 0.
func Flag(is bool) schema.Value {
	if is {
		return Integer(1)
	}
	return Integer(0)
}

// Blob is bytes, absent where there are none.
func Blob(b []byte) schema.Value { return schema.Value{Kind: Bytes, Set: len(b) > 0, S: string(b)} }

// DocumentOrNone is a JSON text, absent where it is empty.
func DocumentOrNone(json string) schema.Value {
	return schema.Value{Kind: schema.Document, Set: json != "", S: json}
}

// TimeOrNone is a time, absent where it is zero.
func TimeOrNone(t time.Time) schema.Value {
	if t.IsZero() {
		return schema.Absent(schema.Time)
	}
	return schema.TimeValue(t)
}

// TimeAt reads a time, which is zero where it is absent.
func TimeAt(r Row, column int) (at time.Time) {
	if v := r.Value(column, schema.Time); v.Set {
		at = v.Time()
	}
	return at
}

// TextAt reads a text of its own, or a document.
func TextAt(r Row, column int) string { return r.Value(column, schema.Text).S }

// IDAt reads an id, which is the zero id where it is absent.
func IDAt(r Row, column int) schema.UUID { return r.Value(column, schema.ID).UUID() }

// IntAt reads a whole number, which is 0 where it is absent.
func IntAt(r Row, column int) int64 { return r.Value(column, schema.Integer).N }

// BytesAt reads bytes of its own.
func BytesAt(r Row, column int) []byte { return []byte(r.Value(column, Bytes).S) }

// AppendValue writes a value so that no two texts of different values are equal.
func AppendValue(dst []byte, v schema.Value) []byte {
	if !v.Set {
		return append(dst, 0)
	}
	dst = binary.AppendVarint(append(dst, 1), v.N)
	dst = binary.AppendUvarint(dst, uint64(len(v.S)))
	return append(dst, v.S...)
}

// AppendRow writes values down in a form that is the same on every engine.
func AppendRow(dst []byte, values []schema.Value) []byte {
	for _, v := range values {
		dst = AppendValue(dst, v)
	}
	return dst
}

var errBadRow = errors.New("it is not a row of the table")

// DecodeRow reads what AppendRow wrote.
func DecodeRow[T string | []byte](row T, kinds []schema.Kind) ([]schema.Value, error) {
	rest := []byte(row)
	values := make([]schema.Value, len(kinds))
	for i, k := range kinds {
		values[i] = schema.Absent(k)
		if len(rest) == 0 || rest[0] > 1 {
			return nil, errBadRow
		}
		set := rest[0] == 1
		if rest = rest[1:]; !set {
			continue
		}
		n, used := binary.Varint(rest)
		if used <= 0 {
			return nil, errBadRow
		}
		rest = rest[used:]
		size, used := binary.Uvarint(rest)
		if used <= 0 || size > uint64(len(rest)-used) {
			return nil, errBadRow
		}
		rest = rest[used:]
		values[i] = schema.Value{Kind: k, Set: true, N: n, S: string(rest[:size])}
		rest = rest[size:]
	}
	if len(rest) > 0 {
		return nil, errBadRow
	}
	return values, nil
}

// Into hands rows to read, and keeps what it gives of the last of them; Collect keeps what it gives of each.
func Into[T any](kept *T, read func(Row) T) func(Row) error {
	return func(r Row) error {
		*kept = read(r)
		return nil
	}
}

func Collect[T any](kept *[]T, read func(Row) T) func(Row) error {
	return func(r Row) error {
		*kept = append(*kept, read(r))
		return nil
	}
}

// Found notes that there is a row.
func Found(found *bool) func(Row) error { return Into(found, func(Row) bool { return true }) }

// First reads the first value of a row, and FirstText a text there.
func First(k schema.Kind) func(Row) schema.Value {
	return func(r Row) schema.Value { return r.Value(0, k) }
}

func FirstText(r Row) string { return TextAt(r, 0) }
