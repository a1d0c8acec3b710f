package tracing

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/store"
)

// environment sets the variables of a test, and none of OpenTelemetry's beside them.
func environment(t *testing.T, pairs ...string) {
	t.Helper()
	for _, name := range []string{
		"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_PROPAGATORS", "OTEL_TRACES_SAMPLER",
	} {
		t.Setenv(name, "")
	}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
}

func TestVariables(t *testing.T) {
	const at = "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318"
	for _, tt := range []struct {
		name, url, wrong string
		env              []string
	}{
		{name: "off without a collector"},
		{name: "off when disabled", env: []string{at, "OTEL_SDK_DISABLED=true"}},
		{name: "off without an exporter", env: []string{at, "OTEL_TRACES_EXPORTER=none"}},
		{name: "below the address for everything", env: []string{at + "/otlp/"}, url: "http://127.0.0.1:4318/otlp/v1/traces"},
		{
			name: "at the address for traces", env: []string{at, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://collector.example/x"},
			url: "https://collector.example/x",
		},
		{name: "all that can be set", env: []string{
			at, "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", "OTEL_EXPORTER_OTLP_TIMEOUT=500", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
			"OTEL_EXPORTER_OTLP_HEADERS=a=b%20c, d=e", "OTEL_PROPAGATORS=tracecontext,baggage",
		}, url: "http://127.0.0.1:4318/v1/traces"},
		{
			name: "no address", env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=127.0.0.1:4318"},
			wrong: "OTEL_EXPORTER_OTLP_ENDPOINT must be an address",
		},
		{
			name: "another protocol", env: []string{at, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"},
			wrong: "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf",
		},
		{name: "another exporter", env: []string{at, "OTEL_TRACES_EXPORTER=zipkin"}, wrong: "OTEL_TRACES_EXPORTER must be otlp or none"},
		{
			name: "another compression", env: []string{at, "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=br"},
			wrong: "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION must be gzip",
		},
		{name: "no time", env: []string{at, "OTEL_EXPORTER_OTLP_TIMEOUT=soon"}, wrong: "milliseconds"},
		{name: "no headers", env: []string{at, "OTEL_EXPORTER_OTLP_HEADERS=secret"}, wrong: "NAME=VALUE"},
		{name: "no certificate", env: []string{at, "OTEL_EXPORTER_OTLP_CERTIFICATE=/nowhere.pem"}, wrong: "OTEL_EXPORTER_OTLP_CERTIFICATE"},
		{
			name: "another way to pass traces on", env: []string{at, "OTEL_PROPAGATORS=b3"},
			wrong: "OTEL_PROPAGATORS must be tracecontext or none",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			environment(t, tt.env...)
			tracer, err := FromEnvironment(t.Context(), "v1", "sqlite", slog.New(slog.DiscardHandler))
			switch {
			case tt.wrong != "":
				if err == nil || !strings.Contains(err.Error(), tt.wrong) || strings.Contains(err.Error(), "secret") {
					t.Errorf("%v, want %s", err, tt.wrong)
				}
				return
			case err != nil:
				t.Fatal(err)
			case (tracer == nil) != (tt.url == ""):
				t.Errorf("the tracer is %v", tracer)
			}
			if tracer == nil {
				return
			}
			defer tracer.Close(context.Background())
			e, err := newExporter(func(name string) string {
				for _, pair := range tt.env {
					if value, ok := strings.CutPrefix(pair, name+"="); ok {
						return value
					}
				}
				return ""
			}, nil)
			if err != nil || e.url != tt.url {
				t.Errorf("spans go to %v, %v", e, err)
			}
		})
	}
}

// A collector that is not there costs nobody anything, and is told of once.
func TestCollectorThatFails(t *testing.T) {
	collector := httptest.NewServer(http.NotFoundHandler())
	defer collector.Close()
	environment(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL)
	var log strings.Builder
	tracer, err := FromEnvironment(t.Context(), "v1", "sqlite", slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	h := tracer.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, ended := tracer.Observe(r.Context(), "read")
		ended(time.Millisecond, errors.Join(store.ErrNotFound))
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Errorf("the connection is out of reach: %v", err)
		}
	}))
	for range 3 {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		if err := tracer.provider.ForceFlush(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := tracer.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "traces could not be sent"); n != 1 || !strings.Contains(log.String(), "404") {
		t.Errorf("it is told of %d times: %s", n, log.String())
	}
}
