// Package exchange brings records in and out as files: imports, exports, and the archive of a whole business.
package exchange

import (
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/tabular"
)

// ImportKinds are the names of the resources whose records can come out of files.
func ImportKinds() (names []string) {
	for _, k := range record.Kinds() {
		if k.Life.Importable {
			names = append(names, k.Name)
		}
	}
	return names
}

// wholeBusiness stands for what the archive of a business brings: records of all kinds.
var wholeBusiness = &record.Kind{Resource: *record.Business}

// ImportNames are the names of what files can bring.
func ImportNames() []string { return append(ImportKinds(), wholeBusiness.Name) }

// importKind is what a file brings.
func importKind(name string) *record.Kind {
	if name == wholeBusiness.Name {
		return wholeBusiness
	}
	return record.KindOf(name)
}

// mayImport decides whether a principal may bring records by a file. What each of them needs is asked when it is its turn.
func mayImport(p *record.Principal, k *record.Kind) error {
	if k == wholeBusiness {
		return p.AllowBusiness()
	}
	_, err := p.Allow(&k.Resource, record.Write)
	return err
}

// The policies of an import: what becomes of a row. One makes records and refuses rows that match one, the next changes records and
// refuses rows that match none, and the last does either. Without one, a row that names an id changes that record, and any other makes
// one.
const (
	ImportCreate = "create"
	ImportUpdate = "update"
	ImportUpsert = "upsert"
)

// ImportPolicies lists them.
var ImportPolicies = []string{ImportCreate, ImportUpdate, ImportUpsert}

// ImportError is the column in which rows that were refused say why. It is not read when they are imported again.
const ImportError = "import_error"

// ignored is what a column is mapped to that is not read, and everyOther stands in a mapping for all columns that are no field.
const (
	ignored    = "-"
	everyOther = "*"
)

// ImportOptions are what whoever imports a file decides.
type ImportOptions struct {
	// Map tells by their names which columns are which fields, where their names do not: paths as filters name them, or - for none.
	Map map[string]string
	// NewFields are made on the way, by their names, and MakeOptions has options be made that fields lack.
	NewFields   map[string]NewField
	MakeOptions bool
	// Match is the field by which a row finds the record that it changes.
	Match, Policy string
	// Clear lets empty cells empty the field, which otherwise stays as it is.
	Clear bool
}

// Import is how the rows of a file become records.
type Import struct {
	e       *record.Engine
	who     *record.Principal
	kind    *record.Kind
	res     *schema.Resource
	match   *schema.Leaf
	options ImportOptions
	columns []importColumn
	// seen tells of each column what is in its cells; it is nil where nobody looked.
	seen []tabular.Survey
	// guide is that of an archive, which has records of all kinds; it is nil for any other file.
	guide *Guide
	// corrected gives rows with the values that were corrected in all of them; it is nil where there is no file.
	corrected func([]tabular.Row) []tabular.Row
	// looks tells that references are only looked for, and nothing is made of their names.
	looks bool
	// Style is how the file writes numbers and days.
	Style tabular.Style
}

// PlanImport decides what the columns of a file are, by their names and what was seen in them. Lines of JSON have none.
func PlanImport(e *record.Engine, who *record.Principal, k *record.Kind, head []string, seen []tabular.Survey, o ImportOptions) (*Import,
	error,
) {
	im := &Import{e: e, who: who, kind: k, res: who.Resource(k), options: o, seen: seen}
	var wrong problem.Fields
	if o.Policy != "" && !slices.Contains(ImportPolicies, o.Policy) {
		wrong.Add("policy", "not_allowed", "must be one of "+strings.Join(ImportPolicies, ", "), ImportPolicies...)
	}
	if o.Match != "" {
		var allowed []string
		for _, l := range k.Matchable(im.res) {
			allowed = append(allowed, l.Path)
			if l.Path == o.Match {
				im.match = l
			}
		}
		if im.match == nil {
			wrong.Add("match", "not_allowed", "must be a field by which "+k.Plural+" are matched: "+strings.Join(allowed, ", "), allowed...)
		}
	} else if o.Policy == ImportUpdate || o.Policy == ImportUpsert {
		wrong.Add("match", "required", "must be given for the policy "+o.Policy+": the field by which a row finds its record")
	}
	for name := range o.Map {
		if name != everyOther && head != nil && !slices.Contains(head, name) {
			wrong.Add("map."+name, "unknown_field", "is not the name of a column"+problem.DidYouMean(name, head), head...)
		}
	}
	im.readColumns(head, &wrong)
	if im.match != nil && im.match != k.Common.ID && len(head) > 0 &&
		!slices.ContainsFunc(im.columns, func(c importColumn) bool { return c.leaf == im.match && c.by == nil }) {
		wrong.Add("match", "not_allowed", "is "+im.match.Path+", which no column has")
	}
	return im, wrong.Err()
}

// Imported is what became of a row.
type Imported struct {
	N int64
	// Made and Changed tell what was done; neither, that the record was so already.
	Made, Changed bool
	// Err is why it was refused, or nil. It names columns where it can.
	Err error
	// Wrong are the cells for which it was refused, as JSON.
	Wrong string
}

// Step makes the records of some rows, in the business's turn, and hands each what became of it. A refused row leaves the others alone.
func (im *Import) Step(tx *store.Tx, rows []tabular.Row, each func(Imported)) error {
	if im.corrected != nil {
		rows = im.corrected(rows)
	}
	im, err := im.extended(tx, rows)
	if err != nil {
		return err
	}
	b, refs := &record.Batch{}, importRefs{}
	c := &carrier{e: im.e, guide: im.guide, known: map[string]string{}, named: map[*record.Kind][]*schema.Record{}}
	for _, row := range rows {
		var step record.Step
		var op record.Operation
		var err error
		if im.guide != nil {
			step, err = im.carried(c, row)
		} else if op, err = im.operation(tx, row, refs); err == nil {
			step, err = b.Plan(im.e, im.who, op)
		}
		if p := problem.As(err); err != nil && (p == nil || p.Code.WorthRetrying()) {
			return err
		}
		b.Add(step, err)
	}
	var head []string
	for _, c := range im.columns {
		head = append(head, c.name)
	}
	i, log := 0, tx.LogEnd()
	return b.Run(tx, func(done record.Result) {
		end, wrong := tx.LogEnd(), im.inColumns(done.Err)
		each(Imported{
			N: rows[i].N, Made: done.Err == nil && done.Made, Changed: done.Err == nil && end > log, Err: wrong,
			Wrong: wrongCells(head, rows[i], wrong),
		})
		i, log = i+1, end
	})
}

// operation is what a row asks for.
func (im *Import) operation(tx *store.Tx, row tabular.Row, refs importRefs) (op record.Operation, err error) {
	if row.Fault != nil {
		return op, unreadable(row.Fault)
	}
	data := &body.Node{Kind: body.Object}
	id := ""
	if row.Object != nil {
		id = im.object(data, row.Object)
	} else if id, err = im.cells(tx, data, row.Cells, refs); err != nil {
		return op, im.alsoWrong(data, id != "" || im.match != nil && im.options.Policy != ImportCreate, err)
	}
	op = record.Operation{Kind: im.kind, Name: record.Create, Body: data, MakesOnly: im.options.Policy == ImportCreate}
	byID := im.match == nil && im.options.Policy == "" || im.match == im.kind.Common.ID
	switch {
	case byID && id != "" && op.MakesOnly:
		put(data, im.match, body.Node{Kind: body.String, Text: id})
		return im.matched(tx, op, data)
	case byID && id != "":
		op.Name, op.ID = record.Update, id
	case im.match == im.kind.Common.ID && im.options.Policy == ImportUpdate:
		return op, noMatch(im.match, "is empty")
	case im.match != nil && im.match != im.kind.Common.ID:
		return im.matched(tx, op, data)
	}
	return op, nil
}

// alsoWrong adds to the cells of a row that cannot be read what is wrong in the others, so that all is told at once.
func (im *Import) alsoWrong(data *body.Node, changes bool, err error) error {
	p := problem.As(err)
	if p == nil || len(p.Fields) == 0 {
		return err
	}
	op := record.Operation{Kind: im.kind, Name: record.Create, Body: data}
	if changes { // what it does not have stays as it is; any id will do
		op.Name, op.ID = record.Update, schema.FormatID(im.kind.Name, im.who.User)
	}
	_, also := im.e.Plan(im.who, op)
	more := problem.As(im.inColumns(also))
	if more == nil || more.Code != p.Code {
		return err
	}
	all := slices.Clone(problem.Fields(p.Fields))
	for _, f := range more.Fields {
		if !all.Has(f.Field) {
			all.Add(f.Field, f.Code, f.Message, f.Allowed...)
		}
	}
	return all.Err()
}

// unreadable tells why a row cannot be read.
func unreadable(fault error) error {
	if problem.As(fault) != nil {
		return fault
	}
	return problem.New(problem.ValidationFailed, "The row cannot be read: %v.", fault)
}

func noMatch(l *schema.Leaf, why string) error {
	return problem.Wrong(l.Path, "not_found", why+", so there is no record to change")
}

// matched is what a row asks for that finds its record by a value.
func (im *Import) matched(tx *store.Tx, op record.Operation, data *body.Node) (record.Operation, error) {
	value, found := within(data, im.match)
	switch {
	case found && value.Kind != body.Null && im.options.Policy != ImportUpdate:
		op.Name = record.Upsert
		op.Body = &body.Node{Kind: body.Object, Members: []body.Member{
			{Name: record.Upserting.Match.Path, Value: body.Node{Kind: body.String, Text: im.match.Path}},
			{Name: record.Upserting.Data.Path, Value: *data},
		}}
		return op, nil
	case im.options.Policy != ImportUpdate:
		return op, nil // it names none, and is made
	case !found || value.Kind == body.Null:
		return op, noMatch(im.match, "is empty")
	}
	v, bad := body.Scalar(value, im.match)
	if bad != nil {
		return op, problem.Wrong(im.match.Path, bad.Code, bad.Message)
	}
	rec, err := im.e.Match(tx, im.who, im.kind, im.match, v)
	switch {
	case err != nil:
		return op, err
	case rec == nil:
		return op, noMatch(im.match, "is held by no "+im.kind.Name)
	}
	op.Name, op.ID = record.Update, schema.FormatID(im.kind.Name, rec.ID())
	return op, nil
}

// within finds the value of a field in a body.
func within(data *body.Node, l *schema.Leaf) (body.Node, bool) {
	in := *data
	if l.Of != nil {
		in, _ = data.Get(l.Of.Name)
	}
	return in.Get(l.Name)
}

// object takes over what can be written of a line of JSON, and gives its id.
func (im *Import) object(data, from *body.Node) (id string) {
	for _, m := range from.Members {
		if m.Name == im.kind.Common.ID.Name && m.Value.Kind == body.String {
			id = m.Value.Text
			continue
		}
		if f := im.res.Field(m.Name); f != nil && f.ReadOnly || m.Name == ImportError {
			continue
		}
		data.Members = append(data.Members, m)
	}
	return id
}

// cells reads the cells of a row.
func (im *Import) cells(tx *store.Tx, data *body.Node, cells []string, refs importRefs) (id string, err error) {
	var wrong problem.Fields
	var named []int // the columns that name what a reference leads to
	for i, c := range im.columns {
		cell := ""
		if i < len(cells) {
			cell = cells[i]
		}
		text := strings.TrimSpace(cell)
		if c.fresh != "" && text != "" {
			wrong.Add(c.name, "not_allowed", "cannot be an option of a new field: at most 100 characters in one line, without quotation "+
				"marks and backslashes")
		}
		if c.leaf == nil {
			continue
		}
		switch {
		case c.leaf == im.kind.Common.ID:
			id = text
			continue
		case c.by != nil:
			named = append(named, i)
			continue
		case tabular.Empty(c.leaf, cell) && (!im.options.Clear || c.leaf.Required && c.leaf.Derived):
			continue
		}
		n, err := im.Style.Read(c.leaf, cell, c.name == c.leaf.Path)
		if err != nil {
			wrong.Add(c.name, "invalid_format", err.Error())
			continue
		}
		put(data, c.leaf, n)
	}
	looking := *im
	looking.looks = len(wrong) > 0
	err = looking.refers(tx, data, cells, named, refs, &wrong)
	if err == nil {
		err = wrong.Err()
	}
	return id, err
}

// reason is what is wrong in a sentence.
func reason(p *problem.Problem) string {
	if len(p.Fields) > 0 {
		return p.Fields[0].Message
	}
	return p.Detail
}

// put adds a value to a body, in its group where it has one.
func put(data *body.Node, l *schema.Leaf, n body.Node) {
	if l.Of == nil {
		data.Members = append(data.Members, body.Member{Name: l.Name, Value: n})
		return
	}
	at := slices.IndexFunc(data.Members, func(m body.Member) bool { return m.Name == l.Of.Name })
	if at < 0 {
		at = len(data.Members)
		data.Members = append(data.Members, body.Member{Name: l.Of.Name, Value: body.Node{Kind: body.Object}})
	}
	group := &data.Members[at].Value
	group.Members = append(group.Members, body.Member{Name: l.Name, Value: n})
}
