package httpapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/openapi"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// actionDoc describes an action of a resource. One that makes another record answers 201.
func actionDoc(k *record.Kind, at int) openapi.Doc {
	a := &k.Actions[at]
	statuses := []int{http.StatusOK}
	if a.Makes {
		statuses = append(statuses, http.StatusCreated)
	}
	reply := openapi.Written(&k.Resource)
	switch a.Name {
	case record.Merge:
		reply = openapi.Merged(&k.Resource)
	case record.Unmerge:
		reply = openapi.Unmerged(&k.Resource)
	}
	return openapi.Doc{
		ID: camel(a.Name) + typeName(k.Name), Summary: "The action " + a.Name + " of " + article(words(k.Name)), About: a.About,
		Request: openapi.Ref(openapi.Arguments(&k.Resource, a.Name)),
		Needed:  slices.ContainsFunc(a.Body, func(f schema.Field) bool { return f.Required }), Example: a.Example,
		Reply: openapi.Ref(reply), Statuses: statuses, Tagged: true, Matches: true,
	}
}

// needs tells whether a creation cannot do without a body.
func needs(k *record.Kind) bool {
	return slices.ContainsFunc(k.Fields, func(f schema.Field) bool { return f.Required && !f.Derived && !f.ReadOnly && f.Default == "" })
}

// patchOf makes a patch of the example of a creation: its last member.
func patchOf(k *record.Kind) string {
	n, err := body.Parse([]byte(k.Example))
	if err != nil || n == nil || len(n.Members) == 0 {
		return "{}"
	}
	last := n.Members[len(n.Members)-1].Name
	if l := k.Leaf(last); l != nil && l.Writing.Immutable {
		return `{"tags":["important"]}`
	}
	_, value, _ := strings.Cut(k.Example, `"`+last+`":`)
	return `{"` + last + `":` + value
}

func batchOf(k *record.Kind) string {
	ops, _ := k.Operations()
	if !slices.Contains(ops, record.Create) {
		return ""
	}
	return `{"operations":[{"op":"create","data":` + least(k) + `}]}`
}

// upsertOf makes an upsert of the example of a creation, by a name of the caller's own.
func upsertOf(k *record.Kind) string {
	return `{"match":"external_id","data":{"external_id":"` + k.Name + `-1",` + strings.TrimPrefix(least(k), "{") + `}`
}

// least is the beginning of the example of a creation, with what a record cannot do without. The whole of it stands with the creation.
func least(k *record.Kind) string {
	n, err := body.Parse([]byte(k.Example))
	var values map[string]json.RawMessage
	if err != nil || n == nil || json.Unmarshal([]byte(k.Example), &values) != nil {
		return "{}"
	}
	var members []string
	for i, m := range n.Members {
		if l := k.Leaf(m.Name); i < 3 || l != nil && (l.Required || l.Kind == schema.List) {
			members = append(members, `"`+m.Name+`":`+string(values[m.Name]))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// words writes a name as people do, and article with a or an before it.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

func article(name string) string {
	if strings.ContainsRune("aeio", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// typeName writes a name as types are written, and camel as methods are.
func typeName(name string) string { return strings.ToUpper(name[:1]) + camel(name)[1:] }

func camel(name string) string {
	first, rest, more := strings.Cut(name, "_")
	if !more {
		return first
	}
	return first + typeName(rest)
}

// Codes are the stable names of all problems, in their order.
func Codes() []problem.Code { return slices.Sorted(maps.Keys(statuses)) }

// Document describes the API as an OpenAPI document for a server that is reached at an origin; without one, relative to the
// document. With a principal, records are those of their business.
func (a *API) Document(origin string, of *record.Principal) ([]byte, error) {
	d := openapi.API{Business: of, Problems: map[problem.Code]openapi.Status{}, Version: Version, LongestKey: longestKey, Origin: origin}
	for code, s := range statuses {
		d.Problems[code] = openapi.Status{Status: s.status, Title: s.title}
	}
	d.Operations = a.Operations()
	return openapi.Build(d)
}

// Operations are what the document tells of: the routes, and those outside /v1.
func (a *API) Operations() (all []openapi.Operation) {
	for _, r := range append(a.Routes(), outside...) {
		all = append(all, r.operation())
	}
	return all
}

func (r *Route) operation() openapi.Operation {
	o := openapi.Operation{Method: r.Method, Path: r.Pattern, Kind: r.Kind, Reads: r.reads(), Doc: r.Doc}
	switch {
	case r.Kind != nil && r.Verb == "":
		o.Scopes = []string{r.Kind.Name + "." + string(record.Write), r.Kind.Name + "." + string(record.Delete)}
	default:
		if needs := r.Needs(); len(needs) > 0 {
			o.Scopes, o.Also = needs[:1], needs[1:]
		}
	}
	return o
}

// document is the description of the API as it is served, made when it is first asked for and kept in both forms, because everybody
// may ask.
type document struct {
	once       sync.Once
	text, gzip []byte
	failed     error
}

// documents remembers those of a few businesses that have fields of their own: each takes a tenth of a second to make, and several
// hundred kilobytes.
type documents struct {
	sync.Mutex
	known map[*record.Shapes]*document
}

const mostDocuments = 8

// of gives the document of the business that has some shapes, which is made once.
func (d *documents) of(shapes *record.Shapes) *document {
	d.Lock()
	defer d.Unlock()
	if d.known[shapes] == nil {
		if d.known == nil || len(d.known) >= mostDocuments {
			d.known = map[*record.Shapes]*document{}
		}
		d.known[shapes] = &document{}
	}
	return d.known[shapes]
}

func (r *request) openAPI() (reply, error) {
	d, of := &r.api.document, r.call.Principal
	if of != nil && of.Shapes != nil {
		d = r.api.documents.of(of.Shapes)
	} else {
		of = nil
	}
	d.once.Do(func() {
		if d.text, d.failed = r.api.Document("", of); d.failed == nil {
			d.gzip = compress(nil, d.text)
		}
	})
	return reply{status: http.StatusOK, text: d.text, gzip: d.gzip}, d.failed
}
