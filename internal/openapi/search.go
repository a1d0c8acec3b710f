package openapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// path is a field that a search can name: the resource's own, or that of a record that it refers to.
type path struct {
	name
	leaf *schema.Leaf
}

// named lists the fields that a search of live records can name. A group is named by its parts. Those that lie behind a declared reference
// are told apart by it,
// because every resource with such a reference has the same of them; behind references that the business added they are among the own.
func (b *builder) named(shape *schema.Shape) (own []path, far []reference) {
	var added []path
	for _, l := range singles(shape) {
		own = append(own, path{name{rest: l.Path}, l})
		target, referred := b.referred(l)
		if referred == nil {
			continue
		}
		var beyond []path
		for _, l2 := range singles(referred) {
			beyond = append(beyond, path{name{via: l.RefersAs() + ".", rest: l2.Path}, l2})
		}
		if l.Of != nil {
			added = append(added, beyond...)
			continue
		}
		far = append(far, reference{via: l.RefersAs(), target: target, paths: beyond, groups: groupsOf(referred, l.RefersAs()+".")})
	}
	return append(own, added...), far
}

// reference is what a search can name of the records that a declared reference leads to.
type reference struct {
	via, target string
	paths       []path
	groups      []string
}

// name is what the schemas of the reference begin with. Where references of the same name lead to different resources, the resource tells
// them apart.
func (b *builder) viaName(r reference) string {
	name := "Via" + camel(r.via)
	if b.vias == nil {
		b.vias = map[string]string{}
	}
	if b.vias[name] == "" {
		b.vias[name] = r.target
	}
	if b.vias[name] != r.target {
		name += camel(r.target)
	}
	return name
}

// ownPaths names leaves by themselves.
func ownPaths(leaves ...*schema.Leaf) (list []path) {
	for _, l := range leaves {
		list = append(list, path{name{rest: l.Path}, l})
	}
	return list
}

// singles are the visible leaves of live records, each by itself.
func singles(shape *schema.Shape) (leaves []*schema.Leaf) {
	for _, l := range shape.Visible(false) {
		if l.Reads != nil {
			leaves = append(leaves, l.Reads...)
		} else {
			leaves = append(leaves, l)
		}
	}
	return leaves
}

// groups lists the objects that fields can name as a whole, but for those behind declared references.
func (b *builder) groups(shape *schema.Shape) []string {
	names := groupsOf(shape, "")
	for _, l := range shape.Leaves {
		if _, referred := b.referred(l); referred != nil && l.Of != nil {
			names = append(names, groupsOf(referred, l.RefersAs()+".")...)
		}
	}
	return names
}

func groupsOf(shape *schema.Shape, before string) (names []string) {
	for _, f := range shape.Tree {
		if f.Kind == schema.Group {
			names = append(names, before+f.Name)
		}
	}
	return names
}

// class is a set of fields that are compared alike: with the same operators, and values of the same form. Its condition is the schema of
// that, by name.
type class struct {
	paths     []name
	condition string
}

// classes sorts fields by how they are compared.
func (b *builder) classes(whose string, list []path) (all []*class) {
	known, of := map[string]*class{}, map[*schema.Leaf]*class{}
	for _, p := range list {
		c := of[p.leaf]
		if c == nil { // many references may lead to it
			condition := b.condition(whose, p.leaf)
			if c = known[condition]; c == nil {
				c = &class{condition: condition}
				known[condition] = c
				all = append(all, c)
			}
			of[p.leaf] = c
		}
		c.paths = append(c.paths, p.name)
	}
	return all
}

// conditionOf is the schema of one condition upon fields of a class.
func (c *class) conditionOf() Schema {
	field := slices.DeleteFunc(oneOf(c.paths), func(m Member) bool { return m.Name == "type" }) // which the condition says
	return object("allOf", []Schema{Ref(c.condition)}, "properties", object("field", field))
}

// condition adds the schema of what a field can be compared by, unless there is one already, and gives its name. Fields that are compared
// alike share it, wherever
// they are.
func (b *builder) condition(whose string, l *schema.Leaf) string {
	value, operators := b.operand(whose, l), query.Allowed(l.Kind)
	told, _ := json.Marshal([]any{value, operators}) // an Object always renders
	if name := b.conditions[string(told)]; name != "" {
		return name
	}
	kind := camel(l.Kind.Name())
	name := kind
	choice := l.Kind == schema.Choice || l.Kind == schema.Choices
	if choice {
		name = whose + camel(l.Path)
	}
	for base, n := name, 2; b.has(name + "Condition"); n++ {
		name = base + strconv.Itoa(n)
	}
	name += "Condition"
	if b.conditions == nil {
		b.conditions = map[string]string{}
	}
	b.conditions[string(told)] = name
	if !choice {
		b.add(name, anyOf(comparisons(operators, value)))
		return name
	}
	// Choices differ in nothing but their options.
	if !b.has(kind + "Condition") {
		b.add(kind+"Condition", anyOf(comparisons(operators, Plain("string"))))
	}
	b.add(name, opened(object("value", value, "values", List(value)), nil, kind+"Condition"))
	return name
}

// operand is the schema of a value that a field is compared with. The bounds of what can be written do not bound what can be asked.
func (b *builder) operand(whose string, l *schema.Leaf) Schema {
	switch l.Kind {
	case schema.Text, schema.LongText, schema.Tags, schema.Date, schema.Time, schema.ID, schema.Links: // a day may be @today, a user @me
		return Plain("string")
	case schema.Integer, schema.Number, schema.Percent:
		return Plain("number")
	case schema.Money, schema.Quantity:
		return decimal()
	case schema.Choices, schema.Choice, schema.Bool:
		return b.single(whose, l, true)
	default:
		return nil
	}
}

// comparisons are the schemas of what a field can be compared by with some operators. Which field it is, is said where they are used.
func comparisons(operators []query.Operator, value Schema) (out []Schema) {
	among := func(of ...query.Operator) (names []string) {
		for _, o := range operators {
			if slices.Contains(of, o) {
				names = append(names, string(o))
			}
		}
		return names
	}
	with := func(operators []string, more ...any) {
		if len(operators) > 0 {
			out = append(out, Strict(append(object("field", Plain("string"), "operator", Enum(operators...)), object(more...)...)))
		}
	}
	with(among(query.Eq, query.Neq, query.Contains, query.StartsWith, query.Gt, query.Gte, query.Lt, query.Lte), "value", value)
	if value != nil {
		list := List(value)
		with(among(query.In, query.Nin), "values", list.with("maxItems", query.MaxValues))
		with(among(query.Between), "values", list.with("minItems", 2).with("maxItems", 2))
	}
	return append(out, Ref("Presence"))
}

// searches adds the schemas of what a search of a resource takes.
func (b *builder) searches(k *record.Kind) {
	res, whose := b.of(&k.Resource), camel(k.Name)
	b.filtered(res)
	b.add(whose+"Asked", object("type", "object", "properties", asked(Ref(whose+"Sortable"), filters(whose), Ref(whose+"Shown"))))
	b.add(Search(res), extended(nil, nil, "SearchBody", whose+"Asked"))
	b.add(Export(res), extended(nil, nil, "ExportBody", whose+"Asked"))
	b.add(Aggregate(res), extended(object(
		"filters", filters(whose),
		"group_by", List(b.once(whose+"Group")),
		"metrics", List(b.once(whose+"Metric")),
	), nil, "AggregateBody"))
	deleted := res.Common.DeletedAt
	if deleted == nil || !k.Offers("bin") {
		return
	}
	only := object("const", deleted.Path)
	if !b.has("DeletedFilter") {
		b.add("DeletedFilter", b.classes(whose, ownPaths(deleted))[0].conditionOf())
	}
	b.add("Deleted"+whose+"Filter", Any(Ref(whose+"Filter"), Ref("DeletedFilter")))
	b.add(DeletedSearch(res), extended(asked(Any(Ref(whose+"Sortable"), only), filters("Deleted"+whose),
		Any(Ref(whose+"Shown"), only)), nil, "SearchBody"))
}

// once takes a schema out of the document again, to stand in the one place that needs it.
func (b *builder) once(name string) Schema {
	s := b.schemas.get(name).(Object)
	b.schemas = slices.DeleteFunc(b.schemas, func(m Member) bool { return m.Name == name })
	return s
}

// asked are the members of a search that are about the fields of its resource.
func asked(sortable, filters, shown Schema) Object {
	return object("order_by", sortable, "filters", filters, "fields", List(shown))
}

// anyOf is the schema of what fits one of several, or of the only one that there is.
func anyOf(schemas []Schema) Schema {
	if len(schemas) == 1 {
		return schemas[0]
	}
	return Any(schemas...)
}

// filters is the schema of conditions. How many there may be is said where they are described.
func filters(whose string) Schema { return List(Ref(whose + "Filter")) }

// filtered adds the schemas of what a search of a resource can name, show, sort, group, measure and be filtered by.
func (b *builder) filtered(res *schema.Resource) {
	whose := camel(res.Name)
	own, far := b.named(&res.Shape)
	through := []string{}
	if b.covered(own, far) {
		through = append(through, commonNames)
		own = slices.DeleteFunc(own, func(p path) bool { return b.commonPaths[p.String()] != "" })
		far = slices.DeleteFunc(far, func(r reference) bool { return b.commonVias[b.viaName(r)] })
	}
	known := fieldNames(own)
	if len(through) == 0 {
		known.metrics = append([]name{{rest: string(query.Count)}}, known.metrics...)
	}
	known.shown = append(known.shown, b.groups(&res.Shape)...)
	for _, r := range far {
		through = append(through, b.via(r))
	}
	behind := through
	if len(res.Links) > 0 { // the records that others are linked with can only be filtered by
		behind = append(slices.Clone(through), b.links(res))
	}
	b.filter(whose, own, behind)
	b.name(whose, known, through)
}

// filter adds the schema of a condition upon fields, and upon those behind references by theirs.
func (b *builder) filter(whose string, list []path, through []string) {
	conditions := b.conditionsOf(whose, list)
	for _, via := range through {
		conditions = append(conditions, Ref(via+"Filter"))
	}
	b.add(whose+"Filter", anyOf(conditions))
}

// links adds the schema of a condition upon the records that others are linked with, and gives what its name begins with: most that have
// some have the same.
func (b *builder) links(res *schema.Resource) string {
	condition, name := b.conditionsOf(camel(res.Name), ownPaths(res.Links...)), "Links"
	if b.has(name+"Filter") && fmt.Sprint(b.schemas.get(name+"Filter")) != fmt.Sprint(anyOf(condition)) {
		name += camel(res.Name)
	}
	b.add(name+"Filter", anyOf(condition))
	return name
}

// via adds the schemas of what a search can name behind a reference, and gives what their names begin with.
func (b *builder) via(r reference) string {
	via := b.viaName(r)
	if !b.has(via + "Filter") {
		beyond := fieldNames(r.paths)
		beyond.shown = append(beyond.shown, r.groups...)
		b.add(via+"Filter", anyOf(b.conditionsOf(camel(r.target), r.paths)))
		b.name(via, beyond, nil)
	}
	return via
}

// commonNames is what the schemas of what a search of any resource can name begin with.
const commonNames = "Common"

// commonSearch finds what all resources can be searched by, and adds the schemas of that.
func (b *builder) commonSearch() {
	times, vias := map[string]int{}, map[string]int{}
	var list []path
	var far []reference
	for _, k := range record.Kinds() {
		list, far = b.named(&b.of(&k.Resource).Shape)
		for _, p := range list {
			times[p.String()+" "+b.condition(camel(k.Name), p.leaf)]++
		}
		for _, r := range far {
			vias[b.viaName(r)]++
		}
	}
	last := record.Kinds()[len(record.Kinds())-1]
	b.commonPaths, b.commonVias = map[string]string{}, map[string]bool{}
	var own []path
	for _, p := range list {
		condition := b.condition(camel(last.Name), p.leaf)
		if times[p.String()+" "+condition] == len(record.Kinds()) {
			own, b.commonPaths[p.String()] = append(own, p), condition
		}
	}
	var through []string
	for _, r := range far {
		if via := b.viaName(r); vias[via] == len(record.Kinds()) {
			through, b.commonVias[via] = append(through, b.via(r)), true
		}
	}
	known := fieldNames(own)
	known.metrics = append([]name{{rest: string(query.Count)}}, known.metrics...)
	b.filter(commonNames, own, through)
	b.name(commonNames, known, through)
}

// covered tells whether what all resources can be searched by is among some fields and references.
func (b *builder) covered(own []path, far []reference) bool {
	paths, vias := 0, 0
	for _, p := range own {
		if b.commonPaths[p.String()] != "" {
			paths++
		}
	}
	for _, r := range far {
		if b.commonVias[b.viaName(r)] {
			vias++
		}
	}
	return paths == len(b.commonPaths) && vias == len(b.commonVias)
}

func (b *builder) conditionsOf(whose string, list []path) (out []Schema) {
	for _, c := range b.classes(whose, list) {
		out = append(out, c.conditionOf())
	}
	return out
}

// nameable is what fields are called where they are shown, sorted, grouped and measured by.
type nameable struct {
	sortable, grouped, metrics []name
	// others are those that can be shown and not sorted by, and shown objects, of which the fields are named, too.
	others []name
	shown  []string
}

func fieldNames(list []path) (n nameable) {
	for _, p := range list {
		if p.leaf.Kind.Scalar() {
			n.sortable = append(n.sortable, p.name)
		} else {
			n.others = append(n.others, p.name)
		}
		for _, group := range query.GroupNames(p.rest, p.leaf.Kind) {
			n.grouped = append(n.grouped, name{via: p.via, rest: group})
		}
		for _, metric := range query.MetricNames(p.rest, p.leaf.Kind) {
			measure, _, _ := strings.Cut(metric, ":")
			n.metrics = append(n.metrics, name{measure + ":", p.via, p.rest})
		}
	}
	return n
}

// leastPlain is from how many names on those that can both be sorted and grouped by have a schema of their own.
const leastPlain = 9

// name adds the schemas of names, of those behind references by theirs.
func (b *builder) name(whose string, n nameable, through []string) {
	add := func(what string, own []name) {
		var all []Schema
		if len(own) > 0 {
			all = append(all, oneOf(own))
		}
		if (what == "Sortable" || what == "Group") && b.has(whose+"Plain") {
			all = append(all, Ref(whose+"Plain"))
		}
		for _, via := range through {
			if b.has(via + what) {
				all = append(all, Ref(via+what))
			}
		}
		if len(all) > 0 {
			b.add(whose+what, anyOf(all))
		}
	}
	// Most of what can be sorted by can be grouped by, too, and has a name of its own where that is shorter.
	var plain []name
	for _, one := range n.sortable {
		if slices.Contains(n.grouped, one) {
			plain = append(plain, one)
		}
	}
	if len(plain) >= leastPlain && len(n.sortable) <= mostListed {
		b.add(whose+"Plain", oneOf(plain))
		other := func(one name) bool { return slices.Contains(plain, one) }
		n.sortable, n.grouped = slices.DeleteFunc(slices.Clone(n.sortable), other), slices.DeleteFunc(slices.Clone(n.grouped), other)
	}
	add("Sortable", n.sortable)
	for _, group := range n.shown {
		n.others = append(n.others, name{rest: group})
	}
	shown := []Schema{Ref(whose + "Sortable")} // which has those behind references
	if len(n.others) > 0 {
		shown = append(shown, oneOf(n.others))
	}
	for _, via := range through {
		shown = append(shown, Ref(via+"Shown"))
	}
	b.add(whose+"Shown", anyOf(shown))
	add("Group", n.grouped)
	add("Metric", n.metrics)
}

// auditLog adds what a search of the audit log takes and answers: as any other, but that it has one order and no text to look for.
func (b *builder) auditLog() {
	res := record.Registry.Audit
	whose := Record(res)
	b.filtered(res)
	search := slices.DeleteFunc(searchMembers(), func(m Member) bool { return m.Name == "search_text" })
	conditions := filters(whose).with("maxItems", query.MaxFilters)
	b.add(Search(res), AllOptional(append(search, asked(Enum(res.Common.CreatedAt.Path), conditions, Ref(whose+"Shown"))...)))
	b.add(whose+"Row", Described(AllOptional(b.some(whose, &res.Shape, res.Leaves)),
		"A line of the audit log: with all fields, or those that were asked for."))
	b.add(Page(res), Strict(object("data", List(Ref(whose+"Row")), "meta", Ref("PageMeta"))))
}

// bodies adds what the bodies of searches have that is the same for all resources.
func (b *builder) bodies() {
	open := func(members Object) Schema { return object("type", "object", "properties", members) }
	b.add("SearchText", searchText)
	b.add("Presence", Strict(object("field", Plain("string"), "operator", Enum(string(query.IsSet), string(query.IsNotSet)))))
	search := searchMembers()
	about := object(
		"order_by", Described(Schema{}, "created_at when not given."),
		"filters", aboutFilters(),
		"fields", Described(Schema{}, "The fields to answer; all when not given."),
	)
	b.add("SearchBody", open(append(search, about...)))
	common := slices.DeleteFunc(searchMembers(),
		func(m Member) bool { return slices.Contains([]string{"limit", "cursor", "skip", "total"}, m.Name) })
	b.add("ExportBody", Described(open(append(append(object(
		"format", Described(Enum(query.Formats...), whenNotGiven(string(query.CSV))),
		"limit", object("type", "integer", "minimum", 1, "maximum", query.MaxExported, "description",
			"How many records there are at most; "+whenNotGiven("all")),
	), common...), about...)), "All records that a search with the same filters and text finds. Needs the feature permission export."))
	b.add("AggregateBody", Described(open(object(
		"filters", aboutFilters(),
		"search_text", Ref("SearchText"),
		"group_by", Described(object("maxItems", query.MaxGroups),
			"What the records of a row have in common; times by their day, week, month, quarter or year in the time zone."),
		"metrics", Described(object("maxItems", query.MaxMetrics, "minItems", 1), "The figures of each row; count when not given."),
		"order_by", Described(Plain("string"), "One of the groups or metrics; the first metric when not given."),
		"sort_direction", Described(Enum("asc", "desc"), whenNotGiven("desc")),
		"timezone", Described(Plain("string"), "Where the periods of times begin: an IANA time zone; the business's when not given."),
		"limit", object("type", "integer", "minimum", 1, "maximum", query.MaxRows, "description",
			"How many rows there are at most; "+whenNotGiven(strconv.Itoa(query.MaxRows))),
	)), "Exact figures of the records that a search with the same filters and text finds, in all or by group."))
}

// aboutFilters describes the conditions of any search.
func aboutFilters() Schema {
	return object("maxItems", query.MaxFilters, "description", "Conditions, which must all hold.")
}

// figures adds the schema of what aggregates answer.
func (b *builder) figures() {
	cell := object("type", []string{"string", "number", "boolean", "null"})
	row := object("type", "object", "additionalProperties", cell, "description",
		"The groups and metrics by the names by which they were asked for; currency where money is among them, and from and to where a "+
			"group is a period.")
	b.add(Figures, Strict(object("data", List(row), "meta", Strict(object("has_more", Plain("boolean"))))))
}

var searchText = object("type", "string", "maxLength", query.MaxSearchText, "description",
	"Words that the record must contain, each somewhere, regardless of case and accents.")

// searchMembers are the members of a search that are the same for all resources.
func searchMembers() Object {
	return object(
		"limit", object("type", "integer", "minimum", 1, "maximum", query.MaxLimit, "description",
			"How many records a page has at most; "+whenNotGiven(strconv.Itoa(query.DefaultLimit))),
		"cursor", Described(Nullable(Plain("string")), "meta.cursor.next of the page before; the rest of the body must be the same."),
		"skip", object("type", "integer", "minimum", 0, "maximum", query.MaxSkip, "description",
			"How many records come before the page, in place of a cursor; "+whenNotGiven("0")),
		"sort_direction", Described(Enum("asc", "desc"), whenNotGiven("desc")),
		"search_text", Ref("SearchText"),
		"total", object("type", "boolean", "description", "Whether to count all matches, also where that has to be done."),
	)
}
