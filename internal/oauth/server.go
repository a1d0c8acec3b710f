package oauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/metrics"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// How long tokens live.
const (
	accessLife  = time.Hour
	refreshLife = 30 * 24 * time.Hour
)

// Server is the authorization server's endpoints for programs; the pages for people are in package web.
type Server struct {
	auth   *Authenticator
	engine *record.Engine
	store  *store.Store
	log    *slog.Logger

	registrations *shared
	documents     *documents
	// Address tells where a request comes from, for throttling.
	Address func(*http.Request) string
	// Metrics counts the requests; nil counts none.
	Metrics *metrics.Requests
}

// NewServer makes the endpoints.
func NewServer(engine *record.Engine, auth *Authenticator, log *slog.Logger) *Server {
	return &Server{
		auth: auth, engine: engine, store: engine.Store(), log: log,
		registrations: newShared("registration", 20, time.Hour, engine.Store(), log),
		documents:     newDocuments(newShared("document", 60, time.Hour, engine.Store(), log)), Address: RemoteAddress,
	}
}

// Routes adds the endpoints to a mux.
func (s *Server) Routes(mux *http.ServeMux) {
	for path, methods := range map[string]map[string]http.HandlerFunc{
		"/oauth/token":                              {"POST": s.form(s.token)},
		"/oauth/revoke":                             {"POST": s.form(s.revoke)},
		"/oauth/introspect":                         {"POST": s.form(s.introspect)},
		"/oauth/register":                           {"POST": s.register},
		"/oauth/register/{client_id}":               {"GET": s.registration, "PUT": s.registration, "DELETE": s.registration},
		"/.well-known/oauth-authorization-server":   {"GET": s.serverMetadata},
		"/.well-known/oauth-protected-resource":     {"GET": s.resourceMetadata(resources[0])},
		"/.well-known/oauth-protected-resource/v1":  {"GET": s.resourceMetadata(resources[0])},
		"/.well-known/oauth-protected-resource/mcp": {"GET": s.resourceMetadata(resources[1])},
	} {
		mux.HandleFunc(path, s.logged(byMethod(methods, path != "/oauth/introspect")))
	}
}

// byMethod answers each method, HEAD as GET, and the browser's question which there are. To any other it says which it takes.
// Apps that run in a browser may call what is open from any site: nothing here goes by cookies. Introspection is not, because it is for
// those who can keep a secret.
func byMethod(methods map[string]http.HandlerFunc, open bool) http.HandlerFunc {
	if get := methods["GET"]; get != nil {
		methods["HEAD"] = get
	}
	methods["OPTIONS"] = nil
	allowed := strings.Join(slices.Sorted(maps.Keys(methods)), ", ")
	methods["OPTIONS"] = func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Allow", allowed)
		if open && r.Header.Get("Access-Control-Request-Method") != "" {
			header.Set("Access-Control-Allow-Methods", allowed)
			header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, MCP-Protocol-Version")
			header.Set("Access-Control-Max-Age", "7200")
		}
		w.WriteHeader(http.StatusNoContent)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if open {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.Header().Set("Access-Control-Expose-Headers", "Allow, Retry-After, WWW-Authenticate, X-Request-Id")
		}
		if answer := methods[r.Method]; answer != nil {
			answer(w, r)
			return
		}
		w.Header().Set("Allow", allowed)
		protocol(http.StatusMethodNotAllowed, "invalid_request", "this address takes "+allowed).write(w, r)
	}
}

// requestID is the key under which a request knows its number.
type requestID struct{}

// asking is what a request is known by.
type asking struct{ number, address string }

// Numbered lets what is logged on behalf of a request name its number, and where it came from.
func Numbered(ctx context.Context, id, address string) context.Context {
	return context.WithValue(ctx, requestID{}, asking{id, address})
}

// from completes who acts by the request that they act in.
func from(ctx context.Context, a store.Actor) store.Actor {
	r, _ := ctx.Value(requestID{}).(asking)
	a.RequestID, a.Address = r.number, brief(r.address)
	return a
}

func requestNumber(ctx context.Context) string {
	r, _ := ctx.Value(requestID{}).(asking)
	return r.number
}

// protocolError is an error in the form of RFC 6749, 5.2.
type protocolError struct {
	status            int
	code, description string
}

func protocol(status int, code, description string) *protocolError {
	return &protocolError{status, code, description}
}

// internal answers what is not the caller's fault: where the database does not answer in time, that it is worth another try.
func (s *Server) internal(r *http.Request, err error) *protocolError {
	switch p := problem.As(err); {
	case p != nil && p.Code == problem.Timeout:
		return protocol(http.StatusServiceUnavailable, "temporarily_unavailable", "too much else is going on; try again in a moment")
	case p != nil && p.Code == problem.DatabaseUnavailable:
		s.log.Error("database", "request_id", requestNumber(r.Context()), "path", r.URL.Path, "error", err)
		return protocol(http.StatusServiceUnavailable, "temporarily_unavailable", "the database is not available; try again in a moment")
	}
	s.log.Error("internal", "request_id", requestNumber(r.Context()), "path", r.URL.Path, "error", err)
	return protocol(http.StatusInternalServerError, "server_error", "something went wrong on our side")
}

func answerJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Pragma", "no-cache")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func (e *protocolError) write(w http.ResponseWriter, r *http.Request) {
	if e.status == http.StatusUnauthorized && r.Header.Get("Authorization") != "" {
		w.Header().Set("WWW-Authenticate", `Basic realm="kith"`)
	}
	if e.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "2")
	}
	answerJSON(w, e.status, map[string]string{"error": e.code, "error_description": e.description})
}

// form reads the form of a request and answers with what the endpoint returns. Parameters must not repeat (RFC 6749, 3.2).
func (s *Server) form(endpoint func(*http.Request) (any, *protocolError)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
		media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || media != "application/x-www-form-urlencoded" || r.ParseForm() != nil {
			protocol(http.StatusBadRequest, "invalid_request", "the request must be a form (application/x-www-form-urlencoded)").write(w, r)
			return
		}
		if field, ok := CheckForm(r.Form, mostParameter); !ok {
			protocol(http.StatusBadRequest, "invalid_request", printable(field)+" has control characters or is too long").write(w, r)
			return
		}
		for name, values := range r.PostForm {
			if len(values) > 1 && name != "resource" {
				protocol(http.StatusBadRequest, "invalid_request", printable(name)+" is given more than once").write(w, r)
				return
			}
		}
		answer, failed := endpoint(r)
		if failed != nil {
			failed.write(w, r)
			return
		}
		answerJSON(w, http.StatusOK, answer)
	}
}

// tokens is the answer of the token endpoint.
type tokens struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"`
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope"`
}

func (s *Server) token(r *http.Request) (any, *protocolError) {
	client, failed := s.authenticate(r)
	if failed != nil {
		return nil, failed
	}
	grantType := r.PostForm.Get("grant_type")
	if !slices.Contains(account.GrantTypes, grantType) {
		return nil, protocol(http.StatusBadRequest, "unsupported_grant_type",
			"grant_type must be one of "+strings.Join(account.GrantTypes, ", "))
	}
	if !client.grants(grantType) {
		return nil, protocol(http.StatusBadRequest, "unauthorized_client", "the client may not use "+grantType)
	}
	for _, resource := range r.PostForm["resource"] {
		if !isResource(s.auth.Origin(r), resource) {
			return nil, protocol(http.StatusBadRequest, "invalid_target", theResources(s.auth.Origin(r)))
		}
	}
	var answer any
	switch grantType {
	case "authorization_code":
		answer, failed = s.redeem(r, client)
	case "refresh_token":
		answer, failed = s.refresh(r, client)
	default:
		answer, failed = s.clientCredentials(r, client)
	}
	if failed != nil {
		return nil, failed
	}
	// What a client asks in vain is no use of it: it would never be forgotten.
	if err := s.used(r.Context(), client); err != nil {
		return nil, s.internal(r, err)
	}
	return answer, nil
}

var errGrant = protocol(http.StatusBadRequest, "invalid_grant", "the code or refresh token is unknown, expired, used or not this client's")

// find looks up the secret that a client presents, of a kind and issued to this client.
func (s *Server) find(r *http.Request, client *Client, kind, secret string) (*keep.Credential, codeData, *protocolError) {
	var data codeData
	if !record.WellFormed(kind, secret) {
		return nil, data, errGrant
	}
	cred, err := keep.FindCredential(r.Context(), s.store, record.Presented(secret))
	if errors.Is(err, store.ErrNotFound) {
		return nil, data, errGrant
	}
	if err == nil {
		err = json.Unmarshal([]byte(cred.Data), &data)
	}
	if err != nil {
		return nil, data, s.internal(r, err)
	}
	if cred.Kind != kind || data.ClientID != client.ID {
		return nil, data, errGrant
	}
	traceOf(r).acts(cred.Tenant, cred.User)
	return cred, data, nil
}

var verifierForm = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// redeem turns a code into tokens. Any attempt burns the code, even with a wrong verifier; a code that comes twice ends the grant.
func (s *Server) redeem(r *http.Request, client *Client) (any, *protocolError) {
	cred, data, failed := s.find(r, client, record.AuthCode, r.PostForm.Get("code"))
	if failed != nil {
		return nil, failed
	}
	verifier := r.PostForm.Get("code_verifier")
	sum := sha256.Sum256([]byte(verifier))
	right := verifierForm.MatchString(verifier) &&
		subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(data.Challenge)) == 1
	if uri := r.PostForm.Get("redirect_uri"); r.PostForm.Has("redirect_uri") && uri != data.Redirect {
		right = false
	}
	// Between the consent and now the client may have lost the address that the code was sent to, or some of what was granted.
	_, known := client.RedirectTo(data.Redirect)
	scopes := client.within(cred.Scopes)
	return s.rotate(r, client, cred, r.PostForm.Get("code"), scopes, right && known && len(scopes) > 0 && time.Now().Before(cred.ExpiresAt))
}

// refresh turns a refresh token into new tokens, of the same or narrower scope.
func (s *Server) refresh(r *http.Request, client *Client) (any, *protocolError) {
	cred, _, failed := s.find(r, client, record.RefreshToken, r.PostForm.Get("refresh_token"))
	if failed != nil {
		return nil, failed
	}
	// The client may have less by now than when the user granted it.
	scopes := client.within(cred.Scopes)
	if asked := strings.Fields(r.PostForm.Get("scope")); len(asked) > 0 {
		for _, scope := range asked {
			if !record.Covers(cred.Scopes, scope) || !client.May(scope) || !slices.Contains(record.Scopes(), scope) {
				return nil, protocol(http.StatusBadRequest, "invalid_scope", printable(scope)+" was not granted")
			}
		}
		scopes = asked
	}
	if !time.Now().Before(cred.ExpiresAt) || len(scopes) == 0 || !client.stands(cred) {
		return nil, errGrant
	}
	return s.rotate(r, client, cred, r.PostForm.Get("refresh_token"), scopes, true)
}

// rotate uses up a code or refresh token and issues new tokens of its grant. Of many who present the same secret one succeeds; to
// the others it is reuse, which ends the whole grant. That is committed although the answer is an error.
func (s *Server) rotate(r *http.Request, client *Client, cred *keep.Credential, secret string, scopes []string, right bool) (any,
	*protocolError,
) {
	var out *tokens
	err := cred.Tenant.Keep(r.Context(), from(r.Context(), client.actor(cred.User)), func(tx *store.Tx) error {
		out = nil
		if held, err := keep.HoldGrant(tx, cred.Parent); err != nil || !held {
			return err
		}
		first, err := keep.UseCredential(tx, record.HashSecret(secret))
		if err != nil {
			return err
		}
		if !first || !right {
			return endGrant(tx, cred.User, cred.Parent)
		}
		if u, err := account.Acting(tx.Peek(s.store.Registry().Resource("user"), cred.User)); u == nil {
			return err
		}
		out, err = s.issue(tx, client, cred, scopes)
		return err
	})
	if err != nil {
		return nil, s.internal(r, err)
	}
	if out == nil {
		return nil, errGrant
	}
	return out, nil
}

// issue mints an access token, and a refresh token that keeps all that was granted.
func (s *Server) issue(tx *store.Tx, client *Client, cred *keep.Credential, scopes []string) (*tokens, error) {
	data := written(codeData{ClientID: client.ID})
	access, hash := record.NewSecret(record.AccessToken, tx.ID())
	err := keep.PutCredential(tx, hash, keep.Credential{
		Kind: record.AccessToken, User: cred.User, Parent: cred.Parent, Scopes: scopes, ExpiresAt: tx.Now.Add(accessLife), Data: data,
	})
	if err != nil {
		return nil, err
	}
	out := &tokens{AccessToken: access, TokenType: "Bearer", ExpiresIn: int(accessLife.Seconds()), Scope: strings.Join(scopes, " ")}
	if !client.grants("refresh_token") || cred.Kind == "" {
		return out, nil
	}
	out.RefreshToken, hash = record.NewSecret(record.RefreshToken, tx.ID())
	return out, keep.PutCredential(tx, hash, keep.Credential{
		Kind: record.RefreshToken, User: cred.User, Parent: cred.Parent,
		Scopes: cred.Scopes, ExpiresAt: tx.Now.Add(refreshLife), Data: data,
	})
}

// clientCredentials gives the app of a business a token to act as the user chosen for it.
func (s *Server) clientCredentials(r *http.Request, client *Client) (any, *protocolError) {
	if client.Tenant == nil || client.ActsAs == (schema.UUID{}) {
		return nil, protocol(http.StatusBadRequest, "unauthorized_client", "only an app of a business can use client_credentials")
	}
	traceOf(r).acts(*client.Tenant, client.ActsAs)
	scopes := client.Scopes
	if asked := strings.Fields(r.PostForm.Get("scope")); len(asked) > 0 {
		for _, scope := range asked {
			if !slices.Contains(record.Scopes(), scope) || !client.May(scope) {
				return nil, protocol(http.StatusBadRequest, "invalid_scope", "the app does not have "+printable(scope))
			}
		}
		scopes = asked
	}
	var out *tokens
	err := client.Tenant.Keep(r.Context(), client.actor(client.ActsAs), func(tx *store.Tx) error {
		out = nil
		// Both are held, so that a token cannot be issued beside the deletion of the app or the suspension of the user and outlive it.
		if _, err := tx.Get(s.store.Registry().Resource("app"), client.App, false); err != nil {
			return ignoreAbsent(err)
		}
		u, err := account.Acting(tx.Get(s.store.Registry().Resource("user"), client.ActsAs, false))
		if u == nil {
			return err
		}
		out, err = s.issue(tx, client, &keep.Credential{User: client.ActsAs, Parent: client.App}, scopes)
		return err
	})
	if err != nil {
		return nil, s.internal(r, err)
	}
	if out == nil {
		return nil, protocol(http.StatusBadRequest, "invalid_grant", "the user that the app acts as is not active")
	}
	return out, nil
}

func ignoreAbsent(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// presented finds the token that a client wants to revoke or look into, if it is one of its own.
func (s *Server) presented(r *http.Request) (*Client, *keep.Credential, *protocolError) {
	client, failed := s.authenticate(r)
	if failed != nil {
		return nil, nil, failed
	}
	token := r.PostForm.Get("token")
	if token == "" {
		return nil, nil, protocol(http.StatusBadRequest, "invalid_request", "token is missing")
	}
	for _, kind := range []string{record.AccessToken, record.RefreshToken} {
		if cred, _, failed := s.find(r, client, kind, token); failed == nil {
			return client, cred, nil
		} else if failed.status >= http.StatusInternalServerError {
			return nil, nil, failed
		}
	}
	return client, nil, nil
}

// revoke ends a token (RFC 7009). Ending a refresh token ends the grant. A token that is not there is as good as revoked.
func (s *Server) revoke(r *http.Request) (any, *protocolError) {
	client, cred, failed := s.presented(r)
	if failed != nil || cred == nil {
		return struct{}{}, failed
	}
	err := cred.Tenant.Keep(r.Context(), from(r.Context(), client.actor(cred.User)), func(tx *store.Tx) error {
		if cred.Kind == record.RefreshToken {
			return endGrant(tx, cred.User, cred.Parent)
		}
		return keep.DropCredential(tx, record.HashSecret(r.PostForm.Get("token")))
	})
	if err != nil {
		return nil, s.internal(r, err)
	}
	return struct{}{}, nil
}

// introspect tells a client with a secret about a token of its own (RFC 7662).
func (s *Server) introspect(r *http.Request) (any, *protocolError) {
	client, cred, failed := s.presented(r)
	if failed != nil {
		return nil, failed
	}
	if client.AuthMethod == "none" {
		return nil, protocol(http.StatusUnauthorized, "invalid_client", "only a client with a secret can introspect")
	}
	inactive := map[string]any{"active": false}
	if cred == nil || !cred.UsedAt.IsZero() || !time.Now().Before(cred.ExpiresAt) || !client.stands(cred) {
		return inactive, nil
	}
	_, user, _, err := keep.Holder(r.Context(), s.store, record.Presented(r.PostForm.Get("token")))
	if errors.Is(err, store.ErrNotFound) {
		return inactive, nil
	}
	if err != nil {
		return nil, s.internal(r, err)
	}
	if account.Suspended(user) {
		return inactive, nil
	}
	origin := s.auth.Origin(r)
	kind := "Bearer"
	if cred.Kind == record.RefreshToken {
		kind = "refresh_token"
	}
	return map[string]any{
		"active": true, "scope": strings.Join(client.within(cred.Scopes), " "), "client_id": client.ID,
		"username": user.Text(account.Users.Email), "token_type": kind,
		"exp": cred.ExpiresAt.Unix(), "iat": cred.CreatedAt.Unix(), "sub": schema.FormatID("user", cred.User), "aud": addresses(origin),
		"iss": origin,
	}, nil
}

func (s *Server) serverMetadata(w http.ResponseWriter, r *http.Request) {
	origin := s.auth.Origin(r)
	methods := []string{"client_secret_basic", "client_secret_post", "none"}
	answerJSON(w, http.StatusOK, map[string]any{
		"issuer": origin, "authorization_endpoint": origin + "/oauth/authorize", "token_endpoint": origin + "/oauth/token",
		"registration_endpoint": origin + "/oauth/register", "revocation_endpoint": origin + "/oauth/revoke",
		"introspection_endpoint": origin + "/oauth/introspect",
		"scopes_supported":       record.Scopes(), "response_types_supported": []string{"code"},
		"response_modes_supported": []string{"query"},
		"grant_types_supported":    account.GrantTypes, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": methods, "revocation_endpoint_auth_methods_supported": methods,
		"introspection_endpoint_auth_methods_supported": methods[:2], "authorization_response_iss_parameter_supported": true,
		"protected_resources": addresses(origin), "client_id_metadata_document_supported": true,
	})
}

// usualScopes are those that an app does its work with. Clients that are not told what to ask for ask for all that the resource's metadata
// lists, so it leaves out what administers a business; the server's own metadata lists everything.
func usualScopes() []string {
	var usual []string
	for _, k := range record.Kinds() {
		for _, verb := range record.Verbs {
			if verb == record.Read || k.Access.Feature == "" {
				usual = append(usual, k.Name+"."+string(verb))
			}
		}
	}
	return usual
}

// resources are the paths of what tokens are for. They are two names of one resource server, and a token is good at both: what
// comes in at the second is asked of the first with the same token.
var resources = []string{"/v1", "/mcp"}

// addresses are the resources as clients name them.
func addresses(origin string) (all []string) {
	for _, path := range resources {
		all = append(all, origin+path)
	}
	return all
}

func isResource(origin, resource string) bool {
	return slices.Contains(addresses(origin), strings.TrimSuffix(resource, "/"))
}

// theResources is what a client is told that names another.
func theResources(origin string) string {
	return "the resources are " + strings.Join(addresses(origin), " and ")
}

func (s *Server) resourceMetadata(path string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		origin := s.auth.Origin(r)
		answerJSON(w, http.StatusOK, map[string]any{
			"resource": origin + path, "authorization_servers": []string{origin}, "scopes_supported": usualScopes(),
			"bearer_methods_supported": []string{"header"}, "resource_name": "kith",
		})
	}
}
