// Package tabular writes records as tables and lines of text, and reads what others wrote so, by readers and writers that it is given.
package tabular

import (
	"encoding/json"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
)

// A table has a cell for each value. What is absent is an empty cell; numbers, dates, times and ids are as the API writes them,
// without quotes; lists of words are separated by commas, and are a JSON array where a word has something in it that would be taken
// for more than one; line items and other objects are JSON.

// appendText appends the text of a cell.
func appendText(dst []byte, l *schema.Leaf, v schema.Value) []byte {
	if !v.Set {
		return dst
	}
	switch l.Kind {
	case schema.Text, schema.LongText, schema.Choice:
		return append(dst, v.S...)
	case schema.Tags, schema.Choices:
		return appendWords(dst, v.S)
	case schema.Money, schema.Quantity, schema.Date, schema.Time, schema.ID: // in quotes, with nothing in them that would be escaped
		at := len(dst)
		dst = schema.AppendValue(dst, l, v)
		copy(dst[at:], dst[at+1:len(dst)-1])
		return dst[:len(dst)-2]
	default:
		return schema.AppendValue(dst, l, v)
	}
}

// appendWords writes a list of words, which is kept as JSON.
func appendWords(dst []byte, list string) []byte {
	var words []string
	if json.Unmarshal([]byte(list), &words) != nil || !plainWords(words) {
		return append(dst, list...) // what is kept can be read
	}
	return append(dst, strings.Join(words, ", ")...)
}

// joinWords is a list of words as a cell has it.
func joinWords(words []string) string {
	if len(words) == 0 || plainWords(words) {
		return strings.Join(words, ", ")
	}
	list, _ := json.Marshal(words) // texts can always be written
	return string(list)
}

// plainWords tells whether words come back as they are where commas stand between them.
func plainWords(words []string) bool {
	for _, w := range words {
		if strings.ContainsAny(w, ",;|\r\n") || strings.Contains(w, severalMark) || strings.TrimSpace(w) != w ||
			w == "" || w[0] == '[' || strings.HasPrefix(w, groupMark) {
			return false
		}
	}
	return len(words) > 0
}

// dangerous is what spreadsheets take for the beginning of a formula.
const dangerous = "=+-@\t\r"

// Defuse puts an apostrophe before a text that a spreadsheet would take for a formula, so that it is taken for the text that it is.
// Arm takes it away again: because a text that looks as if this had been done gets one more, nothing is lost on the way.
func Defuse(text string) string {
	if explosive(text) {
		return "'" + text
	}
	return text
}

// Arm takes back what Defuse did.
func Arm(text string) string {
	if strings.HasPrefix(text, "'") && explosive(text[1:]) {
		return text[1:]
	}
	return text
}

func explosive(text string) bool {
	rest := strings.TrimLeft(text, "'")
	return rest != "" && strings.IndexByte(dangerous, rest[0]) >= 0
}

// plain tells of values that no spreadsheet takes for a formula: a number may begin with a minus.
func plain(k schema.Kind) bool {
	switch k {
	case schema.Text, schema.LongText, schema.Choice, schema.Tags, schema.Choices:
		return false
	}
	return true
}
