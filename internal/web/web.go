// Package web is the pages that a person needs on the way into the app, and beside it: set-up, log-in, consent to an app, and the
// company's log-in. They are rendered on the server and need no script; only a page that can ask for a passkey has one, for which
// there is no other way; and only its content policy allows it.
package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/throttle"
)

// Site serves the pages.
type Site struct {
	engine *record.Engine
	auth   *oauth.Authenticator
	server *oauth.Server
	people *oauth.People
	log    *slog.Logger

	crossOrigin *http.CrossOriginProtection
	seal        *oauth.Seal
	now         func() time.Time
	pages       map[string]*template.Template
	// settled is true once a business was seen; there is no way back.
	settled atomic.Bool
	// reads and answers bound how often quotes are read and answered from one network.
	reads, answers *throttle.Throttle
}

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

// page is one address of the site.
type page struct {
	path string
	// open pages are shown to anyone; the others need a log-in.
	open bool
	// public pages are for people who have no account: they know of no session, and leave no cookie. What their forms have to
	// present is in the address.
	public bool
	// unfinished pages are for those who still have to set up a second factor, too.
	unfinished bool
	get, post  func(*visit) error
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
	nothing := func(*visit) error { return errNoPage }
	mux.Handle("/", s.handler(page{open: true, get: nothing}))
	for _, f := range []*staticFile{styleSheet, passkeyScript} {
		mux.Handle(f.path, f)
	}
	mux.HandleFunc(appAt+"/assets/{name}", serveAsset)
}

// visit is one request for a page.
type visit struct {
	*Site
	w    http.ResponseWriter
	r    *http.Request
	id   string
	page page
	// who is logged in, or nil; session is their log-in.
	who     *record.Principal
	session schema.UUID
	csrf    string
	// known is who the log names: who is logged in, or who has just logged in or out.
	known *record.Principal
	// answersTo is where a form of the page may lead beside the site itself.
	answersTo string
	// script is the script of the page, or nil.
	script *staticFile
	status int
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

func (v *visit) redirect(to string) error {
	v.status = http.StatusSeeOther
	http.Redirect(v.w, v.r, to, v.status)
	return nil
}

// home leads to where the visitor can do something.
func (v *visit) home() error {
	if v.who == nil {
		return v.redirect("/login")
	}
	return v.redirect(appAt)
}

// pageError is an error that has a page.
type pageError struct {
	status         int
	title, message string
}

func (e *pageError) Error() string { return e.title }

var (
	errNoPage      = &pageError{http.StatusNotFound, "There is no such page", "The address may be mistyped, or what was here is gone."}
	errForeignForm = &pageError{
		http.StatusForbidden, "This form came from another site",
		"Nothing was changed. If you did want this, start again from here.",
	}
	errStaleForm = &pageError{
		http.StatusForbidden, "This form is out of date",
		"Nothing was changed. Go back, reload the page and send it again. Cookies must be allowed.",
	}
	errBadForm = &pageError{http.StatusBadRequest, "This form cannot be read", "Nothing was changed. Go back and try again."}
)

// fail shows an error. What is not the visitor's is logged and kept from them.
func (v *visit) fail(err error) {
	var shown *pageError
	if !errors.As(err, &shown) {
		shown = &pageError{
			http.StatusInternalServerError, "Something went wrong on our side",
			"It was noted down as " + v.id + ". Please try again in a moment.",
		}
		switch p := problem.As(err); {
		case p == nil && v.r.Context().Err() != nil: // the visitor is gone, and it is nobody's fault
		case p == nil:
			v.log.Error("internal", "request_id", v.id, "error", err)
		case p.Code == problem.DatabaseUnavailable:
			v.log.Error("database", "request_id", v.id, "error", err)
			v.w.Header().Set("Retry-After", "2")
			v.who = nil // who they are is in the database, too
			shown = &pageError{
				http.StatusServiceUnavailable, "The database is not available",
				"Please try again in a moment. If you sent a form, look first whether it was done.",
			}
		case p.Code == problem.Timeout || p.Code == problem.ServiceUnavailable:
			v.w.Header().Set("Retry-After", strconv.Itoa(max(2, int(p.RetryAfter.Seconds()))))
			shown = &pageError{
				http.StatusServiceUnavailable, "That took too long",
				"Too much else is going on here. Please try again in a moment.",
			}
		case p.Code == problem.NotFound:
			shown = errNoPage
		case p.Code == problem.ForbiddenByRole || p.Code == problem.InsufficientScope:
			shown = &pageError{http.StatusForbidden, "You may not do this", plainly(p.Detail)}
		case p.Code == problem.Conflict || p.Code == problem.InvalidTransition:
			shown = &pageError{http.StatusConflict, "That is not possible", p.Detail}
		default:
			shown = &pageError{http.StatusBadRequest, "That is not possible", p.Detail}
		}
	}
	v.show(shown.status, "error", struct {
		Status         int
		Title, Message string
	}{shown.status, shown.title, shown.message})
}

// show renders a page. It is made in full before any of it is sent.
func (v *visit) show(status int, name string, data any) {
	l := layout{Style: styleSheet.path, Wrong: status >= 400 && name != "confirm", Page: data}
	if !v.page.public {
		l.CSRF = v.formSecret()
	}
	if v.script != nil {
		l.Script = v.script.path
	}
	if v.who != nil {
		if err := v.introduce(&l, name); err != nil {
			if name != "error" {
				v.fail(err)
				return
			}
			v.log.Error("introduce", "request_id", v.id, "error", err)
			status = http.StatusInternalServerError
		}
	}
	var out bytes.Buffer
	if err := v.pages[name].ExecuteTemplate(&out, "layout", l); err != nil {
		v.log.Error("render", "request_id", v.id, "page", name, "error", err)
		status = http.StatusInternalServerError
		out.Reset()
		out.WriteString("<!doctype html><title>Error</title><p>Something went wrong on our side.")
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Content-Security-Policy", contentPolicy(v.answersTo, v.script != nil))
	v.status = status
	v.w.WriteHeader(status)
	// The visitor may be gone; there is nobody left to tell.
	_, _ = v.w.Write(out.Bytes())
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
