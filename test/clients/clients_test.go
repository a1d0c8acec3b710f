// Package clients_test proves kith's authorization server with OAuth clients that others wrote: here golang.org/x/oauth2, beside it
// those from npm. It is a module of its own, so that kith itself depends on none of them. scripts/client-test runs it all.
package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/kith-crm/kith/client"
)

const callback = "http://127.0.0.1:43210/callback"

func variable(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatal(name + " is not set: run scripts/client-test")
	}
	return value
}

// endpoint finds the server's addresses the way a client does that knows only the base URL.
func endpoint(t *testing.T) (e oauth2.Endpoint, registration, revocation string) {
	t.Helper()
	res, err := http.Get(variable(t, "KITH_TEST_URL") + "/v1/me")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	found := regexp.MustCompile(`resource_metadata="([^"]+)"`).FindStringSubmatch(res.Header.Get("WWW-Authenticate"))
	if res.StatusCode != http.StatusUnauthorized || found == nil {
		t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	var resource struct {
		Servers []string `json:"authorization_servers"`
	}
	read(t, found[1], &resource)
	var server struct {
		Authorization string `json:"authorization_endpoint"`
		Token         string `json:"token_endpoint"`
		Registration  string `json:"registration_endpoint"`
		Revocation    string `json:"revocation_endpoint"`
	}
	read(t, resource.Servers[0]+"/.well-known/oauth-authorization-server", &server)
	return oauth2.Endpoint{AuthURL: server.Authorization, TokenURL: server.Token}, server.Registration, server.Revocation
}

func read(t *testing.T, address string, into any) {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, res, into)
}

func decode(t *testing.T, res *http.Response, into any) {
	t.Helper()
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		t.Fatalf("%d %s %v", res.StatusCode, text, err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// register registers a client, since x/oauth2 does not do that.
func register(t *testing.T, address, method string) (id, secret string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"client_name": "x/oauth2 (" + method + ")", "redirect_uris": []string{callback},
		"grant_types": []string{"authorization_code", "refresh_token"}, "token_endpoint_auth_method": method,
	})
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(address, "application/json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var client struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	decode(t, res, &client)
	return client.ID, client.Secret
}

var (
	forms  = regexp.MustCompile(`(?s)<form\b[^>]*\saction="([^"]*)".*?</form>`)
	inputs = regexp.MustCompile(`<input\b[^>]*>`)
)

func attribute(tag, name string) string {
	found := regexp.MustCompile(`\s` + name + `="([^"]*)"`).FindStringSubmatch(tag)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// answer is a person who opens the address that an app sends them to, logs in and allows it. It gives what the app is sent.
func answer(t *testing.T, address string) url.Values {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	var back *url.URL
	browser := &http.Client{Jar: jar, CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(next.URL.String(), callback) {
			back = next.URL
			return http.ErrUseLastResponse
		}
		return nil
	}}
	res, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	res = fill(t, browser, res, "/login", url.Values{
		"email":    {variable(t, "KITH_TEST_EMAIL")},
		"password": {variable(t, "KITH_TEST_PASSWORD")},
	})
	res = fill(t, browser, res, "/oauth/authorize", url.Values{"answer": {"allow"}})
	res.Body.Close()
	if back == nil {
		t.Fatalf("the person ends up at %s with %d", res.Request.URL, res.StatusCode)
	}
	return back.Query()
}

// fill sends the form of a page that goes to an address, as it stands with some answers filled in.
func fill(t *testing.T, browser *http.Client, page *http.Response, to string, answers url.Values) *http.Response {
	t.Helper()
	defer page.Body.Close()
	text, err := io.ReadAll(page.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range forms.FindAllStringSubmatch(string(text), -1) {
		action := html.UnescapeString(form[1])
		if !strings.HasPrefix(action, to) {
			continue
		}
		values := url.Values{}
		for _, tag := range inputs.FindAllString(form[0], -1) {
			if kind := attribute(tag, "type"); kind == "hidden" || kind == "checkbox" && strings.Contains(tag, " checked") {
				values.Add(attribute(tag, "name"), attribute(tag, "value"))
			}
		}
		for name, value := range answers {
			values[name] = value
		}
		address, err := page.Request.URL.Parse(action)
		if err != nil {
			t.Fatal(err)
		}
		res, err := browser.PostForm(address.String(), values)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	t.Fatalf("no form to %s on %s: %d %s", to, page.Request.URL, page.StatusCode, text)
	return nil
}

// me calls the API with a client that adds its token.
func me(t *testing.T, client *http.Client) (status int, scopes []string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, variable(t, "KITH_TEST_URL")+"/v1/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Version", "v1")
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var body struct {
		Scopes []string `json:"scopes"`
	}
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, body.Scopes
}

func TestAuthorizationCodeWithPKCE(t *testing.T) {
	for _, method := range []string{"none", "client_secret_basic", "client_secret_post"} {
		t.Run(method, func(t *testing.T) {
			ctx := context.Background()
			server, registration, revocation := endpoint(t)
			id, secret := register(t, registration, method)
			config := &oauth2.Config{
				ClientID: id, ClientSecret: secret, Endpoint: server, RedirectURL: callback,
				Scopes: []string{"contact.read", "deal.all"},
			}
			verifier := oauth2.GenerateVerifier()
			got := answer(t, config.AuthCodeURL("the state", oauth2.S256ChallengeOption(verifier)))
			if got.Get("state") != "the state" || got.Get("iss") != variable(t, "KITH_TEST_URL") {
				t.Fatalf("the answer is %v", got)
			}
			token, err := config.Exchange(ctx, got.Get("code"), oauth2.VerifierOption(verifier))
			if err != nil {
				t.Fatal(err)
			}
			if status, scopes := me(t, config.Client(ctx, token)); status != 200 || strings.Join(scopes, " ") != "contact.read deal.all" {
				t.Errorf("%d %v", status, scopes)
			}
			// A token that has expired is refreshed by the client itself.
			old := *token
			old.Expiry = time.Now().Add(-time.Minute)
			fresh, err := config.TokenSource(ctx, &old).Token()
			if err != nil || fresh.AccessToken == token.AccessToken || fresh.RefreshToken == token.RefreshToken {
				t.Fatalf("%v %v", fresh, err)
			}
			if status, _ := me(t, config.Client(ctx, fresh)); status != 200 {
				t.Errorf("%d", status)
			}
			form := url.Values{"client_id": {id}, "token": {fresh.RefreshToken}}
			if secret != "" {
				form.Set("client_secret", secret)
			}
			res, err := http.PostForm(revocation, form)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != 200 {
				t.Fatalf("%d", res.StatusCode)
			}
			if status, _ := me(t, oauth2.NewClient(ctx, oauth2.StaticTokenSource(fresh))); status != 401 {
				t.Errorf("the token is good after it was revoked: %d", status)
			}
		})
	}
}

func TestClientCredentials(t *testing.T) {
	server, _, _ := endpoint(t)
	for name, style := range map[string]oauth2.AuthStyle{
		"by itself":     oauth2.AuthStyleAutoDetect,
		"in the header": oauth2.AuthStyleInHeader, "in the form": oauth2.AuthStyleInParams,
	} {
		t.Run(name, func(t *testing.T) {
			config := clientcredentials.Config{
				ClientID:     variable(t, "KITH_TEST_CLIENT_ID"),
				ClientSecret: variable(t, "KITH_TEST_CLIENT_SECRET"), TokenURL: server.TokenURL, Scopes: []string{"contact.read"},
				AuthStyle: style,
			}
			if status, scopes := me(t, config.Client(context.Background())); status != 200 || strings.Join(scopes, " ") != "contact.read" {
				t.Errorf("%d %v", status, scopes)
			}
			config.Scopes = []string{"user.all"}
			if _, err := config.Token(context.Background()); err == nil || !strings.Contains(err.Error(), "invalid_scope") {
				t.Errorf("a scope that the app lacks: %v", err)
			}
		})
	}
}

// The tokens of an app go into our own client as they come.
func TestOurClientTakesTheTokensOfAnApp(t *testing.T) {
	server, _, _ := endpoint(t)
	config := clientcredentials.Config{
		ClientID: variable(t, "KITH_TEST_CLIENT_ID"), ClientSecret: variable(t, "KITH_TEST_CLIENT_SECRET"),
		TokenURL: server.TokenURL, Scopes: []string{"contact.read"},
	}
	kith, err := client.New(variable(t, "KITH_TEST_URL"), client.OAuth(config.TokenSource(t.Context())))
	if err != nil {
		t.Fatal(err)
	}
	me, err := kith.Me(t.Context())
	if err != nil || strings.Join(me.Scopes, " ") != "contact.read" {
		t.Errorf("%+v, %v", me, err)
	}
	if _, err := kith.Contacts.Create(t.Context(), client.ContactInput{Name: client.Set("Nobody")}); !errors.Is(err,
		client.ErrInsufficientScope) {
		t.Errorf("a token that may only read makes a contact: %v", err)
	}
	config.ClientSecret += "x"
	kith, err = client.New(variable(t, "KITH_TEST_URL"), client.OAuth(config.TokenSource(t.Context())))
	if err != nil {
		t.Fatal(err)
	}
	var refused *oauth2.RetrieveError
	if _, err := kith.Me(t.Context()); !errors.As(err, &refused) || refused.ErrorCode != "invalid_client" {
		t.Errorf("a wrong secret: %v", err)
	}
}
