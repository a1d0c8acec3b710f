// Package apitest asks the API as its callers do: steps of requests with what must come back, on SQLite and on PostgreSQL, whose answers
// are then held to each other. Tests of all packages tell with it what theirs does; those of httpapi tell what HTTP adds. It is for
// tests only.
package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/testworld"
)

// World is a server on a database of its own, with one business and a user for each role that a business starts with.
type World struct {
	Store  *store.Store
	Engine *record.Engine
	API    *httpapi.API
	URL    string
	// Database is where the server has its records.
	Database string
	Client   *http.Client
	Log      *testworld.Log
	Tenant   store.Tenant
	// Users and Tokens are by role; the role "stranger" is the administrator of another business.
	Users  map[string]schema.UUID
	Tokens map[string]string
	// Vars are what earlier steps saved, for $name in later ones.
	Vars map[string]string
	// said is everything that was asked and answered, with ids and the present time made comparable between engines.
	said     []string
	aliases  map[string]string
	stranger store.Tenant
	// Lease is how long a job stays with a worker from which nothing is heard, where a test does not wait for as long as a server does.
	Lease time.Duration
}

// OnBothEngines runs a test on SQLite and on PostgreSQL, and then holds the two to the same answers, byte for byte.
func OnBothEngines(t *testing.T, test func(t *testing.T, w *World)) {
	t.Helper()
	t.Parallel()
	var said [2][]string
	passed := t.Run("engines", func(t *testing.T) {
		for i, name := range testworld.Engines {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := NewWorld(t, DatabaseURL(t, name), httpapi.Options{})
				test(t, w)
				said[i] = w.said
			})
		}
	})
	if !passed {
		return
	}
	if len(said[0]) != len(said[1]) {
		t.Fatalf("SQLite was asked %d times, PostgreSQL %d times", len(said[0]), len(said[1]))
	}
	for i, line := range said[0] {
		if line != said[1][i] {
			t.Fatalf("the engines answer differently:\nSQLite:     %s\nPostgreSQL: %s", line, said[1][i])
		}
	}
}

// OnEach runs a test on each engine where their answers are not the same byte for byte: they depend on chance, or on what comes first.
func OnEach(t *testing.T, test func(t *testing.T, w *World)) {
	t.Helper()
	testworld.OnBoth(t, func(t *testing.T, url string) { test(t, NewWorld(t, url, httpapi.Options{})) })
}

// DatabaseURL makes an empty database of an engine.
func DatabaseURL(t *testing.T, engine string) string { return testworld.Database(t, engine) }

func NewWorld(t *testing.T, url string, options httpapi.Options) *World {
	t.Helper()
	w := &World{Users: map[string]schema.UUID{}, Tokens: map[string]string{}, Vars: map[string]string{}, aliases: map[string]string{}}
	w.Serve(t, url, options)
	w.Tenant = w.Business(t, "Harbour", "admin")
	w.stranger = w.Business(t, "Elsewhere", "stranger")
	for _, role := range []string{"manager", "member", "viewer"} {
		w.Users[role] = testworld.User(t, w.Engine, w.Tenant, account.Person{Email: role + "@harbour.example", Name: role}, role)
		w.Mint(t, role, role, record.Scopes(), time.Time{})
	}
	for role, id := range w.Users {
		w.Vars[role] = schema.FormatID("user", id)
	}
	return w
}

// Serve starts the world's server.
func (w *World) Serve(t *testing.T, url string, options httpapi.Options) {
	t.Helper()
	w.Store, w.Log, w.Database = testworld.Open(t, url), testworld.NewLog(), url
	w.Engine = testworld.Engine(t, w.Store)
	w.Engine.IndexRest = 0 // nobody waits here
	options.Log = slog.New(slog.NewJSONHandler(w.Log, nil))
	options.Requests = w.Log
	w.API = httpapi.New(w.Engine, options)
	server := httptest.NewServer(w.API)
	w.URL, w.Client = server.URL, server.Client()
	t.Cleanup(server.Close)
}

// Beside starts a second server on the database of a world, and gives the world as it is there.
func (w *World) Beside(t *testing.T) *World {
	t.Helper()
	second := *w
	second.Serve(t, w.Database, httpapi.Options{})
	return &second
}

// Servers are the world's server and, on PostgreSQL, where several may share a database, one beside it.
func (w *World) Servers(t *testing.T) []*World {
	t.Helper()
	if w.Store.Engine() == "postgres" {
		return []*World{w, w.Beside(t)}
	}
	return []*World{w}
}

func (w *World) Business(t *testing.T, name, admin string) store.Tenant {
	t.Helper()
	who := testworld.Business(t, w.Engine, name, account.Person{Email: "admin@" + strings.ToLower(name) + ".example", Name: admin})
	w.Users[admin] = who.User
	w.MintFor(t, who.Tenant, admin, admin, record.Scopes(), time.Time{})
	return who.Tenant
}

// Mint makes a token for the user of a role and keeps it under a name.
func (w *World) Mint(t *testing.T, name, role string, scopes []string, expires time.Time) (id schema.UUID) {
	t.Helper()
	return w.MintFor(t, w.Tenant, name, role, scopes, expires)
}

func (w *World) MintFor(t *testing.T, tenant store.Tenant, name, role string, scopes []string, expires time.Time) (id schema.UUID) {
	t.Helper()
	err := tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) (err error) {
		if !expires.IsZero() && expires.Before(time.Now()) { // nobody can make such a token; time does
			secret, hash := record.NewSecret(record.PersonalToken, tenant.ID())
			w.Tokens[name] = secret
			return keep.PutCredential(tx, hash, keep.Credential{
				Kind: record.PersonalToken, User: w.Users[role],
				Parent: schema.NewID(tx.Now), Scopes: scopes, ExpiresAt: expires,
			})
		}
		rec, err := operator.MintToken(w.Engine, tx, w.Users[role], name, scopes, expires)
		if err != nil {
			return err
		}
		id, w.Tokens[name] = rec.ID(), rec.Once.Value
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Step is one request with what must come back. $name stands for a value that an earlier step saved.
type Step struct {
	// Rule is the sentence that the step proves.
	Rule string
	// As is the role that asks: admin when empty, "none" without a token, "admin:contact.read,deal.all" with a token of these scopes.
	As string
	// Do is the method and the path under /v1, or with "!" in front the whole path.
	Do string
	// Send are request headers: "Name: value" in place of the usual one, "+Name: value" beside it, "-Name" without it.
	Send   []string
	Body   string
	Status int
	// Want is JSON that the answer must contain: every key of its objects, every item of its arrays. "*" stands for any
	// value but null, "<absent>" for a key that is not there.
	Want string
	// Wrong lists all reported fields as field:code, separated by spaces.
	Wrong string
	Code  string
	// Found lists the external_id of the records of a search, in order.
	Found *string
	// Head are response headers, "Name: value"; a value may end in * for any rest.
	Head []string
	// Save keeps values of the answer: "anna" its id, "first=data.0.id" what a path leads to.
	Save string
	// Chance tells that the answer is in an order of random values, which cannot be the same on both engines.
	Chance bool
}

// Found makes the expectation that a search finds these records in this order.
func Found(labels string) *string { return &labels }

// Run takes the steps one after the other, each as a test named after its rule.
func (w *World) Run(t *testing.T, steps []Step) {
	t.Helper()
	for _, s := range steps {
		t.Run(s.Rule, func(t *testing.T) { w.Check(t, s) })
	}
}

// Answer is a response read to its end.
type Answer struct {
	Status int
	Header http.Header
	Text   []byte
	JSON   any
}

// isFile tells that the answer is a file, and not JSON.
func (a *Answer) isFile() bool { return a.Header.Get("Content-Disposition") != "" }

var variable = regexp.MustCompile(`\$[a-z0-9_]+`)

func (w *World) Expand(t *testing.T, text string) string {
	t.Helper()
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		value, ok := w.Vars[name[1:]]
		if !ok {
			t.Fatalf("nothing was saved as %s", name)
		}
		return value
	})
}

// Ask sends a request, holds the answer to what is true of all, and keeps it for the comparison of the engines.
func (w *World) Ask(t *testing.T, s Step) *Answer {
	t.Helper()
	a := w.Send(t, s)
	w.checkAlways(t, s.Do, a)
	if s.Chance {
		return a
	}
	w.said = append(w.said, w.comparable(fmt.Sprintf("%s %s %.2000s → %d %s %s", s.As, s.Do, s.Body, a.Status, a.Header.Get("ETag"),
		a.Text)))
	return a
}

// Send sends a request and reads the answer.
func (w *World) Send(t *testing.T, s Step) *Answer {
	t.Helper()
	method, path, _ := strings.Cut(w.Expand(t, s.Do), " ")
	path, outside := strings.CutPrefix(path, "!")
	if !outside {
		path = "/v1" + path
	}
	text := w.Expand(t, w.people(t, s))
	req := testworld.Request(t, method, w.URL+path, w.Token(t, s.As), text)
	if s.As == "none" {
		req.Header.Del("Authorization")
	}
	for _, line := range s.Send {
		name, value, _ := strings.Cut(w.Expand(t, line), ": ")
		switch name[0] {
		case '-':
			req.Header.Del(name[1:])
		case '+':
			req.Header.Add(name[1:], value)
		default:
			req.Header.Set(name, value)
		}
	}
	res, answered := testworld.Send(t, w.Client, req)
	a := &Answer{Status: res.StatusCode, Header: res.Header, Text: answered}
	if len(a.Text) > 0 && !a.isFile() {
		a.JSON = parse(t, a.Text)
	}
	HoldToContract(t, method, path, a)
	return a
}

// people gives the body of a request with a new contact of the same business for each $someone in it.
func (w *World) people(t *testing.T, s Step) string {
	t.Helper()
	as, whose := "admin", "admin"
	if role, _, _ := strings.Cut(s.As, ":"); w.Vars[role] != "" {
		whose = role
	}
	if s.As == "stranger" {
		as = s.As
	}
	for strings.Contains(s.Body, "$someone") {
		a := w.Send(t, Step{As: as, Do: "POST /contacts", Body: `{"name":"Someone","owner_id":"$` + whose + `"}`})
		s.Body = strings.Replace(s.Body, "$someone", fmt.Sprint(At(a.JSON, "id")), 1)
	}
	return s.Body
}

func (w *World) Token(t *testing.T, as string) string {
	t.Helper()
	switch as {
	case "none":
		return ""
	case "":
		as = "admin"
	}
	if role, scopes, ok := strings.Cut(as, ":"); ok && w.Tokens[as] == "" {
		w.Mint(t, as, role, strings.Split(scopes, ","), time.Time{})
	}
	token, ok := w.Tokens[as]
	if !ok {
		t.Fatalf("there is no token for %q", as)
	}
	return token
}

// checkAlways holds every answer to what is true of all of them.
func (w *World) checkAlways(t *testing.T, do string, a *Answer) {
	t.Helper()
	id := a.Header.Get("X-Request-Id")
	if _, err := schema.ParseID("req", id); err != nil {
		t.Errorf("%s: X-Request-Id is %q", do, id)
	}
	if a.Status >= 500 {
		t.Errorf("%s: status %d: %s\n%s", do, a.Status, a.Text, w.Log)
	}
	if strings.HasPrefix(do, http.MethodHead+" ") {
		return
	}
	if a.Status < 400 {
		if len(a.Text) > 0 && a.Header.Get("Content-Type") != "application/json" && !a.isFile() {
			t.Errorf("%s: Content-Type is %q", do, a.Header.Get("Content-Type"))
		}
		if version := At(a.JSON, "version"); version != nil {
			if want := fmt.Sprintf("%q", version); a.Header.Get("ETag") != want {
				t.Errorf("%s: ETag is %s, want %s", do, a.Header.Get("ETag"), want)
			}
		}
		return
	}
	if a.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s: the Content-Type of a problem is %q", do, a.Header.Get("Content-Type"))
	}
	for path, want := range map[string]string{"status": strconv.Itoa(a.Status), "request_id": id} {
		replayed := path == "request_id" && a.Header.Get("Idempotent-Replayed") != "" // it tells of the request that was done
		if got := fmt.Sprint(At(a.JSON, path)); got != want && !replayed {
			t.Errorf("%s: %s is %q in the problem, want %q", do, path, got, want)
		}
	}
	for _, path := range []string{"type", "title", "detail", "code"} {
		if text, ok := At(a.JSON, path).(string); !ok || text == "" {
			t.Errorf("%s: the problem lacks %s: %s", do, path, a.Text)
		}
	}
}

// Check sends the request of a step and compares the answer with what it expects.
func (w *World) Check(t *testing.T, s Step) *Answer {
	t.Helper()
	a := w.Ask(t, s)
	if a.Status != s.Status {
		t.Fatalf("%s: status %d, want %d: %s", s.Do, a.Status, s.Status, a.Text)
	}
	if s.Want != "" {
		if diff := differs("", parse(t, []byte(w.Expand(t, s.Want))), a.JSON); diff != "" {
			t.Errorf("%s: %s\nin %s", s.Do, diff, a.Text)
		}
	}
	if s.Code != "" && At(a.JSON, "code") != s.Code {
		t.Errorf("%s: code is %v, want %s: %s", s.Do, At(a.JSON, "code"), s.Code, a.Text)
	}
	if s.Wrong != "" {
		if got := WrongFields(a); got != s.Wrong {
			t.Errorf("%s: wrong fields are\n%s, want\n%s", s.Do, got, s.Wrong)
		}
	}
	if s.Found != nil {
		if got := Labels(a); got != *s.Found {
			t.Errorf("%s %s: found %q, want %q", s.Do, s.Body, got, *s.Found)
		}
	}
	for _, line := range s.Head {
		name, want, _ := strings.Cut(w.Expand(t, line), ": ")
		got := a.Header.Get(name)
		if prefix, open := strings.CutSuffix(want, "*"); open && strings.HasPrefix(got, prefix) {
			continue
		}
		if got != want {
			t.Errorf("%s: %s is %q, want %q", s.Do, name, got, want)
		}
	}
	for _, item := range strings.Fields(s.Save) {
		name, path, named := strings.Cut(item, "=")
		if !named {
			path = "id"
		}
		value := At(a.JSON, path)
		if value == nil {
			t.Fatalf("%s: nothing at %s to save: %s", s.Do, path, a.Text)
		}
		w.Vars[name] = fmt.Sprint(value)
	}
	return a
}

// Create makes a record and gives its id; with a name it is saved under it.
func (w *World) Create(t *testing.T, plural, body, name string) string {
	t.Helper()
	a := w.Check(t, Step{Do: "POST /" + plural, Body: body, Status: 201, Save: name})
	return fmt.Sprint(At(a.JSON, "id"))
}

// Labels gives the external ids of a page.
func Labels(a *Answer) string {
	var out []string
	data, _ := At(a.JSON, "data").([]any)
	for _, record := range data {
		out = append(out, fmt.Sprint(At(record, "external_id")))
	}
	return strings.Join(out, " ")
}

// WrongFields gives what a problem reports, as field:code.
func WrongFields(a *Answer) string {
	var out []string
	list, _ := At(a.JSON, "errors").([]any)
	for _, e := range list {
		out = append(out, fmt.Sprintf("%v:%v", At(e, "field"), At(e, "code")))
	}
	return strings.Join(out, " ")
}

func parse(t *testing.T, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("not JSON: %v: %s", err, text)
	}
	return v
}

// At follows a path such as data.0.id, or gives nil.
func At(v any, path string) any {
	for _, key := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// differs tells where got lacks what want asks for.
func differs(path string, want, got any) string {
	switch x := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s is %v, not an object", path, got)
		}
		for key, value := range x {
			member, there := object[key]
			if value == "<absent>" {
				if there {
					return fmt.Sprintf("%s.%s is there: %v", path, key, member)
				}
				continue
			}
			if !there {
				return fmt.Sprintf("%s.%s is missing", path, key)
			}
			if diff := differs(path+"."+key, value, member); diff != "" {
				return diff
			}
		}
		return ""
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(x) {
			return fmt.Sprintf("%s is %v, want %d items", path, got, len(x))
		}
		for i := range x {
			if diff := differs(fmt.Sprintf("%s[%d]", path, i), x[i], list[i]); diff != "" {
				return diff
			}
		}
		return ""
	default:
		if want == "*" && got != nil || want == got {
			return ""
		}
		return fmt.Sprintf("%s is %#v, want %#v", path, got, want)
	}
}

var (
	// idEnd is how ids end. That it begins with one known character makes it quick to look for, and every answer is looked through.
	idEnd      = regexp.MustCompile(`_[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}`)
	timeForm   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`)
	cursorForm = regexp.MustCompile(`"(next|cursor)":"[^"]+"`)
	secretForm = regexp.MustCompile(`"(token|client_secret|hint|link|secret)":"` +
		`((?:/quote/)?kith_[a-z]+_[0-9A-Za-z]+|whsec_[0-9A-Za-z+/=]+)"`)
	seenForm = regexp.MustCompile(`"(last_used_at|last_active_at)":(null|"[^"]*")`)
)

// Settled leaves out when a token and its user were last seen: that is written in the background.
func Settled(text string) string { return seenForm.ReplaceAllString(text, `"$1":"…"`) }

// replaceIDs replaces the ids in a text.
func replaceIDs(text string, by func(id string) string) string {
	var out strings.Builder
	done := 0
	for _, end := range idEnd.FindAllStringIndex(text, -1) {
		kind := len(strings.TrimRightFunc(text[done:end[0]], func(r rune) bool {
			return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		})) + done
		if kind == end[0] {
			continue
		}
		out.WriteString(text[done:kind])
		out.WriteString(by(text[kind:end[1]]))
		done = end[1]
	}
	out.WriteString(text[done:])
	return out.String()
}

// comparable replaces what must differ between two runs: secrets, ids by their order of appearance, times of the run, cursors.
func (w *World) comparable(text string) string {
	text = Settled(cursorForm.ReplaceAllString(text, `"$1":"…"`))
	text = secretForm.ReplaceAllString(text, `"$1":"…"`)
	text = replaceIDs(text, func(id string) string {
		if strings.HasPrefix(id, "req_") {
			return "req"
		}
		if w.aliases[id] == "" {
			w.aliases[id] = id[:len(id)-26] + strconv.Itoa(len(w.aliases))
		}
		return w.aliases[id]
	})
	return timeForm.ReplaceAllStringFunc(text, func(text string) string {
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil && time.Since(t).Abs() < time.Hour {
			return "now"
		}
		return text
	})
}

// Changes counts the entries of a business's change log.
func Changes(t *testing.T, tenant store.Tenant) (n int64) {
	t.Helper()
	err := tenant.Changes(context.Background(), 0, func(c store.Change) error {
		n = c.Seq
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
