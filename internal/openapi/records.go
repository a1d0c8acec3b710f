package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// A resource's schemas are named after it. These are their names.

// Record is the name of the schema of a record as it is answered.
func Record(res *schema.Resource) string { return camel(res.Name) }

// Written is the name of what a write answers: the record, or its id and version for those who may not read it.
func Written(res *schema.Resource) string { return "Written" + camel(res.Name) }

// Creation and Patch are the names of what makes and changes a record, and Upsert of what does either.
func Creation(res *schema.Resource) string { return camel(res.Name) + "Creation" }

// Patch is the name of the schema of a JSON merge patch of a record.
func Patch(res *schema.Resource) string { return camel(res.Name) + "Patch" }

// Upsert is the name of the schema of the body of an upsert.
func Upsert(res *schema.Resource) string { return camel(res.Name) + "Upsert" }

// Search is the name of the schema of the body of a search; of the bin, DeletedSearch.
func Search(res *schema.Resource) string { return camel(res.Name) + "Search" }

// Export is the name of the body that asks for a file of records of a resource.
func Export(res *schema.Resource) string { return camel(res.Name) + "Export" }

// DeletedSearch is the name of the schema of the body of a search of the bin.
func DeletedSearch(res *schema.Resource) string { return "Deleted" + Search(res) }

// Page is the name of the schema of what a search answers, of the bin, too.
func Page(res *schema.Resource) string { return camel(res.Name) + "Page" }

// Aggregate is the name of the schema of the body of an aggregate, and Figures of what it answers.
func Aggregate(res *schema.Resource) string { return camel(res.Name) + "Aggregate" }

// Figures is the name of the schema of what an aggregate answers.
const Figures = "Figures"

// Batch and Batched are the names of a batch and of what it answers.
func Batch(res *schema.Resource) string { return camel(res.Name) + "Batch" }

// Batched is the name of the schema of what a batch answers.
func Batched(res *schema.Resource) string { return camel(res.Name) + "BatchResult" }

// Arguments is the name of the schema of the body of an action.
func Arguments(res *schema.Resource, action string) string {
	if at := slices.IndexFunc(res.Actions, func(a schema.Action) bool { return a.Name == action }); at >= 0 &&
		len(res.Actions[at].Body) == 0 {
		return nothing
	}
	return camel(res.Name) + camel(action)
}

// nothing is the name of the schema of a body that has no members.
const nothing = "Nothing"

// Merged and Unmerged are the names of what a merge and its reverse answer.
func Merged(res *schema.Resource) string { return "Merged" + camel(res.Name) }

// Unmerged is the name of the schema of what the reverse of a merge answers.
func Unmerged(res *schema.Resource) string { return "Unmerged" + camel(res.Name) }

// all takes every leaf.
func all(*schema.Leaf) bool { return true }

// merges adds what a merge answers beside the survivor, and what its reverse does.
func (b *builder) merges() {
	counts := object("type", "object", "additionalProperties", object("type", "integer", "minimum", 1))
	b.add("MergedBeside", object("type", "object", "properties", object(
		"moved", Described(counts, "How many references and associations lead to the survivor now, by resource, as far as they may be "+
			"read."),
		"filled", Described(List(Plain("string")), "The fields of the survivor that changed; for those who may read both records."),
		"lost", Described(object("type", "object", "additionalProperties", Schema{}),
			"By field what the survivor does not have: the other's value, or its own where the other's was preferred; for those who may "+
				"read both records."),
	)))
	left := Strict(object("id", Plain("string"), "field", Plain("string")))
	b.add("UnmergedBeside", object("type", "object", "properties", object(
		"other", Described(Schema{}, "The record that is back."), // which one, says who extends it
		"left", Described(List(left), "What changed since the merge, and is left as it is."),
	)))
}

// written adds what writes answer. A secret is in it once, and left out where an answer is replayed.
func (b *builder) written(k *record.Kind) {
	res, name := b.of(&k.Resource), Record(&k.Resource)
	if res.Access.Secret == "" {
		b.add(Written(res), Any(Ref(name), Ref("Short")))
		return
	}
	once := object(
		res.Access.Secret, Described(Plain("string"), "The secret, which is shown this once."),
		"omitted", Described(List(Enum(res.Access.Secret)), "What a replayed answer leaves out."),
	)
	b.add("New"+name, b.whole(name, &res.Shape, once))
	b.add("Short"+name, Strict(append(short(), once...), res.Access.Secret, "omitted"))
	b.add(Written(res), Any(Ref("New"+name), Ref("Short"+name)))
}

// short are the members of what a writer is told who may not read.
func short() Object {
	return object("id", ID(""), "version", object("type", "integer", "format", "int64"))
}

// input is the schema of a body with the leaves that are taken. Where it makes something, what must be given is required.
func (b *builder) input(whose string, shape *schema.Shape, takes func(*schema.Leaf) bool, makes bool) Schema {
	var members Object
	var needed []string
	for _, f := range shape.Tree {
		if f.Kind == schema.Group {
			var inside Object
			var inner []string
			for _, l := range shape.Group(f) {
				inside = inside.with(l.Name, Described(b.taken(whose, shape, l), about(l)))
				if makes && l.Needed() {
					inner = append(inner, l.Name)
				}
			}
			group := AllOptional(inside)
			if len(inner) > 0 {
				group = group.with("required", inner)
				needed = append(needed, f.Name)
			}
			if reading := shape.Reading(); reading != nil && reading.Path == f.Name && len(inside) > 0 { // named, as in custom
				schemaName := whose + camel(f.Name) + "Input"
				if len(inner) > 0 {
					schemaName = "New" + schemaName
				}
				b.add(schemaName, group)
				group = Ref(schemaName)
			}
			if len(inner) == 0 {
				group = Nullable(group)
			}
			members = members.with(f.Name, group)
			continue
		}
		l := shape.Leaf(f.Name)
		if !takes(l) {
			continue
		}
		told := about(l)
		if l.Default != "" && makes {
			told = strings.TrimSpace(told + " " + whenNotGiven(l.Default))
		} else if l.Default != "" {
			told = strings.TrimSpace(told + " In a creation " + whenNotGiven(l.Default))
		}
		members = members.with(f.Name, Described(b.taken(whose, shape, l), told))
		if makes && l.Required && !l.Derived && l.Default == "" {
			needed = append(needed, l.Name)
		}
	}
	s := AllOptional(members)
	if len(needed) > 0 {
		s = s.with("required", needed)
	}
	return s
}

// whenNotGiven says in words what a field has that is not given. The keyword default says the same, but generators of clients take
// it for a promise that the field is always there, and ask for it.
func whenNotGiven(value string) string { return "`" + value + "` when not given." }

// fieldsOf adds the schema of the fields of a shape, of which an answer has some, and gives its name. What a record, a row of a search and
// a record that another refers to have in common is in it once. References that are called as their records are (created_by) are left to
// these, because they differ in them.
func (b *builder) fieldsOf(whose string, shape *schema.Shape) string {
	name := whose + "Fields"
	if !b.has(name) {
		b.add(name, Schema{}) // it stands where it was first needed
		b.set(name, b.beside(b.plain(whose, shape), commonFields, whose+"Base"))
	}
	return name
}

// plain are the members of a shape of which an answer has some, but for those that are ambiguous.
func (b *builder) plain(whose string, shape *schema.Shape) Object {
	return b.some(whose, shape, slices.DeleteFunc(slices.Clone(shape.Visible(false)), ambiguous))
}

// ambiguous tells that a search answers under the name of the leaf either its id or what was asked for of the record that it leads to.
func ambiguous(l *schema.Leaf) bool {
	_, shape, _ := l.Referred()
	return shape != nil && l.Of == nil && l.RefersAs() == l.Path
}

// extended is the schema of an object with the members of others, and more. Of all of them those that are named are required. That it is an
// object is said by those others.
func extended(more Object, required []string, names ...string) Schema {
	return opened(more, required, names...).with("unevaluatedProperties", false)
}

// opened is the same of an object that others extend.
func opened(more Object, required []string, names ...string) Schema {
	var of []Schema
	for _, name := range names {
		of = append(of, Ref(name))
	}
	s := object("allOf", of)
	if len(of) == 1 && len(more) == 0 {
		s = of[0]
	}
	if len(more) > 0 {
		s = s.with("properties", more)
	}
	if len(required) > 0 {
		s = s.with("required", required)
	}
	return s
}

// whole is the schema of an answer with all fields of a shape, those of other schemas, and maybe others.
func (b *builder) whole(whose string, shape *schema.Shape, others Object, and ...string) Schema {
	name := "Whole" + whose
	if !b.has(name) { // open, because it is extended
		of, members, more := []string{b.fieldsOf(whose, shape)}, b.plain(whose, shape), b.makers(whose, shape)
		// Generators heed what is required only of the members of the very schemas that are named here.
		if base := whose + "Base"; b.covers(members, base) {
			of = append(of, base)
		}
		if b.covers(members, commonFields) && b.covers(more, madeBy) {
			of, members, more = append(of, commonWhole), b.without(members, commonFields), b.without(more, madeBy)
		}
		b.add(name, opened(more, append(names(members), names(more)...), of...))
	}
	return extended(others, nil, append([]string{name}, and...)...)
}

// makers are the members of a shape that are ambiguous, as ids.
func (b *builder) makers(whose string, shape *schema.Shape) (out Object) {
	for _, l := range shape.Visible(false) {
		if ambiguous(l) {
			out = out.with(l.Path, Described(b.answered(whose, shape, l), about(l)))
		}
	}
	return out
}

// rows adds what a search answers: every field, or those that were asked for, and those of referenced records.
func (b *builder) rows(k *record.Kind) {
	res, name := b.of(&k.Resource), Record(&k.Resource)
	of, more := []string{b.fieldsOf(name, &res.Shape)}, b.beyond(res)
	if b.covers(more, rowFields) {
		of, more = append(of, rowFields), b.without(more, rowFields)
	}
	if k.Offers("bin") {
		bin, others := b.inBin(k)
		of, more = append(of, bin...), append(more, others...)
	}
	row := name + "Row"
	b.add(row, extended(more, nil, of...))
	b.add(Page(res), Strict(object("data", List(Ref(row)), "meta", Ref("PageMeta"))))
}

// beyond are the members of a row that are about the records that it refers to.
func (b *builder) beyond(res *schema.Resource) (more Object) {
	for _, l := range res.Leaves {
		referred, shape := b.referred(l)
		switch {
		case shape == nil || l.Of != nil:
		case ambiguous(l):
			more = more.with(l.Path, Ref(b.either(referred, shape, l)))
		default:
			more = more.with(l.RefersAs(), Ref(b.part(referred, shape)))
		}
	}
	return more
}

// either adds the schema of an id, or of what was asked for of the record that it leads to, and gives its name.
func (b *builder) either(referred string, shape *schema.Shape, l *schema.Leaf) string {
	name := camel(referred) + "OrId"
	if !b.has(name) {
		s := Any(b.single(camel(referred), l, false), Ref(b.part(referred, shape)))
		b.add(name, Described(s, "An id, or what fields asked for of the record that it leads to."))
	}
	return name
}

// inBin are the members that a record has only when it is deleted: the names of schemas of them, and others.
func (b *builder) inBin(k *record.Kind) (names []string, others Object) {
	res := b.of(&k.Resource)
	for _, l := range res.Leaves {
		if l.Writing.BinOnly {
			others = others.with(l.Path, b.answered(Record(res), &res.Shape, l))
		}
	}
	if b.covers(others, binFields) {
		return []string{binFields}, b.without(others, binFields)
	}
	return nil, others
}

// part adds the schema of a record, or of a part of one, of which only some fields are answered; null where there is none.
func (b *builder) part(referred string, shape *schema.Shape) string {
	name, whose := "Some"+camel(referred), camel(referred)
	if !b.has(name) {
		b.add(name, Schema{}) // it stands where it was first needed
		of, more := []string{b.fieldsOf(whose, shape)}, b.makers(whose, shape)
		if b.covers(more, madeBy) {
			of, more = append(of, madeBy), b.without(more, madeBy)
		}
		b.set(name, Nullable(extended(more, nil, of...)))
	}
	return name
}

// given is the name of the fields that writes of a resource take in common.
func given(res *schema.Resource) string { return camel(res.Name) + "Given" }

// inputs adds what makes and changes a record. The fields that both take are in the document once.
func (b *builder) inputs(k *record.Kind) {
	res, name := b.of(&k.Resource), Record(&k.Resource)
	common := b.patched(k)
	b.add(given(res), b.beside(common, commonGiven, name+"Base"))
	b.add(Patch(res), extended(nil, nil, given(res)))
	creation := b.input(name, &res.Shape, creatable, true)
	needed, _ := creation.get("required").([]string)
	var only Object
	for _, m := range creation.get("properties").(Object) {
		// A group of which some is needed differs from that of a patch.
		if l := res.Leaf(m.Name); common.get(m.Name) == nil || l == nil && slices.Contains(needed, m.Name) {
			only = append(only, m)
		}
	}
	of := []string{given(res)}
	// Generators heed what is required only of the members of the very schemas that are named here.
	if base := b.bases[name+"Base"]; slices.ContainsFunc(needed, func(one string) bool { return base.get(one) != nil }) {
		of = append(of, name+"Base")
	}
	b.add(Creation(res), extended(only, needed, of...))
	immutable := object("id", ID(res.Name))
	for _, m := range b.input(name, &res.Shape, func(l *schema.Leaf) bool { return creatable(l) && l.Writing.Immutable },
		false).get("properties").(Object) {
		if common.get(m.Name) == nil {
			immutable = append(immutable, m)
		}
	}
	b.add(data(res), extended(immutable, nil, given(res)))
}

func creatable(l *schema.Leaf) bool { return !l.ReadOnly }

// patched are the members of a patch.
func (b *builder) patched(k *record.Kind) Object {
	res := b.of(&k.Resource)
	patchable := func(l *schema.Leaf) bool { return creatable(l) && !l.Writing.Immutable }
	members, _ := b.input(Record(res), &res.Shape, patchable, false).get("properties").(Object)
	return members
}

// data is the name of the schema of what an upsert gives of a record.
func data(res *schema.Resource) string { return camel(res.Name) + "Data" }

// batching are the fields of the body of a batch.
var batching = schema.FieldsOf[struct{ Atomic, Operations *schema.Leaf }](record.BatchBody)

// batches adds what a batch and an upsert take and answer.
func (b *builder) batches(k *record.Kind) {
	res := b.of(&k.Resource)
	var matches []string
	for _, l := range k.Matchable(res) {
		matches = append(matches, l.Path)
	}
	upsert := "Matched" + camel(res.Name)
	members := object("match", Enum(matches...), "data", Ref(data(res)))
	b.add(upsert, object("type", "object", "properties", members, "required", names(members)))
	b.add(Upsert(res), extended(nil, nil, upsert))
	var ops []Schema
	known, actions := k.Operations()
	for _, name := range known {
		switch name {
		case record.Create:
			ops = append(ops, extended(object("data", Ref(Creation(res))), []string{"data"}, "BatchCreate"))
		case record.Update:
			ops = append(ops, extended(object("data", Ref(Patch(res))), []string{"data"}, "BatchUpdate"))
		case record.Upsert:
			ops = append(ops, extended(nil, nil, "BatchUpsert", upsert))
		case record.Remove:
			ops = append(ops, Ref("BatchDelete"))
		}
	}
	var bare []string
	for _, action := range actions {
		if action == record.Restore {
			ops = append(ops, Ref("BatchRestore"))
			continue
		}
		if arguments := Arguments(res, action); arguments != nothing {
			ops = append(ops, extended(object("action", object("const", action), "data", Ref(arguments)), nil, "BatchAct"))
			continue
		}
		bare = append(bare, action)
	}
	if len(bare) > 0 { // all that take nothing are alike
		ops = append(ops, extended(object("action", Enum(bare...), "data", Ref(nothing)), nil, "BatchAct"))
	}
	b.add(Batch(res), extended(object(batching.Operations.Path, List(object("oneOf", ops))), []string{batching.Operations.Path},
		"BatchBody"))
	of := []string{"BatchedRecord"}
	if k.Life.Merges {
		of = append(of, "MergedBeside", "UnmergedBeside")
	}
	record := object("record", Ref(Written(res)))
	if k.Life.Merges {
		record = record.with("other", Ref(Written(res)))
	}
	done := Any(extended(record, []string{"record"}, of...), Ref("BatchedOther"))
	b.add(Batched(res), extended(object("data", List(done)), []string{"data"}, "BatchedBody"))
}

// shared adds the schemas that belong to no resource.
func (b *builder) shared() {
	b.add("PageMeta", Strict(object(
		"cursor", Strict(object(
			"next", Described(Nullable(Plain("string")), "Give it as cursor for the next page; null on the last one."),
			"has_more", Plain("boolean"),
		)),
		"total", Described(object("type", "integer", "minimum", 0),
			fmt.Sprintf("How many match, where that is known: always up to %d records of the resource, otherwise when total asks for it, "+
				"up to %d matches.", query.CountedAnyway, query.TotalCap)),
	), "total"))
	b.add(nothing, Strict(nil))
	b.add("Short", Described(Strict(short()), "What a writer is told who may not read."))
	version := Described(object("type", "integer", "minimum", 1), "The version that the record must have.")
	b.add("BatchBody", Described(object("type", "object", "properties", object(
		batching.Atomic.Path, Described(Plain("boolean"), batching.Atomic.About),
		batching.Operations.Path, Described(object("minItems", 1, "maxItems", record.MaxBatch), batching.Operations.About),
	)), "Each operation is answered as it would be by itself. An atomic batch does all of them or none, and answers the first failure."))
	b.add("BatchOne", object("type", "object", "properties", object("id", ID(""), "if_match", version), "required", []string{"id"}))
	op := func(name string) Object { return object("op", object("const", name)) }
	b.add("BatchCreate", object("type", "object", "properties", op(record.Create), "required", []string{"op"}))
	b.add("BatchUpdate", opened(op(record.Update), []string{"op"}, "BatchOne"))
	b.add("BatchUpsert", object("type", "object", "properties", op(record.Upsert), "required", []string{"op"}))
	b.add("BatchDelete", extended(op(record.Remove), []string{"op"}, "BatchOne"))
	b.add("BatchAct", opened(op("act").with("action", Plain("string")), []string{"op", "action"}, "BatchOne"))
	b.add("BatchRestore", extended(object("action", object("const", record.Restore), "data", Ref(nothing)), nil, "BatchAct"))
	b.add("BatchedBody", object("type", "object", "properties", object("meta", Ref("BatchMeta")), "required", []string{"meta"}))
	status := object("type", "integer", "enum", []int{200, 201})
	b.add("BatchedRecord", object("type", "object", "properties", object("status", status), "required", []string{"status"}))
	b.add("BatchedOther", Described(Any(
		Strict(object("status", object("const", 204))),
		Strict(object("status", object("type", "integer", "minimum", 400), "error", Ref(problemName))),
	), "What became of an operation that answers no record: it deleted one, or was refused."))
	b.add("BatchMeta", Strict(object("succeeded", Plain("integer"), "failed", Plain("integer"))))
	b.add(scopeName, Described(Enum(record.Scopes()...), "What a token may do: <resource>.<read, write, delete or all>."))
}

const scopeName = "Scope"

// words writes a name as people do.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }
