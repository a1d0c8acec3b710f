package store_test

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// This file says once more, and as plainly as possible, what a search answers: it looks at every record, one after the other. It shares
// no code with the store; only folding is taken from package query, because that is the definition of which texts are equal.

// world is everything that one business has.
type world struct {
	records map[string][]*schema.Record
	// user searches; own names the resources of which the user may read only their own records.
	user schema.UUID
	own  map[string]bool
	// today is the day on which the search runs.
	today int64
	// zone is where the business is.
	zone string
	// fragments are what its texts are made of.
	fragments []string
	// extended is the resource to which the business added fields, or nil, and fields are their definitions.
	extended *schema.Resource
	fields   []*schema.Record
}

// filter is one condition of a search. meant are the operands as values; written are the same operands as JSON.
type filter struct {
	field    string
	operator string
	meant    []schema.Value
	written  []string
}

// search is a search body.
type search struct {
	resource *schema.Resource
	bin      bool
	filters  []filter
	text     string
	orderBy  string
	desc     bool
	limit    int
	// shown are fields of referenced records that are to be answered.
	shown []string
}

// matches gives the records that a search finds.
func (w *world) matches(s search) (found []*schema.Record) {
	for _, rec := range w.records[s.resource.Name] {
		if !rec.Live() != s.bin || !w.sees(s.resource, rec) || !w.hasText(s.resource, rec, s.text) {
			continue
		}
		if !slices.ContainsFunc(s.filters, func(f filter) bool { return !w.holds(s.resource, rec, f) }) {
			found = append(found, rec)
		}
	}
	return found
}

// answer gives the ids of all matches, in order.
func (w *world) answer(s search) []string {
	found := w.matches(s)
	direction := 1
	if s.desc {
		direction = -1
	}
	slices.SortFunc(found, func(a, b *schema.Record) int {
		leaf, x := w.resolve(s.resource, a, s.orderBy)
		_, y := w.resolve(s.resource, b, s.orderBy)
		switch {
		case x.Set && !y.Set:
			return -1
		case !x.Set && y.Set:
			return 1
		case x.Set:
			if c := order(leaf, x, y); c != 0 {
				return c * direction
			}
		}
		return strings.Compare(a.Get(a.Common.ID).S, b.Get(b.Common.ID).S) * direction
	})
	ids := []string{}
	for _, rec := range found {
		ids = append(ids, schema.FormatID(s.resource.Name, rec.ID()))
	}
	return ids
}

// onlyOwn tells whether the user reads only their own records of a resource: where they reach no further, and what is personal.
func (w *world) onlyOwn(res *schema.Resource) bool { return w.own[res.Name] || res.Access.Personal }

// sees tells whether the user may read a record: one of their own where they reach no further or nobody shares it, otherwise any.
func (w *world) sees(res *schema.Resource, rec *schema.Record) bool {
	shared := res.SharedLeaf == nil || rec.Get(res.SharedLeaf).True()
	for _, l := range res.EndLeaves {
		if name, id, _ := schema.RecordOf(rec.Text(l)); !w.seesEnd(name, id) {
			return false
		}
	}
	return !w.onlyOwn(res) && shared || w.owned(res, rec)
}

// seesEnd tells whether the user may read the record at an end of a link, be it live or deleted.
func (w *world) seesEnd(resource string, id schema.UUID) bool {
	if !w.own[resource] {
		return true
	}
	return slices.ContainsFunc(w.records[resource], func(rec *schema.Record) bool {
		return rec.ID() == id && w.owned(record.Registry.Resource(resource), rec)
	})
}

// linkedWith are the ids of the records of another resource that a record is linked with, as far as the user may see.
func (w *world) linkedWith(res *schema.Resource, rec *schema.Record, far string) (ids []schema.UUID) {
	association := record.Registry.Resource("association")
	self := schema.FormatID(res.Name, rec.ID())
	for _, link := range w.records[association.Name] {
		if !link.Live() || w.own[association.Name] && !w.owned(association, link) {
			continue
		}
		ends := []string{link.Text(association.EndLeaves[0]), link.Text(association.EndLeaves[1])}
		for i, end := range ends {
			name, id, _ := schema.RecordOf(ends[1-i])
			if end == self && name == far && w.seesEnd(name, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// linkHolds decides about a condition on what a record is linked with.
func (w *world) linkHolds(res *schema.Resource, rec *schema.Record, far string, f filter) bool {
	ids := w.linkedWith(res, rec, far)
	any := slices.ContainsFunc(f.meant, func(v schema.Value) bool { return slices.Contains(ids, v.UUID()) })
	switch f.operator {
	case "is_set":
		return len(ids) > 0
	case "is_not_set":
		return len(ids) == 0
	case "nin":
		return !any
	default:
		return any
	}
}

func (w *world) owned(res *schema.Resource, rec *schema.Record) bool {
	return slices.ContainsFunc(res.Owners, func(l *schema.Leaf) bool { return rec.Get(l).Set && rec.Get(l).UUID() == w.user })
}

// resolve reads a field of a record, or of a record that it refers to.
func (w *world) resolve(res *schema.Resource, rec *schema.Record, field string) (*schema.Leaf, schema.Value) {
	if l := res.Leaf(field); l != nil {
		return l, w.current(res, rec, l)
	}
	head, rest := cutReference(field)
	shape, read := w.follow(res, rec, head)
	leaf := shape.Leaf(rest)
	if read == nil {
		return leaf, schema.Absent(leaf.Kind)
	}
	return leaf, read(leaf)
}

// cutReference cuts the name of a field behind a reference into those of both. An added reference has a name of two parts.
func cutReference(field string) (reference, rest string) {
	added, inside := strings.CutPrefix(field, "custom_fields.")
	reference, rest, _ = strings.Cut(added, ".")
	if inside {
		reference = "custom_fields." + reference
	}
	return reference, rest
}

// follow gives the shape of what a reference leads to, and how its fields are read; nil where there is nothing, or nothing that the
// user may read.
func (w *world) follow(res *schema.Resource, rec *schema.Record, head string) (*schema.Shape, func(*schema.Leaf) schema.Value) {
	via := res.Leaf(head + "_id")
	if via == nil {
		via = res.Leaf(head)
	}
	id := rec.Get(via)
	readable := func(target *schema.Resource) (found []*schema.Record) {
		for _, other := range w.records[target.Name] {
			if id.Set && other.Live() && w.sees(target, other) {
				found = append(found, other)
			}
		}
		return found
	}
	if part := via.ListItem; part != nil {
		for _, whole := range readable(part.Whole) {
			for _, item := range objects(whole.Get(part.List)) {
				if item["id"] == schema.FormatID(part.Name, id.UUID()) {
					return part.Shape, func(l *schema.Leaf) schema.Value { return fromJSON(l, item[l.Name]) }
				}
			}
		}
		return part.Shape, nil
	}
	for _, other := range readable(via.Target) {
		if other.ID() == id.UUID() {
			return &via.Target.Shape, func(l *schema.Leaf) schema.Value { return w.current(via.Target, other, l) }
		}
	}
	return &via.Target.Shape, nil
}

// objects reads a list of objects from the JSON in which it is kept.
func objects(v schema.Value) (list []map[string]any) {
	if !v.Set {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(v.S))
	d.UseNumber()
	if err := d.Decode(&list); err != nil {
		panic(err)
	}
	return list
}

// fromJSON is the value of a field of a list's item.
func fromJSON(l *schema.Leaf, v any) schema.Value {
	switch v := v.(type) {
	case string:
		if l.Kind == schema.ID {
			id, err := schema.ParseID(l.IDPrefix, v)
			if err != nil {
				panic(err)
			}
			return schema.IDValue(id)
		}
		return schema.TextValue(l.Kind, v)
	case json.Number:
		n, err := schema.ParseDecimal(v.String())
		if err != nil {
			panic(err)
		}
		if l.Kind == schema.Integer {
			n /= schema.DecimalOne
		}
		return schema.IntValue(l.Kind, n)
	}
	return schema.Absent(l.Kind)
}

// shows is what a search answers of a record: its id, and what it asks for of referenced records.
func (w *world) shows(s search, rec *schema.Record) map[string]any {
	answer := map[string]any{"id": schema.FormatID(s.resource.Name, rec.ID())}
	for _, field := range s.shown {
		head, rest := cutReference(field)
		shape, read := w.follow(s.resource, rec, head)
		answer, name := answer, head
		if inside, added := strings.CutPrefix(head, "custom_fields."); added {
			if answer["custom_fields"] == nil {
				answer["custom_fields"] = map[string]any{}
			}
			answer, name = answer["custom_fields"].(map[string]any), inside
		}
		if read == nil {
			answer[name] = nil
			continue
		}
		if answer[name] == nil {
			answer[name] = map[string]any{}
		}
		object := answer[name].(map[string]any)
		if leaf := shape.Leaf(rest); leaf.Of == nil {
			object[leaf.Name] = decoded(schema.AppendValue(nil, leaf, read(leaf)))
		} else {
			object[leaf.Of.Name] = part(s, head, shape, leaf.Of, read)
		}
	}
	return answer
}

// part is an object inside of a referenced record: nil where all that is asked for of it is absent.
func part(s search, head string, shape *schema.Shape, of *schema.Field, read func(*schema.Leaf) schema.Value) any {
	parts, found := map[string]any{}, false
	for _, l := range shape.Group(of) {
		if slices.Contains(s.shown, head+"."+l.Path) {
			parts[l.Name] = decoded(schema.AppendValue(nil, l, read(l)))
			found = found || read(l).Set
		}
	}
	if !found {
		return nil
	}
	return parts
}

func decoded(text []byte) (v any) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// current is a value as it is today: a sent quote whose last day is over is expired.
func (w *world) current(res *schema.Resource, rec *schema.Record, l *schema.Leaf) schema.Value {
	v := rec.Get(l)
	if res.Name == "quote" && l.Path == "status" && v.S == "sent" && rec.Get(rec.Must("valid_until")).Set &&
		rec.Get(rec.Must("valid_until")).N < w.today {
		v.S = "expired"
	}
	return v
}

func isText(k schema.Kind) bool { return k == schema.Text || k == schema.LongText }

// plainly brings a text to the form in which texts of a field are compared: phone numbers as their digits, addresses and codes without
// regard to case, all others without regard to case and accents.
func plainly(l *schema.Leaf, text string) string {
	switch l.Format {
	case schema.Phone:
		digits := ""
		for _, r := range query.Fold(text) {
			if r >= '0' && r <= '9' {
				digits += string(r)
			}
		}
		return digits
	case schema.Email, schema.URL, schema.Domain, schema.Code:
		return query.FoldCase(text)
	default:
		return query.Fold(text)
	}
}

// order tells which of two present values comes first: choices as they are declared, everything else as it compares.
func order(l *schema.Leaf, a, b schema.Value) int {
	if l.Kind == schema.Choice {
		return cmp.Compare(slices.Index(l.Options, a.S), slices.Index(l.Options, b.S))
	}
	return compare(l, a, b)
}

// compare compares two present values of a field. Texts go by their plain form, character by character.
func compare(l *schema.Leaf, a, b schema.Value) int {
	switch k := l.Kind; {
	case isText(k):
		return slices.Compare([]rune(plainly(l, a.S)), []rune(plainly(l, b.S)))
	case k == schema.Choice || k == schema.ID:
		return strings.Compare(a.S, b.S)
	case k == schema.Number:
		return cmp.Compare(math.Float64frombits(uint64(a.N)), math.Float64frombits(uint64(b.N)))
	default:
		return cmp.Compare(a.N, b.N)
	}
}

func (w *world) holds(res *schema.Resource, rec *schema.Record, f filter) bool {
	if far, linked := strings.CutPrefix(f.field, "associations."); linked {
		return w.linkHolds(res, rec, far, f)
	}
	l, v := w.resolve(res, rec, f.field)
	one := func(operand schema.Value) bool {
		switch {
		case !v.Set:
			return false
		case l.Kind == schema.Tags || l.Kind == schema.Choices:
			return slices.ContainsFunc(items(v), func(item string) bool { return query.Fold(item) == query.Fold(operand.S) })
		default:
			return compare(l, v, operand) == 0
		}
	}
	against := func(wanted ...int) bool { return v.Set && slices.Contains(wanted, compare(l, v, f.meant[0])) }
	switch f.operator {
	case "eq":
		return one(f.meant[0])
	case "neq":
		return !one(f.meant[0])
	case "in":
		return slices.ContainsFunc(f.meant, one)
	case "nin":
		return !slices.ContainsFunc(f.meant, one)
	case "contains":
		if isText(l.Kind) {
			return v.Set && strings.Contains(plainly(l, v.S), plainly(l, f.meant[0].S))
		}
		return one(f.meant[0])
	case "starts_with":
		return v.Set && strings.HasPrefix(plainly(l, v.S), plainly(l, f.meant[0].S))
	case "gt":
		return against(1)
	case "gte":
		return against(0, 1)
	case "lt":
		return against(-1)
	case "lte":
		return against(-1, 0)
	case "between":
		return v.Set && compare(l, v, f.meant[0]) >= 0 && compare(l, v, f.meant[1]) <= 0
	case "is_set":
		return v.Set
	case "is_not_set":
		return !v.Set
	}
	panic("no such operator: " + f.operator)
}

// items reads a list of texts from the JSON in which it is kept.
func items(v schema.Value) []string {
	var texts []string
	if err := json.Unmarshal([]byte(v.S), &texts); err != nil {
		panic(err)
	}
	return texts
}

// hasText tells whether every word of the text occurs in some searchable field.
func (w *world) hasText(res *schema.Resource, rec *schema.Record, text string) bool {
	for _, word := range strings.Fields(query.Fold(text)) {
		has := func(l *schema.Leaf) bool { return l.Find.Searchable && hasWord(l, rec.Values[l.Index], word) }
		if !slices.ContainsFunc(res.Leaves, has) {
			return false
		}
	}
	return true
}

func hasWord(l *schema.Leaf, v schema.Value, word string) bool {
	if !v.Set {
		return false
	}
	texts := []string{v.S}
	if l.Kind == schema.Tags {
		texts = items(v)
	}
	for _, text := range texts {
		candidates := strings.Fields(query.Fold(text))
		if l.Format == schema.Phone && strings.Trim(word, "0123456789") == "" {
			candidates = append(candidates, plainly(l, text))
		}
		for _, candidate := range candidates {
			if strings.HasPrefix(candidate, word) || utf8.RuneCountInString(word) >= 3 && strings.Contains(candidate, word) {
				return true
			}
		}
	}
	return false
}

// body writes a search as JSON.
func (s search) body(cursor string, skip int) []byte {
	doc := map[string]any{"limit": s.limit, "fields": append([]string{"id"}, s.shown...)}
	if s.orderBy != "created_at" {
		doc["order_by"] = s.orderBy
	}
	if !s.desc {
		doc["sort_direction"] = "asc"
	}
	if s.text != "" {
		doc["search_text"] = s.text
	}
	if cursor != "" {
		doc["cursor"] = cursor
	}
	if skip > 0 {
		doc["skip"] = skip
	}
	var conditions []map[string]any
	for _, f := range s.filters {
		c := map[string]any{"field": f.field, "operator": f.operator}
		raw := []json.RawMessage{}
		for _, operand := range f.written {
			raw = append(raw, json.RawMessage(operand))
		}
		switch f.operator {
		case "is_set", "is_not_set":
		case "in", "nin", "between":
			c["values"] = raw
		default:
			c["value"] = raw[0]
		}
		conditions = append(conditions, c)
	}
	if conditions != nil {
		doc["filters"] = conditions
	}
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return text
}

// operators are those that a kind of field takes.
func operators(k schema.Kind) []string {
	switch k {
	case schema.Text, schema.LongText:
		return []string{"eq", "neq", "in", "nin", "contains", "starts_with", "is_set", "is_not_set"}
	case schema.Choice, schema.Bool, schema.ID:
		return []string{"eq", "neq", "in", "nin", "is_set", "is_not_set"}
	case schema.Tags, schema.Choices:
		return []string{"contains", "in", "nin", "is_set", "is_not_set"}
	case schema.List, schema.Document:
		return []string{"is_set", "is_not_set"}
	default:
		return []string{"eq", "neq", "in", "nin", "gt", "gte", "lt", "lte", "between", "is_set", "is_not_set"}
	}
}

func dayOf(t time.Time) int64 { return int64(math.Floor(float64(t.Unix()) / 86400)) }
