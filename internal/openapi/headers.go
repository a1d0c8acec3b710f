package openapi

import (
	"fmt"

	"kith/internal/crm"
)

// Headers that answers have, by when.
var (
	alwaysSent = []string{"X-Request-Id", "Cache-Control", "X-Content-Type-Options", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Vary", "RateLimit", "RateLimit-Policy"}
	headersOf  = map[int][]string{
		401: {"WWW-Authenticate"}, 403: {"WWW-Authenticate"}, 405: {"Allow"}, 409: {"Retry-After"}, 429: {"Retry-After"}, 503: {"Retry-After"},
	}
	writeSent = []string{"Dry-Run", "Idempotent-Replayed"}
)

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
	{"Location", "The path of the new record.", true, object("type", "string", "format", "uri-reference")},
	{"Dry-Run", "true where the write was only rehearsed.", false, object("const", "true")},
	{"Idempotent-Replayed", "true where this is the answer that an earlier request with the same Idempotency-Key got.", false, object("const", "true")},
	{"Content-Disposition", "The name of the file.", true, Plain("string")},
	{"Retry-After", "How many seconds to wait.", false, object("type", "string", "pattern", "^[0-9]+$")},
	{"WWW-Authenticate", "Where to find out how to get a token (RFC 6750, RFC 9728).", false, Plain("string")},
	{"X-Accel-Buffering", "Proxies are not to gather what is sent.", false, object("const", "no")},
	{"Allow", "The methods that the path has.", true, Plain("string")},
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
	keyParameter     = "IdempotencyKey"
	ifMatch          = "IfMatch"
	ifNoneMatch      = "IfNoneMatch"
)

func (b *builder) parameters(a API) Object {
	all := object(
		versionParameter, object("name", "Version", "in", "header", "required", true, "description", "The version of the API.", "schema", Enum(a.Version), "example", a.Version),
		dryRunParameter, object("name", "dry_run", "in", "query", "description", "Whether to rehearse the write: it is checked and answered as it would be, and nothing is written.", "schema", Plain("boolean")),
		keyParameter, object(
			"name", "Idempotency-Key", "in", "header", "description", "A name of your own for this request: sent again within 24 hours it is not done twice, and gets the first answer.",
			"schema", object("type", "string", "pattern", fmt.Sprintf("^[!-~]{1,%d}$", a.LongestKey)),
		),
		ifMatch, object("name", "If-Match", "in", "header", "description", `The versions, in quotes, of which the record must have one; otherwise 412.`, "schema", Plain("string")),
		ifNoneMatch, object("name", "If-None-Match", "in", "header", "description", `The versions, in quotes, that the reader has already; then 304.`, "schema", Plain("string")),
	)
	var used Object
	for _, m := range all {
		if b.taking[m.Name] {
			used = append(used, m)
		}
	}
	return used
}

// idOf describes the id in a path.
func idOf(k *crm.Kind) Object {
	prefix := ""
	if k != nil {
		prefix = k.Name
	}
	return object("name", "id", "in", "path", "required", true, "description", "The id of the record.", "schema", ID(prefix))
}
