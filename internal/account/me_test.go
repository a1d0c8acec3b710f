package account_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestMe(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "it tells the business, the user, the role, features, scopes and permissions", As: "manager", Do: "GET /me",
				Status: 200,
				Want: `{"business":{"id":"*","name":"Harbour","currency":"EUR"},"user":{"id":"$manager",` +
					`"email":"manager@harbour.example","name":"manager","role_id":"*"},"role":"manager","features":["export"],` +
					`"permissions":{"contact":{"read":{"effective":"all","scope":true,"role":"all","why":"The scope and the role manager ` +
					`allow it."}}}}`,
			},
			{
				Rule: "features and scopes come in order", Do: "GET /me", Status: 200,
				Want: `{"role":"admin","features":["audit","erase","export","manage_apps","manage_roles","manage_settings",` +
					`"manage_tokens","manage_users"]}`,
			},
			{Rule: "a role without features has none", As: "member", Do: "GET /me", Status: 200, Want: `{"features":[]}`},
			{
				Rule: "it needs no scope of its own", As: "admin:note.write,contact.read", Do: "GET /me", Status: 200,
				Want: `{"scopes":["contact.read","note.write"],"user":{"id":"$admin"}}`,
			},
			{
				Rule: "a scope that lacks is why", As: "admin:contact.read", Do: "GET /me", Status: 200,
				Want: `{"permissions":{"contact":{"read":{"effective":"all","scope":true},"write":{"effective":"none","scope":false,` +
					`"role":"all","why":"The token lacks the scope contact.write."}}}}`,
			},
			{
				Rule: "a role that does not allow it is why", As: "viewer", Do: "GET /me", Status: 200,
				Want: `{"permissions":{"contact":{"write":{"effective":"none","scope":true,"role":"none","why":"The role viewer does not ` +
					`allow write on contacts."}}}}`,
			},
			{
				Rule: "own is why", As: "member", Do: "GET /me", Status: 200,
				Want: `{"permissions":{"deal":{"delete":{"effective":"own","scope":true,"role":"own","why":"The role member allows it on ` +
					`one's own."}}}}`,
			},
			{
				Rule: "of two reasons the first is told", As: "viewer:contact.read", Do: "GET /me", Status: 200,
				Want: `{"permissions":{"contact":{"write":{"effective":"none","scope":false,"role":"none","why":"The token lacks the ` +
					`scope contact.write."}}}}`,
			},
			{
				Rule: "another business is told of its own", As: "stranger", Do: "GET /me", Status: 200,
				Want: `{"business":{"name":"Elsewhere"},"user":{"id":"$stranger"}}`,
			},
			{Rule: "HEAD works", Do: "HEAD /me", Status: 200, Head: []string{"Content-Type: application/json"}},
			{
				Rule: "it needs a token", As: "none", Do: "GET /me", Status: 401, Code: "unauthorized",
				Head: []string{`WWW-Authenticate: Bearer realm="kith"*`},
			},
			{Rule: "HEAD, too", As: "none", Do: "HEAD /me", Status: 401},
			{Rule: "it needs the version", Do: "GET /me", Send: []string{"-Version"}, Status: 400, Code: "version_required"},
			{Rule: "the token comes before the version", As: "none", Do: "GET /me", Send: []string{"-Version"}, Status: 401},
			{Rule: "it has no query parameters", Do: "GET /me?fields=user", Status: 422, Wrong: "fields:unknown_parameter"},
			{Rule: "a token does not write it", Do: "PATCH /me", Body: `{}`, Status: 403, Code: "session_required"},
			{Rule: "there is nothing below it", Do: "GET /me/user", Status: 404},

			{
				Rule: "a role of one's own making", Do: "POST /roles",
				Body: `{"name":"Half","permissions":{"pipeline":{"read":"all","write":"all"},"token":{"read":"all","write":"all",` +
					`"delete":"own"}}}`, Status: 201, Save: "half",
			},
			{Rule: "is given", Do: "PATCH /users/$viewer", Body: `{"role_id":"$half"}`, Status: 200},
			{
				Rule: "a feature that lacks is why, and what one's own needs no feature for stays", As: "viewer", Do: "GET /me",
				Status: 200,
				Want: `{"role":"Half","permissions":{"pipeline":{"read":{"effective":"all"},"write":{"effective":"none","role":"all",
					"why":"The role Half lacks the feature permission manage_settings, which write on pipelines needs."}},
					"token":{"read":{"effective":"all"},"write":{"effective":"own","role":"all",
					"why":"Without the feature permission manage_tokens the role Half reaches only one's own."},"delete":{"effective":"own",
					"role":"own","why":"The role Half allows it on one's own."}},
					"contact":{"read":{"effective":"none","role":"none"}}}}`,
			},
		})
		a := w.Check(t, Step{Do: "GET /me", Status: 200})
		if got, want := strings.Join(Sorted(a.JSON.(map[string]any)), " "),
			"business features permissions role scopes sends_mail user"; got != want {
			t.Errorf("the answer has %s, want %s", got, want)
		}
		user := w.Check(t, Step{Do: "GET /users/$admin", Status: 200})
		if !strings.Contains(Settled(string(a.Text)), `"user":`+Settled(string(user.Text))) {
			t.Errorf("the user is not the record %s: %s", user.Text, a.Text)
		}
	})
}

// The permissions of the roles that a business starts with are those of the contract, for every resource and verb.
func TestMeOfTheStartingRoles(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		for _, role := range []string{"admin", "manager", "member", "viewer"} {
			a := w.Check(t, Step{As: role, Do: "GET /me", Status: 200})
			permissions := At(a.JSON, "permissions").(map[string]any)
			if len(permissions) != len(record.Kinds()) {
				t.Errorf("%s has permissions for %d resources of %d", role, len(permissions), len(record.Kinds()))
			}
			if got, want := len(At(a.JSON, "scopes").([]any)), len(record.Scopes()); got != want {
				t.Errorf("%s has %d scopes, want %d", role, got, want)
			}
			for _, k := range record.Kinds() {
				for _, verb := range record.Verbs {
					want := mayWrite(role, k.Plural)
					if verb == record.Read && k.Name != "token" && k.Name != "webhook" && !k.Access.Personal {
						want = "all"
					}
					said := At(permissions, k.Name+"."+string(verb))
					for path, want := range map[string]string{"effective": want, "role": want, "scope": "true"} {
						if got := fmt.Sprint(At(said, path)); got != want {
							t.Errorf("%s: %s of %s %s is %s, want %s", role, path, verb, k.Plural, got, want)
						}
					}
					if keys := Sorted(said.(map[string]any)); !slices.Equal(keys, []string{"effective", "role", "scope", "why"}) ||
						At(said, "why") == "" {
						t.Errorf("%s: %s of %s says %v", role, verb, k.Plural, said)
					}
				}
			}
		}
	})
}
