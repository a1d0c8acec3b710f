package oauth

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/outbound"
	"github.com/kith-crm/kith/internal/schema"
)

const (
	// fetchLife bounds one request to an identity provider, from the connection to the last byte.
	fetchLife = 5 * time.Second
	// mostFetched bounds what it answers.
	mostFetched = 512 << 10
	// mostAtOnce is how many log-ins of one business can wait for its provider at a time.
	mostAtOnce = 8
)

var (
	errPlain    = errors.New("the address is not https")
	errDetour   = errors.New("it redirects")
	errTooQuick = errors.New("too many log-ins of the business wait for it")
)

// askProviders is the client for addresses of identity providers, which businesses name: as package outbound has it, by https, and
// to take no redirect for an answer. Where the operator allows the own network, everything may be reached, and the own machine also
// by http.
func askProviders(ownNetwork bool) *http.Client {
	client := outbound.Client(outbound.Options{Private: ownNetwork, Timeout: fetchLife})
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return errDetour }
	client.Transport = bounded{ownNetwork, client.Transport}
	return client
}

// bounded sends requests by https only, and reads no more than mostFetched of what they are answered.
type bounded struct {
	ownNetwork bool
	by         http.RoundTripper
}

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !(b.ownNetwork && r.URL.Scheme == "http" && account.Loopback(r.URL.Hostname())) {
		return nil, errPlain
	}
	resp, err := b.by.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &cut{resp.Body, mostFetched}
	return resp, nil
}

// cut is a body that fails behind so many bytes: half an answer is not taken for a whole one.
type cut struct {
	io.ReadCloser
	left int
}

func (c *cut) Read(into []byte) (int, error) {
	n, err := c.ReadCloser.Read(into)
	if c.left -= n; c.left < 0 {
		return 0, outbound.ErrTooLarge
	}
	return n, err
}

// why says in a sentence without its subject what is wrong with a provider, to who configures it. Nothing of what it answered is in
// it: that could be a neighbour's.
func why(err error) string {
	var late interface{ Timeout() bool }
	for cause, says := range map[error]string{
		outbound.ErrPrivate: "leads into a private network, to which this server does not connect",
		errPlain:            "must use https, and so must the addresses in its configuration",
		errDetour:           "redirects, which is not followed; give the address that it leads to",
	} {
		if errors.Is(err, cause) {
			return says
		}
	}
	if errors.As(err, &late) && late.Timeout() {
		return fmt.Sprintf("did not answer within %v", fetchLife)
	}
	return "does not answer with the configuration of an OpenID Connect provider under /.well-known/openid-configuration"
}

// waiting counts who waits for the provider of each business, so that one that never answers holds up its own people only.
type waiting struct {
	mu sync.Mutex
	by map[schema.UUID]int
}

// enter lets one more wait, and gives how to leave; errTooQuick where there are too many.
func (w *waiting) enter(business schema.UUID) (leave func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by[business] >= mostAtOnce {
		return nil, errTooQuick
	}
	w.by[business]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.by[business]--; w.by[business] == 0 {
			delete(w.by, business)
		}
	}, nil
}
