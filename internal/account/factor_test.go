package account_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"

	. "github.com/kith-crm/kith/internal/apitest"
)

// A role that begins to require a second factor lets tokens go on that are there, and no more be made.
func TestTokensOfWhoLacksASecondFactor(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		const app = `{"name":"Nightly","grant_types":["client_credentials"],"scopes":["contact.read"]}`
		w.Run(t, []Step{
			{
				Rule: "a role of its own", Do: "POST /roles",
				Body: `{"name":"Careful","features":["manage_apps"],"permissions":{"contact":{"read":"all"},"token":{"read":"own",` +
					`"write":"own"},"app":{"read":"all","write":"all"}}}`, Status: 201, Save: "careful",
			},
			{Rule: "for somebody", Do: "PATCH /users/$viewer", Body: `{"role_id":"$careful"}`, Status: 200},
			{Rule: "who makes an app", As: "viewer", Do: "POST /apps", Body: app, Status: 201, Save: "nightly"},
			{Rule: "and a token", As: "viewer", Do: "POST /tokens", Body: `{"name":"One","scopes":["contact.read"]}`, Status: 201},
			{
				Rule: "until the role requires a second factor", Do: "PATCH /roles/$careful", Body: `{"requires_second_factor":true}`,
				Status: 200,
			},
			{Rule: "what is there goes on", As: "viewer", Do: "POST /contacts/search", Body: `{}`, Status: 200},
			{
				Rule: "but makes no token", As: "viewer", Do: "POST /tokens",
				Body: `{"name":"Two","scopes":["contact.read"]}`, Status: 403, Code: "second_factor_required",
			},
			{Rule: "no app", As: "viewer", Do: "POST /apps", Body: app, Status: 403, Code: "second_factor_required"},
			{Rule: "and no secret", As: "viewer", Do: "POST /apps/$nightly/rotate_secret", Status: 403, Code: "second_factor_required"},
			{Rule: "others are not concerned", Do: "POST /tokens", Body: `{"name":"Three","scopes":["contact.read"]}`, Status: 201},
			{
				Rule: "nor is anybody once it is not required", Do: "PATCH /roles/$careful",
				Body: `{"requires_second_factor":false}`, Status: 200,
			},
			{
				Rule: "so it goes as before", As: "viewer", Do: "POST /tokens",
				Body: `{"name":"Four","scopes":["contact.read"]}`, Status: 201,
			},
		})
	})
}

// requireFactor makes a role like the administrators' that requires nothing ("twin"), with somebody who has it, and then lets the
// administrators' require a second factor, which the world's administrator lacks. What they have are tokens from before.
func requireFactor(w *World, t *testing.T) {
	t.Helper()
	w.RolesByName(t)
	admin := w.Check(t, Step{Do: "GET /roles/$admin_role", Status: 200})
	permissions, err := json.Marshal(At(admin.JSON, "permissions"))
	if err != nil {
		t.Fatal(err)
	}
	features, err := json.Marshal(At(admin.JSON, "features"))
	if err != nil {
		t.Fatal(err)
	}
	w.Vars["everything"] = `"permissions":` + string(permissions) + `,"features":` + string(features)
	w.Create(t, "roles", `{"name":"Twin",$everything}`, "twin_role")
	w.Person(t, "twin", "Twin")
	w.Create(t, "contacts", `{"name":"Anna Berg"}`, "anna")
	w.Create(t, "apps", `{"name":"Nightly","grant_types":["client_credentials"],"scopes":["contact.read"]}`, "app")
	w.Create(t, "webhooks", `{"url":"https://receiver.example/","events":["contact.*"]}`, "webhook")
	w.Create(t, "tokens", `{"name":"One","scopes":["contact.read"]}`, "token")
	w.Check(t, Step{Do: "PATCH /roles/$admin_role", Body: `{"requires_second_factor":true}`, Status: 200})
}

// setUpFactor gives the world's administrator a second factor.
func setUpFactor(w *World, t *testing.T) {
	t.Helper()
	err := w.Tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) error {
		return oauth.SetSecondFactor(w.Engine, tx, w.Users["admin"], true)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// powerful tells whether a route does what only they may do who have the second factor that their role requires: what a feature permission
// opens, and what hands out access.
func powerful(r httpapi.Route) bool {
	switch k := r.Kind; {
	case strings.HasSuffix(r.Pattern, "/export") || strings.HasSuffix(r.Pattern, "/erase") || r.Scope != "":
		return true
	case k == nil || r.Verb == record.Read:
		return false
	default:
		return k.Access.Feature != "" && !k.Access.OwnFree || k.Access.Power != "" && r.Verb == record.Write
	}
}

// Whoever lacks the second factor that their role requires does nothing powerful with any token, on any route that there is. All else goes
// on.
func TestWithoutTheFactorNoRouteIsPowerful(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		requireFactor(w, t)
		refused := 0
		for _, r := range w.API.Routes() {
			if r.Session || r.Pattern == "/v1/changes/stream" {
				continue
			}
			id := "none"
			if r.Kind != nil && w.Vars[r.Kind.Name] != "" {
				id = w.Vars[r.Kind.Name]
			}
			do := r.Method + " !" + strings.ReplaceAll(r.Pattern, "{id}", id)
			body := ""
			if r.Request != nil {
				body = `{}`
			}
			lacking := w.Send(t, Step{Do: do, Body: body})
			if is := At(lacking.JSON, "code") == "second_factor_required"; is != powerful(r) {
				t.Errorf("%s is answered %d %s", do, lacking.Status, lacking.Text)
			}
			if !powerful(r) {
				continue
			}
			refused++
			if a := w.Send(t, Step{As: "stranger", Do: do, Body: body}); At(a.JSON, "code") == "second_factor_required" {
				t.Errorf("%s is refused in another business, too", do)
			}
		}
		if refused < 40 {
			t.Errorf("only %d routes are powerful", refused)
		}
	})
}

// Nobody gets rid of a second factor that is required of them by what they can do without it, nor a token of somebody who has it.
func TestTheRequirementOfAFactorIsNotGotAround(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		requireFactor(w, t)
		attempts := []Step{
			{Rule: "switching it off", Do: "PATCH /roles/$admin_role", Body: `{"requires_second_factor":false}`},
			{Rule: "an equal role without it", Do: "POST /roles", Body: `{"name":"Copy",$everything}`},
			{Rule: "having such a role oneself", Do: "PATCH /users/$admin", Body: `{"role_id":"$twin_role"}`},
			{Rule: "giving it to another", Do: "PATCH /users/$viewer", Body: `{"role_id":"$twin_role"}`},
			{Rule: "inviting somebody with it", Do: "POST /users", Body: `{"email":"evil@harbour.example","role_id":"$twin_role"}`},
			{Rule: "becoming somebody who has it", Do: "PATCH /users/$twin", Body: `{"email":"evil@harbour.example"}`},
			{Rule: "an app that acts as them", Do: "POST /apps", Body: `{"name":"x","scopes":["user.all"],"user_id":"$twin"}`},
			{
				Rule: "in a batch", Do: "POST /users/batch",
				Body: `{"operations":[{"op":"update","id":"$admin","data":{"role_id":"$twin_role"}}]}`,
			},
		}
		for _, s := range attempts {
			s.Status, s.Code = 403, "second_factor_required"
			w.Run(t, []Step{s})
		}
		w.Run(t, []Step{
			{
				Rule: "inviting an administrator", Do: "POST /users",
				Body: `{"email":"evil@harbour.example","role_id":"$admin_role"}`, Status: 403, Code: "second_factor_required",
			},
			{Rule: "taking the records out", Do: "POST /export", Body: `{}`, Status: 403, Code: "second_factor_required"},
			{
				Rule: "deciding how people log in", Do: "PATCH /business",
				Body: `{"login_required":true}`, Status: 403, Code: "second_factor_required",
			},
			{
				Rule: "it is told that there are none", Do: "GET /me", Status: 200,
				Want: `{"features":[],"permissions":{"user":{"write":{"effective":"none"}},"contact":{"write":{"effective":"all"}}}}`,
			},
			{Rule: "a token can be ended", Do: "DELETE /tokens/$token", Status: 204},
			{Rule: "and the work goes on", Do: "PATCH /contacts/$anna", Body: `{"job_title":"Captain"}`, Status: 200},
			{
				Rule: "who has a role without it is not concerned", As: "twin", Do: "PATCH /users/$member",
				Body: `{"role_id":"$viewer_role"}`, Status: 200,
			},
		})
		setUpFactor(w, t)
		for _, s := range attempts[:7] {
			s.Status, s.Code, s.Rule = 403, "forbidden_by_role", "with the factor, but by a token: "+s.Rule
			w.Run(t, []Step{s})
		}
		w.Run(t, []Step{
			{
				Rule: "in a batch, too", Do: "POST /users/batch",
				Body: attempts[7].Body, Status: 200, Want: `{"data":[{"status":403,"error":{"code":"forbidden_by_role"}}]}`,
			},
			{Rule: "nothing of it was done", Do: "GET /users/$admin", Status: 200, Want: `{"role_id":"$admin_role"}`},
			{
				Rule: "an administrator can be invited", Do: "POST /users",
				Body: `{"email":"second@harbour.example","role_id":"$admin_role"}`, Status: 201,
			},
			{
				Rule: "and who cannot hand out access", Do: "POST /users",
				Body: `{"email":"third@harbour.example","role_id":"$manager_role"}`, Status: 201,
			},
			{Rule: "who has the other role can be shut out", Do: "PATCH /users/$twin", Body: `{"status":"suspended"}`, Status: 200},
			{
				Rule: "and their role come to require it", Do: "PATCH /roles/$twin_role",
				Body: `{"requires_second_factor":true}`, Status: 200,
			},
			{Rule: "then it is as high", Do: "PATCH /users/$viewer", Body: `{"role_id":"$twin_role"}`, Status: 200},
		})
	})
}
