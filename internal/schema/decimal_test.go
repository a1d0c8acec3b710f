package schema_test

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
)

func TestParseDecimal(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "0.0": 0, "1": 10_000, "-1": -10_000, "1.5": 15_000, "0.0001": 1, "-0.0001": -1, "007": 70_000,
		"1.50000000": 15_000,
		"1e3":        10_000_000, "1E3": 10_000_000, "1e+3": 10_000_000, "15e-1": 15_000, "0.00001e1": 1, "100e-6": 1, "0e99999999999": 0,
		"0.0e-99999999999":    0,
		"99999999999999.9999": schema.DecimalMax, "-99999999999999.9999": -schema.DecimalMax, "9999999999999999990e-5": schema.DecimalMax,
	} {
		got, err := schema.ParseDecimal(text)
		if err != nil || got != want {
			t.Errorf("%s is %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseDecimalRefuses(t *testing.T) {
	for want, texts := range map[error][]string{
		schema.ErrNotDecimal: {
			"", "-", ".", "1.", ".5", "+1", " 1", "1 ", "1,5", "1_000", "0x1", "NaN", "Inf", "e5", "1e", "1e+", "1ee5", "1e5.5", "--1",
			"1-", "٣", "1e٣",
			"0e+-5", "-.e99999999999", "0.e99999999999", "1e+-99999999999", ".e5",
		},
		schema.ErrDecimalPlaces: {"0.00001", "1.23456", "1e-5", "1e-999", "1e-99999999999", "0." + strings.Repeat("0", 400) + "1"},
		schema.ErrDecimalRange:  {"100000000000000", "1e14", "1e999", "1e99999999999", "-100000000000000", strings.Repeat("9", 400)},
	} {
		for _, text := range texts {
			if n, err := schema.ParseDecimal(text); !errors.Is(err, want) {
				t.Errorf("%.50q is %d, %v; want %v", text, n, err, want)
			}
		}
	}
}

func TestAppendDecimal(t *testing.T) {
	for _, c := range []struct {
		n     int64
		least int
		want  string
	}{
		{0, 2, "0.00"},
		{0, 0, "0"},
		{1, 2, "0.0001"},
		{-1, 0, "-0.0001"},
		{15_000, 2, "1.50"},
		{15_000, 0, "1.5"},
		{15_010, 0, "1.501"},
		{-15_000, 4, "-1.5000"},
		{schema.DecimalMax, 2, "99999999999999.9999"},
		{math.MinInt64, 0, "-922337203685477.5808"},
	} {
		if got := string(schema.AppendDecimal(nil, c.n, c.least)); got != c.want {
			t.Errorf("%d with %d places is %s, want %s", c.n, c.least, got, c.want)
		}
	}
}

var decimalForm = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// A text is taken if and only if it is written as a decimal and has a value that we can hold; and then it is exactly that value.
func FuzzParseDecimal(f *testing.F) {
	for _, seed := range []string{
		"0", "1.5", "-0.0001", "1e3", "1E-4", "99999999999999.9999", "1e999", "0e+-5", "-.e9999999999",
		"1.23456", "", "+1", "00.10e1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := schema.ParseDecimal(text)
		if !decimalForm.MatchString(text) {
			if !errors.Is(err, schema.ErrNotDecimal) {
				t.Fatalf("%q is taken as %d, %v", text, n, err)
			}
			return
		}
		if errors.Is(err, schema.ErrNotDecimal) {
			t.Fatalf("%q is not taken for a decimal", text)
		}
		if err == nil {
			back := string(schema.AppendDecimal(nil, n, 2))
			if again, err := schema.ParseDecimal(back); err != nil || again != n {
				t.Fatalf("%q is %d, written %s, read again %d, %v", text, n, back, again, err)
			}
		}
		if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(exponent) > 4 || len(text) > 200 {
			return // exact fractions of such size would take too long
		}
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q is not a number", text)
		}
		exact.Mul(exact, big.NewRat(schema.DecimalOne, 1))
		fits := exact.IsInt() && new(big.Int).Abs(exact.Num()).Cmp(big.NewInt(schema.DecimalMax)) <= 0
		if fits != (err == nil) || fits && exact.Num().Int64() != n {
			t.Fatalf("%q is %d, %v; exactly it is %s", text, n, err, exact)
		}
	})
}
