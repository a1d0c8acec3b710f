package query_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
)

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"Plain ASCII 7!":   "plain ascii 7!",
		"José":             "jose",
		"Jose\u0301":       "jose",
		"ÅNGSTRÖM":         "angstrom",
		"Øresund łódź Đ":   "oresund lodz d",
		"Straße STRASSE ẞ": "strasse strasse ss",
		"Æsop œuvre Þór":   "aesop oeuvre thor",
		"İstanbul Iı":      "istanbul ii",
		"ﬁsh Ⅳ ① ½":        "fish iv 1 1⁄2",
		"ＷＩＤＥ":             "wide",
		"Σίσυφος ΣΊΣΥΦΟΣ":  "σισυφοσ σισυφοσ",
		"Й ё":              "и е",
		"株式会社":             "株式会社",
		"한국":               norm.NFKD.String("한국"),
		"O’Hara ‘x’":       "o'hara 'x'",
		"a–b‐c‑d":          "a-b-c-d",
		"soft\u00adhyphen": "softhyphen",
		"zero\u200bwidth":  "zerowidth",
		"nul\x00":          "nul",
		"\u0301":           "",
		"line\nbreak\ttab": "line\nbreak\ttab",
	} {
		if got := query.Fold(text); got != want {
			t.Errorf("%q is folded to %q, want %q", text, got, want)
		}
	}
}

func TestExpansionIsNoLessThanTheFoldedText(t *testing.T) {
	for _, s := range []string{"", "abc", "Ä", "ﬃ", "\ufdfa", "日本", "각", "ΐ", "㌀"} {
		if n := query.Expansion(s, 1000); n < len(query.Fold(s)) || n < len(s) {
			t.Errorf("%q expands to %d bytes, folded it has %d", s, n, len(query.Fold(s)))
		}
	}
	if n := query.Expansion(strings.Repeat("\ufdfa", 1000), 100); n <= 100 || n > 200 {
		t.Errorf("it counted to %d", n)
	}
}

func TestWordsAndDigits(t *testing.T) {
	if got := strings.Join(query.Words("  two\t words\n\u00a0here "), "|"); got != "two|words|here" {
		t.Errorf("the words are %s", got)
	}
	for text, want := range map[string]string{"+49 (30) 12-34": "49301234", "٣": "", "５５": "55", "none": ""} {
		if got := query.Digits(text); got != want {
			t.Errorf("the digits of %q are %q, want %q", text, got, want)
		}
	}
}

// Folding settles at once, makes no odd bytes, and does not tell apart what Unicode holds for the same text.
func TestFoldCase(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"Anna@Example.COM":        "anna@example.com",
		"Straße@X":                "straße@x",
		"STRAẞE@x":                "straße@x",
		"STRASSE@x":               "strasse@x",
		"José":                    "josé",
		"JOSE\u0301":              "josé",
		"jose":                    "jose",
		"\u0130":                  "i\u0307",
		"i\u0307":                 "i\u0307",
		"I":                       "i",
		"\u0131":                  "\u0131",
		"\u212a":                  "k",
		"ΣΊΣΥΦΟΣ":                 "σίσυφοσ",
		"ＷＩＤＥ":                    "ｗｉｄｅ",
		"zero\u200bwidth":         "zerowidth",
		"https://X.Example/Å?q=É": "https://x.example/å?q=é",
	} {
		if got := query.FoldCase(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestKeysFollowTheForm(t *testing.T) {
	for form, want := range map[schema.Format]string{
		schema.Plain: "aso+46 (70) 1", schema.Email: "åsö+46 (70) 1", schema.URL: "åsö+46 (70) 1", schema.Domain: "åsö+46 (70) 1",
		schema.Code: "åsö+46 (70) 1", schema.Phone: "46701",
	} {
		if got := query.Key(&schema.Leaf{Field: &schema.Field{Format: form}}, "ÅSÖ+46 (70) 1"); got != want {
			t.Errorf("the key in format %d is %q, want %q", form, got, want)
		}
	}
}

// checkFoldCase holds FoldCase to what the keys of addresses and codes rely on: it settles at once, does not know case, and tells apart all
// that Fold tells apart.
func checkFoldCase(t *testing.T, text string) {
	t.Helper()
	folded := query.FoldCase(text)
	if again := query.FoldCase(folded); again != folded {
		t.Fatalf("%q becomes %q, and that %q", text, folded, again)
	}
	if !utf8.ValidString(text) {
		return
	}
	if query.Fold(folded) != query.Fold(text) {
		t.Fatalf("%q becomes %q, which is another text by Fold: %q, not %q", text, folded, query.Fold(folded), query.Fold(text))
	}
	for name, same := range map[string]string{"NFC": norm.NFC.String(text), "NFD": norm.NFD.String(text)} {
		if got := query.FoldCase(same); got != folded {
			t.Fatalf("%q becomes %q, in %s %q", text, folded, name, got)
		}
	}
	other := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cherokee, r) {
			return r
		}
		return unicode.SimpleFold(r)
	}, norm.NFD.String(text))
	if got := query.FoldCase(other); got != folded {
		t.Fatalf("%q becomes %q, in another case %q: %q", text, folded, other, got)
	}
}

func FuzzFoldCase(f *testing.F) {
	for _, seed := range []string{
		"Straße", "ẞß", "\u0130I", "\u1e9b\u0323", "\u0345\u0301", "α\u0345", "a\x00b", "\xff", "ǆ", "\u212b",
		"한국", "\xf7\u0130",
	} {
		f.Add(seed)
	}
	f.Fuzz(checkFoldCase)
}

func FuzzFold(f *testing.F) {
	for _, seed := range []string{
		"José", "ẞß", "ﬁ", "\u0130", "\u1e9b\u0323", "\ufdfa", "\u0345", "\u03f4", "a\x00b", "\xff", "\u1fb7",
		"ǆ", "\u212b", "½", "\u2126", "\xf7\u0130",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		folded := query.Fold(text)
		if again := query.Fold(folded); again != folded {
			t.Fatalf("%q is folded to %q, and that to %q", text, folded, again)
		}
		if !utf8.ValidString(folded) || strings.ContainsRune(folded, 0) {
			t.Fatalf("%q is folded to %q", text, folded)
		}
		if strings.ContainsAny(folded, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			t.Fatalf("%q is folded to %q, which has capitals", text, folded)
		}
		if !utf8.ValidString(text) {
			return
		}
		for name, form := range map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD} {
			if same := query.Fold(form.String(text)); same != folded {
				t.Fatalf("%q is folded to %q, in %s to %q", text, folded, name, same)
			}
		}
		// A text that was found by all of its words is found by each of them.
		for _, word := range query.Words(folded) {
			if !strings.Contains(folded, query.Fold(word)) {
				t.Fatalf("the word %q of %q is not in it", word, folded)
			}
		}
	})
}

// Every character that exists, alone and with the marks that have rules of their own.
func TestFoldEveryCharacter(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || r > 0x1ffff && r < 0xe0000 && r != 0x2f800 {
			continue // beyond these lie only ideographs and nothing
		}
		for _, text := range []string{string(r), string(r) + "\u0345\u0301", "I" + string(r)} {
			folded := query.Fold(text)
			if query.Fold(folded) != folded || !utf8.ValidString(folded) || strings.ContainsRune(folded, 0) {
				t.Fatalf("%U: %q is folded to %q, and that to %q", r, text, folded, query.Fold(folded))
			}
			if folded != text || unicode.SimpleFold(r) != r {
				checkFoldCase(t, text)
			}
		}
	}
}
