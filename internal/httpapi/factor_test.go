package httpapi_test

import "testing"

// A role that begins to require a second factor lets tokens go on that are there, and no more be made.
func TestTokensOfWhoLacksASecondFactor(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		const app = `{"name":"Nightly","grant_types":["client_credentials"],"scopes":["contact.read"]}`
		w.run(t, []step{
			{rule: "a role of its own", do: "POST /roles", body: `{"name":"Careful","features":["manage_apps"],"permissions":{"contact":{"read":"all"},"token":{"read":"own","write":"own"},"app":{"read":"all","write":"all"}}}`, status: 201, save: "careful"},
			{rule: "for somebody", do: "PATCH /users/$viewer", body: `{"role_id":"$careful"}`, status: 200},
			{rule: "who makes an app", as: "viewer", do: "POST /apps", body: app, status: 201, save: "nightly"},
			{rule: "and a token", as: "viewer", do: "POST /tokens", body: `{"name":"One","scopes":["contact.read"]}`, status: 201},
			{rule: "until the role requires a second factor", do: "PATCH /roles/$careful", body: `{"requires_second_factor":true}`, status: 200},
			{rule: "what is there goes on", as: "viewer", do: "POST /contacts/search", body: `{}`, status: 200},
			{rule: "but makes no token", as: "viewer", do: "POST /tokens", body: `{"name":"Two","scopes":["contact.read"]}`, status: 403, code: "forbidden_by_role"},
			{rule: "no app", as: "viewer", do: "POST /apps", body: app, status: 403, code: "forbidden_by_role"},
			{rule: "and no secret", as: "viewer", do: "POST /apps/$nightly/rotate_secret", status: 403, code: "forbidden_by_role"},
			{rule: "others are not concerned", do: "POST /tokens", body: `{"name":"Three","scopes":["contact.read"]}`, status: 201},
			{rule: "nor is anybody once it is not required", do: "PATCH /roles/$careful", body: `{"requires_second_factor":false}`, status: 200},
			{rule: "so it goes as before", as: "viewer", do: "POST /tokens", body: `{"name":"Four","scopes":["contact.read"]}`, status: 201},
		})
	})
}
