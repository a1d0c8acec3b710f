package httpapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kith-crm/kith/internal/httpapi"
)

// contract holds answers to the OpenAPI document: a path, status, header or field that it does not tell of is a fault of one of the
// two. Schemas are compiled when they are first needed, once for all tests.
type contract struct {
	document any
	compiler *jsonschema.Compiler
	mu       sync.Mutex
	schemas  map[string]*jsonschema.Schema
	// seen are the paths and statuses that were held to it.
	seen map[string]bool
}

var theContract = sync.OnceValues(func() (*contract, error) {
	text, err := httpapi.New(nil, httpapi.Options{}).Document("", nil)
	if err != nil {
		return nil, err
	}
	d, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := &contract{document: d, compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}, seen: map[string]bool{}}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	return c, c.compiler.AddResource("openapi.json", d)
})

// free are the headers that belong to HTTP itself.
var free = []string{"Content-Type", "Content-Length", "Content-Encoding", "Date", "Connection", "Transfer-Encoding"}

// holdToContract checks an answer against the document.
func holdToContract(t *testing.T, method, path string, a *answer) {
	t.Helper()
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.check(method, path, a); err != nil {
		t.Errorf("%s %s is answered %d, not as the OpenAPI document says: %v\n%.1000s", method, path, a.status, err, a.text)
	}
}

func (c *contract) check(method, path string, a *answer) error {
	path, _, _ = strings.Cut(path, "?")
	if method == http.MethodOptions || a.status == http.StatusMethodNotAllowed {
		return nil // which no path declares: they are the same on all
	}
	pattern := c.pattern(path)
	if pattern == "" {
		if a.status != http.StatusNotFound {
			return fmt.Errorf("it does not tell of the path")
		}
		return c.conforms("/components/schemas/Problem", a)
	}
	lookup := strings.ToLower(method)
	if method == http.MethodHead {
		lookup = "get"
	}
	pointer := "/paths/" + escaped(pattern) + "/" + lookup + "/responses/" + strconv.Itoa(a.status)
	reply, place := c.follow(pointer)
	if reply == nil && a.status >= 400 { // what any operation may answer is told once
		reply, place = c.follow(strings.TrimSuffix(pointer, strconv.Itoa(a.status)) + "default")
	}
	pointer = place
	if reply == nil {
		return fmt.Errorf("it does not tell of this status")
	}
	if err := c.checkHeaders(reply, pointer, a.header); err != nil {
		return err
	}
	if made := a.status == http.StatusCreated || a.status == http.StatusAccepted; made && a.header.Get("Location") == "" {
		return fmt.Errorf("the header Location is missing")
	}
	if a.status >= 400 && method != http.MethodHead {
		if err := c.checkCode(reply, a); err != nil {
			return err
		}
	}
	c.mu.Lock()
	c.seen[lookup+" "+pattern+" "+strconv.Itoa(a.status)] = true
	c.mu.Unlock()
	if method == http.MethodHead || len(a.text) == 0 && at(reply, "content") == nil {
		return nil
	}
	media, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	if content, _ := at(reply, "content").(map[string]any); content[media] == nil {
		return fmt.Errorf("it does not tell of the type %q", media)
	}
	schema := pointer + "/content/" + escaped(media) + "/schema"
	if a.isFile() {
		return c.valid(schema, string(a.text))
	}
	return c.conforms(schema, a)
}

// checkCode holds an error to the status under which the one response that stands for all errors tells of its code.
func (c *contract) checkCode(reply any, a *answer) error {
	code, told := fmt.Sprint(at(a.json, "code")), fmt.Sprint(at(reply, "description"))
	for line := range strings.Lines(told) {
		if strings.HasPrefix(line, fmt.Sprintf("- %d ", a.status)) && strings.Contains(line, "`"+code+"`:") {
			if status := fmt.Sprint(at(a.json, "status")); status != strconv.Itoa(a.status) {
				return fmt.Errorf("the body says that the status is %s", status)
			}
			return nil
		}
	}
	return fmt.Errorf("it does not tell of the code %s under this status", code)
}

// pattern finds the path of the document that a path is one of.
func (c *contract) pattern(path string) string {
	paths := at(c.document, "paths").(map[string]any)
	if paths[path] != nil {
		return path
	}
	given := strings.Split(path, "/")
	for pattern := range paths {
		parts := strings.Split(pattern, "/")
		if len(parts) != len(given) || !strings.Contains(pattern, "{id}") {
			continue
		}
		fits := true
		for i, part := range parts {
			fits = fits && (part == given[i] || part == "{id}" && given[i] != "")
		}
		if fits {
			return pattern
		}
	}
	return ""
}

func escaped(part string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, "~", "~0"), "/", "~1")
}

// follow gives what a pointer into the document leads to, through one reference, and where that is.
func (c *contract) follow(pointer string) (any, string) {
	v := c.document
	for _, part := range strings.Split(pointer[1:], "/") {
		m, _ := v.(map[string]any)
		v = m[strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")]
	}
	if m, ok := v.(map[string]any); ok {
		if target, ok := m["$ref"].(string); ok {
			return c.follow(strings.TrimPrefix(target, "#"))
		}
	}
	return v, pointer
}

func (c *contract) checkHeaders(reply any, pointer string, given http.Header) error {
	declared, _ := at(reply, "headers").(map[string]any)
	known := slices.Clone(free)
	places := map[string]string{}
	for name := range at(c.document, "x-headers-of-every-answer").(map[string]any) {
		places[name] = "/x-headers-of-every-answer/" + name
	}
	for name := range declared {
		places[name] = pointer + "/headers/" + name
	}
	for name, place := range places {
		known = append(known, http.CanonicalHeaderKey(name))
		header, place := c.follow(place)
		values := given.Values(name)
		if at(header, "required") == true && len(values) == 0 {
			return fmt.Errorf("the header %s is missing", name)
		}
		for _, value := range values {
			if err := c.valid(place+"/schema", value); err != nil {
				return fmt.Errorf("the header %s: %w", name, err)
			}
		}
	}
	for name := range given {
		if !slices.Contains(known, name) {
			return fmt.Errorf("it does not tell of the header %s", name)
		}
	}
	return nil
}

func (c *contract) conforms(pointer string, a *answer) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.text))
	if err != nil {
		return err
	}
	return c.valid(pointer, v)
}

func (c *contract) valid(pointer string, v any) error {
	c.mu.Lock()
	s := c.schemas[pointer]
	if s == nil {
		var err error
		if s, err = c.compiler.Compile("openapi.json#" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(pointer)); err != nil {
			c.mu.Unlock()
			return err
		}
		c.schemas[pointer] = s
	}
	c.mu.Unlock()
	return s.Validate(v)
}

// The check is only worth something if it does refuse.
func TestContractRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databaseURL(t, "sqlite"), httpapi.Options{})
	w.create(t, "contacts", `{"name":"Anna"}`, "anna")
	path := "/v1/contacts/" + w.vars["anna"]
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	for fault, change := range map[string]func(a *answer, path *string){
		"none":                     func(*answer, *string) {},
		"a path":                   func(_ *answer, path *string) { *path += "/nowhere" },
		"a status":                 func(a *answer, _ *string) { a.status = 202 },
		"a header":                 func(a *answer, _ *string) { a.header.Set("X-Other", "1") },
		"a header that is missing": func(a *answer, _ *string) { a.header.Del("ETag") },
		"a header of another form": func(a *answer, _ *string) { a.header.Set("ETag", "1") },
		"a type":                   func(a *answer, _ *string) { a.header.Set("Content-Type", "text/plain") },
		"a field": func(a *answer, _ *string) {
			a.text = bytes.Replace(a.text, []byte(`{"id"`), []byte(`{"other":1,"id"`), 1)
		},
		"a field that is missing":     func(a *answer, _ *string) { a.text = bytes.Replace(a.text, []byte(`"job_title":null,`), nil, 1) },
		"a code under another status": func(a *answer, _ *string) { a.status = 404 },
		"a value": func(a *answer, _ *string) {
			a.text = bytes.Replace(a.text, []byte(`"job_title":null,`), []byte(`"job_title":1,`), 1)
		},
	} {
		a := w.send(t, step{do: "GET /contacts/$anna"})
		at := path
		change(a, &at)
		if err := c.check("GET", at, a); (err == nil) != (fault == "none") {
			t.Errorf("%s: %v", fault, err)
		}
	}
}
