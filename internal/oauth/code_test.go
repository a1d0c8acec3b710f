package oauth_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/oauth"
)

func TestCodeIsExchangedForTokens(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		code, verifier := w.code(t, c)
		a := w.redeem(t, c, code, verifier)
		if a.status != 200 || a.get("token_type") != "Bearer" || a.json["expires_in"] != 3600.0 ||
			a.get("scope") != "contact.read contact.write" {
			t.Fatalf("%d %s", a.status, a.text)
		}
		if !strings.HasPrefix(a.get("access_token"), "kith_at_") || !strings.HasPrefix(a.get("refresh_token"), "kith_rt_") {
			t.Errorf("tokens without prefix: %s", a.text)
		}
		w.works(t, a.get("access_token"))
		if got := w.api(t, a.get("access_token"), "POST /contacts", `{"first_name":"Ada"}`); got.status != 201 ||
			got.get("owner_id") != userID(w.users["member"]) {
			t.Errorf("the app does not act as the user: %d %s", got.status, got.text)
		}
		if got := w.api(t, a.get("access_token"), "POST /deals/search", `{}`); got.status != 403 ||
			got.get("code") != "insufficient_scope" {
			t.Errorf("the app may do more than was granted: %d %s", got.status, got.text)
		}
	})
}

func TestCodeReplayEndsTheGrant(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		code, verifier := w.code(t, c)
		first := w.redeem(t, c, code, verifier)
		w.works(t, first.get("access_token"))
		fails(t, w.redeem(t, c, code, verifier), 400, "invalid_grant")
		w.refused(t, first.get("access_token"))
		fails(t, w.refresh(t, c, first.get("refresh_token")), 400, "invalid_grant")
		fails(t, w.redeem(t, c, code, verifier), 400, "invalid_grant")
	})
}

func TestCodeReplayAfterARefreshEndsTheGrant(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		code, verifier := w.code(t, c)
		first := w.redeem(t, c, code, verifier)
		second := w.refresh(t, c, first.get("refresh_token"))
		fails(t, w.redeem(t, c, code, verifier), 400, "invalid_grant")
		w.refused(t, second.get("access_token"))
		fails(t, w.refresh(t, c, second.get("refresh_token")), 400, "invalid_grant")
	})
}

func TestCodeOfAnotherClient(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		mine, other := w.register(t, nil), w.register(t, map[string]any{"token_endpoint_auth_method": "client_secret_post"})
		code, verifier := w.code(t, mine)
		fails(t, w.redeem(t, other, code, verifier), 400, "invalid_grant")
		// A stranger must not be able to burn it either.
		if a := w.redeem(t, mine, code, verifier); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.text)
		}
	})
}

func TestCodeBurnsWithAWrongVerifier(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for name, wrong := range map[string]func(verifier string) string{
			"wrong":              func(string) string { return newVerifier() },
			"missing":            func(string) string { return "" },
			"the challenge":      challengeOf,
			"one character less": func(v string) string { return v[:len(v)-1] },
			"one more":           func(v string) string { return v + "a" },
			"other case":         strings.ToLower,
		} {
			t.Run(name, func(t *testing.T) {
				c := w.register(t, nil)
				code, verifier := w.code(t, c)
				fails(t, w.redeem(t, c, code, wrong(verifier)), 400, "invalid_grant")
				fails(t, w.redeem(t, c, code, verifier), 400, "invalid_grant")
			})
		}
	})
}

// A verifier must have from 43 to 128 characters of a set, even where its hash is right.
func TestVerifierOfWrongForm(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for name, verifier := range map[string]string{
			"short": strings.Repeat("a", 42), "long": strings.Repeat("a", 129),
			"other characters": strings.Repeat("a", 42) + "+",
		} {
			t.Run(name, func(t *testing.T) {
				c := w.register(t, nil)
				code := w.approve(t, "member", asked(c, challengeOf(verifier))).Get("code")
				fails(t, w.redeem(t, c, code, verifier), 400, "invalid_grant")
			})
		}
		for _, verifier := range []string{strings.Repeat("a", 43), strings.Repeat("~", 128)} {
			c := w.register(t, nil)
			code := w.approve(t, "member", asked(c, challengeOf(verifier))).Get("code")
			if a := w.redeem(t, c, code, verifier); a.status != 200 {
				t.Errorf("%d characters: %d %s", len(verifier), a.status, a.text)
			}
		}
	})
}

// sentBack holds a refused request to an error that goes to the app, with state and issuer.
func (w *world) sentBack(t *testing.T, q url.Values, code string) {
	t.Helper()
	_, err := w.authorization(q.Encode())
	var back oauth.ErrRedirect
	if !errors.As(err, &back) {
		t.Errorf("%s: got %v, want %s in a redirect", q.Encode(), err, code)
		return
	}
	u, err := url.Parse(back.To)
	if err != nil {
		t.Fatal(err)
	}
	got := u.Query()
	if to := u.Scheme + "://" + u.Host + u.Path; to != redirect {
		t.Errorf("the error goes to %s", back.To)
	}
	if got.Get("error") != code || got.Has("code") {
		t.Errorf("%s: got %s, want %s", q.Encode(), back.To, code)
	}
	if got.Get("iss") != w.url {
		t.Errorf("iss is %q on an error, want %q", got.Get("iss"), w.url)
	}
	if got.Get("state") != q.Get("state") {
		t.Errorf("state is %q on an error, want %q", got.Get("state"), q.Get("state"))
	}
}

func TestDowngradeToPlain(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, c := range []client{w.register(t, nil), w.register(t, map[string]any{"token_endpoint_auth_method": "client_secret_basic"})} {
			for _, method := range []string{"plain", "s256", "S512", "", " S256", "S256 plain"} {
				w.sentBack(t, asked(c, challengeOf(newVerifier()), "code_challenge_method", method), "invalid_request")
			}
		}
	})
}

// A verifier that is sent where there was no challenge must not help; there is no code without a challenge at all.
func TestChallengeIsRequired(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, c := range []client{w.register(t, nil), w.register(t, map[string]any{"token_endpoint_auth_method": "client_secret_basic"})} {
			w.sentBack(t, asked(c, ""), "invalid_request")
			w.sentBack(t, asked(c, "", "code_challenge_method", ""), "invalid_request")
		}
	})
}

func TestChallengeOfWrongLength(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		right := challengeOf(newVerifier())
		for _, challenge := range []string{
			right[:42], right + "A", right + "=", strings.Repeat("A", 128), "=", "a b", strings.Repeat("+", 43), right[:42] + "!",
			base64.RawURLEncoding.EncodeToString(make([]byte, 31)), base64.RawURLEncoding.EncodeToString(make([]byte, 33)),
			right[:42] + "_",
		} {
			if challenge == right {
				continue
			}
			q := asked(c, right)
			q.Set("code_challenge", challenge)
			// The last character of 43 carries only four bits, so some texts of the right length are no hash either.
			if raw, err := base64.RawURLEncoding.Strict().DecodeString(challenge); err == nil && len(raw) == 32 {
				continue
			}
			w.sentBack(t, q, "invalid_request")
		}
	})
}

func TestCodeWithAnotherRedirect(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, map[string]any{"redirect_uris": []string{redirect, "https://app.example/other"}})
		for _, uri := range []string{"https://app.example/other", redirect + "/", "https://evil.example/cb", ""} {
			code, verifier := w.code(t, c)
			form := c.form("grant_type", "authorization_code", "code", code, "code_verifier", verifier)
			form.Set("redirect_uri", uri)
			fails(t, w.post(t, "/oauth/token", form), 400, "invalid_grant")
			fails(t, w.redeem(t, c, code, verifier), 400, "invalid_grant")
		}
		code, verifier := w.code(t, c)
		if a := w.post(t, "/oauth/token", c.form("grant_type", "authorization_code", "code", code, "code_verifier",
			verifier)); a.status != 200 {
			t.Errorf("it may be left out: %d %s", a.status, a.text)
		}
	})
}

func TestExpiredCode(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		code, verifier := w.code(t, c)
		w.expire(t, code)
		fails(t, w.redeem(t, c, code, verifier), 400, "invalid_grant")
	})
}

func TestCodeLivesAMinute(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		code, verifier := w.code(t, c)
		w.age(t, "credential", "expires_at", "hash", hashOf(code), 61*time.Second)
		fails(t, w.redeem(t, c, code, verifier), 400, "invalid_grant")
	})
}

// Secrets of one kind are worth nothing in the place of another.
func TestSecretsOfAnotherKind(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		access, refresh := w.tokens(t, c)
		code, verifier := w.code(t, c)
		_, _, cookie := w.login(t, "member")
		pat := w.mint(t, "member")
		for _, secret := range []string{access, refresh, cookie, pat} {
			fails(t, w.redeem(t, c, secret, verifier), 400, "invalid_grant")
		}
		for _, secret := range []string{access, code, cookie, pat} {
			fails(t, w.refresh(t, c, secret), 400, "invalid_grant")
		}
		for _, secret := range []string{refresh, code, cookie, c.registration} {
			w.refused(t, secret)
		}
		for _, secret := range []string{access, refresh, code, pat} {
			if _, _, err := w.auth.Session(t.Context(), secret); err == nil {
				t.Errorf("%.9s… logs in", secret)
			}
		}
	})
}

// The issuer is in every answer, so that a client that talks to several servers knows which one answered.
func TestMixedUpIssuer(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, map[string]any{"redirect_uris": []string{redirect + "?iss=https://evil.example&code=stolen&keep=1"}})
		q := asked(c, challengeOf(newVerifier()), "redirect_uri", redirect+"?iss=https://evil.example&code=stolen&keep=1")
		got := w.approve(t, "member", q)
		if len(got["iss"]) != 1 || got.Get("iss") != w.url || len(got["code"]) != 1 || got.Get("code") == "stolen" ||
			got.Get("keep") != "1" || got.Get("state") != "st&te=1" {
			t.Errorf("the answer has %v", got)
		}
		a, err := w.authorization(q.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if got := queryOf(t, a.Deny()); got.Get("iss") != w.url || got.Get("error") != "access_denied" || got.Get("state") != "st&te=1" {
			t.Errorf("a refusal has %v", got)
		}
		res := w.send(t, mustRequest(t, http.MethodGet, w.url+"/.well-known/oauth-authorization-server"))
		if res.get("issuer") != w.url || res.json["authorization_response_iss_parameter_supported"] != true {
			t.Errorf("the metadata has %s", res.text)
		}
	})
}

func mustRequest(t *testing.T, method, address string) *http.Request {
	t.Helper()
	req, err := http.NewRequest(method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}
