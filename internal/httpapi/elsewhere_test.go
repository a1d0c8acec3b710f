package httpapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"

	. "github.com/kith-crm/kith/internal/apitest"
)

var namedRoute = regexp.MustCompile(`(GET|POST|PUT|PATCH|DELETE) (/v1/[a-z_/{}]+(\.json)?)`)

// Whatever method a path does not have, the answer names one or two that are there, and a list is spoken of only where one was asked for.
func TestAWrongMethodSaysWhatToUse(t *testing.T) {
	t.Parallel()
	w := NewWorld(t, DatabaseURL(t, "sqlite"), httpapi.Options{})
	var routes []string
	patterns := map[string][]string{}
	for _, r := range w.API.Routes() {
		routes = append(routes, r.Method+" "+r.Pattern)
		patterns[r.Pattern] = append(patterns[r.Pattern], r.Method)
	}
	for pattern, has := range patterns {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "FROB"} {
			if slices.Contains(has, method) {
				continue
			}
			a := w.Check(t, Step{
				As: "none", Do: method + " !" + strings.ReplaceAll(pattern, "{id}", "x"), Status: 405,
				Code: "method_not_allowed",
			})
			detail := fmt.Sprint(At(a.JSON, "detail"))
			named := namedRoute.FindAllString(detail, -1)
			if len(named) == 0 {
				t.Errorf("%s %s: nothing is named: %s", method, pattern, detail)
			}
			for _, n := range named {
				if !slices.Contains(routes, n) {
					t.Errorf("%s %s: %s is not there", method, pattern, n)
				}
			}
			lists := slices.ContainsFunc(named, func(n string) bool { return strings.HasSuffix(n, "/search") }) &&
				!strings.HasSuffix(pattern, "/search")
			if lists != (method == http.MethodGet && slices.Contains(routes, "POST "+pattern+"/search")) {
				t.Errorf("%s %s speaks of lists: %s", method, pattern, detail)
			}
		}
	}
	for do, want := range map[string]string{
		"GET /contacts":             "POST /v1/contacts/search.",
		"GET /deals/search":         "POST /v1/deals/search.",
		"PUT /contacts/x":           "PATCH /v1/contacts/{id}.",
		"PUT /contacts":             "PATCH /v1/contacts/{id}.",
		"DELETE /contacts":          "DELETE /v1/contacts/{id}.",
		"POST /contacts/x":          "POST /v1/contacts or PATCH /v1/contacts/{id}.",
		"PATCH /tokens/x":           "GET /v1/tokens/{id} or DELETE /v1/tokens/{id}.",
		"GET /deals/x/win":          "POST /v1/deals/{id}/win.",
		"PUT /business":             "PATCH /v1/business.",
		"POST /business":            "PATCH /v1/business.",
		"PUT /me":                   "GET /v1/me.",
		"POST /me":                  "GET /v1/me.",
		"GET /lifecycle_stages":     "POST /v1/lifecycle_stages/search.",
		"PATCH /contacts/x/restore": "POST /v1/contacts/{id}/restore.",
	} {
		a := w.Check(t, Step{Do: do, Status: 405})
		if got := fmt.Sprint(At(a.JSON, "detail")); !strings.HasSuffix(got, "Use "+want) {
			t.Errorf("%s: %s, want %s", do, got, want)
		}
	}
}

// A path that is not there leads to the one that may have been meant, or to what there is.
func TestAWrongPathSaysWhatIsThere(t *testing.T) {
	t.Parallel()
	w := NewWorld(t, DatabaseURL(t, "sqlite"), httpapi.Options{})
	for do, want := range map[string]string{
		"GET /contact":                  "/v1/contacts",
		"GET /contact/x":                "/v1/contacts/{id}",
		"POST /Contacts/search":         "/v1/contacts/search",
		"POST /contcats/search":         "/v1/contacts/search",
		"GET /lifecycle-stages":         "/v1/lifecycle_stages",
		"GET /lifecycleStage/x":         "/v1/lifecycle_stages/{id}",
		"POST /company/x/restore":       "/v1/companies/{id}/restore",
		"POST /deals/x/won":             "/v1/deals/{id}/win",
		"POST /deals/x/change-stage":    "/v1/deals/{id}/change_stage",
		"POST /contacts/deleted/serach": "/v1/contacts/deleted/search",
		"GET /contacts/":                "/v1/contacts",
		"GET /busines":                  "/v1/business",
	} {
		a := w.Check(t, Step{As: "none", Do: do, Status: 404, Code: "not_found"})
		if got := fmt.Sprint(At(a.JSON, "detail")); !strings.HasSuffix(got, " Did you mean "+want+"?") {
			t.Errorf("%s: %s, want %s", do, got, want)
		}
	}
	w.Run(t, []Step{
		{
			Rule: "nothing like it: all that there is", As: "none", Do: "GET /frobnicators", Status: 404,
			Want: `{"detail":"There is nothing at /v1/frobnicators.","allowed":["` + strings.Join(roots(w.API), `","`) + `"]}`,
		},
		{
			Rule: "no such action: the actions", Do: "POST /tasks/x/explode", Status: 404,
			Want: `{"allowed":[
				"/v1/tasks/{id}/restore", "/v1/tasks/{id}/history/search", "/v1/tasks/{id}/complete", "/v1/tasks/{id}/reopen"
			]}`,
		},
		{Rule: "outside the API nothing is told", As: "none", Do: "GET !/oauth/frob", Status: 404, Want: `{"allowed":"<absent>"}`},
		{
			Rule: "a record that is not there is another matter", Do: "GET /contacts/x", Status: 404,
			Want: `{"detail":"There is no such contact.","allowed":"<absent>"}`,
		},
	})
	a := w.Check(t, Step{As: "none", Do: "GET /" + strings.Repeat("ä", 3000), Status: 404})
	if len(a.Text) > 2000 {
		t.Errorf("a long path is answered with %d bytes", len(a.Text))
	}
}

// roots are the shortest of the served paths under each first part, in their order.
func roots(api *httpapi.API) (all []string) {
	shortest := map[string]int{}
	for _, r := range api.Routes() {
		root := strings.Join(strings.SplitN(r.Pattern, "/", 4)[:3], "/")
		if n := strings.Count(r.Pattern, "/"); shortest[root] == 0 || r.Pattern == root {
			shortest[root] = n
		}
	}
	var order []string
	under := map[string][]string{}
	for _, r := range api.Routes() {
		root := strings.Join(strings.SplitN(r.Pattern, "/", 4)[:3], "/")
		if !slices.Contains(order, root) {
			order = append(order, root)
		}
		if (shortest[root] > 2 || r.Pattern == root) && !slices.Contains(under[root], r.Pattern) {
			under[root] = append(under[root], r.Pattern)
		}
	}
	for _, root := range order {
		all = append(all, under[root]...)
	}
	return all
}

// Whatever path or method an error names, as one to use instead, is there for who is told of it: over all routes, with each wrong
// method, and with a part too many or a wrong one at every place; with a token, and without any.
func TestWhatErrorsNameIsThere(t *testing.T) {
	t.Parallel()
	w := NewWorld(t, DatabaseURL(t, "sqlite"), httpapi.Options{})
	methods := []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	served := map[string]bool{}
	forApp := map[string]bool{}
	var patterns []string
	for _, r := range w.API.Routes() {
		served[r.Method+" "+r.Pattern] = true
		forApp[r.Method+" "+r.Pattern] = r.Session
		if !slices.Contains(patterns, r.Pattern) {
			patterns = append(patterns, r.Pattern)
		}
	}
	// usable takes a path, too: the first pattern that fits it, those without an id before others.
	usable := func(method, pattern, as string) bool {
		if !slices.Contains(patterns, pattern) {
			fits := func(p string) bool {
				parts, asked := strings.Split(p, "/"), strings.Split(pattern, "/")
				return len(parts) == len(asked) && !slices.ContainsFunc(parts, func(part string) bool {
					at := slices.Index(parts, part)
					return part != asked[at] && part != "{id}"
				})
			}
			if at := slices.IndexFunc(patterns, fits); at >= 0 {
				pattern = patterns[at]
			}
		}
		return served[method+" "+pattern] && (as == "none" || !forApp[method+" "+pattern])
	}
	meant := regexp.MustCompile(`Did you mean (/[^ ]+)\?$`)
	looked := 0
	for _, as := range []string{"admin", "none"} {
		tried := map[string]bool{}
		try := func(method, path string) {
			if tried[method+path] || served[method+" "+path] {
				return
			}
			tried[method+path] = true
			a := w.Send(t, Step{As: as, Do: method + " !" + strings.ReplaceAll(path, "{id}", "x")})
			detail := fmt.Sprint(At(a.JSON, "detail"))
			var paths []string
			switch {
			case a.Status == http.StatusMethodNotAllowed:
				for _, n := range namedRoute.FindAllString(detail, -1) {
					looked++
					if method, pattern, _ := strings.Cut(n, " "); !usable(method, pattern, as) {
						t.Errorf("as %s, %s %s: %s", as, method, path, a.Text)
					}
				}
				for _, name := range strings.Split(a.Header.Get("Allow"), ", ") {
					if name == "" || name == "HEAD" {
						continue
					}
					looked++
					if !usable(name, path, as) {
						t.Errorf("as %s, %s %s is allowed %s", as, method, path, name)
					}
				}
			case strings.HasPrefix(detail, "There is nothing at "):
				if found := meant.FindStringSubmatch(detail); found != nil {
					paths = append(paths, found[1])
				}
				known, _ := At(a.JSON, "allowed").([]any)
				for _, k := range known {
					paths = append(paths, fmt.Sprint(k))
				}
			}
			for _, p := range paths {
				looked++
				if !slices.ContainsFunc(methods, func(method string) bool { return usable(method, p, as) }) {
					t.Errorf("as %s, %s %s is told of %s, which is not there", as, method, path, p)
				}
			}
		}
		for _, pattern := range patterns {
			for _, method := range methods {
				if !served[method+" "+pattern] {
					try(method, pattern)
				}
			}
			parts := strings.Split(pattern, "/")
			for at := 2; at <= len(parts); at++ {
				for _, wrong := range []string{"bogus", "serach", "x"} {
					path := slices.Clone(parts[:at])
					try("POST", strings.Join(append(path, wrong), "/"))
					try("GET", strings.Join(path, "/"))
				}
			}
		}
	}
	if looked < 500 {
		t.Errorf("only %d were looked at", looked)
	}
}
