package testworld

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// Provider is an OpenID Connect provider on the own machine that logs everybody in at once, as Claims say. It signs real ID tokens,
// and holds clients to their secret, their redirect address and PKCE.
type Provider struct {
	*httptest.Server
	// Claims are what it says of who logs in; with Tamper, it lies. Elliptic signs with ES256 in place of RS256.
	Claims   map[string]any
	Tamper   func(claims map[string]any)
	Elliptic bool
	// Told is what it says when it is asked for more than is in the ID token.
	Told map[string]any
	// Lax lets a code be used again, and Forged signs with a key that is not the provider's.
	Lax, Forged bool

	mu    sync.Mutex
	asked map[string]url.Values
	rsa   *rsa.PrivateKey
	ec    *ecdsa.PrivateKey
}

// What the provider knows clients by.
const (
	ProviderClient = "kith at the provider"
	ProviderSecret = "s3cret:with/signs%"
)

// NewProvider starts one.
func NewProvider(tb testing.TB) *Provider {
	tb.Helper()
	p := &Provider{asked: map[string]url.Values{}}
	var err error
	if p.rsa, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		tb.Fatal(err)
	}
	if p.ec, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		tb.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		p.answer(w, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
			"jwks_uri": p.URL + "/keys", "userinfo_endpoint": p.URL + "/userinfo",
			"id_token_signing_alg_values_supported": []string{"RS256", "ES256"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		point, err := p.ec.PublicKey.Bytes()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		exponent := big.NewInt(int64(p.rsa.E)).Bytes()
		p.answer(w, map[string]any{"keys": []map[string]any{
			{"kty": "RSA", "kid": "RS256", "use": "sig", "alg": "RS256", "n": encode(p.rsa.N.Bytes()), "e": encode(exponent)},
			{"kty": "EC", "kid": "ES256", "use": "sig", "alg": "ES256", "crv": "P-256", "x": encode(point[1:33]), "y": encode(point[33:])},
		}})
	})
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, r *http.Request) {
		if p.Told == nil || !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
			http.Error(w, "nothing is told", http.StatusForbidden)
			return
		}
		p.answer(w, p.Told)
	})
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(mux)
	tb.Cleanup(p.Close)
	return p
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (p *Provider) answer(w http.ResponseWriter, doc any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(doc) // who asked may be gone
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != ProviderClient || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" ||
		q.Get("nonce") == "" || q.Get("state") == "" {
		http.Error(w, "not what a client asks", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.mu.Lock()
	p.asked[code] = q
	p.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusSeeOther)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	id, _ = url.QueryUnescape(id)
	secret, _ = url.QueryUnescape(secret)
	p.mu.Lock()
	asked := p.asked[r.FormValue("code")]
	if !p.Lax {
		delete(p.asked, r.FormValue("code"))
	}
	p.mu.Unlock()
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if id != ProviderClient || secret != ProviderSecret || asked == nil || asked.Get("redirect_uri") != r.FormValue("redirect_uri") ||
		asked.Get("code_challenge") != encode(challenge[:]) {
		w.WriteHeader(http.StatusBadRequest)
		p.answer(w, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{
		"iss": p.URL, "aud": ProviderClient, "sub": "someone", "nonce": asked.Get("nonce"), "iat": time.Now().Unix(),
		"exp": time.Now().Add(time.Hour).Unix(),
	}
	maps.Copy(claims, p.Claims)
	if p.Tamper != nil {
		p.Tamper(claims)
	}
	signed, err := p.sign(claims)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	p.answer(w, map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 60, "id_token": signed})
}

func (p *Provider) sign(claims map[string]any) (string, error) {
	algorithm := "RS256"
	if p.Elliptic {
		algorithm = "ES256"
	}
	head := fmt.Sprintf(`{"alg":%q,"kid":%[1]q,"typ":"JWT"}`, algorithm)
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	text := encode([]byte(head)) + "." + encode(body)
	sum := sha256.Sum256([]byte(text))
	var signature []byte
	switch {
	case p.Forged:
		signature = make([]byte, 256)
	case p.Elliptic:
		r, s, err := ecdsa.Sign(rand.Reader, p.ec, sum[:])
		if err != nil {
			return "", err
		}
		signature = append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	default:
		if signature, err = rsa.SignPKCS1v15(rand.Reader, p.rsa, crypto.SHA256, sum[:]); err != nil {
			return "", err
		}
	}
	return text + "." + encode(signature), nil
}
