package openapi

import (
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/work"
)

// The names of the schemas of jobs.
const (
	Job            = "Job"
	JobsPage       = "JobsPage"
	RefusedRequest = "RefusedRequest"
	RefusedPage    = "RefusedPage"
	BulkPreview    = "BulkPreview"
	BulkTags       = "BulkTags"
	UndoRequest    = "UndoRequest"
	UndoReply      = "UndoReply"
)

// Bulk is the name of the schema of one thing that is done to many records.
func Bulk(res *schema.Resource) string { return camel(res.Name) + "Bulk" }

// bulk adds the schema of one thing that is done to many records of a resource.
func (b *builder) bulk(k *record.Kind) {
	res, whose := b.of(&k.Resource), camel(k.Name)
	meant := whose + "Meant"
	b.add(meant, opened(object("filters", filters(whose)), []string{"filters"}, "BulkBody"))
	var ways []Schema
	ops, actions := k.BulkOperations()
	for _, op := range ops {
		switch op {
		case record.Update:
			ways = append(ways, extended(object("op", object("const", op), "data", Ref(Patch(res))), []string{"op", "data"}, meant))
		case record.Tag:
			ways = append(ways, extended(nil, nil, meant, "BulkTag"))
		case record.Remove:
			ways = append(ways, extended(nil, nil, meant, "BulkDelete"))
		case record.Restore:
			ways = append(ways, extended(object("filters", filters("Deleted"+whose)), []string{"filters"}, "BulkBody", "BulkRestore"))
		}
	}
	act := func(action, arguments Schema) {
		ways = append(ways, extended(object("action", action, "data", arguments), []string{"action"}, meant, "BulkAct"))
	}
	var bare []string
	for _, action := range actions {
		if arguments := Arguments(res, action); arguments != nothing {
			act(object("const", action), Ref(arguments))
			continue
		}
		bare = append(bare, action)
	}
	if len(bare) > 0 { // all that take nothing are alike
		act(Enum(bare...), Ref(nothing))
	}
	b.add(Bulk(res), object("oneOf", ways))
}

// jobs adds the schemas of jobs.
func (b *builder) jobs() {
	b.add(Job, Described(Strict(object(
		"id", ID("job"),
		"kind", Described(Plain("string"), "What sort of work it is."),
		"status", Enum(queue.JobStates...),
		"parameters", Described(Plain("object"), "What it was asked to do; of each kind its own."),
		"total", Described(Plain("integer"), "How many records there are to do, as far as that is known."),
		"done", Described(Plain("integer"), "How many have been done, those that were refused among them."),
		"failed", Described(Plain("integer"), "How many were refused."),
		"request_id", Described(Plain("string"), "The request that began it. What it changes is logged under that, and is taken back by "+
			"it."),
		"actor", Ref("Actor"),
		"created_at", Time(),
		"started_at", Nullable(Time()),
		"finished_at", Nullable(Time()),
		"error", Described(Nullable(Ref("Problem")), "Why it failed, where it did."),
	)), "Work that takes longer than a request."))
	b.add(JobsPage, Strict(object("data", List(Ref(Job)), "meta", Ref("PageMeta"))))
	b.add(BulkTags, Described(b.input(BulkTags, record.TagBody, all, true),
		"Tags that many records get, and tags that are taken off them."))
	meant := object("filters", aboutFilters(), "search_text", Ref("SearchText"))
	b.add("BulkBody", Described(object("type", "object", "properties", meant),
		"What is done to the records that filters and search_text mean; an empty list means all. It is done by a job, each record by the "+
			"rules of the single call. The dry run answers a preview. Needs read, too."))
	does := func(op string, more ...any) Schema {
		members := append(object("op", object("const", op)), object(more...)...)
		return object("type", "object", "properties", members, "required", names(members))
	}
	b.add("BulkTag", does(record.Tag, "data", Ref(BulkTags)))
	b.add("BulkDelete", does(record.Remove))
	b.add("BulkRestore", does(record.Restore))
	b.add("BulkAct", does("act"))
	b.add(RefusedRequest, b.input(RefusedRequest, work.RefusedBody, all, true))
	b.add("Refused", Strict(object(
		"n", Described(Plain("integer"), "Its place among all that there was to do."),
		"record_id", Nullable(Plain("string")),
		"error", Ref("Problem"),
	)))
	refused := Ref("Refused")
	count := func(about string) Schema { return Described(Plain("integer"), about) }
	changes := object("type", "object", "additionalProperties", AllOptional(object("from", Schema{}, "to", Schema{})))
	b.add(BulkPreview, Described(Strict(object(
		"total", count("How many records it is about."),
		"tried", count("On how many of them it was tried, from the first on: the counts below are of these."),
		"changed", count("How many would change."),
		"unchanged", count("How many are so already."),
		"refused", count("How many would be refused."),
		"samples", List(Strict(object("record_id", Plain("string"), "changes",
			Described(changes, "The fields that would change, by their paths.")))),
		"refusals", List(refused),
	)), "What a bulk operation would do."))
	b.add(RefusedPage, Strict(object("data", List(refused), "meta", Strict(object(
		"has_more", Described(Plain("boolean"), "Whether there are more."),
	)))))
	b.add(UndoRequest, b.input(UndoRequest, work.UndoBody, all, true))
	b.add(UndoReply, Described(Strict(object(
		"data", Described(List(refused), "The changes that are left, and why; n is the seq of the change."),
		"meta", Strict(object(
			"total", count("How many changes there are, as far as that is known."),
			"tried", count("How many of them were looked at: all, unless a dry run has too many."),
			"undone", count("How many are taken back."),
			"left", count("How many are left."),
			"request_id", Described(Plain("string"), "This request, by which the undo can be undone."),
		)),
	)), "What became of an undo."))
}
