package httpapi

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/openapi"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/stream"
	"github.com/kith-crm/kith/internal/work"
)

// New makes the handler.
func New(engine *record.Engine, o Options) *API {
	if o.Auth == nil && engine != nil {
		o.Auth = oauth.NewAuthenticator(engine, "")
	}
	a := &API{
		engine: engine, auth: o.Auth, people: o.People, log: o.Log, requests: o.Requests, metrics: o.Metrics,
		mux: http.NewServeMux(), limits: newLimiter(o.RateLimit, o.RateBurst), ping: pingEvery, patience: longestSend,
		batches: store.NewTurns(mostBatches()), held: quota{most: MaxHeld, mostByOne: MaxHeldByOne},
		exports: quota{most: MaxExports, mostByOne: MaxExportsByOne}, uploads: quota{most: MaxExports, mostByOne: MaxExportsByOne},
	}
	a.streams = stream.New(engine, cmp.Or(o.Streams, stream.DefaultStreams))
	a.ready.serving = o.Serving
	a.routes = slices.Concat(serviceRoutes(), personRoutes(), factorRoutes(), importRoutes())
	for _, k := range record.Kinds() {
		a.routes = append(a.routes, kindRoutes(k)...)
	}
	quotes := record.KindOf("quote")
	a.routes = append(a.routes, Route{
		Method: "GET", Pattern: "/v1/" + quotes.Plural + "/{id}/pdf", Kind: quotes, Verb: record.Read,
		run: (*request).quotePDF, Doc: openapi.Doc{
			ID: "getQuotePDF", Summary: "A quote as a PDF",
			About: "As the customer gets it, in the locale of the business. The ETag changes with everything that is on it; of the " +
				"customer that is what the caller may read.",
			Files: []string{pdfType}, Tagged: true,
		},
	})
	byPattern := map[string][]Route{}
	for _, r := range a.routes {
		byPattern[r.Pattern] = append(byPattern[r.Pattern], r)
	}
	a.methods = methods(a.routes)
	for pattern, routes := range byPattern {
		a.mux.Handle(pattern, a.handler(routes))
	}
	for pattern, page := range a.checks() {
		a.mux.HandleFunc(pattern, page)
	}
	a.mux.HandleFunc("/", a.nowhere)
	return a
}

// serviceRoutes are those that belong to no resource.
func serviceRoutes() []Route {
	return []Route{
		{Method: "GET", Pattern: "/v1/openapi.json", run: (*request).openAPI, Doc: openapi.Doc{
			ID: "getOpenAPI", Summary: "This document", About: "With a token, as it is for the token's business.", Open: true,
			Reply: openapi.Schema{{Name: "type", Value: "object"}},
		}},
		{Method: "GET", Pattern: "/v1/me", run: (*request).me, Doc: openapi.Doc{
			ID: "getMe", Summary: "Who acts, where, and what they may do",
			About: "For each resource and verb it tells how far scope and role together reach, and why.", Reply: openapi.Ref("Me"),
		}},
		{Method: "GET", Pattern: "/v1/schema", run: (*request).schema, Doc: openapi.Doc{
			ID: "getSchema", Summary: "The resources, their fields, states and actions",
			About: "Everything that a form, a grid or an agent needs to know, and how far the token reaches.",
			Reply: openapi.Ref(openapi.SchemaName), Tagged: true,
		}},
		{Method: "GET", Pattern: "/v1/business", run: (*request).business, Doc: openapi.Doc{
			ID: "getBusiness", Summary: "The business", About: "The one that the token belongs to.",
			Reply: openapi.Ref(openapi.Record(record.Business)), Tagged: true,
		}},
		{Method: "PATCH", Pattern: "/v1/business", run: (*request).patchBusiness, Scope: record.BusinessScope, Doc: openapi.Doc{
			ID: "patchBusiness", Summary: "Change the business", Reply: openapi.Ref(openapi.Record(record.Business)), Tagged: true,
			Matches: true, Request: openapi.Ref(openapi.Patch(record.Business)), Example: `{"timezone":"Europe/Stockholm"}`,
		}, allow: (*record.Principal).AllowBusiness},
		{Method: "GET", Pattern: "/v1/business/logo", run: (*request).logo, Doc: openapi.Doc{
			ID: "getLogo", Summary: "The logo of the business", About: "The ETag changes with it. 404 where there is none.",
			Files: []string{pngType}, Tagged: true,
		}},
		{Method: "POST", Pattern: "/v1/changes/search", Verb: record.Read, run: (*request).changes, Doc: openapi.Doc{
			ID: "searchChanges", Summary: "What happened in the business",
			About:   "All changes that the caller may read, in the order of commits, without gaps.",
			Request: openapi.Ref(openapi.ChangesRequest), Reply: openapi.Ref(openapi.ChangesPage),
			Example: `{"after":0,"resources":["contact","deal"],"limit":100}`,
		}},
		{Method: "GET", Pattern: "/v1/changes/stream", run: (*request).stream, Doc: openapi.Doc{
			ID: "streamChanges", Summary: "Listen to what happens in the business",
			About: "The entries of searchChanges as server-sent events, as they are made, each with its seq as the id. It does not end " +
				"by itself; a client that comes back with the header Last-Event-ID misses nothing.",
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
		}},
		{Method: "POST", Pattern: "/v1/audit/search", Verb: record.Read, run: (*request).audit, Scope: record.AuditScope, Doc: openapi.Doc{
			ID: "searchAudit", Summary: "Who came in, who was refused, and who changed what",
			About:   "The audit log of the business. Needs the feature permission audit.",
			Request: openapi.Ref(openapi.Search(crm.Registry.Audit)), Reply: openapi.Ref(openapi.Page(crm.Registry.Audit)),
			Example: `{"filters":[{"field":"action","operator":"in","values":["login.failed","token.created"]},{"field":"created_at",` +
				`"operator":"gte","value":"2020-01-01"}],"limit":50}`,
		}, allow: (*record.Principal).AllowAudit},
		{Method: "GET", Pattern: "/v1/jobs/{id}", run: (*request).job, Doc: openapi.Doc{
			ID: "getJob", Summary: "How far a job has come",
			About: "Jobs are what takes longer than a request. They are kept for 30 days after they ended.", Tag: "jobs",
			Reply: openapi.Ref(openapi.Job),
		}},
		{Method: "POST", Pattern: "/v1/jobs/search", Verb: record.Read, run: (*request).searchJobs, Doc: openapi.Doc{
			ID: "searchJobs", Summary: "List jobs", About: "One's own, the newest first; those of all users for who manages settings.",
			Tag: "jobs", Request: openapi.Ref(openapi.PageRequest), Reply: openapi.Ref(openapi.JobsPage), Example: `{"limit":10}`,
		}},
		{Method: "POST", Pattern: "/v1/jobs/{id}/cancel", run: (*request).cancelJob, Doc: openapi.Doc{
			ID: "cancelJob", Summary: "End a job", About: "It ends between two of its steps. What it has done stays done; undo takes " +
				"that back.", Tag: "jobs",
			Request: openapi.Strict(nil), Reply: openapi.Ref(openapi.Job),
		}},
		{Method: "POST", Pattern: "/v1/jobs/{id}/refused/search", Verb: record.Read, run: (*request).refused, Doc: openapi.Doc{
			ID: "searchRefusedOfJob", Summary: "What a job could not do",
			About: "The records that were refused, in the order in which the job came to them, each with the reason.", Tag: "jobs",
			Request: openapi.Ref(openapi.RefusedRequest), Reply: openapi.Ref(openapi.RefusedPage),
		}},
		{Method: "POST", Pattern: "/v1/export", Verb: record.Read, run: (*request).archive, Doc: openapi.Doc{
			ID: "exportBusiness", Summary: "Take the whole business out as an archive",
			About: "A zip with the business, the schema, and for each resource that may be read all its records, a line of JSON each. " +
				"Needs the feature permission export.",
			Request: openapi.Strict(nil), Example: `{}`, Files: []string{archiveType},
		}, allow: exchange.AllowExport},
		{Method: "POST", Pattern: undoPath, run: (*request).undo, Doc: openapi.Doc{
			ID: "undo", Summary: "Take back what a request or a job did",
			About: "Every change whose record nobody else changed since, as far as the caller may make the same write; the others are " +
				"listed. Much is done by a job.",
			Tag: "jobs", Request: openapi.Ref(openapi.UndoRequest), Needed: true,
			Reply:    openapi.Any(openapi.Ref(openapi.UndoReply), openapi.Ref(openapi.Job)),
			Statuses: []int{http.StatusOK, http.StatusAccepted},
		}},
		{Method: "POST", Pattern: "/v1/search", Verb: record.Read, run: (*request).across, Doc: openapi.Doc{
			ID: "search", Summary: "Find words in several resources",
			About: "The best come first: a value that is the text itself, then the beginning of a word, then any other place; among " +
				"those that fit alike what was changed last.",
			Request: openapi.Ref(openapi.AcrossRequest), Reply: openapi.Ref(openapi.AcrossReply),
			Example: `{"search_text":"zoe","resources":["contact","company"],"limit":10}`,
		}},
		{Method: "POST", Pattern: "/v1/search/batch", Verb: record.Read, run: (*request).searches, Doc: openapi.Doc{
			ID: "searchBatch", Summary: "Ask several searches at once",
			About:   "Each is a search of its resource, with the rights of that; the first that is refused is the answer.",
			Request: openapi.Ref(openapi.SearchesRequest), Reply: openapi.Ref(openapi.SearchesReply), Needed: true,
			Example: `{"searches":[{"resource":"task","search":{"limit":5}},{"resource":"deal"}]}`,
		}},
	}
}

// kindRoutes are the routes of one resource; those of its actions follow from their declaration.
func kindRoutes(k *record.Kind) []Route {
	all := "/v1/" + k.Plural
	one := all + "/{id}"
	res, noun, nouns := &k.Resource, words(k.Name), words(k.Plural)
	id := func(verb, what string) string { return verb + typeName(what) }
	written := openapi.Ref(openapi.Written(res))
	standard := map[string]Route{
		"create": {Method: "POST", Pattern: all, Verb: record.Write, run: (*request).create, Doc: openapi.Doc{
			ID: id("create", k.Name), Summary: "Create " + article(noun), Request: openapi.Ref(openapi.Creation(res)), Needed: needs(k),
			Example: k.Example, Reply: written, Statuses: []int{http.StatusCreated}, Tagged: true,
		}},
		"search": {Method: "POST", Pattern: all + "/search", Verb: record.Read, run: (*request).search, Doc: openapi.Doc{
			ID: id("search", k.Plural), Summary: "Search " + nouns, Request: openapi.Ref(openapi.Search(res)),
			Reply: openapi.Ref(openapi.Page(res)),
			Example: fmt.Sprintf(`{"filters":[{"field":"created_at","operator":"gte","value":"2020-01-01"},{"field":"owner.name",`+
				`"operator":"is_set"}],"order_by":"updated_at","sort_direction":"desc","limit":%d,"fields":["id","created_at",`+
				`"owner.name"],"total":true}`, query.DefaultLimit),
		}},
		"aggregate": {Method: "POST", Pattern: all + "/aggregate", Verb: record.Read, run: (*request).aggregate, Doc: openapi.Doc{
			ID: id("aggregate", k.Plural), Summary: "Count and add up " + nouns, Request: openapi.Ref(openapi.Aggregate(res)),
			Reply: openapi.Ref(openapi.Figures),
			Example: `{"filters":[{"field":"created_at","operator":"gte","value":"2020-01-01"}],"group_by":["created_at:month",` +
				`"owner.name"],"metrics":["count","max:updated_at"],"order_by":"created_at:month","limit":12}`,
		}},
		"bin": {Method: "POST", Pattern: all + "/deleted/search", Verb: record.Read, run: (*request).searchBin, Doc: openapi.Doc{
			ID: id("searchDeleted", k.Plural), Summary: "Search deleted " + nouns,
			Request: openapi.Ref(openapi.DeletedSearch(res)), Reply: openapi.Ref(openapi.Page(res)),
			Example: `{"filters":[{"field":"deleted_at","operator":"gte","value":"2020-01-01"}],"order_by":"deleted_at"}`,
		}},
		"get": {Method: "GET", Pattern: one, Verb: record.Read, run: (*request).get, Doc: openapi.Doc{
			ID: id("get", k.Name), Summary: "Read " + article(noun), Reply: openapi.Ref(openapi.Record(res)), Tagged: true,
		}},
		"patch": {Method: "PATCH", Pattern: one, Verb: record.Write, run: (*request).patch, Doc: openapi.Doc{
			ID: id("patch", k.Name), Summary: "Change " + article(noun), Request: openapi.Ref(openapi.Patch(res)), Example: patchOf(k),
			Reply: written, Tagged: true, Matches: true,
		}},
		"delete": {Method: "DELETE", Pattern: one, Verb: record.Delete, run: (*request).delete, Doc: openapi.Doc{
			ID: id("delete", k.Name), Summary: "Delete " + article(noun), Statuses: []int{http.StatusNoContent}, Matches: true,
		}},
		"restore": {Method: "POST", Pattern: one + "/restore", Verb: record.Write, run: (*request).restore, Doc: openapi.Doc{
			ID: id("restore", k.Name), Summary: "Take " + article(noun) + " out of the bin", Request: openapi.Strict(nil), Reply: written,
			Tagged: true, Matches: true,
		}},
		"history": {Method: "POST", Pattern: one + "/history/search", Verb: record.Read, run: (*request).history, Doc: openapi.Doc{
			ID: id("searchHistoryOf", k.Name), Summary: "What happened to " + article(noun), Request: openapi.Ref(openapi.PageRequest),
			Reply: openapi.Ref(openapi.HistoryPage), Example: `{"limit":10,"sort_direction":"asc"}`,
		}},
		"timeline": {Method: "POST", Pattern: one + "/timeline/search", Verb: record.Read, run: (*request).timeline, Doc: openapi.Doc{
			ID: id("searchTimelineOf", k.Name), Summary: "What happened around " + article(noun),
			Request: openapi.Ref(openapi.PageRequest), Reply: openapi.Ref(openapi.TimelinePage),
			About: "The records about it, and its own changes, by when they happened.", Example: `{"limit":10,"sort_direction":"asc"}`,
		}},
		"batch": {Method: "POST", Pattern: all + "/batch", run: (*request).batch, Doc: openapi.Doc{
			ID: id("batch", k.Plural), Summary: "Do many operations on " + nouns + " at once", Request: openapi.Ref(openapi.Batch(res)),
			Needed: true, Reply: openapi.Ref(openapi.Batched(res)), Example: batchOf(k),
		}},
		"bulk": {Method: "POST", Pattern: all + "/bulk", run: (*request).bulk, Doc: openapi.Doc{
			ID: id("bulk", k.Plural), Summary: "Do one thing to all " + nouns + " that a search finds",
			Request: openapi.Ref(openapi.Bulk(res)), Needed: true,
			Reply:    openapi.Any(openapi.Ref(openapi.Job), openapi.Ref(openapi.BulkPreview)),
			Statuses: []int{http.StatusOK, http.StatusAccepted},
			Example:  `{"filters":[{"field":"created_at","operator":"lt","value":"2020-01-01"}],"op":"delete"}`,
		}},
		"upsert": {Method: "POST", Pattern: all + "/upsert", Verb: record.Write, run: (*request).upsert, Doc: openapi.Doc{
			ID: id("upsert", k.Name), Summary: "Change the " + noun + " that has a value, or create it",
			Request: openapi.Ref(openapi.Upsert(res)), Needed: true, Example: upsertOf(k),
			Reply: written, Statuses: []int{http.StatusOK, http.StatusCreated}, Tagged: true,
		}},
		"export": {Method: "POST", Pattern: all + "/export", Verb: record.Read, run: (*request).export, Doc: openapi.Doc{
			ID: id("export", k.Plural), Summary: "Take " + nouns + " out as a file", Request: openapi.Ref(openapi.Export(res)),
			Files: []string{"text/csv", mediaTypes[query.JSONL], mediaTypes[query.XLSX]},
			Example: `{"format":"csv","filters":[{"field":"created_at","operator":"gte","value":"2020-01-01"}],"order_by":"created_at",` +
				`"fields":["id","created_at","owner.name"]}`,
		}, allow: exchange.AllowExport},
		"duplicates": {Method: "POST", Pattern: all + "/duplicates/search", Verb: record.Read, run: (*request).duplicates, Doc: openapi.Doc{
			ID: id("searchDuplicate", k.Plural), Summary: "Find " + nouns + " that may be the same",
			Request: openapi.Ref(openapi.DuplicatesRequest), Reply: openapi.Ref(openapi.DuplicatesPage(res)),
			About: "Pairs with what they have alike, or those of one record.", Example: `{"limit":10}`,
		}},
		"erase": {Method: "POST", Pattern: one + "/erase", Verb: record.Delete, run: (*request).erase, Doc: openapi.Doc{
			ID: id("erase", k.Name), Summary: "Erase " + article(noun) + " for good", Request: openapi.Ref(openapi.EraseRequest),
			Needed: true, Statuses: []int{http.StatusNoContent}, Matches: true,
			About: "What is known of it leaves the records, the bin, the change log, the text index and kept answers; an entry of who " +
				"did so, when and why stays.",
			Example: `{"reason":"Asked for it by e-mail"}`,
		}, allow: work.AllowErase},
		"dismiss": {Method: "POST", Pattern: all + "/duplicates/dismiss", Verb: record.Write, run: (*request).dismiss, Doc: openapi.Doc{
			ID: id("dismissDuplicate", k.Plural), Summary: "Say that two " + nouns + " are not the same",
			Request: openapi.Ref(openapi.DismissRequest), Needed: true, Statuses: []int{http.StatusNoContent},
			About: "They are not told of as duplicates any more.",
		}},
	}
	var routes []Route
	for _, name := range k.StandardOperations() {
		route := standard[name]
		route.Kind = k
		routes = append(routes, route)
	}
	if k.Name == crm.DeliveriesOf {
		routes = append(routes, Route{
			Method: "POST", Pattern: one + "/deliveries/search", Kind: k, Verb: record.Read,
			run: (*request).deliveries, Doc: openapi.Doc{
				ID: "searchDeliveriesOfWebhook", Summary: "What was sent to a webhook",
				About:   "The newest first, with what was sent and answered. They are kept for 30 days.",
				Request: openapi.Ref(openapi.PageRequest), Reply: openapi.Ref(openapi.DeliveriesPage), Example: `{"limit":10}`,
			},
		})
	}
	if k == crm.Notification {
		routes = append(routes, Route{
			Method: "POST", Pattern: all + "/read_all", Kind: k, Verb: record.Write, run: (*request).readAll, Doc: openapi.Doc{
				ID: "readAllNotifications", Summary: "Mark all of one's notifications as read",
				About:   "The 500 oldest at once, but for what is snoozed; more tells whether there are others.",
				Request: openapi.Strict(nil),
				Reply: openapi.Strict(openapi.Object{
					{Name: "read", Value: openapi.Plain("integer")}, {Name: "more", Value: openapi.Plain("boolean")},
				}),
			},
		})
	}
	for i := range k.Actions {
		name := k.Actions[i].Name
		var also record.Verb
		if name == record.Merge {
			also = record.Delete
		}
		routes = append(routes, Route{
			Method: "POST", Pattern: one + "/" + name, Kind: k, Verb: record.Write, Also: also,
			run: func(r *request) (reply, error) { return r.operation(name) }, Doc: actionDoc(k, i),
		})
	}
	return routes
}
