package web

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/problem"
)

//go:embed templates/*.html
var templateFiles embed.FS

// layout is what every page shows around its own part.
type layout struct {
	Style, CSRF string
	// Script is the path of the page's script, or nothing.
	Script string
	Wrong  bool
	Person *person
	Nav    []navItem
	Page   any
}

// person is who is logged in.
type person struct{ Name, Email, Role, Business string }

type navItem struct{ Path, Label string }

// introduce says who is logged in, and where they can go.
func (v *visit) introduce(l *layout, page string) error {
	business, err := v.who.Tenant.Business(v.r.Context())
	if err != nil {
		return err
	}
	u, err := v.who.Tenant.Get(v.r.Context(), v.engine.Store().Registry().Resource("user"), v.who.User, false)
	if err != nil {
		return err
	}
	l.Person = &person{Name: u.Text(account.Users.Name), Email: u.Text(account.Users.Email), Role: v.who.Role.Name, Business: business.Name}
	if page != "consent" { // whoever is asked should answer and not wander off
		l.Nav = []navItem{{appAt, "Back to the app"}}
	}
	return nil
}

// parsePages reads the templates in each language: each page on its own, with the shared parts.
func parsePages() (map[string]map[string]*template.Template, error) {
	all := map[string]map[string]*template.Template{}
	for _, language := range languages {
		var err error
		if all[language], err = parseIn(language); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func parseIn(language string) (map[string]*template.Template, error) {
	words := template.FuncMap{
		"input": func(f *form, name, label string, options ...string) input {
			return makeInput(language, f, name, label, options...)
		},
		"say": func(text string) string { return say(language, text) }, "capitalize": capitalize, "lower": strings.ToLower,
	}
	shared, err := template.New("").Funcs(words).ParseFS(templateFiles, "templates/layout.html", "templates/parts.html")
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return nil, err
	}
	pages := map[string]*template.Template{}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if name == "layout" || name == "parts" {
			continue
		}
		t, err := shared.Clone()
		if err != nil {
			return nil, err
		}
		if pages[name], err = t.ParseFS(templateFiles, file); err != nil {
			return nil, err
		}
		translate(language, pages[name])
	}
	return pages, nil
}

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
	_ = v.show(shown.status, "error", struct { // which shows itself whatever happens
		Status         int
		Title, Message string
	}{shown.status, shown.title, shown.message})
}

// show renders a page. It is made in full before any of it is sent.
func (v *visit) show(status int, name string, data any) error {
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
				return err
			}
			v.log.Error("introduce", "request_id", v.id, "error", err)
			status = http.StatusInternalServerError
		}
	}
	var out bytes.Buffer
	if err := v.pages[languageOf(v.r)][name].ExecuteTemplate(&out, "layout", l); err != nil {
		v.log.Error("render", "request_id", v.id, "page", name, "error", err)
		status = http.StatusInternalServerError
		out.Reset()
		out.WriteString("<!doctype html><title>Error</title><p>Something went wrong on our side.")
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Vary", "Accept-Language, Cookie")
	v.w.Header().Set("Content-Security-Policy", contentPolicy(v.answersTo, v.script != nil))
	v.status = status
	v.w.WriteHeader(status)
	// The visitor may be gone; there is nobody left to tell.
	_, _ = v.w.Write(out.Bytes())
	return nil
}
