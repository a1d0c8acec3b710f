package httpapi

import (
	"net/http"
)

// Programs in browsers may call the API from any site: there a request proves who it is by its bearer token alone. The cookie of a
// session counts for scripts of our own origin only (oauth.Authenticator.App), so another site can do no more than a program
// anywhere. Credentials of the browser are therefore never allowed to it.
var (
	anyOrigin = []string{"*"}
	// exposed are the headers of an answer that a script may read.
	exposed = []string{"Allow, Dry-Run, ETag, Idempotent-Replayed, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, " +
		"X-Request-Id"}
	// sendable are the headers that a script may send.
	sendable = []string{"Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, See-As, Version"}
	// sendableAtDoor are those that a script of an agent may send.
	sendableToMCP = []string{"Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, " +
		"Mcp-Session-Id"}
	// preflightAge is how many seconds a browser may remember the answer to its question; none remembers it for longer.
	preflightAge = []string{"7200"}
)

func openToBrowsers(header http.Header, in *http.Request) {
	header["Access-Control-Allow-Origin"] = anyOrigin
	if in.Header.Get("Origin") != "" {
		header["Access-Control-Expose-Headers"] = exposed
	}
}
