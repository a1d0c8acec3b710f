// Package httpapi serves the domain over HTTP. Its routes are made from the declared resources; each request falls through the same
// steps in the same order, and every error is rendered in one place.
package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/metrics"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/openapi"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/stream"
)

// Version is the one value of the Version header that is served.
const Version = "v1"

const undoPath = "/v1/undo"

// MaxBody is how many bytes a request body may have.
const MaxBody = 1 << 20

// Options are what an operator can set.
type Options struct {
	Log *slog.Logger
	// Requests gets a line of JSON for each request, with one call; nil is for no lines.
	Requests io.Writer
	// Auth tells who presents a token; nil is one of the API's own.
	Auth *oauth.Authenticator
	// People know passwords, sessions and grants; nil is for an API without them.
	People *oauth.People
	// RateLimit is how many requests per second a token may make, RateBurst how many at once; 0 turns the limit off.
	RateLimit, RateBurst int
	// Metrics counts the requests; nil counts none.
	Metrics *metrics.Requests
	// Serving ends when the server is told to stop; nil never does.
	Serving context.Context
	// Streams is how many may listen to changes at once; 0 is the default.
	Streams int
}

// API is the HTTP handler.
type API struct {
	engine *record.Engine
	auth   *oauth.Authenticator
	people *oauth.People
	log    *slog.Logger
	// requests is where the lines of requests go, or nil.
	requests io.Writer
	metrics  *metrics.Requests
	mux      *http.ServeMux
	ready    readiness
	limits   *limiter
	streams  *stream.Streams
	// ping is how often a stream on which nothing happens says so.
	ping time.Duration
	// patience is how long a client may take to read what a stream sends.
	patience time.Duration
	// held are bytes of large bodies and answers, exports and uploads files on their way out and in.
	held, exports, uploads quota
	// batches, and what writes as much at once, are at most so many of each business at once that half of the processors are left to
	// others.
	batches *store.Turns
	// underWay are the hashes of the idempotency keys whose requests are being done.
	underWay sync.Map
	document document
	// documents are those of businesses that added fields.
	documents documents
	routes    []Route
	// methods are all that any path has.
	methods []string
}

// Route is one method on one path pattern.
type Route struct {
	Method, Pattern string
	Kind            *record.Kind
	// Verb is what a route of a Kind needs; a batch has none, because each of its operations has one.
	Verb record.Verb
	// Also is what it needs besides, or nothing.
	Also record.Verb
	run  func(*request) (reply, error)
	// unfinished routes are for those who still have to set up a second factor, too.
	unfinished bool
	// Scope is what a route without a Kind needs, or nothing, and allow is who may use it.
	Scope string
	allow func(*record.Principal) error
	// Doc is what the route says of itself to those who read the OpenAPI document.
	openapi.Doc
}

// reads tells that a request on the route changes nothing.
func (r *Route) reads() bool { return r.Verb == record.Read || r.Method == http.MethodGet }

// handsOut tells that a request on the route may hand out access, be it by taking back that it was taken.
func (r *Route) handsOut() bool {
	return r.Kind != nil && r.Kind.Access.Power != "" || r.Pattern == undoPath || r.Session || r.Scope == record.BusinessScope
}

// verbs are all that a route of a Kind needs.
func (r *Route) verbs() []record.Verb {
	if r.Also == "" {
		return []record.Verb{r.Verb}
	}
	return []record.Verb{r.Verb, r.Also}
}

// Needs are the scopes that a route needs, all of them.
func (r *Route) Needs() (scopes []string) {
	if r.Kind == nil {
		if r.Scope != "" {
			scopes = []string{r.Scope}
		}
		return scopes
	}
	for _, verb := range r.verbs() {
		scopes = append(scopes, r.Kind.Name+"."+string(verb))
	}
	return scopes
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if path.Clean(r.URL.Path) != r.URL.Path {
		a.nowhere(w, r)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// methods are those that routes have, each once.
func methods(routes []Route) []string {
	var all []string
	for _, r := range routes {
		if slices.Contains(all, r.Method) {
			continue
		}
		all = append(all, r.Method)
		if r.Method == http.MethodGet {
			all = append(all, http.MethodHead)
		}
	}
	return all
}

// handler serves one path. The order of the checks is part of the contract: method, token, version, rate, scope and role, body, and only
// then what the operation itself checks.
func (a *API) handler(routes []Route) http.Handler {
	allowed := methods(routes)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req := newRequest(a, w, r)
		defer req.finish()
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		at := slices.IndexFunc(routes, func(route Route) bool { return route.Method == method })
		switch {
		case method == http.MethodOptions:
			req.options(allowed)
			return
		case at < 0:
			req.refuse(routes)
			return
		}
		req.route = &routes[at]
		a, err := req.serve()
		if err != nil {
			a = req.failure(err)
		}
		req.send(a)
	})
}

func (r *request) serve() (reply, error) {
	if err := r.check(); err != nil {
		return reply{}, err
	}
	return r.route.run(r)
}

// check takes the steps that all requests take.
func (r *request) check() error {
	if r.route.Open && r.in.Header.Get("Authorization") == "" {
		return r.checkQuery()
	}
	if err := r.authenticate(); err != nil {
		return err
	}
	if err := r.checkVersion(); err != nil {
		return err
	}
	if !r.paid() {
		if err := r.api.limits.check(r.call.Connection, r.w.Header()); err != nil {
			return err
		}
	}
	var err error
	if r.call.Principal, err = r.seeAs(r.in.Context(), r.call.Principal); err != nil {
		return err
	}
	if r.route.Session && !r.call.InBrowser() {
		return errNoSession
	}
	switch k := r.route.Kind; {
	case k != nil && r.route.Verb == "":
		if err := r.call.AllowSome(&k.Resource); err != nil {
			return err
		}
	case k != nil:
		for _, verb := range r.route.verbs() {
			if _, err := r.call.Allow(&k.Resource, verb); err != nil {
				return err
			}
		}
	}
	if r.route.allow != nil {
		if err := r.route.allow(r.call.Principal); err != nil {
			return err
		}
	}
	if !r.route.reads() && !r.api.held.hasRoom(r.call.Tenant.ID(), MaxBody) {
		return errHeld
	}
	if r.route.Request != nil {
		if err := r.readBody(); err != nil {
			return err
		}
	}
	return r.checkQuery()
}

func (r *request) authenticate() error {
	header := r.in.Header.Values("Authorization")
	if len(header) > 0 {
		scheme, token, _ := strings.Cut(header[0], " ")
		if len(header) > 1 || !strings.EqualFold(scheme, "Bearer") || token == "" {
			r.challenge(`error="invalid_request"`)
			return problem.New(problem.Unauthorized, "The header Authorization must be given once, as Bearer ACCESS_TOKEN.")
		}
		r.token = strings.TrimSpace(token)
	}
	who, err := r.caller(r.in.Context())
	if err != nil {
		// A database that does not answer says nothing about the token.
		switch p := problem.As(err); {
		case p != nil && p.Code == problem.Unauthorized:
			r.challenge("")
		case p != nil && p.Code == problem.InvalidToken:
			r.challenge(`error="invalid_token"`)
		}
		return err
	}
	r.call = record.Call{Principal: who, RequestID: r.id, Address: r.in.RemoteAddr}
	return nil
}

// principal is who asks as of now, with the rights that count for this request.
func (r *request) principal(ctx context.Context) (*record.Principal, error) {
	who, err := r.caller(ctx)
	if err != nil {
		return nil, err
	}
	return r.seeAs(ctx, who)
}

// seeAs holds who asks to what the role allows that they want to see the business as. That is for looking: in what is written it would
// count who it was, and not as what.
func (r *request) seeAs(ctx context.Context, who *record.Principal) (*record.Principal, error) {
	switch values := r.in.Header.Values(account.SeeAsHeader); {
	case len(values) == 0:
		return who, nil
	case !r.route.reads():
		return nil, problem.New(problem.ForbiddenByRole, "Nothing can be changed while one sees as another role (header %s).",
			account.SeeAsHeader)
	default:
		return account.SeeAs(ctx, who, strings.Join(values, ", "))
	}
}

// caller is who asks: by the token or, under /v1 alone, where the Version header keeps forms of other sites out, by the session of
// kith's own app.
func (r *request) caller(ctx context.Context) (*record.Principal, error) {
	if r.token == "" && r.route != &mcpRoute {
		who, err := r.api.auth.App(ctx, r.in)
		switch {
		case err != nil:
			return nil, err
		case who.LacksFactor && !r.route.unfinished:
			return nil, who.FactorRequired()
		case r.route.reads():
			return r.api.auth.Reading(who), nil
		case r.route.handsOut():
			return r.api.auth.Trusted(ctx, who)
		}
		return who, nil
	}
	if r.token == "" {
		return nil, oauth.ErrNobody
	}
	return r.api.auth.Authenticate(ctx, r.token)
}

// challenge tells a client where to find out how to get a token (RFC 6750, RFC 9728).
func (r *request) challenge(reason string) {
	value := `Bearer realm="kith"`
	if reason != "" {
		value += ", " + reason
	}
	r.w.Header().Set("WWW-Authenticate", value+`, resource_metadata="`+r.api.auth.Origin(r.in)+`/.well-known/oauth-protected-resource`+
		r.resource()+`"`)
}

func (r *request) checkVersion() error {
	switch given := r.in.Header.Values("Version"); {
	case r.route.Open: // whoever reads what the versions are like has none yet
	case len(given) == 0:
		return &problem.Problem{
			Code: problem.VersionRequired, Detail: "The request needs the header Version: " + Version + ".",
			Allowed: []string{Version},
		}
	case len(given) > 1 || given[0] != Version:
		return &problem.Problem{
			Code:   problem.VersionUnsupported,
			Detail: "The version is not supported; send the header Version: " + Version + ".", Allowed: []string{Version},
		}
	}
	return nil
}

// takes tells whether the route has a query parameter of its own.
func (r *Route) takes(name string) bool {
	return slices.ContainsFunc(r.Query, func(p openapi.Parameter) bool { return p.Name == name })
}

// checkQuery reads the query parameters that there are, and refuses others: one that is silently ignored would surprise.
func (r *request) checkQuery() error {
	if r.in.URL.RawQuery == "" {
		return nil
	}
	var wrong problem.Fields
	parameters, err := url.ParseQuery(r.in.URL.RawQuery)
	if err != nil {
		wrong.Add("query", "invalid_format", "the query string cannot be read")
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		values := parameters[name]
		switch {
		case r.route.takes(name) && len(values) == 1:
			r.query = parameters
		case r.route.takes(name):
			wrong.Add(name, "not_allowed", "must be given once")
		case name != dryRun || r.route.reads() || r.route.Session:
			wrong.Add(name, "unknown_parameter", "is not a query parameter of this endpoint")
		case len(values) != 1 || values[0] != "true" && values[0] != "false":
			wrong.Add(name, "not_allowed", "must be true or false, and given once", "true", "false")
		default:
			r.dry = values[0] == "true"
		}
	}
	return wrong.Err()
}

// dryRun is the query parameter by which a write is only rehearsed.
const dryRun = "dry_run"

func (r *request) create() (reply, error)  { return r.operation(record.Create) }
func (r *request) patch() (reply, error)   { return r.operation(record.Update) }
func (r *request) upsert() (reply, error)  { return r.operation(record.Upsert) }
func (r *request) delete() (reply, error)  { return r.operation(record.Remove) }
func (r *request) erase() (reply, error)   { return r.operation(record.Erase) }
func (r *request) restore() (reply, error) { return r.operation(record.Restore) }

func (r *request) get() (reply, error) {
	rec, err := r.call.Get(r.in.Context(), r.route.Kind, r.in.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	return r.found(rec), nil
}

func (r *request) me() (a reply, err error) {
	a = rendered(http.StatusOK, func(dst []byte) []byte {
		dst, err = account.Me(r.in.Context(), r.api.engine, r.call, dst)
		return dst
	})
	return a, err
}

// schema tells everything that there is to know of the resources. Its tag is a digest, because it belongs to no record.
func (r *request) schema() (reply, error) {
	a := rendered(http.StatusOK, r.call.AppendSchema)
	digest := sha256.Sum256(a.text)
	a.etag = `"` + base64.RawURLEncoding.EncodeToString(digest[:12]) + `"`
	if r.unchanged(a.etag) {
		putBuffer(a.buffer)
		return reply{status: http.StatusNotModified, etag: a.etag}, nil
	}
	return a, nil
}

func (r *request) business() (reply, error) {
	rec, err := r.call.Business(r.in.Context())
	if err != nil {
		return reply{}, err
	}
	return r.found(rec), nil
}

func (r *request) patchBusiness() (reply, error) {
	step, err := account.PlanBusiness(r.in.Context(), r.api.engine, r.call.Principal, r.ifMatch(), r.body)
	return r.write(step, err)
}

func (r *request) search() (reply, error)    { return r.list(false) }
func (r *request) searchBin() (reply, error) { return r.list(true) }

// options tells what can be asked of a path. Browsers ask it, without the token, before they send a request of another site's script.
func (r *request) options(allowed []string) {
	methods := strings.Join(allowed, ", ")
	header := r.w.Header()
	header.Set("Allow", methods)
	if r.in.Header.Get("Access-Control-Request-Method") != "" {
		header.Set("Access-Control-Allow-Methods", methods)
		header["Access-Control-Allow-Headers"] = sendable
		if r.route == &mcpRoute {
			header["Access-Control-Allow-Headers"] = sendableToMCP
		}
		header["Access-Control-Max-Age"] = preflightAge
	}
	r.send(reply{status: http.StatusNoContent})
}

var errNoSession = problem.New(problem.SessionRequired, "This is for people who are logged in, in the app, and not for tokens.")

const (
	pdfType = "application/pdf"
	pngType = "image/png"
)

// Routes lists everything that is served under /v1.
func (a *API) Routes() []Route { return slices.Clone(a.routes) }

const (
	// pingEvery is how often something is sent where nothing happens, so that both ends, and what is between them, know of each other.
	pingEvery = 15 * time.Second
	// longestSend is how long a client may take to read what it is sent.
	longestSend = 10 * time.Second
	// afterName is the query parameter behind whose number a stream begins, and lastEvent the header by which a client that comes
	// back says so.
	afterName = "after"
	lastEvent = "Last-Event-ID"
	// resourcesName is the query parameter that names the resources whose changes are told.
	resourcesName = "resources"
)
