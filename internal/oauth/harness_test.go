package oauth_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/testworld"
)

func TestMain(m *testing.M) {
	code := pgtest.Main(m)
	for _, end := range slices.Backward(lasting.ends) {
		end()
	}
	os.Exit(code)
}

// lasting collects what has to be closed when all tests have run.
var lasting struct {
	mu   sync.Mutex
	ends []func()
}

// lastingTB is a test whose databases outlive it, for others to use.
type lastingTB struct{ testing.TB }

func (lastingTB) Cleanup(end func()) {
	lasting.mu.Lock()
	defer lasting.mu.Unlock()
	lasting.ends = append(lasting.ends, end)
}

func (l lastingTB) TempDir() string {
	dir, err := os.MkdirTemp("", "kith-oauth")
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// password is everyone's.
const password = testworld.Password

// server is the authorization server and the API on one database.
type server struct {
	engineName, dsn string
	store           *store.Store
	engine          *record.Engine
	auth            *oauth.Authenticator
	grants          *oauth.Server
	people          *oauth.People
	url             string
	http            *http.Client
	log             *testworld.Log
}

// world is a business on a server that has a user for each starting role, and another business.
type world struct {
	*server
	harbour   store.Tenant
	elsewhere store.Tenant
	// users are by role; the role "stranger" is the administrator of the other business.
	users map[string]schema.UUID
	// domain is where everybody's e-mail addresses are, in no other world.
	domain string
}

var (
	engines = testworld.Engines
	common  = map[string]*struct {
		once sync.Once
		s    *server
	}{"sqlite": {}, "postgres": {}}
)

// onBothEngines runs a test on SQLite and on PostgreSQL, each time in businesses of its own. The databases are shared, since making
// one for each test takes longer than most tests.
func onBothEngines(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	for _, name := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := common[name]
			c.once.Do(func() { c.s = newServer(lastingTB{t}, name, databaseURL(lastingTB{t}, name)) })
			if c.s == nil {
				t.Fatal("the server did not start")
			}
			test(t, newWorld(t, c.s))
		})
	}
}

// aloneOnBothEngines runs a test on a server of its own, for what concerns all businesses or the database itself.
func aloneOnBothEngines(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	for _, name := range engines {
		t.Run(name, func(t *testing.T) { test(t, newWorld(t, newServer(t, name, databaseURL(t, name)))) })
	}
}

func databaseURL(tb testing.TB, engine string) string { return testworld.Database(tb, engine) }

// addressHeader lets a test come from any address; without it every request comes from another one, so that no throttle is in the way.
const addressHeader = "X-Test-Address"

func newServer(tb testing.TB, engineName, dsn string) *server {
	tb.Helper()
	s := &server{engineName: engineName, dsn: dsn, log: testworld.NewLog(), store: testworld.Open(tb, dsn)}
	s.engine = testworld.Engine(tb, s.store)
	log := slog.New(slog.NewJSONHandler(s.log, nil))
	s.auth = oauth.NewAuthenticator(s.engine, "")
	s.grants = oauth.NewServer(s.engine, s.auth, log)
	s.grants.Address = func(r *http.Request) string {
		if address := r.Header.Get(addressHeader); address != "" {
			return address
		}
		return rand.Text()
	}
	s.people = testworld.People(tb, s.engine, log, "https://crm.example")
	s.serveAPI(tb, httpapi.Options{Auth: s.auth})
	return s
}

// serveAPI lets the world talk to an API with other options.
func (s *server) serveAPI(tb testing.TB, o httpapi.Options) {
	tb.Helper()
	o.Log = slog.New(slog.NewJSONHandler(s.log, nil))
	o.Requests = s.log
	mux := http.NewServeMux()
	s.grants.Routes(mux)
	mux.Handle("/", httpapi.New(s.engine, o))
	listening := httptest.NewServer(mux)
	s.url, s.http = listening.URL, listening.Client()
	s.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	tb.Cleanup(listening.Close)
}

func newWorld(tb testing.TB, s *server) *world {
	tb.Helper()
	w := &world{server: s, users: map[string]schema.UUID{}, domain: strings.ToLower(rand.Text()) + ".example"}
	w.harbour = w.business(tb, "Harbour", "admin")
	w.elsewhere = w.business(tb, "Elsewhere", "stranger")
	for _, role := range []string{"manager", "member", "viewer"} {
		w.user(tb, role, role)
	}
	return w
}

func (w *world) email(name string) string { return name + "@" + w.domain }

func (w *world) business(tb testing.TB, name, admin string) store.Tenant {
	tb.Helper()
	who := testworld.Business(tb, w.engine, name, account.Person{
		Email: w.email(admin), Name: admin,
		PasswordHash: testworld.PasswordHash(),
	})
	w.users[admin] = who.User
	return who.Tenant
}

// user adds an active user to Harbour and knows them by name.
func (w *world) user(tb testing.TB, name, role string) schema.UUID {
	tb.Helper()
	w.users[name] = testworld.User(tb, w.engine, w.harbour,
		account.Person{Email: w.email(name), Name: name, PasswordHash: testworld.PasswordHash()}, role)
	return w.users[name]
}

func (w *world) tenantOf(name string) store.Tenant {
	if name == "stranger" {
		return w.elsewhere
	}
	return w.harbour
}

// mint makes a personal access token for a user; without scopes it has all.
func (w *world) mint(tb testing.TB, name string, scopes ...string) string {
	tb.Helper()
	if len(scopes) == 0 {
		scopes = record.Scopes()
	}
	var secret string
	err := w.tenantOf(name).Write(context.Background(), store.Actor{}, func(tx *store.Tx) error {
		rec, err := operator.MintToken(w.engine, tx, w.users[name], "test", scopes, time.Time{})
		if err == nil {
			secret = rec.Once.Value
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return secret
}

// proven is a user who has proved to know the password that they have now.
func (w *world) proven(tb testing.TB, name string) keep.Identity {
	tb.Helper()
	id := keep.Identity{Tenant: w.tenantOf(name), User: w.users[name]}
	var err error
	if id.Password, err = keep.FindPassword(context.Background(), id.Tenant, id.User); err != nil {
		tb.Fatal(err)
	}
	return id
}

// login logs a user in and gives the person with their session.
func (w *world) login(tb testing.TB, name string) (who *record.Principal, session schema.UUID, cookie string) {
	tb.Helper()
	cookie, err := w.people.StartSession(context.Background(), oauth.Proven{Identity: w.proven(tb, name)}, "a browser", "192.0.2.1")
	if err != nil {
		tb.Fatal(err)
	}
	if who, session, err = w.auth.Session(context.Background(), cookie); err != nil {
		tb.Fatal(err)
	}
	return who, session, cookie
}

// answer is a response read to its end.
type answer struct {
	status int
	header http.Header
	text   string
	json   map[string]any
}

func (a *answer) get(key string) string {
	s, _ := a.json[key].(string)
	return s
}

// send makes a request and holds the answer to what is true of all: never a fault of ours.
func (w *world) send(tb testing.TB, req *http.Request) *answer {
	tb.Helper()
	res, text := testworld.Send(tb, w.http, req)
	a := &answer{status: res.StatusCode, header: res.Header, text: string(text)}
	if a.status >= 500 {
		tb.Errorf("%s %s: status %d: %s\n%s", req.Method, req.URL, a.status, text, w.log)
	}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &a.json); err != nil {
			tb.Errorf("%s %s: not a JSON object: %s", req.Method, req.URL, text)
		}
	}
	return a
}

// post sends a form to an endpoint of the authorization server.
func (w *world) post(tb testing.TB, path string, form url.Values, change ...func(*http.Request)) *answer {
	tb.Helper()
	req, err := http.NewRequest(http.MethodPost, w.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, c := range change {
		c(req)
	}
	return w.send(tb, req)
}

func basic(id, secret string) func(*http.Request) {
	return func(r *http.Request) { r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret)) }
}

// api calls the API with a bearer token: do is a method and a path under /v1.
func (w *world) api(tb testing.TB, token, do, body string) *answer {
	tb.Helper()
	method, path, _ := strings.Cut(do, " ")
	return w.send(tb, testworld.Request(tb, method, w.url+"/v1"+path, token, body))
}

// works and ends hold a token to be good or to be refused.
func (w *world) works(tb testing.TB, token string) {
	tb.Helper()
	if a := w.api(tb, token, "GET /me", ""); a.status != 200 {
		tb.Fatalf("the token is refused: %d %s", a.status, a.text)
	}
}

func (w *world) refused(tb testing.TB, token string) {
	tb.Helper()
	a := w.api(tb, token, "GET /me", "")
	if a.status != 401 || a.get("code") != "invalid_token" {
		tb.Fatalf("the token is not refused: %d %s", a.status, a.text)
	}
	if challenge := a.header.Get("WWW-Authenticate"); !strings.Contains(challenge, `error="invalid_token"`) ||
		!strings.Contains(challenge, w.url+"/.well-known/oauth-protected-resource/v1") {
		tb.Errorf("the challenge is %q", challenge)
	}
}

// age moves a time in the database into the past, behind the program's back. It is for rows that nobody has in memory yet.
func (w *world) age(tb testing.TB, table, column, where string, value any, by time.Duration) {
	tb.Helper()
	earlier, mark, amount := column+" - ?", "?", any(by.Microseconds())
	if w.engineName == "postgres" {
		// A cluster takes only what depends on no setting of the session, such as its time zone.
		earlier, mark, amount = "("+column+" AT TIME ZONE 'UTC' - make_interval(secs => $1)) AT TIME ZONE 'UTC'", "$2", by.Seconds()
	}
	if w.run(tb, "UPDATE "+table+" SET "+column+" = "+earlier+" WHERE "+where+" = "+mark, amount, value) == 0 {
		tb.Fatalf("there is nothing to age in %s", table)
	}
}

// run changes the database behind the program's back, and tells how many rows it changed.
func (w *world) run(tb testing.TB, sql string, args ...any) (rows int64) {
	tb.Helper()
	if w.engineName == "sqlite" {
		c, err := sqlite.OpenConn(strings.TrimPrefix(w.dsn, "sqlite:"), sqlite.OpenReadWrite)
		if err != nil {
			tb.Fatal(err)
		}
		defer c.Close()
		if err := sqlitex.ExecuteTransient(c, sql, &sqlitex.ExecOptions{Args: args}); err != nil {
			tb.Fatal(err)
		}
		return int64(c.Changes())
	}
	c, err := pgx.Connect(context.Background(), w.dsn)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close(context.Background())
	tag, err := c.Exec(context.Background(), sql, args...)
	if err != nil {
		tb.Fatal(err)
	}
	return tag.RowsAffected()
}

// expire lets a secret have expired a second ago.
func (w *world) expire(tb testing.TB, secret string) {
	tb.Helper()
	cred, err := keep.FindCredential(context.Background(), w.store, record.Presented(secret))
	if err != nil {
		tb.Fatal(err)
	}
	w.age(tb, "credential", "expires_at", "hash", hashOf(secret), time.Until(cred.ExpiresAt)+time.Second)
}

func hashOf(secret string) []byte {
	hash := record.HashSecret(secret)
	return hash[:]
}

func businessID(t store.Tenant) string { return schema.FormatID("business", t.ID()) }

func node(tb testing.TB, text string) *body.Node {
	tb.Helper()
	n, err := body.Parse([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

func userID(id schema.UUID) string { return schema.FormatID("user", id) }

// roleID finds a role of Harbour by its name.
func (w *world) roleID(tb testing.TB, name string) string {
	tb.Helper()
	a := w.api(tb, w.mint(tb, "admin"), "POST /roles/search", `{"filters":[{"field":"name","operator":"eq","value":"`+name+`"}]}`)
	data, _ := a.json["data"].([]any)
	if len(data) != 1 {
		tb.Fatalf("role %s: %s", name, a.text)
	}
	return data[0].(map[string]any)["id"].(string)
}

// permissions are those of a role that reaches equally far in everything, but for what is given.
func permissions(reach string, but map[string]string) string {
	all := map[string]map[string]string{}
	for _, k := range record.Kinds() {
		r := reach
		if other, ok := but[k.Name]; ok {
			r = other
		}
		all[k.Name] = map[string]string{"read": r, "write": r, "delete": r}
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// role makes a role of Harbour.
func (w *world) role(tb testing.TB, name, permissions string, features ...string) string {
	tb.Helper()
	text, err := json.Marshal(slices.Concat([]string{}, features))
	if err != nil {
		tb.Fatal(err)
	}
	a := w.api(tb, w.mint(tb, "admin"), "POST /roles", `{"name":"`+name+`","permissions":`+permissions+`,"features":`+string(text)+`}`)
	if a.status != 201 {
		tb.Fatalf("make a role: %d %s", a.status, a.text)
	}
	return a.get("id")
}

func parseUser(id string) (schema.UUID, error) { return schema.ParseID("user", id) }
