package sqlite

import (
	"slices"
	"unicode/utf8"
)

// SQLite's text index has a list of records for each word. Its own trigrams would make one list of the records of all businesses,
// and a search would have to find its way through those of the others. So the words are made here: three characters with the number
// of the business before them. The index splits them at spaces and takes ASCII letters, digits and all bytes from 0x80 on as they
// are.

// Tokens gives the words of a text, separated by spaces.
func Tokens(business int64, text string) string {
	return string(AppendTokens(make([]byte, 0, 8*len(text)), business, text))
}

func AppendTokens(out []byte, business int64, text string) []byte {
	var a, b rune
	seen := 0
	for _, c := range text {
		if seen >= 2 {
			if len(out) > 0 {
				out = append(out, ' ')
			}
			out = AppendToken(out, business, a, b, c)
		}
		a, b, seen = b, c, seen+1
	}
	return out
}

func AppendToken(dst []byte, business int64, a, b, c rune) []byte {
	for ; business > 0x7f; business >>= 7 {
		dst = append(dst, 0x80|byte(business&0x7f))
	}
	dst = append(dst, '0', 0x80|byte(business)) // the digit marks the last byte of the number
	for _, r := range [3]rune{a, b, c} {
		if r < utf8.RuneSelf {
			dst = append(dst, 0x80|byte(r))
		} else {
			dst = append(dst, '1', 0x80|byte(r>>14), 0x80|byte(r>>7&0x7f), 0x80|byte(r&0x7f))
		}
	}
	return dst
}

// Pieces cuts needles into as few trigrams as cover them. It does where a business is too small for a sample to pay.
func Pieces(needles []string) (trigrams []string) {
	for _, needle := range needles {
		runes := []rune(needle)
		for i := 0; i+3 <= len(runes); i += 3 {
			trigrams = append(trigrams, string(runes[i:i+3]))
		}
		if len(runes)%3 != 0 {
			trigrams = append(trigrams, string(runes[len(runes)-3:]))
		}
	}
	slices.Sort(trigrams)
	return slices.Compact(trigrams)
}
