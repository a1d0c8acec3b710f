package tracing

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// exporter sends spans by OTLP over HTTP, in the binary form.
type exporter struct {
	url    string
	header http.Header
	gzip   bool
	client *http.Client
	log    *slog.Logger
	// failing tells that the last attempt failed, so that an illness of the collector's is logged once.
	failing atomic.Bool
}

// newExporter makes one as the variables of the specification say, or none where there is no collector.
func newExporter(env func(string) string, log *slog.Logger) (*exporter, error) {
	// A variable for traces wins over that for everything.
	either := func(name string) (value, from string) {
		from = "OTEL_EXPORTER_OTLP_TRACES_" + name
		if value = env(from); value == "" {
			from = "OTEL_EXPORTER_OTLP_" + name
			value = env(from)
		}
		return value, from
	}
	if strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
	}
	switch which := env("OTEL_TRACES_EXPORTER"); which {
	case "", "otlp":
	case "none":
		return nil, nil
	default:
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER must be otlp or none, not %q", which)
	}
	address, from := either("ENDPOINT")
	if address == "" {
		return nil, nil
	}
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return nil, fmt.Errorf("%s must be an address such as http://127.0.0.1:4318", from)
	}
	if from == "OTEL_EXPORTER_OTLP_ENDPOINT" {
		at = at.JoinPath("v1/traces")
	}
	if protocol, from := either("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return nil, fmt.Errorf("%s must be http/protobuf, not %q", from, protocol)
	}
	e := &exporter{url: at.String(), header: http.Header{}, log: log, client: &http.Client{Timeout: 10 * time.Second}}
	if text, from := either("TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms < 1 {
			return nil, fmt.Errorf("%s must be a number of milliseconds, not %q", from, text)
		}
		e.client.Timeout = time.Duration(ms) * time.Millisecond
	}
	switch how, from := either("COMPRESSION"); how {
	case "", "none":
	case "gzip":
		e.gzip = true
	default:
		return nil, fmt.Errorf("%s must be gzip or none, not %q", from, how)
	}
	headers, from := either("HEADERS")
	for _, pair := range strings.Split(headers, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !found || name == "" || err != nil {
			return nil, fmt.Errorf("%s must be NAME=VALUE, separated by commas", from)
		}
		e.header.Set(name, value)
	}
	if file, from := either("CERTIFICATE"); file != "" {
		text, err := os.ReadFile(file)
		roots := x509.NewCertPool()
		if err == nil && !roots.AppendCertsFromPEM(text) {
			err = errors.New("there is no certificate in it")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
		e.client.Transport = transport
	}
	return e, nil
}

// ExportSpans sends spans. What cannot be sent is lost: no request waits for a collector, and a queue of the SDK's bounds what is kept.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.send(ctx, appendRequest(nil, spans))
	if err != nil && !e.failing.Swap(true) {
		e.log.Warn("traces could not be sent, and are dropped until they can", "error", err)
	}
	if err == nil && e.failing.Swap(false) {
		e.log.Info("traces are sent again")
	}
	return nil // the SDK would only print it
}

func (e *exporter) send(ctx context.Context, body []byte) error {
	if e.gzip {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := w.Write(body)
		if err = errors.Join(err, w.Close()); err != nil {
			return err
		}
		body = packed.Bytes()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = e.header.Clone()
	req.Header.Set("Content-Type", "application/x-protobuf")
	if e.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	res, err := e.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)); err != nil {
		return err
	}
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %s", res.Status)
	}
	return nil
}

// Shutdown has nothing to end.
func (e *exporter) Shutdown(context.Context) error { return nil }
