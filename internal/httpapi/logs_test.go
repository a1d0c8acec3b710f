package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

// entries reads the log, one JSON object a line.
func entries(w *World, t *testing.T) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, line := range strings.Split(strings.TrimSpace(w.Log.String()), "\n") {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, entry)
	}
	return all
}

func TestEveryRequestIsLoggedWithoutItsSecrets(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		const secret = "t0p-s3cret"
		id := w.Create(t, "contacts", `{"name":"`+secret+`","email":"`+secret+`@x.example"}`, "")
		steps := []Step{
			{Do: "GET /contacts/" + id, Status: 200},
			{Do: "GET /contacts/" + id + "?" + secret + "=" + secret, Status: 422},
			{Do: "PATCH /contacts/" + id, Body: `{"` + secret + `":"` + secret + `"}`, Status: 422},
			{Do: "PATCH /contacts/" + id, Body: `{"` + secret, Status: 400},
			{Do: "POST /contacts/search", Body: `{"search_text":"` + secret + `"}`, Status: 200},
			{Do: "POST /contacts/search", Send: []string{"Authorization: Bearer " + secret}, Status: 401},
			{Do: "POST /contacts/search", Send: []string{"Authorization: Basic " + secret}, Status: 401},
			{Do: "POST /contacts/search", Send: []string{"Version: " + secret}, Status: 400},
			{
				Do: "POST /contacts/search", Send: []string{"Cookie: " + secret, "X-Request-Id: " + secret, "User-Agent: " + secret},
				Status: 200,
			},
			{Do: "PUT /contacts/" + id, Body: secret, Status: 405},
			{Do: "GET /nowhere/" + secret, Status: 404},
		}
		want := map[string]int{}
		for _, s := range steps {
			want[w.Check(t, s).Header.Get("X-Request-Id")] = s.Status
		}
		for _, entry := range entries(w, t) {
			id, _ := entry["request_id"].(string)
			status, asked := want[id]
			if !asked {
				continue
			}
			if entry["status"] != float64(status) || entry["method"] == "" || entry["address"] != "127.0.0.1" {
				t.Errorf("the entry says %v, want status %d", entry, status)
			}
			delete(want, id)
		}
		if len(want) > 0 {
			t.Errorf("these requests are not in the log: %v", want)
		}
		for name, text := range map[string]string{
			"something of a request": secret, "the token": w.Tokens["admin"],
			"a part of the token": w.Tokens["admin"][9:30],
		} {
			if strings.Contains(w.Log.String(), text) {
				t.Errorf("the log holds %s", name)
			}
		}
	})
}

func TestADatabaseThatIsGoneLeaksNothing(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		t.Parallel()
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		token := w.Tokens["admin"]
		if err := w.Store.Close(); err != nil {
			t.Fatal(err)
		}
		for _, do := range []string{
			"GET /contacts/" + w.Vars["anna"], "POST /contacts/search", "POST /contacts",
			"DELETE /contacts/" + w.Vars["anna"],
		} {
			a := w.Send(t, Step{Do: do})
			if a.Status != 503 || At(a.JSON, "code") != "database_unavailable" || a.Header.Get("Retry-After") == "" ||
				a.Header.Get("Content-Type") != "application/problem+json" {
				t.Fatalf("%s: status %d: %s", do, a.Status, a.Text)
			}
			id := a.Header.Get("X-Request-Id")
			if At(a.JSON, "request_id") != id {
				t.Errorf("%s: the problem says %v, the header %s", do, At(a.JSON, "request_id"), id)
			}
			lower := strings.ToLower(requestID.ReplaceAllString(string(a.Text), "")) // whose letters are random
			for _, leak := range []string{"sql", "select", "store", "pool", "closed", ".go", "goroutine", "panic", "postgres", "pgx"} {
				if strings.Contains(lower, leak) {
					t.Errorf("%s: the answer tells %q: %s", do, leak, a.Text)
				}
			}
			found := false
			for _, entry := range entries(w, t) {
				found = found || entry["request_id"] == id && entry["level"] == "ERROR" && entry["error"] != nil
			}
			if !found {
				t.Errorf("%s: the log does not explain %s: %s", do, id, w.Log)
			}
		}
		a := w.Send(t, Step{Do: "GET !/readyz"})
		if a.Status != 503 || At(a.JSON, "code") != "service_unavailable" || At(a.JSON, "detail") != "The database does not answer." ||
			a.Header.Get("Retry-After") == "" {
			t.Errorf("the page of readiness says %d: %s", a.Status, a.Text)
		}
		if a := w.Send(t, Step{Do: "GET !/healthz"}); a.Status != 200 { // being started anew would not help the database
			t.Errorf("the health page says %d: %s", a.Status, a.Text)
		}
		if strings.Contains(w.Log.String(), token) {
			t.Error("the log holds the token")
		}
	})
}
