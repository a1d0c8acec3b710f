package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// entries reads the log, one JSON object a line.
func (w *world) entries(t *testing.T) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, line := range strings.Split(strings.TrimSpace(w.log.String()), "\n") {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, entry)
	}
	return all
}

func TestEveryRequestIsLoggedWithoutItsSecrets(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		const secret = "t0p-s3cret"
		id := w.create(t, "contacts", `{"name":"`+secret+`","email":"`+secret+`@x.example"}`, "")
		steps := []step{
			{do: "GET /contacts/" + id, status: 200},
			{do: "GET /contacts/" + id + "?" + secret + "=" + secret, status: 422},
			{do: "PATCH /contacts/" + id, body: `{"` + secret + `":"` + secret + `"}`, status: 422},
			{do: "PATCH /contacts/" + id, body: `{"` + secret, status: 400},
			{do: "POST /contacts/search", body: `{"search_text":"` + secret + `"}`, status: 200},
			{do: "POST /contacts/search", send: []string{"Authorization: Bearer " + secret}, status: 401},
			{do: "POST /contacts/search", send: []string{"Authorization: Basic " + secret}, status: 401},
			{do: "POST /contacts/search", send: []string{"Version: " + secret}, status: 400},
			{
				do: "POST /contacts/search", send: []string{"Cookie: " + secret, "X-Request-Id: " + secret, "User-Agent: " + secret},
				status: 200,
			},
			{do: "PUT /contacts/" + id, body: secret, status: 405},
			{do: "GET /nowhere/" + secret, status: 404},
		}
		want := map[string]int{}
		for _, s := range steps {
			want[w.check(t, s).header.Get("X-Request-Id")] = s.status
		}
		for _, entry := range w.entries(t) {
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
			"something of a request": secret, "the token": w.tokens["admin"],
			"a part of the token": w.tokens["admin"][9:30],
		} {
			if strings.Contains(w.log.String(), text) {
				t.Errorf("the log holds %s", name)
			}
		}
	})
}

func TestADatabaseThatIsGoneLeaksNothing(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		t.Parallel()
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		token := w.tokens["admin"]
		if err := w.store.Close(); err != nil {
			t.Fatal(err)
		}
		for _, do := range []string{
			"GET /contacts/" + w.vars["anna"], "POST /contacts/search", "POST /contacts",
			"DELETE /contacts/" + w.vars["anna"],
		} {
			a := w.send(t, step{do: do})
			if a.status != 503 || at(a.json, "code") != "database_unavailable" || a.header.Get("Retry-After") == "" ||
				a.header.Get("Content-Type") != "application/problem+json" {
				t.Fatalf("%s: status %d: %s", do, a.status, a.text)
			}
			id := a.header.Get("X-Request-Id")
			if at(a.json, "request_id") != id {
				t.Errorf("%s: the problem says %v, the header %s", do, at(a.json, "request_id"), id)
			}
			lower := strings.ToLower(requestID.ReplaceAllString(string(a.text), "")) // whose letters are random
			for _, leak := range []string{"sql", "select", "store", "pool", "closed", ".go", "goroutine", "panic", "postgres", "pgx"} {
				if strings.Contains(lower, leak) {
					t.Errorf("%s: the answer tells %q: %s", do, leak, a.text)
				}
			}
			found := false
			for _, entry := range w.entries(t) {
				found = found || entry["request_id"] == id && entry["level"] == "ERROR" && entry["error"] != nil
			}
			if !found {
				t.Errorf("%s: the log does not explain %s: %s", do, id, w.log)
			}
		}
		a := w.send(t, step{do: "GET !/readyz"})
		if a.status != 503 || at(a.json, "code") != "service_unavailable" || at(a.json, "detail") != "The database does not answer." ||
			a.header.Get("Retry-After") == "" {
			t.Errorf("the page of readiness says %d: %s", a.status, a.text)
		}
		if a := w.send(t, step{do: "GET !/healthz"}); a.status != 200 { // being started anew would not help the database
			t.Errorf("the health page says %d: %s", a.status, a.text)
		}
		if strings.Contains(w.log.String(), token) {
			t.Error("the log holds the token")
		}
	})
}
