package tabular

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
)

// day reads a day, and gives what is left of the text behind it.
func (s Style) day(given string) (day, rest string, err error) {
	if len(given) > longestWritten {
		return "", "", errors.New("must be a day such as 2026-11-16, not " + problem.Quote(given))
	}
	if d, m, y, rest, ok := inWords(given); ok {
		day, err = theDay(d, m, y, given)
		return day, rest, err
	}
	if t, err := time.Parse("20060102", given); err == nil {
		return t.Format(time.DateOnly), "", nil
	}
	text, rest, _ := strings.Cut(given, " ")
	if text == given {
		text, rest, _ = strings.Cut(given, "T")
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t.Format(time.DateOnly), rest, nil
	}
	text = strings.TrimSuffix(text, ",") // 11/16/2026, 2:30 PM
	a, b, c, sep, ok := threeNumbers(text)
	if !ok {
		return "", "", errors.New("must be a day such as 2026-11-16, not " + problem.Quote(given))
	}
	d, m, y := a, b, c
	switch {
	case sep == '.':
	case a > 31: // the year comes first
		d, m, y = c, b, a
	case s.Days == "mdy" || s.Days == "" && b > 12:
		d, m = b, a
	case s.Days == "" && a <= 12 && a != b:
		return "", "", errors.New("could be two days; say whether the day or the month comes first in the dates of the file: " +
			problem.Quote(given))
	}
	day, err = theDay(d, m, y, given)
	return day, rest, err
}

// theDay is a day as JSON has it, of a year that may be written with two digits.
func theDay(d, m, y int, given string) (string, error) {
	if y < 100 {
		if y += 2000; y > time.Now().Year()+20 {
			y -= 100
		}
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if t.Day() != d || int(t.Month()) != m {
		return "", errors.New("must be a day that exists, not " + problem.Quote(given))
	}
	return t.Format(time.DateOnly), nil
}

// months are the first letters of months without accents, in the languages of Western Europe, where they tell which it is.
var months = map[string]int{
	"jan": 1, "ene": 1, "gen": 1, "feb": 2, "fev": 2, "mar": 3, "mrz": 3, "mae": 3, "maa": 3, "mrt": 3, "apr": 4, "avr": 4, "abr": 4,
	"may": 5, "mai": 5, "mei": 5, "mag": 5,
	"jun": 6, "giu": 6, "juin": 6, "jul": 7, "lug": 7, "juil": 7, "aug": 8, "aou": 8, "ago": 8, "sep": 9, "set": 9, "oct": 10, "okt": 10,
	"ott": 10, "out": 10, "nov": 11, "dec": 12, "dez": 12, "dic": 12,
}

// longestMonth is how many bytes a word of a day may have; what is longer is not folded to find out.
const longestMonth = 64

// inWords reads a day that names its month (16. November 2026, Nov 16, 2026, 16-Nov-26), and gives what is left of the text behind it.
func inWords(given string) (d, m, y int, rest string, ok bool) {
	text := strings.TrimSpace(given)
	word := func() string {
		text = strings.TrimLeft(text, " \u00a0\u202f,.-/")
		end := strings.IndexAny(text, " \u00a0\u202f,.-/")
		if end < 0 {
			end = len(text)
		}
		var w string
		w, text = text[:end], text[end:]
		return w
	}
	for range 6 {
		w := word()
		if w == "" || len(w) > longestMonth {
			return 0, 0, 0, "", false
		}
		number, err := strconv.Atoi(strings.TrimRight(w, "stndrhe")) // 1st, 2nd, 3rd, 4th, 1er
		named := query.Fold(w)
		switch {
		case err == nil && m > 0 && d > 0 && number >= 0 && len(w) <= 4:
			return d, m, number, strings.TrimLeft(text, " \u00a0\u202f,"), true
		case err == nil && d == 0 && number > 0 && number <= 31 && len(w) <= 4:
			d = number
		case err == nil:
			return 0, 0, 0, "", false
		case named == "de" || named == "di" || named == "of" || named == "the": // 16 de noviembre de 2026
		case m == 0 && months[named[:min(len(named), 4)]] > 0:
			m = months[named[:min(len(named), 4)]]
		case m == 0 && len(named) >= 3 && months[named[:3]] > 0 && (d > 0 || !isWeekday(named)):
			m = months[named[:3]]
		case d == 0 && m == 0 && isWeekday(named):
		default:
			return 0, 0, 0, "", false
		}
	}
	return 0, 0, 0, "", false
}

// isWeekday tells whether a word may be the name of a day of the week, or the beginning of one.
func isWeekday(word string) bool {
	for name := range strings.FieldsSeq("monday tuesday wednesday thursday friday saturday sunday " +
		"montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche " +
		"lunes martes miercoles jueves viernes sabado domingo") {
		if len(word) >= 2 && strings.HasPrefix(name, word) && months[word] == 0 {
			return true
		}
	}
	return false
}

// clocks are the fashions in which a time of the day is written.
var clocks = []string{
	"15:04:05.999999999Z07:00", "15:04:05Z07:00", "15:04Z07:00", "15:04:05.999999999 -0700", "15:04:05.999999999-0700",
	"15:04 -0700", "15:04:05.999999999", "15:04:05", "15:04", "3:04:05 PM", "3:04 PM",
}

// time reads a time. One that does not say where it is, is where the style says.
func (s Style) time(given string) (string, error) {
	if t, err := time.Parse(time.RFC3339Nano, given); err == nil {
		return t.UTC().Format(time.RFC3339Nano), nil
	}
	day, rest, err := s.day(given)
	if err != nil {
		return "", err
	}
	zone := s.Zone
	if zone == nil {
		zone = time.UTC
	}
	if rest = strings.ToUpper(strings.TrimSpace(rest)); rest == "" {
		rest = "00:00"
	}
	for name, offset := range map[string]string{" UTC": "Z", " GMT": "Z", " UHR": ""} {
		if clock, ok := strings.CutSuffix(rest, name); ok {
			rest = clock + offset
		}
	}
	for _, clock := range clocks {
		if t, err := time.ParseInLocation(time.DateOnly+" "+clock, day+" "+rest, zone); err == nil {
			return t.UTC().Format(time.RFC3339Nano), nil
		}
	}
	return "", errors.New("must be a time such as 2026-11-16 14:30, not " + problem.Quote(given))
}
