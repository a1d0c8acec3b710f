package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/outbound"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store/keep"
)

// A client need not register: its id can be the address of a document in which it says what it is (Client ID Metadata Documents).
// It is fetched when somebody who is logged in is asked for consent, and at no other time; what was consented to is kept with the
// clients that registered.

const (
	// longestDocument is how many characters the address of a document may have.
	longestDocument = 255
	// mostDocument is how many bytes a document may have.
	mostDocument = 16 << 10
	// mostDocuments is how many are remembered, and mostFetches how many are fetched at a time.
	mostDocuments, mostFetches = 1000, 8
)

// How long a document is remembered: as it asks for itself, within bounds; one that cannot be had until somebody reloads a page.
const (
	leastRemembered, mostRemembered, failureRemembered = time.Minute, 24 * time.Hour, 10 * time.Second
	usuallyRemembered                                  = 10 * time.Minute
)

// documents fetches and remembers documents of clients.
type documents struct {
	client     *http.Client
	ownNetwork bool
	asked      *shared
	places     chan struct{}

	mu    sync.Mutex
	known map[string]document
}

// document is one that was fetched, or why it was not.
type document struct {
	metadata *metadata
	failed   error
	until    time.Time
}

func newDocuments(asked *shared) *documents {
	d := &documents{asked: asked, places: make(chan struct{}, mostFetches), known: map[string]document{}}
	d.allow(false)
	return d
}

// allow says whether documents may be in the own network.
func (d *documents) allow(ownNetwork bool) {
	d.ownNetwork = ownNetwork
	d.client = outbound.Client(outbound.Options{Private: ownNetwork, Timeout: fetchLife})
}

// AllowOwnNetwork lets documents of clients be at private addresses, and on the own machine without https.
func (s *Server) AllowOwnNetwork() { s.documents.allow(true) }

// IsDocument tells that a client's id is meant to be the address of a document.
func IsDocument(id string) bool {
	return strings.HasPrefix(id, "https://") || strings.HasPrefix(id, "http://")
}

// wellFormedDocument tells whether an id is the address of a document, in one spelling only, so that nobody takes one for another.
func wellFormedDocument(id string, ownNetwork bool) bool {
	u, err := url.Parse(id)
	if err != nil || len(id) > longestDocument || u.String() != id ||
		strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	secure := u.Scheme == "https" || ownNetwork && u.Scheme == "http" && account.Loopback(u.Hostname())
	plain := u.User == nil && u.Opaque == "" && u.Fragment == "" && u.RawQuery == "" && !u.ForceQuery && !strings.HasSuffix(id, "#")
	return secure && plain && u.Hostname() != "" && u.Host == strings.ToLower(u.Host) && u.Path != "" && u.Path != "/" &&
		path.Clean(u.Path) == strings.TrimSuffix(u.Path, "/")
}

var errCrowded = errors.New("too many documents are asked for")

// get gives the document at an address, from memory or from where it is.
func (d *documents) get(ctx context.Context, id, network string) (*metadata, error) {
	now := time.Now()
	d.mu.Lock()
	known, ok := d.known[id]
	d.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.metadata, known.failed
	}
	if !d.asked.Take(ctx, network) {
		return nil, errCrowded
	}
	select {
	case d.places <- struct{}{}:
		defer func() { <-d.places }()
	default:
		return nil, errCrowded
	}
	m, life, err := d.fetch(ctx, id)
	if err != nil {
		life = failureRemembered
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) >= mostDocuments {
		clear(d.known)
	}
	d.known[id] = document{m, err, now.Add(life)}
	return m, err
}

// errDocument is what is wrong with a document, for the person who was sent here.
type errDocument string

func (e errDocument) Error() string { return string(e) }

func (d *documents) fetch(ctx context.Context, id string) (*metadata, time.Duration, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return nil, 0, err
	}
	r.Header.Set("Accept", "application/json")
	res, err := d.client.Do(r)
	if errors.Is(err, outbound.ErrPrivate) {
		return nil, 0, errDocument("leads into a private network, to which this server does not connect")
	}
	if err != nil {
		return nil, 0, errDocument("could not be fetched")
	}
	defer res.Body.Close()
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode != http.StatusOK {
		return nil, 0, errDocument(fmt.Sprintf("is answered with status %d; redirects are not followed", res.StatusCode))
	}
	if media != "application/json" && !(strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")) {
		return nil, 0, errDocument("is not application/json")
	}
	text, err := outbound.Read(res.Body, mostDocument)
	if errors.Is(err, outbound.ErrTooLarge) {
		return nil, 0, errDocument(fmt.Sprintf("has more than %d bytes", mostDocument))
	}
	if err != nil {
		return nil, 0, errDocument("could not be read to its end")
	}
	m, err := readDocument(text, id)
	return m, lifeOf(res.Header.Get("Cache-Control")), err
}

// readDocument reads what a client says of itself. What we do not know of it is left out: it is written for all servers alike.
func readDocument(text []byte, id string) (*metadata, error) {
	var said struct {
		ClientID     string `json:"client_id"`
		ClientSecret any    `json:"client_secret"`
		metadata
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, errDocument("is not the JSON object that is expected")
	}
	m := &said.metadata
	switch {
	case said.ClientID != id:
		return nil, errDocument("is of another client: its client_id is not its own address")
	case said.ClientSecret != nil:
		return nil, errDocument("has a secret in it, which everybody can read")
	case m.TokenEndpointAuthMethod == "":
		m.TokenEndpointAuthMethod = "none"
	case m.TokenEndpointAuthMethod != "none":
		return nil, errDocument("asks for a token_endpoint_auth_method other than none")
	}
	if len(m.GrantTypes) == 0 {
		m.GrantTypes = []string{"authorization_code"}
	}
	m.GrantTypes = slices.DeleteFunc(m.GrantTypes,
		func(grant string) bool { return grant != "authorization_code" && grant != "refresh_token" })
	m.ResponseTypes = []string{"code"}
	m.Scope = strings.Join(slices.DeleteFunc(strings.Fields(m.Scope),
		func(scope string) bool { return !slices.Contains(record.Scopes(), scope) }), " ")
	if failed := m.check(); failed != nil {
		return nil, errDocument("is not in order: " + failed.description)
	}
	return m, nil
}

// lifeOf is how long a document may be remembered, by what came with it.
func lifeOf(control string) time.Duration {
	for _, part := range strings.Split(strings.ToLower(control), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch seconds, err := strconv.Atoi(value); {
		case name == "no-store", name == "no-cache":
			return leastRemembered
		case name == "max-age" && err == nil:
			return min(max(time.Duration(min(seconds, 1<<30))*time.Second, leastRemembered), mostRemembered)
		}
	}
	return usuallyRemembered
}

// published finds the client that says what it is in a document.
func (s *Server) published(r *http.Request, id string) (*Client, error) {
	host := id
	if u, err := url.Parse(id); err == nil {
		host = u.Host
	}
	if !wellFormedDocument(id, s.documents.ownNetwork) {
		return nil, ErrOnPage{"The app named an address as its id that cannot be one: it must be https with a path, without a query, in " +
			"its plain form."}
	}
	m, err := s.documents.get(r.Context(), id, network(s.Address(r)))
	var wrong errDocument
	switch {
	case errors.Is(err, errCrowded):
		return nil, ErrOnPage{"Too many apps that are not known yet were to be connected. Try again in a while."}
	case errors.As(err, &wrong):
		return nil, ErrOnPage{"The app says what it is in a document at " + host + ", which " + wrong.Error() + "."}
	case err != nil:
		return nil, err
	}
	stored := &keep.Client{ID: id, Metadata: written(m)}
	c := &Client{ID: id, stored: stored, Publisher: host, document: stored.Metadata}
	c.describe(m)
	if c.Name == unnamed {
		c.Name = host
	}
	return c, nil
}
