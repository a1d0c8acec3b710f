// Package outbound is how the server calls addresses that somebody else named: the document of an OAuth client, the receiver of a
// webhook. A server stands in a network that strangers cannot reach, and must not reach into it on their behalf.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ErrPrivate is why a call to an address inside a network is refused.
var ErrPrivate = errors.New("the address is not a public one")

// ErrTooLarge is why an answer is not read to its end.
var ErrTooLarge = errors.New("the answer is too large")

// Options are what an operator and the caller decide.
type Options struct {
	// Private lets calls go to private and local addresses too: for tests, and for an operator whose receivers are in the same network.
	Private bool
	// Timeout is how long a call may take, from its beginning until its answer has been read.
	Timeout time.Duration
	// IdlePerHost is how many connections to a host are kept for the next call; 0 keeps none.
	IdlePerHost int
	// Resolver finds the addresses of a host; nil is the system's.
	Resolver *net.Resolver
}

// connectTime is how long a connection may take to be made, and again for its encryption.
const connectTime = 5 * time.Second

// mostHead is how many bytes the head of an answer may have.
const mostHead = 32 << 10

// Client makes a client that follows no redirects, asks no proxy, and connects to nothing but public addresses. Which address it
// is, is looked at when the connection is made: what a name led to a moment ago says nothing.
func Client(o Options) *http.Client {
	dialer := &net.Dialer{Timeout: connectTime, Resolver: o.Resolver}
	if !o.Private {
		dialer.ControlContext = refusePrivate
	}
	return &http.Client{
		Timeout:       o.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    connectTime,
			MaxResponseHeaderBytes: mostHead,
			DisableKeepAlives:      o.IdlePerHost == 0,
			MaxIdleConnsPerHost:    o.IdlePerHost,
			MaxIdleConns:           1000,
			IdleConnTimeout:        30 * time.Second,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // a small answer could unfold to a large one
		},
	}
}

func refusePrivate(_ context.Context, network, address string, _ syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return ErrPrivate
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil || !Public(to.Addr()) {
		return fmt.Errorf("%w: %s", ErrPrivate, address)
	}
	return nil
}

// special are the networks that the registries of IANA set apart (RFC 6890 and what came after it), beside those that package netip
// knows. Some of those in IPv6 carry an address of IPv4, which a gateway would go on to.
var special = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"240.0.0.0/4", "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16",
	"3fff::/20", "5f00::/16", "fec0::/10",
)

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// Public tells whether an address is one of the public network.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	return !slices.ContainsFunc(special, func(network netip.Prefix) bool { return network.Contains(a) })
}

// Read reads an answer of at most so many bytes, and ErrTooLarge where it has more.
func Read(in io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(text)) > most {
		err = ErrTooLarge
	}
	return text, err
}
