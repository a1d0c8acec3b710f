package openapi

import (
	"github.com/kith-crm/kith/internal/merge"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/work"
)

// The names of the schemas of what is read of several resources.
const (
	PageRequest    = "PageRequest"
	HistoryPage    = "HistoryPage"
	TimelinePage   = "TimelinePage"
	ChangesRequest = "ChangesRequest"
	ChangesPage    = "ChangesPage"
	AcrossRequest  = "AcrossRequest"
	AcrossReply    = "AcrossReply"
	SchemaName     = "Schema"

	SearchesRequest = "SearchesRequest"
	SearchesReply   = "SearchesReply"

	DuplicatesRequest = "DuplicatesRequest"
	DismissRequest    = "DismissRequest"
	EraseRequest      = "EraseRequest"
)

// DuplicatesPage is the name of the schema of a page of records that may be the same.
func DuplicatesPage(res *schema.Resource) string { return camel(res.Name) + "DuplicatesPage" }

// reading adds the schemas of what is read beside records.
func (b *builder) reading() {
	b.add("Actor", actor())
	b.add(PageRequest, b.input(PageRequest, record.PageBody, all, true))
	b.add("Change", Described(Strict(b.change()), "What somebody did to a record."))
	b.add(HistoryPage, Strict(object("data", List(Ref("Change")), "meta", Ref("PageMeta"))))
	b.add("Event", b.event())
	b.add(TimelinePage, Strict(object("data", List(Ref("Event")), "meta", Ref("PageMeta"))))
	b.add(ChangesRequest, b.input(ChangesRequest, record.ChangesBody, all, true))
	changed := b.changed()
	b.add("ChangeFields", object("type", "object", "properties", changed, "required", names(changed)))
	b.add("BusinessChange", Described(extended(nil, nil, "ChangeFields"), "What somebody did in the business."))
	b.add(ChangesPage, Strict(object("data", List(Ref("BusinessChange")), "meta", Strict(object(
		"latest", Described(Plain("integer"), "The seq of the newest change."),
		"next", Described(Plain("integer"), "What to send as after for the next page."),
	)))))
	b.add(AcrossRequest, b.input(AcrossRequest, record.AcrossBody, all, true))
	b.add("Hit", b.hit())
	b.add(AcrossReply, Strict(object("data", List(Ref("Hit")), "meta", Strict(object(
		"has_more", Described(Plain("boolean"), "Whether more was found than is answered."),
	)))))
	b.several()
	b.add(DuplicatesRequest, b.input(DuplicatesRequest, merge.DuplicatesBody, all, true))
	b.add(DismissRequest, b.input(DismissRequest, merge.DismissBody, all, true))
	b.add(EraseRequest, b.input(EraseRequest, work.EraseBody, all, true))
	for _, k := range record.Kinds() {
		if k.Life.Duplicates == nil {
			continue
		}
		told := "Told" + Record(&k.Resource)
		b.add(told, b.told(k))
		pair := Strict(object(
			"records", List(Ref(told)).with("minItems", 2).with("maxItems", 2),
			"reasons", Described(List(Enum(merge.Reasons(k)...)), "What they have alike, the surest first."),
			"score", object("type", "integer", "minimum", 0, "maximum", 100, "description", "How likely they are the same."),
		))
		b.add(DuplicatesPage(&k.Resource), Strict(object("data", List(pair), "meta", Ref("PageMeta"))))
	}
	addType[record.FieldSchema](b)
	addType[record.ResourceSchema](b, Member{"permissions", Strict(byVerb(reach()))})
	b.add(SchemaName, Strict(object("resources", List(Ref("ResourceSchema")), "business", Ref("ResourceSchema"))))
}

// several adds the schemas of several searches and of what they answer.
func (b *builder) several() {
	var asked, answered []Schema
	for _, k := range record.Kinds() {
		if k.Offers("search") {
			asked = append(asked, Strict(object("resource", object("const", k.Name), "search", Ref(Search(&k.Resource))), "search"))
			answered = append(answered, Ref(Page(&k.Resource)))
		}
	}
	b.add(SearchesRequest, Strict(object("searches", Described(List(object("oneOf", asked)).with("minItems", 1).
		with("maxItems", record.MaxSearches), "The searches, which are answered in this order."))))
	b.add(SearchesReply, Strict(object("data", List(object("anyOf", answered)))))
}

// actor is the schema of who did something, by which token or app.
func actor() Schema {
	return Strict(object("user_id", Nullable(ID("user")), "token_id", Nullable(ID("token")), "app_id", Nullable(Plain("string"))))
}

// change are the members of an entry of the change log.
func (b *builder) change() Object {
	text := Nullable(Plain("string"))
	return object(
		"seq", Described(Plain("integer"), "Its place among all changes of the business."),
		"at", Time(),
		"action", Described(Plain("string"), "create, update, delete, restore, or an action."),
		"version", Described(Plain("integer"), "The version that it made."),
		"actor", Ref("Actor"),
		"request_id", text,
		"changes", Described(object("type", "object", "additionalProperties", AllOptional(object("from", Schema{}, "to", Schema{}))),
			"The fields that it changed, by their paths."),
	)
}

// event is something in a timeline: a record, or a change.
func (b *builder) event() Schema {
	var kinds []Schema
	for _, k := range record.TimelineKinds() {
		kinds = append(kinds, Strict(object("at", Time(), "kind", Enum(k.Name), "record", Ref(Record(&k.Resource)))))
	}
	kinds = append(kinds, Strict(object("at", Time(), "kind", Enum("change"), "change", Ref("Change"))))
	return Described(object("oneOf", kinds), "Something that happened around a record.")
}

// hit is a record that a search across resources found.
func (b *builder) hit() Schema {
	var kinds []Schema
	for _, k := range record.Kinds() {
		told := b.told(k)
		if k.Life.Duplicates != nil { // which are told so, too
			told = Ref("Told" + Record(&k.Resource))
		}
		kinds = append(kinds, Strict(object("resource", object("const", k.Name), "record", told)))
	}
	return Described(object("oneOf", kinds), "A record that was found: its id, its name, and what tells most of it.")
}

// told is the schema of what is told of a record: its id, its name, and what tells most of it.
func (b *builder) told(k *record.Kind) Schema {
	told, err := k.Told()
	if err != nil {
		panic(err) // a declaration names what is no field
	}
	if !b.has("Told") {
		record := object("id", ID(""), "name", Nullable(Plain("string")))
		b.add("Told", object("type", "object", "properties", record, "required", names(record)))
	}
	var more Object
	whose := Record(&k.Resource)
	for _, l := range told.Leaves {
		more = more.with(l.Path, b.answered(whose, &k.Shape, l))
	}
	for _, t := range told.Through {
		referred, shape := b.referred(t.Via)
		more = more.with(t.Via.RefersAs(), Ref(b.part(referred, shape)))
	}
	return extended(more, names(more), "Told")
}
