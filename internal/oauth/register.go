package oauth

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/keep"
)

// mostUnused bounds how many clients can be registered and not used; beyond it registration waits for old ones to expire.
const mostUnused = 10_000

// mostMetadata bounds the bytes of a registration: 20 redirect addresses of 2,048 characters, and room for the rest.
const mostMetadata = 64 << 10

// metadata is what a client says of itself (RFC 7591).
type metadata struct {
	RedirectURIs            []string `json:"redirect_uris,omitempty"`
	TokenEndpointAuthMethod string   `json:"token_endpoint_auth_method"`
	GrantTypes              []string `json:"grant_types"`
	ResponseTypes           []string `json:"response_types"`
	ClientName              string   `json:"client_name,omitempty"`
	ClientURI               string   `json:"client_uri,omitempty"`
	LogoURI                 string   `json:"logo_uri,omitempty"`
	Scope                   string   `json:"scope,omitempty"`
	Contacts                []string `json:"contacts,omitempty"`
	TOSURI                  string   `json:"tos_uri,omitempty"`
	PolicyURI               string   `json:"policy_uri,omitempty"`
	SoftwareID              string   `json:"software_id,omitempty"`
	SoftwareVersion         string   `json:"software_version,omitempty"`
}

// registered is the answer to a registration.
type registered struct {
	ClientID              string `json:"client_id"`
	ClientIDIssuedAt      int64  `json:"client_id_issued_at"`
	ClientSecret          string `json:"client_secret,omitempty"`
	ClientSecretExpiresAt *int64 `json:"client_secret_expires_at,omitempty"`
	RegistrationToken     string `json:"registration_access_token,omitempty"`
	RegistrationURI       string `json:"registration_client_uri"`
	metadata
}

func invalidMetadata(description string) *protocolError {
	return protocol(http.StatusBadRequest, "invalid_client_metadata", description)
}

// readMetadata reads and checks what a client says of itself, and fills in the defaults. What we do not know is ignored, as the RFC asks.
func readMetadata(r *http.Request) (*metadata, *protocolError) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return nil, protocol(http.StatusBadRequest, "invalid_request", "the request must be JSON (application/json)")
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, mostMetadata+1))
	if err != nil {
		return nil, invalidMetadata("the body could not be read")
	}
	if len(text) > mostMetadata {
		return nil, invalidMetadata(fmt.Sprintf("the body must have at most %d bytes", mostMetadata))
	}
	m := &metadata{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, invalidMetadata(unreadable(err))
	}
	if m.TokenEndpointAuthMethod == "" {
		m.TokenEndpointAuthMethod = "client_secret_basic"
	}
	if len(m.GrantTypes) == 0 {
		m.GrantTypes = []string{"authorization_code"}
	}
	if len(m.ResponseTypes) == 0 {
		m.ResponseTypes = []string{"code"}
	}
	return m, m.check()
}

// unreadable says which member has a value of the wrong type, and what it should be.
func unreadable(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return "the body is not valid JSON"
	}
	for member := range reflect.TypeFor[metadata]().Fields() {
		name, _, _ := strings.Cut(member.Tag.Get("json"), ",")
		if name != wrong.Field {
			continue
		}
		if member.Type.Kind() == reflect.Slice {
			return name + " must be a list of strings"
		}
		return name + " must be a string"
	}
	return "the body must be a JSON object"
}

func (m *metadata) check() *protocolError {
	if !slices.Contains([]string{"none", "client_secret_basic", "client_secret_post"}, m.TokenEndpointAuthMethod) {
		return invalidMetadata("token_endpoint_auth_method must be none, client_secret_basic or client_secret_post")
	}
	for _, grant := range m.GrantTypes {
		if grant != "authorization_code" && grant != "refresh_token" {
			return invalidMetadata("grant_types can have authorization_code and refresh_token")
		}
	}
	if !slices.Contains(m.GrantTypes, "authorization_code") {
		return invalidMetadata("grant_types must have authorization_code")
	}
	if !slices.Equal(m.ResponseTypes, []string{"code"}) {
		return invalidMetadata("response_types can only have code")
	}
	if len(m.RedirectURIs) == 0 || len(m.RedirectURIs) > 20 {
		return protocol(http.StatusBadRequest, "invalid_redirect_uri", "give from 1 to 20 redirect_uris")
	}
	for _, uri := range m.RedirectURIs {
		wrong := account.CheckRedirect(uri)
		if len(uri) > 2048 {
			wrong = "must have at most 2048 characters"
		}
		if wrong != "" {
			return protocol(http.StatusBadRequest, "invalid_redirect_uri", "a redirect address "+wrong)
		}
	}
	for name, uri := range map[string]string{
		"client_uri": m.ClientURI, "logo_uri": m.LogoURI, "tos_uri": m.TOSURI, "policy_uri": m.PolicyURI,
	} {
		if u, err := url.Parse(uri); uri != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" ||
			len(uri) > 2048) {
			return invalidMetadata(name + " must be an http or https address")
		}
	}
	if len(m.ClientName) > 100 || strings.ContainsFunc(m.ClientName,
		func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
		return invalidMetadata("client_name must be one line of at most 100 bytes, without characters that nobody sees")
	}
	for name, text := range map[string]string{
		"software_id": m.SoftwareID, "software_version": m.SoftwareVersion, "contacts": strings.Join(m.Contacts, " "),
	} {
		if len(text) > 500 || strings.ContainsFunc(text, unicode.IsControl) {
			return invalidMetadata(name + " must be plain text of at most 500 bytes")
		}
	}
	for _, scope := range strings.Fields(m.Scope) {
		if !slices.Contains(record.Scopes(), scope) {
			return invalidMetadata("there is no scope " + printable(scope) + problem.DidYouMean(scope, record.Scopes()))
		}
	}
	return nil
}

// register takes a new client (RFC 7591). It is open to all, so it is throttled by address and in number.
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	if !s.registrations.Take(r.Context(), network(s.Address(r))) {
		w.Header().Set("Retry-After", "3600")
		protocol(http.StatusTooManyRequests, "temporarily_unavailable", "too many registrations from this address").write(w, r)
		return
	}
	m, failed := readMetadata(r)
	if failed != nil {
		failed.write(w, r)
		return
	}
	now := time.Now()
	out := registered{ClientID: "kith_client_" + schema.FormatID("c", schema.NewID(now))[2:], ClientIDIssuedAt: now.Unix(), metadata: *m}
	client := keep.Client{ID: out.ClientID, Metadata: written(m)}
	if m.TokenEndpointAuthMethod != "none" {
		secret, hash := record.NewSecret(record.ClientSecret, schema.UUID{})
		never := int64(0)
		out.ClientSecret, out.ClientSecretExpiresAt, client.SecretHash = secret, &never, &hash
	}
	token, hash := record.NewSecret(record.Registration, schema.UUID{})
	out.RegistrationToken, client.RegistrationHash = token, &hash
	out.RegistrationURI = s.auth.Origin(r) + "/oauth/register/" + out.ClientID
	traceOf(r).client = out.ClientID
	kept, err := keep.RegisterClient(r.Context(), s.store, client, mostUnused)
	if err != nil {
		s.internal(r, err).write(w, r)
		return
	}
	if !kept {
		protocol(http.StatusServiceUnavailable, "temporarily_unavailable",
			"too many clients registered and were never used; try again later").write(w, r)
		return
	}
	answerJSON(w, http.StatusCreated, out)
}

// registration reads, replaces or deletes a client's own registration (RFC 7592).
func (s *Server) registration(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	client, err := s.Client(r.Context(), r.PathValue("client_id"))
	if err != nil && !errors.Is(err, errNoClient) {
		s.internal(r, err).write(w, r)
		return
	}
	hash := record.HashSecret(token)
	if err != nil || client.stored.RegistrationHash == nil || subtle.ConstantTimeCompare(hash[:], client.stored.RegistrationHash[:]) != 1 {
		w.Header().Set("WWW-Authenticate", `Bearer realm="kith", error="invalid_token"`)
		answerJSON(w, http.StatusUnauthorized, map[string]string{
			"error":             "invalid_token",
			"error_description": "the registration access token is not valid",
		})
		return
	}
	traceOf(r).client = client.ID
	out := registered{
		ClientID: client.ID, ClientIDIssuedAt: client.stored.CreatedAt.Unix(),
		RegistrationURI: s.auth.Origin(r) + "/oauth/register/" + client.ID, RegistrationToken: token,
	}
	if err := json.Unmarshal([]byte(client.stored.Metadata), &out.metadata); err != nil {
		s.internal(r, err).write(w, r)
		return
	}
	switch r.Method {
	case http.MethodDelete:
		if err := keep.DropClient(r.Context(), s.store, client.ID); err != nil {
			s.internal(r, err).write(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusNoContent)
		return
	case http.MethodPut:
		m, failed := readMetadata(r)
		if failed == nil && m.TokenEndpointAuthMethod != out.TokenEndpointAuthMethod &&
			(m.TokenEndpointAuthMethod == "none" || out.TokenEndpointAuthMethod == "none") {
			failed = invalidMetadata("a client cannot gain or lose its secret; register anew")
		}
		if failed != nil {
			failed.write(w, r)
			return
		}
		if err := keep.UpdateClient(r.Context(), s.store, client.ID, written(m)); err != nil {
			s.internal(r, err).write(w, r)
			return
		}
		out.metadata = *m
	}
	answerJSON(w, http.StatusOK, out)
}
