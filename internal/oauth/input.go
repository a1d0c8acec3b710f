package oauth

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// mostParameter bounds a parameter of the protocol. The longest are the scopes and the state.
const mostParameter = 16 << 10

// PlainText tells whether a text from outside is one line of text: valid UTF-8 without control characters but the tab.
func PlainText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 })
}

// CheckForm gives the first field of a form whose name or value is not one line of text, or has more than most bytes. Some fields may have
// several lines. Everything that people and programs send in forms and addresses passes here, so nothing behind it has to deal with what no
// keyboard can type.
func CheckForm(form url.Values, most int, ofLines ...string) (field string, ok bool) {
	for name, values := range form {
		for _, v := range append(values, name) {
			if slices.Contains(ofLines, name) {
				v = strings.NewReplacer("\r", "", "\n", "").Replace(v)
			}
			if !PlainText(v) || len(v) > most {
				return name, false
			}
		}
	}
	return "", true
}
