package oauth

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// trace is who asked, as far as that came out, for the log.
type trace struct {
	client string
	tenant *store.Tenant
	user   schema.UUID
}

type traceKey struct{}

// traceOf gives the trace of a request; one that nobody logs has an empty one.
func traceOf(r *http.Request) *trace {
	if t, ok := r.Context().Value(traceKey{}).(*trace); ok {
		return t
	}
	return &trace{}
}

func (t *trace) acts(tenant store.Tenant, user schema.UUID) { t.tenant, t.user = &tenant, user }

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// logged gives every answer the number under which the log knows its request, and logs it. Nothing of the body or the query is logged.
func (s *Server) logged(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		t, id := &trace{}, schema.FormatID("req", schema.NewID(start))
		w.Header().Set("X-Request-Id", id)
		answer := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next(answer, r.WithContext(context.WithValue(Numbered(r.Context(), id, s.Address(r)), traceKey{}, t)))
		took := time.Since(start)
		s.Metrics.Count(r.Method, r.Pattern, answer.status, took)
		attributes := []slog.Attr{
			slog.String("request_id", id), slog.String("method", r.Method), slog.String("route", r.Pattern),
			slog.Int("status", answer.status),
			slog.Float64("ms", float64(took.Microseconds())/1000), slog.String("address", s.Address(r)),
		}
		if t.client != "" {
			attributes = append(attributes, slog.String("client", t.client))
		}
		if t.tenant != nil {
			attributes = append(attributes, slog.String("business", schema.FormatID("business", t.tenant.ID())),
				slog.String("user", schema.FormatID("user", t.user)))
		}
		s.log.LogAttrs(r.Context(), slog.LevelInfo, "oauth", attributes...)
	}
}
