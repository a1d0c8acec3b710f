package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
)

func TestMe(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{
				rule: "it tells the business, the user, the role, features, scopes and permissions", as: "manager", do: "GET /me",
				status: 200,
				want: `{"business":{"id":"*","name":"Harbour","currency":"EUR"},"user":{"id":"$manager",` +
					`"email":"manager@harbour.example","name":"manager","role_id":"*"},"role":"manager","features":["export"],` +
					`"permissions":{"contact":{"read":{"effective":"all","scope":true,"role":"all","why":"The scope and the role manager ` +
					`allow it."}}}}`,
			},
			{
				rule: "features and scopes come in order", do: "GET /me", status: 200,
				want: `{"role":"admin","features":["audit","erase","export","manage_apps","manage_roles","manage_settings",` +
					`"manage_tokens","manage_users"]}`,
			},
			{rule: "a role without features has none", as: "member", do: "GET /me", status: 200, want: `{"features":[]}`},
			{
				rule: "it needs no scope of its own", as: "admin:note.write,contact.read", do: "GET /me", status: 200,
				want: `{"scopes":["contact.read","note.write"],"user":{"id":"$admin"}}`,
			},
			{
				rule: "a scope that lacks is why", as: "admin:contact.read", do: "GET /me", status: 200,
				want: `{"permissions":{"contact":{"read":{"effective":"all","scope":true},"write":{"effective":"none","scope":false,` +
					`"role":"all","why":"The token lacks the scope contact.write."}}}}`,
			},
			{
				rule: "a role that does not allow it is why", as: "viewer", do: "GET /me", status: 200,
				want: `{"permissions":{"contact":{"write":{"effective":"none","scope":true,"role":"none","why":"The role viewer does not ` +
					`allow write on contacts."}}}}`,
			},
			{
				rule: "own is why", as: "member", do: "GET /me", status: 200,
				want: `{"permissions":{"deal":{"delete":{"effective":"own","scope":true,"role":"own","why":"The role member allows it on ` +
					`one's own."}}}}`,
			},
			{
				rule: "of two reasons the first is told", as: "viewer:contact.read", do: "GET /me", status: 200,
				want: `{"permissions":{"contact":{"write":{"effective":"none","scope":false,"role":"none","why":"The token lacks the ` +
					`scope contact.write."}}}}`,
			},
			{
				rule: "another business is told of its own", as: "stranger", do: "GET /me", status: 200,
				want: `{"business":{"name":"Elsewhere"},"user":{"id":"$stranger"}}`,
			},
			{rule: "HEAD works", do: "HEAD /me", status: 200, head: []string{"Content-Type: application/json"}},
			{
				rule: "it needs a token", as: "none", do: "GET /me", status: 401, code: "unauthorized",
				head: []string{`WWW-Authenticate: Bearer realm="kith"*`},
			},
			{rule: "HEAD, too", as: "none", do: "HEAD /me", status: 401},
			{rule: "it needs the version", do: "GET /me", send: []string{"-Version"}, status: 400, code: "version_required"},
			{rule: "the token comes before the version", as: "none", do: "GET /me", send: []string{"-Version"}, status: 401},
			{rule: "it has no query parameters", do: "GET /me?fields=user", status: 422, wrong: "fields:unknown_parameter"},
			{rule: "a token does not write it", do: "PATCH /me", body: `{}`, status: 403, code: "session_required"},
			{rule: "there is nothing below it", do: "GET /me/user", status: 404},

			{
				rule: "a role of one's own making", do: "POST /roles",
				body: `{"name":"Half","permissions":{"pipeline":{"read":"all","write":"all"},"token":{"read":"all","write":"all",` +
					`"delete":"own"}}}`, status: 201, save: "half",
			},
			{rule: "is given", do: "PATCH /users/$viewer", body: `{"role_id":"$half"}`, status: 200},
			{
				rule: "a feature that lacks is why, and what one's own needs no feature for stays", as: "viewer", do: "GET /me",
				status: 200,
				want: `{"role":"Half","permissions":{"pipeline":{"read":{"effective":"all"},"write":{"effective":"none","role":"all",
					"why":"The role Half lacks the feature permission manage_settings, which write on pipelines needs."}},
					"token":{"read":{"effective":"all"},"write":{"effective":"own","role":"all",
					"why":"Without the feature permission manage_tokens the role Half reaches only one's own."},"delete":{"effective":"own",
					"role":"own","why":"The role Half allows it on one's own."}},
					"contact":{"read":{"effective":"none","role":"none"}}}}`,
			},
		})
		a := w.check(t, step{do: "GET /me", status: 200})
		if got, want := strings.Join(sorted(a.json.(map[string]any)), " "),
			"business features permissions role scopes sends_mail user"; got != want {
			t.Errorf("the answer has %s, want %s", got, want)
		}
		user := w.check(t, step{do: "GET /users/$admin", status: 200})
		if !strings.Contains(settled(string(a.text)), `"user":`+settled(string(user.text))) {
			t.Errorf("the user is not the record %s: %s", user.text, a.text)
		}
	})
}

// The permissions of the roles that a business starts with are those of the contract, for every resource and verb.
func TestMeOfTheStartingRoles(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, role := range []string{"admin", "manager", "member", "viewer"} {
			a := w.check(t, step{as: role, do: "GET /me", status: 200})
			permissions := at(a.json, "permissions").(map[string]any)
			if len(permissions) != len(record.Kinds()) {
				t.Errorf("%s has permissions for %d resources of %d", role, len(permissions), len(record.Kinds()))
			}
			if got, want := len(at(a.json, "scopes").([]any)), len(record.Scopes()); got != want {
				t.Errorf("%s has %d scopes, want %d", role, got, want)
			}
			for _, k := range record.Kinds() {
				for _, verb := range record.Verbs {
					want := mayWrite(role, k.Plural)
					if verb == record.Read && k.Name != "token" && k.Name != "webhook" {
						want = "all"
					}
					said := at(permissions, k.Name+"."+string(verb))
					for path, want := range map[string]string{"effective": want, "role": want, "scope": "true"} {
						if got := fmt.Sprint(at(said, path)); got != want {
							t.Errorf("%s: %s of %s %s is %s, want %s", role, path, verb, k.Plural, got, want)
						}
					}
					if keys := sorted(said.(map[string]any)); !slices.Equal(keys, []string{"effective", "role", "scope", "why"}) ||
						at(said, "why") == "" {
						t.Errorf("%s: %s of %s says %v", role, verb, k.Plural, said)
					}
				}
			}
		}
	})
}
