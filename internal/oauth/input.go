package oauth

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// PlainText tells whether a text from outside is one: valid UTF-8, without control characters but those that end a line or stand for space.
func PlainText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\r' && r != '\n' || r >= 0x7f && r < 0xa0
	})
}

// CheckForm gives the first field of a form whose name or value is not plain text, or has more than most bytes. Everything that people and
// programs send in forms and addresses passes here, so nothing behind it has to deal with what no keyboard can type.
func CheckForm(form url.Values, most int) (field string, ok bool) {
	for name, values := range form {
		if !PlainText(name) || len(name) > most {
			return "", false
		}
		for _, v := range values {
			if !PlainText(v) || len(v) > most {
				return name, false
			}
		}
	}
	return "", true
}
