package query

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/kith-crm/kith/internal/schema"
)

// letters that do not decompose, by what a person without them on the keyboard types.
var plain = map[rune]string{
	'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'æ': "ae", 'œ': "oe", 'ħ': "h", 'ı': "i", 'ĸ': "k",
	'ŋ': "n", 'ŧ': "t", 'ƀ': "b", 'ɓ': "b", 'ɗ': "d", 'ǥ': "g", 'ɨ': "i", 'ʉ': "u", 'ƶ': "z", 'ɖ': "d",
	'ꜵ': "ao", 'ꜳ': "aa", 'ẞ': "ss", 'ß': "ss", '’': "'", '‘': "'", '‐': "-", '‑': "-", '–': "-",
}

// Fold gives the form in which texts are compared, sorted and searched: compatibility decomposition, marks
// stripped, case folded, and the letters that do not decompose written plainly. Folding twice changes nothing.
//
// Characters are folded one by one, and what becomes of each is looked up. Only marks that are kept depend on what stands beside them.
func Fold(s string) string {
	if folded, ok := foldASCII(s); ok {
		return folded
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf && c != 0 {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			b.WriteByte(c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		f := foldedRune(r)
		if !f.moves {
			b.WriteString(f.text)
			i += size
			continue
		}
		begin := i
		for i < len(s) {
			r, size := utf8.DecodeRuneInString(s[i:])
			if f := foldedRune(r); f.text != "" && !f.moves {
				break
			}
			i += size
		}
		b.WriteString(foldWhole(s[begin:i]))
	}
	return b.String()
}

// foldedAs is what a character is folded to; moves tells that it has a mark which is kept and changes places with others beside it.
type foldedAs struct {
	text  string
	moves bool
}

// Folded characters are kept in pages. Most characters stay as they are, and share the page of those.
const (
	foldPage = 256
	// lastFolding is behind the last plane in which characters are folded.
	lastFolding = 0x30000
)

var (
	foldPages [lastFolding / foldPage]atomic.Pointer[[foldPage]foldedAs]
	unfolded  [foldPage]foldedAs
)

func foldedRune(r rune) foldedAs {
	if r < lastFolding {
		page := foldPages[r/foldPage].Load()
		if page == nil {
			page = newFoldPage(r - r%foldPage)
			foldPages[r/foldPage].Store(page)
		}
		if page != &unfolded {
			return page[r%foldPage]
		}
	} else if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r) { // tags, and the selectors of variants
		return foldedAs{}
	}
	return foldedAs{text: string(r)}
}

func newFoldPage(first rune) *[foldPage]foldedAs {
	page, folds := &[foldPage]foldedAs{}, false
	for i := range page {
		r := first + rune(i)
		text := foldWhole(string(r))
		kept := func(r rune) bool {
			return norm.NFKD.PropertiesString(string(r)).CCC() != 0 && foldWhole(string(r)) != ""
		}
		page[i] = foldedAs{text: text, moves: strings.ContainsFunc(text+norm.NFKD.String(string(r)), kept)}
		folds = folds || text != string(r) || page[i].moves
	}
	if !folds {
		return &unfolded
	}
	return page
}

// foldWhole folds a text at once, which takes far longer.
func foldWhole(s string) string {
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

// Expansion is how many bytes a text has once its characters are decomposed, which is what folding it costs: one of three bytes may become
// one of thirty-three. It stops counting beyond most.
func Expansion(s string, most int) (n int) {
	for i := 0; i < len(s) && n <= most; {
		if s[i] < utf8.RuneSelf {
			i, n = i+1, n+1
			continue
		}
		p := norm.NFKD.PropertiesString(s[i:])
		size, plain := max(1, p.Size()), len(p.Decomposition())
		if r, _ := utf8.DecodeRuneInString(s[i:]); 0xac00 <= r && r <= 0xd7a3 { // Hangul, which is decomposed by rule
			plain = 9
		}
		i, n = i+size, n+max(size, plain)
	}
	return n
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

// distinct gives each of some words once, in the order in which they come.
func distinct(words []string) (once []string) {
	seen := map[string]bool{}
	for _, w := range words {
		if !seen[w] {
			seen[w] = true
			once = append(once, w)
		}
	}
	return once
}

// Beginning is what a text begins with, of at most so many bytes, and of whole characters.
func Beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// Successor is the first text after all that begin with prefix, in order of code points.
func Successor(prefix string) (string, bool) {
	for prefix != "" {
		r, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		switch {
		case r == 0xd7ff: // the surrogates that follow are not characters
			return prefix + "\ue000", true
		case r < utf8.MaxRune:
			return prefix + string(r+1), true
		}
	}
	return "", false
}

// Digits gives the digits of a phone number.
func Digits(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, Fold(s))
}

// FoldCase brings a text to the form in which addresses and codes are compared: case disregarded, accents kept, and what looks the same
// written the same (canonical composition). It distinguishes more than Fold and never less, so what is unique by Fold is unique by this.
func FoldCase(s string) string {
	if folded, ok := foldASCII(s); ok {
		return folded
	}
	var b strings.Builder
	b.Grow(len(s))
	// Decomposed first: İ is then an I with a dot, whose lower case is an i with a dot and not the plain i. Behind a byte that is no UTF-8
	// it would stay composed.
	for _, r := range norm.NFD.String(strings.ToValidUTF8(s, "\uFFFD")) {
		if !unicode.Is(unicode.Cf, r) && r != 0 {
			b.WriteRune(lowest(r))
		}
	}
	return norm.NFC.String(b.String())
}

// lowest is one and the same character for all that differ by case alone. ß stays itself, because its capital is ẞ and ss another text; so
// does ı, whose capital is that of i. Cherokee is left alone because Fold tells its cases apart.
func lowest(r rune) rune {
	if unicode.Is(unicode.Cherokee, r) {
		return r
	}
	low := unicode.ToLower(unicode.ToUpper(r))
	for other := unicode.SimpleFold(r); other != low; other = unicode.SimpleFold(other) {
		if other == r {
			return r
		}
	}
	return low
}

// Key is the form in which a leaf's texts are compared, sorted and kept unique.
func Key(l *schema.Leaf, text string) string {
	switch l.Format.Comparison() {
	case schema.ByCase:
		return FoldCase(text)
	case schema.ByDigits:
		return Digits(text)
	default:
		return Fold(text)
	}
}
