// Package tracing tells an OpenTelemetry collector how requests went: a span for each, and below it those of its reads and writes.
// It is switched on and set by the standard variables, and costs nothing while it is off. Spans have routes, statuses and times,
// and the number under which the log knows the request; nothing of a business, a user or a body.
//
// The official SDK makes and samples the spans. Its own exporter would bring gRPC along, 14 MB of program that is not used, so they
// are sent from here.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/store"
)

// Tracer makes spans.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	// heed takes over the trace of whoever asks.
	heed bool
}

// FromEnvironment makes a tracer as the variables say, or none where they name no collector.
func FromEnvironment(ctx context.Context, version, database string, log *slog.Logger) (*Tracer, error) {
	e, err := newExporter(os.Getenv, log)
	if err != nil || e == nil {
		return nil, err
	}
	heed := true
	for _, name := range strings.Split(os.Getenv("OTEL_PROPAGATORS"), ",") {
		switch strings.TrimSpace(name) {
		case "", "tracecontext", "baggage": // of which there is none to pass on
		case "none":
			heed = false
		default:
			return nil, fmt.Errorf("OTEL_PROPAGATORS must be tracecontext or none, not %q", name)
		}
	}
	// What the variables say of the service wins.
	about, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "kith"), attribute.String("service.version", version),
			attribute.String("db.system.name", database)),
		resource.WithFromEnv(),
	)
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(e), sdk.WithResource(about))
	return &Tracer{provider: provider, tracer: provider.Tracer("kith"), heed: heed}, nil
}

// Close sends what is left.
func (t *Tracer) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// Handler gives each request its span.
func (t *Tracer) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		if t.heed {
			ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
		}
		ctx, span := t.tracer.Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		if !span.IsRecording() {
			next.ServeHTTP(w, r.WithContext(ctx))
			return
		}
		answer := &answer{ResponseWriter: w, status: http.StatusOK}
		inner := r.WithContext(ctx)
		next.ServeHTTP(answer, inner)
		if inner.Pattern != "" {
			span.SetName(r.Method + " " + inner.Pattern)
			span.SetAttributes(attribute.String("http.route", inner.Pattern))
		}
		span.SetAttributes(
			attribute.String("http.request.method", r.Method), attribute.Int("http.response.status_code", answer.status),
			attribute.String("kith.request_id", w.Header().Get("X-Request-Id")),
		)
		if answer.status >= 500 {
			span.SetStatus(codes.Error, "")
		}
	})
}

// answer remembers the status of an answer.
type answer struct {
	http.ResponseWriter
	status int
}

func (a *answer) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Observe is for store.Store.Observe. What belongs to no request, such as the work in the background, has no span.
func (t *Tracer) Observe(ctx context.Context, what string) (context.Context, func(time.Duration, error)) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, func(time.Duration, error) {}
	}
	ctx, span := t.tracer.Start(ctx, "store "+what, trace.WithSpanKind(trace.SpanKindInternal))
	return ctx, func(waited time.Duration, err error) {
		span.SetAttributes(attribute.Float64("kith.waited_ms", float64(waited.Microseconds())/1000))
		// An error may hold something of a record; its kind does not.
		if p := problem.As(err); p != nil {
			span.SetAttributes(attribute.String("error.type", string(p.Code)))
		} else if err != nil && !errors.Is(err, store.ErrNotFound) {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}
