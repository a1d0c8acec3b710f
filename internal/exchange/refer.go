package exchange

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// importRefs are records that the rows of a step lead to, by what the rows call them.
type importRefs map[string]schema.UUID

// refers puts in what the cells of some columns name: the records that references lead to, where their ids are not given. What is a
// part of another record comes behind that one, because it is looked for in it.
func (im *Import) refers(tx *store.Tx, data *body.Node, cells []string, columns []int, refs importRefs, wrong *problem.Fields) error {
	columns = slices.Clone(columns)
	slices.SortStableFunc(columns, func(a, b int) int { return im.columns[a].turn() - im.columns[b].turn() })
	named := map[*schema.Leaf]bool{}
	for _, i := range columns {
		c := im.columns[i]
		_, given := within(data, c.leaf)
		if given && !(named[c.leaf] && c.turn() == partByChoice) || i >= len(cells) {
			continue
		}
		text := im.Style.Armed(strings.TrimSpace(cells[i]))
		if text == "" {
			continue
		}
		found, err := im.refer(tx, c, data, text, refs)
		if p := problem.As(err); p != nil && !p.Code.WorthRetrying() {
			wrong.Add(c.name, "not_found", reason(p))
			continue
		}
		if err != nil {
			return err
		}
		if found == (schema.UUID{}) {
			continue
		}
		replace(data, c.leaf, body.Node{Kind: body.String, Text: schema.FormatID(c.leaf.IDPrefix, found)})
		named[c.leaf] = true
	}
	return nil
}

// The turns in which columns are looked at that name something.
const (
	aRecord = iota
	partByName
	partByChoice
)

func (c importColumn) turn() int {
	switch {
	case c.leaf.ListItem == nil:
		return aRecord
	case c.by.Kind != schema.Choice:
		return partByName
	}
	return partByChoice
}

// replace puts a value into a body in place of one that is there.
func replace(data *body.Node, l *schema.Leaf, n body.Node) {
	in := data
	if l.Of != nil {
		if at := slices.IndexFunc(data.Members, func(m body.Member) bool { return m.Name == l.Of.Name }); at >= 0 {
			in = &data.Members[at].Value
		}
	}
	in.Members = slices.DeleteFunc(in.Members, func(m body.Member) bool { return m.Name == l.Name })
	put(data, l, n)
}

// refer finds what a cell names, or makes a record of that name where there is none and the kind is made so.
func (im *Import) refer(tx *store.Tx, c importColumn, data *body.Node, text string, refs importRefs) (schema.UUID, error) {
	if c.leaf.ListItem != nil {
		return im.referPart(tx, c, data, text)
	}
	by := c.by
	if c.leaf.Target == &account.User.Resource && strings.Contains(text, "@") {
		by = account.Users.Email
	}
	key := c.leaf.Path + "\x00" + by.Path + "\x00" + query.Key(by, text)
	if id, known := refs[key]; known {
		return id, nil
	}
	v, bad := body.Scalar(body.Node{Kind: body.String, Text: text}, by)
	if bad != nil {
		return schema.UUID{}, problem.New(problem.ValidationFailed, "%s", bad.Message)
	}
	target := record.KindOf(c.leaf.Target.Name)
	found, err := tx.Find(im.who.Shaped(c.leaf.Target), 2, store.Equal(by, v))
	if err != nil {
		return schema.UUID{}, err
	}
	found = slices.DeleteFunc(found, func(rec *schema.Record) bool { return !im.sees(c.leaf.Target, rec) })
	switch {
	case len(found) > 1:
		return schema.UUID{}, problem.New(problem.AmbiguousMatch, "is the %s of several %s; say by %s which one is meant", by.Path,
			target.Plural, c.leaf.Path)
	case len(found) == 1:
		refs[key] = found[0].ID()
		return refs[key], nil
	case !target.MadeByName || by != target.Names[0]:
		return schema.UUID{}, im.noneSuch(tx, target, by)
	case im.looks:
		return schema.UUID{}, nil
	}
	made := &body.Node{Kind: body.Object}
	put(made, by, body.Node{Kind: body.String, Text: text})
	step, err := im.e.Plan(im.who, record.Operation{Kind: target, Name: record.Create, Body: made})
	if err != nil {
		return schema.UUID{}, err
	}
	var out record.Outcome
	if err := tx.Savepoint(func() (err error) {
		out, err = step(tx)
		return err
	}); err != nil {
		return schema.UUID{}, err
	}
	refs[key] = out.Record.ID()
	return refs[key], nil
}

// maxNamed is how many names are told of what there is instead.
const maxNamed = 20

// noneSuch tells that there is no record of a name, and which there are where these are few.
func (im *Import) noneSuch(tx *store.Tx, target *record.Kind, by *schema.Leaf) error {
	there := ""
	if target.Storage.Small && slices.Contains(target.Names, by) {
		all, err := tx.Find(&target.Resource, maxNamed)
		if err != nil {
			return err
		}
		var names []string
		for _, rec := range all {
			if im.who.MayRead(&target.Resource, rec) {
				names = append(names, rec.Text(by))
			}
		}
		there = thereAre(names)
	}
	return problem.New(problem.NotFound, "is the %s of no %s%s", by.Path, strings.ReplaceAll(target.Name, "_", " "), there)
}

// thereAre lists names, where there are any.
func thereAre(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; there are " + strings.Join(names[:min(len(names), maxNamed)], ", ")
}

// sees tells whether the role lets who imports see a record that a row names. As with any write, the scope for reading does not matter; but
// no name is told without it.
func (im *Import) sees(res *schema.Resource, rec *schema.Record) bool {
	return im.who.Reaches(res, rec, record.Read, record.All) == nil
}

// referPart finds the part of a record that a cell names, such as a stage: in the record that the row names, else in one that is
// the default, else in any. By a choice, such as won, it is the first part of that kind, unless the one that the row names is such
// already.
func (im *Import) referPart(tx *store.Tx, c importColumn, data *body.Node, text string) (none schema.UUID, err error) {
	part := c.leaf.ListItem
	wholes, err := tx.Find(part.Whole, maxWholes)
	if err != nil {
		return none, err
	}
	wholes = slices.DeleteFunc(wholes, func(rec *schema.Record) bool { return !im.sees(part.Whole, rec) })
	has := func(l *schema.Leaf, id schema.UUID) bool {
		given, there := within(data, l)
		return there && given.Text == schema.FormatID(l.IDPrefix, id)
	}
	for _, l := range im.res.Leaves {
		if _, given := within(data, l); l.Target == part.Whole && given {
			wholes = slices.DeleteFunc(wholes, func(rec *schema.Record) bool { return !has(l, rec.ID()) })
		}
	}
	if l := record.KindOf(part.Whole.Name).Default; l != nil {
		slices.SortStableFunc(wholes, func(a, b *schema.Record) int { return int(b.Get(l).N - a.Get(l).N) })
	}
	var there []string
	var first schema.UUID
	isCalled := called(c.by, text)
	for _, whole := range wholes {
		parts, err := body.Items(whole.Get(part.List), part.Shape)
		if err != nil {
			return none, err
		}
		readable := im.who.MayRead(part.Whole, whole)
		named, here := false, schema.UUID{} // whether the row names one of these, and the first that is meant
		for _, p := range parts {
			id := p.Get(part.ID).UUID()
			named = named || has(c.leaf, id)
			if readable {
				there = append(there, p.Text(c.by))
			}
			if !isCalled(p.Text(c.by)) {
				continue
			}
			if has(c.leaf, id) {
				return none, nil // it is so already
			}
			if here == none {
				here = id
			}
		}
		if named && here != none {
			return here, nil
		}
		if first == none {
			first = here
		}
	}
	if first != none {
		return first, nil
	}
	slices.Sort(there)
	there = slices.Compact(there)
	return none, problem.New(problem.NotFound, "is the %s of no %s%s", c.by.Path, part.Name, thereAre(there))
}

// maxWholes is how many records are looked through for a part.
const maxWholes = 200

// called tells of values whether they are what a cell says. What is longer than any name is none, and is not folded.
func called(by *schema.Leaf, text string) func(value string) bool {
	if len(text) > utf8.UTFMax*body.MaxText {
		return func(string) bool { return false }
	}
	folded := query.Fold(text)
	return func(value string) bool {
		return query.Fold(value) == folded || by.Kind == schema.Choice && strings.EqualFold(schema.InWords(value), text)
	}
}
