package oauth_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kith-crm/kith/internal/oauth"
)

// publisher is a site that has documents of clients.
type publisher struct {
	url   string
	asked atomic.Int64
	serve atomic.Pointer[http.HandlerFunc]
}

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	p := &publisher{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		(*p.serve.Load())(w, r)
	}))
	t.Cleanup(site.Close)
	p.url = site.URL
	return p
}

// publish has the site answer with a document in which some members are others.
func (p *publisher) publish(t *testing.T, path string, changes map[string]any) client {
	t.Helper()
	said := map[string]any{
		"client_id": p.url + path, "client_name": "Address book", "redirect_uris": []string{redirect},
		"grant_types": []string{"authorization_code", "refresh_token"},
	}
	for name, value := range changes {
		said[name] = value
	}
	text, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	p.answer("application/json; charset=utf-8", string(text))
	return client{id: p.url + path}
}

func (p *publisher) answer(media, text string) {
	serve := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		_, _ = w.Write([]byte(text))
	})
	p.serve.Store(&serve)
}

// fetching is the world with an authorization server of its own, which has fetched nothing yet and may fetch from the own machine.
func (w *world) fetching(ownNetwork bool) *world {
	own := *w.server
	own.grants = oauth.NewServer(w.engine, w.auth, slog.New(slog.NewJSONHandler(w.log, nil)))
	own.grants.Address = w.grants.Address
	if ownNetwork {
		own.grants.AllowOwnNetwork()
	}
	mine := *w
	mine.server = &own
	return &mine
}

func TestClientWithADocument(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		site := newPublisher(t)
		c := site.publish(t, "/client.json", map[string]any{"grant_types": []string{
			"authorization_code", "refresh_token",
			"urn:ietf:params:oauth:grant-type:device_code",
		}, "scope": "contact.read contact.write openid"})

		// Nobody but a consent has it fetched.
		fails(t, w.post(t, "/oauth/token", c.form("grant_type", "authorization_code", "code", "x", "code_verifier", newVerifier())), 401,
			"invalid_client")
		if asked := site.asked.Load(); asked != 0 {
			t.Errorf("the document was fetched %d times", asked)
		}

		w = w.fetching(true)
		a, err := w.authorization(asked(c, challengeOf(newVerifier())).Encode())
		if err != nil {
			t.Fatal(err)
		}
		if "http://"+a.Client.Publisher != site.url || a.Client.Name != "Address book" {
			t.Errorf("the client is %q of %q", a.Client.Name, a.Client.Publisher)
		}
		access, refresh := w.tokens(t, c)
		w.works(t, access)
		again := w.refresh(t, c, refresh)
		if again.status != 200 {
			t.Fatalf("refresh: %d %s", again.status, again.text)
		}
		if asked := site.asked.Load(); asked != 1 {
			t.Errorf("the document was fetched %d times, and not remembered", asked)
		}
		w.onPage(t, asked(c, challengeOf(newVerifier()), "redirect_uri", "https://elsewhere.example/cb").Encode())

		// What it said counts until it says otherwise and somebody consents to that: then also for what was granted before.
		w = w.fetching(true)
		site.publish(t, "/client.json", map[string]any{"scope": "contact.read"})
		w.works(t, again.get("access_token"))
		w.tokens(t, c, "scope", "contact.read")
		narrower := w.refresh(t, c, again.get("refresh_token"))
		if narrower.status != 200 || narrower.get("scope") != "contact.read" {
			t.Errorf("after it asked for less: %d %s", narrower.status, narrower.text)
		}

		revoked := w.post(t, "/oauth/revoke", c.form("token", narrower.get("refresh_token")))
		if revoked.status != 200 {
			t.Errorf("revoke: %d %s", revoked.status, revoked.text)
		}
		w.refused(t, narrower.get("access_token"))
		if a := w.registration(t, http.MethodGet, c.id, "", nil); a.status != 401 && a.status != 404 {
			t.Errorf("its registration can be read: %d %s", a.status, a.text)
		}
	})
}

func TestDocumentsThatAreRefused(t *testing.T) {
	site := newPublisher(t)
	w := newWorld(t, newServer(t, engines[0], databaseURL(t, engines[0]))).fetching(true)
	refused := func(rule, id, says string) {
		t.Helper()
		_, err := w.authorization(asked(client{id: id}, challengeOf(newVerifier())).Encode())
		var page oauth.ErrOnPage
		if !errors.As(err, &page) || !strings.Contains(page.Reason, says) {
			t.Errorf("%s: %v, want %q on a page", rule, err, says)
		}
	}
	for rule, c := range map[string]struct {
		changes map[string]any
		says    string
	}{
		"of another client":      {map[string]any{"client_id": site.url + "/other.json"}, "of another client"},
		"with a secret":          {map[string]any{"client_secret": "x"}, "secret"},
		"that wants a secret":    {map[string]any{"token_endpoint_auth_method": "client_secret_basic"}, "none"},
		"that wants a key":       {map[string]any{"token_endpoint_auth_method": "private_key_jwt"}, "none"},
		"without an address":     {map[string]any{"redirect_uris": []string{}}, "redirect_uris"},
		"with a bad address":     {map[string]any{"redirect_uris": []string{"http://elsewhere.example/cb"}}, "redirect address"},
		"with a misleading name": {map[string]any{"client_name": "kith\u202e"}, "client_name"},
		"with a wrong type":      {map[string]any{"redirect_uris": "x"}, "JSON object"},
		"without a code":         {map[string]any{"grant_types": []string{"client_credentials"}}, "authorization_code"},
		"too large":              {map[string]any{"more": strings.Repeat("x", 17<<10)}, "more than"},
	} {
		id := "/" + strings.ReplaceAll(rule, " ", "-")
		site.publish(t, id, c.changes)
		refused(rule, site.url+id, c.says)
	}
	site.answer("text/html", "{}")
	refused("of another kind", site.url+"/html", "application/json")
	for path, status := range map[string]int{"/missing": 404, "/moved": 302, "/broken": 500} {
		answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/client.json", status) })
		site.serve.Store(&answer)
		refused(path, site.url+path, "status")
	}

	before := site.asked.Load()
	host := strings.TrimPrefix(site.url, "http://")
	for _, id := range []string{
		site.url, site.url + "/", site.url + "/a/../client.json", site.url + "/./client.json", site.url + "/client.json#x",
		site.url + "/client.json?x=1", "http://user@" + host + "/client.json",
		"HTTP://" + host + "/client.json", "http://elsewhere.example/client.json", "https://", "https:///client.json",
		"https://EVIL.example/client.json", "http://" + host + "//client.json", site.url + "/" + strings.Repeat("x", 256),
		site.url + "/%zz",
	} {
		if oauth.IsDocument(id) {
			refused(id, id, "cannot be one")
		} else {
			w.onPage(t, asked(client{id: id}, challengeOf(newVerifier())).Encode())
		}
	}
	if asked := site.asked.Load(); asked != before {
		t.Errorf("%d of them were asked for", asked-before)
	}

	// Unless the operator allows it, nothing on the own machine or network is connected to, whatever leads there.
	w = w.fetching(false)
	for _, id := range []string{
		"https://" + host + "/client.json", "https://127.0.0.1:1/client.json", "https://[::1]:1/x",
		"https://169.254.169.254/latest", "https://10.0.0.1/x",
	} {
		refused(id, id, "private network")
	}
	refused("http", site.url+"/client.json", "cannot be one")

	// From one network there are only so many.
	w = w.fetching(true)
	w.grants.Address = func(*http.Request) string { return "192.0.2.7" }
	site.answer("text/html", "{}")
	before = site.asked.Load()
	for i := range 70 {
		_, _ = w.authorization(asked(client{id: site.url + "/" + strings.Repeat("y", i+1)}, challengeOf(newVerifier())).Encode())
	}
	if asked := site.asked.Load() - before; asked < 60 || asked > 62 {
		t.Errorf("%d were fetched of 60", asked)
	}
	refused("too many", site.url+"/z", "Too many")
}
