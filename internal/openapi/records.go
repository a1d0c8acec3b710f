package openapi

import (
	"fmt"
	"slices"
	"strings"

	"kith/internal/crm"
	"kith/internal/query"
	"kith/internal/schema"
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

// Page is the name of the schema of what a search answers; of the bin, DeletedPage.
func Page(res *schema.Resource) string { return camel(res.Name) + "Page" }

// DeletedPage is the name of the schema of what a search of the bin answers.
func DeletedPage(res *schema.Resource) string { return "Deleted" + Page(res) }

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
	return camel(res.Name) + camel(action)
}

// Merged and Unmerged are the names of what a merge and its reverse answer.
func Merged(res *schema.Resource) string { return "Merged" + camel(res.Name) }

// Unmerged is the name of the schema of what the reverse of a merge answers.
func Unmerged(res *schema.Resource) string { return "Unmerged" + camel(res.Name) }

// all takes every leaf.
func all(*schema.Leaf) bool { return true }

// records adds the schemas of one resource.
func (b *builder) records(k *crm.Kind) {
	res, name := b.of(&k.Resource), Record(&k.Resource)
	live := res.Visible(false)
	b.add(name, Described(Strict(b.members(name, &res.Shape, live)), "A "+words(res.Name)+"."))
	b.written(k)
	creatable := func(l *schema.Leaf) bool { return !l.ReadOnly }
	b.add(Creation(res), b.input(name, &res.Shape, creatable, true))
	b.add(Patch(res), Described(b.input(name, &res.Shape, func(l *schema.Leaf) bool { return creatable(l) && !l.Immutable }, false), "What is not mentioned stays; null empties (JSON merge patch, RFC 7396)."))
	b.rows(k)
	b.searches(k)
	b.batches(k)
	if k.Bulks() {
		b.bulk(k)
	}
	if k.Merges {
		record := object("record", Ref(Written(res)))
		b.add(Merged(res), Strict(append(record, merged()...)))
		b.add(Unmerged(res), Strict(append(record, unmerged(res)...)))
	}
	for i := range res.Actions {
		a := &res.Actions[i]
		b.add(Arguments(res, a.Name), b.input(Arguments(res, a.Name), &a.Shape, all, true))
	}
}

// merged is what a merge answers beside the survivor, and unmerged what its reverse does.
func merged() Object {
	counts := object("type", "object", "additionalProperties", object("type", "integer", "minimum", 1))
	return object(
		"moved", Described(counts, "How many references and associations lead to the survivor now, by resource, as far as they may be read."),
		"filled", Described(List(Plain("string")), "The fields of the survivor that changed."),
		"lost", Described(object("type", "object", "additionalProperties", Schema{}), "By field what the survivor does not have: the other's value, or its own where the other's was preferred."),
	)
}

func unmerged(res *schema.Resource) Object {
	left := Strict(object("id", Plain("string"), "field", Plain("string")))
	return object(
		"other", Described(Ref(Written(res)), "The record that is back."),
		"left", Described(List(left), "What changed since the merge, and is left as it is."),
	)
}

// written adds what writes answer. A secret is in it once, and left out where an answer is replayed.
func (b *builder) written(k *crm.Kind) {
	res, name := b.of(&k.Resource), Record(&k.Resource)
	short := object("id", ID(res.Name), "version", single(res.Common.Version, false))
	whole := Ref(name)
	var optional []string
	if res.Secret != "" {
		once := object(
			res.Secret, Described(Plain("string"), "The secret, which is shown this once."),
			"omitted", Described(List(Enum(res.Secret)), "What a replayed answer leaves out."),
		)
		optional = []string{res.Secret, "omitted"}
		b.add("New"+name, Strict(append(b.members(name, &res.Shape, res.Visible(false)), once...), optional...))
		whole, short = Ref("New"+name), append(short, once...)
	}
	b.add("Short"+name, Described(Strict(short, optional...), "What a writer is told who may not read."))
	b.add(Written(res), Any(whole, Ref("Short"+name)))
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

// whenNotGiven says in words what a field has that is not given. The keyword default says the same, but generators of clients take it for a promise
// that the field is always there, and ask for it.
func whenNotGiven(value string) string { return "`" + value + "` when not given." }

// rows adds what a search answers: every field, or those that were asked for, and those of referenced records.
func (b *builder) rows(k *crm.Kind) {
	res, name := b.of(&k.Resource), Record(&k.Resource)
	part := func(bin bool) Object {
		members := b.some(name, &res.Shape, res.Visible(bin))
		for _, l := range res.Leaves {
			referred, shape := b.referred(l)
			if shape == nil || l.Of != nil {
				continue
			}
			far := Nullable(Ref(b.part(referred, shape)))
			if l.RefersAs() == l.Path {
				for i := range members {
					if members[i].Name == l.Path {
						members[i].Value = Described(Any(single(l, false), Ref(b.part(referred, shape)), Plain("null")), "An id, or what fields asked for of the record that it leads to.")
					}
				}
				continue
			}
			members = members.with(l.RefersAs(), Described(far, "What fields asked for of the record in "+l.Path+"."))
		}
		return members
	}
	for _, p := range []struct {
		page string
		bin  bool
	}{{Page(res), false}, {DeletedPage(res), true}} {
		row := strings.TrimSuffix(p.page, "Page") + "Row"
		b.add(row, Described(AllOptional(part(p.bin)), "A "+words(res.Name)+" as a search answers it: with all fields, or those that were asked for."))
		b.add(p.page, Strict(object("data", List(Ref(row)), "meta", Ref("PageMeta"))))
	}
}

// part adds the schema of a record, or of a part of one, of which only some fields are answered.
func (b *builder) part(referred string, shape *schema.Shape) string {
	name := "Some" + camel(referred)
	if !b.has(name) {
		b.add(name, Schema{}) // it stands where it was first needed
		whose := camel(referred)
		leaves := slices.DeleteFunc(slices.Clone(shape.Leaves), func(l *schema.Leaf) bool { return l.BinOnly })
		b.set(name, AllOptional(b.some(whose, shape, leaves)))
	}
	return name
}

// batching are the fields of the body of a batch.
var batching struct{ Atomic, Operations *schema.Leaf }

func init() { schema.Bind(crm.BatchBody, &batching) }

// batches adds what a batch and an upsert take and answer.
func (b *builder) batches(k *crm.Kind) {
	res, name := b.of(&k.Resource), Record(&k.Resource)
	var matches []string
	for _, l := range k.Matchable(res) {
		matches = append(matches, l.Path)
	}
	data := camel(res.Name) + "Data"
	creatable := func(l *schema.Leaf) bool { return !l.ReadOnly }
	given := b.input(name, &res.Shape, creatable, false)
	for i := range given {
		if given[i].Name == "properties" {
			given[i].Value = append(object("id", ID(res.Name)), given[i].Value.(Object)...)
		}
	}
	b.add(data, Described(given, "The fields of a creation or a patch; id where that is what is matched."))
	b.add(Upsert(res), Strict(object(
		"match", Described(Enum(matches...), "The field by which the record is found."),
		"data", Ref(data),
	)))
	id, match := ID(res.Name), Described(object("type", "integer", "minimum", 1), "The version that the record must have.")
	op := func(name string, members ...any) Schema {
		return Strict(append(object("op", object("const", name)), object(members...)...), "if_match")
	}
	var ops []Schema
	names, actions := k.Operations()
	for _, name := range names {
		switch name {
		case crm.Create:
			ops = append(ops, op(name, "data", Ref(Creation(res))))
		case crm.Update:
			ops = append(ops, op(name, "id", id, "if_match", match, "data", Ref(Patch(res))))
		case crm.Upsert:
			ops = append(ops, op(name, "match", Enum(matches...), "data", Ref(data)))
		case crm.Remove:
			ops = append(ops, op(name, "id", id, "if_match", match))
		}
	}
	for _, action := range actions {
		arguments := Strict(nil)
		if action != crm.Restore {
			arguments = Ref(Arguments(res, action))
		}
		ops = append(ops, Strict(object("op", object("const", "act"), "id", id, "action", object("const", action), "if_match", match, "data", arguments), "if_match", "data"))
	}
	b.add(Batch(res), Strict(object(
		batching.Atomic.Path, Described(Plain("boolean"), batching.Atomic.About),
		batching.Operations.Path, Described(object("type", "array", "minItems", 1, "maxItems", crm.MaxBatch, "items", object("oneOf", ops)), batching.Operations.About),
	), batching.Atomic.Path))
	done := object("status", object("type", "integer", "enum", []int{200, 201}), "record", Ref(Written(res)))
	var beside []string
	if k.Merges {
		for _, m := range append(merged(), unmerged(res)...) {
			done, beside = append(done, m), append(beside, m.Name)
		}
	}
	b.add(Batched(res), Strict(object(
		"data", List(Any(
			Strict(done, beside...),
			Strict(object("status", object("const", 204))),
			Strict(object("status", object("type", "integer", "minimum", 400), "error", Ref(problemName))),
		)),
		"meta", Ref("BatchMeta"),
	)))
}

// shared adds the schemas that belong to no resource.
func (b *builder) shared() {
	b.add("PageMeta", Strict(object(
		"cursor", Strict(object(
			"next", Described(Nullable(Plain("string")), "Give it as cursor for the next page; null on the last one."),
			"has_more", Plain("boolean"),
		)),
		"total", Described(object("type", "integer", "minimum", 0), fmt.Sprintf("How many match, where that is known: always up to %d records of the resource, otherwise when total asks for it, up to %d matches.", query.CountedAnyway, query.TotalCap)),
	), "total"))
	b.add("BatchMeta", Strict(object("succeeded", Plain("integer"), "failed", Plain("integer"))))
	b.add(scopeName, Described(Enum(crm.Scopes()...), "What a token may do: <resource>.<read, write, delete or all>."))
}

const scopeName = "Scope"

// words writes a name as people do.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }
