package httpapi

import (
	"cmp"
	"net/http"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/oauth"
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
		batches: store.NewTurns(mostBatches()),
	}
	a.streams = stream.New(engine, cmp.Or(o.Streams, stream.DefaultStreams))
	a.ready.serving = o.Serving
	a.routes = append(a.routes,
		Route{Method: "GET", Pattern: "/v1/openapi.json", run: (*request).openAPI, Doc: aboutDocument},
		Route{Method: "GET", Pattern: "/v1/me", run: (*request).me, Doc: aboutMe},
		Route{Method: "GET", Pattern: "/v1/schema", run: (*request).schema, Doc: aboutSchema},
		Route{Method: "GET", Pattern: "/v1/business", run: (*request).business, Doc: aboutBusiness},
		Route{
			Method: "PATCH", Pattern: "/v1/business", Body: true, run: (*request).patchBusiness, Scope: record.BusinessScope,
			allow: (*record.Principal).AllowBusiness, Doc: aboutPatchBusiness,
		},
		Route{Method: "GET", Pattern: "/v1/business/logo", run: (*request).logo, Doc: aboutLogo},
		Route{Method: "POST", Pattern: "/v1/changes/search", Verb: record.Read, Body: true, run: (*request).changes, Doc: aboutChanges},
		Route{Method: "GET", Pattern: "/v1/changes/stream", run: (*request).stream, Doc: aboutStream},
		Route{
			Method: "POST", Pattern: "/v1/audit/search", Verb: record.Read, Body: true, run: (*request).audit, Scope: record.AuditScope,
			allow: (*record.Principal).AllowAudit, Doc: aboutAudit,
		},
		Route{Method: "GET", Pattern: "/v1/jobs/{id}", run: (*request).job, Doc: aboutJob},
		Route{Method: "POST", Pattern: "/v1/jobs/search", Verb: record.Read, Body: true, run: (*request).searchJobs, Doc: aboutJobs},
		Route{Method: "POST", Pattern: "/v1/jobs/{id}/cancel", Body: true, run: (*request).cancelJob, Doc: aboutCancelJob},
		Route{
			Method: "POST", Pattern: "/v1/jobs/{id}/refused/search", Verb: record.Read, Body: true, run: (*request).refused,
			Doc: aboutRefused,
		},
		Route{
			Method: "POST", Pattern: "/v1/export", Verb: record.Read, Body: true, run: (*request).archive, allow: exchange.AllowExport,
			Doc: aboutArchive,
		},
		Route{Method: "POST", Pattern: undoPath, Body: true, run: (*request).undo, Doc: aboutUndo},
		Route{Method: "POST", Pattern: "/v1/search", Verb: record.Read, Body: true, run: (*request).across, Doc: aboutAcross})
	a.routes = append(a.routes, personRoutes()...)
	a.routes = append(a.routes, factorRoutes()...)
	a.routes = append(a.routes, importRoutes()...)
	for _, k := range record.Kinds() {
		a.routes = append(a.routes, kindRoutes(k)...)
	}
	quotes := record.KindOf("quote")
	a.routes = append(a.routes, Route{
		Method: "GET", Pattern: "/v1/" + quotes.Plural + "/{id}/pdf", Kind: quotes, Verb: record.Read,
		run: (*request).quotePDF, Doc: aboutQuotePDF,
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

// kindRoutes are the routes of one resource; those of its actions follow from their declaration.
func kindRoutes(k *record.Kind) []Route {
	all := "/v1/" + k.Plural
	one := all + "/{id}"
	standard := map[string]Route{
		"create":    {Method: "POST", Pattern: all, Kind: k, Verb: record.Write, Body: true, run: (*request).create},
		"search":    {Method: "POST", Pattern: all + "/search", Kind: k, Verb: record.Read, Body: true, run: (*request).search},
		"aggregate": {Method: "POST", Pattern: all + "/aggregate", Kind: k, Verb: record.Read, Body: true, run: (*request).aggregate},
		"bin":       {Method: "POST", Pattern: all + "/deleted/search", Kind: k, Verb: record.Read, Body: true, run: (*request).searchBin},
		"get":       {Method: "GET", Pattern: one, Kind: k, Verb: record.Read, run: (*request).get},
		"patch":     {Method: "PATCH", Pattern: one, Kind: k, Verb: record.Write, Body: true, run: (*request).patch},
		"delete":    {Method: "DELETE", Pattern: one, Kind: k, Verb: record.Delete, run: (*request).delete},
		"restore":   {Method: "POST", Pattern: one + "/restore", Kind: k, Verb: record.Write, Body: true, run: (*request).restore},
		"history":   {Method: "POST", Pattern: one + "/history/search", Kind: k, Verb: record.Read, Body: true, run: (*request).history},
		"timeline":  {Method: "POST", Pattern: one + "/timeline/search", Kind: k, Verb: record.Read, Body: true, run: (*request).timeline},
		"batch":     {Method: "POST", Pattern: all + "/batch", Kind: k, Body: true, run: (*request).batch},
		"bulk":      {Method: "POST", Pattern: all + "/bulk", Kind: k, Body: true, run: (*request).bulk},
		"upsert":    {Method: "POST", Pattern: all + "/upsert", Kind: k, Verb: record.Write, Body: true, run: (*request).upsert},

		"export": {
			Method: "POST", Pattern: all + "/export", Kind: k, Verb: record.Read, Body: true, run: (*request).export,
			allow: exchange.AllowExport,
		},
		"duplicates": {
			Method: "POST", Pattern: all + "/duplicates/search", Kind: k, Verb: record.Read, Body: true,
			run: (*request).duplicates,
		},
		"erase": {
			Method: "POST", Pattern: one + "/erase", Kind: k, Verb: record.Delete, Body: true, run: (*request).erase,
			allow: work.AllowErase,
		},
		"dismiss": {
			Method: "POST", Pattern: all + "/duplicates/dismiss", Kind: k, Verb: record.Write, Body: true,
			run: (*request).dismiss,
		},
	}
	var routes []Route
	for _, name := range k.StandardOperations() {
		route := standard[name]
		route.Doc = standardDoc(name, k)
		routes = append(routes, route)
	}
	if k.Name == crm.DeliveriesOf {
		routes = append(routes, Route{
			Method: "POST", Pattern: one + "/deliveries/search", Kind: k, Verb: record.Read, Body: true,
			run: (*request).deliveries, Doc: aboutDeliveries,
		})
	}
	for i := range k.Actions {
		name := k.Actions[i].Name
		var also record.Verb
		if name == record.Merge {
			also = record.Delete
		}
		routes = append(routes, Route{
			Also:   also,
			Method: "POST", Pattern: one + "/" + name, Kind: k, Verb: record.Write, Body: true,
			run: func(r *request) (reply, error) { return r.operation(name) }, Doc: actionDoc(k, i),
		})
	}
	return routes
}
