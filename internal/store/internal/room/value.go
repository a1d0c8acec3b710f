package room

import (
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
