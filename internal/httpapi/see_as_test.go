package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

var reachRank = map[any]int{"none": 0, "own": 1, "all": 2}

// randomRole is the body of a role that allows anything; keeper tells that it may change roles.
func randomRole(rng *rand.Rand, name string, keeper bool) string {
	permissions := map[string]map[string]string{}
	for _, k := range record.Kinds() {
		permissions[k.Name] = map[string]string{}
		for _, verb := range record.Verbs {
			permissions[k.Name][string(verb)] = []string{"none", "own", "all"}[rng.IntN(3)]
		}
	}
	features := []string{}
	for _, f := range record.Features {
		if f != "manage_roles" && rng.IntN(2) == 0 {
			features = append(features, f)
		}
	}
	if keeper {
		permissions["role"] = map[string]string{"read": "all", "write": "all", "delete": "none"}
		features = append(features, "manage_roles")
	}
	text, _ := json.Marshal(map[string]any{"name": name, "permissions": permissions, "features": features})
	return string(text)
}

// Who sees as a role may do what both that role and their own allow: never more than either, and nothing less.
func TestSeeAsIsWhatBothRolesAllow(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.RolesByName(t)
		rng := rand.New(rand.NewPCG(7, 11))
		roles := []string{"admin", "manager", "member", "viewer"}
		mayLook := map[string]bool{"admin": true}
		for i := range 8 {
			name := fmt.Sprintf("role%d", i)
			mayLook[name] = i%2 == 0
			w.Create(t, "roles", randomRole(rng, name, mayLook[name]), name+"_role")
			w.Person(t, name, name)
			roles = append(roles, name)
		}
		me := map[string]*Answer{}
		for _, role := range roles {
			me[role] = w.Check(t, Step{As: role, Do: "GET /me", Status: 200})
		}
		for _, own := range roles {
			for _, seen := range roles {
				look := Step{As: own, Do: "GET /me", Send: []string{"See-As: $" + seen + "_role"}, Status: 200}
				if !mayLook[own] {
					look.Status, look.Code = 403, "forbidden_by_role"
					w.Check(t, look)
					continue
				}
				a := w.Check(t, look)
				if At(a.JSON, "role") != seen || At(a.JSON, "user.id") != At(me[own].JSON, "user.id") {
					t.Errorf("%s as %s: is %v, %v", own, seen, At(a.JSON, "role"), At(a.JSON, "user.id"))
				}
				var features []any
				for _, f := range At(me[own].JSON, "features").([]any) {
					if slices.Contains(At(me[seen].JSON, "features").([]any), f) {
						features = append(features, f)
					}
				}
				if got := At(a.JSON, "features").([]any); !slices.Equal(got, features) {
					t.Errorf("%s as %s: has the features %v, want %v", own, seen, got, features)
				}
				for _, k := range record.Kinds() {
					for _, verb := range record.Verbs {
						at := "permissions." + k.Name + "." + string(verb) + ".effective"
						want := min(reachRank[At(me[own].JSON, at)], reachRank[At(me[seen].JSON, at)])
						if got := At(a.JSON, at); reachRank[got] != want {
							t.Errorf("%s as %s: %s on %s is %v; alone they are %v and %v", own, seen, verb, k.Plural, got,
								At(me[own].JSON, at), At(me[seen].JSON, at))
						}
					}
				}
			}
		}
	})
}

func TestSeeAs(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.RolesByName(t)
		w.OwnReader(t)
		w.Check(t, Step{
			Do: "POST /roles/search", Body: `{"filters":[{"field":"name","operator":"eq","value":"own"}]}`, Status: 200,
			Save: "own_role=data.0.id",
		})
		w.Create(t, "contacts", `{"name":"Mine","external_id":"mine"}`, "mine")
		w.Create(t, "contacts", `{"name":"Theirs","external_id":"theirs","owner_id":"$member"}`, "theirs")
		w.Create(t, "roles", `{"name":"Gone"}`, "gone_role")
		w.Check(t, Step{Do: "DELETE /roles/$gone_role", Status: 204})
		w.Create(t, "roles", `{"name":"Own roles","permissions":{"role":{"read":"own","write":"own"}},"features":["manage_roles"]}`, "")
		w.Person(t, "owner", "Own roles")
		own, viewer := []string{"See-As: $own_role"}, []string{"See-As: $viewer_role"}
		w.Run(t, []Step{
			{Rule: "without it everything is there", Do: "POST /contacts/search", Status: 200, Found: Found("theirs mine")},
			{Rule: "one's own is what is the caller's own", Do: "POST /contacts/search", Send: own, Status: 200, Found: Found("mine")},
			{Rule: "others' are not there", Do: "GET /contacts/$theirs", Send: own, Status: 404},
			{Rule: "one's own are", Do: "GET /contacts/$mine", Send: own, Status: 200},
			{
				Rule: "figures count no more", Do: "POST /contacts/aggregate", Send: own, Body: `{"metrics":["count"]}`, Status: 200,
				Want: `{"data":[{"count":1}]}`,
			},
			{
				Rule: "several searches at once do not, either", Do: "POST /search/batch", Send: own,
				Body: `{"searches":[{"resource":"contact"}]}`, Status: 200, Want: `{"data":[{"meta":{"total":1}}]}`,
			},
			{
				Rule: "changes are those of one's own", Do: "POST /changes/search", Send: own, Body: `{"resources":["contact"]}`,
				Status: 200, Want: `{"data":[{"record_id":"$mine"}]}`,
			},
			{
				Rule: "a file needs the feature permission of the role", Do: "POST /contacts/export", Send: viewer,
				Body: `{"format":"csv"}`, Status: 403,
				Want: `{"detail":"The role viewer lacks the feature permission export, which taking records out needs."}`,
			},
			{
				Rule: "what the role may not read is refused in its name", Do: "POST /webhooks/search", Send: viewer, Status: 403,
				Want: `{"detail":"The role viewer does not allow read on webhooks."}`,
			},
			{
				Rule: "scopes count as ever", As: "admin:role.read,role.write", Do: "POST /contacts/search", Send: viewer, Status: 403,
				Code: "insufficient_scope",
			},
			{
				Rule: "a token that does not write roles does not see as them", As: "admin:role.read,contact.read", Do: "GET /me",
				Send: viewer, Status: 403, Code: "insufficient_scope", Want: `{"scope":"role.write"}`,
			},
			{
				Rule: "nor one that does not read them", As: "admin:role.write,contact.read", Do: "GET /me", Send: viewer, Status: 403,
				Code: "insufficient_scope", Want: `{"scope":"role.read"}`,
			},
			{
				Rule: "who may not change roles sees as none", As: "manager", Do: "GET /me", Send: viewer, Status: 403,
				Code: "forbidden_by_role",
			},
			{Rule: "nor even as their own", As: "viewer", Do: "GET /me", Send: viewer, Status: 403, Code: "forbidden_by_role"},
			{
				Rule: "nor does who may change none but their own", As: "owner", Do: "GET /me", Send: viewer, Status: 403,
				Code: "forbidden_by_role",
			},
			{Rule: "what is no id", Do: "GET /me", Send: []string{"See-As: viewer"}, Status: 422, Wrong: "See-As:invalid_format"},
			{Rule: "nothing", Do: "GET /me", Send: []string{"See-As: "}, Status: 422, Wrong: "See-As:invalid_format"},
			{
				Rule: "an id of something else", Do: "GET /me", Send: []string{"See-As: $admin"}, Status: 422,
				Wrong: "See-As:invalid_format",
			},
			{
				Rule: "two of them", Do: "GET /me", Send: []string{"+See-As: $viewer_role", "+See-As: $own_role"}, Status: 422,
				Wrong: "See-As:invalid_format",
			},
			{Rule: "a role in the bin", Do: "GET /me", Send: []string{"See-As: $gone_role"}, Status: 422, Wrong: "See-As:not_found"},
			{
				Rule: "a role of another business", As: "stranger", Do: "GET /me", Send: viewer, Status: 422, Wrong: "See-As:not_found",
			},
			{Rule: "the token comes first", As: "none", Do: "GET /me", Send: viewer, Status: 401},
			{Rule: "then the version", Do: "GET /me", Send: append([]string{"-Version"}, viewer...), Status: 400, Code: "version_required"},
		})
		for _, c := range [][2]string{{"viewer", "none"}, {"admin", "all"}} { // in one order: both engines must say the same
			role, want := c[0], c[1]
			a := w.Check(t, Step{Do: "GET /schema", Send: []string{"See-As: $" + role + "_role"}, Status: 200})
			for _, res := range At(a.JSON, "resources").([]any) {
				if got := At(res, "permissions.write"); At(res, "name") == "contact" && got != want {
					t.Errorf("as %s the schema tells %v on contacts", role, got)
				}
			}
		}
	})
}

// Agents write, too, so they do not come in with it.
func TestAgentsSeeAsNobodyElse(t *testing.T) {
	w := NewWorld(t, DatabaseURL(t, "sqlite"), httpapi.Options{})
	w.RolesByName(t)
	for _, c := range []struct {
		headers []string
		status  int
	}{{nil, 200}, {[]string{"See-As", w.Vars["viewer_role"]}, 403}} {
		in := httptest.NewRequest("POST", httpapi.MCP, strings.NewReader(`{}`))
		in.Header.Set("Authorization", "Bearer "+w.Tokens["admin"])
		for i := 0; i+1 < len(c.headers); i += 2 {
			in.Header.Set(c.headers[i], c.headers[i+1])
		}
		out := httptest.NewRecorder()
		w.API.Authenticate(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(out, in)
		if out.Code != c.status {
			t.Errorf("with %v: %d %s, want %d", c.headers, out.Code, out.Body, c.status)
		}
	}
}

// A stream tells what the role may read, and ends when that changes.
func TestStreamsSeeAsARole(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		role := w.Create(t, "roles", `{"name":"Deals","permissions":{"deal":{"read":"all"}}}`, "deals_role")
		e := listen(w, t, "admin", "", "See-As", role)
		w.Create(t, "contacts", `{"name":"Anna"}`, "")
		w.Create(t, "deals", `{"name":"Boat"}`, "")
		if kind, data := e.next(); kind != "change" || !strings.Contains(data, `"resource":"deal"`) {
			t.Errorf("the first that is told is %s %s", kind, data)
		}
		w.Check(t, Step{Do: "PATCH /roles/$deals_role", Body: `{"permissions":{"task":{"read":"all"}}}`, Status: 200})
		for kind, data := e.next(); kind != "end"; kind, data = e.next() {
			if kind == "" {
				t.Fatal("the stream goes on as it began")
			}
			t.Log(kind, data)
		}
	})
}

// Nothing is changed as another role, by no route that there is.
func TestSeeAsChangesNothing(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		ids := w.OneOfEach(t)
		w.RolesByName(t)
		before, refused := w.Dump(t), 0
		for _, route := range w.API.Routes() {
			path := strings.TrimPrefix(route.Pattern, "/v1")
			if route.Kind != nil {
				path = strings.ReplaceAll(path, "{id}", ids[route.Kind.Name])
			}
			path = strings.ReplaceAll(path, "{id}", "job_01h455vb4pex5vsknk084sn02q")
			if path == "/changes/stream" || strings.HasSuffix(path, "/export") { // which is noted in the audit log
				continue
			}
			a := w.Send(t, Step{Do: route.Method + " " + path, Body: route.Example, Send: []string{"See-As: $admin_role"}})
			detail := fmt.Sprint(At(a.JSON, "detail"))
			switch reads := route.Method == http.MethodGet || route.Verb == record.Read; {
			case reads && strings.Contains(detail, "See-As"):
				t.Errorf("%s %s is refused: %s", route.Method, path, detail)
			case !reads && (a.Status != http.StatusForbidden || !strings.HasSuffix(detail, "another role (header See-As).")):
				t.Errorf("%s %s: %d %s", route.Method, path, a.Status, detail)
			case !reads:
				refused++
			}
		}
		if after := w.Dump(t); after != before {
			t.Errorf("the database is not as before:\n%s", FirstDifference(before, after))
		}
		if refused < 100 {
			t.Errorf("only %d routes were refused", refused)
		}
	})
}
