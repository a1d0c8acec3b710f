package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"

	. "github.com/kith-crm/kith/internal/apitest"
)

const (
	exposed = "Allow, Dry-Run, ETag, Idempotent-Replayed, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, " +
		"X-Request-Id"
	sendable = "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, See-As, Version"
)

func TestBrowsersOfAnyOrigin(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		origin := []string{"Origin: https://app.example.com"}
		open := []string{
			"Access-Control-Allow-Origin: *", "Access-Control-Expose-Headers: " + exposed,
			"Access-Control-Allow-Credentials: ",
		}
		w.Run(t, []Step{
			{Rule: "an answer is for any origin", Do: "GET /contacts/$anna", Send: origin, Status: 200, Head: open},
			{Rule: "so is what is made", Do: "POST /contacts", Send: origin, Body: `{"name":"x"}`, Status: 201, Head: open},
			{Rule: "so is a refusal for want of a token", As: "none", Do: "GET /contacts/$anna", Send: origin, Status: 401, Head: open},
			{Rule: "so is wrong input", Do: "POST /contacts", Send: origin, Body: `{"nope":1}`, Status: 422, Head: open},
			{Rule: "so is what is not there", Do: "GET /contactz", Send: origin, Status: 404, Head: open},
			{Rule: "so is a wrong method", Do: "PUT /contacts/$anna", Send: origin, Status: 405, Head: open},
			{
				Rule: "cookies are for nothing", As: "none", Do: "GET /me",
				Send: append(slices.Clone(origin), "Cookie: kith_session="+w.Tokens["admin"]), Status: 401, Head: open,
			},
			{
				Rule: "who is no browser is not told what scripts may read", Do: "GET /me", Status: 200,
				Head: []string{"Access-Control-Allow-Origin: *", "Access-Control-Expose-Headers: "},
			},
		})
	})
}

// Before a browser sends a script's request it asks, without a token, what the path takes.
func TestPreflight(t *testing.T) {
	t.Parallel()
	w := NewWorld(t, DatabaseURL(t, "sqlite"), httpapi.Options{RateLimit: 1, RateBurst: 1})
	asked := map[string][]string{}
	for _, r := range w.API.Routes() {
		asked[r.Pattern] = append(asked[r.Pattern], r.Method)
		if r.Method == http.MethodGet {
			asked[r.Pattern] = append(asked[r.Pattern], http.MethodHead)
		}
	}
	for pattern, methods := range asked {
		for _, method := range append(methods, "PUT") {
			allowed := strings.Join(methods, ", ")
			w.Check(t, Step{
				As: "none", Do: "OPTIONS !" + strings.ReplaceAll(pattern, "{id}", "x"), Status: 204,
				Send: []string{
					"-Version", "Origin: https://app.example.com", "Access-Control-Request-Method: " + method,
					"Access-Control-Request-Headers: authorization,content-type,version",
				},
				Head: []string{
					"Access-Control-Allow-Origin: *", "Access-Control-Allow-Methods: " + allowed,
					"Access-Control-Allow-Headers: " + sendable, "Access-Control-Max-Age: 7200",
					"Allow: " + allowed, "Access-Control-Allow-Credentials: ", "RateLimit: ",
				},
			})
		}
	}
	w.Run(t, []Step{
		{
			Rule: "OPTIONS by itself tells the methods", As: "none", Do: "OPTIONS /contacts", Send: []string{"-Version"}, Status: 204,
			Head: []string{"Allow: POST", "Access-Control-Allow-Methods: "},
		},
		{
			Rule: "a script sees that a path is not there, and not merely that it may not ask", As: "none", Do: "OPTIONS /contactz",
			Status: 204,
			Send:   []string{"Origin: https://app.example.com", "Access-Control-Request-Method: GET"},
			Head:   []string{"Access-Control-Allow-Methods: GET, HEAD, PATCH, POST, DELETE, PUT"},
		},
		{
			Rule: "outside the API nothing is open", As: "none", Do: "OPTIONS !/oauth/nowhere",
			Send: []string{"Access-Control-Request-Method: GET"}, Status: 404, Head: []string{"Access-Control-Allow-Methods: "},
		},
	})
}

func TestIfNoneMatch(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.Check(t, Step{Do: "PATCH /contacts/$anna", Body: `{"name":"Anne"}`, Status: 200})
		same := func(rule, do, value string) Step {
			return Step{
				Rule: rule, Do: do, Send: []string{"If-None-Match: " + value}, Status: 304,
				Head: []string{`ETag: "2"`, "Content-Type: ", "Content-Length: "},
			}
		}
		other := func(rule, do, value string, status int) Step {
			return Step{Rule: rule, Do: do, Send: []string{"If-None-Match: " + value}, Status: status}
		}
		w.Run(t, []Step{
			same("who has this version gets no more", "GET /contacts/$anna", `"2"`),
			same("HEAD, too", "HEAD /contacts/$anna", `"2"`),
			same("a weak tag is as good", "GET /contacts/$anna", `W/"2"`),
			same("one of several is enough", "GET /contacts/$anna", `"1", W/"2","7"`),
			same("a star is any version", "GET /contacts/$anna", `*`),
			{
				Rule: "several headers are one list", Do: "GET /contacts/$anna",
				Send:   []string{`If-None-Match: "1"`, `+If-None-Match: "2"`},
				Status: 304,
			},
			other("who has another gets it", "GET /contacts/$anna", `"1"`, 200),
			other("a tag has quotes", "GET /contacts/$anna", `2`, 200),
			other("a tag that is none matches nothing", "GET /contacts/$anna", `"x"`, 200),
			other("what is not there is not there", "GET /contacts/contact_01h455vb4pex5vsknk084sn02q", `*`, 404),
			{
				Rule: "what may not be read is not told to be unchanged", As: "admin:deal.read", Do: "GET /contacts/$anna",
				Send: []string{`If-None-Match: "2"`}, Status: 403,
			},
			{
				Rule: "a write does not heed it", Do: "PATCH /contacts/$anna", Send: []string{`If-None-Match: "2"`},
				Body:   `{"name":"Anne"}`,
				Status: 200,
			},
			{
				Rule: "the business has a version, too", Do: "GET /business", Send: []string{`If-None-Match: "1"`}, Status: 304,
				Head: []string{`ETag: "1"`},
			},
			{Rule: "what has none is answered", Do: "GET /me", Send: []string{`If-None-Match: *`}, Status: 200},
		})
		a := w.Send(t, Step{Do: "GET /contacts/$anna", Send: []string{`If-None-Match: "2"`}})
		if len(a.Text) != 0 {
			t.Errorf("a 304 has a body: %s", a.Text)
		}
	})
}
