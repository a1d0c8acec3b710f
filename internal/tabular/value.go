package tabular

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// Style is how numbers and days are written in a file.
type Style struct {
	// Comma tells that decimals follow a comma: 1.234,56.
	Comma bool
	// Days tells what comes first in 03/04/2026: "dmy", "mdy", or empty where nobody knows.
	Days string
	// Zone is where times are that do not say it.
	Zone *time.Location
	// Format is that of the file, which tells whether texts in it were defused.
	Format string
}

// Survey looks through the cells of a file, or of a column, for what tells its style: how many have it.
type Survey struct {
	Commas     int `json:"c,omitzero"`
	Points     int `json:"p,omitzero"`
	DayFirst   int `json:"d,omitzero"`
	MonthFirst int `json:"m,omitzero"`
	// Filled is how many cells have something in them, and IDs how many of these are ids as kith writes them.
	Filled int `json:"f,omitzero"`
	IDs    int `json:"i,omitzero"`
}

// Note notes what a cell tells, of whatever kind its values are.
func (s *Survey) Note(cell string) {
	if cell = strings.TrimSpace(cell); cell == "" {
		return
	}
	s.Filled++
	if prefix, id, found := strings.Cut(cell[max(0, strings.LastIndexByte(cell, '_')):], "_"); found && prefix == "" && len(id) == 26 {
		s.IDs++
	}
	s.Look(schema.Date, cell)
	s.Look(schema.Number, cell)
}

// longestWritten is how many bytes a number or a day has at most, however it is written: what is longer is neither, and not looked at.
const longestWritten = 256

// Add puts what another survey saw to it.
func (s *Survey) Add(other Survey) {
	s.Commas += other.Commas
	s.Points += other.Points
	s.DayFirst += other.DayFirst
	s.MonthFirst += other.MonthFirst
	s.Filled += other.Filled
	s.IDs += other.IDs
}

// Look notes what a cell tells. Only cells with values that are numbers or days are to be looked at.
func (s *Survey) Look(k schema.Kind, text string) {
	switch {
	case len(text) > longestWritten:
	case k == schema.Date || k == schema.Time:
		a, b, _, sep, ok := threeNumbers(text)
		switch {
		case !ok || sep != '/' && sep != '-':
		case a > 12 && a <= 31:
			s.DayFirst++
		case b > 12 && b <= 31:
			s.MonthFirst++
		}
	case k == schema.Number || k == schema.Integer || k.Decimal():
		text = strings.Trim(text, " €$£%\u00a0'")
		comma, point := strings.LastIndexByte(text, ','), strings.LastIndexByte(text, '.')
		switch behind := len(text) - 1; {
		case comma >= 0 && point >= 0: // the last one is before the decimals
			if comma > point {
				s.Commas++
			} else {
				s.Points++
			}
		case comma >= 0 && behind-comma != 3: // which are no thousands
			s.Commas++
		case point >= 0 && behind-point != 3:
			s.Points++
		}
	}
}

// Style is what the cells told. Where they tell nothing, a table with semicolons has decimals that follow a comma.
func (s *Survey) Style(d Dialect) Style {
	style := Style{Comma: s.Commas > s.Points || s.Commas == s.Points && d.Delimiter == ';', Zone: time.UTC, Format: d.Format}
	if d.Format == Workbook { // whose numbers are written with a point, whatever a text in it says
		style.Comma = false
	}
	switch {
	case s.DayFirst > 0 && s.MonthFirst == 0:
		style.Days = "dmy"
	case s.MonthFirst > 0 && s.DayFirst == 0:
		style.Days = "mdy"
	}
	return style
}

// threeNumbers reads a day that is written with numbers alone, and the mark between them.
func threeNumbers(text string) (a, b, c int, sep byte, ok bool) {
	text, _, _ = strings.Cut(strings.TrimSpace(text), " ")
	at := strings.IndexAny(text, "./-")
	if at < 0 {
		return 0, 0, 0, 0, false
	}
	sep = text[at]
	parts := strings.Split(strings.TrimSuffix(text, "."), string(sep))
	if len(parts) != 3 {
		return 0, 0, 0, 0, false
	}
	var n [3]int
	for i, part := range parts {
		number, err := strconv.Atoi(part)
		if err != nil || number < 0 || len(part) > 4 {
			return 0, 0, 0, 0, false
		}
		n[i] = number
	}
	return n[0], n[1], n[2], sep, true
}

// Armed is a text as it was before it was defused for a file: in a workbook, where texts are marked as such, none is.
func (s Style) Armed(text string) string {
	if s.Format == Workbook {
		return text
	}
	return Arm(text)
}

// Empty tells whether a cell has no value of a field. A text of several lines is what it is, and if it is white space alone.
func Empty(l *schema.Leaf, text string) bool {
	return text == "" || l.Kind != schema.LongText && strings.TrimSpace(text) == ""
}

// Read gives the text of a cell as the JSON value of a field. An empty cell is null. own says that the column is called as we call it
// ourselves, so that what looks like the fashion of another program is a part of the text.
func (s Style) Read(l *schema.Leaf, text string, own bool) (body.Node, error) {
	if Empty(l, text) {
		return body.Node{Kind: body.Null}, nil
	}
	if s.Format == Workbook && wasCut(text) {
		return body.Node{}, fmt.Errorf("has %d characters and ends in %s, so it was cut to what a cell of a workbook holds; "+
			"take it from a csv or jsonl file", MaxCellText, cutMark)
	}
	str := func(text string) body.Node { return body.Node{Kind: body.String, Text: text} }
	if l.Kind == schema.LongText {
		return str(s.Armed(text)), nil
	}
	text = strings.TrimSpace(text)
	switch l.Kind {
	case schema.Bool:
		truth, ok := truths[strings.ToLower(text)]
		if !ok {
			return body.Node{}, errors.New("must be yes or no, not " + problem.Quote(text))
		}
		return body.Node{Kind: body.Bool, Text: strconv.FormatBool(truth)}, nil
	case schema.Integer, schema.Number, schema.Percent:
		number, err := s.number(text)
		return body.Node{Kind: body.Number, Text: number}, err
	case schema.Money, schema.Quantity:
		number, err := s.number(text)
		return str(number), err
	case schema.Date:
		day, _, err := s.day(text)
		return str(day), err
	case schema.Time:
		at, err := s.time(text)
		return str(at), err
	case schema.Choice:
		return str(option(l, s.Armed(text))), nil
	case schema.Tags, schema.Choices:
		return words(l, s.Armed(text))
	case schema.List, schema.Document:
		n, err := body.Parse([]byte(text))
		if err != nil || n == nil {
			return body.Node{}, errors.New("must be JSON")
		}
		return *n, nil
	default:
		text = s.Armed(text)
		if l.Format == schema.URL && siteForm.MatchString(text) {
			text = "https://" + text
		}
		if own {
			return str(text), nil
		}
		if l.File.Joined {
			text = inOneLine(text)
		}
		text, _, _ = strings.Cut(text, severalValues)
		return str(text), nil
	}
}

// siteForm is an address as people write it, without its scheme: www.example.com/shop.
var siteForm = regexp.MustCompile(`^[\pL\pN][\pL\pN-]*(\.[\pL\pN-]+)+(:\d+)?([/?#]\S*)?$`)

// option is the option that a text means, by its value or by what people see of it, or the text itself where it is none.
func option(l *schema.Leaf, text string) string {
	if slices.Contains(l.Options, text) {
		return text
	}
	if at := slices.IndexFunc(l.Options, func(value string) bool { return strings.EqualFold(value, text) }); at >= 0 {
		return l.Options[at]
	}
	for i, value := range l.Options {
		if strings.EqualFold(schema.InWords(value), text) || i < len(l.OptionLabels) && strings.EqualFold(l.OptionLabels[i], text) {
			return value
		}
	}
	return text
}

// severalValues stands between several values in files of Google's, and groupMark before its groups. One value is the first.
const (
	severalValues = " " + severalMark + " "
	severalMark   = ":::"
	groupMark     = "* "
)

var truths = map[string]bool{
	"true": true, "yes": true, "y": true, "1": true, "x": true, "ja": true, "wahr": true, "oui": true, "si": true, "on": true,
	"false": false, "no": false, "n": false, "0": false, "nein": false, "falsch": false, "non": false, "off": false,
}

// words reads a list of words: a JSON array, or what stands between commas, semicolons or bars.
func words(l *schema.Leaf, text string) (body.Node, error) {
	list := body.Node{Kind: body.Array}
	if strings.HasPrefix(text, "[") {
		n, err := body.Parse([]byte(text))
		if err != nil || n == nil || n.Kind != body.Array {
			return list, errors.New("must be words between commas, or a JSON array")
		}
		return *n, nil
	}
	text = strings.ReplaceAll(text, severalValues, "|")
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == '|' || r == '\n' }) {
		if word = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(word), groupMark)); word == "" {
			continue
		}
		list.Items = append(list.Items, body.Node{Kind: body.String, Text: option(l, word)})
	}
	return list, nil
}
