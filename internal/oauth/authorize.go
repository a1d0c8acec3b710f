package oauth

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// codeLife is how long an authorization code can be redeemed.
const codeLife = 60 * time.Second

// Authorization is a checked request to /oauth/authorize: what an app asks a user for.
type Authorization struct {
	Client *Client
	// Redirect is where the answer goes.
	Redirect string
	Scopes   []string

	redirectGiven bool
	state         string
	challenge     string
	resource      string
	issuer        string
}

// codeData is what a code is bound to.
type codeData struct {
	ClientID  string `json:"client_id"`
	Redirect  string `json:"redirect"`
	Challenge string `json:"challenge"`
	Resource  string `json:"resource,omitempty"`
}

// ErrOnPage is an error that must be shown to the user, because it is not known where else it could safely go.
type ErrOnPage struct{ Reason string }

func (e ErrOnPage) Error() string { return e.Reason }

// ErrRedirect is an error that goes back to the app. Where the client registered itself, it must not go there by itself: anyone can
// register an address, and a server that sends whoever follows a link on to it lends its good name to it (RFC 9700, 4.11.2). There
// the user logs in first, is told the reason, and chooses to go.
type ErrRedirect struct {
	To, Reason string
	Client     *Client
}

// ByItself tells whether the user may be sent on without being asked.
func (e ErrRedirect) ByItself() bool { return e.Client.Tenant != nil }

func (e ErrRedirect) Error() string { return "redirect to " + e.To }

// CheckAuthorization reads and checks a request to /oauth/authorize. What is wrong before client and redirect address are known is
// ErrOnPage; later it is ErrRedirect.
func (s *Server) CheckAuthorization(r *http.Request) (*Authorization, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil { // what cannot be read must not count as left out
		return nil, ErrOnPage{"The app sent a request that cannot be read."}
	}
	if field, ok := CheckForm(query, mostParameter); !ok {
		return nil, ErrOnPage{"The app sent a request that cannot be read: " + printable(field) + " has control characters or is too long."}
	}
	for _, name := range []string{"client_id", "redirect_uri"} {
		if len(query[name]) > 1 {
			return nil, ErrOnPage{"The app sent " + name + " more than once."}
		}
	}
	id := query.Get("client_id")
	var client *Client
	if IsDocument(id) {
		client, err = s.published(r, id)
	} else {
		client, err = s.Client(r.Context(), id)
	}
	if errors.Is(err, errNoClient) {
		return nil, ErrOnPage{"The app that sent you here is not known. It may have to register again."}
	}
	if err != nil {
		return nil, err
	}
	a := &Authorization{Client: client, state: query.Get("state"), issuer: s.auth.Origin(r), redirectGiven: query.Has("redirect_uri")}
	redirect, ok := client.RedirectTo(query.Get("redirect_uri"))
	if !ok {
		return nil, ErrOnPage{"The app asked to be answered at an address that it did not register."}
	}
	a.Redirect = redirect
	for name, values := range query {
		if len(values) > 1 && name != "resource" {
			return nil, a.fail("invalid_request", printable(name)+" is given more than once")
		}
	}
	switch {
	case query.Get("response_type") == "":
		return nil, a.fail("invalid_request", "response_type is missing")
	case query.Get("response_type") != "code":
		return nil, a.fail("unsupported_response_type", "response_type must be code")
	case !client.grants("authorization_code"):
		return nil, a.fail("unauthorized_client", "the client may not use authorization_code")
	case query.Get("code_challenge") == "":
		return nil, a.fail("invalid_request", "code_challenge is missing; PKCE is required")
	case query.Get("code_challenge_method") != "S256":
		return nil, a.fail("invalid_request", "code_challenge_method must be S256")
	case query.Has("response_mode") && query.Get("response_mode") != "query":
		return nil, a.fail("invalid_request", "response_mode must be query")
	}
	a.challenge = query.Get("code_challenge")
	if raw, err := base64.RawURLEncoding.Strict().DecodeString(a.challenge); err != nil || len(raw) != 32 {
		return nil, a.fail("invalid_request", "code_challenge must be the base64url form of a SHA-256 hash")
	}
	for _, resource := range query["resource"] {
		if !isResource(a.issuer, resource) {
			return nil, a.fail("invalid_target", theResources(a.issuer))
		}
		a.resource = resource
	}
	if err := a.chooseScopes(query.Get("scope")); err != nil {
		return nil, err
	}
	return a, nil
}

// chooseScopes takes the scopes that are asked for; without any, those that the client registered, or else reading alone.
func (a *Authorization) chooseScopes(asked string) error {
	scopes := strings.Fields(asked)
	if len(scopes) == 0 {
		scopes = a.Client.Scopes
	}
	if len(scopes) == 0 {
		scopes = slices.DeleteFunc(record.Scopes(), func(s string) bool { return !strings.HasSuffix(s, ".read") })
	}
	for _, scope := range scopes {
		switch {
		case !slices.Contains(record.Scopes(), scope):
			return a.fail("invalid_scope", "there is no scope "+printable(scope)+problem.DidYouMean(scope, record.Scopes()))
		case !a.Client.May(scope):
			return a.fail("invalid_scope", "the client did not register for "+scope)
		case !slices.Contains(a.Scopes, scope):
			a.Scopes = append(a.Scopes, scope)
		}
	}
	return nil
}

// printable keeps what a client sent from breaking out of an error description (RFC 6749, 4.1.2.1).
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e || r == '"' || r == '\\' {
			return '?'
		}
		return r
	}, text)
}

func (a *Authorization) fail(code, description string) error {
	return ErrRedirect{To: a.answer("error", code, "error_description", description), Reason: description, Client: a.Client}
}

// answer is the redirect address with parameters, the state, and the issuer (RFC 9207).
func (a *Authorization) answer(parameters ...string) string {
	u, err := url.Parse(a.Redirect)
	if err != nil {
		return a.Redirect
	}
	query := u.Query()
	for i := 0; i+1 < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
	}
	if a.state != "" {
		query.Set("state", a.state)
	}
	query.Set("iss", a.issuer)
	u.RawQuery = query.Encode()
	return u.String()
}

// Deny is where a user who refuses is sent.
func (a *Authorization) Deny() string {
	return a.answer("error", "access_denied", "error_description", "the user refused")
}

// RedirectOrigin is the scheme and host that the answer goes to, for the page to show and for its content policy.
func (a *Authorization) RedirectOrigin() (origin, host string) {
	u, err := url.Parse(a.Redirect)
	if err != nil {
		return "", ""
	}
	if u.Host == "" {
		return u.Scheme + ":", u.Scheme
	}
	return u.Scheme + "://" + u.Host, u.Host
}

// narrowed keeps of the scopes that a user ticked what the app asked for. All parts of an .all that are ticked are the .all again.
func narrowed(asked, ticked []string) (granted []string) {
	grant := func(scope string) {
		if !slices.Contains(granted, scope) {
			granted = append(granted, scope)
		}
	}
	for _, scope := range asked {
		given := slices.DeleteFunc(record.Parts(scope), func(part string) bool { return !record.Covers(ticked, part) })
		if len(given) == len(record.Parts(scope)) {
			grant(scope)
			continue
		}
		for _, part := range given {
			grant(part)
		}
	}
	return granted
}

// Approve lets the app act for the logged-in user with the scopes that they granted, and gives the address to send them to.
func (s *Server) Approve(ctx context.Context, who *record.Principal, a *Authorization, granted []string) (string, error) {
	if a.Client.Tenant != nil && a.Client.Tenant.ID() != who.Tenant.ID() {
		return "", problem.New(problem.ForbiddenByRole, "This app belongs to another business.")
	}
	granted = narrowed(a.Scopes, granted)
	if len(granted) == 0 {
		return a.Deny(), nil
	}
	code, hash := record.NewSecret(record.AuthCode, who.Tenant.ID())
	data := written(codeData{ClientID: a.Client.ID, Redirect: a.Redirect, Challenge: a.challenge, Resource: a.resource})
	if a.Client.document != "" {
		if err := keep.PublishClient(ctx, s.store, a.Client.ID, a.Client.document); err != nil {
			return "", err
		}
	}
	err := who.Tenant.Keep(ctx, from(ctx, who.Actor("")), func(tx *store.Tx) error {
		if err := holdActive(tx, who.User); err != nil {
			return err
		}
		grant := keep.Grant{ID: schema.NewID(tx.Now), User: who.User, ClientID: a.Client.ID, ClientName: a.Client.Name, Scopes: granted}
		if err := keep.PutGrant(tx, grant); err != nil {
			return err
		}
		tx.Audit(record.AuditOfClient(record.GrantMade, a.Client.ID))
		return keep.PutCredential(tx, hash, keep.Credential{
			Kind: record.AuthCode, User: who.User, Parent: grant.ID, Scopes: granted,
			ExpiresAt: tx.Now.Add(codeLife), Data: data,
		})
	})
	if err != nil {
		return "", err
	}
	if err := s.used(ctx, a.Client); err != nil {
		return "", err
	}
	return a.answer("code", code), nil
}
