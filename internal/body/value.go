package body

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// Limits of texts and lists, in characters and items.
const (
	MaxText     = 255
	MaxLongText = 65_536
	MaxTags     = 100
	MaxItems    = 200
	maxSafe     = 1<<53 - 1
)

// Wrong says why a value was not taken.
type Wrong struct {
	Code, Message string
	Allowed       []string
}

func wrongType(want string, n Node) *Wrong {
	return &Wrong{Code: "wrong_type", Message: "must be " + want + ", not " + n.Kind.Name()}
}

// Scalar reads one value of a leaf. Null and the empty string are absent. For a list leaf it reads one item.
func Scalar(n Node, l *schema.Leaf) (schema.Value, *Wrong) {
	none := schema.Absent(l.Kind)
	if n.Kind == Null {
		return none, nil
	}
	if n.Kind == String {
		if strings.IndexByte(n.Text, 0) >= 0 {
			return none, &Wrong{Code: "invalid_characters", Message: "must not contain the NUL character"}
		}
		if n.Text == "" {
			return none, nil
		}
	}
	switch l.Kind {
	case schema.Text, schema.LongText, schema.Tags:
		return text(n, l)
	case schema.Choice, schema.Choices:
		if n.Kind != String {
			return none, wrongType("a string", n)
		}
		if !slices.Contains(l.Options, n.Text) {
			return none, &Wrong{Code: "not_allowed", Message: notAmong(n.Text, l.Options), Allowed: l.Options}
		}
		return schema.TextValue(l.Kind, n.Text), nil
	case schema.Bool:
		if n.Kind != Bool {
			return none, wrongType("true or false", n)
		}
		return schema.BoolValue(n.Text == "true"), nil
	case schema.Integer:
		return integer(n, l)
	case schema.Number:
		return number(n, l)
	case schema.Money, schema.Quantity, schema.Percent:
		return decimal(n, l)
	case schema.Date:
		if n.Kind != String {
			return none, wrongType("a date such as \"2026-11-30\"", n)
		}
		t, err := time.Parse(time.DateOnly, n.Text)
		if err != nil || t.Year() < 1 {
			return none, &Wrong{Code: "invalid_date", Message: "must be an existing date in the form YYYY-MM-DD"}
		}
		return schema.DateValue(t), nil
	case schema.Time:
		return instant(n)
	case schema.ID:
		if n.Kind != String {
			return none, wrongType("an id", n)
		}
		id, err := schema.ParseID(l.IDPrefix, n.Text)
		if err != nil {
			return none, &Wrong{Code: "invalid_id", Message: "must be an id that starts with " + l.IDPrefix + "_"}
		}
		return schema.IDValue(id), nil
	default:
		return none, &Wrong{Code: "wrong_type", Message: "does not take a single value"}
	}
}

// mostListed is how many choices a message lists; longer lists are in allowed alone.
const mostListed = 12

// notAmong says that a text is none of those that are possible.
func notAmong(text string, options []string) string {
	if len(options) > mostListed {
		return problem.Quote(text) + " is none of those that are possible" + problem.DidYouMean(text, options)
	}
	return "must be one of " + strings.Join(options, ", ") + ", not " + problem.Quote(text) + problem.DidYouMean(text, options)
}

// Longest is how many characters a text of a leaf may have, or an item where it is a list.
func Longest(l *schema.Leaf) int64 {
	switch {
	case l.Max != nil:
		return *l.Max
	case l.Kind == schema.LongText:
		return MaxLongText
	default:
		return MaxText
	}
}

// text reads a text. What surrounds one line is white space that nobody meant; texts of several lines are kept as they are.
func text(n Node, l *schema.Leaf) (schema.Value, *Wrong) {
	none := schema.Absent(l.Kind)
	if n.Kind != String {
		return none, wrongType("a string", n)
	}
	given := n.Text
	if l.Kind != schema.LongText {
		if given = strings.TrimSpace(given); given == "" {
			return none, nil
		}
	}
	if longest := Longest(l); int64(utf8.RuneCountInString(given)) > longest {
		return none, &Wrong{Code: "too_long", Message: "must have at most " + strconv.FormatInt(longest, 10) + " characters"}
	}
	if l.Kind != schema.LongText && strings.ContainsFunc(given, unicode.IsControl) {
		return none, &Wrong{Code: "invalid_characters", Message: "must be one line without control characters"}
	}
	if l.Format == schema.RecordID {
		return recordID(given, l)
	}
	normal, wrong := l.Format.Normalize(given)
	if wrong != "" {
		return none, &Wrong{Code: "invalid_format", Message: wrong}
	}
	return schema.TextValue(l.Kind, normal), nil
}

// recordID reads the id of a record of one of the resources that the leaf allows.
func recordID(given string, l *schema.Leaf) (schema.Value, *Wrong) {
	resource, _, err := schema.RecordOf(given)
	if err != nil || !slices.Contains(l.Ref.Among, resource) {
		return schema.Absent(l.Kind), &Wrong{
			Code:    "invalid_id",
			Message: "must be an id that starts with one of " + strings.Join(l.Ref.Among, "_, ") + "_", Allowed: l.Ref.Among,
		}
	}
	return schema.TextValue(l.Kind, given), nil
}

// bounds checks a number against the declaration; one is what the declaration's 1 is in units of n.
func bounds(n, one int64, l *schema.Leaf) *Wrong {
	low, high := l.Min, l.Max
	if (low == nil || n >= *low*one) && (high == nil || n <= *high*one) {
		return nil
	}
	var message string
	switch {
	case high == nil:
		message = "must be at least " + strconv.FormatInt(*low, 10)
	case low == nil:
		message = "must be at most " + strconv.FormatInt(*high, 10)
	default:
		message = "must be from " + strconv.FormatInt(*low, 10) + " to " + strconv.FormatInt(*high, 10)
	}
	return &Wrong{Code: "out_of_range", Message: message}
}

func integer(n Node, l *schema.Leaf) (schema.Value, *Wrong) {
	none := schema.Absent(l.Kind)
	if n.Kind != Number {
		return none, wrongType("a whole number", n)
	}
	i, err := strconv.ParseInt(n.Text, 10, 64)
	if err != nil { // it may still be whole: 5.0, 1e3
		d, err := schema.ParseDecimal(n.Text)
		f, tooLarge := strconv.ParseFloat(n.Text, 64)
		switch {
		case errors.Is(err, schema.ErrDecimalPlaces), err == nil && d%schema.DecimalOne != 0, tooLarge == nil && f != math.Trunc(f):
			return none, &Wrong{Code: "wrong_type", Message: "must be a whole number"}
		case err == nil:
			i = d / schema.DecimalOne
		case tooLarge != nil || math.Abs(f) > maxSafe:
			return none, &Wrong{Code: "out_of_range", Message: "must be a whole number of at most 15 digits"}
		default:
			i = int64(f)
		}
	}
	if i > maxSafe || i < -maxSafe {
		return none, &Wrong{Code: "out_of_range", Message: "must be a whole number of at most 15 digits"}
	}
	return schema.IntValue(l.Kind, i), bounds(i, 1, l)
}

func number(n Node, l *schema.Leaf) (schema.Value, *Wrong) {
	none := schema.Absent(l.Kind)
	if n.Kind != Number {
		return none, wrongType("a number", n)
	}
	f, err := strconv.ParseFloat(n.Text, 64)
	if err != nil {
		return none, &Wrong{Code: "out_of_range", Message: "must be a number that fits 64-bit floating point"}
	}
	switch {
	case l.Min != nil && f < float64(*l.Min):
		return none, bounds(*l.Min-1, 1, l)
	case l.Max != nil && f > float64(*l.Max):
		return none, bounds(*l.Max+1, 1, l)
	}
	return schema.FloatValue(f), nil
}

func decimal(n Node, l *schema.Leaf) (schema.Value, *Wrong) {
	none := schema.Absent(l.Kind)
	if n.Kind != Number && (n.Kind != String || l.Kind == schema.Percent) {
		if l.Kind == schema.Percent {
			return none, wrongType("a number", n)
		}
		return none, wrongType("a decimal number, as a string or a number", n)
	}
	d, err := schema.ParseDecimal(n.Text)
	switch {
	case errors.Is(err, schema.ErrNotDecimal):
		return none, &Wrong{Code: "invalid_format", Message: "must be a decimal number such as \"1250.50\""}
	case errors.Is(err, schema.ErrDecimalPlaces):
		return none, &Wrong{Code: "out_of_range", Message: "must have at most 4 decimal places"}
	case err != nil:
		return none, &Wrong{Code: "out_of_range", Message: "must have at most 14 digits before the decimal point"}
	}
	return schema.IntValue(l.Kind, d), bounds(d, schema.DecimalOne, l)
}

// timeForm is RFC 3339 to the letter: time.Parse alone also takes hours of one digit and commas.
var timeForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

func instant(n Node) (schema.Value, *Wrong) {
	none := schema.Absent(schema.Time)
	if n.Kind != String {
		return none, wrongType("a time such as \"2026-11-30T09:00:00Z\"", n)
	}
	t, err := time.Parse(time.DateOnly, n.Text)
	if err != nil && timeForm.MatchString(n.Text) {
		t, err = time.Parse(time.RFC3339Nano, n.Text)
	}
	if t = t.UTC(); err != nil || t.Year() < 1 || t.Year() > 9999 {
		return none, &Wrong{Code: "invalid_time", Message: "must be an existing time in RFC 3339 form such as 2026-11-30T09:00:00Z, or a " +
			"date, which means the start of that day, UTC"}
	}
	return schema.TimeValue(t), nil
}

// Changes is what a body asks to set. Values and Given have an entry for each leaf of the shape.
type Changes struct {
	*schema.Shape
	Given  []bool
	Values []schema.Value
	// Documents holds Document fields as they came, for the domain to merge and check.
	Documents map[string]Node
}

// Has tells whether the body gave a leaf.
func (c *Changes) Has(l *schema.Leaf) bool { return c.Given[c.Index(l)] }

// Get reads a given value; it is absent where the body did not give it.
func (c *Changes) Get(l *schema.Leaf) schema.Value { return c.Values[c.Index(l)] }

// Without gives the same without one field.
func (c *Changes) Without(l *schema.Leaf) *Changes {
	less := *c
	less.Given, less.Values = slices.Clone(c.Given), slices.Clone(c.Values)
	less.Given[c.Index(l)], less.Values[c.Index(l)] = false, schema.Absent(l.Kind)
	return &less
}

// Decode reads an object against a shape. It reports every wrong field, each under prefix.
func Decode(n Node, s *schema.Shape, creating bool, prefix string, wrong *problem.Fields) *Changes {
	c := &Changes{Shape: s, Given: make([]bool, len(s.Leaves)), Values: make([]schema.Value, len(s.Leaves))}
	for i, l := range s.Leaves {
		c.Values[i].Kind = l.Kind
	}
	var allowed []string // what can be written, once somebody has to be told
	for _, m := range n.Members {
		path := prefix + m.Name
		f := s.Field(m.Name)
		switch {
		case m.Again:
			wrong.Add(path, "duplicate_key", "is given more than once")
		case f == nil || f.Writing.BinOnly:
			if allowed == nil && !wrong.Full() {
				allowed = writable(s)
			}
			wrong.Add(path, "unknown_field", "is not a field of this resource"+meant(m.Name, allowed, wrong), allowed...)
		case f.ReadOnly:
			wrong.Add(path, "read_only", "cannot be written"+setBy(f))
		case f.Writing.Immutable && !creating:
			wrong.Add(path, "immutable", "can be given only at creation")
		case f.Kind == schema.Group:
			c.decodeGroup(m.Value, f, path, wrong)
		default:
			c.decodeLeaf(m.Value, s.Leaf(f.Name), path, wrong)
		}
	}
	return c
}

// meant names the field that somebody may have meant, as long as anyone is told.
func meant(name string, known []string, wrong *problem.Fields) string {
	if wrong.Full() {
		return ""
	}
	return problem.DidYouMean(name, known)
}

// setBy says which actions change a field that cannot be written.
func setBy(f *schema.Field) string {
	switch n := len(f.Writing.SetBy); n {
	case 0:
		return ""
	case 1:
		return "; POST …/{id}/" + f.Writing.SetBy[0] + " sets it"
	default:
		return "; POST …/{id}/" + strings.Join(f.Writing.SetBy[:n-1], ", …/{id}/") + " or …/{id}/" + f.Writing.SetBy[n-1] + " changes it"
	}
}

func writable(s *schema.Shape) []string {
	var names []string
	for _, f := range s.Tree {
		if !f.ReadOnly && !f.Writing.BinOnly {
			names = append(names, f.Name)
		}
	}
	return names
}

func (c *Changes) decodeGroup(n Node, f *schema.Field, path string, wrong *problem.Fields) {
	switch n.Kind {
	case Null:
		for _, l := range c.Group(f) {
			c.Given[l.Index] = true
			if l.Required {
				wrong.Add(path+"."+l.Name, "required", "must not be empty")
			}
		}
	case Object:
		for _, m := range n.Members {
			l := c.Leaf(f.Name + "." + m.Name)
			switch {
			case m.Again:
				wrong.Add(path+"."+m.Name, "duplicate_key", "is given more than once")
			case l == nil:
				var names []string
				for i := 0; i < len(f.Fields) && !wrong.Full(); i++ {
					names = append(names, f.Fields[i].Name)
				}
				wrong.Add(path+"."+m.Name, "unknown_field", "is not a field of "+f.Name+meant(m.Name, names, wrong), names...)
			default:
				c.decodeLeaf(m.Value, l, path+"."+m.Name, wrong)
			}
		}
	default:
		w := wrongType("an object", n)
		wrong.Add(path, w.Code, w.Message)
	}
}

func (c *Changes) decodeLeaf(n Node, l *schema.Leaf, path string, wrong *problem.Fields) {
	var v schema.Value
	var w *Wrong
	switch l.Kind {
	case schema.Tags, schema.Choices:
		v, w = list(n, l, path, wrong)
	case schema.List:
		v, w = c.items(n, l, path, wrong)
	case schema.Document:
		v = schema.Absent(l.Kind)
		if n.Kind != Object && n.Kind != Null && !l.Free {
			w = wrongType("an object", n)
			break
		}
		reportDuplicates(n, []string{path}, wrong)
		if c.Documents == nil {
			c.Documents = map[string]Node{}
		}
		c.Documents[l.Path] = n
	default:
		v, w = Scalar(n, l)
	}
	if w != nil {
		wrong.Add(path, w.Code, w.Message, w.Allowed...)
		return
	}
	if !v.Set && l.Required && !l.Derived && l.Kind != schema.Document && !wrong.Has(path) {
		wrong.Add(path, "required", "must not be empty")
		return
	}
	c.Given[l.Index] = true
	c.Values[l.Index] = v
}

// Value reads a value of a leaf, be it single or a list.
func Value(n Node, l *schema.Leaf) (schema.Value, *Wrong) {
	if l.Kind != schema.Tags && l.Kind != schema.Choices {
		return Scalar(n, l)
	}
	var wrong problem.Fields
	v, w := list(n, l, l.Path, &wrong)
	if w == nil && len(wrong) > 0 {
		w = &Wrong{Code: wrong[0].Code, Message: wrong[0].Message, Allowed: wrong[0].Allowed}
	}
	return v, w
}

// list reads tags and choices: no item twice, kept as a JSON array.
func list(n Node, l *schema.Leaf, path string, wrong *problem.Fields) (schema.Value, *Wrong) {
	none := schema.Absent(l.Kind)
	if n.Kind == Null {
		return none, nil
	}
	if n.Kind != Array {
		return none, wrongType("an array of strings", n)
	}
	if len(n.Items) > MaxTags {
		return none, &Wrong{Code: "too_many", Message: "must have at most " + strconv.Itoa(MaxTags) + " items"}
	}
	var seen []string
	doc := []byte{'['}
	for i, item := range n.Items {
		v, w := Scalar(item, l)
		if w == nil && !v.Set {
			w = &Wrong{Code: "required", Message: "must not be empty"}
		}
		if w != nil {
			wrong.Add(path+"["+strconv.Itoa(i)+"]", w.Code, w.Message, w.Allowed...)
			continue
		}
		if slices.Contains(seen, v.S) {
			continue
		}
		if len(seen) > 0 {
			doc = append(doc, ',')
		}
		seen = append(seen, v.S)
		doc = schema.AppendString(doc, v.S)
	}
	if len(seen) == 0 {
		return none, nil
	}
	return schema.TextValue(l.Kind, string(append(doc, ']'))), nil
}

// items reads a list of objects and keeps it as the JSON of its checked items.
func (c *Changes) items(n Node, l *schema.Leaf, path string, wrong *problem.Fields) (schema.Value, *Wrong) {
	none := schema.Absent(l.Kind)
	if n.Kind == Null {
		return none, nil
	}
	if n.Kind != Array {
		return none, wrongType("an array of objects", n)
	}
	if len(n.Items) > MaxItems {
		return none, &Wrong{Code: "too_many", Message: "must have at most " + strconv.Itoa(MaxItems) + " items"}
	}
	inner := c.Inner[l.Name]
	var records []*schema.Record
	for i, item := range n.Items {
		at := path + "[" + strconv.Itoa(i) + "]"
		if item.Kind != Object {
			w := wrongType("an object", item)
			wrong.Add(at, w.Code, w.Message)
			continue
		}
		changes := Decode(item, inner, true, at+".", wrong)
		for j, l := range inner.Leaves {
			if l.Required && !changes.Given[j] && !wrong.Has(at+"."+l.Path) {
				wrong.Add(at+"."+l.Path, "required", "must be given")
			}
		}
		records = append(records, &schema.Record{Shape: inner, Values: changes.Values})
	}
	if len(records) == 0 {
		return none, nil
	}
	return schema.TextValue(l.Kind, string(schema.AppendList(nil, records))), nil
}

// Items reads back the items of a stored List value.
func Items(v schema.Value, s *schema.Shape) ([]*schema.Record, error) {
	if !v.Set {
		return nil, nil
	}
	n, err := Parse([]byte(v.S))
	if err != nil {
		return nil, err
	}
	records := make([]*schema.Record, 0, len(n.Items))
	for _, item := range n.Items {
		r := schema.NewRecord(s)
		for _, m := range item.Members {
			l := s.Leaf(m.Name)
			if l == nil {
				continue // written by a newer version that knows more
			}
			v, w := Scalar(m.Value, l)
			if w != nil {
				return nil, errors.New(l.Path + ": " + w.Message)
			}
			r.Values[l.Index] = v
		}
		records = append(records, r)
	}
	return records, nil
}

// Strings reads back the items of a stored Tags or Choices value.
func Strings(v schema.Value) []string {
	n, err := Parse([]byte(v.S))
	if err != nil || n == nil {
		return nil
	}
	texts := make([]string, len(n.Items))
	for i, item := range n.Items {
		texts[i] = item.Text
	}
	return texts
}

// reportDuplicates names the keys that stand twice in a document.
func reportDuplicates(n Node, path []string, wrong *problem.Fields) {
	for _, m := range n.Members {
		inside := append(path, m.Name)
		if m.Again && !wrong.Full() {
			wrong.Add(strings.Join(inside, "."), "duplicate_key", "is given more than once")
		}
		reportDuplicates(m.Value, inside, wrong)
	}
}
