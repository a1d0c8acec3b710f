package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/testworld"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(300) // a tenth of the processor time went into collecting memory of which there is enough
	os.Exit(pgtest.Main(m))
}

// world is a server on a database of its own, with one business and a user for each role that a business starts with.
type world struct {
	store  *store.Store
	engine *record.Engine
	api    *httpapi.API
	url    string
	// database is where the server has its records.
	database string
	client   *http.Client
	log      *testworld.Log
	tenant   store.Tenant
	// users and tokens are by role; the role "stranger" is the administrator of another business.
	users  map[string]schema.UUID
	tokens map[string]string
	// vars are what earlier steps saved, for $name in later ones.
	vars map[string]string
	// said is everything that was asked and answered, with ids and the present time made comparable between engines.
	said     []string
	aliases  map[string]string
	stranger store.Tenant
	// lease is how long a job stays with a worker from which nothing is heard, where a test does not wait for as long as a server does.
	lease time.Duration
}

// onBothEngines runs a test on SQLite and on PostgreSQL, and then holds the two to the same answers, byte for byte.
func onBothEngines(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	var said [2][]string
	passed := t.Run("engines", func(t *testing.T) {
		for i, name := range testworld.Engines {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, databaseURL(t, name), httpapi.Options{})
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

// onEach runs a test on each engine where their answers are not the same byte for byte: they depend on chance, or on what comes first.
func onEach(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	testworld.OnBoth(t, func(t *testing.T, url string) { test(t, newWorld(t, url, httpapi.Options{})) })
}

// databaseURL makes an empty database of an engine.
func databaseURL(t *testing.T, engine string) string { return testworld.Database(t, engine) }

func newWorld(t *testing.T, url string, options httpapi.Options) *world {
	t.Helper()
	w := &world{users: map[string]schema.UUID{}, tokens: map[string]string{}, vars: map[string]string{}, aliases: map[string]string{}}
	w.serve(t, url, options)
	w.tenant = w.business(t, "Harbour", "admin")
	w.stranger = w.business(t, "Elsewhere", "stranger")
	for _, role := range []string{"manager", "member", "viewer"} {
		w.users[role] = testworld.User(t, w.engine, w.tenant, account.Person{Email: role + "@harbour.example", Name: role}, role)
		w.mint(t, role, role, record.Scopes(), time.Time{})
	}
	for role, id := range w.users {
		w.vars[role] = schema.FormatID("user", id)
	}
	return w
}

// serve starts the world's server.
func (w *world) serve(t *testing.T, url string, options httpapi.Options) {
	t.Helper()
	w.store, w.log, w.database = testworld.Open(t, url), testworld.NewLog(), url
	w.engine = testworld.Engine(t, w.store)
	w.engine.IndexRest = 0 // nobody waits here
	options.Log = slog.New(slog.NewJSONHandler(w.log, nil))
	options.Requests = w.log
	w.api = httpapi.New(w.engine, options)
	server := httptest.NewServer(w.api)
	w.url, w.client = server.URL, server.Client()
	t.Cleanup(server.Close)
}

// beside starts a second server on the database of a world, and gives the world as it is there.
func (w *world) beside(t *testing.T) *world {
	t.Helper()
	second := *w
	second.serve(t, w.database, httpapi.Options{})
	return &second
}

// servers are the world's server and, on PostgreSQL, where several may share a database, one beside it.
func (w *world) servers(t *testing.T) []*world {
	t.Helper()
	if w.store.Engine() == "postgres" {
		return []*world{w, w.beside(t)}
	}
	return []*world{w}
}

func (w *world) business(t *testing.T, name, admin string) store.Tenant {
	t.Helper()
	who := testworld.Business(t, w.engine, name, account.Person{Email: "admin@" + strings.ToLower(name) + ".example", Name: admin})
	w.users[admin] = who.User
	w.mintFor(t, who.Tenant, admin, admin, record.Scopes(), time.Time{})
	return who.Tenant
}

// mint makes a token for the user of a role and keeps it under a name.
func (w *world) mint(t *testing.T, name, role string, scopes []string, expires time.Time) (id schema.UUID) {
	t.Helper()
	return w.mintFor(t, w.tenant, name, role, scopes, expires)
}

func (w *world) mintFor(t *testing.T, tenant store.Tenant, name, role string, scopes []string, expires time.Time) (id schema.UUID) {
	t.Helper()
	err := tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) (err error) {
		if !expires.IsZero() && expires.Before(time.Now()) { // nobody can make such a token; time does
			secret, hash := record.NewSecret(record.PersonalToken, tenant.ID())
			w.tokens[name] = secret
			return keep.PutCredential(tx, hash, keep.Credential{
				Kind: record.PersonalToken, User: w.users[role],
				Parent: schema.NewID(tx.Now), Scopes: scopes, ExpiresAt: expires,
			})
		}
		rec, err := operator.MintToken(w.engine, tx, w.users[role], name, scopes, expires)
		if err != nil {
			return err
		}
		id, w.tokens[name] = rec.ID(), rec.Once.Value
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// step is one request with what must come back. $name stands for a value that an earlier step saved.
type step struct {
	// rule is the sentence that the step proves.
	rule string
	// as is the role that asks: admin when empty, "none" without a token, "admin:contact.read,deal.all" with a token of these scopes.
	as string
	// do is the method and the path under /v1, or with "!" in front the whole path.
	do string
	// send are request headers: "Name: value" in place of the usual one, "+Name: value" beside it, "-Name" without it.
	send   []string
	body   string
	status int
	// want is JSON that the answer must contain: every key of its objects, every item of its arrays. "*" stands for any
	// value but null, "<absent>" for a key that is not there.
	want string
	// wrong lists all reported fields as field:code, separated by spaces.
	wrong string
	code  string
	// found lists the external_id of the records of a search, in order.
	found *string
	// head are response headers, "Name: value"; a value may end in * for any rest.
	head []string
	// save keeps values of the answer: "anna" its id, "first=data.0.id" what a path leads to.
	save string
	// chance tells that the answer is in an order of random values, which cannot be the same on both engines.
	chance bool
}

// found makes the expectation that a search finds these records in this order.
func found(labels string) *string { return &labels }

// run takes the steps one after the other, each as a test named after its rule.
func (w *world) run(t *testing.T, steps []step) {
	t.Helper()
	for _, s := range steps {
		t.Run(s.rule, func(t *testing.T) { w.check(t, s) })
	}
}

// answer is a response read to its end.
type answer struct {
	status int
	header http.Header
	text   []byte
	json   any
}

// isFile tells that the answer is a file, and not JSON.
func (a *answer) isFile() bool { return a.header.Get("Content-Disposition") != "" }

var variable = regexp.MustCompile(`\$[a-z0-9_]+`)

func (w *world) expand(t *testing.T, text string) string {
	t.Helper()
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		value, ok := w.vars[name[1:]]
		if !ok {
			t.Fatalf("nothing was saved as %s", name)
		}
		return value
	})
}

// ask sends a request, holds the answer to what is true of all, and keeps it for the comparison of the engines.
func (w *world) ask(t *testing.T, s step) *answer {
	t.Helper()
	a := w.send(t, s)
	w.checkAlways(t, s.do, a)
	if s.chance {
		return a
	}
	w.said = append(w.said, w.comparable(fmt.Sprintf("%s %s %.2000s → %d %s %s", s.as, s.do, s.body, a.status, a.header.Get("ETag"),
		a.text)))
	return a
}

// send sends a request and reads the answer.
func (w *world) send(t *testing.T, s step) *answer {
	t.Helper()
	method, path, _ := strings.Cut(w.expand(t, s.do), " ")
	path, outside := strings.CutPrefix(path, "!")
	if !outside {
		path = "/v1" + path
	}
	text := w.expand(t, w.people(t, s))
	req := testworld.Request(t, method, w.url+path, w.token(t, s.as), text)
	if s.as == "none" {
		req.Header.Del("Authorization")
	}
	for _, line := range s.send {
		name, value, _ := strings.Cut(w.expand(t, line), ": ")
		switch name[0] {
		case '-':
			req.Header.Del(name[1:])
		case '+':
			req.Header.Add(name[1:], value)
		default:
			req.Header.Set(name, value)
		}
	}
	res, answered := testworld.Send(t, w.client, req)
	a := &answer{status: res.StatusCode, header: res.Header, text: answered}
	if len(a.text) > 0 && !a.isFile() {
		a.json = parse(t, a.text)
	}
	holdToContract(t, method, path, a)
	return a
}

// people gives the body of a request with a new contact of the same business for each $someone in it.
func (w *world) people(t *testing.T, s step) string {
	t.Helper()
	as, whose := "admin", "admin"
	if role, _, _ := strings.Cut(s.as, ":"); w.vars[role] != "" {
		whose = role
	}
	if s.as == "stranger" {
		as = s.as
	}
	for strings.Contains(s.body, "$someone") {
		a := w.send(t, step{as: as, do: "POST /contacts", body: `{"name":"Someone","owner_id":"$` + whose + `"}`})
		s.body = strings.Replace(s.body, "$someone", fmt.Sprint(at(a.json, "id")), 1)
	}
	return s.body
}

func (w *world) token(t *testing.T, as string) string {
	t.Helper()
	switch as {
	case "none":
		return ""
	case "":
		as = "admin"
	}
	if role, scopes, ok := strings.Cut(as, ":"); ok && w.tokens[as] == "" {
		w.mint(t, as, role, strings.Split(scopes, ","), time.Time{})
	}
	token, ok := w.tokens[as]
	if !ok {
		t.Fatalf("there is no token for %q", as)
	}
	return token
}

// checkAlways holds every answer to what is true of all of them.
func (w *world) checkAlways(t *testing.T, do string, a *answer) {
	t.Helper()
	id := a.header.Get("X-Request-Id")
	if _, err := schema.ParseID("req", id); err != nil {
		t.Errorf("%s: X-Request-Id is %q", do, id)
	}
	if a.status >= 500 {
		t.Errorf("%s: status %d: %s\n%s", do, a.status, a.text, w.log)
	}
	if strings.HasPrefix(do, http.MethodHead+" ") {
		return
	}
	if a.status < 400 {
		if len(a.text) > 0 && a.header.Get("Content-Type") != "application/json" && !a.isFile() {
			t.Errorf("%s: Content-Type is %q", do, a.header.Get("Content-Type"))
		}
		if version := at(a.json, "version"); version != nil {
			if want := fmt.Sprintf("%q", version); a.header.Get("ETag") != want {
				t.Errorf("%s: ETag is %s, want %s", do, a.header.Get("ETag"), want)
			}
		}
		return
	}
	if a.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s: the Content-Type of a problem is %q", do, a.header.Get("Content-Type"))
	}
	for path, want := range map[string]string{"status": strconv.Itoa(a.status), "request_id": id} {
		replayed := path == "request_id" && a.header.Get("Idempotent-Replayed") != "" // it tells of the request that was done
		if got := fmt.Sprint(at(a.json, path)); got != want && !replayed {
			t.Errorf("%s: %s is %q in the problem, want %q", do, path, got, want)
		}
	}
	for _, path := range []string{"type", "title", "detail", "code"} {
		if text, ok := at(a.json, path).(string); !ok || text == "" {
			t.Errorf("%s: the problem lacks %s: %s", do, path, a.text)
		}
	}
}

// check sends the request of a step and compares the answer with what it expects.
func (w *world) check(t *testing.T, s step) *answer {
	t.Helper()
	a := w.ask(t, s)
	if a.status != s.status {
		t.Fatalf("%s: status %d, want %d: %s", s.do, a.status, s.status, a.text)
	}
	if s.want != "" {
		if diff := differs("", parse(t, []byte(w.expand(t, s.want))), a.json); diff != "" {
			t.Errorf("%s: %s\nin %s", s.do, diff, a.text)
		}
	}
	if s.code != "" && at(a.json, "code") != s.code {
		t.Errorf("%s: code is %v, want %s: %s", s.do, at(a.json, "code"), s.code, a.text)
	}
	if s.wrong != "" {
		if got := wrongFields(a); got != s.wrong {
			t.Errorf("%s: wrong fields are\n%s, want\n%s", s.do, got, s.wrong)
		}
	}
	if s.found != nil {
		if got := labels(a); got != *s.found {
			t.Errorf("%s %s: found %q, want %q", s.do, s.body, got, *s.found)
		}
	}
	for _, line := range s.head {
		name, want, _ := strings.Cut(w.expand(t, line), ": ")
		got := a.header.Get(name)
		if prefix, open := strings.CutSuffix(want, "*"); open && strings.HasPrefix(got, prefix) {
			continue
		}
		if got != want {
			t.Errorf("%s: %s is %q, want %q", s.do, name, got, want)
		}
	}
	for _, item := range strings.Fields(s.save) {
		name, path, named := strings.Cut(item, "=")
		if !named {
			path = "id"
		}
		value := at(a.json, path)
		if value == nil {
			t.Fatalf("%s: nothing at %s to save: %s", s.do, path, a.text)
		}
		w.vars[name] = fmt.Sprint(value)
	}
	return a
}

// create makes a record and gives its id; with a name it is saved under it.
func (w *world) create(t *testing.T, plural, body, name string) string {
	t.Helper()
	a := w.check(t, step{do: "POST /" + plural, body: body, status: 201, save: name})
	return fmt.Sprint(at(a.json, "id"))
}

// labels gives the external ids of a page.
func labels(a *answer) string {
	var out []string
	data, _ := at(a.json, "data").([]any)
	for _, record := range data {
		out = append(out, fmt.Sprint(at(record, "external_id")))
	}
	return strings.Join(out, " ")
}

// wrongFields gives what a problem reports, as field:code.
func wrongFields(a *answer) string {
	var out []string
	list, _ := at(a.json, "errors").([]any)
	for _, e := range list {
		out = append(out, fmt.Sprintf("%v:%v", at(e, "field"), at(e, "code")))
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

// at follows a path such as data.0.id, or gives nil.
func at(v any, path string) any {
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

// settled leaves out when a token and its user were last seen: that is written in the background.
func settled(text string) string { return seenForm.ReplaceAllString(text, `"$1":"…"`) }

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
func (w *world) comparable(text string) string {
	text = settled(cursorForm.ReplaceAllString(text, `"$1":"…"`))
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

// changes counts the entries of a business's change log.
func changes(t *testing.T, tenant store.Tenant) (n int64) {
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
