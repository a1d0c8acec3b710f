package room

import (
	"encoding/binary"
	"errors"

	"github.com/kith-crm/kith/internal/schema"
)

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
