package main

import (
	"slices"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// pathType is the type of a field's name, which has the operators that the field takes.
func pathType(l *schema.Leaf, owner string) string {
	switch operatorGroup(l.Kind).name {
	case "words":
		return "TextField"
	case "exact":
		return "ExactField[" + goType(l, owner) + "]"
	case "range":
		return "RangeField[" + goType(l, owner) + "]"
	case "member":
		return "ListField[string]"
	}
	return "ObjectField"
}

// fields writes the names of fields, as filters, orders and projections name them.
func (g *golang) fields() {
	g.links()
	for _, k := range record.Kinds() {
		name := typeName(k.Name)
		g.paths(&k.Shape, name, article(spoken(k.Name)))
		g.line("// %sFields names what a search for %s can ask for: their own fields, and those of the records that they refer to.", name,
			spoken(k.Plural))
		g.line("var %sFields = struct {\n%sPaths", name, name)
		type reference struct{ field, target, prefix string }
		var references []reference
		for _, l := range k.Leaves {
			target, _, _ := l.Referred()
			if target == "" {
				continue
			}
			r := reference{goName(l.RefersAs()), typeName(target), l.RefersAs() + "."}
			if l.RefersAs() == l.Path { // created_by is the id itself, so what it leads to has another name
				r.field += r.target
			}
			references = append(references, r)
			g.line("%s %sPaths", r.field, r.target)
		}
		if len(k.Links) > 0 {
			g.line("// %s are the records that a search can be filtered by, where they are associated with those that it looks for.",
				goName(k.Links[0].Via.Plural))
			g.line("%s LinkFields", goName(k.Links[0].Via.Plural))
		}
		g.line("}{")
		g.line("%sPaths: new%sPaths(\"\"),", name, name)
		for _, r := range references {
			g.line("%s: new%sPaths(%q),", r.field, r.target, r.prefix)
		}
		if len(k.Links) > 0 {
			g.line("%s: linkFields,", goName(k.Links[0].Via.Plural))
		}
		g.line("}\n")
		for _, f := range k.Tree {
			if f.Ref.ListItem != "" {
				g.paths(k.Inner[f.Name], item(f), article(spoken(f.Ref.ListItem)))
			}
		}
	}
	g.auditFields()
}

// auditFields writes the names of the fields of the audit log.
func (g *golang) auditFields() {
	line := record.Registry.Audit
	name := typeName(line.Name)
	g.paths(&line.Shape, name, "a line of the audit log")
	g.line("// %sFields names what a search of the audit log can ask for.", name)
	g.line("var %sFields = new%sPaths(\"\")\n", name, name)
}

// links writes the names of what records are associated with, which are the same for all that can be.
func (g *golang) links() {
	at := slices.IndexFunc(record.Kinds(), func(k *record.Kind) bool { return len(k.Links) > 0 })
	links := record.Kinds()[at].Links
	g.line("// LinkFields name the records that others are associated with: a search can be filtered by them, and not be ordered.")
	g.line("type LinkFields struct {")
	for _, l := range links {
		g.line("%s ListField[%s]", goName(l.Name), idType(l, ""))
	}
	g.line("}\n")
	g.line("var linkFields = LinkFields{")
	for _, l := range links {
		g.line("%s: ListField[%s](%q),", goName(l.Name), idType(l, ""), l.Path)
	}
	g.line("}\n")
}

// paths writes the type with the names of the fields of a shape, and how it is made: a reference puts its own name before them.
func (g *golang) paths(s *schema.Shape, name, what string) {
	g.line("// %sPaths are the names of the fields of %s.", name, what)
	g.line("type %sPaths struct {", name)
	for _, f := range s.Tree {
		if f.Kind == schema.Group {
			g.line("%s %sPaths", goName(f.Name), item(f))
			continue
		}
		g.line("%s %s", goName(f.Name), pathType(s.Leaf(f.Name), name))
	}
	g.line("}\n")
	g.line("func new%sPaths(prefix string) %sPaths {\nreturn %sPaths{", name, name, name)
	for _, f := range s.Tree {
		if f.Kind == schema.Group {
			g.line("%s: new%sPaths(prefix + %q),", goName(f.Name), item(f), f.Name+".")
			continue
		}
		g.line("%s: %s(prefix + %q),", goName(f.Name), pathType(s.Leaf(f.Name), name), f.Name)
	}
	g.line("}\n}\n")
	for _, f := range s.Tree {
		if f.Kind == schema.Group {
			part := &golang{}
			part.paths(schema.CompileBody(f.Name, f.Fields...), item(f), article(spoken(f.Name)))
			if g.once(item(f)+"Paths", part.out.String()) {
				g.out.WriteString(part.out.String())
			}
		}
	}
}

// calls writes the client with its resources, and the calls of each.
func (g *golang) calls() {
	g.line("// Client is a connection to a server on behalf of one user of one business. See [New].")
	g.line("type Client struct {")
	for _, k := range record.Kinds() {
		g.line("%s %s", typeName(k.Plural), typeName(k.Plural))
	}
	g.line("// Business is the business itself.")
	g.line("Business OwnBusiness")
	g.line("// Audit is the audit log of the business.")
	g.line("Audit AuditLog")
	g.line("// Jobs are what takes longer than a request.")
	g.line("Jobs Jobs")
	g.line("// Imports are files on their way in.")
	g.line("Imports Imports\n")
	g.line("core *core\n}\n")
	g.line("func newClient(c *core) *Client {\nreturn &Client{")
	for _, k := range record.Kinds() {
		g.line("%s: %s{calls[%s]{c, %q}},", typeName(k.Plural), typeName(k.Plural), typeName(k.Name), "/"+k.Plural)
	}
	g.line("Business: OwnBusiness{calls[Business]{c, %q}},\nAudit: AuditLog{calls[Audit]{c, %q}},\nJobs: Jobs{calls[Job]{c, \"/jobs\"}},"+
		"\nImports: Imports{calls[Import]{c, \"/imports\"}},\ncore: c,\n}\n}\n", "/"+record.Business.Name, "/"+record.Registry.Audit.Plural)
	for _, k := range record.Kinds() {
		g.resource(k)
	}
}

func (g *golang) resource(k *record.Kind) {
	name, all := typeName(k.Name), typeName(k.Plural)
	a, these := article(spoken(k.Name)), spoken(k.Plural)
	// call writes one method.
	call := func(about, method, parameters, results, body string) {
		g.comment(method + " " + about)
		g.line("func (s %s) %s(ctx context.Context%s) %s {\nreturn %s\n}\n", all, method, parameters, results, body)
	}
	const options, walks = ", options ...WriteOption", ", and fetches page after page as the loop goes on."
	id, in, result := ", id "+name+"ID", ", in "+name+"Input", "(*"+name+", error)"

	g.line("// %s are the %s of the business; a [Client] has them as its field %s.", all, these, all)
	g.line("type %s struct{ calls[%s] }\n", all, name)
	call("reads "+a+".", "Get", id, result, "s.get(ctx, string(id))")
	call("finds "+these+walks+" An error is the last thing that it gives.", "Search", ", q Query", "iter.Seq2[*"+name+", error]",
		"s.search(ctx, live, q)")
	call("finds one page of "+these+".", "SearchPage", ", q Query", "(*Page["+name+"], error)", "s.page(ctx, live, q)")
	if k.Offers("bin") {
		call("finds "+these+" that were deleted, as Search does.", "SearchBin", ", q Query", "iter.Seq2[*"+name+", error]",
			"s.search(ctx, bin, q)")
		call("finds one page of "+these+" that were deleted.", "SearchBinPage", ", q Query", "(*Page["+name+"], error)",
			"s.page(ctx, bin, q)")
	}
	if k.Offers("create") {
		call("makes "+a+".", "Create", in+options, result, "s.create(ctx, in, options)")
	}
	if k.Offers("patch") {
		call("changes what is said of "+a+", and nothing else.", "Update", id+in+options, result, "s.update(ctx, string(id), in, options)")
	}
	if k.Upserts() {
		call("changes the "+spoken(k.Name)+" that has the same value in a field, or makes one where none has. It tells, too, whether one "+
			"was made.",
			"Upsert", ", by "+name+"Match"+in+options, "(*"+name+", bool, error)", "s.upsert(ctx, string(by), in, options)")
	}
	if k.Offers("delete") {
		about := "moves " + a + " to the bin."
		if !k.Offers("bin") {
			about = "removes " + a + " for good."
		}
		call(about, "Delete", id+options, "error", "s.remove(ctx, string(id), options)")
	}
	if k.Offers("restore") {
		call("takes "+a+" back from the bin.", "Restore", id+options, result, `s.act(ctx, string(id), "restore", nil, options)`)
	}
	for _, action := range k.Actions {
		about := "is the action. " + action.About
		if answer := mergeAnswer(action.Name); answer != "" {
			call(about, goName(action.Name), id+", in "+name+goName(action.Name)+"Input"+options, "(*"+answer+"["+name+"], error)",
				`merging[`+answer+"["+name+`]](ctx, s.calls, string(id), "`+action.Name+`", in, options)`)
			continue
		}
		if len(action.Leaves) == 0 {
			call(about, goName(action.Name), id+options, result, `s.act(ctx, string(id), "`+action.Name+`", nil, options)`)
		} else {
			call(about, goName(action.Name), id+", in "+name+goName(action.Name)+"Input"+options, result,
				`s.act(ctx, string(id), "`+action.Name+`", in, options)`)
		}
	}
	if k.Offers("history") {
		call("tells what happened to "+a+", deleted or not"+walks, "History", id+", q LogQuery", "iter.Seq2[*Change, error]",
			"s.history(ctx, string(id), q)")
		call("gives one page of the history.", "HistoryPage", id+", q LogQuery", "(*Page[Change], error)",
			"s.historyPage(ctx, string(id), q)")
	}
	if k.Offers("timeline") {
		call("tells what happened around "+a+": what others are about it, and its own changes. It fetches page after page as the loop "+
			"goes on.", "Timeline", id+", q LogQuery", "iter.Seq2[*Event, error]", "s.timeline(ctx, string(id), q)")
		call("gives one page of the timeline.", "TimelinePage", id+", q LogQuery", "(*Page[Event], error)",
			"s.timelinePage(ctx, string(id), q)")
	}
	if k.Offers("duplicates") {
		pair := "Duplicate[" + name + "]"
		call("finds "+these+" that may be the same. It fetches page after page as the loop goes on.", "Duplicates", ", q DuplicatesQuery",
			"iter.Seq2[*"+pair+", error]", "s.duplicates(ctx, q)")
		call("gives one page of duplicates.", "DuplicatesPage", ", q DuplicatesQuery", "(*Page["+pair+"], error)",
			"s.duplicatesPage(ctx, q)")
		call("says that two "+these+" are not the same.", "DismissDuplicate", ", a, b "+name+"ID"+options, "error",
			"s.dismiss(ctx, string(a), string(b), options)")
	}
	if k.Offers("erase") {
		call("removes what is known of "+a+" for good. The reason stays in the change log.", "Erase", id+", reason string"+options,
			"error", "s.erase(ctx, string(id), reason, options)")
	}
	if k.Offers("export") {
		call("takes "+these+" out as a file, all that a search with the same filters finds. It is read as it comes, and has to be "+
			"closed.", "Export", ", q ExportQuery", "(io.ReadCloser, error)", "s.export(ctx, q)")
	}
	if k.Offers("aggregate") {
		call("gives figures of "+these+": how many there are, sums, averages, the least and the most, by group.", "Aggregate",
			", q AggregateQuery", "(*Figures, error)", "s.aggregate(ctx, q)")
	}
	if k.Offers(record.BulkJob) {
		call("does one thing to all "+these+" that a search finds, by a job.", "Bulk", ", b Bulk"+options, "(*Job, error)",
			"s.bulk(ctx, b, options)")
		call("tells what a bulk operation would do.", "PreviewBulk", ", b Bulk", "(*BulkPreview, error)", "s.previewBulk(ctx, b)")
	}
	if k.Upserts() {
		g.line("// %sMatch is a field by which an upsert finds %s.", name, a)
		g.line("type %sMatch string\n", name)
		g.line("// The fields by which an upsert finds %s.", a)
		g.line("const (")
		for _, l := range k.Matchable(&k.Resource) {
			if l != k.Common.ID { // what is known by its id is updated
				g.line("%sBy%s %sMatch = %q", name, goName(l.Path), name, l.Path)
			}
		}
		g.line(")\n")
	}
}

// mergeAnswer is the type of what a merge and its reverse answer; of other actions it is the record.
func mergeAnswer(action string) string {
	switch action {
	case record.Merge:
		return "Merged"
	case record.Unmerge:
		return "Unmerged"
	}
	return ""
}

// batches writes the batches of each resource: its writes, collected and sent together.
func (g *golang) batches() {
	for _, k := range record.Kinds() {
		name, all := typeName(k.Name), typeName(k.Plural)
		a := article(spoken(k.Name))
		g.line("// %sBatch collects up to %d writes of %s, to be sent together.", name, record.MaxBatch, spoken(k.Plural))
		g.line("type %sBatch struct{ batch batch[%s] }\n", name, name)
		g.line("// Batch begins a batch.")
		g.line("func (s %s) Batch() *%sBatch { return &%sBatch{batch[%s]{calls: s.calls}} }\n", all, name, name, name)
		g.line("// Do sends the batch. Each operation succeeds or fails by itself, in the order in which they were added; the results " +
			"tell.")
		g.line("func (b *%sBatch) Do(ctx context.Context, options ...WriteOption) ([]Result[%s], error) {\nreturn b.batch.do(ctx, false, "+
			"options)\n}\n", name, name)
		g.line("// DoAtomic sends the batch. All operations succeed, or nothing is done and the first failure is the error; it names the " +
			"operation.")
		g.line("func (b *%sBatch) DoAtomic(ctx context.Context, options ...WriteOption) ([]Result[%s], error) {\nreturn b.batch.do(ctx, "+
			"true, options)\n}\n", name, name)
		add := func(about, method, parameters, operation string) {
			g.comment(method + " " + about)
			g.line("func (b *%sBatch) %s(%s) *Operation {\nreturn b.batch.add(operation{%s})\n}\n", name, method, parameters, operation)
		}
		if k.Offers("create") {
			add("makes "+a+".", "Create", "in "+name+"Input", `Op: "create", Data: in`)
		}
		if k.Offers("patch") {
			add("changes what is said of "+a+".", "Update", "id "+name+"ID, in "+name+"Input", `Op: "update", ID: string(id), Data: in`)
		}
		if k.Upserts() {
			add("changes the "+spoken(k.Name)+" that has the same value in a field, or makes one.", "Upsert",
				"by "+name+"Match, in "+name+"Input", `Op: "upsert", Match: string(by), Data: in`)
		}
		if k.Offers("delete") {
			add("deletes "+a+".", "Delete", "id "+name+"ID", `Op: "delete", ID: string(id)`)
		}
		if k.Offers("restore") {
			add("takes "+a+" back from the bin.", "Restore", "id "+name+"ID", `Op: "act", ID: string(id), Action: "restore"`)
		}
		for _, action := range k.Actions {
			parameters, data := "id "+name+"ID", ""
			if len(action.Leaves) > 0 {
				parameters += ", in " + name + goName(action.Name) + "Input"
				data = ", Data: in"
			}
			add("is the action. "+action.About, goName(action.Name), parameters,
				`Op: "act", ID: string(id), Action: "`+action.Name+`"`+data)
		}
	}
}
