package apitest

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
	Document any
	compiler *jsonschema.Compiler
	mu       sync.Mutex
	schemas  map[string]*jsonschema.Schema
	// seen are the paths and statuses that were held to it.
	seen map[string]bool
}

var TheContract = sync.OnceValues(func() (*contract, error) {
	text, err := httpapi.New(nil, httpapi.Options{}).Document("", nil)
	if err != nil {
		return nil, err
	}
	d, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := &contract{Document: d, compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}, seen: map[string]bool{}}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	return c, c.compiler.AddResource("openapi.json", d)
})

// free are the headers that belong to HTTP itself.
var free = []string{"Content-Type", "Content-Length", "Content-Encoding", "Date", "Connection", "Transfer-Encoding"}

// HoldToContract checks an answer against the document.
func HoldToContract(t *testing.T, method, path string, a *Answer) {
	t.Helper()
	c, err := TheContract()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.check(method, path, a); err != nil {
		t.Errorf("%s %s is answered %d, not as the OpenAPI document says: %v\n%.1000s", method, path, a.Status, err, a.Text)
	}
}

func (c *contract) check(method, path string, a *Answer) error {
	path, _, _ = strings.Cut(path, "?")
	if method == http.MethodOptions || a.Status == http.StatusMethodNotAllowed {
		return nil // which no path declares: they are the same on all
	}
	pattern := c.pattern(path)
	if pattern == "" {
		if a.Status != http.StatusNotFound {
			return fmt.Errorf("it does not tell of the path")
		}
		return c.Conforms("/components/schemas/Problem", a)
	}
	lookup := strings.ToLower(method)
	if method == http.MethodHead {
		lookup = "get"
	}
	pointer := "/paths/" + escaped(pattern) + "/" + lookup + "/responses/" + strconv.Itoa(a.Status)
	reply, place := c.Follow(pointer)
	if reply == nil && a.Status >= 400 { // what any operation may answer is told once
		reply, place = c.Follow(strings.TrimSuffix(pointer, strconv.Itoa(a.Status)) + "default")
	}
	pointer = place
	if reply == nil {
		return fmt.Errorf("it does not tell of this status")
	}
	if err := c.checkHeaders(reply, pointer, a.Header); err != nil {
		return err
	}
	if made := a.Status == http.StatusCreated || a.Status == http.StatusAccepted; made && a.Header.Get("Location") == "" {
		return fmt.Errorf("the header Location is missing")
	}
	if a.Status >= 400 && method != http.MethodHead {
		if err := c.checkCode(reply, a); err != nil {
			return err
		}
	}
	c.mu.Lock()
	c.seen[lookup+" "+pattern+" "+strconv.Itoa(a.Status)] = true
	c.mu.Unlock()
	if method == http.MethodHead || len(a.Text) == 0 && At(reply, "content") == nil {
		return nil
	}
	media, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	if content, _ := At(reply, "content").(map[string]any); content[media] == nil {
		return fmt.Errorf("it does not tell of the type %q", media)
	}
	schema := pointer + "/content/" + escaped(media) + "/schema"
	if a.isFile() {
		return c.valid(schema, string(a.Text))
	}
	return c.Conforms(schema, a)
}

// checkCode holds an error to the status under which the one response that stands for all errors tells of its code.
func (c *contract) checkCode(reply any, a *Answer) error {
	code, told := fmt.Sprint(At(a.JSON, "code")), fmt.Sprint(At(reply, "description"))
	for line := range strings.Lines(told) {
		if strings.HasPrefix(line, fmt.Sprintf("- %d ", a.Status)) && strings.Contains(line, "`"+code+"`:") {
			if status := fmt.Sprint(At(a.JSON, "status")); status != strconv.Itoa(a.Status) {
				return fmt.Errorf("the body says that the status is %s", status)
			}
			return nil
		}
	}
	return fmt.Errorf("it does not tell of the code %s under this status", code)
}

// pattern finds the path of the document that a path is one of.
func (c *contract) pattern(path string) string {
	paths := At(c.Document, "paths").(map[string]any)
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

// Follow gives what a pointer into the document leads to, through one reference, and where that is.
func (c *contract) Follow(pointer string) (any, string) {
	v := c.Document
	for _, part := range strings.Split(pointer[1:], "/") {
		m, _ := v.(map[string]any)
		v = m[strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")]
	}
	if m, ok := v.(map[string]any); ok {
		if target, ok := m["$ref"].(string); ok {
			return c.Follow(strings.TrimPrefix(target, "#"))
		}
	}
	return v, pointer
}

func (c *contract) checkHeaders(reply any, pointer string, given http.Header) error {
	declared, _ := At(reply, "headers").(map[string]any)
	known := slices.Clone(free)
	places := map[string]string{}
	for name := range At(c.Document, "x-headers-of-every-answer").(map[string]any) {
		places[name] = "/x-headers-of-every-answer/" + name
	}
	for name := range declared {
		places[name] = pointer + "/headers/" + name
	}
	for name, place := range places {
		known = append(known, http.CanonicalHeaderKey(name))
		header, place := c.Follow(place)
		values := given.Values(name)
		if At(header, "required") == true && len(values) == 0 {
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

func (c *contract) Conforms(pointer string, a *Answer) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.Text))
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
	w := NewWorld(t, DatabaseURL(t, "sqlite"), httpapi.Options{})
	w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
	path := "/v1/contacts/" + w.Vars["anna"]
	c, err := TheContract()
	if err != nil {
		t.Fatal(err)
	}
	for fault, change := range map[string]func(a *Answer, path *string){
		"none":                     func(*Answer, *string) {},
		"a path":                   func(_ *Answer, path *string) { *path += "/nowhere" },
		"a status":                 func(a *Answer, _ *string) { a.Status = 202 },
		"a header":                 func(a *Answer, _ *string) { a.Header.Set("X-Other", "1") },
		"a header that is missing": func(a *Answer, _ *string) { a.Header.Del("ETag") },
		"a header of another form": func(a *Answer, _ *string) { a.Header.Set("ETag", "1") },
		"a type":                   func(a *Answer, _ *string) { a.Header.Set("Content-Type", "text/plain") },
		"a field": func(a *Answer, _ *string) {
			a.Text = bytes.Replace(a.Text, []byte(`{"id"`), []byte(`{"other":1,"id"`), 1)
		},
		"a field that is missing":     func(a *Answer, _ *string) { a.Text = bytes.Replace(a.Text, []byte(`"job_title":null,`), nil, 1) },
		"a code under another status": func(a *Answer, _ *string) { a.Status = 404 },
		"a value": func(a *Answer, _ *string) {
			a.Text = bytes.Replace(a.Text, []byte(`"job_title":null,`), []byte(`"job_title":1,`), 1)
		},
	} {
		a := w.Send(t, Step{Do: "GET /contacts/$anna"})
		at := path
		change(a, &at)
		if err := c.check("GET", at, a); (err == nil) != (fault == "none") {
			t.Errorf("%s: %v", fault, err)
		}
	}
}
