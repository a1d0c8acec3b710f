package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/account"

	"github.com/kith-crm/kith/internal/problem"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed style.css
var style []byte

//go:embed passkey.js
var passkeys []byte

var (
	styleSheet    = newStatic("style", "css", "text/css; charset=utf-8", style)
	passkeyScript = newStatic("passkey", "js", "text/javascript; charset=utf-8", passkeys)
)

// staticFile is a file that pages link to.
type staticFile struct {
	path, mediaType string
	content         []byte
}

// newStatic makes a file whose path changes with its content, so that browsers may keep it for good.
func newStatic(name, ext, mediaType string, content []byte) *staticFile {
	sum := sha256.Sum256(content)
	return &staticFile{"/static/" + name + "." + hex.EncodeToString(sum[:8]) + "." + ext, mediaType, content}
}

func (f *staticFile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "This address only takes GET and HEAD.", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", f.mediaType)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(f.content)
}

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
	if page == "consent" {
		return nil // whoever is asked should answer and not wander off
	}
	l.Nav = []navItem{{appAt, "Back to the app"}}
	return nil
}

// parsePages reads the templates: each page on its own, with the shared parts.
func parsePages() (map[string]*template.Template, error) {
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
	}
	return pages, nil
}

// form is what was filled in, and what is wrong with it.
type form struct {
	values url.Values
	Errors map[string]string
	// Problem is what is wrong with the whole of it.
	Problem string
	// focused is set once a field has been given the focus: the first that is wrong.
	focused bool
}

func newForm(values url.Values) *form { return &form{values: values, Errors: map[string]string{}} }

// because says what is wrong with a form that is shown anew.
func (f *form) because(problem string) *form {
	f.Problem = problem
	return f
}

// filled is the form that was sent.
func (v *visit) filled() *form { return newForm(v.r.PostForm) }

// Get gives a field without the space around it.
func (f *form) Get(name string) string { return strings.TrimSpace(f.values.Get(name)) }

// Has tells whether a checkbox or choice has a value.
func (f *form) Has(name, value string) bool { return slices.Contains(f.values[name], value) }

func (f *form) wrong(field, message string) {
	if f.Errors[field] == "" {
		f.Errors[field] = message
	}
}

// ok tells whether nothing is wrong.
func (f *form) ok() bool { return len(f.Errors) == 0 && f.Problem == "" }

// blame shows an error beside the fields that it is about, under the names that the form has for them. It gives back what is
// nobody's fault here.
func (f *form) blame(err error, names map[string]string) error {
	p := problem.As(err)
	if p == nil || p.Code == problem.NotFound {
		return err
	}
	for _, w := range p.Fields {
		name := w.Field
		if at := strings.IndexAny(name, "[."); at >= 0 {
			name = name[:at]
		}
		if other, ok := names[name]; ok {
			name = other
		}
		f.wrong(name, w.Message)
	}
	if len(p.Fields) == 0 {
		f.Problem = plainly(p.Detail)
	}
	return nil
}

// input is a field of a form as the template shows it.
type input struct {
	ID, Name, Label, Type, Value, Hint, Error, Autocomplete, Mode, List string
	Required, Optional, Focus                                           bool
}

// makeInput describes a field: its options are words such as "required", or pairs such as "type=password".
func makeInput(f *form, name, label string, options ...string) input {
	in := input{ID: "f-" + name, Name: name, Label: label, Type: "text", Value: f.Get(name)}
	if message := f.Errors[name]; message != "" {
		in.Error = label + " " + strings.TrimSuffix(message, ".") + "."
	}
	for _, o := range options {
		key, value, _ := strings.Cut(o, "=")
		switch key {
		case "type":
			in.Type = value
		case "hint":
			in.Hint = value
		case "autocomplete":
			in.Autocomplete = value
		case "mode":
			in.Mode = value
		case "list":
			in.List = value
		case "required":
			in.Required = true
		case "optional":
			in.Optional = true
		case "focus":
			in.Focus = f.ok()
		case "refocus":
			in.Focus = in.Focus || f.Problem != ""
		}
	}
	if in.Type == "password" {
		in.Value = ""
	}
	if in.Error != "" && !f.focused {
		in.Focus, f.focused = true, true
	}
	return in
}
