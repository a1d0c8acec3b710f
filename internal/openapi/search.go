package openapi

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"kith/internal/crm"
	"kith/internal/query"
	"kith/internal/schema"
)

// path is a field that a search can name: the resource's own, or that of a record that it refers to.
type path struct {
	name
	leaf *schema.Leaf
}

// named lists the fields that a search of live records can name. A group is named by its parts.
func (b *builder) named(shape *schema.Shape) []path {
	var own, far []path
	for _, l := range singles(shape) {
		own = append(own, path{name{rest: l.Path}, l})
		if _, referred := b.referred(l); referred != nil {
			for _, beyond := range singles(referred) {
				far = append(far, path{name{via: l.RefersAs() + ".", rest: beyond.Path}, beyond})
			}
		}
	}
	return append(own, far...)
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

// groups lists the objects that fields can name as a whole.
func (b *builder) groups(shape *schema.Shape) []string {
	var own, far []string
	of := func(s *schema.Shape, before string) (names []string) {
		for _, f := range s.Tree {
			if f.Kind == schema.Group {
				names = append(names, before+f.Name)
			}
		}
		return names
	}
	own = of(shape, "")
	for _, l := range shape.Leaves {
		if _, referred := b.referred(l); referred != nil {
			far = append(far, of(referred, l.RefersAs()+".")...)
		}
	}
	return append(own, far...)
}

func namesOf(list []path, fits func(path) bool) (names []name) {
	for _, p := range list {
		if fits(p) {
			names = append(names, p.name)
		}
	}
	return names
}

// class is a set of fields that are compared alike: with the same operators, and values of the same form.
type class struct {
	paths     []name
	value     Schema
	operators []query.Operator
}

// classes sorts fields by how they are compared.
func classes(list []path) (all []*class) {
	known, of := map[string]*class{}, map[*schema.Leaf]*class{}
	for _, p := range list {
		if c := of[p.leaf]; c != nil { // many references may lead to it
			c.paths = append(c.paths, p.name)
			continue
		}
		operators := query.Allowed(p.leaf.Kind)
		value := operand(p.leaf)
		told, _ := json.Marshal([]any{value, operators}) // an Object always renders
		c := known[string(told)]
		if c == nil {
			c = &class{value: value, operators: operators}
			known[string(told)] = c
			all = append(all, c)
		}
		of[p.leaf] = c
		c.paths = append(c.paths, p.name)
	}
	return all
}

// operand is the schema of a value that a field is compared with. The bounds of what can be written do not bound what can be asked.
func operand(l *schema.Leaf) Schema {
	switch l.Kind {
	case schema.Text, schema.LongText, schema.Tags, schema.Date, schema.Time:
		return Plain("string")
	case schema.Integer, schema.Number, schema.Percent:
		return Plain("number")
	case schema.Money, schema.Quantity:
		return Any(object("type", "string", "pattern", decimalIn), Plain("number"))
	case schema.Choices, schema.Choice, schema.Bool, schema.ID, schema.Links:
		return single(l, true)
	default:
		return nil
	}
}

// conditions are the schemas of what fields of one class can be compared by.
func (c *class) conditions() (out []Schema) {
	fields := oneOf(c.paths)
	among := func(of ...query.Operator) (names []string) {
		for _, o := range c.operators {
			if slices.Contains(of, o) {
				names = append(names, string(o))
			}
		}
		return names
	}
	with := func(operators []string, name string, value Schema) {
		if len(operators) > 0 {
			out = append(out, Strict(object("field", fields, "operator", Enum(operators...), name, value)))
		}
	}
	with(among(query.Eq, query.Neq, query.Contains, query.StartsWith, query.Gt, query.Gte, query.Lt, query.Lte), "value", c.value)
	if c.value != nil {
		list := List(c.value)
		with(among(query.In, query.Nin), "values", list.with("maxItems", query.MaxValues))
		with(among(query.Between), "values", list.with("minItems", 2).with("maxItems", 2))
	}
	return out
}

// presence is the schema of asking whether fields have a value.
func presence(fields Schema) Schema {
	return Strict(object("field", fields, "operator", Enum(string(query.IsSet), string(query.IsNotSet))))
}

// searches adds the schemas of what a search of a resource takes.
func (b *builder) searches(k *crm.Kind) {
	res, whose := b.of(&k.Resource), camel(k.Name)
	list := b.named(&res.Shape)
	shown := b.filtered(res, list)
	b.add(Search(res), searchBody(Ref(whose+"Sortable"), Ref(whose+"Filter"), shown))

	b.add(Export(res), exportBody(Ref(whose+"Sortable"), Ref(whose+"Filter"), shown))

	b.add(Aggregate(res), aggregateBody(list, Ref(whose+"Filter")))

	deleted := res.Common.DeletedAt
	if deleted == nil || !k.Offers("bin") {
		return
	}
	only := Enum(deleted.Path)
	inBin := append([]Schema{Ref(whose + "Filter"), presence(only)}, classes(ownPaths(deleted))[0].conditions()...)
	b.add(DeletedSearch(res), searchBody(Any(Ref(whose+"Sortable"), only), Any(inBin...), append(shown, only)))
}

// filtered adds the schemas of what a search can name and be filtered by, and gives those of what it can show.
func (b *builder) filtered(res *schema.Resource, list []path) []Schema {
	whose := camel(res.Name)
	everything := func(path) bool { return true }
	b.add(whose+"Field", Described(oneOf(namesOf(list, everything)), "A field of a "+words(res.Name)+", or of a record that it refers to."))
	b.add(whose+"Sortable", oneOf(namesOf(list, func(p path) bool { return p.leaf.Kind.Scalar() })))
	conditions := []Schema{presence(Ref(whose + "Field"))}
	for _, c := range classes(list) {
		conditions = append(conditions, c.conditions()...)
	}
	if links := ownPaths(res.Links...); len(links) > 0 { // the records that others are linked with can only be filtered by
		conditions = append(conditions, presence(oneOf(namesOf(links, everything))))
		for _, c := range classes(links) {
			conditions = append(conditions, c.conditions()...)
		}
	}
	b.add(whose+"Filter", Described(Any(conditions...), "One condition. All conditions of a search must hold."))
	shown := []Schema{Ref(whose + "Field")}
	if names := b.groups(&res.Shape); len(names) > 0 {
		shown = append(shown, Enum(names...))
	}
	return shown
}

// auditLog adds what a search of the audit log takes and answers: as any other, but that it has one order and no text to look for.
func (b *builder) auditLog() {
	res := crm.Registry.Audit
	whose := Record(res)
	shown := b.filtered(res, b.named(&res.Shape))
	search := searchMembers(Enum(res.Common.CreatedAt.Path), Ref(whose+"Filter"), shown)
	b.add(Search(res), AllOptional(slices.DeleteFunc(search, func(m Member) bool { return m.Name == "search_text" })))
	b.add(whose+"Row", Described(AllOptional(b.some(whose, &res.Shape, res.Leaves)), "A line of the audit log: with all fields, or those that were asked for."))
	b.add(Page(res), Strict(object("data", List(Ref(whose+"Row")), "meta", Ref("PageMeta"))))
}

// aggregateBody is the schema of the body of an aggregate by the fields that it can name and what it can be filtered by.
func aggregateBody(list []path, filter Schema) Schema {
	var grouped []name
	metrics := []name{{rest: string(query.Count)}}
	for _, p := range list {
		for _, group := range query.GroupNames(p.rest, p.leaf.Kind) {
			grouped = append(grouped, name{via: p.via, rest: group})
		}
		for _, metric := range query.MetricNames(p.rest, p.leaf.Kind) {
			measure, _, _ := strings.Cut(metric, ":")
			metrics = append(metrics, name{measure + ":", p.via, p.rest})
		}
	}
	return AllOptional(object(
		"filters", object("type", "array", "maxItems", query.MaxFilters, "items", filter),
		"search_text", object("type", "string", "maxLength", query.MaxSearchText, "description", "Words that the record must contain, each somewhere, regardless of case and accents."),
		"group_by", List(oneOf(grouped)).with("maxItems", query.MaxGroups).with("description", "What the records of a row have in common; times by their day, week, month, quarter or year in the business's time zone."),
		"metrics", List(oneOf(metrics)).with("maxItems", query.MaxMetrics).with("minItems", 1).with("description", "The figures of each row; count when not given."),
		"order_by", Described(Plain("string"), "One of the groups or metrics; the first metric when not given."),
		"sort_direction", Enum("asc", "desc").with("default", "desc"),
		"limit", object("type", "integer", "minimum", 1, "maximum", query.MaxRows, "default", query.MaxRows, "description", "How many rows there are at most."),
	))
}

// exportBody is the schema of the body that asks for a file: that of a search without what makes pages.
func exportBody(sortable, filter Schema, shown []Schema) Schema {
	search := slices.DeleteFunc(searchMembers(sortable, filter, shown), func(m Member) bool { return m.Name == "limit" || m.Name == "cursor" || m.Name == "total" })
	return AllOptional(append(object(
		"format", Described(Enum(query.Formats...), whenNotGiven(string(query.CSV))),
		"limit", object("type", "integer", "minimum", 1, "maximum", query.MaxExported, "description", "How many records there are at most; "+whenNotGiven("all")),
	), search...))
}

// figures adds the schema of what aggregates answer.
func (b *builder) figures() {
	cell := object("type", []string{"string", "number", "boolean", "null"})
	row := object("type", "object", "additionalProperties", cell, "description", "The groups and metrics by the names by which they were asked for; currency where money is among them, and from and to where a group is a period.")
	b.add(Figures, Strict(object("data", List(row), "meta", Strict(object("has_more", Plain("boolean"))))))
}

// searchBody is the schema of the body of a search by what it can be ordered and filtered by, and which fields it can ask for.
func searchBody(sortable, filter Schema, shown []Schema) Schema {
	return AllOptional(searchMembers(sortable, filter, shown))
}

func searchMembers(sortable, filter Schema, shown []Schema) Object {
	field := shown[0]
	if len(shown) > 1 {
		field = Any(shown...)
	}
	return object(
		"limit", object("type", "integer", "minimum", 1, "maximum", query.MaxLimit, "description", "How many records a page has at most; "+whenNotGiven(strconv.Itoa(query.DefaultLimit))),
		"cursor", Described(Nullable(Plain("string")), "meta.cursor.next of the page before; the rest of the body must be the same."),
		"order_by", Described(sortable, "created_at when not given."),
		"sort_direction", Described(Enum("asc", "desc"), whenNotGiven("desc")),
		"search_text", object("type", "string", "maxLength", query.MaxSearchText, "description", "Words that the record must contain, each somewhere, regardless of case and accents."),
		"filters", object("type", "array", "maxItems", query.MaxFilters, "items", filter),
		"fields", Described(List(field), "The fields to answer; all when not given."),
		"total", object("type", "boolean", "description", "Whether to count all matches, also where that has to be done."),
	)
}
