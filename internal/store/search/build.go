package search

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Builder writes one statement of a business.
type Builder struct {
	engine.Arguments
	today string
	// Partition follows the names of spread tables.
	Partition string
	// pinned keeps SQLite from beginning with what references lead to: it takes a left join for an inner one where a condition allows that,
	// and then puts it first.
	pinned bool
	// keys leaves out the references that neither filters nor the order follow, as nothing is told of what they lead to.
	keys bool
}

// MakeBuilder begins a statement.
func MakeBuilder(d engine.Dialect, tenant schema.Value) Builder {
	return Builder{Arguments: engine.Arguments{Dialect: d, Tenant: tenant, Values: []schema.Value{tenant}}}
}

// Table is the name of a resource's table.
func (b *Builder) Table(res *schema.Resource) string {
	if res.Storage.Small {
		return res.Plural
	}
	return res.Plural + b.Partition
}

// Column is where a leaf's value is kept.
func (b *Builder) Column(alias string, l *schema.Leaf) string {
	if l.Member != "" {
		return b.Dialect.Member(alias+"."+l.Column.Name, l.Member, l.Kind)
	}
	return alias + "." + l.Column.Name
}

// key is where the form in which a leaf is compared is kept, or its value where that is the form.
func (b *Builder) key(alias string, l *schema.Leaf) string {
	switch {
	case l.Key == "":
		return b.Column(alias, l)
	case l.Member != "":
		return b.Dialect.Member(alias+"."+l.Column.Name, l.Key, schema.Text)
	}
	return alias + "." + l.Key
}

// stored is the expression by which a leaf's value is read. The state of a record whose day has passed is computed here, so no job
// has to run.
func (b *Builder) stored(alias string, l *schema.Leaf) string {
	column := b.Column(alias, l)
	if l.Lapse == nil {
		return column
	}
	return fmt.Sprintf("CASE WHEN %s = '%s' AND %s.%s < %s THEN '%s' ELSE %s END", column, l.Lapse.From, alias, l.Lapse.After.Column.Name,
		b.day(), l.Lapse.To, column)
}

// day marks the argument that is the current day.
func (b *Builder) day() string {
	if b.today == "" {
		b.today = b.Arg(schema.DateValue(time.Now()))
	}
	return b.today
}

// selectLists remembers how whole records are selected, which every statement would otherwise write anew.
var selectLists sync.Map // selectList → string

type selectList struct {
	res    *schema.Resource
	leaves int
	day    string // how the current day is marked, where it matters
}

// Selected lists the expressions by which leaves of t are read.
func (b *Builder) Selected(res *schema.Resource, leaves []*schema.Leaf) string {
	whole := selectList{res: res, leaves: len(leaves)}
	extension, _ := res.Document()
	// the beginning of all declared leaves, and not a choice of them
	known := len(leaves) > 0 && &leaves[0] == &res.Leaves[0] && extension == nil
	if known {
		if slices.ContainsFunc(leaves, func(l *schema.Leaf) bool { return l.Lapse != nil }) {
			whole.day = b.day()
		}
		if text, ok := selectLists.Load(whole); ok {
			return text.(string)
		}
	}
	columns := make([]string, len(leaves))
	for i, l := range leaves {
		columns[i] = b.stored("t", l)
	}
	text := strings.Join(columns, ", ")
	if known {
		selectLists.Store(whole, text)
	}
	return text
}

// compared is the expression by which a leaf is compared.
func (b *Builder) compared(alias string, l *schema.Leaf) string {
	if l.Key != "" {
		return b.key(alias, l)
	}
	return b.stored(alias, l)
}

// ordered is the expression by which a leaf is sorted: choices in the order in which they are declared, a value that is no longer among
// them behind the others.
func (b *Builder) ordered(alias string, l *schema.Leaf) string {
	x := b.compared(alias, l)
	if l.Kind != schema.Choice {
		return x
	}
	var s strings.Builder
	s.WriteString("CAST(CASE " + x)
	for i, option := range l.Options {
		fmt.Fprintf(&s, " WHEN '%s' THEN %d", strings.ReplaceAll(option, "'", "''"), i)
	}
	fmt.Fprintf(&s, " WHEN %s THEN %d END AS bigint)", x, len(l.Options))
	return s.String()
}

// alias names the table that a path reads: t itself or the one behind a reference.
func alias(p query.Path) string {
	if p.Ref < 0 {
		return "t"
	}
	return fmt.Sprintf("r%d", p.Ref)
}

// joins renders the references that the query follows, or only those that its filters follow. A reference to a deleted record, or
// to one that the user may not read, is absent.
func (b *Builder) joins(q *query.Query, filtersOnly bool) string {
	var s strings.Builder
	for i, r := range q.Refs {
		if !q.FiltersBy(i) && (filtersOnly || b.keys && q.Order.Ref != i) {
			continue
		}
		a := alias(query.Path{Ref: i})
		table, where := b.referred(q, i)
		if !q.FiltersBy(i) && r.Via.ListItem == nil {
			where[1] = b.Dialect.LiveByID(a)
		}
		fmt.Fprintf(&s, " LEFT JOIN %s %s ON %s AND %s.id = %s", table, a, strings.Join(where, " AND "), a, b.Column("t", r.Via))
	}
	return s.String()
}

// referred is the table that a reference leads to, and what limits it to the records that are there for the user.
func (b *Builder) referred(q *query.Query, ref int) (table string, where []string) {
	r, a := q.Refs[ref], alias(query.Path{Ref: ref})
	where = []string{a + ".business_id = " + b.TenantMark()}
	if part := r.Via.ListItem; part != nil {
		if r.Own {
			where = append(where, fmt.Sprintf("%s.%s IN (SELECT w.id FROM %s w WHERE w.business_id = %s AND %s)", a,
				layout.WholeColumn(part), part.Whole.Plural, b.TenantMark(), b.Own("w", part.Whole, q.User)))
		}
		return part.Table(), where
	}
	where = append(where, a+"."+engine.Live)
	if r.Own {
		where = append(where, b.Own(a, r.Via.Target, q.User))
	}
	return r.Via.Target.Plural, where
}

// through lists the expressions by which fields of referenced records are read, in the order of Query.Kinds.
func (b *Builder) through(q *query.Query) (columns []string) {
	for _, t := range q.Through {
		if t.Ref < 0 {
			continue
		}
		a := alias(query.Path{Ref: t.Ref})
		columns = append(columns, a+".id")
		for _, l := range t.Leaves {
			columns = append(columns, b.stored(a, l))
		}
	}
	return columns
}

// columns lists what a statement of a search selects: the record's own fields, those of referenced records, and the place in the order.
func (b *Builder) columns(q *query.Query, far []string, order string) string {
	list := slices.Concat(far, []string{order, "t.id"})
	if len(q.Leaves) > 0 {
		list = slices.Insert(list, 0, b.Selected(q.Resource, q.Leaves))
	}
	return strings.Join(list, ", ")
}

// Own limits a table to the records of a user.
func (b *Builder) Own(alias string, res *schema.Resource, user schema.UUID) string {
	mark := b.Arg(schema.IDValue(user))
	parts := make([]string, len(res.Owners))
	for i, l := range res.Owners {
		parts[i] = alias + "." + l.Column.Name + " = " + mark
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

// reached limits a search to the records that are there for the user: their own, and where the search says so those that others share.
func (b *Builder) reached(q *query.Query) string {
	if q.Shared {
		return b.OwnOrShared("t", q.Resource, *q.Own)
	}
	return b.Own("t", q.Resource, *q.Own)
}

// OwnOrShared limits a table to the records of a user and those that others share.
func (b *Builder) OwnOrShared(alias string, res *schema.Resource, user schema.UUID) string {
	return "(" + b.Own(alias, res, user) + " OR " + alias + "." + res.SharedLeaf.Column.Name + " = " + b.Arg(schema.BoolValue(true)) + ")"
}

// Conditions renders what every matching record fulfils, apart from the position of the page.
func (b *Builder) Conditions(q *query.Query) []string {
	out := []string{"t.business_id = " + b.TenantMark()}
	if q.Bin {
		out = append(out, "t.deleted_at IS NOT NULL")
	} else {
		out = append(out, "t."+engine.Live)
	}
	if q.Own != nil {
		out = append(out, b.reached(q))
	}
	return append(out, b.predicates(q)...)
}

// predicates renders filters and text.
func (b *Builder) predicates(q *query.Query) []string {
	var out []string
	for _, f := range q.Filters {
		condition := b.condition(f)
		if b.pinned && f.Ref >= 0 {
			condition = "CASE WHEN " + condition + " THEN 1 ELSE 0 END"
		}
		out = append(out, condition)
	}
	for _, w := range q.Words {
		out = append(out, b.has("t.search_doc", inDocument(w)))
	}
	if q.Ends != nil {
		out = append(out, b.EndsSeen(q.Resource, "t.id", q.Ends))
	}
	return out
}

// inDocument is what a word of search_text must be found as: anywhere once it has three characters, else at the beginning of a word.
func inDocument(word string) string {
	if utf8.RuneCountInString(word) >= 3 {
		return word
	}
	return " " + word
}

func (b *Builder) has(column, needle string) string {
	return b.Dialect.Contains(&b.Arguments, column, needle)
}

// condition renders one filter.
func (b *Builder) condition(f query.Condition) string {
	if f.Leaf.Kind == schema.Links {
		return b.linkCondition(f)
	}
	a := alias(f.Path)
	switch f.Operator {
	case query.IsSet:
		return b.Column(a, f.Leaf) + " IS NOT NULL"
	case query.IsNotSet:
		return b.Column(a, f.Leaf) + " IS NULL"
	}
	if f.Leaf.Kind == schema.Tags || f.Leaf.Kind == schema.Choices {
		return b.membership(a, f)
	}
	if len(f.Values) == 0 {
		return emptySet(f.Operator)
	}
	x := b.compared(a, f.Leaf)
	switch f.Operator {
	case query.Eq, query.In:
		return b.narrowed(a, f, b.compare(x, f.Operator, f.Values))
	case query.Neq:
		return "(" + x + " IS NULL OR " + x + " <> " + b.Arg(f.Values[0]) + ")"
	case query.Nin:
		return "(" + x + " IS NULL OR NOT " + b.Dialect.Among(&b.Arguments, x, f.Values) + ")"
	case query.Contains:
		return b.has(x, f.Values[0].S)
	}
	return b.compare(x, f.Operator, f.Values)
}

var signs = map[query.Operator]string{query.Eq: " = ", query.Gt: " > ", query.Gte: " >= ", query.Lt: " < ", query.Lte: " <= "}

// compare renders the operators that an index in order can serve.
func (b *Builder) compare(x string, o query.Operator, values []schema.Value) string {
	switch o {
	case query.In:
		return b.Dialect.Among(&b.Arguments, x, values)
	case query.StartsWith:
		return b.startsWith(x, values[0].S)
	case query.Between:
		return "(" + x + " >= " + b.Arg(values[0]) + " AND " + x + " <= " + b.Arg(values[1]) + ")"
	}
	return x + signs[o] + b.Arg(values[0])
}

// emptySet renders in and nin without values: nothing is in the empty set. It comes before anything else of the condition is rendered,
// because PostgreSQL refuses arguments that the statement does not use.
func emptySet(o query.Operator) string {
	if o == query.Nin {
		return "(0 = 0)"
	}
	return "(0 = 1)"
}

// narrowed adds to a condition on a computed state the stored states that it can come from, which an index knows.
func (b *Builder) narrowed(a string, f query.Condition, condition string) string {
	if f.Leaf.Lapse == nil {
		return condition
	}
	values := slices.Clone(f.Values)
	for _, v := range f.Values {
		if v.S == f.Leaf.Lapse.To {
			values = append(values, schema.TextValue(schema.Choice, f.Leaf.Lapse.From))
		}
	}
	return "(" + b.Dialect.Among(&b.Arguments, a+"."+f.Leaf.Column.Name, values) + " AND " + condition + ")"
}

// membership renders contains, in and nin on a list: it has one of the values. No list has an item with a separator in it.
func (b *Builder) membership(a string, f query.Condition) string {
	column := b.key(a, f.Leaf)
	var items []string
	for _, v := range f.Values {
		if !slices.Contains(items, v.S) && !strings.Contains(v.S, engine.Separator) {
			items = append(items, v.S)
		}
	}
	if len(items) == 0 {
		return emptySet(f.Operator)
	}
	found := ""
	switch {
	case f.Leaf.Kind == schema.Tags:
		found = b.Dialect.HasItem(&b.Arguments, column, items)
	case len(items) == 1:
		found = b.has(column, `"`+items[0]+`"`)
	default: // what is chosen has neither quotes nor backslashes, so its JSON becomes a key like that of tags
		around := b.Arg(schema.Value{Kind: schema.Text, Set: true, S: engine.Separator})
		found = b.Dialect.HasItem(&b.Arguments, "replace(replace(replace("+column+`, '","', `+around+`), '["', `+around+`), '"]', `+
			around+")", items)
	}
	if f.Operator == query.Nin {
		return "(" + column + " IS NULL OR NOT " + found + ")"
	}
	return found
}

// startsWith renders a prefix match as a range, which every index in byte order can serve.
func (b *Builder) startsWith(x, prefix string) string {
	condition := x + " >= " + b.Arg(schema.Value{Kind: schema.Text, Set: true, S: prefix})
	if end, ok := query.Successor(prefix); ok {
		condition += " AND " + x + " < " + b.Arg(schema.Value{Kind: schema.Text, Set: true, S: end})
	}
	return "(" + condition + ")"
}
