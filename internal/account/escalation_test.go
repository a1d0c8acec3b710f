package account_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

// A token of an administrator that may write users, or roles, and nothing else is not full control.
func TestANarrowTokenGetsNoWiderOne(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.RolesByName(t)
		w.Person(t, "boss", "admin")
		w.Person(t, "gone", "admin")
		w.Create(t, "roles", `{"name":"Caller","permissions":{"contact":{"read":"all"}}}`, "caller_role")
		w.Person(t, "caller", "Caller")
		w.Create(t, "roles", `{"name":"Spare","permissions":{"deal":{"read":"all"}}}`, "spare")
		w.Create(t, "apps", `{"name":"Wide","scopes":["deal.all"],"redirect_uris":["https://ok.example/"]}`, "wide")
		w.Check(t, Step{Do: "DELETE /users/$gone", Status: 204})
		w.Check(t, Step{Do: "DELETE /roles/$spare", Status: 204})
		w.Check(t, Step{Do: "PATCH /users/$viewer", Body: `{"status":"suspended"}`, Status: 200})
		const users, roles, apps, tokens = "admin:user.all", "admin:role.all", "admin:app.all", "admin:token.all"
		refused := func(rule, as, do, body, scope string) Step {
			return Step{
				Rule: rule, As: as, Do: do, Body: body, Status: 403, Code: "insufficient_scope",
				Want: `{"scope":"` + scope + `"}`,
				Head: []string{`WWW-Authenticate: Bearer realm="kith", error="insufficient_scope", scope="` + scope + `"*`},
			}
		}
		w.Run(t, []Step{
			refused("it invites no administrator", users, "POST /users", `{"email":"evil@harbour.example","role_id":"$admin_role"}`,
				"contact.read"),
			refused("nor anyone with the default role", users, "POST /users", `{"email":"evil@harbour.example"}`, "contact.read"),
			refused("it raises nobody", users, "PATCH /users/$caller", `{"role_id":"$admin_role"}`, "contact.read"),
			refused("nor takes a role away", users, "PATCH /users/$boss", `{"role_id":"$caller_role"}`, "contact.read"),
			refused("it changes nobody's address, to reset their password", users, "PATCH /users/$boss",
				`{"email":"evil@harbour.example"}`, "contact.read"),
			refused("not even that of the user whom it acts as", users, "PATCH /users/$admin", `{"email":"evil@harbour.example"}`,
				"contact.read"),
			refused("it lets nobody in again who was suspended", users, "PATCH /users/$viewer", `{"status":"active"}`, "contact.read"),
			refused("nor who was deleted", users, "POST /users/$gone/restore", ``, "contact.read"),
			{
				Rule: "what is harmless it may do: a name", As: users, Do: "PATCH /users/$boss", Body: `{"name":"Bo"}`, Status: 200,
				Want: `{"name":"Bo"}`,
			},
			{Rule: "and shutting somebody out", As: users, Do: "PATCH /users/$boss", Body: `{"status":"suspended"}`, Status: 200},
			{
				Rule: "nothing of the rest was written", Do: "GET /users/$caller", Status: 200,
				Want: `{"version":1,"role_id":"$caller_role"}`,
			},
			{
				Rule: "with the scopes of a role it gives that role", As: "admin:user.all,contact.read", Do: "POST /users",
				Body: `{"email":"second@harbour.example","role_id":"$caller_role"}`, Status: 201,
			},
			{
				Rule: "and changes the address of who has it", As: "admin:user.all,contact.all", Do: "PATCH /users/$caller",
				Body: `{"email":"called@harbour.example"}`, Status: 200,
			},
			refused("and still no other role", "admin:user.all,contact.read", "PATCH /users/$caller", `{"role_id":"$viewer_role"}`,
				"company.read"),

			refused("it makes no role that allows more", roles, "POST /roles",
				`{"name":"Super","permissions":{"contact":{"read":"own"}}}`, "contact.read"),
			refused("nor one with a feature permission", roles, "POST /roles", `{"name":"Super","features":["manage_users"]}`,
				"user.write"),
			refused("it widens no role that others have", roles, "PATCH /roles/$caller_role", `{"permissions":{"deal":{"read":"all"}}}`,
				"contact.read"),
			refused("nor a role within its scopes beyond them", "admin:role.all,contact.read", "PATCH /roles/$caller_role",
				`{"permissions":{"deal":{"read":"all"}}}`, "deal.read"),
			refused("nor changes one that allows more", roles, "PATCH /roles/$admin_role", `{"name":"root"}`, "contact.read"),
			refused("nor brings one back", roles, "POST /roles/$spare/restore", ``, "deal.read"),
			{
				Rule: "a role within its scopes it may make", As: roles, Do: "POST /roles",
				Body: `{"name":"Keeper","permissions":{"role":{"read":"all","write":"all"}},"features":["manage_roles"]}`, Status: 201,
				Save: "keeper",
			},
			{Rule: "and delete", As: roles, Do: "DELETE /roles/$keeper", Status: 204},

			{
				Rule: "it makes no wider token", As: tokens, Do: "POST /tokens", Body: `{"name":"x","scopes":["contact.read"]}`,
				Status: 422,
				Wrong:  "scopes:not_allowed",
			},
			{
				Rule: "no wider app", As: apps, Do: "POST /apps", Body: `{"name":"x","scopes":["contact.read"]}`, Status: 422,
				Wrong: "scopes:not_allowed",
			},
			{
				Rule: "widens none", As: apps, Do: "PATCH /apps/$wide", Body: `{"scopes":["deal.all","contact.all"]}`, Status: 422,
				Wrong: "scopes:not_allowed scopes:not_allowed",
			},
			{
				Rule: "has the codes of none sent elsewhere", As: apps, Do: "PATCH /apps/$wide",
				Body: `{"redirect_uris":["https://evil.example/"]}`, Status: 422, Wrong: "scopes:not_allowed",
			},
			{
				Rule: "lets none act on its own", As: apps, Do: "PATCH /apps/$wide",
				Body: `{"grant_types":["client_credentials"],"redirect_uris":null}`, Status: 422, Wrong: "scopes:not_allowed",
			},
			refused("and gets the secret of none", apps, "POST /apps/$wide/rotate_secret", ``, "deal.all"),
			{
				Rule: "it may narrow one", As: "admin:app.all,deal.read", Do: "PATCH /apps/$wide", Body: `{"scopes":["deal.read"]}`,
				Status: 200,
			},
		})
	})
}

// Whatever a role allows, a token that has every scope but that one can neither give the role nor get hold of who has it.
func TestEveryScopeCountsForHandingOutARole(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		var every []string
		for _, k := range record.Kinds() {
			for _, verb := range record.Verbs {
				every = append(every, k.Name+"."+string(verb))
			}
		}
		type lonely struct{ role, scope string }
		var cases []lonely
		for _, scope := range every {
			resource, verb, _ := strings.Cut(scope, ".")
			cases = append(cases, lonely{`"permissions":{"` + resource + `":{"` + verb + `":"own"}}`, scope})
		}
		for _, k := range record.Kinds() {
			if k.Access.Feature != "" {
				cases = append(cases, lonely{`"features":["` + k.Access.Feature + `"]`, k.Name + ".write"})
			}
		}
		every = append(every, record.BusinessScope, record.AuditScope)
		cases = append(cases, lonely{`"features":["` + record.Business.Access.Feature + `"]`, record.BusinessScope},
			lonely{`"features":["` + record.AuditFeature + `"]`, record.AuditScope})
		w.Create(t, "roles", `{"name":"Empty"}`, "empty")
		for i, c := range cases {
			name := fmt.Sprint("r", i)
			w.Create(t, "roles", `{"name":"`+name+`",`+c.role+`}`, "role")
			w.Create(t, "roles", `{"name":"`+name+`binned",`+c.role+`}`, "binned_role")
			for _, user := range []string{"holder", "asleep", "binned"} {
				w.Create(t, "users", `{"email":"`+user+name+`@harbour.example","role_id":"$role"}`, user)
			}
			w.Create(t, "users", `{"email":"plain`+name+`@harbour.example","role_id":"$empty"}`, "plain")
			w.Check(t, Step{Do: "PATCH /users/$asleep", Body: `{"status":"suspended"}`, Status: 200})
			w.Check(t, Step{Do: "DELETE /users/$binned", Status: 204})
			w.Check(t, Step{Do: "DELETE /roles/$binned_role", Status: 204})
			w.Mint(t, "without", "admin", slices.DeleteFunc(slices.Clone(every), func(s string) bool { return s == c.scope }), time.Time{})
			attempts := []Step{
				{Do: "POST /users", Body: `{"email":"new` + name + `@harbour.example","role_id":"$role"}`, Status: 201},
				{Do: "PATCH /users/$plain", Body: `{"role_id":"$role"}`, Status: 200},
				{Do: "PATCH /users/$holder", Body: `{"email":"other` + name + `@harbour.example"}`, Status: 200},
				{Do: "PATCH /users/$holder", Body: `{"role_id":"$empty"}`, Status: 200},
				{Do: "PATCH /users/$asleep", Body: `{"status":"active"}`, Status: 200},
				{Do: "POST /users/$binned/restore", Status: 200},
				{Do: "POST /roles", Body: `{"name":"twin` + name + `",` + c.role + `}`, Status: 201},
				{Do: "PATCH /roles/$empty", Body: `{` + c.role + `}`, Status: 200},
				{Do: "PATCH /roles/$role", Body: `{"name":"renamed` + name + `"}`, Status: 200},
				{Do: "POST /roles/$binned_role/restore", Status: 200},
			}
			for _, s := range attempts {
				w.Check(t, Step{
					Rule: c.scope, As: "without", Do: s.Do, Body: s.Body, Status: 403, Code: "insufficient_scope",
					Want: `{"scope":"` + c.scope + `"}`,
				})
			}
			// The attempts are worth something: with the scope every one of them succeeds.
			w.Mint(t, "with", "admin", append([]string{"user.write", "role.write", c.scope}, featureScopes(c.role)...), time.Time{})
			for _, s := range attempts {
				s.As = "with"
				w.Check(t, s)
			}
			w.Check(t, Step{Do: "PATCH /roles/$empty", Body: `{"permissions":null,"features":null}`, Status: 200})
		}
	})
}

// featureScopes are the scopes of writing what the feature permission in a role opens.
func featureScopes(role string) (scopes []string) {
	for _, k := range record.Kinds() {
		if k.Access.Feature != "" && strings.Contains(role, k.Access.Feature) {
			scopes = append(scopes, k.Name+".write")
		}
	}
	if strings.Contains(role, record.Business.Access.Feature) {
		scopes = append(scopes, record.BusinessScope)
	}
	if strings.Contains(role, record.AuditFeature) {
		scopes = append(scopes, record.AuditScope)
	}
	return scopes
}

func TestATokenDoesNotOutliveItsMaker(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		soon := time.Now().Add(90 * time.Minute).UTC().Truncate(time.Second)
		at := func(d time.Duration) string { return soon.Add(d).Format("2006-01-02T15:04:05.000000Z") }
		w.Mint(t, "brief", "admin", record.Scopes(), soon)
		w.Vars["soon"] = at(0)
		token := func(expires string) string {
			return `{"name":"x","scopes":["contact.read","token.write","token.read"]` + expires + `}`
		}
		for _, s := range []Step{
			{
				Rule: "without an expiry it gets its maker's", Body: token(""), Status: 201, Want: `{"expires_at":"$soon"}`,
				Save: "child=token",
			},
			{Rule: "null is without", Body: token(`,"expires_at":null`), Status: 201, Want: `{"expires_at":"$soon"}`},
			{
				Rule: "an earlier one is kept", Body: token(`,"expires_at":"` + at(-time.Minute) + `"`), Status: 201,
				Want: `{"expires_at":"` + at(-time.Minute) + `"}`,
			},
			{Rule: "the same is kept", Body: token(`,"expires_at":"` + at(0) + `"`), Status: 201, Want: `{"expires_at":"$soon"}`},
			{
				Rule: "a later one is refused, and the latest named", Body: token(`,"expires_at":"` + at(time.Microsecond) + `"`),
				Status: 422, Wrong: "expires_at:out_of_range",
				Want: `{"errors":[{"message":"must not be after $soon, when the calling token expires itself"}]}`,
			},
			{Rule: "one in the past, too", Body: token(`,"expires_at":"2020-01-01"`), Status: 422, Wrong: "expires_at:out_of_range"},
			{
				Rule: "its own children do not either", Send: []string{"Authorization: Bearer $child"}, Body: token(""), Status: 201,
				Want: `{"expires_at":"$soon"}`,
			},
			{Rule: "one that does not expire makes what it likes", As: "admin", Body: token(""), Status: 201, Want: `{"expires_at":null}`},
		} {
			if s.As == "" {
				s.As = "brief"
			}
			s.Do, s.Chance = "POST /tokens", true // the time is that of the run
			t.Run(s.Rule, func(t *testing.T) { w.Check(t, s) })
		}
	})
}
