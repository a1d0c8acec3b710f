package query

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Characters that are folded one by one give what the text gives as a whole: every one alone and between others, and any of those with
// rules of their own together.
func TestFoldingByCharacterIsFoldingTheWhole(t *testing.T) {
	check := func(text string) {
		t.Helper()
		if got, want := Fold(text), foldWhole(text); got != want {
			t.Errorf("%+q is folded to %+q, as a whole to %+q", text, got, want)
		}
	}
	var odd []rune
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if r >= 0x40000 && r < 0xe0000 || r > 0xe0fff { // nothing is there
			continue
		}
		text := string(r)
		check("Á" + text + "b\u0301")
		if utf8.ValidRune(r) && (unicode.IsMark(r) || unicode.Is(unicode.Cf, r) || foldWhole(text) != text) {
			odd = append(odd, r)
		}
		if t.Failed() {
			return
		}
	}
	var moving []rune
	for _, r := range odd {
		if foldedRune(r).moves {
			moving = append(moving, r)
		}
	}
	if len(moving) == 0 {
		t.Error("no mark is kept that changes places")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		var text []rune
		for range 1 + random.IntN(8) {
			switch random.IntN(4) {
			case 0:
				text = append(text, moving[random.IntN(len(moving))])
			case 1:
				text = append(text, 'a'+rune(random.IntN(26)))
			default:
				text = append(text, odd[random.IntN(len(odd))])
			}
		}
		check(string(text))
	}
	for _, text := range []string{
		"\xff", "a\xffÄ", "\xed\xa0\x80", "\xf0\x9d\x85", "\x00Ä",
		strings.Repeat("\u0301\u0316", 40) + "\U0001d165\u302e", "\u302e" + strings.Repeat("\u0301\U0001d16d", 40),
	} {
		check(text)
	}
}
