package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/agents"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/testworld"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// world is a server with an API and agents at its side, and tokens by name.
type world struct {
	url    string
	engine *record.Engine
	tenant store.Tenant
	users  map[string]schema.UUID
	tokens map[string]string
}

func newWorld(t *testing.T, url string, o httpapi.Options) *world {
	t.Helper()
	w := &world{engine: testworld.Engine(t, testworld.Open(t, url))}
	o.Log = slog.New(slog.NewJSONHandler(io.Discard, nil))
	api := httpapi.New(w.engine, o)
	mux := http.NewServeMux()
	mux.Handle("/v1/", api)
	mux.Handle(httpapi.MCP, api.Authenticate(agents.New(agents.Options{
		API: agents.Within{Handler: api}, Version: "test",
		Failed: func(tool string, reason any, stack []byte) {
			t.Errorf("%s: %v\n%s", tool, reason, stack)
		},
	}).Handler()))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	w.url = server.URL
	return w.fresh(t)
}

// fresh is the world with new businesses, so that several tests share a database.
func (w *world) fresh(t *testing.T) *world {
	t.Helper()
	w = &world{url: w.url, engine: w.engine, users: map[string]schema.UUID{}, tokens: map[string]string{}}
	stranger := testworld.Business(t, w.engine, "Elsewhere", account.Person{Email: "admin@elsewhere.example", Name: "Stranger"})
	w.mint(t, "stranger", stranger.Tenant, stranger.User, record.Scopes())
	admin := testworld.Business(t, w.engine, "Harbour", account.Person{Email: "admin@harbour.example", Name: "Anna"})
	w.tenant, w.users["admin"] = admin.Tenant, admin.User
	w.mint(t, "admin", w.tenant, admin.User, record.Scopes())
	for _, role := range []string{"member", "viewer"} {
		w.users[role] = testworld.User(t, w.engine, w.tenant, account.Person{Email: role + "@harbour.example", Name: role}, role)
		w.mint(t, role, w.tenant, w.users[role], record.Scopes())
	}
	return w
}

func (w *world) mint(t *testing.T, name string, tenant store.Tenant, user schema.UUID, scopes []string) {
	t.Helper()
	err := tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) error {
		rec, err := operator.MintToken(w.engine, tx, user, name, scopes, time.Time{})
		if err == nil {
			w.tokens[name] = rec.Once.Value
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// object is JSON as it is read and written in tests.
type object = map[string]any

// rpc sends a message of the protocol as anybody would, and gives status, headers and answer.
func (w *world) rpc(t *testing.T, as, text string, header ...string) (*http.Response, object) {
	t.Helper()
	req := testworld.Request(t, http.MethodPost, w.url+"/mcp", w.tokens[as], text)
	req.Header.Del("Version")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2025-11-25")
	if as == "" {
		req.Header.Del("Authorization")
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if req.Header.Set(name, value); name == "Host" {
			req.Host = value
		}
	}
	res, answer := testworld.Send(t, http.DefaultClient, req)
	var out object
	if len(answer) > 0 && strings.Contains(res.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(answer, &out); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
	}
	return res, out
}

// call calls a tool and gives its text, and whether it is an error.
func (w *world) call(t *testing.T, as, tool string, arguments object) (string, bool) {
	t.Helper()
	text, err := json.Marshal(object{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": object{"name": tool, "arguments": arguments},
	})
	if err != nil {
		t.Fatal(err)
	}
	res, out := w.rpc(t, as, string(text))
	result, ok := out["result"].(object)
	if !ok {
		t.Fatalf("%s %v: %d %v", tool, arguments, res.StatusCode, out)
	}
	failed, _ := result["isError"].(bool)
	return result["content"].([]any)[0].(object)["text"].(string), failed
}

// done calls a tool that must succeed.
func (w *world) done(t *testing.T, as, tool string, arguments object) object {
	t.Helper()
	text, failed := w.call(t, as, tool, arguments)
	if failed {
		t.Fatalf("%s %.300v: %s", tool, arguments, text)
	}
	return parse(t, text)
}

// refused calls a tool that must fail, with a code.
func (w *world) refused(t *testing.T, as, tool, code string, arguments object) object {
	t.Helper()
	text, failed := w.call(t, as, tool, arguments)
	out := parse(t, text)
	if !failed || out["code"] != code {
		t.Fatalf("%s %.300v: %s, want %s", tool, arguments, text, code)
	}
	return out
}

// api asks the API itself.
func (w *world) api(t *testing.T, as, method, path, text string) (int, object) {
	t.Helper()
	res, answer := testworld.Send(t, http.DefaultClient, testworld.Request(t, method, w.url+"/v1"+path, w.tokens[as], text))
	if len(answer) == 0 {
		return res.StatusCode, nil
	}
	return res.StatusCode, parse(t, string(answer))
}

func parse(t *testing.T, text string) object {
	t.Helper()
	var out object
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

// idsOf are the ids of the records that an answer has.
func idsOf(answer object) []any {
	records, _ := answer["records"].([]any)
	var ids []any
	for _, r := range records {
		ids = append(ids, r.(object)["id"])
	}
	return ids
}

// without gives JSON as tools tell it: less null and what is empty, times without an empty fraction.
func without(value any) any {
	switch v := value.(type) {
	case string:
		return strings.Replace(v, ".000000Z", "Z", 1)
	case []any:
		var all []any
		for _, item := range v {
			if b := without(item); b != nil {
				all = append(all, b)
			}
		}
		if all == nil {
			return nil
		}
		return all
	case object:
		all := object{}
		for name, item := range v {
			if b := without(item); b != nil {
				all[name] = b
			}
		}
		if len(all) == 0 {
			return nil
		}
		return all
	}
	return value
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("%s:\n got %s\nwant %s", what, a, b)
	}
}

// fieldsOf are the wrong fields of a refusal, as field:code.
func fieldsOf(refusal object) string {
	errs, _ := refusal["errors"].([]any)
	var all []string
	for _, e := range errs {
		all = append(all, fmt.Sprintf("%v:%v", e.(object)["field"], e.(object)["code"]))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
