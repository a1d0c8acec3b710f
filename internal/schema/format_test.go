package schema_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/schema"
)

var formats = []schema.Format{
	schema.Plain, schema.Email, schema.Phone, schema.URL, schema.Domain, schema.Currency, schema.Timezone,
	schema.Locale, schema.Code,
}

func TestFormatsTake(t *testing.T) {
	for f, texts := range map[schema.Format]map[string]string{
		schema.Email: {
			"anna@example.com": "anna@example.com", "Anna.O'Hara+x@Sub.Example.com": "Anna.O'Hara+x@Sub.Example.com",
			"josé@münchen.example": "josé@münchen.example", "a@b.c": "a@b.c", "用户@例え.テスト": "用户@例え.テスト", "1@2.x3": "1@2.x3",
			strings.Repeat("a", 64) + "@b.example": strings.Repeat("a", 64) + "@b.example",
		},
		schema.Phone: {"+49 (30) 1-2": "+49 (30) 1-2", "1": "1", "ext. 5": "ext. 5"},
		schema.URL: {
			"https://example.com/a?b=c#d": "https://example.com/a?b=c#d", "HTTP://EXAMPLE.com": "HTTP://EXAMPLE.com",
			"http://[::1]:80/": "http://[::1]:80/",
		},
		schema.Domain: {
			"Example.COM": "example.com", "MÜNCHEN.example": "münchen.example", "a": "a",
			"xn--mnchen-3ya.example": "xn--mnchen-3ya.example",
		},
		schema.Currency: {"eur": "EUR", "USD": "USD", "Jpy": "JPY"},
		schema.Timezone: {"Europe/Berlin": "Europe/Berlin", "UTC": "UTC"},
		schema.Locale:   {"en": "en", "de-AT": "de-AT", "zh-Hant-TW": "zh-Hant-TW", "pt_BR": "pt_BR"},
		schema.Plain:    {" anything ": " anything "},
	} {
		for text, want := range texts {
			if got, wrong := f.Normalize(text); wrong != "" || got != want {
				t.Errorf("format %d takes %q as %q, %q; want %q", f, text, got, wrong, want)
			}
		}
	}
}

func TestFormatsRefuse(t *testing.T) {
	for f, texts := range map[schema.Format][]string{
		schema.Email: {
			"a", "a@", "@a", "a@b@c", "a b@c", "a\u00a0b@c", "a@b c", "<a@b>", "a@b.", "a@.b", "a@b..c", "a@-b.c",
			"a@b_c.d", "a@b", "a@localhost", "a@1.2", "a@127.0.0.1", ".a@b.c", "a.@b.c", "a..b@c.d", "a\u200b@b.c", "a\u00ad@b.c",
			"a\x00@b.c", "a@b.c@d.e", "a@" + strings.Repeat("x", 64) + ".c", strings.Repeat("a", 65) + "@b.c",
			strings.Repeat("a", 250) + "@b.example",
		},
		schema.Phone: {"none", "++", " "},
		schema.URL: {
			"example.com", "ftp://a", "http://", "http:///x", "http://:80", "https:a", "http://a b", "http://%zz",
			"javascript:1",
		},
		schema.Domain:   {"a..b", "-a", "a-", "a b", "a/b", ".", strings.Repeat("a.", 130) + "a"},
		schema.Currency: {"EURO", "XXX", "E", "   ", "D3 ", "3 B"},
		schema.Timezone: {"Local", "Nowhere/City", "..", "/etc/passwd", "Europe/Berlin\x00"},
		schema.Locale:   {"e", "engl", "en-", "en--US", "-en", "en-U"},
	} {
		for _, text := range texts {
			if got, wrong := f.Normalize(text); wrong == "" {
				t.Errorf("format %d takes %q as %q", f, text, got)
			}
		}
	}
}

func TestMinorUnits(t *testing.T) {
	for code, want := range map[string]int{"EUR": 2, "USD": 2, "JPY": 0, "KWD": 3, "CLF": 4, "BHD": 3, "AED": 2, "ZWG": 2, "UGX": 0} {
		if got, ok := schema.MinorUnits(code); !ok || got != want {
			t.Errorf("%s has %d places, %v; want %d", code, got, ok, want)
		}
	}
	for _, code := range []string{"", "EU", "EURO", "eur", "XXX", "D3 ", " AE"} {
		if _, ok := schema.MinorUnits(code); ok {
			t.Errorf("%q is taken for a currency", code)
		}
	}
}

var (
	currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)
	oneAt        = regexp.MustCompile(`^[^@]+@[^@]+$`)
)

// What a format takes, it gives in a form that it takes again unchanged, and that keeps the format's promise.
func FuzzFormat(f *testing.F) {
	for i, seed := range []string{
		"x", "anna@example.com", "+49 30", "https://example.com:80/x?y", "Example.com", "eur", "Europe/Berlin",
		"de-AT", "İ.example", "ſEK", "http://:80", "a\u2028@b",
	} {
		f.Add(seed, byte(i))
	}
	f.Fuzz(func(t *testing.T, text string, which byte) {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) || text == "" {
			return // such texts never come this far
		}
		format := formats[int(which)%len(formats)]
		normal, wrong := format.Normalize(text)
		if wrong != "" {
			if normal != "" {
				t.Fatalf("%q is refused and given as %q", text, normal)
			}
			return
		}
		if again, wrong := format.Normalize(normal); wrong != "" || again != normal {
			t.Fatalf("%q becomes %q, and that becomes %q, %s", text, normal, again, wrong)
		}
		if !utf8.ValidString(normal) || strings.ContainsFunc(normal, unicode.IsControl) {
			t.Fatalf("%q becomes %q", text, normal)
		}
		kept := true
		switch format {
		case schema.Email:
			kept = oneAt.MatchString(normal) && !strings.ContainsFunc(normal, unicode.IsSpace) && len(normal) <= 254 &&
				strings.Contains(normal[strings.IndexByte(normal, '@'):], ".")
		case schema.URL:
			u, err := url.Parse(normal)
			kept = err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
		case schema.Domain:
			kept = len(normal) <= 253 && !strings.ContainsAny(normal, " /@:") && !strings.Contains(normal, "..")
		case schema.Currency:
			_, known := schema.MinorUnits(normal)
			kept = known && currencyForm.MatchString(normal)
		case schema.Timezone:
			_, err := time.LoadLocation(normal)
			kept = err == nil
		case schema.Phone:
			kept = strings.ContainsAny(normal, "0123456789")
		}
		if !kept {
			t.Fatalf("format %d takes %q as %q", format, text, normal)
		}
	})
}
