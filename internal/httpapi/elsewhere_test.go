package httpapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kith/internal/httpapi"
)

var namedRoute = regexp.MustCompile(`(GET|POST|PUT|PATCH|DELETE) (/v1/[a-z_/{}]+(\.json)?)`)

// Whatever method a path does not have, the answer names one or two that are there, and a list is spoken of only where one was asked for.
func TestAWrongMethodSaysWhatToUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databaseURL(t, "sqlite"), httpapi.Options{})
	var routes []string
	patterns := map[string][]string{}
	for _, r := range w.api.Routes() {
		routes = append(routes, r.Method+" "+r.Pattern)
		patterns[r.Pattern] = append(patterns[r.Pattern], r.Method)
	}
	for pattern, has := range patterns {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "FROB"} {
			if slices.Contains(has, method) {
				continue
			}
			a := w.check(t, step{as: "none", do: method + " !" + strings.ReplaceAll(pattern, "{id}", "x"), status: 405, code: "method_not_allowed"})
			detail := fmt.Sprint(at(a.json, "detail"))
			named := namedRoute.FindAllString(detail, -1)
			if len(named) == 0 {
				t.Errorf("%s %s: nothing is named: %s", method, pattern, detail)
			}
			for _, n := range named {
				if !slices.Contains(routes, n) {
					t.Errorf("%s %s: %s is not there", method, pattern, n)
				}
			}
			lists := strings.Contains(detail, "/search") && !strings.HasSuffix(pattern, "/search")
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
		"PUT /me":                   "PATCH /v1/me.",
		"GET /lifecycle_stages":     "POST /v1/lifecycle_stages/search.",
		"PATCH /contacts/x/restore": "POST /v1/contacts/{id}/restore.",
	} {
		a := w.check(t, step{do: do, status: 405})
		if got := fmt.Sprint(at(a.json, "detail")); !strings.HasSuffix(got, "Use "+want) {
			t.Errorf("%s: %s, want %s", do, got, want)
		}
	}
}

// A path that is not there leads to the one that may have been meant, or to what there is.
func TestAWrongPathSaysWhatIsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databaseURL(t, "sqlite"), httpapi.Options{})
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
		a := w.check(t, step{as: "none", do: do, status: 404, code: "not_found"})
		if got := fmt.Sprint(at(a.json, "detail")); !strings.HasSuffix(got, " Did you mean "+want+"?") {
			t.Errorf("%s: %s, want %s", do, got, want)
		}
	}
	w.run(t, []step{
		{rule: "nothing like it: all that there is", as: "none", do: "GET /frobnicators", status: 404, want: `{"detail":"There is nothing at /v1/frobnicators.","allowed":["` + strings.Join(roots(w.api), `","`) + `"]}`},
		{rule: "no such action: the actions", do: "POST /tasks/x/explode", status: 404, want: `{"allowed":["/v1/tasks/{id}/restore","/v1/tasks/{id}/history","/v1/tasks/{id}/complete","/v1/tasks/{id}/reopen"]}`},
		{rule: "outside the API nothing is told", as: "none", do: "GET !/oauth/frob", status: 404, want: `{"allowed":"<absent>"}`},
		{rule: "a record that is not there is another matter", do: "GET /contacts/x", status: 404, want: `{"detail":"There is no such contact.","allowed":"<absent>"}`},
	})
	a := w.check(t, step{as: "none", do: "GET /" + strings.Repeat("ä", 3000), status: 404})
	if len(a.text) > 2000 {
		t.Errorf("a long path is answered with %d bytes", len(a.text))
	}
}

// roots are the paths that the served ones begin with, in their order.
func roots(api *httpapi.API) (all []string) {
	for _, r := range api.Routes() {
		parts := strings.SplitN(r.Pattern, "/", 4)
		if root := strings.Join(parts[:3], "/"); !slices.Contains(all, root) {
			all = append(all, root)
		}
	}
	return all
}
