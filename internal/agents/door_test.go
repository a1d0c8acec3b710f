package agents_test

import (
	"net/http"
	"strings"
	"testing"

	"kith/internal/httpapi"
	"kith/internal/testworld"
)

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func initialize(version string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
}

func TestProtocol(t *testing.T) {
	w := newWorld(t, testworld.Database(t, testworld.Engines[0]), httpapi.Options{})
	t.Run("versions", func(t *testing.T) { testVersionsOfTheProtocol(t, w) })
	t.Run("door", func(t *testing.T) { testDoor(t, w) })
	t.Run("short texts", func(t *testing.T) { testToolTextsAreShort(t, w) })
}

func testVersionsOfTheProtocol(t *testing.T, w *world) {
	for asked, answered := range map[string]string{"2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2024-11-05": "2025-11-25", "2031-01-01": "2025-11-25"} {
		_, out := w.rpc(t, "admin", initialize(asked))
		if got := out["result"].(object)["protocolVersion"]; got != answered {
			t.Errorf("who asks for %s is answered %v", asked, got)
		}
	}
	// The newest has no handshake: every request says what it speaks.
	res, out := w.rpc(t, "admin", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list")
	if result, ok := out["result"].(object); !ok || len(result["tools"].([]any)) < 11 || result["cacheScope"] != "private" {
		t.Errorf("the newest: %d %v", res.StatusCode, out)
	}
	if res, _ := w.rpc(t, "admin", listTools, "MCP-Protocol-Version: 2024-11-05"); res.StatusCode != http.StatusBadRequest {
		t.Errorf("an old one: %d", res.StatusCode)
	}
	if res, _ := w.rpc(t, "admin", listTools); res.Header.Get("Mcp-Session-Id") != "" {
		t.Error("there is a session, which another server would not know")
	}
}

func testDoor(t *testing.T, w *world) {
	own := w.url
	for _, c := range []struct {
		rule   string
		as     string
		text   string
		header string
		status int
	}{
		{"a token lets in", "admin", listTools, "", 200},
		{"without a token nobody comes in", "", initialize("2025-11-25"), "", 401},
		{"nor with a wrong one", "admin", listTools, "Authorization: Bearer kith_pat_x", 401},
		{"pages of this server may call", "admin", listTools, "Origin: " + own, 200},
		{"pages of other sites may not", "admin", listTools, "Origin: https://evil.example", 403},
		{"nor those without a site", "admin", listTools, "Origin: null", 403},
		{"a name that is not the server's is refused on the own machine", "admin", listTools, "Host: evil.example", 403},
		{"a page on the own machine may call a server there", "admin", listTools, "Origin: http://localhost:6274", 200},
		{"messages come one by one", "admin", "[" + listTools + "," + listTools + "]", "", 400},
		{"also with no version named", "admin", " \n[" + listTools + "]", "MCP-Protocol-Version: ", 400},
		{"a body is bounded", "admin", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"` + strings.Repeat("x", httpapi.MaxBody) + `"}}`, "", 413},
		{"a body is JSON", "admin", "{", "", 400},
		{"a body says so", "admin", listTools, "Content-Type: text/plain", 415},
		{"compressed bodies are not taken", "admin", listTools, "Content-Encoding: gzip", 415},
	} {
		var header []string
		if c.header != "" {
			header = []string{c.header}
		}
		res, _ := w.rpc(t, c.as, c.text, header...)
		if res.StatusCode != c.status {
			t.Errorf("%s: %d, want %d", c.rule, res.StatusCode, c.status)
		}
		if res.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: without X-Request-Id", c.rule)
		}
		if challenge := res.Header.Get("WWW-Authenticate"); c.status == 401 && !strings.Contains(challenge, own+`/.well-known/oauth-protected-resource/mcp"`) {
			t.Errorf("%s: %s", c.rule, challenge)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		res, _ := testworld.Send(t, http.DefaultClient, testworld.Request(t, method, w.url+"/mcp", w.tokens["admin"], ""))
		if res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Allow") != "POST" {
			t.Errorf("%s: %d, %s", method, res.StatusCode, res.Header.Get("Allow"))
		}
	}
	preflight := testworld.Request(t, http.MethodOptions, w.url+"/mcp", "", "")
	preflight.Header.Set("Access-Control-Request-Method", "POST")
	if res, _ := testworld.Send(t, http.DefaultClient, preflight); res.StatusCode != http.StatusNoContent || !strings.Contains(res.Header.Get("Access-Control-Allow-Headers"), "MCP-Protocol-Version") {
		t.Errorf("a browser's question: %d, %v", res.StatusCode, res.Header)
	}
	// Nobody listens for long to what never changes.
	res, _ := w.rpc(t, "admin", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["kith://schema"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen")
	if res.StatusCode != http.StatusOK {
		t.Errorf("subscriptions: %d", res.StatusCode)
	}
}

// A call of a tool counts as one request, and what is over the rate is refused at the door.
func TestRate(t *testing.T) {
	w := newWorld(t, testworld.Database(t, testworld.Engines[0]), httpapi.Options{RateLimit: 1, RateBurst: 40})
	passed := 0
	for range 100 {
		res, _ := w.rpc(t, "admin", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"resource":"deal"}}}`)
		if res.StatusCode == http.StatusTooManyRequests {
			if res.Header.Get("Retry-After") == "" {
				t.Error("429 without Retry-After")
			}
			break
		}
		passed++
	}
	// While it was asked, some came back.
	if passed < 40 || passed == 100 {
		t.Errorf("%d calls of 40 and a few passed", passed)
	}
}

// What all models are given before they do anything is short.
func testToolTextsAreShort(t *testing.T, w *world) {
	_, answer := testworld.Send(t, http.DefaultClient, func() *http.Request {
		r := testworld.Request(t, http.MethodPost, w.url+"/mcp", w.tokens["admin"], listTools)
		r.Header.Set("Accept", "application/json, text/event-stream")
		return r
	}())
	if len(answer) > 8_000 {
		t.Errorf("tools/list has %d bytes", len(answer))
	}
	for _, resource := range []string{"contact", "deal", "task"} {
		if text, _ := w.call(t, "admin", "describe", object{"resource": resource}); len(text) > 1_800 {
			t.Errorf("describe %s has %d bytes", resource, len(text))
		}
	}
}
