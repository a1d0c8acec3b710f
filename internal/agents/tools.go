package agents

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
)

// tool is what a model can call. Its schema and the check of its arguments follow from this declaration.
type tool struct {
	name, about string
	args        []arg
	// writes tells that it changes something, and destroys that something is gone afterwards from where it was.
	writes, destroys bool
	run              func(*call) (body.Node, error)
}

// arg is one argument of a tool.
type arg struct {
	name  string
	kind  argKind
	about string
	// needed arguments must be given.
	needed bool
}

// argKind is what an argument is: in the schema, and when it is read.
type argKind struct {
	schema string
	kind   body.Kind
	// items is the kind of the items of a list.
	items body.Kind
	words string
}

var (
	aText    = argKind{schema: `{"type":"string"}`, kind: body.String, words: "a text"}
	aNumber  = argKind{schema: `{"type":"integer"}`, kind: body.Number, words: "a whole number"}
	aTruth   = argKind{schema: `{"type":"boolean"}`, kind: body.Bool, words: "true or false"}
	anObject = argKind{schema: `{"type":"object"}`, kind: body.Object, words: "an object"}
	someText = argKind{schema: `{"type":"array","items":{"type":"string"}}`, kind: body.Array, items: body.String, words: "a list of texts"}
	objects  = argKind{
		schema: `{"type":"array","items":{"type":"object"}}`, kind: body.Array, items: body.Object,
		words: "a list of objects",
	}
	filters = argKind{
		schema: `{"type":"array","items":{"type":"object","properties":{"field":{"type":"string"},` +
			`"operator":{"type":"string"},"value":{},"values":{"type":"array"}},"required":["field","operator"]}}`, kind: body.Array,
		items: body.Object, words: "a list of {field, operator, value or values}",
	}
)

// Arguments that several tools have.
var (
	resourceArg = arg{name: "resource", kind: aText, needed: true}
	idArg       = arg{name: "id", kind: aText, needed: true}
	idsArg      = arg{name: "ids", kind: someText, about: "1 to 100 of one resource; all or none", needed: true}
	filtersArg  = arg{name: "filters", kind: filters, about: "all must hold"}
	textArg     = arg{name: "search_text", kind: aText, about: "words to find"}
	orderArg    = arg{name: "order_by", kind: aText}
	wayArg      = arg{name: "sort_direction", kind: aText, about: "asc or desc"}
	limitArg    = arg{name: "limit", kind: aNumber}
	cursorArg   = arg{name: "cursor", kind: aText, about: "next of the page before"}
	versionArg  = arg{name: "if_match", kind: aNumber, about: "refuse unless the one record has this version"}
	dryArg      = arg{name: "dry_run", kind: aTruth, about: "only tell what would happen"}
	keyArg      = arg{name: "key", kind: aText, about: "repeating a call with the same key does it once"}
)

func tools() []tool {
	var names []string
	for _, k := range record.Kinds() {
		names = append(names, k.Name)
	}
	return []tool{
		{name: "whoami", about: "Who you act for, and what you may do.", run: (*call).whoami},
		{
			name: "describe", about: "Fields, states and actions of a resource: " + strings.Join(names,
				", ") + ". Without one: what you may do with each.",
			args: []arg{{name: "resource", kind: aText}, {name: "full", kind: aTruth, about: "as JSON, with all there is to know"}},
			run:  (*call).describe,
		},
		{
			name: "search", about: "Find records; without resource, by search_text across all. Operators: eq neq gt gte lt lte contains " +
				"starts_with (value), in nin between (values), is_set is_not_set. A field may follow a reference: company.name, " +
				"owner.email. Dates may be @today, @today-7d, @month_start; user ids @me.",
			args: []arg{
				{name: "resource", kind: aText},
				filtersArg, textArg,
				{name: "fields", kind: someText, about: "to answer, beside id; default: the telling ones"},
				orderArg, wayArg,
				{name: "limit", kind: aNumber, about: "default 20, most 100"},
				cursorArg,
				{name: "deleted", kind: aTruth, about: "look in the bin"},
			}, run: (*call).search,
		},
		{name: "get", about: "One record, whole; what is absent is left out.", args: []arg{idArg}, run: (*call).record},
		{
			name: "aggregate", about: "Count and sum records by groups. metrics: count, sum:amount, avg: min: max:. group_by: up to two " +
				"fields; times with a unit (created_at:month).",
			args: []arg{
				resourceArg,
				{name: "group_by", kind: someText},
				{name: "metrics", kind: someText},
				filtersArg, textArg, orderArg,
				wayArg, limitArg,
			}, run: (*call).aggregate,
		},
		{name: "timeline", about: "What happened around a record, newest first: activities, notes, tasks, its own changes with the " +
			"values before.", args: []arg{idArg, limitArg, cursorArg}, run: (*call).timeline},
		{
			name: "changes", about: "Changes of the whole business after a number, oldest first.",
			args: []arg{{name: "after", kind: aNumber, about: "seq; 0 is the beginning"}, {name: "resources", kind: someText}, limitArg},
			run:  (*call).changes,
		},
		{
			name: "create", about: "Make 1 to 100 records of a resource; all or none.", writes: true,
			args: []arg{
				resourceArg,
				{name: "records", kind: objects, needed: true},
				{name: "match", kind: aText, about: "update the record with the same value in this field instead, e.g. email"},
				dryArg,
				keyArg,
			}, run: (*call).create,
		},
		{
			name: "update", about: "Set fields of records; null empties.", writes: true, destroys: true,
			args: []arg{idsArg, {name: "data", kind: anObject, needed: true}, versionArg, dryArg, keyArg}, run: (*call).update,
		},
		{
			name: "act", about: "Do an action on records, such as win, complete, send, restore; describe tells which there are.",
			writes: true, destroys: true,
			args: []arg{idsArg, {name: "action", kind: aText, needed: true}, {name: "data", kind: anObject}, versionArg, dryArg, keyArg},
			run:  (*call).act,
		},
		{
			name: "delete", about: "Move records to the bin.", writes: true, destroys: true,
			args: []arg{idsArg, versionArg, dryArg, keyArg},
			run:  (*call).remove,
		},
		{
			name: "undo", about: "Take back what a write did, by its undo; what others changed since stays, and is told.", writes: true,
			destroys: true,
			args:     []arg{{name: "request_id", kind: aText, needed: true}, dryArg, keyArg}, run: (*call).takeBack,
		},
	}
}

// schema is the JSON Schema of the arguments.
func (t *tool) schema() json.RawMessage {
	var properties, needed []string
	for _, a := range t.args {
		schema := a.kind.schema
		if a.about != "" {
			schema = strings.TrimSuffix(schema, "}") + `,"description":` + strconv.Quote(a.about) + "}"
		}
		properties = append(properties, strconv.Quote(a.name)+":"+schema)
		if a.needed {
			needed = append(needed, strconv.Quote(a.name))
		}
	}
	out := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if len(needed) > 0 {
		out += `,"required":[` + strings.Join(needed, ",") + `]`
	}
	return json.RawMessage(out + `,"additionalProperties":false}`)
}

// read checks the arguments of a call against the declaration of the tool.
func (c *call) read(arguments []byte) error {
	parsed, err := body.Parse(arguments)
	if err != nil {
		return err
	}
	if c.args, err = parsed.Object(); err != nil {
		return err
	}
	var wrong problem.Fields
	var names []string
	for _, a := range c.tool.args {
		names = append(names, a.name)
		given, ok := c.args.Get(a.name)
		switch {
		case !ok || given.Kind == body.Null:
			if a.needed {
				wrong.Add(a.name, "required", "must be given: "+a.kind.words)
			}
		case given.Kind != a.kind.kind || a.kind.kind == body.Array &&
			slices.ContainsFunc(given.Items, func(n body.Node) bool { return n.Kind != a.kind.items }):
			wrong.Add(a.name, "wrong_type", "must be "+a.kind.words)
		}
	}
	for _, m := range c.args.Members {
		if !slices.Contains(names, m.Name) {
			wrong.Add(m.Name, "unknown_field", "is not an argument of "+c.tool.name+problem.DidYouMean(m.Name, names), names...)
		} else if m.Again {
			wrong.Add(m.Name, "duplicate_key", "is given more than once")
		}
	}
	return wrong.Err()
}

// given is an argument that was given.
func (c *call) given(name string) (body.Node, bool) {
	n, ok := c.args.Get(name)
	return n, ok && n.Kind != body.Null
}

func (c *call) text(name string) string {
	n, _ := c.given(name)
	return n.Text
}

func (c *call) truth(name string) bool { return c.text(name) == "true" }

func (c *call) texts(name string) []string {
	n, _ := c.given(name)
	all := make([]string, len(n.Items))
	for i, item := range n.Items {
		all[i] = item.Text
	}
	return all
}

// usualPage is how many items a page has where nobody says.
const usualPage = "20"

func (c *call) limit() body.Node {
	n, ok := c.given("limit")
	if !ok {
		n = body.Node{Kind: body.Number, Text: usualPage}
	}
	return n
}

// passed are those of the arguments that go on to the API under their own names.
func (c *call) passed(names ...string) (members []body.Member) {
	for _, name := range names {
		if n, ok := c.given(name); ok {
			members = append(members, member(name, n))
		}
	}
	return members
}

func (c *call) search() (body.Node, error) {
	name := c.text("resource")
	if name == "" {
		return c.across()
	}
	k, err := kindNamed(name, "resource", "search")
	if err != nil {
		return body.Node{}, err
	}
	asked := node(append(c.passed("filters", "search_text", "fields", "order_by", "sort_direction", "cursor"),
		member("limit", c.limit()))...)
	switch at := slices.IndexFunc(asked.Members, func(m body.Member) bool { return m.Name == "fields" }); {
	case at < 0:
		asked.Members = append(asked.Members, member("fields", texts(telling(k))))
	case len(c.texts("fields")) > 0 && !slices.Contains(c.texts("fields"), "id"):
		// What was found can be acted upon only by its id. It comes last, so that a wrong field keeps the place that the caller gave it.
		asked.Members[at].Value = texts(append(c.texts("fields"), "id"))
	}
	path := k.Plural + "/search"
	if c.truth("deleted") {
		path = k.Plural + "/deleted/search"
	}
	return c.page("records", path, asked, nil)
}

// page asks the API for a list, and gives it less what says nothing, each item as it is told.
func (c *call) page(name, path string, asked body.Node, told func(body.Node) body.Node) (body.Node, error) {
	a, err := c.post(path, asked)
	if err != nil {
		return body.Node{}, err
	}
	data, _ := a.node.Get("data")
	items := make([]body.Node, 0, len(data.Items))
	for _, item := range data.Items {
		if told != nil {
			item = told(item)
		}
		b, _ := bare(item, longestText)
		items = append(items, b)
	}
	out := node(member(name, list(items)))
	meta, _ := a.node.Get("meta")
	if total, ok := meta.Get("total"); ok && total.Text != strconv.Itoa(len(items)) {
		out.Members = append(out.Members, member("total", total))
	}
	cursor, _ := meta.Get("cursor")
	if next, ok := cursor.Get("next"); ok && next.Kind == body.String {
		out.Members = append(out.Members, member("next", next))
	}
	if more, ok := meta.Get("has_more"); ok && more.Text == "true" {
		out.Members = append(out.Members, member("has_more", more))
	}
	for _, name := range []string{"latest", "next"} {
		if n, ok := meta.Get(name); ok && n.Kind == body.Number {
			out.Members = append(out.Members, member(name, n))
		}
	}
	return out, nil
}

// across searches all resources at once. The id tells which a record is of.
func (c *call) across() (body.Node, error) {
	for _, m := range c.args.Members {
		if m.Name != "search_text" && m.Name != "limit" && m.Value.Kind != body.Null {
			return body.Node{}, problem.Wrong("resource", "required",
				"must be given with "+m.Name+"; without it there are only search_text and limit")
		}
	}
	return c.page("records", "search", node(c.passed("search_text", "limit")...), func(hit body.Node) body.Node {
		rec, _ := hit.Get("record")
		return rec
	})
}

func (c *call) record() (body.Node, error) {
	k, err := kindOf(c.text("id"), "id")
	if err != nil {
		return body.Node{}, err
	}
	a, err := c.get(k.Plural + "/" + c.text("id"))
	if err != nil {
		return body.Node{}, err
	}
	out, _ := bare(a.node, 0)
	return out, nil
}

func (c *call) aggregate() (body.Node, error) {
	k, err := kindNamed(c.text("resource"), "resource", "aggregate")
	if err != nil {
		return body.Node{}, err
	}
	asked := c.passed("group_by", "metrics", "filters", "search_text", "order_by", "sort_direction", "limit")
	return c.page("groups", k.Plural+"/aggregate", node(asked...), nil)
}

// timeline tells what happened around a record; of one that has no timeline, what happened to it.
func (c *call) timeline() (body.Node, error) {
	k, err := kindOf(c.text("id"), "id")
	if err != nil {
		return body.Node{}, err
	}
	what := "timeline"
	if !k.Offers(what) {
		what = "history"
	}
	asked := node(append(c.passed("cursor"), member("limit", c.limit()))...)
	return c.page("entries", k.Plural+"/"+c.text("id")+"/"+what+"/search", asked, func(entry body.Node) body.Node {
		rec, ok := entry.Get("record")
		if !ok {
			return withoutBeginning(entry)
		}
		id, _ := rec.Get("id")
		of, err := kindOf(id.Text, "id")
		if err != nil {
			return entry
		}
		return put(entry, "record", brief(of, rec, []string{"body", "description"}))
	})
}

// withoutBeginning leaves out of the entry of a creation what the record was like: get tells what is left of it.
func withoutBeginning(entry body.Node) body.Node {
	change, ok := entry.Get("change")
	if !ok {
		change = entry
	}
	if action, _ := change.Get("action"); action.Text != record.Create {
		return entry
	}
	change.Members = slices.DeleteFunc(slices.Clone(change.Members), func(m body.Member) bool { return m.Name == "changes" })
	if !ok {
		return change
	}
	return put(entry, "change", change)
}

func (c *call) changes() (body.Node, error) {
	asked := append(c.passed("after", "resources"), member("limit", c.limit()))
	return c.page("changes", "changes/search", node(asked...), nil)
}

func (c *call) create() (body.Node, error) {
	k, err := kindNamed(c.text("resource"), "resource", "create")
	if err != nil {
		return body.Node{}, err
	}
	records, _ := c.given("records")
	match, upsert := c.given("match")
	w := writing{call: c, kind: k, did: "created"}
	for _, rec := range records.Items {
		w.besides = append(w.besides, memberNames(rec)...)
		op := node(member("op", text(record.Create)), member("data", rec))
		if upsert {
			op = node(member("op", text(record.Upsert)), member("match", match), member("data", rec))
		}
		w.operations = append(w.operations, op)
	}
	w.field = func(field string) string {
		if rest, ok := strings.CutPrefix(field, "operations"); ok {
			return "records" + strings.Replace(rest, ".data", "", 1)
		}
		return "records[0]." + strings.TrimPrefix(field, "data.")
	}
	w.one = func() (answered, error) {
		rec := records.Items[0]
		if upsert {
			rec = node(member("match", match), member("data", rec))
			return c.write(http.MethodPost, k.Plural+"/upsert", &rec)
		}
		return c.write(http.MethodPost, k.Plural, &rec)
	}
	return w.do("records")
}

// each begins a write of the records that are named by their ids.
func (c *call) each(did, op string, more ...body.Member) (*writing, error) {
	ids := c.texts("ids")
	w := &writing{call: c, did: did, ids: ids}
	for i, id := range ids {
		k, err := kindOf(id, fmt.Sprintf("ids[%d]", i))
		if err != nil {
			return nil, err
		}
		if w.kind != nil && w.kind != k {
			return nil, problem.Wrong(fmt.Sprintf("ids[%d]", i), "not_allowed",
				"must be of the same resource as the first: call the tool once for each resource")
		}
		w.kind = k
		w.operations = append(w.operations, node(append([]body.Member{member("op", text(op)), member("id", text(id))}, more...)...))
	}
	w.field = func(field string) string {
		rest, many := strings.CutPrefix(field, "operations")
		if !many {
			return "data." + field
		}
		if _, inner, ok := strings.Cut(rest, "].data"); ok {
			return "data" + inner
		}
		return "ids" + rest
	}
	if _, ok := c.given("if_match"); ok && len(ids) != 1 {
		return nil, problem.Wrong("if_match", "not_allowed", "can be given for one record only")
	}
	return w, nil
}

func (c *call) update() (body.Node, error) {
	data, _ := c.given("data")
	w, err := c.each("updated", record.Update, member("data", data))
	if err != nil {
		return body.Node{}, err
	}
	w.besides = memberNames(data)
	w.one = func() (answered, error) { return c.write(http.MethodPatch, w.kind.Plural+"/"+w.ids[0], &data) }
	return w.do("ids")
}

func (c *call) act() (body.Node, error) {
	action, data := c.text("action"), node()
	more := []body.Member{member("action", text(action))}
	if given, ok := c.given("data"); ok {
		data = given
		more = append(more, member("data", given))
	}
	w, err := c.each(action, "act", more...)
	if err != nil {
		return body.Node{}, err
	}
	if w.kind != nil {
		if _, actions := w.kind.Operations(); !slices.Contains(actions, action) {
			return body.Node{}, problem.Wrong("action", "not_allowed",
				"is no action of "+w.kind.Plural+problem.DidYouMean(action, actions), actions...)
		}
		if w.kind.States != nil {
			w.besides = append(w.besides, w.kind.States.Field)
		}
	}
	w.besides = append(w.besides, memberNames(data)...)
	w.one = func() (answered, error) {
		return c.write(http.MethodPost, w.kind.Plural+"/"+w.ids[0]+"/"+action, &data)
	}
	return w.do("ids")
}

func (c *call) remove() (body.Node, error) {
	w, err := c.each("deleted", record.Remove)
	if err != nil {
		return body.Node{}, err
	}
	w.one = func() (answered, error) { return c.write(http.MethodDelete, w.kind.Plural+"/"+w.ids[0], nil) }
	return w.do("ids")
}
