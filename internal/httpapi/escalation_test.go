package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
)

// A token of an administrator that may write users, or roles, and nothing else is not full control.
func TestANarrowTokenGetsNoWiderOne(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.rolesByName(t)
		w.person(t, "boss", "admin")
		w.person(t, "gone", "admin")
		w.create(t, "roles", `{"name":"Caller","permissions":{"contact":{"read":"all"}}}`, "caller_role")
		w.person(t, "caller", "Caller")
		w.create(t, "roles", `{"name":"Spare","permissions":{"deal":{"read":"all"}}}`, "spare")
		w.create(t, "apps", `{"name":"Wide","scopes":["deal.all"],"redirect_uris":["https://ok.example/"]}`, "wide")
		w.check(t, step{do: "DELETE /users/$gone", status: 204})
		w.check(t, step{do: "DELETE /roles/$spare", status: 204})
		w.check(t, step{do: "PATCH /users/$viewer", body: `{"status":"suspended"}`, status: 200})
		const users, roles, apps, tokens = "admin:user.all", "admin:role.all", "admin:app.all", "admin:token.all"
		refused := func(rule, as, do, body, scope string) step {
			return step{
				rule: rule, as: as, do: do, body: body, status: 403, code: "insufficient_scope",
				want: `{"scope":"` + scope + `"}`,
				head: []string{`WWW-Authenticate: Bearer realm="kith", error="insufficient_scope", scope="` + scope + `"*`},
			}
		}
		w.run(t, []step{
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
				rule: "what is harmless it may do: a name", as: users, do: "PATCH /users/$boss", body: `{"name":"Bo"}`, status: 200,
				want: `{"name":"Bo"}`,
			},
			{rule: "and shutting somebody out", as: users, do: "PATCH /users/$boss", body: `{"status":"suspended"}`, status: 200},
			{
				rule: "nothing of the rest was written", do: "GET /users/$caller", status: 200,
				want: `{"version":1,"role_id":"$caller_role"}`,
			},
			{
				rule: "with the scopes of a role it gives that role", as: "admin:user.all,contact.read", do: "POST /users",
				body: `{"email":"second@harbour.example","role_id":"$caller_role"}`, status: 201,
			},
			{
				rule: "and changes the address of who has it", as: "admin:user.all,contact.all", do: "PATCH /users/$caller",
				body: `{"email":"called@harbour.example"}`, status: 200,
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
				rule: "a role within its scopes it may make", as: roles, do: "POST /roles",
				body: `{"name":"Keeper","permissions":{"role":{"read":"all","write":"all"}},"features":["manage_roles"]}`, status: 201,
				save: "keeper",
			},
			{rule: "and delete", as: roles, do: "DELETE /roles/$keeper", status: 204},

			{
				rule: "it makes no wider token", as: tokens, do: "POST /tokens", body: `{"name":"x","scopes":["contact.read"]}`,
				status: 422,
				wrong:  "scopes:not_allowed",
			},
			{
				rule: "no wider app", as: apps, do: "POST /apps", body: `{"name":"x","scopes":["contact.read"]}`, status: 422,
				wrong: "scopes:not_allowed",
			},
			{
				rule: "widens none", as: apps, do: "PATCH /apps/$wide", body: `{"scopes":["deal.all","contact.all"]}`, status: 422,
				wrong: "scopes:not_allowed scopes:not_allowed",
			},
			{
				rule: "has the codes of none sent elsewhere", as: apps, do: "PATCH /apps/$wide",
				body: `{"redirect_uris":["https://evil.example/"]}`, status: 422, wrong: "scopes:not_allowed",
			},
			{
				rule: "lets none act on its own", as: apps, do: "PATCH /apps/$wide",
				body: `{"grant_types":["client_credentials"],"redirect_uris":null}`, status: 422, wrong: "scopes:not_allowed",
			},
			refused("and gets the secret of none", apps, "POST /apps/$wide/rotate_secret", ``, "deal.all"),
			{
				rule: "it may narrow one", as: "admin:app.all,deal.read", do: "PATCH /apps/$wide", body: `{"scopes":["deal.read"]}`,
				status: 200,
			},
		})
	})
}

// Whatever a role allows, a token that has every scope but that one can neither give the role nor get hold of who has it.
func TestEveryScopeCountsForHandingOutARole(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
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
		w.create(t, "roles", `{"name":"Empty"}`, "empty")
		for i, c := range cases {
			name := fmt.Sprint("r", i)
			w.create(t, "roles", `{"name":"`+name+`",`+c.role+`}`, "role")
			w.create(t, "roles", `{"name":"`+name+`binned",`+c.role+`}`, "binned_role")
			for _, user := range []string{"holder", "asleep", "binned"} {
				w.create(t, "users", `{"email":"`+user+name+`@harbour.example","role_id":"$role"}`, user)
			}
			w.create(t, "users", `{"email":"plain`+name+`@harbour.example","role_id":"$empty"}`, "plain")
			w.check(t, step{do: "PATCH /users/$asleep", body: `{"status":"suspended"}`, status: 200})
			w.check(t, step{do: "DELETE /users/$binned", status: 204})
			w.check(t, step{do: "DELETE /roles/$binned_role", status: 204})
			w.mint(t, "without", "admin", slices.DeleteFunc(slices.Clone(every), func(s string) bool { return s == c.scope }), time.Time{})
			attempts := []step{
				{do: "POST /users", body: `{"email":"new` + name + `@harbour.example","role_id":"$role"}`, status: 201},
				{do: "PATCH /users/$plain", body: `{"role_id":"$role"}`, status: 200},
				{do: "PATCH /users/$holder", body: `{"email":"other` + name + `@harbour.example"}`, status: 200},
				{do: "PATCH /users/$holder", body: `{"role_id":"$empty"}`, status: 200},
				{do: "PATCH /users/$asleep", body: `{"status":"active"}`, status: 200},
				{do: "POST /users/$binned/restore", status: 200},
				{do: "POST /roles", body: `{"name":"twin` + name + `",` + c.role + `}`, status: 201},
				{do: "PATCH /roles/$empty", body: `{` + c.role + `}`, status: 200},
				{do: "PATCH /roles/$role", body: `{"name":"renamed` + name + `"}`, status: 200},
				{do: "POST /roles/$binned_role/restore", status: 200},
			}
			for _, s := range attempts {
				w.check(t, step{
					rule: c.scope, as: "without", do: s.do, body: s.body, status: 403, code: "insufficient_scope",
					want: `{"scope":"` + c.scope + `"}`,
				})
			}
			// The attempts are worth something: with the scope every one of them succeeds.
			w.mint(t, "with", "admin", append([]string{"user.write", "role.write", c.scope}, featureScopes(c.role)...), time.Time{})
			for _, s := range attempts {
				s.as = "with"
				w.check(t, s)
			}
			w.check(t, step{do: "PATCH /roles/$empty", body: `{"permissions":null,"features":null}`, status: 200})
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
	onBothEngines(t, func(t *testing.T, w *world) {
		soon := time.Now().Add(90 * time.Minute).UTC().Truncate(time.Second)
		at := func(d time.Duration) string { return soon.Add(d).Format("2006-01-02T15:04:05.000000Z") }
		w.mint(t, "brief", "admin", record.Scopes(), soon)
		w.vars["soon"] = at(0)
		token := func(expires string) string {
			return `{"name":"x","scopes":["contact.read","token.write","token.read"]` + expires + `}`
		}
		for _, s := range []step{
			{
				rule: "without an expiry it gets its maker's", body: token(""), status: 201, want: `{"expires_at":"$soon"}`,
				save: "child=token",
			},
			{rule: "null is without", body: token(`,"expires_at":null`), status: 201, want: `{"expires_at":"$soon"}`},
			{
				rule: "an earlier one is kept", body: token(`,"expires_at":"` + at(-time.Minute) + `"`), status: 201,
				want: `{"expires_at":"` + at(-time.Minute) + `"}`,
			},
			{rule: "the same is kept", body: token(`,"expires_at":"` + at(0) + `"`), status: 201, want: `{"expires_at":"$soon"}`},
			{
				rule: "a later one is refused, and the latest named", body: token(`,"expires_at":"` + at(time.Microsecond) + `"`),
				status: 422, wrong: "expires_at:out_of_range",
				want: `{"errors":[{"message":"must not be after $soon, when the calling token expires itself"}]}`,
			},
			{rule: "one in the past, too", body: token(`,"expires_at":"2020-01-01"`), status: 422, wrong: "expires_at:out_of_range"},
			{
				rule: "its own children do not either", send: []string{"Authorization: Bearer $child"}, body: token(""), status: 201,
				want: `{"expires_at":"$soon"}`,
			},
			{rule: "one that does not expire makes what it likes", as: "admin", body: token(""), status: 201, want: `{"expires_at":null}`},
		} {
			if s.as == "" {
				s.as = "brief"
			}
			s.do, s.chance = "POST /tokens", true // the time is that of the run
			t.Run(s.rule, func(t *testing.T) { w.check(t, s) })
		}
	})
}
