package crm

import (
	"slices"
	"strings"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/query"
	"kith/internal/schema"
	"kith/internal/store"
	"kith/internal/tabular"
)

// ImportKinds are the names of the resources whose records can come out of files.
func ImportKinds() (names []string) {
	for _, k := range []*Kind{contact, company, deal, product, task, note, activity} {
		names = append(names, k.Name)
	}
	return names
}

// wholeBusiness stands for what the archive of a business brings: records of all kinds.
var wholeBusiness = &Kind{Resource: *Business}

// ImportNames are the names of what files can bring.
func ImportNames() []string { return append(ImportKinds(), wholeBusiness.Name) }

// importKind is what a file brings.
func importKind(name string) *Kind {
	if name == wholeBusiness.Name {
		return wholeBusiness
	}
	return KindOf(name)
}

// mayImport decides whether a principal may bring records by a file. What each of them needs is asked when it is its turn.
func (p *Principal) mayImport(k *Kind) error {
	if k == wholeBusiness {
		return p.AllowBusiness()
	}
	_, err := p.Allow(&k.Resource, Write)
	return err
}

// The policies of an import: what becomes of a row. Without one, a row that names an id changes that record, and any other makes one.
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
	e       *Engine
	who     *Principal
	kind    *Kind
	res     *schema.Resource
	match   *schema.Leaf
	options ImportOptions
	columns []importColumn
	// guide is that of an archive, which has records of all kinds; it is nil for any other file.
	guide *Guide
	// Style is how the file writes numbers and days.
	Style tabular.Style
}

// importColumn is what is done with the cells of a column.
type importColumn struct {
	name string
	// leaf is the field that they are values of; with by it is a reference, and they are values of that field of what it leads to.
	leaf, by *schema.Leaf
	// fresh is the name of the new field that they are values of, while it is not there.
	fresh string
	// why tells why they are not read.
	why string
}

// PlanImport decides what the columns of a file are. Lines of JSON have none: they name their fields as the API does.
func (e *Engine) PlanImport(who *Principal, k *Kind, head []string, o ImportOptions) (*Import, error) {
	im := &Import{e: e, who: who, kind: k, res: who.Resource(k), options: o}
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
	for _, name := range head {
		im.columns = append(im.columns, im.column(name, &wrong))
	}
	im.once(&wrong)
	if im.match != nil && im.match != k.Common.ID && len(head) > 0 && !slices.ContainsFunc(im.columns, func(c importColumn) bool { return c.leaf == im.match && c.by == nil }) {
		wrong.Add("match", "not_allowed", "is "+im.match.Path+", which no column has")
	}
	return im, wrong.Err()
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

// field names the field that the cells of a column are values of, or is empty.
func (c importColumn) field() string {
	switch {
	case c.by != nil:
		return c.leaf.RefersAs() + "." + c.by.Path
	case c.leaf != nil:
		return c.leaf.Path
	case c.fresh != "":
		return customPath(c.fresh)
	}
	return ""
}

// once lets no two columns be the same field. The name beside an id is read where the id is empty.
func (im *Import) once(wrong *problem.Fields) {
	seen, fresh := map[[2]*schema.Leaf]string{}, map[string]string{}
	for _, c := range im.columns {
		if c.fresh != "" {
			if before, again := fresh[c.fresh]; again {
				wrong.Add("map."+c.name, "not_allowed", "would be the same field as the column "+before+"; map one of them to -")
			}
			fresh[c.fresh] = c.name
		}
		if c.leaf == nil {
			continue
		}
		is := [2]*schema.Leaf{c.leaf, c.by}
		if before, again := seen[is]; again {
			wrong.Add("map."+c.name, "not_allowed", "would be the same field as the column "+before+"; map one of them to -")
		}
		seen[is] = c.name
	}
}

// column finds out what a column is.
func (im *Import) column(name string, wrong *problem.Fields) importColumn {
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
		if im.resolve(&c, path); c.leaf == nil {
			wrong.Add("map."+name, "unknown_field", "must be a field of "+im.kind.Name+" that can be written, or - for none, not "+problem.Quote(path))
		}
		return c
	case name == "":
		c.why = "not read: it has no name"
		return c
	case name == ImportError:
		c.why = "not read: why the row was refused"
		return c
	}
	plain := plainName(name)
	for _, path := range []string{name, plain, synonyms[plain]} {
		if im.resolve(&c, path); c.leaf != nil || c.why != "" {
			return c
		}
	}
	for _, l := range im.res.Leaves {
		if !l.BinOnly && (plainName(l.Label) == plain || plainName(l.Path) == plain || l.Member != "" && plainName(l.Name) == plain) {
			im.resolve(&c, l.Path)
			return c
		}
	}
	if c.fresh = im.fresh(name, ""); c.fresh != "" {
		c.why = newFieldSaid
		return c
	}
	if im.options.Map[everyOther] == ignored {
		c.why = "not read"
		return c
	}
	wrong.Add("map."+name, "required", "is a column that is no field of "+im.kind.Name+"; say which it is, or - for none")
	return c
}

// newFieldSaid is what is said of a column whose field is made on the way.
const newFieldSaid = "a new field"

// synonyms are what others call fields.
var synonyms = map[string]string{
	"mail": "email", "e_mail": "email", "email_address": "email", "e_mail_address": "email", "e_mail_adresse": "email",
	"tel": "phone", "telephone": "phone", "phone_number": "phone", "telefon": "phone", "mobile": "mobile_phone", "cell": "mobile_phone", "mobil": "mobile_phone", "handy": "mobile_phone",
	"vorname": "first_name", "given_name": "first_name", "firstname": "first_name", "nachname": "last_name", "surname": "last_name", "family_name": "last_name", "lastname": "last_name",
	"firma": "company", "organization": "company", "organisation": "company", "unternehmen": "company", "account": "company", "full_name": "name",
	"title": "job_title", "position": "job_title", "strasse": "address.street", "street": "address.street", "city": "address.city", "ort": "address.city", "stadt": "address.city",
	"plz": "address.postal_code", "zip": "address.postal_code", "zip_code": "address.postal_code", "postcode": "address.postal_code", "postal_code": "address.postal_code",
	"country": "address.country", "land": "address.country", "state": "address.region", "region": "address.region", "linkedin": "linkedin_url",
}

// plainName is a name without what people write differently.
func plainName(name string) string {
	return strings.Join(strings.FieldsFunc(query.Fold(name), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') }), "_")
}

// resolve finds the field that a path names, where it can be written.
func (im *Import) resolve(c *importColumn, path string) {
	if path == "" {
		return
	}
	if l := im.res.Leaf(path); l != nil && !l.BinOnly {
		switch {
		case l == im.kind.Common.ID:
			if im.options.Policy == ImportCreate {
				c.why = "not read: records are made anew"
				return
			}
			c.leaf = l
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
		if via = im.res.Reference(path); via == nil || via.Target == nil || len(via.Target.Names) == 0 || via.RefersAs() == via.Path {
			return
		}
		rest = via.Target.Names[0].Path
	}
	if via.ReadOnly || via.Target == nil {
		c.why = "not read: the id beside it tells"
		return
	}
	by := im.who.Shaped(via.Target).Leaf(rest)
	target := KindOf(via.Target.Name)
	if by != nil && (slices.Contains(via.Target.Names, by) || slices.Contains(target.Matchable(im.who.Shaped(via.Target)), by)) {
		c.leaf, c.by = via, by
		return
	}
	c.why = "not read: no record is found by it"
}

// Look notes what a row tells of how the file writes numbers and days.
func (im *Import) Look(s *tabular.Survey, row tabular.Row) {
	for i, c := range im.columns {
		if k := im.kindOf(c); k != 0 && i < len(row.Cells) {
			s.Look(k, row.Cells[i])
		}
	}
}

// Imported is what became of a row.
type Imported struct {
	N int64
	// Made and Changed tell what was done; neither, that the record was so already.
	Made, Changed bool
	// Err is why it was refused, or nil.
	Err error
}

// Step makes the records of some rows, in a transaction in the business's turn, and hands each what became of it. A row that is refused leaves the others alone.
func (im *Import) Step(tx *store.Tx, rows []tabular.Row, each func(Imported)) error {
	im, err := im.extended(tx, rows)
	if err != nil {
		return err
	}
	b, refs := &Batch{}, importRefs{}
	c := &carrier{e: im.e, guide: im.guide, known: map[string]string{}, named: map[*Kind][]*schema.Record{}}
	for _, row := range rows {
		var step Step
		var op Operation
		var err error
		if im.guide != nil {
			step, err = im.carried(c, row)
		} else if op, err = im.operation(tx, row, refs); err == nil {
			step, err = im.e.plan(im.who, op, &b.foreseen)
		}
		if p := problem.As(err); err != nil && (p == nil || p.Code.WorthRetrying()) {
			return err
		}
		b.steps, b.refused = append(b.steps, step), append(b.refused, err)
	}
	i, log := 0, tx.LogEnd()
	return b.Run(tx, func(done Result) {
		end := tx.LogEnd()
		each(Imported{N: rows[i].N, Made: done.Err == nil && done.Made, Changed: done.Err == nil && end > log, Err: done.Err})
		i, log = i+1, end
	})
}

// importRefs are records that the rows of a step lead to, by what the rows call them.
type importRefs map[string]schema.UUID

// operation is what a row asks for.
func (im *Import) operation(tx *store.Tx, row tabular.Row, refs importRefs) (op Operation, err error) {
	if row.Fault != nil {
		return op, unreadable(row.Fault)
	}
	data := &body.Node{Kind: body.Object}
	id := ""
	if row.Object != nil {
		id = im.object(data, row.Object)
	} else if id, err = im.cells(tx, data, row.Cells, refs); err != nil {
		return op, err
	}
	op = Operation{Kind: im.kind, Name: Create, Body: data}
	byID := im.match == nil && im.options.Policy == "" || im.match == im.kind.Common.ID
	switch {
	case byID && id != "":
		op.Name, op.ID = Update, id
	case im.match == im.kind.Common.ID && im.options.Policy == ImportUpdate:
		return op, noMatch(im.match, "is empty")
	case im.match == nil || im.match == im.kind.Common.ID:
	default:
		return im.matched(tx, op, data)
	}
	return op, nil
}

// unreadable tells why a row cannot be read.
func unreadable(fault error) error {
	if problem.As(fault) != nil {
		return fault
	}
	return problem.New(problem.ValidationFailed, "The row cannot be read: %v.", fault)
}

func noMatch(l *schema.Leaf, why string) error {
	var wrong problem.Fields
	wrong.Add(l.Path, "not_found", why+", so there is no record to change")
	return wrong.Err()
}

// matched is what a row asks for that finds its record by a value.
func (im *Import) matched(tx *store.Tx, op Operation, data *body.Node) (Operation, error) {
	value, found := within(data, im.match)
	switch {
	case found && value.Kind != body.Null && im.options.Policy != ImportUpdate:
		op.Name = Upsert
		op.Body = &body.Node{Kind: body.Object, Members: []body.Member{
			{Name: upserting.Match.Path, Value: body.Node{Kind: body.String, Text: im.match.Path}},
			{Name: upserting.Data.Path, Value: *data},
		}}
		return op, nil
	case im.options.Policy != ImportUpdate:
		return op, nil // it names none, and is made
	case !found || value.Kind == body.Null:
		return op, noMatch(im.match, "is empty")
	}
	v, bad := body.Scalar(value, im.match)
	if bad != nil {
		var wrong problem.Fields
		wrong.Add(im.match.Path, bad.Code, bad.Message)
		return op, wrong.Err()
	}
	p := plan{e: im.e, who: im.who, Operation: op, res: im.res}
	rec, _, err := p.matches(tx, matching{by: im.match, value: v})
	switch {
	case err != nil:
		return op, err
	case rec == nil:
		return op, noMatch(im.match, "is held by no "+im.kind.Name)
	}
	op.Name, op.ID = Update, schema.FormatID(im.kind.Name, rec.ID())
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
		text := ""
		if i < len(cells) {
			text = strings.TrimSpace(cells[i])
		}
		if c.fresh != "" && text != "" {
			wrong.Add(c.name, "not_allowed", "cannot be an option of a new field: at most 100 characters in one line, without quotation marks and backslashes")
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
		case text == "" && (!im.options.Clear || c.leaf.Required && c.leaf.Derived):
			continue
		}
		n, err := im.Style.Read(c.leaf, text)
		if err != nil {
			wrong.Add(c.name, "invalid_format", err.Error())
			continue
		}
		put(data, c.leaf, n)
	}
	if len(wrong) == 0 {
		for _, i := range named {
			c := im.columns[i]
			if _, given := within(data, c.leaf); given || i >= len(cells) {
				continue
			}
			text := tabular.Arm(strings.TrimSpace(cells[i]))
			if text == "" {
				continue
			}
			found, err := im.refer(tx, c, text, refs)
			if p := problem.As(err); p != nil && !p.Code.WorthRetrying() {
				wrong.Add(c.name, "not_found", reason(p))
				continue
			}
			if err != nil {
				return id, err
			}
			put(data, c.leaf, body.Node{Kind: body.String, Text: schema.FormatID(c.leaf.Target.Name, found)})
		}
	}
	return id, wrong.Err()
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

// refer finds the record that a cell names, or makes a company of that name where there is none.
func (im *Import) refer(tx *store.Tx, c importColumn, text string, refs importRefs) (schema.UUID, error) {
	by := c.by
	if c.leaf.Target == &user.Resource && strings.Contains(text, "@") {
		by = Users.Email
	}
	key := c.leaf.Path + "\x00" + by.Path + "\x00" + query.Key(by, text)
	if id, known := refs[key]; known {
		return id, nil
	}
	v, bad := body.Scalar(body.Node{Kind: body.String, Text: text}, by)
	if bad != nil {
		return schema.UUID{}, problem.New(problem.ValidationFailed, "%s", bad.Message)
	}
	target := KindOf(c.leaf.Target.Name)
	found, err := tx.Find(im.who.Shaped(c.leaf.Target), 2, store.Equal(by, v))
	if err != nil {
		return schema.UUID{}, err
	}
	switch {
	case len(found) > 1:
		return schema.UUID{}, problem.New(problem.AmbiguousMatch, "is the %s of several %s; say by %s which one is meant", by.Path, target.Plural, c.leaf.Path)
	case len(found) == 1:
		refs[key] = found[0].ID()
		return refs[key], nil
	case target != company || by != target.Names[0]:
		return schema.UUID{}, problem.New(problem.NotFound, "is the %s of no %s", by.Path, target.Name)
	}
	made := &body.Node{Kind: body.Object}
	put(made, by, body.Node{Kind: body.String, Text: text})
	step, err := im.e.Plan(im.who, Operation{Kind: target, Name: Create, Body: made})
	if err != nil {
		return schema.UUID{}, err
	}
	var out Outcome
	if err := tx.Part(func() (err error) {
		out, err = step(tx)
		return err
	}); err != nil {
		return schema.UUID{}, err
	}
	refs[key] = out.Record.ID()
	return refs[key], nil
}

// Reason tells somebody why a row was refused.
func Reason(err error) string {
	p := problem.As(err)
	if p == nil {
		return err.Error()
	}
	if len(p.Fields) == 0 {
		return p.Detail
	}
	var all []string
	for _, f := range p.Fields {
		all = append(all, strings.TrimPrefix(f.Field, "data.")+" "+f.Message)
	}
	return strings.Join(all, "; ")
}
