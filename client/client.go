package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// apiVersion is the version of the API that this package speaks.
const apiVersion = "v1"

// New makes a client of the server at an address, such as https://crm.example.com, for whomever the tokens of the source stand for.
// A client can be used by many goroutines at once.
func New(address string, source TokenSource, options ...Option) (*Client, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("client: the address of the server: %w", err)
	}
	if base.Scheme != "https" && base.Scheme != "http" || base.Host == "" || base.User != nil || base.RawQuery != "" ||
		base.Fragment != "" {
		return nil, fmt.Errorf("client: the address of the server must be like https://crm.example.com, not %q", base.Redacted())
	}
	c := &core{
		base: strings.TrimSuffix(base.String(), "/"), source: source, agent: "kith-go",
		retries: 4, first: 100 * time.Millisecond, longest: time.Minute,
	}
	for _, option := range options {
		option(c)
	}
	if c.http == nil {
		c.http = defaultHTTP()
	}
	return newClient(c), nil
}

// defaultHTTP keeps more connections to the one server than Go's own default does, and gives up on one that is silent.
func defaultHTTP() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 32
	return &http.Client{Transport: transport, Timeout: 90 * time.Second}
}

// Option sets something about a client.
type Option func(*core)

// WithHTTPClient makes requests through an http.Client of the caller's: with a transport, a proxy or a time limit of its own.
func WithHTTPClient(h *http.Client) Option { return func(c *core) { c.http = h } }

// WithRetries says how often a request is sent again at most; 4 times when not given, 0 for never.
func WithRetries(most int) Option { return func(c *core) { c.retries = most } }

// WithBackoff says how long to wait before a request is sent again where the server does not say so: about the first duration, then
// twice as long each time, and never longer than the longest. A server that wants the client to wait longer than that is not waited
// for. 100 ms and a minute when not given.
func WithBackoff(first, longest time.Duration) Option {
	return func(c *core) { c.first, c.longest = first, longest }
}

// WithUserAgent names the program that asks, for the server's logs.
func WithUserAgent(name string) Option { return func(c *core) { c.agent = name } }

// TokenSource says who asks: it puts a token on a request. See [StaticToken] and [OAuth].
type TokenSource interface {
	Authorize(*http.Request) error
}

// StaticToken is a token that stays the same: a personal access token.
type StaticToken string

// Authorize puts the token on a request.
func (t StaticToken) Authorize(r *http.Request) error {
	r.Header.Set("Authorization", "Bearer "+string(t))
	return nil
}

// OAuth gives tokens of an app, which are renewed when they expire. An oauth2.TokenSource of golang.org/x/oauth2 fits as it is:
//
//	source := config.TokenSource(ctx, token)
//	kith, err := client.New(address, client.OAuth(source))
func OAuth[T interface{ SetAuthHeader(*http.Request) }](source interface{ Token() (T, error) }) TokenSource {
	return oauthSource[T]{source}
}

type oauthSource[T interface{ SetAuthHeader(*http.Request) }] struct {
	source interface{ Token() (T, error) }
}

func (s oauthSource[T]) Authorize(r *http.Request) error {
	token, err := s.source.Token()
	if err != nil {
		return err
	}
	token.SetAuthHeader(r)
	return nil
}

// WriteOption says something about one write.
type WriteOption func(*call)

// IfMatch lets the write happen only while the record is at this version; otherwise it is [ErrPreconditionFailed], and the error
// tells what changed.
func IfMatch(version int64) WriteOption {
	return func(c *call) { c.header.Set("If-Match", strconv.Quote(strconv.FormatInt(version, 10))) }
}

// DryRun has the server check everything and answer as it would, and write nothing.
func DryRun() WriteOption { return func(c *call) { c.dry = true } }

// IdempotencyKey is sent in place of the key that the client would make. With a key that outlives the program, such as the id of a job, a
// write is done once although the whole program is run again.
func IdempotencyKey(key string) WriteOption { return func(c *call) { c.key = key } }

// Call makes a request to a path under /v1, such as /contacts/search, for what this package has no call of its own for. The body is
// sent as JSON, unless it is nil; the answer is read from JSON into what it points to, unless it is nil. What is neither a GET nor
// a search is a write, and is sent with a key.
func (c *Client) Call(ctx context.Context, method, path string, body, answer any, options ...WriteOption) error {
	reads := method == http.MethodGet || method == http.MethodHead || strings.HasSuffix(path, "/search")
	_, err := c.core.json(ctx, method, path, body, answer, !reads, options)
	return err
}

// Me tells who the token stands for and what it may do.
func (c *Client) Me(ctx context.Context) (*Me, error) {
	return record[Me](ctx, c.core, http.MethodGet, "/me", nil, false, nil)
}

// Me is who acts, and what they may do.
type Me struct {
	Business Business `json:"business"`
	User     User     `json:"user"`
	// Role is the name of the user's role, and Features are its feature permissions.
	Role     string   `json:"role"`
	Features []string `json:"features"`
	Scopes   []string `json:"scopes"`
	// Permissions are by resource and verb (read, write, delete).
	Permissions map[string]map[string]Permission `json:"permissions"`
	// SendsMail tells whether the server sends mail; where it does not, somebody has to hand on the links to those who are invited.
	SendsMail bool `json:"sends_mail"`
}

// Permission is what scope, role and feature permission allow together.
type Permission struct {
	// Effective is none, own or all.
	Effective string `json:"effective"`
	// Scope tells whether the token has the scope, and Role how far the role reaches.
	Scope bool   `json:"scope"`
	Role  string `json:"role"`
	// Why says it in a sentence.
	Why string `json:"why"`
}

// Permissions are what a role allows, by resource. In an input, nil takes a resource out.
type Permissions map[string]*Reach

// Reach is how far a role goes on a resource: none, own or all for each verb. The empty text means none.
type Reach struct {
	Read   string `json:"read,omitzero"`
	Write  string `json:"write,omitzero"`
	Delete string `json:"delete,omitzero"`
}

// calls are what every resource has, for the generated methods.
type calls[R any] struct {
	core *core
	// path is that of the resource, such as /contacts.
	path string
}

func (s calls[R]) one(id string, more ...string) string {
	return s.path + "/" + strings.Join(append([]string{url.PathEscape(id)}, more...), "/")
}

func (s calls[R]) get(ctx context.Context, id string) (*R, error) {
	return record[R](ctx, s.core, http.MethodGet, s.one(id), nil, false, nil)
}

func (s calls[R]) create(ctx context.Context, in any, options []WriteOption) (*R, error) {
	return record[R](ctx, s.core, http.MethodPost, s.path, in, true, options)
}

func (s calls[R]) update(ctx context.Context, id string, in any, options []WriteOption) (*R, error) {
	return record[R](ctx, s.core, http.MethodPatch, s.one(id), in, true, options)
}

func (s calls[R]) remove(ctx context.Context, id string, options []WriteOption) error {
	_, err := s.core.json(ctx, http.MethodDelete, s.one(id), nil, nil, true, options)
	return err
}

func (s calls[R]) erase(ctx context.Context, id, reason string, options []WriteOption) error {
	_, err := s.core.json(ctx, http.MethodPost, s.one(id, "erase"), map[string]string{"reason": reason}, nil, true, options)
	return err
}

// act runs an action, or restores.
func (s calls[R]) act(ctx context.Context, id, action string, in any, options []WriteOption) (*R, error) {
	return record[R](ctx, s.core, http.MethodPost, s.one(id, action), in, true, options)
}

// upsert also tells whether the record was made.
func (s calls[R]) upsert(ctx context.Context, match string, in any, options []WriteOption) (*R, bool, error) {
	var out R
	a, err := s.core.json(ctx, http.MethodPost, s.path+"/upsert", operation{Match: match, Data: in}, &out, true, options)
	if err != nil {
		return nil, false, err
	}
	return &out, a.status == http.StatusCreated, nil
}

// record makes a request that is answered with a record.
func record[R any](ctx context.Context, c *core, method, path string, in any, writes bool, options []WriteOption) (*R, error) {
	var out R
	if _, err := c.json(ctx, method, path, in, &out, writes, options); err != nil {
		return nil, err
	}
	return &out, nil
}

// Get reads the business.
func (s OwnBusiness) Get(ctx context.Context) (*Business, error) {
	return record[Business](ctx, s.core, http.MethodGet, s.path, nil, false, nil)
}

// Update changes the business.
func (s OwnBusiness) Update(ctx context.Context, in BusinessInput, options ...WriteOption) (*Business, error) {
	return record[Business](ctx, s.core, http.MethodPatch, s.path, in, true, options)
}

// OwnBusiness is the business of the token; a [Client] has it as its field Business.
type OwnBusiness struct{ calls[Business] }

// AuditLog tells who came in, who was refused, and who changed what; a [Client] has it as its field Audit.
type AuditLog struct{ calls[Audit] }

// Search finds lines of the log, the newest first unless the query says otherwise, and fetches page after page as the loop goes on.
// An error is the last thing that it gives.
func (s AuditLog) Search(ctx context.Context, q Query) iter.Seq2[*Audit, error] {
	return s.search(ctx, live, q)
}

// SearchPage finds one page of lines of the log.
func (s AuditLog) SearchPage(ctx context.Context, q Query) (*Page[Audit], error) {
	return s.page(ctx, live, q)
}

// json sends a body as JSON and reads the answer from it.
func (c *core) json(ctx context.Context, method, path string, in, out any, writes bool, options []WriteOption) (answer, error) {
	r := call{method: method, path: path, writes: writes, header: http.Header{}}
	if in != nil {
		var err error
		if r.body, err = json.Marshal(in); err != nil {
			return answer{}, fmt.Errorf("client: what is sent to %s %s: %w", method, path, err)
		}
	}
	for _, option := range options {
		option(&r)
	}
	if writes && !r.dry {
		r.header.Set("Idempotency-Key", cmp.Or(r.key, newKey()))
	}
	a, err := c.do(ctx, r)
	if err != nil || out == nil || len(a.body) == 0 {
		return a, err
	}
	if err := json.Unmarshal(a.body, out); err != nil {
		return a, fmt.Errorf("client: the answer to %s %s: %w", method, path, err)
	}
	return a, nil
}
