package openapi

import (
	"fmt"

	"github.com/kith-crm/kith/internal/record"
)

// alwaysSent are the headers that any answer may have, and failedSent those that errors have besides.
var (
	alwaysSent = []string{
		"X-Request-Id", "Cache-Control", "X-Content-Type-Options", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Vary",
		"RateLimit", "RateLimit-Policy", "Dry-Run", "Idempotent-Replayed", "Location",
	}
	failedSent = []string{"WWW-Authenticate", "Retry-After", "Allow"}
)

// everyAnswer is the member of the document that has the headers of every answer. OpenAPI knows headers only of each answer by itself.
const everyAnswer = "x-headers-of-every-answer"

// header describes a header of an answer; certain tells that it is always there.
type header struct {
	name, about string
	certain     bool
	schema      Schema
}

var headers = []header{
	{"X-Request-Id", "The id of the request, which is in the server's log too.", true, ID("req")},
	{"Cache-Control", "Nothing is to be kept by caches.", true, object("const", "no-store")},
	{"X-Content-Type-Options", "The content is what its type says.", true, object("const", "nosniff")},
	{"Access-Control-Allow-Origin", "Scripts of any site may call the API.", true, object("const", "*")},
	{"Access-Control-Expose-Headers", "The headers that a script may read; told to browsers.", false, Plain("string")},
	{"Vary", "With answers that are compressed for those who accept it.", false, Plain("string")},
	{"RateLimit", `What is left of the rate limit, where the server has one: "token";r=99;t=0 (IETF draft).`, false, Plain("string")},
	{"RateLimit-Policy", `The rate limit: "token";q=5;w=1;burst=100.`, false, Plain("string")},
	{"ETag", "The version of the record, or a digest of the answer, in quotes.", true, object("type", "string", "pattern", `^".+"$`)},
	{
		"Location", "The path of the new record, or of the job; with 201 and 202 always.", false,
		object("type", "string", "format", "uri-reference"),
	},
	{"Dry-Run", "true where a write was only rehearsed.", false, object("const", "true")},
	{
		"Idempotent-Replayed", "true where this is the answer that an earlier request with the same Idempotency-Key got.", false,
		object("const", "true"),
	},
	{"Content-Disposition", "The name of the file.", true, Plain("string")},
	{"Retry-After", "How many seconds to wait.", false, object("type", "string", "pattern", "^[0-9]+$")},
	{"WWW-Authenticate", "Where to find out how to get a token (RFC 6750, RFC 9728).", false, Plain("string")},
	{"X-Accel-Buffering", "Proxies are not to gather what is sent.", false, object("const", "no")},
	{"Allow", "The methods that the path has; with 405.", false, Plain("string")},
}

// headers are those of an answer, by reference.
func (b *builder) headers(names ...string) Object {
	var out Object
	for _, name := range names {
		out = out.with(name, object("$ref", "#/components/headers/"+name))
		b.sent[name] = true
	}
	return out
}

// headerSchemas are the headers that any answer has.
func (b *builder) headerSchemas() Object {
	var out Object
	for _, h := range headers {
		if !b.sent[h.name] {
			continue
		}
		o := object("description", h.about)
		if h.certain {
			o = o.with("required", true)
		}
		out = out.with(h.name, o.with("schema", h.schema))
	}
	return out
}

// The parameters that operations share, by the name of their description.
const (
	versionParameter = "Version"
	idParameter      = "Id"
	dryRunParameter  = "DryRun"
	keyParameter     = "Key"
	ifMatch          = "IfMatch"
	ifNoneMatch      = "IfNoneMatch"
	seeAsParameter   = "SeeAs"
)

// parameters describes them. What is said about one stands in its schema, because generators repeat what stands beside that with every
// operation.
func (b *builder) parameters(a API) Object {
	all := object(
		versionParameter, object("name", "Version", "in", "header", "required", true, "schema",
			Described(Enum(a.Version), "The version of the API.")),
		dryRunParameter, object("name", "dry_run", "in", "query", "schema", Described(Plain("boolean"),
			"Whether to rehearse the write: it is checked and answered as it would be, and nothing is written.")),
		keyParameter, object("name", "Idempotency-Key", "in", "header", "schema", Described(
			object("type", "string", "pattern", fmt.Sprintf("^[!-~]{1,%d}$", a.LongestKey)),
			"A name of your own for this request: sent again within 24 hours it is not done twice, and gets the first answer.",
		)),
		ifMatch, object("name", "If-Match", "in", "header", "schema", Described(Plain("string"),
			"The versions, in quotes, of which the record must have one; otherwise 412.")),
		ifNoneMatch, object("name", "If-None-Match", "in", "header", "schema", Described(Plain("string"),
			"The versions, in quotes, that the reader has already; then 304.")),
		seeAsParameter, object("name", "See-As", "in", "header", "schema", Described(ID("role"),
			"A role to look as, for who may change roles: what one may oneself counts as far as the role allows it.")),
	)
	all = append(all, b.ids...)
	var used Object
	for _, m := range all {
		if b.taking[m.Name] {
			used = append(used, m)
		}
	}
	return used
}

// idOf describes the id in the paths of a resource, and gives the name of that.
func (b *builder) idOf(k *record.Kind) string {
	prefix := ""
	if k != nil {
		prefix = k.Name
	}
	name := camel(prefix) + idParameter
	if b.ids.get(name) == nil {
		b.ids = b.ids.with(name, object("name", "id", "in", "path", "required", true, "schema", ID(prefix)))
	}
	return name
}
