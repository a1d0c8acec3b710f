// Package operator_test proves what the operator of kith relies on with what others wrote: certificates from a real ACME authority
// (pebble, which Let's Encrypt tests clients with), metrics read by Prometheus's own parser, and traces by the definitions of
// OpenTelemetry. It is a module of its own, so that kith itself depends on none of them. scripts/operator-test runs it.
package operator_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// long is how long anything may take before a test gives up on it.
const long = 2 * time.Minute

// program is where scripts/operator-test has put a program.
func program(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("KITH_TEST_PROGRAMS")
	if dir == "" {
		t.Fatal("KITH_TEST_PROGRAMS is not set: run scripts/operator-test")
	}
	return filepath.Join(dir, name)
}

// begin runs a program until the test ends, and gives the lines that it writes.
func begin(t *testing.T, env []string, name string, args ...string) (*exec.Cmd, <-chan string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t, name), args...)
	cmd.Env = append(os.Environ(), env...)
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	lines := make(chan string, 10_000)
	go func() {
		defer close(lines)
		for scan := bufio.NewScanner(in); scan.Scan(); {
			select {
			case lines <- scan.Text():
			default: // nobody reads so much
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		in.Close()
		if t.Failed() {
			for line := range lines {
				t.Log(name + ": " + line)
			}
		}
	})
	return cmd, lines
}

// serving waits until kith says where it is: at the address of the message.
func address(t *testing.T, lines <-chan string, message string) string {
	t.Helper()
	deadline := time.After(long)
	for {
		select {
		case line, more := <-lines:
			var e struct{ Msg, Address string }
			if json.Unmarshal([]byte(line), &e) == nil && e.Msg == message {
				return e.Address
			}
			if !more {
				t.Fatalf("kith ended before it said %q", message)
			}
		case <-deadline:
			t.Fatalf("kith never said %q", message)
		}
	}
}

// business makes one in a new database, and gives the database and a token.
func business(t *testing.T) (db, token string) {
	t.Helper()
	db = "sqlite:" + filepath.Join(t.TempDir(), "kith.db")
	out, err := exec.CommandContext(t.Context(), program(t, "kith"), "business", "create", "--db", db, "--name", "Harbour",
		"--admin-email", "anna@harbour.example", "--admin-password", "correct horse", "--json").Output()
	var made struct{ Token string }
	if err == nil {
		err = json.Unmarshal(out, &made)
	}
	if err != nil {
		t.Fatal(err)
	}
	return db, made.Token
}

func me(t *testing.T, client *http.Client, url, token string, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/v1/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Version", "v1")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	return res
}

func TestPrometheusReadsTheMetrics(t *testing.T) {
	db, token := business(t)
	_, lines := begin(t, nil, "kith", "serve", "--db", db, "--addr", "127.0.0.1:0", "--metrics-addr", "127.0.0.1:0")
	metrics := address(t, lines, "metrics")
	url := address(t, lines, "serving")
	for range 3 {
		me(t, http.DefaultClient, url, token)
	}
	res, err := http.Get(metrics)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if form := expfmt.ResponseFormat(res.Header); form.FormatType() != expfmt.TypeTextPlain {
		t.Errorf("the page is sent as %s", res.Header.Get("Content-Type"))
	}
	var parser expfmt.TextParser
	families, err := parser.TextToMetricFamilies(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]dto.MetricType{
		"kith_http_requests_total": dto.MetricType_COUNTER, "kith_http_request_duration_seconds": dto.MetricType_HISTOGRAM,
		"kith_ready":             dto.MetricType_GAUGE,
		"kith_store_write_queue": dto.MetricType_GAUGE, "kith_store_writes_total": dto.MetricType_COUNTER,
		"kith_sqlite_file_bytes": dto.MetricType_GAUGE, "go_goroutines": dto.MetricType_GAUGE,
	} {
		f := families[name]
		if f == nil || f.GetType() != kind || f.GetHelp() == "" || len(f.Metric) == 0 {
			t.Errorf("%s is %v", name, f)
		}
	}
	for _, m := range families["kith_http_request_duration_seconds"].GetMetric() {
		h := m.GetHistogram()
		if buckets := h.GetBucket(); len(buckets) < 10 || buckets[len(buckets)-1].GetCumulativeCount() != h.GetSampleCount() ||
			h.GetSampleCount() != 3 || h.GetSampleSum() <= 0 {
			t.Errorf("the histogram is %v", h)
		}
	}
}

// The collector is whoever reads what the protocol's own definitions say.
func TestTracesAreRead(t *testing.T) {
	got := make(chan *tracepb.TracesData, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Errorf("the body is not compressed: %v", err)
			return
		}
		text, err := io.ReadAll(body)
		var data tracepb.TracesData // it is like a request to a collector, field by field
		if err == nil {
			err = proto.Unmarshal(text, &data)
		}
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" ||
			r.Header.Get("X-Key") != "a b" || len(data.ProtoReflect().GetUnknown()) > 0 {
			t.Errorf("%s %s %v: %v", r.Method, r.URL, r.Header, err)
		}
		got <- &data
	}))
	defer collector.Close()
	db, token := business(t)
	program, lines := begin(t, []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, "OTEL_EXPORTER_OTLP_HEADERS=x-key=a%20b", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
		"OTEL_BSP_SCHEDULE_DELAY=100",
		"OTEL_SERVICE_NAME=crm", "OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=test",
	}, "kith", "serve", "--db", db, "--addr", "127.0.0.1:0")
	url := address(t, lines, "serving")
	const caller, above = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	res := me(t, http.DefaultClient, url, token, "traceparent", "00-"+caller+"-"+above+"-01")
	id := res.Header.Get("X-Request-Id")
	// whose caller does not record it
	me(t, http.DefaultClient, url, token, "traceparent", "00-00000000000000000000000000000001-0000000000000001-00")
	// what is left is sent then
	if err := program.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var root *tracepb.Span
	var below []*tracepb.Span
	deadline := time.After(long)
	for root == nil {
		select {
		case data := <-got:
			for _, rs := range data.ResourceSpans {
				about := map[string]string{}
				for _, a := range rs.Resource.Attributes {
					about[a.Key] = a.Value.GetStringValue()
				}
				if about["service.name"] != "crm" || about["deployment.environment.name"] != "test" || about["service.version"] == "" ||
					about["db.system.name"] != "sqlite" {
					t.Errorf("the resource is %v", about)
				}
				for _, ss := range rs.ScopeSpans {
					if ss.Scope.GetName() != "kith" {
						t.Errorf("the scope is %v", ss.Scope)
					}
					for _, s := range ss.Spans {
						if len(s.ProtoReflect().GetUnknown()) > 0 || s.EndTimeUnixNano < s.StartTimeUnixNano ||
							time.Since(time.Unix(0, int64(s.StartTimeUnixNano))) > time.Hour {
							t.Errorf("a span is %v", s)
						}
						if hex.EncodeToString(s.TraceId) != caller {
							t.Errorf("a span has the trace %x", s.TraceId)
							continue
						}
						if s.Kind == tracepb.Span_SPAN_KIND_SERVER {
							root = s
						} else {
							below = append(below, s)
						}
					}
				}
			}
		case <-deadline:
			t.Fatal("no span was sent")
		}
	}
	said := map[string]string{}
	for _, a := range root.Attributes {
		said[a.Key] = a.Value.GetStringValue() + fmt.Sprint(a.Value.GetIntValue())
	}
	if root.Name != "GET /v1/me" || hex.EncodeToString(root.ParentSpanId) != above || said["http.route"] != "/v1/me0" ||
		said["http.response.status_code"] != "200" || said["kith.request_id"] != id+"0" {
		t.Errorf("the request's span is %v", root)
	}
	if len(below) == 0 {
		t.Error("nothing tells of the database")
	}
	for _, s := range below {
		if !bytes.Equal(s.ParentSpanId, root.SpanId) || !strings.HasPrefix(s.Name, "store ") || s.Kind != tracepb.Span_SPAN_KIND_INTERNAL {
			t.Errorf("a span below is %v", s)
		}
	}
}

// free gives ports that nobody has.
func free(t *testing.T, n int) (ports []string) {
	t.Helper()
	var all []net.Listener
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	for _, l := range all {
		l.Close()
	}
	return ports
}

// identity makes a certificate for the authority's own address, which is trusted by the file that it gives.
func identity(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	what := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, what, what, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "authority.pem"), filepath.Join(dir, "authority-key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// A certificate is had from an authority that really connects back, kept, and used again by the next server.
func TestCertificateByACME(t *testing.T) {
	dir := t.TempDir()
	cert, key := identity(t, dir)
	ports := free(t, 5)
	acme, management, names, tlsPort, httpPort := ports[0], ports[1], ports[2], ports[3], ports[4]
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": "127.0.0.1:" + acme, "managementListenAddress": "127.0.0.1:" + management, "certificate": cert, "privateKey": key,
		"tlsPort": json.Number(tlsPort), "httpPort": json.Number(httpPort), "retryAfter": map[string]int{"authz": 1, "order": 1},
		"profiles": map[string]any{"default": map[string]any{"description": "default", "validityPeriod": 7776000}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pebble.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	begin(t, nil, "pebble-challtestsrv", "-dnsserver", "127.0.0.1:"+names, "-defaultIPv6", "", "-http01", "", "-https01", "",
		"-tlsalpn01", "", "-doh", "", "-management", "127.0.0.1:0")
	begin(t, []string{"PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0"}, "pebble", "-config", file, "-dnsserver", "127.0.0.1:"+names,
		"-strict")

	roots := x509.NewCertPool()
	text, err := os.ReadFile(cert)
	if err != nil || !roots.AppendCertsFromPEM(text) {
		t.Fatal(err)
	}
	authority := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}, Timeout: long}
	trusted := x509.NewCertPool()
	for deadline := time.Now().Add(long); ; time.Sleep(50 * time.Millisecond) { // until the authority is there
		res, err := authority.Get("https://127.0.0.1:" + management + "/roots/0")
		if err == nil {
			text, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		if err == nil && trusted.AppendCertsFromPEM(text) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the authority does not answer: %v", err)
		}
	}

	const host = "crm.kith.example"
	db, token := business(t)
	kept := filepath.Join(dir, "kept")
	client := &http.Client{Timeout: long, Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: trusted, ServerName: host},
		DisableKeepAlives: true,
	}}
	var serial *big.Int
	for _, time := range []string{"first", "second"} {
		cmd, lines := begin(t, []string{"SSL_CERT_FILE=" + cert}, "kith", "serve", "--db", db, "--addr", "127.0.0.1:"+tlsPort, "--origin",
			"https://"+host, "--redirect-addr", "127.0.0.1:"+httpPort,
			"--acme-hosts", host, "--acme-dir", kept, "--acme-url", "https://127.0.0.1:"+acme+"/dir", "--acme-email", "ops@kith.example")
		url := address(t, lines, "serving")
		res := me(t, client, url, token)
		if res.StatusCode != http.StatusOK || len(res.TLS.PeerCertificates) == 0 {
			t.Fatalf("the %s server answers %s", time, res.Status)
		}
		leaf := res.TLS.PeerCertificates[0]
		if err := leaf.VerifyHostname(host); err != nil {
			t.Error(err)
		}
		if serial != nil && leaf.SerialNumber.Cmp(serial) != 0 {
			t.Error("the second server did not use the certificate that was kept")
		}
		serial = leaf.SerialNumber
		// Nobody gets a certificate for another name out of it.
		if conn, err := tls.Dial("tcp", strings.TrimPrefix(url, "https://"),
			&tls.Config{ServerName: "other.kith.example", InsecureSkipVerify: true}); err == nil {
			conn.Close()
			t.Error("a certificate for another name was made")
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the %s server ends with %v", time, err)
		}
	}
	all, err := os.ReadDir(kept)
	if err != nil || len(all) == 0 {
		t.Fatalf("nothing was kept: %v", err)
	}
	for _, f := range all {
		if info, err := f.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v, %v", f.Name(), info.Mode(), err)
		}
	}
}
