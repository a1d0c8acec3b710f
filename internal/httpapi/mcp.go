package httpapi

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/schema"
)

// Beside the API there may be others who speak another protocol, and lead back to it: what agents use. They authenticate alike.

// MCP is where agents come in.
const MCP = "/mcp"

// payment is what a request that was authenticated for another protocol has paid of its token's rate: the first request that it
// makes of the API costs nothing more.
type payment struct{ left atomic.Bool }

type paymentKey struct{}

// paid tells whether the request was paid for when it was authenticated, and uses that up.
func (r *request) paid() bool {
	p, _ := r.in.Context().Value(paymentKey{}).(*payment)
	return p != nil && p.left.CompareAndSwap(true, false)
}

// resource is the path by which the metadata of what was asked for is found.
func (r *request) resource() string {
	if r.route == &mcpRoute {
		return MCP
	}
	return "/v1"
}

var mcpRoute = Route{Method: http.MethodPost, Pattern: MCP}

// Authenticate lets in who has a token, as the API does: with the same challenge, rate, bounds, log and counts. What is behind it is given
// the body whole.
func (a *API) Authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		r := newRequest(a, w, in)
		r.route = &mcpRoute
		defer r.finish()
		if in.Method == http.MethodOptions {
			r.options([]string{http.MethodPost})
			return
		}
		if reason := r.foreign(); reason != "" {
			r.refuseProtocol(http.StatusForbidden, reason)
			return
		}
		text, err := r.enter()
		if err != nil {
			r.fail(err)
			return
		}
		if begin := bytes.TrimLeft(text, " \t\r\n"); len(begin) > 0 && begin[0] == '[' {
			r.refuseProtocol(http.StatusBadRequest,
				"A body is one message. Batches are no longer part of the protocol: send each message by itself.")
			return
		}
		ctx := context.WithValue(in.Context(), paymentKey{}, newPayment())
		in = in.WithContext(ctx)
		in.Body = io.NopCloser(bytes.NewReader(text))
		next.ServeHTTP(&witness{ResponseWriter: w, r: r}, in)
	})
}

func newPayment() *payment {
	p := &payment{}
	p.left.Store(true)
	return p
}

// enter takes the steps of all requests up to the body.
func (r *request) enter() ([]byte, error) {
	if err := r.authenticate(); err != nil {
		return nil, err
	}
	if err := r.api.limits.check(r.call.Connection, r.w.Header()); err != nil {
		return nil, err
	}
	// Agents write, too, so this refuses to see as a role.
	if _, err := r.seeAs(r.in.Context(), r.call.Principal); err != nil {
		return nil, err
	}
	if r.in.Method != http.MethodPost {
		return nil, nil
	}
	return r.readText()
}

// foreign says why a request is refused that a page of another site makes a browser send. A page can give its own host's name the
// address of this server, so the name that the request came by is looked at, too, where a server on somebody's own machine does not
// know its own.
func (r *request) foreign() string {
	own := r.api.auth.Origin(r.in)
	host, err := url.Parse(own)
	if err != nil {
		return "The Host header cannot be read."
	}
	at, _ := r.in.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !r.api.auth.KnowsOrigin() && at != nil && onLoopback(at.String()) && !onLoopback(host.Host) {
		return "This server does not know the name that it was reached by. Its operator can tell it by --origin."
	}
	from := r.in.Header.Get("Origin")
	if from == "" || from == own {
		return ""
	}
	if page, err := url.Parse(from); err == nil && onLoopback(page.Host) && onLoopback(host.Host) {
		return ""
	}
	return "Pages of other sites cannot come in here. Call from a program, or from a page of " + own + "."
}

// onLoopback tells whether a host, with or without a port, is the own machine.
func onLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return account.Loopback(strings.Trim(host, "[]"))
}

// refuseProtocol answers what cannot be answered by the handler behind it, in the form that is expected there (JSON-RPC).
func (r *request) refuseProtocol(status int, reason string) {
	r.send(rendered(status, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":`...)
		return append(schema.AppendString(dst, reason), "}}"...)
	}))
}

// witness tells the request with which status it was answered.
type witness struct {
	http.ResponseWriter
	r *request
}

func (w *witness) WriteHeader(status int) {
	if w.r.status == 0 {
		w.r.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *witness) Write(text []byte) (int, error) {
	if w.r.status == 0 {
		w.r.status = http.StatusOK
	}
	return w.ResponseWriter.Write(text)
}

// Unwrap is how a controller of the answer reaches what it controls.
func (w *witness) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends what was written; some ask for it by name.
func (w *witness) Flush() {
	// A writer that cannot do so sends it at the end.
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}
