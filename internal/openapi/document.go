// Package openapi describes the HTTP API to other programs, as an OpenAPI 3.1 document. Everything in it follows from the declared
// resources and from what the routes say of themselves; nothing is listed a second time.
package openapi

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// Doc is what a route says of itself beside its method, its path and who may use it.
type Doc struct {
	// ID names the operation in clients that are made from the document: createContact.
	ID string
	// Summary is a line, and About what else there is to say.
	Summary, About string
	// Tag is what the operation is listed under; that of its resource when empty.
	Tag string
	// Request is the schema of the body; nil where there is none. Needed tells that it cannot be left out.
	Request Schema
	Needed  bool
	// Example is a body that works, as JSON. The ids in it are made up.
	Example string
	// Reply is the schema of the answer; nil where it has no body.
	Reply Schema
	// Sends are the media types of a body that is a file; none where it is JSON.
	Sends []string
	// Files are the media types of an answer that is a file; none where it is JSON.
	Files []string
	// Statuses are those of success; 200 when there are none.
	Statuses []int
	// Tagged answers have the version of the one record that they are about.
	Tagged bool
	// Matches tells that the operation heeds If-Match.
	Matches bool
	// Open operations need neither token nor version.
	Open bool
	// Query and Headers are the parameters that no other operation has.
	Query, Headers []Parameter
	// Session tells that the operation is for people who are logged in, and not for tokens. It is neither rehearsed nor kept under a key.
	Session bool
	// Streams tells that the answer is one of server-sent events.
	Streams bool
}

// Parameter is one that an operation takes beside its body.
type Parameter struct {
	Name, About string
	Schema      Schema
}

// Operation is one method on one path.
type Operation struct {
	Method, Path string
	Kind         *record.Kind
	// Scopes are those of which the caller needs one; none where a token is enough.
	Scopes []string
	// Also are those that the caller needs besides.
	Also []string
	// Reads tells that it changes nothing.
	Reads bool
	Doc
}

// API is what a document is made of.
type API struct {
	Operations []Operation
	// Problems are the errors that there are.
	Problems map[problem.Code]Status
	// Version is the value of the Version header, LongestKey how long an idempotency key may be.
	Version    string
	LongestKey int
	// Origin is where the server is reached; relative to the document when empty.
	Origin string
	// Business is whose records are described, with the fields that it added; nil describes them as they are declared.
	Business *record.Principal
}

// builder collects the parts of a document.
type builder struct {
	// business is whose records are described, or nil.
	business  *record.Principal
	schemas   Object
	responses Object
	examples  Object
	requests  Object
	// ids are the parameters of paths.
	ids Object
	// sent are the headers that an answer has, and taking the parameters that an operation has.
	sent, taking map[string]bool
	// vias are what references lead to, by the name of their schemas, and conditions the names of the schemas of conditions, by what they
	// say.
	vias, conditions map[string]string
	// options are the names of the schemas of options, by these.
	options map[string]string
	// commonPaths are the fields that all resources can be searched by, with the names of their conditions, and commonVias the references.
	commonPaths map[string]string
	commonVias  map[string]bool
	// items are the names of the schemas of the items of lists, by what they say.
	items map[string]string
	// bases are the members of the schemas of what others have in common.
	bases map[string]Object
}

func (b *builder) has(name string) bool { return b.schemas.get(name) != nil }

func (b *builder) add(name string, s Schema) {
	if b.has(name) {
		b.set(name, s)
		return
	}
	b.schemas = append(b.schemas, Member{name, s})
}

func (b *builder) set(name string, s Schema) {
	at := slices.IndexFunc(b.schemas, func(m Member) bool { return m.Name == name })
	b.schemas[at].Value = s
}

const description = "Every request under /v1 needs the headers `Authorization: Bearer TOKEN` and `Version: v1`. Records are listed by " +
	"searches, which are `POST`. " +
	"Amounts and quantities are decimals in strings. Errors are `application/problem+json`. `HEAD` works wherever `GET` does.\n\n" +
	"Every answer has the headers of `" + everyAnswer + "`, as far as they say so; those that only some have are told there. " +
	"All errors are of one form and stand for every operation as `4XX` and `default`; " +
	"their codes are told with the response `" + anyError + "`.\n\n" +
	"A patch leaves alone what it does not mention, and `null` empties (JSON merge patch, RFC 7396). " +
	"An upsert finds the record by the field in `match`; its `data` has the fields of a creation or a patch, and `id` where that is " +
	"matched. " +
	"A search answers rows with all fields, or those in `fields`. " +
	"Who may write and not read is told the id and the version alone.\n\n" +
	"With a token this document has the fields that the token's business added (custom fields). What is only allowed in combination is " +
	"not part of it; the answer to a wrong request names every wrong field."

// of is a resource as it is described.
func (b *builder) of(res *schema.Resource) *schema.Resource {
	if b.business == nil {
		return res
	}
	return b.business.Shaped(res)
}

// referred is what a reference leads to, by its name and its shape as it is described.
func (b *builder) referred(l *schema.Leaf) (name string, shape *schema.Shape) {
	if l.Target != nil {
		return l.Target.Name, &b.of(l.Target).Shape
	}
	name, shape, _ = l.Referred()
	return name, shape
}

// ownBusiness are the members of a patch of the business.
func (b *builder) ownBusiness() (members Object) {
	for _, l := range record.Business.Leaves {
		if !l.ReadOnly {
			members = members.with(l.Name, Described(b.taken("Business", &record.Business.Shape, l), about(l)))
		}
	}
	return members
}

// me is the schema of who acts and what they may do.
func (b *builder) me() Schema {
	b.add("Permission", Strict(object(
		"effective", Described(reach(), "How far scope and role together reach."),
		"scope", Described(Plain("boolean"), "Whether the token has the scope."),
		"role", Described(reach(), "How far the role reaches."),
		"why", Described(Plain("string"), "What decides, for people."),
	)))
	b.add("ResourcePermissions", Strict(byVerb(Ref("Permission"))))
	return Strict(object(
		"business", Ref(Record(record.Business)), "user", Ref("User"), "role", Plain("string"),
		"features", List(Enum(record.Features...)), "scopes", List(Ref(scopeName)), "permissions",
		Strict(byResource(Ref("ResourcePermissions"))),
		"sends_mail", Described(Plain("boolean"), "Whether the server sends mail. Where it does not, somebody has to hand on the links "+
			"to those who are invited."),
	))
}

// reach is the schema of how far somebody goes.
func reach() Schema { return Enum(string(record.None), string(record.Own), string(record.All)) }

// byVerb and byResource are members of one schema each.
func byVerb(s Schema) (members Object) {
	for _, v := range record.Verbs {
		members = members.with(string(v), s)
	}
	return members
}

func byResource(s Schema) (members Object) {
	for _, name := range record.Registry.Names() {
		members = members.with(name, s)
	}
	return members
}

func security(origin string) Object {
	var scopes Object
	for _, s := range record.Scopes() {
		resource, action, _ := strings.Cut(s, ".")
		verb := map[string]string{"read": "Read ", "write": "Write ", "delete": "Delete ", "all": "All of "}[action]
		scopes = scopes.with(s, verb+words(resource)+".")
	}
	return object(
		"token", object("type", "http", "scheme", "bearer", "description",
			"A personal access token (kith_pat_…), or an access token of an app (kith_at_…)."),
		"session", object("type", "apiKey", "in", "cookie", "name", "kith_session", "description",
			"The log-in of a person in a browser. It counts for scripts of this very origin alone."),
		"oauth2", object("type", "oauth2", "description", "OAuth 2.1 with PKCE; see /.well-known/oauth-authorization-server.", "flows",
			object(
				"authorizationCode", object("authorizationUrl", origin+"/oauth/authorize", "tokenUrl", origin+"/oauth/token", "refreshUrl",
					origin+"/oauth/token", "scopes", scopes),
				"clientCredentials", object("tokenUrl", origin+"/oauth/token", "scopes", scopes),
			)),
	)
}

// tags lists the resources and what else operations are listed under, in their order.
func tags(operations []Operation) []Object {
	var list []Object
	var known []string
	for _, o := range operations {
		tag := o.tag()
		if slices.Contains(known, tag) {
			continue
		}
		known = append(known, tag)
		about := "What belongs to no resource."
		// A tag of a resource may begin with an operation that has none, such as the factors of a user.
		of := func(other Operation) bool { return other.Kind != nil && other.tag() == tag }
		if i := slices.IndexFunc(operations, of); i >= 0 {
			about = "The resource " + operations[i].Kind.Name + "."
		}
		list = append(list, object("name", tag, "description", about))
	}
	return list
}

func (o Operation) tag() string {
	switch {
	case o.Tag != "":
		return o.Tag
	case o.Kind != nil:
		return o.Kind.Plural
	default:
		return "service"
	}
}

// paths describes the operations, by their paths. What several of them answer, or show as an example, is described once.
func (b *builder) paths(a API) Object {
	var out Object
	shared := b.shareable(a.Operations)
	for _, o := range a.Operations {
		method, described := strings.ToLower(o.Method), b.operation(o, shared)
		at := slices.IndexFunc(out, func(m Member) bool { return m.Name == o.Path })
		if at < 0 {
			at = len(out)
			out = append(out, Member{o.Path, Object(nil)})
		}
		out[at].Value = out[at].Value.(Object).with(method, described)
	}
	return out
}

func (b *builder) operation(o Operation, shared *sharing) Object {
	about := o.About
	if len(o.Scopes) > 0 {
		about = strings.TrimSpace(about + " Needs `" + strings.Join(o.Scopes, "` or `") + "`")
		for _, scope := range o.Also {
			about += " and `" + scope + "`"
		}
		about += "."
	}
	out := object("operationId", o.ID, "tags", []string{o.tag()}, "summary", o.Summary)
	if about != "" {
		out = out.with("description", about)
	}
	if security := o.security(); security != nil {
		out = out.with("security", security)
	}
	if parameters := b.parametersOf(o); len(parameters) > 0 {
		out = out.with("parameters", parameters)
	}
	if body := shared.body(o); body != nil {
		out = out.with("requestBody", body)
	}
	return out.with("responses", b.replies(o, shared))
}

// body describes what an operation takes; nil where it takes nothing. Examples are where they are shared.
func (o Operation) body(shared *sharing) Object {
	var content Object
	switch {
	case o.Request != nil:
		media := object("schema", o.Request)
		if o.Example != "" {
			media = media.with("examples", object("works", shared.example(o)))
		}
		content = object("application/json", media)
		if o.Method == http.MethodPatch {
			content = content.with("application/merge-patch+json", object("schema", o.Request))
		}
	case len(o.Sends) > 0:
		for _, media := range o.Sends {
			content = content.with(media, object("schema", Schema{}))
		}
	default:
		return nil
	}
	if o.Needed || len(o.Sends) > 0 {
		return object("required", true, "content", content)
	}
	return object("content", content)
}

// security is what a caller must present: nothing, a session, or a token with a scope; nil where any token is enough, which is what the
// document says of all.
func (o Operation) security() []Object {
	token := Object{{"token", []string{}}}
	if o.Open {
		return []Object{{}, token}
	}
	if o.Session {
		return []Object{{{"session", []string{}}}}
	}
	if len(o.Scopes) == 0 {
		return nil
	}
	var list []Object
	for _, s := range o.Scopes {
		list = append(list, Object{{"oauth2", append([]string{s}, o.Also...)}})
	}
	return append(list, token)
}

// parametersOf lists the parameters of an operation by reference.
func (b *builder) parametersOf(o Operation) (out []Object) {
	add := func(name string) {
		b.taking[name] = true
		out = append(out, object("$ref", "#/components/parameters/"+name))
	}
	if strings.Contains(o.Path, "{id}") {
		add(b.idOf(o.Kind))
	}
	if !o.Open {
		add(versionParameter)
	}
	if !o.Reads && !o.Session {
		add(dryRunParameter)
		add(keyParameter)
	}
	if o.Reads && !o.Open && !o.Session {
		add(seeAsParameter)
	}
	if o.Matches {
		add(ifMatch)
	}
	if o.Tagged && o.Method == http.MethodGet {
		add(ifNoneMatch)
	}
	own := func(place string, all []Parameter) {
		for _, p := range all {
			out = append(out, object("name", p.Name, "in", place, "schema", Described(p.Schema, p.About)))
		}
	}
	own("query", o.Query)
	own("header", o.Headers)
	return out
}

// replies describes every answer that an operation can give. Failures are of one form, and which of them an operation may have follows from
// what it takes; the one response that stands for them all says so.
func (b *builder) replies(o Operation, shared *sharing) Object {
	var out Object
	for _, s := range b.successes(o) {
		out = out.with(strconv.Itoa(s.status), shared.response(s))
	}
	failed := object("$ref", "#/components/responses/"+anyError)
	return out.with("4XX", failed).with("default", failed)
}

// success is an answer of an operation that did what was asked, or had nothing to do.
type success struct {
	status int
	// name is what it is called where several operations have it.
	name   string
	answer Object
}

// successes describes the answers of an operation that are no failures.
func (b *builder) successes(o Operation) (out []success) {
	statuses := o.Statuses
	if len(statuses) == 0 {
		statuses = []int{http.StatusOK}
	}
	for _, status := range statuses {
		var names []string
		if o.Tagged && status != http.StatusNoContent {
			names = append(names, "ETag")
		}
		media := "application/json"
		if o.Streams {
			media, names = "text/event-stream", append(names, "X-Accel-Buffering")
		}
		if len(o.Files) > 0 {
			names = append(names, "Content-Disposition")
		}
		text := "OK." // whatever the status, which stands beside it, so that the answers of all writes of a record are one
		if status == http.StatusNoContent {
			text = "Done."
		}
		answer := object("description", text)
		if len(names) > 0 {
			answer = answer.with("headers", b.headers(names...))
		}
		var content Object
		for _, media := range o.Files {
			content = content.with(media, object("schema", Plain("string")))
		}
		if content != nil {
			answer = answer.with("content", content)
		}
		if o.Reply != nil && status != http.StatusNoContent {
			answer = answer.with("content", object(media, object("schema", o.Reply)))
		}
		out = append(out, success{status, answerName(o, status), answer})
	}
	if o.Tagged && o.Method == http.MethodGet {
		status := http.StatusNotModified
		answer := object("description", "The reader has this version already.", "headers", b.headers("ETag"))
		out = append(out, success{status, responseName(status), answer})
	}
	return out
}

// answerName is what an answer is called: by its schema, where it has one.
func answerName(o Operation, status int) string {
	name := "File"
	if target, ok := o.Reply.get("$ref").(string); ok {
		name = target[strings.LastIndex(target, "/")+1:]
	} else if o.Reply != nil {
		name = strings.ToUpper(o.ID[:1]) + o.ID[1:]
	}
	if status == http.StatusNoContent {
		return responseName(status)
	}
	return name
}

// Undescribed tells what an operation fails to say of itself.
func (o Operation) Undescribed() error {
	switch {
	case o.ID == "":
		return fmt.Errorf("%s %s has no ID", o.Method, o.Path)
	case o.Summary == "":
		return fmt.Errorf("%s %s has no Summary", o.Method, o.Path)
	case o.About == "" && len(o.Scopes) == 0:
		return fmt.Errorf("%s %s has no About", o.Method, o.Path)
	case o.Reply == nil && o.Files == nil && !slices.Contains(o.Statuses, http.StatusNoContent):
		return fmt.Errorf("%s %s has no Reply", o.Method, o.Path)
	}
	return nil
}
