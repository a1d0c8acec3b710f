package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/problem"
)

// form is what was filled in, and what is wrong with it.
type form struct {
	values url.Values
	Errors map[string]string
	// Problem is what is wrong with the whole of it.
	Problem string
	// late is set where nothing is wrong but that the server has no time for it now.
	late bool
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

// blame shows an error beside its fields, under the names that the form has for them, and gives back what is nobody's fault here.
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
	f.late = p.Code == problem.ServiceUnavailable
	return nil
}

// status is that of the page which shows what was filled in again.
func (f *form) status() int {
	if f.late {
		return http.StatusServiceUnavailable
	}
	return http.StatusUnprocessableEntity
}

// input is a field of a form as the template shows it.
type input struct {
	ID, Name, Label, Type, Value, Hint, Error, Autocomplete, Mode string
	Required, Optional, Focus                                     bool
	// Choices are all that can be chosen, by their names.
	Choices []choice
}

// makeInput describes a field in a language: its options are words such as "required", or pairs such as "type=password".
func makeInput(language string, f *form, name, label string, options ...string) input {
	in := input{ID: "f-" + name, Name: name, Label: label, Type: "text", Value: f.Get(name)}
	if message := f.Errors[name]; message != "" {
		in.Error = label + " " + strings.TrimSuffix(say(language, message), ".") + "."
	}
	kept := false // also a password, where all else would have to be thought of anew with it
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
		case "choose":
			in.Choices = currencies(language)
		case "kept":
			kept = true
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
	if in.Type == "password" && !kept {
		in.Value = ""
	}
	if in.Error != "" && !f.focused {
		in.Focus, f.focused = true, true
	}
	return in
}
