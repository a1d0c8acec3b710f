// Package web is the pages that a person needs on the way into the app, and beside it: set-up, log-in, consent to an app, and the
// company's log-in. They are rendered on the server and need no script; only a page that can ask for a passkey has one, for which
// there is no other way; and only its content policy allows it.
package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/throttle"
)

// Options are what a site needs beside its engine.
type Options struct {
	Auth   *oauth.Authenticator
	Server *oauth.Server
	People *oauth.People
	Log    *slog.Logger
	// Origin is where browsers reach the pages. It never comes from a request, whose Host header a stranger can choose.
	Origin string
}

// New makes the site of an engine.
func New(ctx context.Context, engine *record.Engine, o Options) (*Site, error) {
	s := &Site{
		engine: engine, auth: o.Auth, server: o.Server, people: o.People, log: o.Log,
		crossOrigin: http.NewCrossOriginProtection(), now: time.Now, reads: throttle.New(mostReads, readsPeriod),
		answers: throttle.New(mostAnswers, answersPeriod),
	}
	origin := strings.TrimSuffix(o.Origin, "/")
	if err := s.crossOrigin.AddTrustedOrigin(origin); err != nil && origin != "" {
		return nil, fmt.Errorf("the origin must be a scheme and a host, such as https://crm.example.com: %w", err)
	}
	var err error
	if s.seal, err = oauth.SharedSeal(ctx, engine.Store(), "handover"); err != nil {
		return nil, err
	}
	s.pages, err = parsePages()
	return s, err
}

var sitemap = []page{
	{path: "/{$}", open: true, get: (*visit).home},
	{path: "/setup", open: true, get: (*visit).setup, post: (*visit).doSetup},
	{path: "/login", open: true, get: (*visit).login, post: (*visit).doLogin},
	{path: "/login/business", open: true, get: (*visit).businesses, post: (*visit).chooseBusiness},
	{path: "/login/passkey", open: true, get: to("/login"), post: (*visit).passkeyLogin},
	{path: "/login/factor", open: true, get: (*visit).factor, post: (*visit).giveFactor},
	{path: "/login/company", open: true, get: (*visit).company, post: (*visit).findCompany},
	{path: "/login/company/go", open: true, get: to("/login/company"), post: (*visit).goToProvider},
	{path: "/login/company/{business}", open: true, get: (*visit).fromProvider},
	{path: "/logout", open: true, get: (*visit).askLogout, post: (*visit).logout},
	{path: "/forgot", open: true, get: (*visit).forgot, post: (*visit).doForgot},
	{path: "/link/{secret}", open: true, get: (*visit).link, post: (*visit).useLink},
	{path: crm.QuotePath + "{secret}", open: true, public: true, get: (*visit).quote, post: (*visit).answerQuote},
	{path: crm.QuotePath + "{secret}/pdf", open: true, public: true, get: (*visit).quotePDF},
	{path: crm.QuotePath + "{secret}/logo", open: true, public: true, get: (*visit).quoteLogo},
	{path: "/oauth/authorize", open: true, get: (*visit).authorize, post: (*visit).answerApp},

	{path: appAt, get: (*visit).theApp},
	{path: appAt + "/{screen...}", get: (*visit).theApp},
	{path: securityAt, unfinished: true, get: (*visit).theApp},

	{path: "/account/switch", get: (*visit).switchBusiness, post: (*visit).doSwitch},
}

// to sends on whoever reloads an address that only takes forms.
func to(path string) func(*visit) error {
	return func(v *visit) error { return v.redirect(path) }
}

// Routes adds the pages to a mux. What nothing else serves becomes the page that says so.
func (s *Site) Routes(mux *http.ServeMux) {
	for _, p := range sitemap {
		mux.Handle(p.path, s.handler(p))
	}
	for path, at := range moved {
		mux.Handle(path, s.handler(page{path: path, get: to(settingsAt + at)}))
	}
	mux.Handle("/", s.handler(page{open: true, get: func(*visit) error { return errNoPage }}))
	for _, f := range []*staticFile{styleSheet, passkeyScript} {
		mux.Handle(f.path, f)
	}
	mux.HandleFunc(appAt+"/assets/{name}", serveAsset)
	mux.HandleFunc(appAt+"/installed/{name}", serveInstalled)
}

func (s *Site) handler(p page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		v := &visit{Site: s, w: w, r: r, id: schema.FormatID("req", schema.NewID(start)), page: p}
		defer v.finish(start)
		v.guard()
		if err := v.serve(); err != nil {
			v.fail(err)
		}
	})
}

// serve takes a request through the checks in their order: method, origin, form token, text, set-up, log-in.
func (v *visit) serve() error {
	run := map[string]func(*visit) error{http.MethodGet: v.page.get, http.MethodHead: v.page.get, http.MethodPost: v.page.post}[v.r.Method]
	if v.page.path == "" {
		run = v.page.get // what is not there takes nothing
	}
	if run == nil {
		allowed := []string{"GET", "HEAD"}
		if v.page.post != nil {
			allowed = append(allowed, "POST")
		}
		v.w.Header().Set("Allow", strings.Join(allowed, ", "))
		return &pageError{http.StatusMethodNotAllowed, "That does not work here", "This address does not take this kind of request."}
	}
	if v.r.Method == http.MethodPost && v.page.path != "" {
		if err := v.crossOrigin.Check(v.r); err != nil {
			return errForeignForm
		}
		v.r.Body = http.MaxBytesReader(v.w, v.r.Body, mostForm)
		if err := v.r.ParseForm(); err != nil {
			return errBadForm
		}
		if !v.page.public && !v.formToken() {
			return errStaleForm
		}
	}
	if err := v.checkText(); err != nil {
		return err
	}
	if !v.page.public {
		if err := v.findSession(); err != nil {
			return err
		}
	}
	settled, err := v.isSettled()
	if err != nil {
		return err
	}
	if !settled && v.page.path != "/setup" && v.page.path != "" {
		return v.redirect("/setup")
	}
	if !v.page.open && v.who == nil {
		if v.r.Method == http.MethodPost {
			return v.redirect("/login")
		}
		return v.redirect(loginFor(v.r.URL.RequestURI()))
	}
	if v.who != nil && v.who.LacksFactor && !v.page.unfinished && (!v.page.open || v.page.path == "/oauth/authorize") {
		return v.redirect(securityFor(v.r))
	}
	return run(v)
}

// isSettled tells whether there is a business.
func (v *visit) isSettled() (bool, error) {
	if v.settled.Load() {
		return true, nil
	}
	is, err := v.engine.Store().AnyBusiness(v.r.Context())
	if is {
		v.settled.Store(true)
	}
	return is, err
}

// home leads to where the visitor can do something.
func (v *visit) home() error {
	if v.who == nil {
		return v.redirect("/login")
	}
	return v.redirect(appAt)
}

// finish logs the visit, and turns a panic into a page. Nothing of the address but its pattern is logged: links hold secrets.
func (v *visit) finish(start time.Time) {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler {
			panic(p)
		}
		v.log.Error("panic", "request_id", v.id, "error", fmt.Sprint(p), "stack", string(debug.Stack()))
		if v.status == 0 {
			v.who = nil
			v.fail(fmt.Errorf("panic: %v", p))
		}
	}
	took := time.Since(start)
	v.server.Metrics.Count(v.r.Method, v.page.path, v.status, took)
	attributes := []slog.Attr{
		slog.String("request_id", v.id), slog.String("method", v.r.Method), slog.String("route", v.page.path), slog.Int("status", v.status),
		slog.Float64("ms", float64(took.Microseconds())/1000), slog.String("address", v.server.Address(v.r)),
	}
	if v.known != nil {
		attributes = append(attributes, slog.String("business", schema.FormatID("business", v.known.Tenant.ID())),
			slog.String("user", schema.FormatID("user", v.known.User)))
	}
	v.log.LogAttrs(v.r.Context(), slog.LevelInfo, "page", attributes...)
}
