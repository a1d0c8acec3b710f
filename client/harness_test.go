package client_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/client"
	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/testworld"
	"github.com/kith-crm/kith/internal/wiring"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// server is a real one, on a database of its own with one business.
type server struct {
	url    string
	admin  string
	engine *record.Engine
	who    *record.Principal
	close  func() error
}

// serve starts a server.
func serve(database string, options httpapi.Options) (*server, error) {
	ctx := context.Background()
	s, err := store.Open(ctx, database, record.Registry)
	if err != nil {
		return nil, err
	}
	if _, err := s.Migrate(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	engine, err := wiring.NewEngine(ctx, s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	made := &server{engine: engine}
	if made.who, err = account.CreateBusiness(ctx, engine, "Harbour", "EUR", account.Person{Email: "anna@harbour.example", Name: "Anna"},
		nil); err == nil {
		made.admin, err = made.token(record.Scopes())
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	options.Log = slog.New(slog.DiscardHandler)
	listening := httptest.NewServer(httpapi.New(engine, options))
	made.url = listening.URL
	made.close = func() error {
		listening.Close()
		return s.Close()
	}
	return made, nil
}

// token makes a token of the administrator with some scopes.
func (s *server) token(scopes []string) (secret string, err error) {
	err = s.who.Tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) error {
		rec, err := operator.MintToken(s.engine, tx, s.who.User, "test", scopes, time.Time{})
		if err == nil {
			secret = rec.Once.Value
		}
		return err
	})
	return secret, err
}

// onBothEngines runs a test against a server on SQLite and one on PostgreSQL.
func onBothEngines(t *testing.T, options httpapi.Options, test func(t *testing.T, s *server)) {
	t.Parallel()
	for _, engine := range testworld.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, err := serve(testworld.Database(t, engine), options)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.close(); err != nil {
					t.Error(err)
				}
			})
			test(t, s)
		})
	}
}

// connect makes a client of the administrator's.
func (s *server) connect(t *testing.T, options ...client.Option) *client.Client {
	t.Helper()
	return connect(t, s.url, s.admin, options...)
}

func connect(t *testing.T, address, token string, options ...client.Option) *client.Client {
	t.Helper()
	c, err := client.New(address, client.StaticToken(token),
		append([]client.Option{client.WithBackoff(time.Millisecond, time.Minute)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// front is a proxy before a server, which notes what comes by and may do something else with it.
type front struct {
	url string
	// meddle answers a request itself and gives true, or leaves it to the server behind. It is told which one it is, from 1 on.
	meddle func(n int, w http.ResponseWriter, r *http.Request, server http.Handler) bool
	mu     sync.Mutex
	seen   []seen
}

// seen is a request that came by.
type seen struct{ method, path, key, token string }

func (s *server) front(t *testing.T, meddle func(n int, w http.ResponseWriter, r *http.Request, server http.Handler) bool) *front {
	t.Helper()
	behind, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(behind)
	f := &front{meddle: meddle}
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.seen = append(f.seen, seen{r.Method, r.URL.Path, r.Header.Get("Idempotency-Key"), r.Header.Get("Authorization")})
		n := len(f.seen)
		f.mu.Unlock()
		if f.meddle == nil || !f.meddle(n, w, r, proxy) {
			proxy.ServeHTTP(w, r)
		}
	}))
	f.url = listening.URL
	t.Cleanup(listening.Close)
	return f
}

func (f *front) requests() []seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen
}

// drop lets the server do what is asked, and then cuts the connection in place of the answer, or after half of it.
func drop(w http.ResponseWriter, r *http.Request, server http.Handler, half bool) {
	done := httptest.NewRecorder()
	server.ServeHTTP(done, r)
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	if half {
		_, _ = io.WriteString(conn, "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"id\":")
	}
	_ = conn.Close()
}

// refused gives the server's refusal in an error.
func refused(t *testing.T, err error) *client.Error {
	t.Helper()
	var e *client.Error
	if !errors.As(err, &e) {
		t.Fatalf("the error is %v, and none of the server's", err)
	}
	return e
}

// must fails the test where something did not work.
func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
