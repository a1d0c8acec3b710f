package httpapi_test

import "testing"

// rolesByName saves the ids of the roles that a business starts with as admin_role and so on.
func (w *world) rolesByName(t *testing.T) {
	t.Helper()
	for _, name := range []string{"admin", "manager", "member", "viewer"} {
		w.check(t, step{
			do: "POST /roles/search", body: `{"filters":[{"field":"name","operator":"eq","value":"` + name + `"}]}`,
			status: 200, save: name + "_role=data.0.id",
		})
	}
}

func TestNobodyGivesOrTakesMoreThanTheyHave(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.rolesByName(t)
		w.deputy(t)
		w.create(t, "roles", `{"name":"Guest","permissions":{"contact":{"read":"own"}}}`, "guest_role")
		w.create(t, "roles", `{"name":"Exporter","permissions":{"contact":{"read":"own"}},"features":["export"]}`, "exporter_role")
		w.person(t, "boss", "admin")
		w.person(t, "guest", "Guest")
		give := `{"detail":"The role Deputy cannot give or take the role admin, which also allows read on deals."}`
		w.run(t, []step{
			{
				rule: "nobody raises their own role: 403 names what is beyond", as: "deputy", do: "PATCH /users/$deputy",
				body: `{"role_id":"$admin_role"}`, status: 403, code: "forbidden_by_role", want: give,
			},
			{
				rule: "nor another's", as: "deputy", do: "PATCH /users/$guest", body: `{"role_id":"$admin_role"}`, status: 403,
				code: "forbidden_by_role", want: give,
			},
			{
				rule: "nor makes a user above themselves", as: "deputy", do: "POST /users",
				body: `{"email":"new@harbour.example","role_id":"$admin_role"}`, status: 403, code: "forbidden_by_role", want: give,
			},
			{
				rule: "nor by leaving the role to its default", as: "deputy", do: "POST /users", body: `{"email":"new@harbour.example"}`,
				status: 403, want: `{"detail":"The role Deputy cannot give or take the role member, which also allows read on deals."}`,
			},
			{
				rule: "a feature beyond is named, too", as: "deputy", do: "PATCH /users/$guest", body: `{"role_id":"$exporter_role"}`,
				status: 403, want: `{"detail":"The role Deputy cannot give or take the role Exporter, which also allows export."}`,
			},
			{
				rule: "what one has oneself can be given", as: "deputy", do: "PATCH /users/$guest", body: `{"role_id":"$deputy_role"}`,
				status: 200,
			},
			{rule: "and taken", as: "deputy", do: "PATCH /users/$guest", body: `{"role_id":"$guest_role"}`, status: 200},
			{
				rule: "a user of one's own rank can be made", as: "deputy", do: "POST /users",
				body: `{"email":"new@harbour.example","role_id":"$deputy_role"}`, status: 201, save: "new",
			},
			{
				rule: "nobody takes the role of one above them", as: "deputy", do: "PATCH /users/$boss", body: `{"role_id":"$guest_role"}`,
				status: 403, code: "forbidden_by_role", want: give,
			},
			{
				rule: "nor their address, by which they log in", as: "deputy", do: "PATCH /users/$boss",
				body: `{"email":"mine@harbour.example"}`, status: 403, code: "forbidden_by_role",
			},
			{
				rule: "nor suspends them", as: "deputy", do: "PATCH /users/$boss", body: `{"status":"suspended"}`, status: 403,
				code: "forbidden_by_role",
			},
			{rule: "nor deletes them", as: "deputy", do: "DELETE /users/$boss", status: 403, code: "forbidden_by_role"},
			{
				rule: "nor changes what gives no rights: their name", as: "deputy", do: "PATCH /users/$boss", body: `{"name":"Nobody"}`,
				status: 403, code: "forbidden_by_role", want: give,
			},
			{
				rule: "or the id that another system knows them by", as: "deputy", do: "PATCH /users/$boss", body: `{"external_id":"x"}`,
				status: 403, code: "forbidden_by_role", want: give,
			},
			{rule: "a change that changes nothing is none", as: "deputy", do: "PATCH /users/$boss", body: `{"name":"boss"}`, status: 200},
			{
				rule: "one's own name can be changed", as: "deputy", do: "PATCH /users/$deputy", body: `{"name":"Dee"}`, status: 200,
				want: `{"name":"Dee"}`,
			},
			{
				rule: "and those of one's own rank", as: "deputy", do: "PATCH /users/$colleague", body: `{"timezone":"Europe/Oslo"}`,
				status: 200,
			},
			{rule: "an administrator deletes them", do: "DELETE /users/$boss", status: 204},
			{rule: "nobody below brings them back", as: "deputy", do: "POST /users/$boss/restore", status: 403, code: "forbidden_by_role"},
			{rule: "an administrator does", do: "POST /users/$boss/restore", status: 200},
			{
				rule: "wrong fields are told before the rank", as: "deputy", do: "POST /users",
				body: `{"email":"x","role_id":"$admin_role"}`, status: 422, wrong: "email:invalid_format",
			},

			{
				rule: "nobody makes a role above theirs", as: "deputy", do: "POST /roles",
				body: `{"name":"Super","permissions":{"deal":{"read":"own"}}}`, status: 403, code: "forbidden_by_role",
				want: `{"detail":"The role Deputy cannot make the role Super, which also allows read on deals."}`,
			},
			{
				rule: "nor one with a feature beyond", as: "deputy", do: "POST /roles",
				body: `{"name":"Super","features":["manage_users","manage_settings"]}`, status: 403, code: "forbidden_by_role",
				want: `{"detail":"The role Deputy cannot make the role Super, which also allows manage_settings."}`,
			},
			{
				rule: "nor widens their own", as: "deputy", do: "PATCH /roles/$deputy_role",
				body: `{"permissions":{"deal":{"write":"own"}}}`, status: 403,
				want: `{"detail":"The role Deputy cannot make the role Deputy, which also allows write on deals."}`,
			},
			{
				rule: "nor by a feature", as: "deputy", do: "PATCH /roles/$deputy_role",
				body: `{"features":["manage_users","manage_roles","export"]}`, status: 403,
				want: `{"detail":"The role Deputy cannot make the role Deputy, which also allows export."}`,
			},
			{
				rule: "nor narrows one above theirs", as: "deputy", do: "PATCH /roles/$viewer_role", body: `{"permissions":null}`,
				status: 403, want: `{"detail":"The role Deputy cannot change the role viewer, which also allows read on deals."}`,
			},
			{
				rule: "nor renames it", as: "deputy", do: "PATCH /roles/$admin_role", body: `{"name":"root"}`, status: 403,
				code: "forbidden_by_role",
			},
			{
				rule: "a role above theirs is made", do: "POST /roles", body: `{"name":"Closer","permissions":{"deal":{"read":"all"}}}`,
				status: 201, save: "closer",
			},
			{
				rule: "nobody below deletes it", as: "deputy", do: "DELETE /roles/$closer", status: 403, code: "forbidden_by_role",
				want: `{"detail":"The role Deputy cannot delete the role Closer, which also allows read on deals."}`,
			},
			{rule: "an administrator does", do: "DELETE /roles/$closer", status: 204},
			{
				rule: "nobody below brings it back", as: "deputy", do: "POST /roles/$closer/restore", status: 403,
				code: "forbidden_by_role",
				want: `{"detail":"The role Deputy cannot restore the role Closer, which also allows read on deals."}`,
			},
			{
				rule: "one within theirs can be made", as: "deputy", do: "POST /roles",
				body: `{"name":"Clerk","permissions":{"contact":{"read":"all","write":"own"}},"features":["manage_tokens"]}`, status: 201,
				save: "clerk",
			},
			{rule: "changed", as: "deputy", do: "PATCH /roles/$clerk", body: `{"permissions":{"task":{"read":"all"}}}`, status: 200},
			{rule: "and deleted", as: "deputy", do: "DELETE /roles/$clerk", status: 204},
			{
				rule: "a role in use is not", do: "DELETE /roles/$guest_role", status: 409, code: "conflict",
				want: `{"existing_id":"$guest"}`,
			},
			{rule: "rights can be given up", as: "deputy", do: "PATCH /users/$deputy", body: `{"role_id":"$guest_role"}`, status: 200},
			{
				rule: "and are gone at once", as: "deputy", do: "POST /users",
				body:   `{"email":"y@harbour.example","role_id":"$guest_role"}`,
				status: 403, code: "forbidden_by_role", want: `{"detail":"The role Guest does not allow write on users."}`,
			},
		})
		for _, role := range []string{"manager", "member", "viewer"} {
			w.run(t, []step{
				{
					rule: role + " does not raise themselves", as: role, do: "PATCH /users/$" + role, body: `{"role_id":"$admin_role"}`,
					status: 403, code: "forbidden_by_role", want: `{"detail":"The role ` + role + ` does not allow write on users."}`,
				},
				{
					rule: role + " does not widen their role", as: role, do: "PATCH /roles/$" + role + "_role",
					body: `{"features":["manage_users"]}`, status: 403, code: "forbidden_by_role",
				},
			})
		}
	})
}

func TestTheLastAdministratorStays(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.rolesByName(t)
		w.check(t, step{do: "PATCH /users/$admin", body: `{"status":"active"}`, status: 200})
		last := `{"detail":"This is the last active administrator; make another one first."}`
		none := `{"detail":"No active user could administer the business any more; make another administrator first."}`
		stays := func(when string) {
			w.run(t, []step{
				{
					rule: when + ": the last administrator is not suspended", do: "PATCH /users/$admin", body: `{"status":"suspended"}`,
					status: 409, code: "conflict", want: last,
				},
				{
					rule: when + ": nor demoted", do: "PATCH /users/$admin", body: `{"role_id":"$manager_role"}`, status: 409,
					code: "conflict", want: last,
				},
				{rule: when + ": nor deleted", do: "DELETE /users/$admin", status: 409, code: "conflict", want: last},
				{
					rule: when + ": their role keeps its features", do: "PATCH /roles/$admin_role", body: `{"features":["manage_users"]}`,
					status: 409, code: "conflict", want: none,
				},
				{
					rule: when + ": and its permissions", do: "PATCH /roles/$admin_role", body: `{"permissions":{"role":{"write":"own"}}}`,
					status: 409, code: "conflict", want: none,
				},
				{rule: when + ": and is not deleted", do: "DELETE /roles/$admin_role", status: 409, code: "conflict"},
			})
		}
		stays("alone")
		w.create(t, "users", `{"email":"second@harbour.example","role_id":"$admin_role"}`, "second")
		stays("beside one who is invited")
		w.check(t, step{do: "PATCH /users/$second", body: `{"status":"active"}`, status: 200})
		w.check(t, step{do: "PATCH /users/$second", body: `{"status":"suspended"}`, status: 200})
		stays("beside one who is suspended")
		w.check(t, step{do: "PATCH /users/$second", body: `{"status":"active"}`, status: 200})
		w.check(t, step{do: "DELETE /users/$second", status: 204})
		stays("beside one who is deleted")
		w.run(t, []step{
			{rule: "nothing has changed", do: "GET /users/$admin", status: 200, want: `{"status":"active","role_id":"$admin_role"}`},
			{rule: "what leaves the rights is free", do: "PATCH /users/$admin", body: `{"name":"Ada"}`, status: 200},
			{
				rule: "in the role, too", do: "PATCH /roles/$admin_role",
				body: `{"features":["manage_users","manage_roles","manage_settings","manage_tokens","manage_apps"]}`, status: 200,
			},
			{rule: "another administrator comes back", do: "POST /users/$second/restore", status: 200, want: `{"status":"active"}`},
			{
				rule: "then the first can go", do: "PATCH /users/$admin", body: `{"role_id":"$manager_role"}`, status: 403,
				code: "forbidden_by_role", want: `{"detail":"The role admin cannot give or take the role manager, which also allows ` +
					`export."}`,
			},
			{rule: "to a role within theirs", do: "PATCH /users/$admin", body: `{"role_id":"$member_role"}`, status: 200},
			{
				rule: "and is no administrator any more", do: "PATCH /users/$second", body: `{"name":"x"}`, status: 403,
				code: "forbidden_by_role",
			},
		})
	})
}
