package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/kith-crm/kith/internal/metrics"
)

// operatorAddress serves what only the operator is to see, on an address of its own: metrics, and the checks that are also public.
func (h *house) operatorAddress(addr string, log *slog.Logger) (end func(), err error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--metrics-addr: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", metrics.ContentType)
		_, _ = w.Write(h.metricsPage()) // whoever asked is gone, and asks again
	})
	mux.Handle("/healthz", h.api)
	mux.Handle("/readyz", h.api)
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: longestHead, ReadTimeout: longestHead, WriteTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	log.Info("metrics", "address", "http://"+listener.Addr().String()+"/metrics")
	go func() { log.Debug("the metrics address is closed", "error", server.Serve(listener)) }()
	return func() { _ = server.Close() }, nil
}

// metricsPage tells how the server does. Nothing in it comes from a request, and nothing tells of a business.
func (h *house) metricsPage() []byte {
	var p metrics.Page
	b := thisBuild()
	p.Family("kith_build_info", metrics.Gauge, "Which program this is.")
	p.Value(1, "version", b.Version, "commit", b.Commit, "go", b.Go, "database", h.store.Engine())
	ready := 1.0
	if h.api.Ready() != nil {
		ready = 0
	}
	p.One("kith_ready", metrics.Gauge, "1 while the database answers, is migrated and can be written, and the server is not stopping.",
		ready)
	h.requests.Write(&p)
	h.connections.write(&p)
	p.One("kith_http_held_bytes", metrics.Gauge, "Large bodies and answers that are on their way.", float64(h.api.Held()))
	h.api.WriteMetrics(&p)
	if h.hooks != nil {
		h.hookMetrics(&p)
	}
	hits, misses := h.auth.Remembered()
	p.One("kith_token_cache_hits_total", metrics.Counter, "Tokens that were presented and remembered.", float64(hits))
	p.One("kith_token_cache_misses_total", metrics.Counter, "Tokens that were looked up in the database.", float64(misses))
	for _, g := range h.store.Gauges() {
		kind := metrics.Gauge
		if g.Total {
			kind = metrics.Counter
		}
		p.One(g.Name, kind, g.Help, g.Value)
	}
	p.Process()
	return p.Text()
}

// hookMetrics tells what there is to know of webhooks.
func (h *house) hookMetrics(p *metrics.Page) {
	c := h.hooks.Counts()
	p.One("kith_webhook_deliveries_total", metrics.Counter, "Events that receivers of webhooks took.", float64(c.Delivered))
	p.One("kith_webhook_failures_total", metrics.Counter, "Attempts to deliver an event that failed.", float64(c.Failed))
	p.One("kith_webhook_given_up_total", metrics.Counter, "Events that were given up after the last attempt.", float64(c.GivenUp))
	p.One("kith_webhooks_disabled_total", metrics.Counter, "Webhooks that were disabled because they failed.", float64(c.Disabled))
	p.One("kith_webhook_requests", metrics.Gauge, "Requests to receivers that are under way.", float64(c.Flying))
	p.One("kith_webhook_businesses", metrics.Gauge, "Businesses for whose webhooks this server delivers.", float64(c.TenantDeliverers))
	p.One("kith_webhook_lag_seconds", metrics.Gauge,
		"How long the change had been made of which a receiver was told last, at the first attempt.", c.Lag.Seconds())
}
