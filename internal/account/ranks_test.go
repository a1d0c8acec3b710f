package account_test

import (
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestNobodyGivesOrTakesMoreThanTheyHave(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.RolesByName(t)
		deputy(w, t)
		w.Create(t, "roles", `{"name":"Guest","permissions":{"contact":{"read":"own"}}}`, "guest_role")
		w.Create(t, "roles", `{"name":"Exporter","permissions":{"contact":{"read":"own"}},"features":["export"]}`, "exporter_role")
		w.Person(t, "boss", "admin")
		w.Person(t, "guest", "Guest")
		give := `{"detail":"The role Deputy cannot give or take the role admin, which also allows read on deals."}`
		w.Run(t, []Step{
			{
				Rule: "nobody raises their own role: 403 names what is beyond", As: "deputy", Do: "PATCH /users/$deputy",
				Body: `{"role_id":"$admin_role"}`, Status: 403, Code: "forbidden_by_role", Want: give,
			},
			{
				Rule: "nor another's", As: "deputy", Do: "PATCH /users/$guest", Body: `{"role_id":"$admin_role"}`, Status: 403,
				Code: "forbidden_by_role", Want: give,
			},
			{
				Rule: "nor makes a user above themselves", As: "deputy", Do: "POST /users",
				Body: `{"email":"new@harbour.example","role_id":"$admin_role"}`, Status: 403, Code: "forbidden_by_role", Want: give,
			},
			{
				Rule: "nor by leaving the role to its default", As: "deputy", Do: "POST /users", Body: `{"email":"new@harbour.example"}`,
				Status: 403, Want: `{"detail":"The role Deputy cannot give or take the role member, which also allows read on deals."}`,
			},
			{
				Rule: "a feature beyond is named, too", As: "deputy", Do: "PATCH /users/$guest", Body: `{"role_id":"$exporter_role"}`,
				Status: 403, Want: `{"detail":"The role Deputy cannot give or take the role Exporter, which also allows export."}`,
			},
			{
				Rule: "what one has oneself can be given", As: "deputy", Do: "PATCH /users/$guest", Body: `{"role_id":"$deputy_role"}`,
				Status: 200,
			},
			{Rule: "and taken", As: "deputy", Do: "PATCH /users/$guest", Body: `{"role_id":"$guest_role"}`, Status: 200},
			{
				Rule: "a user of one's own rank can be made", As: "deputy", Do: "POST /users",
				Body: `{"email":"new@harbour.example","role_id":"$deputy_role"}`, Status: 201, Save: "new",
			},
			{
				Rule: "nobody takes the role of one above them", As: "deputy", Do: "PATCH /users/$boss", Body: `{"role_id":"$guest_role"}`,
				Status: 403, Code: "forbidden_by_role", Want: give,
			},
			{
				Rule: "nor their address, by which they log in", As: "deputy", Do: "PATCH /users/$boss",
				Body: `{"email":"mine@harbour.example"}`, Status: 403, Code: "forbidden_by_role",
			},
			{
				Rule: "nor suspends them", As: "deputy", Do: "PATCH /users/$boss", Body: `{"status":"suspended"}`, Status: 403,
				Code: "forbidden_by_role",
			},
			{Rule: "nor deletes them", As: "deputy", Do: "DELETE /users/$boss", Status: 403, Code: "forbidden_by_role"},
			{
				Rule: "nor changes what gives no rights: their name", As: "deputy", Do: "PATCH /users/$boss", Body: `{"name":"Nobody"}`,
				Status: 403, Code: "forbidden_by_role", Want: give,
			},
			{
				Rule: "or the id that another system knows them by", As: "deputy", Do: "PATCH /users/$boss", Body: `{"external_id":"x"}`,
				Status: 403, Code: "forbidden_by_role", Want: give,
			},
			{Rule: "a change that changes nothing is none", As: "deputy", Do: "PATCH /users/$boss", Body: `{"name":"boss"}`, Status: 200},
			{
				Rule: "one's own name can be changed", As: "deputy", Do: "PATCH /users/$deputy", Body: `{"name":"Dee"}`, Status: 200,
				Want: `{"name":"Dee"}`,
			},
			{
				Rule: "and those of one's own rank", As: "deputy", Do: "PATCH /users/$colleague", Body: `{"timezone":"Europe/Oslo"}`,
				Status: 200,
			},
			{Rule: "an administrator deletes them", Do: "DELETE /users/$boss", Status: 204},
			{Rule: "nobody below brings them back", As: "deputy", Do: "POST /users/$boss/restore", Status: 403, Code: "forbidden_by_role"},
			{Rule: "an administrator does", Do: "POST /users/$boss/restore", Status: 200},
			{
				Rule: "wrong fields are told before the rank", As: "deputy", Do: "POST /users",
				Body: `{"email":"x","role_id":"$admin_role"}`, Status: 422, Wrong: "email:invalid_format",
			},

			{
				Rule: "nobody makes a role above theirs", As: "deputy", Do: "POST /roles",
				Body: `{"name":"Super","permissions":{"deal":{"read":"own"}}}`, Status: 403, Code: "forbidden_by_role",
				Want: `{"detail":"The role Deputy cannot make the role Super, which also allows read on deals."}`,
			},
			{
				Rule: "nor one with a feature beyond", As: "deputy", Do: "POST /roles",
				Body: `{"name":"Super","features":["manage_users","manage_settings"]}`, Status: 403, Code: "forbidden_by_role",
				Want: `{"detail":"The role Deputy cannot make the role Super, which also allows manage_settings."}`,
			},
			{
				Rule: "nor widens their own", As: "deputy", Do: "PATCH /roles/$deputy_role",
				Body: `{"permissions":{"deal":{"write":"own"}}}`, Status: 403,
				Want: `{"detail":"The role Deputy cannot make the role Deputy, which also allows write on deals."}`,
			},
			{
				Rule: "nor by a feature", As: "deputy", Do: "PATCH /roles/$deputy_role",
				Body: `{"features":["manage_users","manage_roles","export"]}`, Status: 403,
				Want: `{"detail":"The role Deputy cannot make the role Deputy, which also allows export."}`,
			},
			{
				Rule: "nor narrows one above theirs", As: "deputy", Do: "PATCH /roles/$viewer_role", Body: `{"permissions":null}`,
				Status: 403, Want: `{"detail":"The role Deputy cannot change the role viewer, which also allows read on deals."}`,
			},
			{
				Rule: "nor renames it", As: "deputy", Do: "PATCH /roles/$admin_role", Body: `{"name":"root"}`, Status: 403,
				Code: "forbidden_by_role",
			},
			{
				Rule: "a role above theirs is made", Do: "POST /roles", Body: `{"name":"Closer","permissions":{"deal":{"read":"all"}}}`,
				Status: 201, Save: "closer",
			},
			{
				Rule: "nobody below deletes it", As: "deputy", Do: "DELETE /roles/$closer", Status: 403, Code: "forbidden_by_role",
				Want: `{"detail":"The role Deputy cannot delete the role Closer, which also allows read on deals."}`,
			},
			{Rule: "an administrator does", Do: "DELETE /roles/$closer", Status: 204},
			{
				Rule: "nobody below brings it back", As: "deputy", Do: "POST /roles/$closer/restore", Status: 403,
				Code: "forbidden_by_role",
				Want: `{"detail":"The role Deputy cannot restore the role Closer, which also allows read on deals."}`,
			},
			{
				Rule: "one within theirs can be made", As: "deputy", Do: "POST /roles",
				Body: `{"name":"Clerk","permissions":{"contact":{"read":"all","write":"own"}},"features":["manage_tokens"]}`, Status: 201,
				Save: "clerk",
			},
			{Rule: "changed", As: "deputy", Do: "PATCH /roles/$clerk", Body: `{"permissions":{"task":{"read":"all"}}}`, Status: 200},
			{Rule: "and deleted", As: "deputy", Do: "DELETE /roles/$clerk", Status: 204},
			{
				Rule: "a role in use is not", Do: "DELETE /roles/$guest_role", Status: 409, Code: "conflict",
				Want: `{"existing_id":"$guest"}`,
			},
			{Rule: "rights can be given up", As: "deputy", Do: "PATCH /users/$deputy", Body: `{"role_id":"$guest_role"}`, Status: 200},
			{
				Rule: "and are gone at once", As: "deputy", Do: "POST /users",
				Body:   `{"email":"y@harbour.example","role_id":"$guest_role"}`,
				Status: 403, Code: "forbidden_by_role", Want: `{"detail":"The role Guest does not allow write on users."}`,
			},
		})
		for _, role := range []string{"manager", "member", "viewer"} {
			w.Run(t, []Step{
				{
					Rule: role + " does not raise themselves", As: role, Do: "PATCH /users/$" + role, Body: `{"role_id":"$admin_role"}`,
					Status: 403, Code: "forbidden_by_role", Want: `{"detail":"The role ` + role + ` does not allow write on users."}`,
				},
				{
					Rule: role + " does not widen their role", As: role, Do: "PATCH /roles/$" + role + "_role",
					Body: `{"features":["manage_users"]}`, Status: 403, Code: "forbidden_by_role",
				},
			})
		}
	})
}

func TestTheLastAdministratorStays(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.RolesByName(t)
		w.Check(t, Step{Do: "PATCH /users/$admin", Body: `{"status":"active"}`, Status: 200})
		last := `{"detail":"This is the last active administrator; make another one first."}`
		none := `{"detail":"No active user could administer the business any more; make another administrator first."}`
		stays := func(when string) {
			w.Run(t, []Step{
				{
					Rule: when + ": the last administrator is not suspended", Do: "PATCH /users/$admin", Body: `{"status":"suspended"}`,
					Status: 409, Code: "conflict", Want: last,
				},
				{
					Rule: when + ": nor demoted", Do: "PATCH /users/$admin", Body: `{"role_id":"$manager_role"}`, Status: 409,
					Code: "conflict", Want: last,
				},
				{Rule: when + ": nor deleted", Do: "DELETE /users/$admin", Status: 409, Code: "conflict", Want: last},
				{
					Rule: when + ": their role keeps its features", Do: "PATCH /roles/$admin_role", Body: `{"features":["manage_users"]}`,
					Status: 409, Code: "conflict", Want: none,
				},
				{
					Rule: when + ": and its permissions", Do: "PATCH /roles/$admin_role", Body: `{"permissions":{"role":{"write":"own"}}}`,
					Status: 409, Code: "conflict", Want: none,
				},
				{Rule: when + ": and is not deleted", Do: "DELETE /roles/$admin_role", Status: 409, Code: "conflict"},
			})
		}
		stays("alone")
		w.Create(t, "users", `{"email":"second@harbour.example","role_id":"$admin_role"}`, "second")
		stays("beside one who is invited")
		w.Check(t, Step{Do: "PATCH /users/$second", Body: `{"status":"active"}`, Status: 200})
		w.Check(t, Step{Do: "PATCH /users/$second", Body: `{"status":"suspended"}`, Status: 200})
		stays("beside one who is suspended")
		w.Check(t, Step{Do: "PATCH /users/$second", Body: `{"status":"active"}`, Status: 200})
		w.Check(t, Step{Do: "DELETE /users/$second", Status: 204})
		stays("beside one who is deleted")
		w.Run(t, []Step{
			{Rule: "nothing has changed", Do: "GET /users/$admin", Status: 200, Want: `{"status":"active","role_id":"$admin_role"}`},
			{Rule: "what leaves the rights is free", Do: "PATCH /users/$admin", Body: `{"name":"Ada"}`, Status: 200},
			{
				Rule: "in the role, too", Do: "PATCH /roles/$admin_role",
				Body: `{"features":["manage_users","manage_roles","manage_settings","manage_tokens","manage_apps"]}`, Status: 200,
			},
			{Rule: "another administrator comes back", Do: "POST /users/$second/restore", Status: 200, Want: `{"status":"active"}`},
			{
				Rule: "then the first can go", Do: "PATCH /users/$admin", Body: `{"role_id":"$manager_role"}`, Status: 403,
				Code: "forbidden_by_role", Want: `{"detail":"The role admin cannot give or take the role manager, which also allows ` +
					`export."}`,
			},
			{Rule: "to a role within theirs", Do: "PATCH /users/$admin", Body: `{"role_id":"$member_role"}`, Status: 200},
			{
				Rule: "and is no administrator any more", Do: "PATCH /users/$second", Body: `{"name":"x"}`, Status: 403,
				Code: "forbidden_by_role",
			},
		})
	})
}
