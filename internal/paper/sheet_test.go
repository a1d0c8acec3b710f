package paper_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"

	"github.com/kith-crm/kith/internal/paper"
)

// sample is a quote with so many lines.
func sample(locale string, lines int) *paper.Sheet {
	l := paper.LocaleOf(locale)
	q := &paper.Sheet{
		Locale: l, Seller: paper.Party{Name: "Hafen & Söhne GmbH", Lines: []string{"Kaistraße 1", "1010 Wien", "ATU12345678"}},
		Customer: paper.Party{Name: "Ακμή Α.Ε.", Lines: []string{"Анна Линд", "Łódź, Đà Nẵng"}}, Number: "42", Title: "Zwei Kräne",
		Date: "16.11.2026", ValidUntil: "31.12.2026",
		Subtotal: "200.00", Discount: "−20.00", Tax: "36.00", Total: "216.00", Currency: "EUR",
		Terms: []string{"Payable in 30 days.", "Our law holds."}, Footer: "IBAN AT00 1234", At: time.Unix(1e9, 0),
	}
	for i := range lines {
		q.Lines = append(q.Lines, paper.Line{
			Name: fmt.Sprintf("Kran-%d", i+1), SKU: "K-1", Description: "With a hook.\nAnd a rope.",
			Quantity: "2", UnitPrice: "100.00", Discount: "10%", Tax: "20%", Total: "180.00",
		})
	}
	return q
}

func draw(t *testing.T, q *paper.Sheet) []byte {
	t.Helper()
	drawn, err := paper.PDF(q)
	if err != nil {
		t.Fatal(err)
	}
	return drawn
}

// read gives the texts of the pages. The file is taken apart by a program of others; what it has of writing are UTF-16 codes, and
// each is the character itself, as the file's ToUnicode tells. (That program reads only the last byte of such a table, so that it
// is not left to it.)
func read(t *testing.T, drawn []byte) (pages []string) {
	t.Helper()
	r, err := pdf.NewReader(bytes.NewReader(drawn), int64(len(drawn)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.NumPage() {
		page := r.Page(i + 1)
		for _, name := range page.Fonts() {
			table, err := io.ReadAll(page.Font(name).V.Key("ToUnicode").Reader())
			if err != nil || !bytes.Contains(table, []byte("<0000> <FFFF> <0000>")) {
				t.Fatalf("the font %s tells of its characters %q, %v", name, table, err)
			}
		}
		var text strings.Builder
		pdf.Interpret(page.V.Key("Contents"), func(operands *pdf.Stack, operator string) {
			var all []pdf.Value
			for operands.Len() > 0 {
				all = append(all, operands.Pop())
			}
			if operator != "Tj" {
				return
			}
			raw := []byte(all[0].RawString())
			var codes []uint16
			for len(raw) > 1 {
				codes, raw = append(codes, binary.BigEndian.Uint16(raw)), raw[2:]
			}
			text.WriteString(string(utf16.Decode(codes)) + "\n")
		})
		pages = append(pages, text.String())
	}
	return pages
}

func TestEverythingIsOnThePaper(t *testing.T) {
	pages := read(t, draw(t, sample("en-GB", 1)))
	if len(pages) != 1 {
		t.Fatalf("it has %d pages", len(pages))
	}
	for _, want := range []string{
		"Hafen & Söhne GmbH", "Kaistraße 1", "ATU12345678", "Ακμή Α.Ε.", "Анна Линд", "Łódź, Đà Nẵng", "42", "Zwei Kräne", "16.11.2026",
		"31.12.2026", "Kran-1", "K-1", "With a hook.", "And a rope.",
		"100.00", "10%", "20%", "180.00", "200.00", "−20.00", "36.00", "EUR\u00a0216.00", "Payable in 30 days.", "Our law holds.",
		"IBAN AT00 1234", "Page 1 of 1", "Valid until", "Unit price",
	} {
		if !strings.Contains(pages[0], want) {
			t.Errorf("%q is not on it", want)
		}
	}
	if strings.Contains(pages[0], "Draft") {
		t.Error("it is no draft")
	}
	draft := sample("de", 1)
	draft.Draft = true
	if text := read(t, draw(t, draft))[0]; !strings.Contains(text, "Angebot · Entwurf") || !strings.Contains(text, "216.00\u00a0EUR") {
		t.Errorf("a German draft is %q", text)
	}
}

// What the fonts do not have is shown as such, and nothing that anybody writes breaks the paper.
func TestAnyTextIsPrinted(t *testing.T) {
	q := sample("en", 1)
	q.Title = "日本 {nb} \U0001f600 טוב (a) \\ ( \u202e\x00\r\n\ttab e\u0301"
	text := read(t, draw(t, q))[0]
	for _, want := range []string{"\ufffd\ufffd {nb} \ufffd \ufffd\ufffd\ufffd (a) \\ (", "tab é"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	q.Title = strings.Repeat("w", 3000)
	q.Lines[0].Total, q.Lines[0].UnitPrice = "99,999,999,999,999.9999", "99,999,999,999,999.9999"
	draw(t, q)
	draw(t, &paper.Sheet{Locale: paper.LocaleOf("")})
}

func TestManyPages(t *testing.T) {
	q := sample("en", 1000)
	drawn := draw(t, q)
	pages := read(t, drawn)
	if len(pages) < 40 || len(pages) > 200 {
		t.Fatalf("1,000 lines take %d pages", len(pages))
	}
	seen := 0
	for i, text := range pages {
		lines := strings.Count(text, "Kran-")
		seen += lines
		if head := strings.Contains(text, "Unit price"); lines > 0 && !head {
			t.Errorf("page %d has lines and no head", i+1)
		}
		if !strings.Contains(text, fmt.Sprintf("Quote 42 · Page %d of %d", i+1, len(pages))) {
			t.Errorf("page %d does not say so", i+1)
		}
	}
	if seen != 1000 {
		t.Errorf("%d of 1,000 lines are there", seen)
	}
	if len(drawn) > 2<<20 {
		t.Errorf("it has %d bytes", len(drawn))
	}
	if !bytes.Equal(drawn, draw(t, q)) {
		t.Error("the same quote gives other bytes")
	}
}

func TestWhatIsTooLongIsRefused(t *testing.T) {
	q := sample("en", 1)
	q.Lines[0].Description = strings.Repeat("a\n", 100_000)
	if _, err := paper.PDF(q); !errors.Is(err, paper.ErrTooLong) {
		t.Errorf("the error is %v", err)
	}
}

func TestLogo(t *testing.T) {
	q := sample("en", 1)
	picture := image.NewNRGBA(image.Rect(0, 0, 30, 10))
	picture.Set(1, 1, color.NRGBA{255, 0, 0, 100})
	var logo bytes.Buffer
	if err := png.Encode(&logo, picture); err != nil {
		t.Fatal(err)
	}
	q.Logo = logo.Bytes()
	if drawn := draw(t, q); !bytes.Contains(drawn, []byte("/Subtype /Image")) || !bytes.Equal(drawn, draw(t, q)) {
		t.Error("the logo is not on it, or not always the same")
	}
	q.Logo = []byte("no picture")
	if _, err := paper.PDF(q); err == nil {
		t.Error("what is no picture is taken")
	}
}

func TestNumbersAndDaysOfALocale(t *testing.T) {
	day := time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ tag, amount, yen, percent, date string }{
		{"", "1,234,567.50", "1,234,568", "7.5%", "2026-03-09"},
		{"en-US", "1,234,567.50", "1,234,568", "7.5%", "March 9, 2026"},
		{"en_GB", "1,234,567.50", "1,234,568", "7.5%", "9 March 2026"},
		{"en-IN", "12,34,567.50", "12,34,568", "7.5%", "9 March 2026"},
		{"de", "1.234.567,50", "1.234.568", "7,5\u00a0%", "09.03.2026"},
		{"de-AT", "1\u00a0234\u00a0567,50", "1\u00a0234\u00a0568", "7,5\u00a0%", "09.03.2026"},
		{"de-CH", "1’234’567.50", "1’234’568", "7.5%", "09.03.2026"},
		{"sv-SE", "1\u00a0234\u00a0567,50", "1\u00a0234\u00a0568", "7,5\u00a0%", "2026-03-09"},
		{"xx-YY", "1,234,567.50", "1,234,568", "7.5%", "2026-03-09"},
	} {
		l := paper.LocaleOf(c.tag)
		if got := l.Amount(12345675000, "EUR"); got != c.amount {
			t.Errorf("%s: the amount is %q", c.tag, got)
		}
		if got := l.Amount(12345680000, "JPY"); got != c.yen {
			t.Errorf("%s: the yen are %q", c.tag, got)
		}
		if got := l.Percent(75000); got != c.percent {
			t.Errorf("%s: the percentage is %q", c.tag, got)
		}
		if got := l.Date(day); got != c.date {
			t.Errorf("%s: the day is %q", c.tag, got)
		}
	}
	l := paper.LocaleOf("en")
	for n, want := range map[int64]string{
		0: "0.00", -5: "−0.0005", 999_9999: "999.9999", 1_000_0000: "1,000.00",
		-99_999_999_999_999_9999: "−99,999,999,999,999.9999",
	} {
		if got := l.Amount(n, "EUR"); got != want {
			t.Errorf("%d is %q", n, got)
		}
	}
}

func TestWordsAreComplete(t *testing.T) {
	for _, tag := range []string{"en", "de"} {
		words := reflect.ValueOf(*paper.LocaleOf(tag).Words)
		for i := range words.NumField() {
			if words.Field(i).String() == "" {
				t.Errorf("%s lacks %s", tag, words.Type().Field(i).Name)
			}
		}
	}
}
