package openapi

import (
	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/store/queue"
)

// The names of the schemas of imports.
const (
	Import         = "Import"
	ImportsPage    = "ImportsPage"
	ImportCreation = "ImportCreation"
	ImportPatch    = "ImportPatch"
	ImportRows     = "ImportRows"
	RefusedGroups  = "RefusedGroups"
)

// imports adds the schemas of imports.
func (b *builder) imports() {
	mapping := object("type", "object", "additionalProperties", Plain("string"))
	run := Strict(object(
		"job_id", ID("job"),
		"status", Enum(queue.JobStates...),
		"total", Described(Plain("integer"), "How many rows there are."),
		"done", Described(Plain("integer"), "How many have been done."),
		"created", Described(Plain("integer"), "How many made a record."),
		"changed", Described(Plain("integer"), "How many changed one."),
		"unchanged", Described(Plain("integer"), "How many found theirs as they have it."),
		"refused", Described(Plain("integer"), "How many were refused."),
		"error", Described(Nullable(Ref("Problem")), "Why it failed, where it did."),
	))
	b.add("ImportRun", Described(run, "What became of the rows of an import, or would."))
	wrong := Strict(object("field", Plain("string"), "code", Plain("string"), "message", Plain("string"), "allowed",
		List(Plain("string"))), "allowed")
	b.add(Import, Described(Strict(object(
		"id", ID("import"),
		"resource", Enum(exchange.ImportNames()...),
		"status", Described(Enum(exchange.ImportStates...),
			"new without a file, ready with one; else what is under way, or what became of it."),
		"file", Nullable(Strict(object(
			"format", Plain("string"), "encoding", Nullable(Plain("string")), "delimiter", Nullable(Plain("string")), "bytes",
			Plain("integer"), "rows", Plain("integer"),
		))),
		"columns", List(Strict(object(
			"name", Plain("string"),
			"field", Described(Nullable(Plain("string")), "What the column is taken for."),
			"about", Described(Nullable(Plain("string")), "Why it is not read, where it is not."),
			"samples", Described(List(Plain("string")), "What is in it, in the first rows; only where one import is read."),
		))),
		"undecided", Described(List(wrong), "What has to be decided before it can be run."),
		"mapping", Described(mapping, "What was decided about columns."),
		"new_fields", Described(object("type", "object", "additionalProperties",
			Strict(object("kind", Enum(exchange.NewFieldKinds()...), "label", Plain("string")), "label")),
			"Custom fields that are made on the way, by their names."),
		"unknown_options", Described(Plain("string"), "refuse or make: what becomes of options that a custom field does not have."),
		"match", Nullable(Plain("string")),
		"policy", Nullable(Enum(exchange.ImportPolicies...)),
		"empty", Plain("string"),
		"decimals", Described(Nullable(Plain("string")), "comma or point, as decided or found out."),
		"dates", Described(Nullable(Plain("string")), "dmy or mdy, as decided or found out; null where nothing tells."),
		"preview", Nullable(Ref("ImportRun")),
		"run", Nullable(Ref("ImportRun")),
		"undo", Nullable(Strict(object("job_id", Nullable(Plain("string")), "status", Enum(queue.JobStates...), "undone",
			Plain("integer"), "left", Plain("integer"), "reasons", Described(List(Strict(object("why", Plain("string"), "count",
				Plain("integer")))), "Why so many changes are left, the most frequent first; only where one import is read.")))),
		"created_by", Nullable(ID("user")),
		"created_at", Time(),
		"updated_at", Time(),
	)), "A file on its way into the business."))
	b.add(ImportsPage, Strict(object("data", List(Ref(Import)), "meta", Ref("PageMeta"))))
	b.add(ImportRows, Strict(object("data", List(Strict(object("n",
		Described(Plain("integer"), "Which row, counted from 1 behind the head."), "cells", List(Plain("string"))))))))
	b.add(RefusedGroups, Strict(object(
		"data", List(Strict(object(
			"column", Described(Nullable(Plain("string")), "The column that is wrong; null where no cell is."),
			"field", Described(Nullable(Plain("string")), "What the column is taken for, or the field that no column is."),
			"value", Described(Nullable(Plain("string")), "What stands in it; null where nothing does, or more than 255 bytes."),
			"code", Plain("string"), "message", Plain("string"),
			"count", Described(Plain("integer"), "How many rows."),
			"rows", Described(List(Plain("integer")), "The first five of them."),
			"allowed", Described(List(Plain("string")), "The values that the field takes, where these are few; else empty."),
		))),
		"meta", Strict(object(
			"refused", Described(Plain("integer"), "How many rows were refused."),
			"grouped", Described(Plain("integer"), "Of how many of them it is told why."),
			"has_more", Described(Plain("boolean"), "Whether there are more than 200 groups."),
		)),
	)))
	creation, patch := b.input(Import, exchange.ImportCreation, all, true), b.input(Import, exchange.ImportPatch, all, false)
	made, changed := creation.get("properties").(Object), patch.get("properties").(Object)
	b.base("ImportBase", inAll([]Object{made, changed}))
	required, _ := creation.get("required").([]string)
	b.add(ImportCreation, b.closed(made, required, "ImportBase"))
	b.add(ImportPatch, b.closed(changed, nil, "ImportBase"))
}
