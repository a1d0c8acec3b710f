package exchange

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/tabular"
)

// Which column is which field follows from what it is called: the path of a field, as an export writes it, or else its label or
// what other programs call it (elsewhere.go). Names of columns have more in them than that: whose field it is
// (Deal - Title), which of several (E-mail 2 - Value), and of what kind (Business Phone). Of columns that would be the same field,
// the one that is called most like it and has something in it is read.

// importColumn is what is done with the cells of a column.
type importColumn struct {
	name string
	// leaf is the field that they are values of; with by it is a reference, and they are values of that field of what it leads to.
	leaf, by *schema.Leaf
	// through is the field that it was called, where that follows from what the reference leads to.
	through *schema.Leaf
	// fresh is the name of the new field that they are values of, while it is not there.
	fresh string
	// why tells why they are not read.
	why string
	// far tells how far the name of the column is from that of the field; 0 where somebody said which it is, or it is the field's path.
	far int
}

// field names the field that the cells of a column are values of, or is empty.
func (c importColumn) field() string {
	switch {
	case c.through != nil:
		return c.through.Path
	case c.by != nil:
		return c.leaf.RefersAs() + "." + c.by.Path
	case c.leaf != nil:
		return c.leaf.Path
	case c.fresh != "":
		return record.CustomPath(c.fresh)
	}
	return ""
}

// Columns tells what each column is: its name, and the field or why it is not read.
func (im *Import) Columns() (told [][2]string) {
	for _, c := range im.columns {
		what := c.field()
		if what == "" {
			what = c.why
		}
		told = append(told, [2]string{c.name, what})
	}
	return told
}

// readColumns finds out what the columns are.
func (im *Import) readColumns(head []string, wrong *problem.Fields) {
	var names columnNames
	for i, name := range head {
		if names == nil {
			names = im.names()
		}
		im.columns = append(im.columns, im.column(i, name, names))
	}
	im.best()
	im.once(wrong)
	for i, c := range im.columns {
		if c.leaf != nil || c.why != "" {
			continue
		}
		switch path, given := im.options.Map[c.name]; {
		case given:
			wrong.Add("map."+c.name, "unknown_field",
				"must be a field of "+im.kind.Name+" that can be written, or - for none, not "+problem.Quote(path))
		case im.options.Map[everyOther] == ignored:
			im.columns[i].why = "not read"
		case im.empty(i):
			im.columns[i].why = "not read: it is empty"
		case im.explains(c.name):
			im.columns[i].why = "not read: it tells of the columns beside it"
		default:
			wrong.Add("map."+c.name, "required", "is a column that is no field of "+im.kind.Name+"; say which it is, or - for none")
		}
	}
}

// explains tells of a column that it only says of what kind another is, or says it again: Google's Phone 1 - Label beside Phone 1 - Value.
func (im *Import) explains(name string) bool {
	for _, what := range []string{"Label", "Type", "Formatted"} {
		if of, ok := strings.CutSuffix(name, "- "+what); ok {
			return slices.ContainsFunc(im.columns, func(c importColumn) bool {
				return c.name != name && strings.HasPrefix(c.name, of+"- ") && (c.leaf != nil || c.why != "")
			})
		}
	}
	return false
}

// looked tells whether it is known what is in the columns. Of files from before that was noted it is not.
func (im *Import) looked() bool {
	return slices.ContainsFunc(im.seen, func(s tabular.Survey) bool { return s.Filled > 0 })
}

// empty tells of a column that nothing is in it.
func (im *Import) empty(i int) bool {
	return im.looked() && (i >= len(im.seen) || im.seen[i].Filled == 0)
}

// foreign tells of a column of ids that they are those of another program.
func (im *Import) foreign(i int) bool {
	return im.looked() && i < len(im.seen) && im.seen[i].Filled > 0 && im.seen[i].IDs == 0
}

// column finds out what a column is.
func (im *Import) column(i int, name string, names columnNames) importColumn {
	c := importColumn{name: name}
	path, given := im.options.Map[name]
	switch {
	case path == ignored:
		c.why = "not read"
		return c
	case given && im.fresh(name, path) != "":
		c.fresh, c.why = im.fresh(name, path), newFieldSaid
		return c
	case given:
		im.resolve(&c, path)
		return c
	case name == ImportError:
		c.why = "not read: why the row was refused"
		return c
	}
	if im.resolve(&c, name); c.leaf == nil && c.why == "" {
		if c.fresh = im.fresh(name, ""); c.fresh != "" {
			c.why = newFieldSaid
			return c
		}
		path, far := im.called(name, names)
		if im.resolve(&c, path); c.leaf != nil {
			c.far = far + 1
		}
	}
	if c.leaf != nil && c.by == nil && c.leaf.Kind == schema.ID && im.foreign(i) { // which another program gave
		external := im.kind.Common.ExternalID.Path
		if c.leaf != im.kind.Common.ID {
			external = c.leaf.RefersAs() + "." + external
		}
		c.leaf = nil
		if im.resolve(&c, external); c.leaf != nil {
			c.far += foreignFar
		}
	}
	return c
}

// How far a column is from a field whose ids are those of another program, and how much further one is that is empty.
const (
	foreignFar = 20
	emptyFar   = 100
)

// newFieldSaid is what is said of a column whose field is made on the way.
const newFieldSaid = "a new field"

// best leaves of the columns that were taken for the same field, or lead to the same record, the one that is nearest.
func (im *Import) best() {
	is := func(c importColumn) *schema.Leaf {
		if c.by != nil && c.by.Kind == schema.Choice {
			return c.by // of what a reference leads to, which others find
		}
		return c.leaf
	}
	distance := func(i int) int {
		far := im.columns[i].far
		if far > 0 && im.empty(i) {
			far += emptyFar
		}
		return far
	}
	nearest := map[*schema.Leaf]int{}
	for i, c := range im.columns {
		if c.leaf == nil {
			continue
		}
		if before, again := nearest[is(c)]; !again || distance(i) < distance(before) {
			nearest[is(c)] = i
		}
	}
	for i, c := range im.columns {
		if c.leaf != nil && c.far > 0 && nearest[is(c)] != i {
			im.columns[i] = importColumn{name: c.name, why: "not read: the column " + im.columns[nearest[is(c)]].name + " is read for it"}
		}
	}
}

// once lets no two columns be the same field. The name beside an id is read where the id is empty.
func (im *Import) once(wrong *problem.Fields) {
	seen := map[string]string{}
	for _, c := range im.columns {
		is := c.field()
		if is == "" {
			continue
		}
		if before, again := seen[is]; again {
			wrong.Add("map."+c.name, "not_allowed", "would be the same field as the column "+before+"; map one of them to -")
		}
		seen[is] = c.name
	}
}

// resolve finds the field that a path names, where it can be written.
func (im *Import) resolve(c *importColumn, path string) {
	if path == "" {
		return
	}
	if l := im.res.Leaf(path); l != nil && !l.Writing.BinOnly {
		switch {
		case l == im.kind.Common.ID:
			if im.options.Policy == ImportCreate && im.match != l {
				c.why = "not read: records are made anew"
				return
			}
			c.leaf = l
		case l.ReadOnly && l.File.Through != "":
			if im.resolve(c, l.File.Through); c.leaf != nil {
				c.through = l
			}
		case l.ReadOnly:
			c.why = "not read: it cannot be written"
		case l.Kind == schema.List && im.options.Map[c.name] == "":
			c.why = "not read: a list, unless it is mapped"
		default:
			c.leaf = l
		}
		return
	}
	via, rest := im.res.Follow(path)
	if via == nil {
		if via = im.res.Reference(path); via == nil || via.RefersAs() == via.Path {
			return
		}
	}
	if via.ReadOnly {
		c.why = "not read: the id beside it tells"
		return
	}
	by := im.namedBy(via, rest)
	if by == nil {
		c.why = "not read: no record is found by it"
		return
	}
	c.leaf, c.by = via, by
}

// namedBy is the field by which what a reference leads to is found: by its path or, where that is empty, its name; else nil.
func (im *Import) namedBy(via *schema.Leaf, path string) *schema.Leaf {
	if via.ListItem != nil {
		if path == "" {
			path = schema.NameField
		}
		if by := via.ListItem.Leaf(path); by != nil && (path == schema.NameField || by.Kind == schema.Choice) {
			return by
		}
		return nil
	}
	if path == "" && len(via.Target.Names) > 0 {
		return via.Target.Names[0]
	}
	shaped := im.who.Shaped(via.Target)
	by := shaped.Leaf(path)
	if by != nil && (slices.Contains(via.Target.Names, by) || slices.Contains(record.KindOf(via.Target.Name).Matchable(shaped), by)) {
		return by
	}
	return nil
}

// columnNames are the paths of fields by what columns are called that are such, as plain names. Those that are called so first have it.
type columnNames map[string]columnMeaning

type columnMeaning struct {
	path string
	far  int
}

func (n columnNames) add(name, path string, far int) {
	if had, there := n[name]; name != "" && (!there || far < had.far) {
		n[name] = columnMeaning{path, far}
	}
}

// plainName is a name without what people write differently.
func plainName(name string) string {
	return strings.Join(strings.FieldsFunc(query.Fold(name),
		func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') }), "_")
}

// namesOf are what a field is called: its path and label, and what others call it.
func namesOf(l *schema.Leaf) []string {
	return append([]string{plainName(l.Path), plainName(l.Label), plainName(l.Name)}, fieldElsewhere(l)...)
}

// names are all that the fields of the resource are called, and what its references lead to.
func (im *Import) names() columnNames {
	names := columnNames{}
	for _, l := range im.res.Leaves {
		if l.Writing.BinOnly {
			continue
		}
		if _, shape, _ := l.Referred(); shape != nil && !l.ReadOnly {
			names.add(plainName(l.Path), l.Path, 0)
			im.addReference(names, l)
			continue
		}
		for i, name := range namesOf(l) {
			names.add(name, l.Path, min(i, 3)/3)
			if l.Of != nil && l.Of.Kind == schema.Group {
				names.add(plainName(l.Of.Name)+"_"+name, l.Path, min(i, 3)/3)
			}
		}
	}
	return names
}

// addReference adds what columns are called that name what a reference leads to.
func (im *Import) addReference(names columnNames, l *schema.Leaf) {
	called := []string{plainName(l.RefersAs()), plainName(l.Label), plainName(strings.TrimSuffix(l.Name, "_id"))}
	called = append(called, fieldElsewhere(l)...)
	var found []*schema.Leaf
	if l.Target != nil {
		if before, ok := strings.CutSuffix(plainName(l.RefersAs()), l.Target.Name); ok { // parent_account is a parent_company
			for _, also := range kindElsewhere(l.Target) {
				called = append(called, before+also)
			}
		}
		shaped := im.who.Shaped(l.Target)
		found = append(slices.Clone(l.Target.Names), record.KindOf(l.Target.Name).Matchable(shaped)...)
	} else {
		found = []*schema.Leaf{l.ListItem.Leaf(schema.NameField)}
	}
	for i, name := range called {
		names.add(name, l.RefersAs(), min(i, 3)/3)
		names.add(name+"_id", l.Path, 2)
		names.add(name+"_ids", l.Path, 2)
		for _, by := range found {
			for _, word := range namesOf(by) {
				names.add(name+"_"+word, l.RefersAs()+"."+by.Path, 2)
			}
		}
	}
}

// besides are words in the names of columns that say which of several values it is, and how far that is from the one that is meant:
// what belongs to work is nearer than what belongs to the home.
var besides = map[string]int{
	"value": 0, "of": 0, "the": 0, "primary": 1, "main": 1, "default": 1, "preferred": 1, "work": 1, "business": 1, "office": 1,
	"direct": 1, "mailing": 1, "billing": 1, "associated": 1,
	"geschaftlich": 1, "dienstlich": 1, "home": 3, "private": 3, "personal": 3, "privat": 3, "secondary": 4, "alternative": 4,
	"shipping": 4, "other": 5, "weitere": 5, "weiteres": 5,
}

// called finds the field that a column is called like, and how far its name is from that.
func (im *Import) called(name string, names columnNames) (path string, far int) {
	words := strings.Split(plainName(name), "_")
	for _, drop := range []func(word string) (far int, drop bool){
		func(string) (int, bool) { return 0, false },
		func(word string) (int, bool) {
			n, err := strconv.Atoi(word)
			return min(n, 9), err == nil
		},
		func(word string) (int, bool) {
			n, err := strconv.Atoi(word)
			beside, known := besides[word]
			return max(min(n, 9), beside), err == nil || known
		},
	} {
		var left []string
		further := 0
		for _, word := range words {
			if far, dropped := drop(word); dropped {
				further += far
			} else {
				left = append(left, word)
			}
		}
		if meaning, found := im.meant(strings.Join(left, "_"), names); found {
			return meaning.path, meaning.far + further
		}
	}
	return "", 0
}

// meant finds what a plain name means, with or without the name of the resource before it.
func (im *Import) meant(name string, names columnNames) (meaning columnMeaning, found bool) {
	if meaning, found = names[name]; found {
		return meaning, true
	}
	for _, whose := range append([]string{im.kind.Name, im.kind.Plural}, kindElsewhere(&im.kind.Resource)...) {
		rest, ok := strings.CutPrefix(name, whose+"_")
		switch {
		case !ok:
		case rest == im.kind.Common.ID.Name: // that of another program has this name, and ours is just id
			return columnMeaning{im.kind.Common.ExternalID.Path, 1}, true
		default:
			if meaning, found = im.meant(rest, names); found {
				return meaning, true
			}
		}
	}
	return meaning, false
}

// StyleOf is how a file writes numbers and days, as far as its cells tell in the columns that are such fields, and nobody decided
// otherwise: decimals after a comma or point, and dates as dmy or mdy.
func (im *Import) StyleOf(d tabular.Dialect, decimals, dates string) tabular.Style {
	var all tabular.Survey
	for i, c := range im.columns {
		if i >= len(im.seen) {
			break
		}
		here := im.seen[i]
		if k := im.kindOf(c); k == schema.Date || k == schema.Time {
			all.Add(tabular.Survey{DayFirst: here.DayFirst, MonthFirst: here.MonthFirst})
		} else if k == schema.Number || k == schema.Integer || k.Decimal() {
			all.Add(tabular.Survey{Commas: here.Commas, Points: here.Points})
		}
	}
	style := all.Style(d)
	if decimals != "" {
		style.Comma = decimals == "comma"
	}
	if dates != "" {
		style.Days = dates
	}
	if zone, err := time.LoadLocation(im.who.Timezone); err == nil {
		style.Zone = zone
	}
	return style
}
