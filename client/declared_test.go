package client_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kith-crm/kith/client"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// constants gives the constants of a type in a file, with their values.
func constants(t *testing.T, file, kind string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == kind {
			if value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value); err == nil {
				found[value] = spec.Names[0].Name
			}
		}
		return true
	})
	return found
}

// Every code that the server may answer is an error to compare with, and no other is.
func TestEveryCodeIsAnError(t *testing.T) {
	ours, servers := constants(t, "errors.go", "Code"), constants(t, "../internal/problem/problem.go", "Code")
	for code := range servers {
		if ours[code] == "" {
			t.Errorf("the client has no error for %s", code)
		}
	}
	if len(ours) != len(servers) || len(ours) < 20 {
		t.Errorf("the client has %d codes, the server %d", len(ours), len(servers))
	}
}

// Every operator of the search has a method, with the types of names that may use it.
func TestEveryOperatorIsAMethod(t *testing.T) {
	operators := func(name any) (ops []string) {
		v := reflect.ValueOf(name)
		for i := range v.NumMethod() {
			m := v.Method(i)
			if m.Type().NumOut() != 1 || m.Type().Out(0) != reflect.TypeFor[client.Filter]() {
				continue
			}
			var args []reflect.Value
			for j := range m.Type().NumIn() {
				if !m.Type().IsVariadic() {
					args = append(args, reflect.Zero(m.Type().In(j)))
				}
			}
			ops = append(ops, m.Call(args)[0].Interface().(client.Filter).Operator)
		}
		slices.Sort(ops)
		return ops
	}
	for kind, name := range map[schema.Kind]any{
		schema.Text: client.TextField("x"), schema.Choice: client.ExactField[string]("x"),
		schema.Money: client.RangeField[client.Decimal]("x"),
		schema.Tags:  client.ListField[string]("x"), schema.Document: client.ObjectField("x"),
	} {
		var want []string
		for _, o := range query.Allowed(kind) {
			want = append(want, string(o))
		}
		slices.Sort(want)
		if got := operators(name); !slices.Equal(got, want) {
			t.Errorf("%T has %v, the search allows %v", name, got, want)
		}
	}
	var all []string
	for _, o := range query.Operators {
		all = append(all, string(o))
	}
	slices.Sort(all)
	if got := operators(client.Where("x")); !slices.Equal(got, all) {
		t.Errorf("any field has %v, the search knows %v", got, all)
	}
}

// A record reads every field that the server declares, and an input says every one that can be written.
func TestRecordsAndInputsHaveEveryField(t *testing.T) {
	c, err := client.New("https://crm.example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	resources := reflect.ValueOf(*c)
	tags := func(of reflect.Type) map[string]bool {
		found := map[string]bool{}
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			found[name] = true
		}
		return found
	}
	for _, k := range record.Kinds() {
		calls := reflect.Value{}
		for i := range resources.NumField() {
			if method, ok := resources.Field(i).Type().MethodByName("Get"); ok && method.Type.NumIn() == 3 &&
				idPrefix(method.Type.In(2).Name()) == k.Name {
				calls = resources.Field(i)
			}
		}
		if !calls.IsValid() {
			t.Errorf("the client has no %s", k.Plural)
			continue
		}
		get, _ := calls.Type().MethodByName("Get")
		record := tags(get.Type.Out(0).Elem())
		create, _ := calls.Type().MethodByName("Create")
		input := tags(create.Type.In(2))
		for _, f := range k.Tree {
			if !record[f.Name] {
				t.Errorf("the record of %s lacks %s", k.Name, f.Name)
			}
			if input[f.Name] == f.ReadOnly {
				t.Errorf("the input of %s has %s: %v, and it is read-only: %v", k.Name, f.Name, input[f.Name], f.ReadOnly)
			}
		}
	}
}

// idPrefix turns LifecycleStageID into lifecycle_stage.
func idPrefix(typeName string) string {
	typeName = strings.TrimPrefix(typeName, "Custom") // a Field is something else in the client
	var out []byte
	for i := range len(typeName) - len("ID") {
		if c := typeName[i]; c >= 'A' && c <= 'Z' {
			if i > 0 {
				out = append(out, '_')
			}
			out = append(out, c+'a'-'A')
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

// throughCall are the routes that the client has no call of its own for: Client.Call reaches them.
var throughCall = []string{"GET /v1/openapi.json"}

// Every route of the server is reached by a call of the client.
func TestEveryRouteHasACall(t *testing.T) {
	var asked []string
	recorder := recording(func(route string) { asked = append(asked, route) })
	c, err := client.New("https://crm.example.com", nil, client.WithHTTPClient(recorder), client.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	callAll(t, reflect.ValueOf(c))
	v := reflect.ValueOf(*c)
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			callAll(t, v.Field(i))
		}
	}
	for _, r := range httpapi.New(nil, httpapi.Options{}).Routes() {
		route := r.Method + " " + r.Pattern
		listed := slices.Contains(throughCall, route) || r.Session // which are for people in a browser, and not for tokens
		if reached := slices.Contains(asked, route); reached == listed {
			t.Errorf("%s is reached by a call: %v, and listed as one that is not: %v", route, reached, listed)
		}
	}
}

// recording is an http.Client that notes the routes that are asked for, with {id} for ids, and answers nothing.
func recording(note func(route string)) *http.Client {
	return &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		note(r.Method + " " + strings.Replace(r.URL.Path, "/ID", "/{id}", 1))
		return nil, errors.New("nobody is here")
	})}
}

// callAll calls all methods of a resource with ids called ID and otherwise empty arguments.
func callAll(t *testing.T, of reflect.Value) {
	t.Helper()
	for i := range of.NumMethod() {
		m := of.Method(i)
		if m.Type().NumIn() == 0 { // Batch
			batch := m.Call(nil)[0]
			callAll(t, batch)
			continue
		}
		if m.Type().In(0) != reflect.TypeFor[context.Context]() || of.Type().Method(i).Name == "Call" {
			continue
		}
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		for j := 1; j < m.Type().NumIn(); j++ {
			in := m.Type().In(j)
			switch {
			case m.Type().IsVariadic() && j == m.Type().NumIn()-1:
			case in.Kind() == reflect.String && strings.HasSuffix(in.Name(), "ID"):
				args = append(args, reflect.ValueOf("ID").Convert(in))
			default:
				args = append(args, reflect.Zero(in))
			}
		}
		if out := m.Call(args)[0]; out.Kind() == reflect.Func { // an iterator asks when it is walked
			out.Call([]reflect.Value{reflect.MakeFunc(out.Type().In(0),
				func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(false)} })})
		}
	}
}

// The page about clients shows nothing that the examples do not run.
func TestPageShowsWhatTheExamplesRun(t *testing.T) {
	page, err := os.ReadFile("../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	run := map[string]bool{}
	for line := range strings.Lines(string(examples)) {
		run[strings.TrimSpace(line)] = true
	}
	shown := 0
	for i, block := range strings.Split(string(page), "```") {
		code, isGo := strings.CutPrefix(block, "go\n")
		if i%2 == 0 || !isGo {
			continue
		}
		for line := range strings.Lines(code) {
			if shown++; !run[strings.TrimSpace(line)] {
				t.Errorf("no example runs %q", strings.TrimSpace(line))
			}
		}
	}
	if shown < 20 {
		t.Errorf("the page shows %d lines", shown)
	}
}
