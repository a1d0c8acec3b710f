package agents

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The library answers what it refuses before it has looked for a method as plain text. Clients read JSON-RPC, so that is what they get.

// message is what can be told of a message that was refused.
type message struct {
	ID      json.RawMessage `json:"id"`
	Version string          `json:"jsonrpc"`
	Method  string          `json:"method"`
}

// rpcAnswer holds back an answer that is plain text, until end says it in the form of the protocol.
type rpcAnswer struct {
	http.ResponseWriter
	status int
	reason strings.Builder
}

func (r *rpcAnswer) WriteHeader(status int) {
	if status >= 400 && strings.HasPrefix(r.Header().Get("Content-Type"), "text/plain") {
		r.status = status
		return
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *rpcAnswer) Write(text []byte) (int, error) {
	if r.status != 0 {
		return r.reason.Write(text)
	}
	return r.ResponseWriter.Write(text)
}

// Unwrap is how a controller of the answer reaches what it controls.
func (r *rpcAnswer) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Flush sends what was written; some ask for it by name.
func (r *rpcAnswer) Flush() {
	if r.status == 0 {
		_ = http.NewResponseController(r.ResponseWriter).Flush() // a writer that cannot do so sends it at the end
	}
}

// end answers a message that was refused.
func (r *rpcAnswer) end(text []byte) {
	if r.status == 0 {
		return
	}
	var m message
	status, reason, code := r.status, strings.TrimSpace(r.reason.String()), int64(jsonrpc.CodeInvalidRequest)
	switch err := json.Unmarshal(text, &m); {
	case status >= 500:
		code = jsonrpc.CodeInternalError
	case len(text) > 0 && !json.Valid(text):
		code = jsonrpc.CodeParseError
	case err != nil || m.Version != "2.0" || m.Method == "":
	case strings.HasSuffix(reason, strconv.Quote(m.Method)+" unsupported"):
		code, reason = jsonrpc.CodeMethodNotFound, "There is no method "+m.Method+"."
	case strings.HasSuffix(reason, `missing required "params"`):
		code, reason = jsonrpc.CodeInvalidParams, "The method "+m.Method+" needs params."
	}
	if len(m.ID) > 0 && string(m.ID) != "null" && (code == jsonrpc.CodeMethodNotFound || code == jsonrpc.CodeInvalidParams) {
		status = http.StatusOK // the request came through, and this is its answer
	}
	refuseMessage(r.ResponseWriter, status, m, code, reason)
}

// refuseMessage answers a message with an error.
func refuseMessage(w http.ResponseWriter, status int, m message, code int64, reason string) {
	if len(m.ID) == 0 || m.ID[0] == '{' || m.ID[0] == '[' {
		m.ID = json.RawMessage("null")
	}
	type fault struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}
	text, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   fault           `json:"error"`
	}{"2.0", m.ID, fault{code, reason}})
	if err != nil {
		status = http.StatusInternalServerError
		text = []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"The error cannot be told."}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // whoever left does not read it
}
