package schema

import (
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendValue renders one value as JSON. Absent values are null, absent lists are empty.
func AppendValue(dst []byte, l *Leaf, v Value) []byte {
	if !v.Set {
		switch l.Kind {
		case Tags, Choices, List:
			return append(dst, "[]"...)
		case Document:
			if !l.Free {
				return append(dst, "{}"...)
			}
		}
		return append(dst, "null"...)
	}
	switch l.Kind {
	case Text, LongText, Choice:
		return AppendString(dst, v.S)
	case Bool:
		return strconv.AppendBool(dst, v.N != 0)
	case Integer:
		return strconv.AppendInt(dst, v.N, 10)
	case Number:
		return appendFloat(dst, v.Float())
	case Money, Quantity:
		return append(AppendDecimal(append(dst, '"'), v.N, 2), '"')
	case Percent:
		return AppendDecimal(dst, v.N, 0)
	case Date:
		return append(appendDate(append(dst, '"'), time.Unix(v.N*86400, 0).UTC()), '"')
	case Time:
		return append(AppendTime(append(dst, '"'), v.Time()), '"')
	case ID:
		return append(AppendID(append(dst, '"'), l.IDPrefix, v.S), '"')
	case Document:
		if l.Reads != nil {
			return appendDocument(dst, l.Reads, v.S)
		}
	}
	return append(dst, v.S...) // lists and objects are kept as the JSON that goes out
}

// AppendString renders a JSON string. What is stored has been checked to be UTF-8.
func AppendString(dst []byte, s string) []byte {
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		out, _ = jsontext.AppendQuote(dst, string([]rune(s)))
	}
	return out
}

// AppendStringOrNull renders a JSON string, or null for the empty one.
func AppendStringOrNull(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return AppendString(dst, s)
}

func appendFloat(dst []byte, f float64) []byte {
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// AppendComma parts an item of a list from the one before it, if there is one.
func AppendComma(dst []byte, i int) []byte {
	if i == 0 {
		return dst
	}
	return append(dst, ',')
}

// AppendTime renders an instant as RFC 3339 UTC with microseconds.
func AppendTime(dst []byte, t time.Time) []byte {
	hour, minute, second := t.Clock()
	dst = appendPadded(append(appendDate(dst, t), 'T'), hour, 2)
	dst = appendPadded(append(dst, ':'), minute, 2)
	dst = appendPadded(append(dst, ':'), second, 2)
	dst = appendPadded(append(dst, '.'), t.Nanosecond()/1000, 6)
	return append(dst, 'Z')
}

func appendDate(dst []byte, t time.Time) []byte {
	year, month, day := t.Date()
	dst = appendPadded(append(appendPadded(dst, year, 4), '-'), int(month), 2)
	return appendPadded(append(dst, '-'), day, 2)
}

// appendPadded renders a number that is not negative with at least so many digits, up to eight.
func appendPadded(dst []byte, n, width int) []byte {
	var digits [8]byte
	rest := n
	for i := width - 1; i >= 0; i-- {
		digits[i] = byte('0' + rest%10)
		rest /= 10
	}
	if rest > 0 {
		return strconv.AppendInt(dst, int64(n), 10)
	}
	return append(dst, digits[:width]...)
}

// AppendRecord renders the values of the given leaves, in declared order, as a JSON object. values[i] belongs to leaves[i].
func AppendRecord(dst []byte, leaves []*Leaf, values []Value) []byte {
	return append(AppendMembers(append(dst, '{'), leaves, values), '}')
}

// AppendMembers renders what stands between the braces of a record.
func AppendMembers(dst []byte, leaves []*Leaf, values []Value) []byte {
	for i := 0; i < len(leaves); {
		if i > 0 {
			dst = append(dst, ',')
		}
		l := leaves[i]
		if l.Of == nil {
			dst = appendName(dst, l.Name)
			dst = AppendValue(dst, l, values[i])
			i++
			continue
		}
		end, any := i, false
		for end < len(leaves) && leaves[end].Of == l.Of {
			any = any || values[end].Set
			end++
		}
		dst = appendName(dst, l.Of.Name)
		if l.Member != "" {
			dst = AppendPresent(append(dst, '{'), leaves[i:end], values[i:end])
			dst, i = append(dst, '}'), end
			continue
		}
		if !any {
			dst = append(dst, "null"...)
		} else {
			dst = append(dst, '{')
			for j := i; j < end; j++ {
				if j > i {
					dst = append(dst, ',')
				}
				dst = AppendValue(appendName(dst, leaves[j].Name), leaves[j], values[j])
			}
			dst = append(dst, '}')
		}
		i = end
	}
	return dst
}

// AppendPresent renders those of a group's members that have a value, behind what the group has already: added fields are left out
// where they are absent.
func AppendPresent(dst []byte, leaves []*Leaf, values []Value) []byte {
	for i, l := range leaves {
		if !values[i].Set {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = appendName(dst, l.Name)
		dst = AppendValue(dst, l, values[i])
	}
	return dst
}

// appendName renders a key; declared names need no escaping.
func appendName(dst []byte, name string) []byte {
	return append(append(append(dst, '"'), name...), '"', ':')
}

// AppendList renders the items of a List field as the JSON in which it is stored and answered.
func AppendList(dst []byte, items []*Record) []byte {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendRecord(dst, item.Leaves, item.Values)
	}
	return append(dst, ']')
}
