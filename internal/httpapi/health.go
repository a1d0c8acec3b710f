package httpapi

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kith-crm/kith/internal/openapi"
	"github.com/kith-crm/kith/internal/problem"
)

// outside are the routes outside /v1, for those who watch over the server.
var outside = []Route{
	{Method: http.MethodGet, Pattern: "/healthz", Doc: openapi.Doc{
		ID: "getHealth", Summary: "Whether the server is alive",
		About: "It answers as long as the server runs, and does not ask the database.", Open: true, Reply: isOK,
	}},
	{Method: http.MethodGet, Pattern: "/readyz", Doc: openapi.Doc{
		ID: "getReadiness", Summary: "Whether requests may be sent here",
		About: "The database answers, has every migration and can be written, and the server is not stopping. Otherwise the answer is " +
			"503, and its detail says which it is.", Open: true, Reply: isOK,
	}},
}

var isOK = openapi.Strict(openapi.Object{{Name: "status", Value: openapi.Enum("ok")}})

// checks are their pages.
func (a *API) checks() map[string]http.HandlerFunc {
	// Whoever can be told so is alive. A program that asked the database here would be started anew for the database's illness.
	alive := func(*request) error { return nil }
	return map[string]http.HandlerFunc{"/healthz": a.check(outside[:1], alive), "/readyz": a.check(outside[1:], (*request).isReady)}
}

// check is a page that says ok, or what is not.
func (a *API) check(here []Route, ask func(*request) error) http.HandlerFunc {
	allowed := methods(here)
	return func(w http.ResponseWriter, r *http.Request) {
		req := newRequest(a, w, r)
		switch {
		case r.Method == http.MethodOptions:
			req.options(allowed)
			return
		case !slices.Contains(allowed, r.Method):
			req.refuse(here)
			return
		}
		if err := ask(req); err != nil {
			req.fail(err)
			return
		}
		req.send(reply{status: http.StatusOK, text: []byte(`{"status":"ok"}`)})
	}
}

// readiness is what was last found out about the database. Strangers may ask, so it is found out once in a while for all of them.
type readiness struct {
	serving context.Context
	asked   atomic.Bool
	mu      sync.Mutex
	at      time.Time
	unready *problem.Problem
}

const (
	// readyFor is how long an answer holds, and readyWithin how long finding out may take.
	readyFor    = time.Second
	readyWithin = 2 * time.Second
)

var errStopping = problem.New(problem.ServiceUnavailable, "The server is stopping.")

// Watched tells whether anybody has asked for /readyz: only they see that the server is about to stop.
func (a *API) Watched() bool { return a.ready.asked.Load() }

func (r *request) isReady() error {
	r.api.ready.asked.Store(true)
	if p := r.api.Ready(); p != nil {
		return p
	}
	return nil
}

// Ready tells why requests would better go to another server, or nothing.
func (a *API) Ready() *problem.Problem {
	if serving := a.ready.serving; serving != nil && serving.Err() != nil {
		return errStopping
	}
	a.ready.mu.Lock()
	defer a.ready.mu.Unlock()
	if time.Since(a.ready.at) < readyFor {
		return a.ready.unready
	}
	// Others wait for what is found out here, so it does not end with the one who asked first.
	ctx, cancel := context.WithTimeout(context.Background(), readyWithin)
	defer cancel()
	before := a.ready.unready
	unready, cause := a.engine.Store().Ready(ctx)
	if unready != nil && before == nil {
		a.log.Error("not ready", "reason", unready.Detail, "error", cause)
	}
	if unready == nil && before != nil {
		a.log.Info("ready again")
	}
	a.ready.unready, a.ready.at = unready, time.Now()
	return unready
}
