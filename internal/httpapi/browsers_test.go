package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"
)

const (
	exposed = "Allow, Dry-Run, ETag, Idempotent-Replayed, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, " +
		"X-Request-Id"
	sendable = "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Version"
)

func TestBrowsersOfAnyOrigin(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		origin := []string{"Origin: https://app.example.com"}
		open := []string{
			"Access-Control-Allow-Origin: *", "Access-Control-Expose-Headers: " + exposed,
			"Access-Control-Allow-Credentials: ",
		}
		w.run(t, []step{
			{rule: "an answer is for any origin", do: "GET /contacts/$anna", send: origin, status: 200, head: open},
			{rule: "so is what is made", do: "POST /contacts", send: origin, body: `{"name":"x"}`, status: 201, head: open},
			{rule: "so is a refusal for want of a token", as: "none", do: "GET /contacts/$anna", send: origin, status: 401, head: open},
			{rule: "so is wrong input", do: "POST /contacts", send: origin, body: `{"nope":1}`, status: 422, head: open},
			{rule: "so is what is not there", do: "GET /contactz", send: origin, status: 404, head: open},
			{rule: "so is a wrong method", do: "PUT /contacts/$anna", send: origin, status: 405, head: open},
			{
				rule: "cookies are for nothing", as: "none", do: "GET /me",
				send: append(slices.Clone(origin), "Cookie: kith_session="+w.tokens["admin"]), status: 401, head: open,
			},
			{
				rule: "who is no browser is not told what scripts may read", do: "GET /me", status: 200,
				head: []string{"Access-Control-Allow-Origin: *", "Access-Control-Expose-Headers: "},
			},
		})
	})
}

// Before a browser sends a script's request it asks, without a token, what the path takes.
func TestPreflight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databaseURL(t, "sqlite"), httpapi.Options{RateLimit: 1, RateBurst: 1})
	asked := map[string][]string{}
	for _, r := range w.api.Routes() {
		asked[r.Pattern] = append(asked[r.Pattern], r.Method)
		if r.Method == http.MethodGet {
			asked[r.Pattern] = append(asked[r.Pattern], http.MethodHead)
		}
	}
	for pattern, methods := range asked {
		for _, method := range append(methods, "PUT") {
			allowed := strings.Join(methods, ", ")
			w.check(t, step{
				as: "none", do: "OPTIONS !" + strings.ReplaceAll(pattern, "{id}", "x"), status: 204,
				send: []string{
					"-Version", "Origin: https://app.example.com", "Access-Control-Request-Method: " + method,
					"Access-Control-Request-Headers: authorization,content-type,version",
				},
				head: []string{
					"Access-Control-Allow-Origin: *", "Access-Control-Allow-Methods: " + allowed,
					"Access-Control-Allow-Headers: " + sendable, "Access-Control-Max-Age: 7200",
					"Allow: " + allowed, "Access-Control-Allow-Credentials: ", "RateLimit: ",
				},
			})
		}
	}
	w.run(t, []step{
		{
			rule: "OPTIONS by itself tells the methods", as: "none", do: "OPTIONS /contacts", send: []string{"-Version"}, status: 204,
			head: []string{"Allow: POST", "Access-Control-Allow-Methods: "},
		},
		{
			rule: "a script sees that a path is not there, and not merely that it may not ask", as: "none", do: "OPTIONS /contactz",
			status: 204,
			send:   []string{"Origin: https://app.example.com", "Access-Control-Request-Method: GET"},
			head:   []string{"Access-Control-Allow-Methods: GET, HEAD, PATCH, POST, DELETE, PUT"},
		},
		{
			rule: "outside the API nothing is open", as: "none", do: "OPTIONS !/oauth/nowhere",
			send: []string{"Access-Control-Request-Method: GET"}, status: 404, head: []string{"Access-Control-Allow-Methods: "},
		},
	})
}

func TestIfNoneMatch(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.check(t, step{do: "PATCH /contacts/$anna", body: `{"name":"Anne"}`, status: 200})
		same := func(rule, do, value string) step {
			return step{
				rule: rule, do: do, send: []string{"If-None-Match: " + value}, status: 304,
				head: []string{`ETag: "2"`, "Content-Type: ", "Content-Length: "},
			}
		}
		other := func(rule, do, value string, status int) step {
			return step{rule: rule, do: do, send: []string{"If-None-Match: " + value}, status: status}
		}
		w.run(t, []step{
			same("who has this version gets no more", "GET /contacts/$anna", `"2"`),
			same("HEAD, too", "HEAD /contacts/$anna", `"2"`),
			same("a weak tag is as good", "GET /contacts/$anna", `W/"2"`),
			same("one of several is enough", "GET /contacts/$anna", `"1", W/"2","7"`),
			same("a star is any version", "GET /contacts/$anna", `*`),
			{
				rule: "several headers are one list", do: "GET /contacts/$anna",
				send:   []string{`If-None-Match: "1"`, `+If-None-Match: "2"`},
				status: 304,
			},
			other("who has another gets it", "GET /contacts/$anna", `"1"`, 200),
			other("a tag has quotes", "GET /contacts/$anna", `2`, 200),
			other("a tag that is none matches nothing", "GET /contacts/$anna", `"x"`, 200),
			other("what is not there is not there", "GET /contacts/contact_01h455vb4pex5vsknk084sn02q", `*`, 404),
			{
				rule: "what may not be read is not told to be unchanged", as: "admin:deal.read", do: "GET /contacts/$anna",
				send: []string{`If-None-Match: "2"`}, status: 403,
			},
			{
				rule: "a write does not heed it", do: "PATCH /contacts/$anna", send: []string{`If-None-Match: "2"`},
				body:   `{"name":"Anne"}`,
				status: 200,
			},
			{
				rule: "the business has a version, too", do: "GET /business", send: []string{`If-None-Match: "1"`}, status: 304,
				head: []string{`ETag: "1"`},
			},
			{rule: "what has none is answered", do: "GET /me", send: []string{`If-None-Match: *`}, status: 200},
		})
		a := w.send(t, step{do: "GET /contacts/$anna", send: []string{`If-None-Match: "2"`}})
		if len(a.text) != 0 {
			t.Errorf("a 304 has a body: %s", a.text)
		}
	})
}
