package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/problem"
)

// find gives the route with a method and a pattern, or nil.
func (a *API) find(method, pattern string) *Route {
	at := slices.IndexFunc(a.routes, func(r Route) bool { return r.Method == method && r.Pattern == pattern })
	if at < 0 {
		return nil
	}
	return &a.routes[at]
}

// instead finds the routes that do what somebody may have meant by a method that a path does not have. Where nothing fits better they are
// what the path does have.
func (a *API) instead(method string, here []Route) []Route {
	pattern := here[0].Pattern
	var meant []*Route
	switch method {
	case http.MethodGet, http.MethodHead:
		meant = []*Route{a.find("POST", pattern+"/search")}
	case http.MethodPut, http.MethodPatch:
		meant = []*Route{a.find("PATCH", pattern), a.find("PATCH", pattern+"/{id}")}
	case http.MethodDelete:
		meant = []*Route{a.find("DELETE", pattern+"/{id}")}
	case http.MethodPost:
		// On the path of a record: to make one, or to change it.
		if all, ok := strings.CutSuffix(pattern, "/{id}"); ok {
			meant = []*Route{a.find("POST", all), a.find("PATCH", pattern)}
		} else {
			meant = []*Route{a.find("PATCH", pattern)}
		}
	}
	var routes []Route
	for _, r := range meant {
		if r != nil {
			routes = append(routes, *r)
		}
	}
	if len(routes) == 0 {
		return here
	}
	return routes
}

// forOthers tells that a route is not for who asks: what people do about themselves in the app, no token does.
func (r *request) forOthers(route Route) bool {
	return route.Session && r.in.Header.Get("Authorization") != ""
}

// refuse answers a method that a path does not have. It names only what who asks can use.
func (r *request) refuse(here []Route) {
	usable := func(routes []Route) []Route { return slices.DeleteFunc(slices.Clone(routes), r.forOthers) }
	allowed := methods(usable(here))
	r.w.Header().Set("Allow", strings.Join(allowed, ", "))
	routes := usable(r.api.instead(r.in.Method, here))
	if len(routes) == 0 {
		routes = usable(here)
	}
	var ways []string
	for _, route := range routes {
		ways = append(ways, route.Method+" "+route.Pattern)
	}
	if len(ways) == 0 {
		r.fail(problem.New(problem.MethodNotAllowed, "This path has no such method, and none for tokens: it is for the app alone."))
		return
	}
	r.fail(&problem.Problem{
		Code:   problem.MethodNotAllowed,
		Detail: "This path has no such method. Use " + strings.Join(ways, " or ") + ".", Allowed: allowed,
	})
}

// nowhere answers a path that is not there, with the one that may have been meant.
func (a *API) nowhere(w http.ResponseWriter, r *http.Request) {
	req := newRequest(a, w, r)
	defer req.finish()
	if r.Method == http.MethodOptions && strings.HasPrefix(r.URL.Path, "/v1/") {
		// The script that asks is to see the answer below, and not merely that it may not.
		req.options(a.methods)
		return
	}
	p := problem.New(problem.NotFound, "There is nothing at %s.", clipped(r.URL.Path))
	if meant, known := a.near(r.URL.Path, req.forOthers); meant != "" {
		p.Detail += " Did you mean " + meant + "?"
	} else {
		p.Allowed = known
	}
	req.fail(p)
}

// near finds the path that is most like one that is not there, or else what there is at the place where it goes astray. It leaves some
// routes out.
func (a *API) near(path string, but func(Route) bool) (meant string, known []string) {
	routes := slices.DeleteFunc(slices.Clone(a.routes), but)
	rest, ok := strings.CutPrefix(path+"/", "/v1/")
	if !ok {
		return "", nil
	}
	at, changed := "/v1", false
	for _, part := range strings.Split(strings.Trim(rest, "/"), "/") {
		known = below(routes, at)
		if slices.Contains(known, part) {
			at += "/" + part
			continue
		}
		if nearest := problem.Nearest(part, slices.DeleteFunc(slices.Clone(known),
			func(s string) bool { return s == "{id}" })); nearest != "" {
			at, changed = at+"/"+nearest, true
			continue
		}
		if slices.Contains(known, "{id}") {
			at += "/{id}"
			continue
		}
		return "", paths(routes, at, known)
	}
	if !changed && at == path || !slices.ContainsFunc(routes, func(r Route) bool { return r.Pattern == at }) {
		return "", nil
	}
	return at, nil
}

// paths are those that lead on from a place by some parts: each as short as there is one, because a part may be no path by itself.
func paths(routes []Route, at string, parts []string) (all []string) {
	for _, part := range parts {
		var further []string
		for _, r := range routes {
			if r.Pattern == at+"/"+part {
				further = []string{r.Pattern}
				break
			}
			if strings.HasPrefix(r.Pattern, at+"/"+part+"/") && !slices.Contains(further, r.Pattern) {
				further = append(further, r.Pattern)
			}
		}
		all = append(all, further...)
	}
	return all
}

// below lists the next parts of all paths under one.
func below(routes []Route, path string) []string {
	var parts []string
	for _, r := range routes {
		if rest, ok := strings.CutPrefix(r.Pattern, path+"/"); ok {
			if part, _, _ := strings.Cut(rest, "/"); !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// clipped cuts a path to a length at which it can be repeated.
func clipped(path string) string {
	runes := []rune(path)
	if len(runes) <= problem.MaxRepeated {
		return path
	}
	return string(runes[:problem.MaxRepeated]) + "…"
}
