package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// letters that do not decompose, by what a person without them on the keyboard types.
var plain = map[rune]string{
	'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'æ': "ae", 'œ': "oe", 'ħ': "h", 'ı': "i", 'ĸ': "k",
	'ŋ': "n", 'ŧ': "t", 'ƀ': "b", 'ɓ': "b", 'ɗ': "d", 'ǥ': "g", 'ɨ': "i", 'ʉ': "u", 'ƶ': "z", 'ɖ': "d",
	'ꜵ': "ao", 'ꜳ': "aa", 'ẞ': "ss", 'ß': "ss", '’': "'", '‘': "'", '‐': "-", '‑': "-", '–': "-",
}

// Fold gives the form in which texts are compared, sorted and searched: compatibility decomposition, marks
// stripped, case folded, and the letters that do not decompose written plainly. Folding twice changes nothing.
func Fold(s string) string {
	if folded, ok := foldASCII(s); ok {
		return folded
	}
	for range 4 { // case folding can bring up characters that decompose again; it settles at once in practice
		folded := foldOnce(s)
		if folded == s {
			break
		}
		s = folded
	}
	return s
}

func foldOnce(s string) string {
	s = cases.Fold().String(norm.NFKD.String(s))
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		switch p, ok := plain[r]; {
		case ok:
			b.WriteString(p)
		case r >= utf8.RuneSelf && (unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) || unicode.Is(unicode.Cf, r)):
		case r == 0:
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// foldASCII is the fast path of most texts: it copies only where something changes.
func foldASCII(s string) (string, bool) {
	upper := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf || c == 0 {
			return "", false
		}
		upper = upper || 'A' <= c && c <= 'Z'
	}
	if upper {
		return strings.ToLower(s), true
	}
	return s, true
}

// Words splits a folded text at white space.
func Words(folded string) []string { return strings.Fields(folded) }

// Digits gives the digits of a phone number.
func Digits(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, Fold(s))
}
