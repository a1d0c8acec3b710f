package schema

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
)

// Leaves that a business adds share a document, a JSON object: each has a member with its value and, where it is compared in
// another form, one with that. Values are kept as the engines keep them in columns: decimals, dates and times as whole numbers, ids
// in hexadecimal, lists as the text of their JSON. So both engines compare members as they compare columns.

var errDocument = errors.New("not a document as it is kept")

// ScanDocument hands the members of a document to each, by their names and as the JSON that they are kept as. It reads what
// AppendMember writes: an object without white space, whose names need no escaping.
func ScanDocument(text string, each func(name, raw string) error) error {
	if text == "" {
		return nil
	}
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return errDocument
	}
	for at := 1; at < len(text)-1; {
		if text[at] != '"' {
			return errDocument
		}
		end := endOfText(text, at)
		if end < 0 || end >= len(text) || text[end] != ':' {
			return errDocument
		}
		name, begin := text[at+1:end-1], end+1
		if end = begin; text[begin] == '"' {
			end = endOfText(text, begin)
		} else {
			for end < len(text)-1 && text[end] != ',' {
				end++
			}
		}
		if end < 0 || end >= len(text) {
			return errDocument
		}
		if err := each(name, text[begin:end]); err != nil {
			return err
		}
		if at = end; text[at] == ',' {
			at++
		} else if at != len(text)-1 {
			return errDocument
		}
	}
	return nil
}

// endOfText is behind the quote that ends the string which begins at a place, or -1.
func endOfText(text string, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return -1
}

// AppendMember renders a value that is present as a member keeps it.
func AppendMember(dst []byte, v Value) []byte {
	switch v.Kind {
	case Number:
		return strconv.AppendFloat(dst, v.Float(), 'g', -1, 64)
	case ID:
		return AppendString(dst, hex.EncodeToString([]byte(v.S)))
	case Bool, Integer, Money, Quantity, Percent, Date, Time:
		return strconv.AppendInt(dst, v.N, 10)
	default:
		return AppendString(dst, v.S)
	}
}

// MemberValue reads a value back from what a member keeps.
func MemberValue(k Kind, raw string) (Value, error) {
	switch k {
	case Number:
		f, err := strconv.ParseFloat(raw, 64)
		if err == nil && math.IsInf(f, 0) {
			err = strconv.ErrRange
		}
		return FloatValue(f), err
	case Bool, Integer, Money, Quantity, Percent, Date, Time:
		n, err := strconv.ParseInt(raw, 10, 64)
		return IntValue(k, n), err
	}
	v := Value{Kind: k, Set: true}
	if err := json.Unmarshal([]byte(raw), &v.S); err != nil {
		return v, err
	}
	if k == ID {
		id, err := hex.DecodeString(v.S)
		if err == nil && len(id) != len(UUID{}) {
			err = errDocument
		}
		v.S = string(id)
		return v, err
	}
	return v, nil
}

// appendDocument renders the members of a document that leaves stand for, in the order of these; what is absent is left out.
func appendDocument(dst []byte, leaves []*Leaf, text string) []byte {
	type member struct {
		place int
		raw   string
	}
	var room [32]member
	found := room[:0]
	// A document that cannot be read is one that nobody here has written: it has nothing to tell.
	_ = ScanDocument(text, func(name, raw string) error {
		if i := slices.IndexFunc(leaves, func(l *Leaf) bool { return l.Member == name }); i >= 0 {
			found = append(found, member{i, raw})
		}
		return nil
	})
	slices.SortFunc(found, func(a, b member) int { return a.place - b.place })
	dst = append(dst, '{')
	for i, m := range found {
		if i > 0 {
			dst = append(dst, ',')
		}
		l := leaves[m.place]
		dst = appendName(dst, l.Name)
		if l.Kind == Text || l.Kind == LongText || l.Kind == Choice {
			dst = append(dst, m.raw...)
			continue
		}
		v, err := MemberValue(l.Kind, m.raw)
		if err != nil {
			v = Absent(l.Kind)
		}
		dst = AppendValue(dst, l, v)
	}
	return append(dst, '}')
}
