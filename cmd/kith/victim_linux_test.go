package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// reply is what a server answered.
type reply struct {
	status     int
	code       string
	retryAfter string
	text       string
	replayed   bool
	took       time.Duration
}

// send asks a server for anything. A server that cannot be reached, or does not answer, is status 0.
func (v *victim) send(token, do, body, key string) (r reply) {
	method, path, _ := strings.Cut(do, " ")
	begin := time.Now()
	defer func() { r.took = time.Since(begin) }()
	req, err := http.NewRequest(method, v.url+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Version", "v1")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	switch {
	case strings.HasPrefix(path, "/oauth/"):
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	case body != "":
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := v.client.Do(req)
	if err != nil {
		return reply{text: err.Error()}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return reply{text: err.Error()}
	}
	var p struct{ Code string }
	_ = json.Unmarshal(text, &p)
	return reply{
		status: res.StatusCode, code: p.Code, retryAfter: res.Header.Get("Retry-After"),
		replayed: res.Header.Get("Idempotent-Replayed") == "true", text: string(text),
	}
}

// names counts the contacts by their names.
func (v *victim) names(t *testing.T, token string) map[string]int {
	t.Helper()
	names := map[string]int{}
	for cursor := ""; ; {
		var page struct {
			Data []struct{ Name string }
			Meta struct{ Cursor struct{ Next string } }
		}
		text := v.read(t, token, "/contacts/search", `{"limit":100,"fields":["name"]`+cursor+`}`)
		if err := json.Unmarshal(text, &page); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		for _, c := range page.Data {
			names[c.Name]++
		}
		if page.Meta.Cursor.Next == "" {
			return names
		}
		cursor = fmt.Sprintf(`,"cursor":%q`, page.Meta.Cursor.Next)
	}
}

// kill ends the server without a word, and waits until it is gone.
func (v *victim) kill() {
	_ = v.program.Process.Kill()
	_, _ = v.program.Process.Wait()
}

// read asks for something that must be answered.
func (v *victim) read(t *testing.T, token, path, body string) []byte {
	t.Helper()
	a := v.send(token, "POST /v1"+path, body, "")
	if a.status == 0 {
		t.Fatal(a.text)
	}
	return []byte(a.text)
}
