package oauth

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// UnusedLife is how long a client that registered itself and was never used is kept.
const UnusedLife = 7 * 24 * time.Hour

// Client is an app that can ask for tokens: one that registered itself, or one of a business.
type Client struct {
	ID, Name     string
	RedirectURIs []string
	GrantTypes   []string
	// Scopes is the most that the client can get; empty is any.
	Scopes []string
	// AuthMethod is how the client proves itself at the token endpoint: none, client_secret_basic or client_secret_post.
	AuthMethod string
	// Tenant is set for the app of a business, and then only its users can use it.
	Tenant *store.Tenant
	App    schema.UUID
	// ActsAs is whom the app of a business acts as with client credentials.
	ActsAs schema.UUID

	// Publisher is the host of the document in which the client says what it is, and document what that says; empty for all others.
	Publisher string
	document  string

	stored *keep.Client
}

// unnamed is what a client is called that has no name.
const unnamed = "An app without a name"

// describe takes over what a client says of itself.
func (c *Client) describe(m *metadata) {
	c.Name, c.RedirectURIs, c.GrantTypes, c.Scopes, c.AuthMethod = m.ClientName, m.RedirectURIs, m.GrantTypes, strings.Fields(m.Scope),
		m.TokenEndpointAuthMethod
	if c.Name == "" {
		c.Name = unnamed
	}
}

var errNoClient = errors.New("no such client")

// clientForm is the form of the ids that we give; anything else is not worth asking the database, which may not even take it.
var clientForm = regexp.MustCompile(`^kith_[a-z]+_[0-9a-z]{1,100}$`)

// Client finds a client, or errNoClient.
func (s *Server) Client(ctx context.Context, id string) (*Client, error) {
	return findClient(ctx, s.store, id)
}

func findClient(ctx context.Context, s *store.Store, id string) (*Client, error) {
	// What is kept of a client with a document was allowed when it was consented to.
	if !clientForm.MatchString(id) && !wellFormedDocument(id, true) {
		return nil, errNoClient
	}
	stored, err := keep.FindClient(ctx, s, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, errNoClient
	}
	if err != nil {
		return nil, err
	}
	c := &Client{ID: id, stored: stored, Tenant: stored.Tenant, App: stored.App}
	if stored.Tenant != nil {
		app := record.KindOf("app")
		rec, err := stored.Tenant.Get(ctx, &app.Resource, stored.App, false)
		if errors.Is(err, store.ErrNotFound) {
			return nil, errNoClient
		}
		if err != nil {
			return nil, err
		}
		c.Name, c.RedirectURIs, c.GrantTypes = rec.Text(account.Apps.Name), body.Strings(rec.Get(account.Apps.RedirectURIs)),
			body.Strings(rec.Get(account.Apps.GrantTypes))
		c.Scopes, c.ActsAs, c.AuthMethod = body.Strings(rec.Get(account.Apps.Scopes)), rec.Get(account.Apps.UserID).UUID(),
			"client_secret_basic"
		return c, nil
	}
	if stored.UsedAt.IsZero() && time.Since(stored.CreatedAt) > UnusedLife {
		return nil, errNoClient
	}
	var m metadata
	if err := json.Unmarshal([]byte(stored.Metadata), &m); err != nil {
		return nil, err
	}
	c.describe(&m)
	return c, nil
}

// RedirectTo finds the registered address that a redirect_uri matches: exactly, but for the port on the own machine (RFC 8252).
func (c *Client) RedirectTo(uri string) (string, bool) {
	if uri == "" {
		if len(c.RedirectURIs) == 1 {
			return c.RedirectURIs[0], true
		}
		return "", false
	}
	for _, registered := range c.RedirectURIs {
		if uri == registered || sameLoopback(uri, registered) {
			return uri, true
		}
	}
	return "", false
}

func sameLoopback(uri, registered string) bool {
	if account.CheckRedirect(uri) != "" {
		return false
	}
	a, err1 := url.Parse(uri)
	b, err2 := url.Parse(registered)
	if err1 != nil || err2 != nil || a.Scheme != "http" || b.Scheme != "http" || !account.Loopback(a.Hostname()) ||
		a.Hostname() != b.Hostname() {
		return false
	}
	// Apart from the port, the texts must be the same to the byte.
	return strings.TrimPrefix(uri, "http://"+a.Host) == strings.TrimPrefix(registered, "http://"+b.Host)
}

// May tells whether the client may get a scope at all.
func (c *Client) May(scope string) bool {
	return len(c.Scopes) == 0 || record.Covers(c.Scopes, scope)
}

// authenticate finds the client of a request to the token endpoint and its like, and checks its secret, if it has one.
func (s *Server) authenticate(r *http.Request) (*Client, *protocolError) {
	id, secret, basic := r.BasicAuth()
	method := "client_secret_basic"
	if basic {
		var err1, err2 error
		id, err1 = url.QueryUnescape(id)
		secret, err2 = url.QueryUnescape(secret)
		if err1 != nil || err2 != nil || r.PostForm.Get("client_secret") != "" || r.PostForm.Get("client_id") != "" &&
			r.PostForm.Get("client_id") != id {
			return nil, protocol(http.StatusBadRequest, "invalid_request", "authenticate the client in one way only")
		}
	} else {
		id, secret, method = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret"), "client_secret_post"
		if secret == "" {
			method = "none"
		}
	}
	unknown := protocol(http.StatusUnauthorized, "invalid_client", "the client is unknown or its secret is wrong")
	c, err := s.Client(r.Context(), id)
	if errors.Is(err, errNoClient) {
		return nil, unknown
	}
	if err != nil {
		return nil, s.internal(r, err)
	}
	traceOf(r).client = c.ID
	if c.AuthMethod == "none" {
		if method != "none" {
			return nil, unknown
		}
		return c, nil
	}
	hash := record.HashSecret(secret)
	if c.stored.SecretHash == nil || subtle.ConstantTimeCompare(hash[:], c.stored.SecretHash[:]) != 1 {
		return nil, unknown
	}
	return c, nil
}

// used notes that a client is in use, so that it does not expire.
func (s *Server) used(ctx context.Context, c *Client) error {
	if c.Tenant != nil || time.Since(c.stored.UsedAt) < time.Hour {
		return nil
	}
	return keep.ClientUsed(ctx, s.store, c.ID, time.Now())
}

// actor is who acts when a client does something for a user.
func (c *Client) actor(user schema.UUID) store.Actor {
	a := store.Actor{User: user, App: c.App}
	if c.Tenant == nil {
		a.Client = c.ID
	}
	return a
}

// within gives what of the scopes that were granted the client may still have.
func (c *Client) within(granted []string) []string {
	if len(c.Scopes) == 0 {
		return granted
	}
	return record.Within(granted, c.Scopes)
}

// stands tells whether the client may still have a token: whether it could get one in the same way, for the same user.
func (c *Client) stands(cred *keep.Credential) bool {
	if c.Tenant != nil && cred.Parent == c.App {
		return c.grants("client_credentials") && cred.User == c.ActsAs
	}
	return c.grants("authorization_code")
}

func (c *Client) grants(grantType string) bool { return slices.Contains(c.GrantTypes, grantType) }
