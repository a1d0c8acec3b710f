package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/openapi"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// What the routes say of themselves, for the OpenAPI document.

// documents of the routes that belong to no resource.
var (
	aboutMe = openapi.Doc{
		ID: "getMe", Summary: "Who acts, where, and what they may do",
		About: "For each resource and verb it tells how far scope and role together reach, and why.", Reply: openapi.Ref("Me"),
	}
	aboutBusiness = openapi.Doc{
		ID: "getBusiness", Summary: "The business", About: "The one that the token belongs to.",
		Reply: openapi.Ref(openapi.Record(record.Business)), Tagged: true,
	}
	aboutLogo = openapi.Doc{
		ID: "getLogo", Summary: "The logo of the business", About: "The ETag changes with it. 404 where there is none.",
		Files: []string{pngType}, Tagged: true,
	}
	aboutPatchBusiness = openapi.Doc{
		ID: "patchBusiness", Summary: "Change the business", Reply: openapi.Ref(openapi.Record(record.Business)), Tagged: true,
		Matches: true,
		Request: openapi.Ref(openapi.Patch(record.Business)), Example: `{"timezone":"Europe/Stockholm"}`,
	}
	aboutChanges = openapi.Doc{
		ID: "searchChanges", Summary: "What happened in the business",
		About:   "All changes that the caller may read, in the order of commits, without gaps.",
		Request: openapi.Ref(openapi.ChangesRequest), Reply: openapi.Ref(openapi.ChangesPage),
		Example: `{"after":0,"resources":["contact","deal"],"limit":100}`,
	}
	aboutStream = openapi.Doc{
		ID: "streamChanges", Summary: "Listen to what happens in the business",
		About: "The entries of searchChanges as server-sent events, as they are made, each with its seq as the id. It does not end by " +
			"itself; a client that comes back with the header Last-Event-ID misses nothing.",
		Query: []openapi.Parameter{
			{
				Name: afterName, Schema: openapi.Schema{{Name: "type", Value: "integer"}, {Name: "minimum", Value: 0}},
				About: "The seq to go on behind; 0 is the beginning. From now on when not given.",
			},
			{
				Name: resourcesName, Schema: openapi.Plain("string"),
				About: "Only changes of these, with commas between them, such as contact,deal; all that may be read when not given.",
			},
		},
		Headers: []openapi.Parameter{{
			Name:   lastEvent,
			Schema: openapi.Schema{{Name: "type", Value: "string"}, {Name: "pattern", Value: "^[0-9]*$"}},
			About:  "The id of the last event that was read; it counts more than after.",
		}},
		Reply: openapi.Plain("string"), Streams: true,
	}
	aboutAudit = openapi.Doc{
		ID: "searchAudit", Summary: "Who came in, who was refused, and who changed what",
		About:   "The audit log of the business. Needs the feature permission audit.",
		Request: openapi.Ref(openapi.Search(crm.Registry.Audit)), Reply: openapi.Ref(openapi.Page(crm.Registry.Audit)),
		Example: `{"filters":[{"field":"action","operator":"in","values":["login.failed","token.created"]},{"field":"created_at",` +
			`"operator":"gte","value":"2020-01-01"}],"limit":50}`,
	}
	aboutAcross = openapi.Doc{
		ID: "search", Summary: "Find words in several resources",
		About: "The best come first: a value that is the text itself, then the beginning of a word, then any other place; among those " +
			"that fit alike what was changed last.",
		Request: openapi.Ref(openapi.AcrossRequest), Reply: openapi.Ref(openapi.AcrossReply),
		Example: `{"search_text":"zoe","resources":["contact","company"],"limit":10}`,
	}
	aboutJob = openapi.Doc{
		ID: "getJob", Summary: "How far a job has come",
		About: "Jobs are what takes longer than a request. They are kept for 30 days after they ended.", Tag: "jobs",
		Reply: openapi.Ref(openapi.Job),
	}
	aboutJobs = openapi.Doc{
		ID: "searchJobs", Summary: "List jobs", About: "One's own, the newest first; those of all users for who manages settings.",
		Tag:     "jobs",
		Request: openapi.Ref(openapi.PageRequest), Reply: openapi.Ref(openapi.JobsPage), Example: `{"limit":10}`,
	}
	aboutCancelJob = openapi.Doc{
		ID: "cancelJob", Summary: "End a job", About: "It ends between two of its steps. What it has done stays done; undo takes that " +
			"back.", Tag: "jobs",
		Request: openapi.Strict(nil), Reply: openapi.Ref(openapi.Job),
	}
	aboutRefused = openapi.Doc{
		ID: "searchRefusedOfJob", Summary: "What a job could not do",
		About: "The records that were refused, in the order in which the job came to them, each with the reason.", Tag: "jobs",
		Request: openapi.Ref(openapi.RefusedRequest), Reply: openapi.Ref(openapi.RefusedPage),
	}
	aboutDeliveries = openapi.Doc{
		ID: "searchDeliveriesOfWebhook", Summary: "What was sent to a webhook",
		About:   "The newest first, with what was sent and answered. They are kept for 30 days.",
		Request: openapi.Ref(openapi.PageRequest), Reply: openapi.Ref(openapi.DeliveriesPage), Example: `{"limit":10}`,
	}
	aboutArchive = openapi.Doc{
		ID: "exportBusiness", Summary: "Take the whole business out as an archive",
		About: "A zip with the business, the schema, and for each resource that may be read all its records, a line of JSON each. " +
			"Needs the feature permission export.",
		Request: openapi.Strict(nil), Example: `{}`, Files: []string{archiveType},
	}
	aboutQuotePDF = openapi.Doc{
		ID: "getQuotePDF", Summary: "A quote as a PDF",
		About: "As the customer gets it, in the locale of the business. The ETag changes with everything that is on it; of the customer " +
			"that is what the caller may read.",
		Files: []string{pdfType}, Tagged: true,
	}
	aboutUndo = openapi.Doc{
		ID: "undo", Summary: "Take back what a request or a job did",
		About: "Every change whose record nobody else changed since, as far as the caller may make the same write; the others are " +
			"listed. Much is done by a job.",
		Tag: "jobs", Request: openapi.Ref(openapi.UndoRequest), Needed: true,
		Reply:    openapi.Any(openapi.Ref(openapi.UndoReply), openapi.Ref(openapi.Job)),
		Statuses: []int{http.StatusOK, http.StatusAccepted},
	}
	aboutSchema = openapi.Doc{
		ID: "getSchema", Summary: "The resources, their fields, states and actions",
		About: "Everything that a form, a grid or an agent needs to know, and how far the token reaches.",
		Reply: openapi.Ref(openapi.SchemaName), Tagged: true,
	}
	aboutDocument = openapi.Doc{
		ID: "getOpenAPI", Summary: "This document", About: "With a token, as it is for the token's business.", Open: true,
		Reply: openapi.Schema{{Name: "type", Value: "object"}},
	}
	aboutHealth = openapi.Doc{
		ID: "getHealth", Summary: "Whether the server is alive",
		About: "It answers as long as the server runs, and does not ask the database.", Open: true,
		Reply: openapi.Strict(openapi.Object{{Name: "status", Value: openapi.Enum("ok")}}),
	}
	aboutReady = openapi.Doc{
		ID: "getReadiness", Summary: "Whether requests may be sent here",
		About: "The database answers, has every migration and can be written, and the server is not stopping. Otherwise the answer is " +
			"503, and its detail says which it is.", Open: true,
		Reply: openapi.Strict(openapi.Object{{Name: "status", Value: openapi.Enum("ok")}}),
	}
)

// standardDoc describes one of the operations that every resource has.
func standardDoc(name string, k *record.Kind) openapi.Doc {
	res, one, many := &k.Resource, words(k.Name), words(k.Plural)
	id := func(verb, what string) string { return verb + typeName(what) }
	written := openapi.Ref(openapi.Written(res))
	switch name {
	case "create":
		return openapi.Doc{
			ID: id("create", k.Name), Summary: "Create " + article(one), Request: openapi.Ref(openapi.Creation(res)), Needed: needs(k),
			Example: k.Example,
			Reply:   written, Statuses: []int{http.StatusCreated}, Tagged: true,
		}
	case "search":
		return openapi.Doc{
			ID: id("search", k.Plural), Summary: "Search " + many, Request: openapi.Ref(openapi.Search(res)),
			Reply: openapi.Ref(openapi.Page(res)),
			Example: fmt.Sprintf(`{"filters":[{"field":"created_at","operator":"gte","value":"2020-01-01"},{"field":"owner.name",`+
				`"operator":"is_set"}],"order_by":"updated_at","sort_direction":"desc","limit":%d,"fields":["id","created_at",`+
				`"owner.name"],"total":true}`, query.DefaultLimit),
		}
	case "aggregate":
		return openapi.Doc{
			ID: id("aggregate", k.Plural), Summary: "Count and add up " + many, Request: openapi.Ref(openapi.Aggregate(res)),
			Reply: openapi.Ref(openapi.Figures),
			Example: `{"filters":[{"field":"created_at","operator":"gte","value":"2020-01-01"}],"group_by":["created_at:month",` +
				`"owner.name"],"metrics":["count","max:updated_at"],"order_by":"created_at:month","limit":12}`,
		}
	case "export":
		return openapi.Doc{
			ID: id("export", k.Plural), Summary: "Take " + many + " out as a file", Request: openapi.Ref(openapi.Export(res)),
			Files: []string{"text/csv", mediaTypes[query.JSONL], mediaTypes[query.XLSX]},
			Example: `{"format":"csv","filters":[{"field":"created_at","operator":"gte","value":"2020-01-01"}],"order_by":"created_at",` +
				`"fields":["id","created_at","owner.name"]}`,
		}
	case "bin":
		return openapi.Doc{
			ID: id("searchDeleted", k.Plural), Summary: "Search deleted " + many,
			Request: openapi.Ref(openapi.DeletedSearch(res)), Reply: openapi.Ref(openapi.Page(res)),
			Example: `{"filters":[{"field":"deleted_at","operator":"gte","value":"2020-01-01"}],"order_by":"deleted_at"}`,
		}
	case "get":
		return openapi.Doc{ID: id("get", k.Name), Summary: "Read " + article(one), Reply: openapi.Ref(openapi.Record(res)), Tagged: true}
	case "patch":
		return openapi.Doc{
			ID: id("patch", k.Name), Summary: "Change " + article(one), Request: openapi.Ref(openapi.Patch(res)), Example: patchOf(k),
			Reply: written, Tagged: true, Matches: true,
		}
	case "delete":
		return openapi.Doc{
			ID: id("delete", k.Name), Summary: "Delete " + article(one), Statuses: []int{http.StatusNoContent},
			Matches: true,
		}
	case "restore":
		return openapi.Doc{
			ID: id("restore", k.Name), Summary: "Take " + article(one) + " out of the bin", Request: openapi.Strict(nil), Reply: written,
			Tagged: true, Matches: true,
		}
	case "history":
		return openapi.Doc{
			ID: id("searchHistoryOf", k.Name), Summary: "What happened to " + article(one), Request: openapi.Ref(openapi.PageRequest),
			Reply:   openapi.Ref(openapi.HistoryPage),
			Example: `{"limit":10,"sort_direction":"asc"}`,
		}
	case "timeline":
		return openapi.Doc{
			ID: id("searchTimelineOf", k.Name), Summary: "What happened around " + article(one),
			Request: openapi.Ref(openapi.PageRequest), Reply: openapi.Ref(openapi.TimelinePage),
			About: "The records about it, and its own changes, by when they happened.", Example: `{"limit":10,"sort_direction":"asc"}`,
		}
	case "batch":
		return openapi.Doc{
			ID: id("batch", k.Plural), Summary: "Do many operations on " + many + " at once", Request: openapi.Ref(openapi.Batch(res)),
			Needed: true, Reply: openapi.Ref(openapi.Batched(res)),
			Example: batchOf(k),
		}
	case "bulk":
		return openapi.Doc{
			ID: id("bulk", k.Plural), Summary: "Do one thing to all " + many + " that a search finds",
			Request: openapi.Ref(openapi.Bulk(res)), Needed: true,
			Reply:    openapi.Any(openapi.Ref(openapi.Job), openapi.Ref(openapi.BulkPreview)),
			Statuses: []int{http.StatusOK, http.StatusAccepted},
			Example:  `{"filters":[{"field":"created_at","operator":"lt","value":"2020-01-01"}],"op":"delete"}`,
		}
	case "upsert":
		return openapi.Doc{
			ID: id("upsert", k.Name), Summary: "Change the " + one + " that has a value, or create it",
			Request: openapi.Ref(openapi.Upsert(res)), Needed: true,
			Example: upsertOf(k), Reply: written, Statuses: []int{http.StatusOK, http.StatusCreated}, Tagged: true,
		}
	case "duplicates":
		return openapi.Doc{
			ID: id("searchDuplicate", k.Plural), Summary: "Find " + many + " that may be the same",
			Request: openapi.Ref(openapi.DuplicatesRequest), Reply: openapi.Ref(openapi.DuplicatesPage(res)),
			About: "Pairs with what they have alike, or those of one record.", Example: `{"limit":10}`,
		}
	case "erase":
		return openapi.Doc{
			ID: id("erase", k.Name), Summary: "Erase " + article(one) + " for good", Request: openapi.Ref(openapi.EraseRequest),
			Needed: true, Statuses: []int{http.StatusNoContent}, Matches: true,
			About: "What is known of it leaves the records, the bin, the change log, the text index and kept answers; an entry of who " +
				"did so, when and why stays.",
			Example: `{"reason":"Asked for it by e-mail"}`,
		}
	case "dismiss":
		return openapi.Doc{
			ID: id("dismissDuplicate", k.Plural), Summary: "Say that two " + many + " are not the same",
			Request: openapi.Ref(openapi.DismissRequest), Needed: true, Statuses: []int{http.StatusNoContent},
			About: "They are not told of as duplicates any more.",
		}
	}
	return openapi.Doc{} // which a test finds
}

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
