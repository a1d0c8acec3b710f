package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/testworld"
)

func get(t *testing.T, url string) (status int, text string) {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// The operator sees how the server does, and nothing of those who use it.
func TestMetrics(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		business, token := newBusiness(t, db)
		r := start(t, "--db", db, "--metrics-addr", "127.0.0.1:0")
		at := r.log.entry(t, "metrics")["address"].(string)
		for range 3 {
			r.search(t, token)
		}
		r.search(t, "kith_pat_nothing")
		status, answer := r.post(t, token, "/contacts", `{"name":"Anna Secret","email":"anna@secret.example"}`)
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(answer), &made); err != nil || status != http.StatusCreated {
			t.Fatalf("%d: %s", status, answer)
		}
		get(t, r.url+"/v1/contacts/"+made.ID)
		get(t, r.url+"/v1/contacts/anna@secret.example")
		get(t, r.url+"/anna@secret.example?q=Secret")
		get(t, r.url+"/login")
		get(t, r.url+"/.well-known/oauth-authorization-server")

		status, page := get(t, at)
		if status != http.StatusOK {
			t.Fatalf("status %d: %s", status, page)
		}
		for _, want := range []string{
			`kith_http_requests_total{method="POST",route="/v1/contacts/search",status="200"} 3`,
			`kith_http_requests_total{method="POST",route="/v1/contacts/search",status="401"} 1`,
			`kith_http_requests_total{method="POST",route="/v1/contacts",status="201"} 1`,
			`kith_http_requests_total{method="GET",route="/v1/contacts/{id}",status="401"} 2`,
			`kith_http_requests_total{method="GET",route="/login",status="200"} 1`,
			`kith_http_requests_total{method="GET",route="/.well-known/oauth-authorization-server",status="200"} 1`,
			`kith_http_requests_total{method="GET",route="other",status="404"} 1`,
			`kith_http_request_duration_seconds_count{method="POST",route="/v1/contacts/search"} 4`,
			"kith_ready 1", "kith_store_write_queue 0", "kith_token_cache_misses_total 1", "kith_http_connections_dropped_total 0",
			"kith_webhook_lag_seconds 0", "kith_webhook_deliveries_total 0", "kith_webhook_requests 0",
		} {
			if !strings.Contains(page, "\n"+want+"\n") {
				t.Errorf("the page lacks %s", want)
			}
		}
		if !regexp.MustCompile(`\nkith_store_writes_total [1-9]`).MatchString(page) ||
			!regexp.MustCompile(`\ngo_goroutines [1-9]`).MatchString(page) ||
			!strings.Contains(page, "\nkith_"+strings.SplitN(db, ":", 2)[0]) {
			t.Error("figures are missing")
		}
		// A line is a name, labels and a number, and a name has its type before it.
		line := regexp.MustCompile(`^([a-z_]+?)(_bucket|_sum|_count)?(\{([a-z]+="([^"\\]|\\.)*",?)+\})? [0-9.e+-]+$`)
		typed := map[string]string{}
		for _, text := range strings.Split(strings.TrimSuffix(page, "\n"), "\n") {
			if of := strings.Fields(text); of[0] == "#" {
				if of[1] == "TYPE" {
					typed[of[2]] = of[3]
				}
				continue
			}
			of := line.FindStringSubmatch(text)
			if of == nil || typed[of[1]] == "" && typed[of[1]+of[2]] == "" {
				t.Errorf("the page has the line %s", text)
			}
		}
		for _, secret := range []string{"Secret", "secret.example", made.ID, business, token, "anna"} {
			if strings.Contains(page, secret) {
				t.Errorf("the page tells of %s", secret)
			}
		}
		if status, text := get(t, r.url+"/metrics"); status != http.StatusNotFound {
			t.Errorf("the address for everybody has metrics: %d %s", status, text)
		}
		if status, _ := get(t, strings.TrimSuffix(at, "/metrics")+"/readyz"); status != http.StatusOK {
			t.Errorf("the operator's address says %d to /readyz", status)
		}
		if t.Failed() {
			t.Log(page)
		}
	})
}

// A server that is told to stop says so to the load balancer, while it is alive.
func TestServerSaysThatItIsStopping(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	engine := testworld.Engine(t, testworld.Open(t, testworld.Database(t, "sqlite")))
	h, err := handler(ctx, engine, slog.New(slog.DiscardHandler), settings{address: "http://127.0.0.1:8080"})
	if err != nil {
		t.Fatal(err)
	}
	says := func(path string) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code
	}
	if before := says("/readyz"); before != http.StatusOK {
		t.Errorf("a server that serves says %d", before)
	}
	stop()
	if ready, alive := says("/readyz"), says("/healthz"); ready != http.StatusServiceUnavailable || alive != http.StatusOK {
		t.Errorf("a server that stops says %d to /readyz, and %d to /healthz", ready, alive)
	}
}

func TestServerGoesOnForAWhile(t *testing.T) {
	r := start(t, "--db", missingSQLite(t), "--stop-delay", "300ms")
	r.stop()
	if code := r.ended(t); code != 0 {
		t.Errorf("the server ends with %d: %s", code, r.log)
	}
	at := func(message string) time.Time {
		when, err := time.Parse(time.RFC3339Nano, r.log.entry(t, message)["time"].(string))
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	if took := at("stopped").Sub(at("stopping")); took < 300*time.Millisecond {
		t.Errorf("the server stopped after %v", took)
	}
}

func TestConfigTellsWhereValuesComeFrom(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("KITH_SMTP", "smtps://user:t0ps3cret@mail.example:465")
	t.Setenv("KITH_RATE_LIMIT", "50")
	t.Setenv("KITH_ADDR", "127.0.0.1:1")
	t.Setenv("PGPASSWORD", "t0ps3cret")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=t0ps3cret")
	args := []string{"config", "--addr", "127.0.0.1:2", "--db", "postgres://user:t0ps3cret@host/name?sslpassword=t0ps3cret"}
	from := map[string]string{}
	for _, s := range list(t, args...) {
		from[s["name"].(string)] = s["value"].(string) + " " + s["from"].(string)
	}
	for name, want := range map[string]string{
		"addr": "127.0.0.1:2 --addr", "rate-limit": "50 KITH_RATE_LIMIT", "rate-burst": "100 default",
		"smtp": "smtps://user:xxxxx@mail.example:465 KITH_SMTP",
		"db":   "postgres://user:xxxxx@host/name?sslpassword=xxxxx --db", "PGPASSWORD": "(set) environment",
		"OTEL_EXPORTER_OTLP_HEADERS": "(set) environment",
	} {
		if from[name] != want {
			t.Errorf("%s: %q, want %q", name, from[name], want)
		}
	}
	text := must(t, args...)
	for _, s := range list(t, args...) {
		if !strings.Contains(text, s["name"].(string)) {
			t.Errorf("the text does not tell of %s", s["name"])
		}
	}
	if strings.Contains(text, "t0ps3cret") {
		t.Errorf("a secret is shown: %s", text)
	}
	if code, _, errs := kith(t, "config", "--rate-limit", "many"); code != 2 || !strings.Contains(errs, "must be a whole number") {
		t.Errorf("what serve would refuse is not refused: %d, %s", code, errs)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("it left files behind: %v, %v", left, err)
	}
}
