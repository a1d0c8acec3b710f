package tabular

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/problem"
)

// number reads a number in the style of the file, without marks of thousands, currency and percent.
func (s Style) number(given string) (string, error) {
	wrong := errors.New("must be a number, not " + problem.Quote(given))
	if len(given) > longestWritten {
		return "", wrong
	}
	text := strings.TrimSuffix(strings.TrimPrefix(withoutCurrency(given), "'"), "%")
	text = strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\u00a0', '\u202f', '\'', '’', '€', '$', '£', '¥':
			return -1
		case '−':
			return '-'
		}
		return r
	}, text)
	if inner, ok := strings.CutPrefix(text, "("); ok && strings.HasSuffix(inner, ")") { // as accountants write what is negative
		text = "-" + strings.TrimSuffix(inner, ")")
	}
	commas, points := strings.Count(text, ","), strings.Count(text, ".")
	thousands, mark := ",", "."
	switch {
	case commas > 0 && points > 0:
		if strings.LastIndex(text, ",") > strings.LastIndex(text, ".") {
			thousands, mark = ".", ","
		}
	case s.Comma && commas <= 1 || commas == 0 && points > 1:
		thousands, mark = ".", ","
	case commas == 1 && len(text)-strings.IndexByte(text, ',')-1 != 3:
		thousands, mark = ".", ","
	}
	if thousands == "." && commas == 0 && points == 1 && len(text)-strings.IndexByte(text, '.')-1 != 3 {
		thousands, mark = ",", "."
	}
	if !grouped(text, thousands, mark) {
		return "", wrong
	}
	text = strings.Replace(strings.ReplaceAll(text, thousands, ""), mark, ".", 1)
	if text = strings.TrimPrefix(text, "+"); strings.HasPrefix(text, ".") {
		text = "0" + text
	} else if strings.HasPrefix(text, "-.") {
		text = "-0" + text[1:]
	}
	if text = strings.TrimSuffix(text, "."); text == "" {
		return "", wrong
	}
	digits, negative := strings.CutPrefix(text, "-")
	for len(digits) > 1 && digits[0] == '0' && digits[1] != '.' { // which JSON has no zeros before
		digits = digits[1:]
	}
	if negative {
		digits = "-" + digits
	}
	if _, err := strconv.ParseFloat(digits, 64); err != nil || strings.Trim(digits, "-+0123456789.eE") != "" {
		return "", wrong
	}
	return digits, nil
}

// withoutCurrency is a number without the code of a currency before or behind it, and the dash that stands for no cents: CHF 5.–
func withoutCurrency(text string) string {
	isCode := func(code string) bool {
		return len(code) == 3 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
	}
	if len(text) > 3 && isCode(text[:3]) {
		text = strings.TrimSpace(text[3:])
	} else if len(text) > 3 && isCode(text[len(text)-3:]) {
		text = strings.TrimSpace(text[:len(text)-3])
	}
	for _, dash := range []string{"--", "-", "–", "—"} {
		if whole, ok := strings.CutSuffix(text, dash); ok && strings.HasSuffix(whole, ".") || ok && strings.HasSuffix(whole, ",") {
			return whole[:len(whole)-1]
		}
	}
	return text
}

// grouped tells whether marks of thousands stand before three digits each.
func grouped(text, thousands, mark string) bool {
	whole, _, _ := strings.Cut(text, mark)
	groups := strings.Split(whole, thousands)[1:]
	return !strings.Contains(text[len(whole):], thousands) && !slices.ContainsFunc(groups, func(g string) bool { return len(g) != 3 })
}
