// Package query turns a search body into a checked Query: the one tree that every engine understands. Nothing is
// read from a database before it is whole.
package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// The limits of a search.
const (
	DefaultLimit  = 25
	MaxLimit      = 100
	MaxFilters    = 50
	MaxValues     = 500
	MaxSearchText = 500
	// MaxReferred is how many names fields may have beside as many as the resource has fields, for those of referenced records.
	MaxReferred = 50
	// MaxFollowed is how many references one search may follow. Each is a table more to join, and databases plan only so many in
	// reasonable time.
	MaxFollowed = 20
	// MaxValuesInAll is how many values the filters of one search may have together.
	MaxValuesInAll = 2000
	// maxExpansion is how many bytes all texts of a search may have once their characters are decomposed; as they are sent, a body
	// has no more.
	maxExpansion = 1 << 20
	// MaxPart is how many characters a text may have that is looked for inside others, and MaxPartBytes how many bytes once it is
	// folded. All words of search_text together may have as many.
	MaxPart      = 500
	MaxPartBytes = 4 * MaxPart
	// MaxSkip is how many records a page may leave out before it.
	MaxSkip = 1_000_000
	// TotalCap is the number of matches up to which a search is counted whose total was asked for.
	TotalCap = 10_000
	// CountedAnyway is up to how many records of a resource a business has the totals of all its searches, without asking.
	CountedAnyway = 5_000
)

// Operator is how a condition compares.
type Operator string

// The operators.
const (
	Eq         Operator = "eq"
	Neq        Operator = "neq"
	In         Operator = "in"
	Nin        Operator = "nin"
	Contains   Operator = "contains"
	StartsWith Operator = "starts_with"
	Gt         Operator = "gt"
	Gte        Operator = "gte"
	Lt         Operator = "lt"
	Lte        Operator = "lte"
	Between    Operator = "between"
	IsSet      Operator = "is_set"
	IsNotSet   Operator = "is_not_set"
)

// Operators lists all of them.
var Operators = []Operator{Eq, Neq, In, Nin, Contains, StartsWith, Gt, Gte, Lt, Lte, Between, IsSet, IsNotSet}

// Allowed lists the operators that make sense for a kind.
func Allowed(k schema.Kind) []Operator {
	switch k {
	case schema.Text, schema.LongText:
		return []Operator{Eq, Neq, In, Nin, Contains, StartsWith, IsSet, IsNotSet}
	case schema.Choice, schema.Bool, schema.ID:
		return []Operator{Eq, Neq, In, Nin, IsSet, IsNotSet}
	case schema.Tags, schema.Choices, schema.Links:
		return []Operator{Contains, In, Nin, IsSet, IsNotSet}
	case schema.List, schema.Document:
		return []Operator{IsSet, IsNotSet}
	default:
		return []Operator{Eq, Neq, In, Nin, Gt, Gte, Lt, Lte, Between, IsSet, IsNotSet}
	}
}

// Path is a field of the searched resource, or of a record that it refers to.
type Path struct {
	// Ref is the place in Query.Refs of the reference that is followed, or -1.
	Ref  int
	Leaf *schema.Leaf
}

// Condition is one filter. Texts in Values are keys already.
type Condition struct {
	Path
	Operator Operator
	Values   []schema.Value
	// Linked tells how far the caller sees links, where the field is one of Resource.Links.
	Linked Linked
}

// Linked tells which links a condition goes by: where it says so only the user's own, and only those with records that are the user's own.
type Linked struct {
	OwnLinks, OwnRecords bool
	User                 schema.UUID
}

// Ends tells which links are there for somebody: none whose end is of the resources in None, and of those in Own only with records
// that are their own.
type Ends struct {
	None, Own []*schema.Resource
	User      schema.UUID
}

// Ref is a reference that the search follows.
type Ref struct {
	Via *schema.Leaf
	// Own limits the referenced records to the acting user's own.
	Own bool
}

// Position is where a page begins: behind this value and id.
type Position struct {
	Value schema.Value
	ID    schema.UUID
	// Total is the count that the first page found, or -1.
	Total int64
}

// Query is a checked search.
type Query struct {
	Resource *schema.Resource
	// Bin searches the deleted records instead of the live ones.
	Bin bool
	// Own limits the search to the records of this user, where it is set, and with Shared also to those that others share.
	Own    *schema.UUID
	Shared bool
	// Ends limits a search of links to those whose ends may be read; nil where all may.
	Ends    *Ends
	User    schema.UUID
	Refs    []Ref
	Filters []Condition
	// Words are the folded words of search_text.
	Words []string
	Order Path
	Desc  bool
	Limit int
	// Uncounted tells that nobody wants to know how many match.
	Uncounted bool
	// Total asks for the number of matches even where it has to be counted, up to CountTo, or TotalCap where that is 0.
	Total   bool
	CountTo int
	After   *Position
	// Skip is how many matches come before the page, where it does not begin behind a position.
	Skip int
	// Leaves are the fields that are answered, and Through those of referenced records.
	Leaves  []*schema.Leaf
	Through []Through
	// asked is the moment that its value tokens were read by, in microseconds since 1970, or 0 where it has none.
	asked int64
	// digest binds cursors to the query.
	digest Binding
}

// Filtered tells whether the search can leave out live records of the resource.
func (q *Query) Filtered() bool {
	return len(q.Filters) > 0 || len(q.Words) > 0 || q.Own != nil || q.Ends != nil
}

// FiltersBy tells whether a filter follows the i-th reference: then it decides what matches, and not just what is shown or in which order.
func (q *Query) FiltersBy(i int) bool {
	return slices.ContainsFunc(q.Filters, func(f Condition) bool { return f.Ref == i })
}

// Reader is what the check needs to know of the caller.
type Reader interface {
	// CanRead tells whether records of the resource may be read, and whether only one's own. It fails with the reason.
	CanRead(res *schema.Resource) (own bool, err error)
	// Here tells where and when they ask, for value tokens.
	Here() (Here, error)
	// Shaped is a declared resource as the caller's business has it.
	Shaped(res *schema.Resource) *schema.Resource
}

// Check reads a search body. It reports every wrong field; what the caller may not read is its error alone.
func Check(n body.Node, res *schema.Resource, bin bool, who Reader, cursors *Cursors, asker Asker) (*Query, error) {
	c := &checker{
		q:   &Query{Resource: res, Bin: bin, Limit: DefaultLimit, Desc: true, Order: Path{Ref: -1, Leaf: res.Common.CreatedAt}},
		who: who, most: MaxLimit,
	}
	if given, ok := n.Get("cursor"); ok && given.Kind == body.String {
		c.cursor = given.Text
	}
	c.members(n, "a search", searchKeys, nil)
	if given, ok := n.Get("skip"); ok && given.Kind != body.Null && c.cursor != "" {
		c.wrong.Add("skip", "not_allowed", "cannot be given with cursor, which says already where the page begins")
	}
	if c.forbidden != nil && len(c.wrong) == 0 {
		return nil, c.forbidden
	}
	c.q.sign()
	if c.cursor != "" && len(c.wrong) == 0 {
		after, err := cursors.open(c.q, asker, c.cursor)
		if err != nil {
			c.wrong.Add("cursor", "invalid_cursor", err.Error())
		}
		c.q.After = after
	}
	if err := c.wrong.Err(); err != nil {
		return nil, err
	}
	if c.q.Leaves == nil && c.q.Through == nil {
		c.q.Leaves = res.Visible(bin)
	}
	return c.q, nil
}

var searchKeys = []string{"limit", "cursor", "skip", "order_by", "sort_direction", "search_text", "filters", "fields", "total"}

// members reads what a body of some sort may have: some in its own way.
func (c *checker) members(n body.Node, of string, known []string, own map[string]func(body.Node)) {
	for _, m := range n.Members {
		if m.Again {
			c.wrong.Add(m.Name, "duplicate_key", "is given more than once")
			continue
		}
		if !slices.Contains(known, m.Name) {
			c.wrong.Add(m.Name, "unknown_field", "is not a part of "+of+problem.DidYouMean(m.Name, known), known...)
			continue
		}
		if m.Value.Kind == body.Null {
			continue
		}
		if read := own[m.Name]; read != nil {
			read(m.Value)
			continue
		}
		switch m.Name {
		case "limit":
			c.whole("limit", m.Value, 1, c.most, &c.q.Limit)
		case "skip":
			c.whole("skip", m.Value, 0, MaxSkip, &c.q.Skip)
		case "cursor":
			if m.Value.Kind != body.String || m.Value.Text == "" {
				c.wrong.Add("cursor", "invalid_cursor", "must be the value of meta.cursor.next of the previous page")
			}
		case "order_by":
			c.orderBy(m.Value)
		case "sort_direction":
			c.sortDirection(m.Value)
		case "search_text":
			c.searchText(m.Value)
		case "filters":
			c.filters(m.Value)
		case "fields":
			c.fields("fields", m.Value)
		case "total":
			if m.Value.Kind != body.Bool {
				c.wrong.Add("total", "wrong_type", "must be true or false, not "+m.Value.Kind.Name())
			}
			c.q.Total = m.Value.Text == "true"
		}
	}
}

type checker struct {
	q *Query
	// most is how many records may be asked for.
	most int
	// values counts what the filters compare with.
	values int
	// expansion is how many bytes the texts have that they compare with, see Expansion.
	expansion int
	who       Reader
	// cursor is what the page begins behind, as it was given, and place where and when the search is asked, once a value token needs it.
	cursor    string
	place     *Here
	wrong     problem.Fields
	forbidden error
}

// whole reads a number of records.
func (c *checker) whole(name string, n body.Node, least, most int, into *int) {
	number, err := strconv.ParseFloat(n.Text, 64)
	switch {
	case n.Kind != body.Number || err == nil && number != float64(int64(number)):
		c.wrong.Add(name, "wrong_type", fmt.Sprintf("must be a whole number from %d to %d", least, most))
	case err != nil || number < float64(least) || number > float64(most):
		c.wrong.Add(name, "out_of_range", fmt.Sprintf("must be from %d to %d", least, most))
	default:
		*into = int(number)
	}
}

func (c *checker) sortDirection(n body.Node) {
	if n.Kind != body.String || n.Text != "asc" && n.Text != "desc" {
		c.wrong.Add("sort_direction", "not_allowed", "must be asc or desc", "asc", "desc")
	}
	c.q.Desc = n.Text != "asc"
}

func (c *checker) searchText(n body.Node) {
	switch {
	case n.Kind != body.String:
		c.wrong.Add("search_text", "wrong_type", "must be a string, not "+n.Kind.Name())
	case utf8.RuneCountInString(n.Text) > MaxSearchText:
		c.wrong.Add("search_text", "too_long", fmt.Sprintf("must have at most %d characters", MaxSearchText))
	case strings.IndexByte(n.Text, 0) >= 0:
		c.wrong.Add("search_text", "invalid_characters", "must not contain the NUL character")
	default:
		folded := Fold(n.Text)
		if len(folded) > MaxPartBytes {
			c.wrong.Add("search_text", "too_long", fmt.Sprintf("must have at most %d bytes in its plain form", MaxPartBytes))
			return
		}
		c.q.Words = distinct(Words(folded))
	}
}

func (c *checker) orderBy(n body.Node) {
	if n.Kind != body.String {
		c.wrong.Add("order_by", "wrong_type", "must be the name of a field, not "+n.Kind.Name())
		return
	}
	path, ok := c.path("order_by", n.Text, schema.Kind.Scalar)
	if !ok {
		return
	}
	if !path.Leaf.Kind.Scalar() {
		c.wrong.Add("order_by", "not_sortable", "is a "+path.Leaf.Kind.Name()+" and cannot be sorted by",
			names(&c.q.Resource.Shape, c.q.Bin, schema.Kind.Scalar)...)
		return
	}
	c.q.Order = path
}

// path resolves a field name, following at most one reference.
func (c *checker) path(at, name string, usable func(schema.Kind) bool) (Path, bool) {
	res := c.q.Resource
	if l := res.Leaf(name); l != nil && (!l.Writing.BinOnly || c.q.Bin) {
		return Path{Ref: -1, Leaf: l}, true
	}
	if f := res.Field(name); f != nil && f.Kind == schema.Group {
		var inside []string
		for _, l := range res.Group(f) {
			inside = append(inside, l.Path)
		}
		c.wrong.Add(at, "unknown_field", strconv.Quote(name)+" is an object; name one of its fields", inside...)
		return Path{}, false
	}
	via, rest := c.followed(name)
	if via == nil {
		c.unknown(at, name, res.Name, names(&res.Shape, c.q.Bin, usable))
		return Path{}, false
	}
	referred, shape := c.referred(via)
	l := shape.Leaf(rest)
	if l == nil || l.Writing.BinOnly {
		c.unknown(at, rest, referred, names(shape, false, usable))
		return Path{}, false
	}
	ref, err := c.follow(at, via)
	c.forbid(err)
	return Path{Ref: ref, Leaf: l}, true
}

// followed finds the reference by which a path leaves the searched resource, and what is left of the path behind it; nil where it does not.
func (c *checker) followed(path string) (via *schema.Leaf, rest string) {
	via, rest = c.q.Resource.Follow(path)
	if via != nil && via.Writing.BinOnly && !c.q.Bin {
		return nil, ""
	}
	return via, rest
}

// referred is what a reference leads to, by its name and its shape as the caller's business has it.
func (c *checker) referred(via *schema.Leaf) (name string, shape *schema.Shape) {
	if via.Target != nil {
		return via.Target.Name, &c.who.Shaped(via.Target).Shape
	}
	name, shape, _ = via.Referred()
	return name, shape
}

// follow gives the place of a reference among those that the search follows, or -1 with the reason why the caller may not follow it.
func (c *checker) follow(at string, via *schema.Leaf) (int, error) {
	_, _, res := via.Referred()
	own, err := c.who.CanRead(res)
	if err != nil {
		return -1, err
	}
	if i := slices.IndexFunc(c.q.Refs, func(r Ref) bool { return r.Via == via }); i >= 0 {
		return i, nil
	}
	if len(c.q.Refs) == MaxFollowed {
		if !c.wrong.Has(at) {
			c.wrong.Add(at, "too_many", fmt.Sprintf("follows one reference more than the %d that a search can follow, in filters, order "+
				"and fields together", MaxFollowed))
		}
		return -1, nil
	}
	c.q.Refs = append(c.q.Refs, Ref{Via: via, Own: own})
	return len(c.q.Refs) - 1, nil
}

// links tells how far the caller sees what a condition on linked records goes by: the links, and the records.
func (c *checker) links(l *schema.Leaf) Linked {
	see := func(res *schema.Resource) bool {
		own, err := c.who.CanRead(res)
		c.forbid(err)
		return own
	}
	return Linked{OwnLinks: see(l.Via), OwnRecords: see(l.Target)}
}

// forbid notes the first reason why the caller may not read what they ask for.
func (c *checker) forbid(err error) {
	if c.forbidden == nil {
		c.forbidden = err
	}
}

// unknown reports a name that no field of something has, with the one that may have been meant.
func (c *checker) unknown(at, name, of string, known []string) {
	c.wrong.Add(at, "unknown_field", strconv.Quote(name)+" is not a field of "+of+problem.DidYouMean(name, known), known...)
}

func names(shape *schema.Shape, bin bool, usable func(schema.Kind) bool) []string {
	var paths []string
	for _, l := range shape.Visible(bin) {
		for _, read := range l.Reads {
			if usable(read.Kind) {
				paths = append(paths, read.Path)
			}
		}
		if l.Reads == nil && usable(l.Kind) {
			paths = append(paths, l.Path)
		}
	}
	return paths
}

func anyKind(schema.Kind) bool { return true }

func (c *checker) filters(n body.Node) {
	c.items("filters", n, "conditions", "conditions", MaxFilters, func(at string, item body.Node) {
		if item.Kind != body.Object {
			c.wrong.Add(at, "wrong_type", "must be an object with field, operator, and value or values")
			return
		}
		c.condition(item, at)
	})
}

// items reads an array of at most so many, which are named in full and in short.
func (c *checker) items(name string, n body.Node, of, short string, most int, each func(at string, item body.Node)) {
	switch {
	case n.Kind != body.Array:
		c.wrong.Add(name, "wrong_type", "must be an array of "+of+", not "+n.Kind.Name())
	case len(n.Items) > most:
		c.wrong.Add(name, "too_many", fmt.Sprintf("must have at most %d %s", most, short))
	default:
		for i, item := range n.Items {
			each(name+"["+strconv.Itoa(i)+"]", item)
		}
	}
}

var conditionKeys = []string{"field", "operator", "value", "values"}

func (c *checker) condition(n body.Node, at string) {
	for _, m := range n.Members {
		if m.Again {
			c.wrong.Add(at+"."+m.Name, "duplicate_key", "is given more than once")
			return
		}
		if !slices.Contains(conditionKeys, m.Name) {
			c.wrong.Add(at+"."+m.Name, "unknown_field", "is not a part of a condition"+problem.DidYouMean(m.Name, conditionKeys),
				conditionKeys...)
		}
	}
	field, hasField := n.Get("field")
	op, hasOp := n.Get("operator")
	var path Path
	var linked Linked
	links := c.q.Resource.Links
	known := false
	switch {
	case !hasField:
		c.wrong.Add(at+".field", "required", "must be the name of a field")
	case field.Kind != body.String:
		c.wrong.Add(at+".field", "wrong_type", "must be the name of a field, not "+field.Kind.Name())
	case c.q.Resource.Link(field.Text) != nil:
		path, known = Path{Ref: -1, Leaf: c.q.Resource.Link(field.Text)}, true
		linked = c.links(path.Leaf)
	case len(links) > 0 && strings.HasPrefix(field.Text, links[0].Via.Plural+"."):
		var names []string
		for _, l := range links {
			names = append(names, l.Path)
		}
		c.unknown(at+".field", field.Text, c.q.Resource.Name, names)
	default:
		path, known = c.path(at+".field", field.Text, anyKind)
	}
	allowed := Operators
	if known {
		allowed = Allowed(path.Leaf.Kind)
	}
	operator := Operator(op.Text)
	switch {
	case !hasOp:
		c.wrong.Add(at+".operator", "required", "must be given: an operator", texts(allowed)...)
		return
	case op.Kind != body.String:
		c.wrong.Add(at+".operator", "unknown_operator", "must be the name of an operator, not "+op.Kind.Name(), texts(allowed)...)
		return
	case !slices.Contains(Operators, operator):
		c.wrong.Add(at+".operator", "unknown_operator",
			strconv.Quote(op.Text)+" is not an operator"+problem.DidYouMean(op.Text, texts(Operators)), texts(allowed)...)
		return
	case known && !slices.Contains(allowed, operator):
		c.wrong.Add(at+".operator", "operator_not_allowed",
			fmt.Sprintf("%s cannot be used on %s, which is a %s", operator, path.Leaf.Path, path.Leaf.Kind.Name()), texts(allowed)...)
		return
	}
	cond := Condition{Path: path, Operator: operator, Linked: linked}
	if c.operands(n, at, known, &cond) && known {
		c.q.Filters = append(c.q.Filters, cond)
	}
}

func texts(ops []Operator) []string {
	out := make([]string, len(ops))
	for i, o := range ops {
		out[i] = string(o)
	}
	return out
}

// operands checks that the operator got value or values as it wants, and reads them.
func (c *checker) operands(n body.Node, at string, known bool, cond *Condition) bool {
	value, hasValue := n.Get("value")
	values, hasValues := n.Get("values")
	before := len(c.wrong)
	var given []body.Node
	place := func(i int) string { return at + ".values[" + strconv.Itoa(i) + "]" }
	switch cond.Operator {
	case IsSet, IsNotSet:
		if hasValue {
			c.wrong.Add(at+".value", "not_allowed", string(cond.Operator)+" takes no value")
		}
		if hasValues {
			c.wrong.Add(at+".values", "not_allowed", string(cond.Operator)+" takes no values")
		}
	case In, Nin, Between:
		if hasValue {
			c.wrong.Add(at+".value", "not_allowed", string(cond.Operator)+" takes values, an array, not value")
		}
		switch {
		case !hasValues:
			c.wrong.Add(at+".values", "required", string(cond.Operator)+" takes values, an array")
		case values.Kind != body.Array:
			c.wrong.Add(at+".values", "wrong_type", "must be an array, not "+values.Kind.Name())
		case cond.Operator == Between && len(values.Items) != 2:
			c.wrong.Add(at+".values", "out_of_range", "between takes exactly two values, low and high")
		case len(values.Items) > MaxValues:
			c.wrong.Add(at+".values", "too_many", fmt.Sprintf("must have at most %d values", MaxValues))
		case c.values+len(values.Items) > MaxValuesInAll:
			c.wrong.Add(at+".values", "too_many", fmt.Sprintf("all conditions together must have at most %d values", MaxValuesInAll))
		default:
			c.values += len(values.Items)
			given = values.Items
		}
	default:
		place = func(int) string { return at + ".value" }
		if hasValues {
			c.wrong.Add(at+".values", "not_allowed", string(cond.Operator)+" takes value, not values")
		}
		if !hasValue {
			c.wrong.Add(at+".value", "required", string(cond.Operator)+" takes a value")
		} else {
			given = []body.Node{value}
			c.values++
		}
	}
	if !known || len(c.wrong) > before {
		return false
	}
	for i, item := range given {
		if item.Kind == body.String && cond.Leaf.Kind.Folded() {
			if c.expansion += Expansion(item.Text, maxExpansion-c.expansion); c.expansion > maxExpansion {
				c.wrong.Add(place(i), "too_long", fmt.Sprintf("all values together must have at most %d bytes in their plain form",
					maxExpansion))
				break
			}
		}
		v, wrong := c.operand(item, cond)
		if wrong != nil {
			c.wrong.Add(place(i), wrong.Code, wrong.Message, wrong.Allowed...)
			continue
		}
		cond.Values = append(cond.Values, v)
	}
	if cond.Operator == Between && len(c.wrong) == before && Less(cond.Values[1], cond.Values[0]) {
		c.wrong.Add(at+".values", "out_of_range", "the low value is above the high one")
	}
	return len(c.wrong) == before
}

// operand reads one value to compare with. Texts are not held to the field's own form: one may look for a part of an e-mail address.
func (c *checker) operand(n body.Node, cond *Condition) (schema.Value, *body.Wrong) {
	none := schema.Absent(cond.Leaf.Kind)
	if isToken(n, cond.Leaf) {
		return c.token(n, cond.Leaf)
	}
	if n.Kind == body.Null {
		return none, &body.Wrong{Code: "null_value", Message: "must not be null; use is_set or is_not_set"}
	}
	if cond.Leaf.Kind.Folded() {
		switch {
		case n.Kind != body.String:
			return none, &body.Wrong{Code: "wrong_type", Message: "must be a string, not " + n.Kind.Name()}
		case n.Text == "":
			return none, &body.Wrong{Code: "empty_value", Message: "must not be empty; use is_set or is_not_set"}
		case strings.IndexByte(n.Text, 0) >= 0:
			return none, &body.Wrong{Code: "invalid_characters", Message: "must not contain the NUL character"}
		case utf8.RuneCountInString(n.Text) > body.MaxLongText:
			return none, &body.Wrong{Code: "too_long", Message: fmt.Sprintf("must have at most %d characters", body.MaxLongText)}
		}
		part := cond.Operator == Contains || cond.Operator == StartsWith
		if part && utf8.RuneCountInString(n.Text) > MaxPart {
			return none, &body.Wrong{Code: "too_long", Message: fmt.Sprintf("must have at most %d characters", MaxPart)}
		}
		key := Key(cond.Leaf, n.Text)
		if part && len(key) > MaxPartBytes {
			return none, &body.Wrong{Code: "too_long", Message: fmt.Sprintf("must have at most %d bytes in its plain form", MaxPartBytes)}
		}
		if key == "" && cond.Leaf.Format.Comparison() == schema.ByDigits {
			return none, &body.Wrong{
				Code:    "invalid_format",
				Message: "must have at least one digit: phone numbers are compared by their digits",
			}
		}
		return schema.Value{Kind: cond.Leaf.Kind, Set: true, S: key}, nil
	}
	unbound := *cond.Leaf.Field
	unbound.Min, unbound.Max = nil, nil
	if unbound.Kind == schema.Links {
		unbound.Kind = schema.ID
	}
	leaf := *cond.Leaf
	leaf.Field = &unbound
	v, wrong := body.Scalar(n, &leaf)
	if wrong == nil && !v.Set {
		wrong = &body.Wrong{Code: "empty_value", Message: "must not be empty; use is_set or is_not_set"}
	}
	return v, wrong
}

// Less compares two values of one kind in the order in which they sort.
func Less(a, b schema.Value) bool {
	switch a.Kind {
	case schema.Number:
		return a.Float() < b.Float()
	case schema.Text, schema.LongText, schema.Choice, schema.ID:
		return a.S < b.S
	default:
		return a.N < b.N
	}
}
