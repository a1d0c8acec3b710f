// Package httpapi serves the domain over HTTP. Its routes are made from the declared resources; each request falls through the same
// steps in the same order, and every error is rendered in one place.
package httpapi

import (
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"kith/internal/body"
	"kith/internal/crm"
	"kith/internal/oauth"
	"kith/internal/problem"
	"kith/internal/schema"
)

// Version is the one value of the Version header that is served.
const Version = "v1"

// MaxBody is how many bytes a request body may have.
const MaxBody = 1 << 20

// Options are what an operator can set.
type Options struct {
	Log *slog.Logger
	// Auth tells who presents a token; nil is one of the API's own.
	Auth *oauth.Authenticator
	// RateLimit is how many requests per second a token may make, RateBurst how many at once; 0 turns the limit off.
	RateLimit, RateBurst int
}

// API is the HTTP handler.
type API struct {
	engine *crm.Engine
	auth   *oauth.Authenticator
	log    *slog.Logger
	mux    *http.ServeMux
	limits *limiter
	held   held
	routes []Route
	// methods are all that any path has.
	methods []string
}

// Route is one method on one path pattern.
type Route struct {
	Method, Pattern string
	Kind            *crm.Kind
	Verb            crm.Verb
	// Body tells that the request may carry one.
	Body bool
	run  func(*request) error
	// Scope is what a route without a Kind needs, or nothing, and allow is who may use it.
	Scope string
	allow func(*crm.Principal) error
}

// reads tells that a request on the route changes nothing.
func (r *Route) reads() bool { return r.Verb == crm.Read || r.Method == http.MethodGet }

// New makes the handler.
func New(engine *crm.Engine, o Options) *API {
	if o.Auth == nil && engine != nil {
		o.Auth = oauth.NewAuthenticator(engine.Store(), "")
	}
	a := &API{engine: engine, auth: o.Auth, log: o.Log, mux: http.NewServeMux(), limits: newLimiter(o.RateLimit, o.RateBurst)}
	a.routes = append(a.routes,
		Route{Method: "GET", Pattern: "/v1/me", run: (*request).me},
		Route{Method: "GET", Pattern: "/v1/business", run: (*request).business},
		Route{Method: "PATCH", Pattern: "/v1/business", Body: true, run: (*request).patchBusiness, Scope: crm.BusinessScope, allow: (*crm.Principal).AllowBusiness})
	for _, k := range crm.Kinds() {
		a.routes = append(a.routes, kindRoutes(k)...)
	}
	byPattern := map[string][]Route{}
	for _, r := range a.routes {
		byPattern[r.Pattern] = append(byPattern[r.Pattern], r)
	}
	a.methods = methods(a.routes)
	for pattern, routes := range byPattern {
		a.mux.Handle(pattern, a.handler(routes))
	}
	a.mux.HandleFunc("/healthz", a.health)
	a.mux.HandleFunc("/", a.nowhere)
	return a
}

// Routes lists everything that is served under /v1.
func (a *API) Routes() []Route { return slices.Clone(a.routes) }

// kindRoutes are the routes of one resource; those of its actions follow from their declaration.
func kindRoutes(k *crm.Kind) []Route {
	all := "/v1/" + k.Plural
	one := all + "/{id}"
	standard := []struct {
		name string
		Route
	}{
		{"create", Route{Method: "POST", Pattern: all, Kind: k, Verb: crm.Write, Body: true, run: (*request).create}},
		{"search", Route{Method: "POST", Pattern: all + "/search", Kind: k, Verb: crm.Read, Body: true, run: (*request).search}},
		{"bin", Route{Method: "POST", Pattern: all + "/deleted/search", Kind: k, Verb: crm.Read, Body: true, run: (*request).searchBin}},
		{"get", Route{Method: "GET", Pattern: one, Kind: k, Verb: crm.Read, run: (*request).get}},
		{"patch", Route{Method: "PATCH", Pattern: one, Kind: k, Verb: crm.Write, Body: true, run: (*request).patch}},
		{"delete", Route{Method: "DELETE", Pattern: one, Kind: k, Verb: crm.Delete, run: (*request).delete}},
		{"restore", Route{Method: "POST", Pattern: one + "/restore", Kind: k, Verb: crm.Write, Body: true, run: (*request).restore}},
	}
	var routes []Route
	for _, s := range standard {
		if !slices.Contains(k.Without, s.name) {
			routes = append(routes, s.Route)
		}
	}
	for _, action := range k.Actions {
		name := action.Name
		routes = append(routes, Route{
			Method: "POST", Pattern: one + "/" + name, Kind: k, Verb: crm.Write, Body: true, run: func(r *request) error { return r.act(name) },
		})
	}
	return routes
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if path.Clean(r.URL.Path) != r.URL.Path {
		a.nowhere(w, r)
		return
	}
	a.mux.ServeHTTP(w, r)
}

func (a *API) health(w http.ResponseWriter, r *http.Request) {
	req := newRequest(a, w, r)
	if err := a.engine.Store().Ping(r.Context()); err != nil {
		a.log.Error("health", "error", err)
		req.fail(problem.New(problem.ServiceUnavailable, "The database does not answer."))
		return
	}
	req.answer(http.StatusOK, []byte(`{"status":"ok"}`))
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
			req.refuse(routes, allowed)
			return
		}
		req.route = &routes[at]
		if err := req.serve(); err != nil {
			req.fail(err)
		}
	})
}

func (r *request) serve() error {
	if err := r.authenticate(); err != nil {
		return err
	}
	if err := r.checkVersion(); err != nil {
		return err
	}
	if err := r.api.limits.check(r.call.Connection, r.w.Header()); err != nil {
		return err
	}
	if k := r.route.Kind; k != nil {
		if _, err := r.call.Allow(&k.Resource, r.route.Verb); err != nil {
			return err
		}
	}
	if r.route.allow != nil {
		if err := r.route.allow(r.call.Principal); err != nil {
			return err
		}
	}
	if !r.route.reads() && !r.api.held.hasRoom(r.call.Tenant.ID()) {
		return errHeld
	}
	if r.route.Body {
		if err := r.readBody(); err != nil {
			return err
		}
	}
	if err := r.checkQuery(); err != nil {
		return err
	}
	return r.route.run(r)
}

func (r *request) authenticate() error {
	header := r.in.Header.Values("Authorization")
	if len(header) == 0 {
		r.challenge("")
		return problem.New(problem.Unauthorized, "The request needs the header Authorization: Bearer ACCESS_TOKEN.")
	}
	scheme, token, _ := strings.Cut(header[0], " ")
	if len(header) > 1 || !strings.EqualFold(scheme, "Bearer") || token == "" {
		r.challenge(`error="invalid_request"`)
		return problem.New(problem.Unauthorized, "The header Authorization must be given once, as Bearer ACCESS_TOKEN.")
	}
	who, err := r.api.auth.Authenticate(r.in.Context(), strings.TrimSpace(token))
	if err != nil {
		if p := problem.As(err); p != nil && p.Code == problem.InvalidToken { // a database that does not answer says nothing about the token
			r.challenge(`error="invalid_token"`)
		}
		return err
	}
	r.call = crm.Call{Principal: who, RequestID: r.id}
	return nil
}

// challenge tells a client where to find out how to get a token (RFC 6750, RFC 9728).
func (r *request) challenge(reason string) {
	value := `Bearer realm="kith"`
	if reason != "" {
		value += ", " + reason
	}
	r.w.Header().Set("WWW-Authenticate", value+`, resource_metadata="`+r.api.auth.Origin(r.in)+`/.well-known/oauth-protected-resource/v1"`)
}

func (r *request) checkVersion() error {
	switch given := r.in.Header.Values("Version"); {
	case len(given) == 0:
		return &problem.Problem{Code: problem.VersionRequired, Detail: "The request needs the header Version: " + Version + ".", Allowed: []string{Version}}
	case len(given) > 1 || given[0] != Version:
		return &problem.Problem{Code: problem.VersionUnsupported, Detail: "The version is not supported; send the header Version: " + Version + ".", Allowed: []string{Version}}
	}
	return nil
}

// checkQuery refuses query parameters: no endpoint has any, and one that is silently ignored would surprise.
func (r *request) checkQuery() error {
	var wrong problem.Fields
	parameters, err := url.ParseQuery(r.in.URL.RawQuery)
	if err != nil {
		wrong.Add("query", "invalid_format", "the query string cannot be read")
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		wrong.Add(name, "unknown_parameter", "is not a query parameter of this endpoint")
	}
	return wrong.Err()
}

func (r *request) create() error {
	rec, err := r.api.engine.Create(r.in.Context(), r.call, r.route.Kind, r.body)
	if err != nil {
		return err
	}
	r.created(rec)
	return nil
}

func (r *request) created(rec *schema.Record) {
	r.w.Header().Set("Location", "/v1/"+r.route.Kind.Plural+"/"+schema.FormatID(r.route.Kind.Name, rec.ID()))
	r.record(http.StatusCreated, rec)
}

func (r *request) get() error {
	rec, err := r.api.engine.Get(r.in.Context(), r.call, r.route.Kind, r.in.PathValue("id"))
	if err != nil {
		return err
	}
	r.record(http.StatusOK, rec)
	return nil
}

func (r *request) patch() error {
	rec, err := r.api.engine.Patch(r.in.Context(), r.call, r.route.Kind, r.in.PathValue("id"), r.ifMatch(), r.body)
	if err != nil {
		return err
	}
	r.record(http.StatusOK, rec)
	return nil
}

func (r *request) delete() error {
	if err := r.api.engine.Delete(r.in.Context(), r.call, r.route.Kind, r.in.PathValue("id"), r.ifMatch()); err != nil {
		return err
	}
	r.answer(http.StatusNoContent, nil)
	return nil
}

func (r *request) restore() error {
	if err := r.noFields(); err != nil {
		return err
	}
	rec, err := r.api.engine.Restore(r.in.Context(), r.call, r.route.Kind, r.in.PathValue("id"), r.ifMatch())
	if err != nil {
		return err
	}
	r.record(http.StatusOK, rec)
	return nil
}

// noFields holds a body that has nothing to say to being an empty object.
func (r *request) noFields() error {
	object, err := r.body.Object()
	if err != nil {
		return err
	}
	var wrong problem.Fields
	body.Decode(object, &schema.Shape{}, false, "", &wrong)
	return wrong.Err()
}

func (r *request) act(action string) error {
	id := r.in.PathValue("id")
	rec, err := r.api.engine.Act(r.in.Context(), r.call, r.route.Kind, id, action, r.ifMatch(), r.body)
	if err != nil {
		return err
	}
	if schema.FormatID(r.route.Kind.Name, rec.ID()) != id {
		r.created(rec)
		return nil
	}
	r.record(http.StatusOK, rec)
	return nil
}

func (r *request) me() error {
	buffer := buffers.Get().(*[]byte)
	defer putBuffer(buffer)
	out, err := r.api.engine.Me(r.in.Context(), r.call, (*buffer)[:0])
	*buffer = out
	if err != nil {
		return err
	}
	r.answer(http.StatusOK, out)
	return nil
}

func (r *request) business() error {
	rec, err := r.api.engine.Business(r.in.Context(), r.call)
	if err != nil {
		return err
	}
	r.record(http.StatusOK, rec)
	return nil
}

func (r *request) patchBusiness() error {
	rec, err := r.api.engine.PatchBusiness(r.in.Context(), r.call, r.ifMatch(), r.body)
	if err != nil {
		return err
	}
	r.record(http.StatusOK, rec)
	return nil
}

func (r *request) search() error    { return r.list(false) }
func (r *request) searchBin() error { return r.list(true) }

func (r *request) list(bin bool) error {
	buffer := buffers.Get().(*[]byte)
	defer putBuffer(buffer)
	out, err := r.api.engine.Search(r.in.Context(), r.call, r.route.Kind, bin, r.body, (*buffer)[:0])
	*buffer = out
	if err != nil {
		return err
	}
	r.answer(http.StatusOK, out)
	return nil
}
