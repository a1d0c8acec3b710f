package openapi

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/problem"
)

// Status is what a problem is answered with.
type Status struct {
	Status int
	Title  string
}

const (
	problemName = "Problem"
	// anyError is the response that stands for all failures.
	anyError = "Error"
	// whichErrors tells which of them an operation may have: that follows from what it takes.
	whichErrors = "What operations answer that fail: " +
		"404 where the path or the body names what is not there, 409 of a write, or of a read of what is not there yet, " +
		"412 where it takes If-Match or if_match, the others of any."
)

// problems adds the schema of errors, and the response that stands for them.
func (b *builder) problems(statuses map[problem.Code]Status) {
	codes := map[int][]string{}
	for code, s := range statuses {
		codes[s.Status] = append(codes[s.Status], string(code))
	}
	var known, told []string
	for _, status := range slices.Sorted(maps.Keys(codes)) {
		slices.Sort(codes[status])
		known = append(known, codes[status]...)
		var titles []string
		for _, code := range codes[status] {
			titles = append(titles, "`"+code+"`: "+statuses[problem.Code(code)].Title+".")
		}
		told = append(told, "- "+strconv.Itoa(status)+" "+strings.Join(titles, " "))
	}
	b.responses = b.responses.with(anyError, object(
		"description", whichErrors+"\n\n"+strings.Join(told, "\n"),
		"headers", b.headers(slices.Concat(alwaysSent, failedSent)...),
		"content", object("application/problem+json", object("schema", Ref(problemName))),
	))
	text := Plain("string")
	about := func(s string) Schema { return Described(text, s) }
	field := Strict(object(
		"field", about("The path in the input: filters[2].values[0], address.city."),
		"code", about("What is wrong with it; stable."),
		"message", about("The same for people."),
		"allowed", Described(List(text), "What would have been taken."),
	), "allowed")
	changed := Strict(object("version", Plain("integer"), "at", Time(), "actor", Ref("Actor"), "fields", List(text)))
	b.add("FieldProblem", field)
	b.add("VersionChange", Described(changed, "Who made a version of a record, and which fields they changed."))
	optional := object(
		"errors", Described(List(Ref("FieldProblem")), "Every wrong field."),
		"errors_omitted", Described(Plain("integer"), "How many further ones there are."),
		"allowed", Described(List(text), "Versions, methods or moves that would have been accepted."),
		"scope", about("The scope that is needed."),
		"existing_id", about("The record in the way."),
		"existing_ids", Described(List(text), "The records of which one is meant."),
		"merged_into", about("The record into which the one that was asked for has been merged, in the end."),
		"current_version", Described(Plain("integer"), "The version that the record is at."),
		"changes", Described(List(Ref("VersionChange")), "What was changed since the version that was given, newest first."),
		"changes_omitted", Described(Plain("integer"), "How many older changes there are."),
		"retry_after_ms", Described(Plain("integer"), "How long to wait."),
	)
	b.add(problemName, Described(Strict(append(object(
		"type", object("type", "string", "format", "uri"), "title", text, "status", Plain("integer"), "detail", text,
		"code", Enum(known...), "request_id", ID("req"),
	), optional...), names(optional)...), "An error (RFC 9457)."))
}

// responseName names a response by its status: NotFound.
func responseName(status int) string {
	return strings.ReplaceAll(strings.ReplaceAll(http.StatusText(status), " ", ""), "-", "")
}
