package httpapi_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
)

// A role that begins to require a second factor lets tokens go on that are there, and no more be made.
func TestTokensOfWhoLacksASecondFactor(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		const app = `{"name":"Nightly","grant_types":["client_credentials"],"scopes":["contact.read"]}`
		w.run(t, []step{
			{
				rule: "a role of its own", do: "POST /roles",
				body: `{"name":"Careful","features":["manage_apps"],"permissions":{"contact":{"read":"all"},"token":{"read":"own",` +
					`"write":"own"},"app":{"read":"all","write":"all"}}}`, status: 201, save: "careful",
			},
			{rule: "for somebody", do: "PATCH /users/$viewer", body: `{"role_id":"$careful"}`, status: 200},
			{rule: "who makes an app", as: "viewer", do: "POST /apps", body: app, status: 201, save: "nightly"},
			{rule: "and a token", as: "viewer", do: "POST /tokens", body: `{"name":"One","scopes":["contact.read"]}`, status: 201},
			{
				rule: "until the role requires a second factor", do: "PATCH /roles/$careful", body: `{"requires_second_factor":true}`,
				status: 200,
			},
			{rule: "what is there goes on", as: "viewer", do: "POST /contacts/search", body: `{}`, status: 200},
			{
				rule: "but makes no token", as: "viewer", do: "POST /tokens",
				body: `{"name":"Two","scopes":["contact.read"]}`, status: 403, code: "second_factor_required",
			},
			{rule: "no app", as: "viewer", do: "POST /apps", body: app, status: 403, code: "second_factor_required"},
			{rule: "and no secret", as: "viewer", do: "POST /apps/$nightly/rotate_secret", status: 403, code: "second_factor_required"},
			{rule: "others are not concerned", do: "POST /tokens", body: `{"name":"Three","scopes":["contact.read"]}`, status: 201},
			{
				rule: "nor is anybody once it is not required", do: "PATCH /roles/$careful",
				body: `{"requires_second_factor":false}`, status: 200,
			},
			{
				rule: "so it goes as before", as: "viewer", do: "POST /tokens",
				body: `{"name":"Four","scopes":["contact.read"]}`, status: 201,
			},
		})
	})
}

// requireFactor makes a role like the administrators' that requires nothing ("twin"), with somebody who has it, and then lets the
// administrators' require a second factor, which the world's administrator lacks. What they have are tokens from before.
func (w *world) requireFactor(t *testing.T) {
	t.Helper()
	w.rolesByName(t)
	admin := w.check(t, step{do: "GET /roles/$admin_role", status: 200})
	permissions, err := json.Marshal(at(admin.json, "permissions"))
	if err != nil {
		t.Fatal(err)
	}
	features, err := json.Marshal(at(admin.json, "features"))
	if err != nil {
		t.Fatal(err)
	}
	w.vars["everything"] = `"permissions":` + string(permissions) + `,"features":` + string(features)
	w.create(t, "roles", `{"name":"Twin",$everything}`, "twin_role")
	w.person(t, "twin", "Twin")
	w.create(t, "contacts", `{"name":"Anna Berg"}`, "anna")
	w.create(t, "apps", `{"name":"Nightly","grant_types":["client_credentials"],"scopes":["contact.read"]}`, "app")
	w.create(t, "webhooks", `{"url":"https://receiver.example/","events":["contact.*"]}`, "webhook")
	w.create(t, "tokens", `{"name":"One","scopes":["contact.read"]}`, "token")
	w.check(t, step{do: "PATCH /roles/$admin_role", body: `{"requires_second_factor":true}`, status: 200})
}

// setUpFactor gives the world's administrator a second factor.
func (w *world) setUpFactor(t *testing.T) {
	t.Helper()
	err := w.tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) error {
		return oauth.SetSecondFactor(w.engine, tx, w.users["admin"], true)
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
	onBothEngines(t, func(t *testing.T, w *world) {
		w.requireFactor(t)
		refused := 0
		for _, r := range w.api.Routes() {
			if r.Session || r.Pattern == "/v1/changes/stream" {
				continue
			}
			id := "none"
			if r.Kind != nil && w.vars[r.Kind.Name] != "" {
				id = w.vars[r.Kind.Name]
			}
			do := r.Method + " !" + strings.ReplaceAll(r.Pattern, "{id}", id)
			body := ""
			if r.Request != nil {
				body = `{}`
			}
			lacking := w.send(t, step{do: do, body: body})
			if is := at(lacking.json, "code") == "second_factor_required"; is != powerful(r) {
				t.Errorf("%s is answered %d %s", do, lacking.status, lacking.text)
			}
			if !powerful(r) {
				continue
			}
			refused++
			if a := w.send(t, step{as: "stranger", do: do, body: body}); at(a.json, "code") == "second_factor_required" {
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
	onBothEngines(t, func(t *testing.T, w *world) {
		w.requireFactor(t)
		attempts := []step{
			{rule: "switching it off", do: "PATCH /roles/$admin_role", body: `{"requires_second_factor":false}`},
			{rule: "an equal role without it", do: "POST /roles", body: `{"name":"Copy",$everything}`},
			{rule: "having such a role oneself", do: "PATCH /users/$admin", body: `{"role_id":"$twin_role"}`},
			{rule: "giving it to another", do: "PATCH /users/$viewer", body: `{"role_id":"$twin_role"}`},
			{rule: "inviting somebody with it", do: "POST /users", body: `{"email":"evil@harbour.example","role_id":"$twin_role"}`},
			{rule: "becoming somebody who has it", do: "PATCH /users/$twin", body: `{"email":"evil@harbour.example"}`},
			{rule: "an app that acts as them", do: "POST /apps", body: `{"name":"x","scopes":["user.all"],"user_id":"$twin"}`},
			{
				rule: "in a batch", do: "POST /users/batch",
				body: `{"operations":[{"op":"update","id":"$admin","data":{"role_id":"$twin_role"}}]}`,
			},
		}
		for _, s := range attempts {
			s.status, s.code = 403, "second_factor_required"
			w.run(t, []step{s})
		}
		w.run(t, []step{
			{
				rule: "inviting an administrator", do: "POST /users",
				body: `{"email":"evil@harbour.example","role_id":"$admin_role"}`, status: 403, code: "second_factor_required",
			},
			{rule: "taking the records out", do: "POST /export", body: `{}`, status: 403, code: "second_factor_required"},
			{
				rule: "deciding how people log in", do: "PATCH /business",
				body: `{"login_required":true}`, status: 403, code: "second_factor_required",
			},
			{
				rule: "it is told that there are none", do: "GET /me", status: 200,
				want: `{"features":[],"permissions":{"user":{"write":{"effective":"none"}},"contact":{"write":{"effective":"all"}}}}`,
			},
			{rule: "a token can be ended", do: "DELETE /tokens/$token", status: 204},
			{rule: "and the work goes on", do: "PATCH /contacts/$anna", body: `{"job_title":"Captain"}`, status: 200},
			{
				rule: "who has a role without it is not concerned", as: "twin", do: "PATCH /users/$member",
				body: `{"role_id":"$viewer_role"}`, status: 200,
			},
		})
		w.setUpFactor(t)
		for _, s := range attempts[:7] {
			s.status, s.code, s.rule = 403, "forbidden_by_role", "with the factor, but by a token: "+s.rule
			w.run(t, []step{s})
		}
		w.run(t, []step{
			{
				rule: "in a batch, too", do: "POST /users/batch",
				body: attempts[7].body, status: 200, want: `{"data":[{"status":403,"error":{"code":"forbidden_by_role"}}]}`,
			},
			{rule: "nothing of it was done", do: "GET /users/$admin", status: 200, want: `{"role_id":"$admin_role"}`},
			{
				rule: "an administrator can be invited", do: "POST /users",
				body: `{"email":"second@harbour.example","role_id":"$admin_role"}`, status: 201,
			},
			{
				rule: "and who cannot hand out access", do: "POST /users",
				body: `{"email":"third@harbour.example","role_id":"$manager_role"}`, status: 201,
			},
			{rule: "who has the other role can be shut out", do: "PATCH /users/$twin", body: `{"status":"suspended"}`, status: 200},
			{
				rule: "and their role come to require it", do: "PATCH /roles/$twin_role",
				body: `{"requires_second_factor":true}`, status: 200,
			},
			{rule: "then it is as high", do: "PATCH /users/$viewer", body: `{"role_id":"$twin_role"}`, status: 200},
		})
	})
}
