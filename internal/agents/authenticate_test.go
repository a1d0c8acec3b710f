package agents_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/testworld"
)

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func initialize(version string) string {
	return `{"jsonrpc":"2.0","id":1,` +
		`"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
}

func TestProtocol(t *testing.T) {
	w := newWorld(t, testworld.Database(t, testworld.Engines[0]), httpapi.Options{})
	t.Run("versions", func(t *testing.T) { testVersionsOfTheProtocol(t, w) })
	t.Run("authentication", func(t *testing.T) { testAuthentication(t, w) })
	t.Run("errors", func(t *testing.T) { testErrorsOfTheProtocol(t, w) })
	t.Run("short texts", func(t *testing.T) { testToolTextsAreShort(t, w) })
}

func testVersionsOfTheProtocol(t *testing.T, w *world) {
	for asked, answered := range map[string]string{
		"2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2024-11-05": "2025-11-25",
		"2031-01-01": "2025-11-25",
	} {
		_, out := w.rpc(t, "admin", initialize(asked))
		if got := out["result"].(object)["protocolVersion"]; got != answered {
			t.Errorf("who asks for %s is answered %v", asked, got)
		}
	}
	// The newest has no handshake: every request says what it speaks.
	res, out := w.rpc(t, "admin", `{"jsonrpc":"2.0","id":1,"method":"tools/list",`+
		`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test",`+
		`"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
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

func testAuthentication(t *testing.T, w *world) {
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
		{"a body is bounded", "admin", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"` + strings.Repeat("x",
			httpapi.MaxBody) + `"}}`, "", 413},
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
		if challenge := res.Header.Get("WWW-Authenticate"); c.status == 401 &&
			!strings.Contains(challenge, own+`/.well-known/oauth-protected-resource/mcp"`) {
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
	if res, _ := testworld.Send(t, http.DefaultClient, preflight); res.StatusCode != http.StatusNoContent ||
		!strings.Contains(res.Header.Get("Access-Control-Allow-Headers"), "MCP-Protocol-Version") {
		t.Errorf("a browser's question: %d, %v", res.StatusCode, res.Header)
	}
	// Nobody listens for long to what never changes.
	res, _ := w.rpc(t, "admin", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",`+
		`"params":{"notifications":{"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["kith://schema"]},`+
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test",`+
		`"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen")
	if res.StatusCode != http.StatusOK {
		t.Errorf("subscriptions: %d", res.StatusCode)
	}
}

// Whatever is wrong with a message, the answer is an error of JSON-RPC with the code for it and the message's id, in each version of
// the protocol.
func testErrorsOfTheProtocol(t *testing.T, w *world) {
	for _, c := range []struct {
		rule, text string
		id         any
		status     int
		code       float64
		header     string
	}{
		{"a method that is not there", `{"jsonrpc":"2.0","id":7,"method":"tools/frob","params":{}}`, 7.0, 200, -32601, ""},
		{"nor without params", `{"jsonrpc":"2.0","id":"a\"b","method":"frob"}`, `a"b`, 200, -32601, ""},
		{
			"a method that the server does not have",
			`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}`, 7.0, 200, -32601, "",
		},
		{"a notification that is not there has no id", `{"jsonrpc":"2.0","method":"notifications/frob"}`, nil, 400, -32601, ""},
		{"no params where there must be", `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, 7.0, 200, -32602, ""},
		{"params of another kind", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}`, 7.0, 200, -32602, ""},
		{"a tool that is not there", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"frob"}}`, 7.0, 200, -32602, ""},
		{
			"a resource that is not there",
			`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"kith://frob"}}`, 7.0, 200, -32602, "",
		},
		{"a call without an id", `{"jsonrpc":"2.0","method":"tools/list"}`, nil, 400, -32600, ""},
		{"a notification with an id", `{"jsonrpc":"2.0","id":7,"method":"notifications/initialized"}`, 7.0, 400, -32600, ""},
		{"another version of JSON-RPC", `{"jsonrpc":"1.0","id":7,"method":"tools/list"}`, 7.0, 400, -32600, ""},
		{"an id that is none", `{"jsonrpc":"2.0","id":{},"method":"frob"}`, nil, 400, -32600, ""},
		{"no object", `7`, nil, 400, -32600, ""},
		{"several messages", `[` + listTools + `]`, nil, 400, -32600, ""},
		{"no JSON", `{"jsonrpc":`, nil, 400, -32700, ""},
		{"nothing", ``, nil, 400, -32600, "Content-Type: application/json"},
		{"a version that is not spoken", listTools, 1.0, 400, -32600, "MCP-Protocol-Version: 2024-11-05"},
		{"an answer of no form that there is", listTools, 1.0, 400, -32600, "Accept: text/plain"},
		{"a page of another site", listTools, nil, 403, -32600, "Origin: https://evil.example"},
	} {
		var header []string
		if c.header != "" {
			header = []string{c.header}
		}
		res, out := w.rpc(t, "admin", c.text, header...)
		fault, _ := out["error"].(object)
		message, _ := fault["message"].(string)
		_, answered := out["id"]
		if res.StatusCode != c.status || out["jsonrpc"] != "2.0" || out["id"] != c.id || !answered || fault["code"] != c.code ||
			message == "" || out["result"] != nil {
			t.Errorf("%s: %d %v", c.rule, res.StatusCode, out)
		}
	}
	res, out := w.rpc(t, "admin", `{"jsonrpc":"2.0","id":7,"method":"frob","params":{"_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28",
		"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},
		"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: frob")
	// As the newest version wants it.
	if fault, _ := out["error"].(object); res.StatusCode != http.StatusNotFound || fault["code"] != -32601.0 {
		t.Errorf("in the newest version: %d %v", res.StatusCode, out)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		res, text := testworld.Send(t, http.DefaultClient, testworld.Request(t, method, w.url+"/mcp", w.tokens["admin"], ""))
		if res.StatusCode != http.StatusMethodNotAllowed || !strings.Contains(string(text), `"code":-32600`) {
			t.Errorf("%s: %d %s", method, res.StatusCode, text)
		}
	}
}

// A call of a tool counts as one request, and what is over the rate is refused before the tool is called.
func TestRate(t *testing.T) {
	w := newWorld(t, testworld.Database(t, testworld.Engines[0]), httpapi.Options{RateLimit: 1, RateBurst: 40})
	passed := 0
	for range 100 {
		res, _ := w.rpc(t, "admin", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search",`+
			`"arguments":{"resource":"deal"}}}`)
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
