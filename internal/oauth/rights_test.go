package oauth_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/store/keep"
)

// patch changes a user of Harbour and expects a status.
func (w *world) patch(t *testing.T, token, path, body string, status int) *answer {
	t.Helper()
	a := w.api(t, token, "PATCH "+path, body)
	if a.status != status {
		t.Fatalf("PATCH %s %s: %d %s, want %d", path, body, a.status, a.text, status)
	}
	return a
}

func (w *world) userPath(name string) string { return "/users/" + userID(w.users[name]) }

// named holds a 403 to saying what was lacking: a scope, or the role and the rule or feature.
func named(t *testing.T, a *answer, parts ...string) {
	t.Helper()
	if a.status != 403 {
		t.Fatalf("got %d %s, want 403", a.status, a.text)
	}
	switch a.get("code") {
	case "insufficient_scope":
		if scope := a.get("scope"); scope == "" || !strings.Contains(a.get("detail"), scope) ||
			!strings.Contains(a.header.Get("WWW-Authenticate"), `scope="`+scope+`"`) {
			t.Errorf("the scope is not named: %s %v", a.text, a.header)
		}
	case "forbidden_by_role":
		if !strings.Contains(a.get("detail"), "role ") {
			t.Errorf("the role is not named: %s", a.text)
		}
	default:
		t.Errorf("a 403 has the code %s", a.get("code"))
	}
	for _, part := range parts {
		if !strings.Contains(a.get("detail"), part) {
			t.Errorf("the answer does not name %s: %s", part, a.text)
		}
	}
}

func TestTokensOfASuspendedUserEndAtOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		c := w.register(t, nil)
		app, _ := w.app(t, `{"name":"Nightly","scopes":["contact.read"],"user_id":"`+userID(w.users["member"])+`"}`)
		pat := w.mint(t, "member")
		access, refresh := w.tokens(t, c)
		machine := w.post(t, "/oauth/token", app.form("grant_type", "client_credentials")).get("access_token")
		code, verifier := w.code(t, c)
		_, _, cookie := w.login(t, "member")
		for _, token := range []string{pat, access, machine} {
			w.works(t, token)
		}
		w.patch(t, admin, w.userPath("member"), `{"status":"suspended"}`, 200)
		ended := func() {
			t.Helper()
			for _, token := range []string{pat, access, machine} {
				w.refused(t, token)
			}
			if _, _, err := w.auth.Session(t.Context(), cookie); err == nil {
				t.Error("the session goes on")
			}
			fails(t, w.refresh(t, c, refresh), 400, "invalid_grant")
			fails(t, w.redeem(t, c, code, verifier), 400, "invalid_grant")
		}
		ended()
		fails(t, w.post(t, "/oauth/token", app.form("grant_type", "client_credentials")), 400, "invalid_grant")
		if _, err := w.people.LogIn(t.Context(), w.email("member"), password, t.Name()); err == nil {
			t.Error("a suspended user logs in")
		}
		if _, err := w.people.StartSession(t.Context(), oauth.Proven{Identity: w.proven(t, "member")}, "", ""); err == nil {
			t.Error("a suspended user gets a session")
		}
		// They are over for good, not only for as long as the suspension lasts.
		w.patch(t, admin, w.userPath("member"), `{"status":"active"}`, 200)
		ended()
		if _, err := w.people.LogIn(t.Context(), w.email("member"), password, t.Name()); err != nil {
			t.Error(err)
		}
	})
}

func TestTokensOfADeletedUserEndAtOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		c := w.register(t, nil)
		pat := w.mint(t, "member")
		access, refresh := w.tokens(t, c)
		_, _, cookie := w.login(t, "member")
		w.works(t, pat)
		w.works(t, access)
		if a := w.api(t, admin, "DELETE "+w.userPath("member"), ""); a.status != 204 {
			t.Fatalf("%d %s", a.status, a.text)
		}
		check := func() {
			t.Helper()
			w.refused(t, pat)
			w.refused(t, access)
			fails(t, w.refresh(t, c, refresh), 400, "invalid_grant")
			if _, _, err := w.auth.Session(t.Context(), cookie); err == nil {
				t.Error("the session goes on")
			}
		}
		check()
		if _, err := w.people.LogIn(t.Context(), w.email("member"), password, t.Name()); err == nil {
			t.Error("a deleted user logs in")
		}
		if a := w.api(t, admin, "POST "+w.userPath("member")+"/restore", ""); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.text)
		}
		check()
	})
}

func TestDemotionCountsAtOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		manager := w.mint(t, "manager")
		who, _, cookie := w.login(t, "manager")
		if who.Role.Name != "manager" {
			t.Fatal(who.Role.Name)
		}
		contact := w.api(t, admin, "POST /contacts", `{"first_name":"Ada"}`).get("id")
		w.patch(t, manager, "/contacts/"+contact, `{"last_name":"L"}`, 200)
		w.patch(t, admin, w.userPath("manager"), `{"role_id":"`+w.roleID(t, "viewer")+`"}`, 200)
		named(t, w.patch(t, manager, "/contacts/"+contact, `{"last_name":"M"}`, 403), "viewer", "write")
		if who, _, err := w.auth.Session(t.Context(), cookie); err != nil || who.Role.Name != "viewer" {
			t.Errorf("the session has the role %v: %v", who, err)
		}
		// The role itself can change under its users, too.
		w.patch(t, admin, "/roles/"+w.roleID(t, "viewer"), `{"permissions":{"contact":{"read":"none"}}}`, 200)
		named(t, w.api(t, manager, "GET /contacts/"+contact, ""), "viewer", "read")
	})
}

// A deputy manages users, roles and apps, but may not touch deals.
func (w *world) deputy(t *testing.T) string {
	t.Helper()
	w.role(t, "deputy", permissions("all", map[string]string{"deal": "none"}), "manage_users", "manage_roles", "manage_apps",
		"manage_tokens")
	w.user(t, "deputy", "deputy")
	return w.mint(t, "deputy")
}

func TestNobodyRaisesTheirOwnRole(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		deputy := w.deputy(t)
		named(t, w.patch(t, deputy, w.userPath("deputy"), `{"role_id":"`+w.roleID(t, "admin")+`"}`, 403), "deputy", "admin")
		named(t, w.patch(t, deputy, "/roles/"+w.roleID(t, "deputy"), `{"permissions":{"deal":{"read":"all"}}}`, 403), "deputy",
			"read on deals")
		named(t, w.patch(t, deputy, "/roles/"+w.roleID(t, "deputy"),
			`{"features":["manage_users","manage_roles","manage_apps","manage_tokens","export"]}`, 403), "export")
		for _, role := range []string{"manager", "member", "viewer"} {
			named(t, w.patch(t, w.mint(t, role), w.userPath(role), `{"role_id":"`+w.roleID(t, "admin")+`"}`, 403), role)
		}
		// Giving up rights is free.
		w.role(t, "nobody", "{}")
		w.patch(t, deputy, w.userPath("deputy"), `{"role_id":"`+w.roleID(t, "nobody")+`"}`, 200)
	})
}

func TestNobodyGivesARoleAboveTheirs(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		deputy := w.deputy(t)
		admin, manager, own := w.roleID(t, "admin"), w.roleID(t, "manager"), w.roleID(t, "deputy")
		named(t, w.patch(t, deputy, w.userPath("viewer"), `{"role_id":"`+admin+`"}`, 403), "admin")
		named(t, w.patch(t, deputy, w.userPath("viewer"), `{"role_id":"`+manager+`"}`, 403), "manager", "deals")
		named(t, w.api(t, deputy, "POST /users", `{"email":"new@`+w.domain+`","role_id":"`+admin+`"}`), "admin")
		named(t, w.api(t, deputy, "POST /roles", `{"name":"super","permissions":`+permissions("all", nil)+`}`), "deputy")
		named(t, w.patch(t, deputy, "/roles/"+manager, `{"name":"bosses"}`, 403), "deputy")
		if a := w.api(t, deputy, "POST /users", `{"email":"new@`+w.domain+`","role_id":"`+own+`"}`); a.status != 201 {
			t.Errorf("their own role: %d %s", a.status, a.text)
		}
	})
}

// Whoever has less may not take over, shut out, remove or bring back someone who has more.
func TestNobodyTakesOverSomeoneAboveThem(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		deputy := w.deputy(t)
		w.user(t, "second", "admin")
		for _, name := range []string{"admin", "second", "manager"} {
			named(t, w.patch(t, deputy, w.userPath(name), `{"email":"mine@`+w.domain+`"}`, 403), "deputy")
			named(t, w.patch(t, deputy, w.userPath(name), `{"status":"suspended"}`, 403), "deputy")
			named(t, w.patch(t, deputy, w.userPath(name), `{"role_id":"`+w.roleID(t, "deputy")+`"}`, 403), "deputy")
			named(t, w.api(t, deputy, "DELETE "+w.userPath(name), ""), "deputy")
		}
		if a := w.api(t, w.mint(t, "admin"), "DELETE "+w.userPath("second"), ""); a.status != 204 {
			t.Fatalf("%d %s", a.status, a.text)
		}
		named(t, w.api(t, deputy, "POST "+w.userPath("second")+"/restore", ""), "deputy", "admin")
	})
}

func TestAppCannotActAsAHigherUser(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		deputy := w.deputy(t)
		admin := userID(w.users["admin"])
		// The deputy may act as another deputy, who has the same rights.
		w.user(t, "deputy2", "deputy")
		named(t, w.api(t, deputy, "POST /apps", `{"name":"x","scopes":["contact.read"],"user_id":"`+admin+`"}`), "deputy", "admin")
		named(t, w.api(t, deputy, "POST /apps", `{"name":"x","scopes":["contact.read"],"user_id":"`+userID(w.users["manager"])+`"}`),
			"manager")
		app := w.api(t, deputy, "POST /apps", `{"name":"x","scopes":["contact.read"],"user_id":"`+userID(w.users["deputy2"])+`"}`)
		if app.status != 201 {
			t.Fatalf("%d %s", app.status, app.text)
		}
		named(t, w.patch(t, deputy, "/apps/"+app.get("id"), `{"user_id":"`+admin+`"}`, 403), "admin")
		// The secret of an app that acts as someone higher is as good as being them.
		_, theirs := w.app(t, `{"name":"y","scopes":["contact.read"],"user_id":"`+admin+`"}`)
		named(t, w.api(t, deputy, "POST /apps/"+theirs.get("id")+"/rotate_secret", ""), "deputy", "admin")
		named(t, w.patch(t, deputy, "/apps/"+theirs.get("id"), `{"redirect_uris":["https://evil.example/"]}`, 403), "admin")
		named(t, w.patch(t, deputy, "/apps/"+theirs.get("id"), `{"scopes":["user.all"]}`, 403), "admin")
		if a := w.api(t, deputy, "POST /apps", `{"name":"x","scopes":["contact.read"]}`); a.status != 201 ||
			a.get("user_id") != userID(w.users["deputy"]) {
			t.Errorf("as oneself: %d %s", a.status, a.text)
		}
	})
}

func TestLastAdministratorStays(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		path, role := w.userPath("admin"), "/roles/"+w.roleID(t, "admin")
		stays := func() {
			t.Helper()
			w.patch(t, admin, path, `{"status":"suspended"}`, 409)
			w.patch(t, admin, path, `{"role_id":"`+w.roleID(t, "manager")+`"}`, 409)
			if a := w.api(t, admin, "DELETE "+path, ""); a.status != 409 {
				t.Errorf("deletion: %d %s", a.status, a.text)
			}
			w.patch(t, admin, role, `{"features":["manage_users"]}`, 409)
			w.patch(t, admin, role, `{"permissions":{"user":{"write":"own"}}}`, 409)
			if a := w.api(t, admin, "DELETE "+role, ""); a.status != 409 {
				t.Errorf("deletion of the role: %d %s", a.status, a.text)
			}
		}
		stays()
		// One who is invited or suspended does not count.
		second := w.api(t, admin, "POST /users", `{"email":"second@`+w.domain+`","role_id":"`+w.roleID(t, "admin")+`"}`)
		stays()
		w.patch(t, admin, "/users/"+second.get("id"), `{"status":"active"}`, 200)
		w.patch(t, admin, "/users/"+second.get("id"), `{"status":"suspended"}`, 200)
		stays()
		w.patch(t, admin, "/users/"+second.get("id"), `{"status":"active"}`, 200)
		w.patch(t, admin, path, `{"role_id":"`+w.roleID(t, "manager")+`"}`, 200)
	})
}

// Two administrators who remove each other at the same moment must not both succeed.
func TestConcurrentDemotionsLeaveAnAdministrator(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.user(t, "second", "admin")
		tokens := map[string]string{"admin": w.mint(t, "admin"), "second": w.mint(t, "second")}
		manager, admin := w.roleID(t, "manager"), w.roleID(t, "admin")
		for round := range 10 {
			var all sync.WaitGroup
			start := make(chan struct{})
			answers := [2]*answer{}
			for i, names := range [][2]string{{"admin", "second"}, {"second", "admin"}} {
				all.Go(func() {
					<-start
					answers[i] = w.api(t, tokens[names[0]], "PATCH "+w.userPath(names[1]), `{"role_id":"`+manager+`"}`)
				})
			}
			close(start)
			all.Wait()
			won := 0
			for _, a := range answers {
				if a.status == 200 {
					won++
				}
			}
			if won != 1 {
				t.Fatalf("round %d: %d of 2 demotions succeeded: %s %s", round, won, answers[0].text, answers[1].text)
			}
			last, gone := "admin", "second"
			if answers[0].status != 200 {
				last, gone = gone, last
			}
			w.patch(t, tokens[last], w.userPath(gone), `{"role_id":"`+admin+`"}`, 200)
		}
	})
}

func TestRoleInUseCannotBeDeleted(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		for _, role := range []string{"admin", "manager", "member", "viewer"} {
			if a := w.api(t, admin, "DELETE /roles/"+w.roleID(t, role), ""); a.status != 409 {
				t.Errorf("%s: %d %s", role, a.status, a.text)
			}
		}
		if a := w.api(t, admin, "DELETE /roles/"+w.role(t, "spare", "{}"), ""); a.status != 204 {
			t.Errorf("a role that nobody has: %d %s", a.status, a.text)
		}
	})
}

// Each manage_ feature is needed for changing its settings, and not for reading them.
func TestFeaturePermissions(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		settings := map[string]struct{ plural, body string }{
			"manage_users":    {"users", `{"email":"%s@` + w.domain + `"}`},
			"manage_roles":    {"roles", `{"name":"%s"}`},
			"manage_settings": {"lifecycle_stages", `{"name":"%s"}`},
			"manage_apps":     {"apps", `{"name":"%s","scopes":["contact.read"]}`},
		}
		for have := range settings {
			w.role(t, have, permissions("all", nil), have)
			w.user(t, have, have)
			token := w.mint(t, have)
			for needed, s := range settings {
				if a := w.api(t, token, "POST /"+s.plural+"/search", `{}`); a.status != 200 {
					t.Errorf("%s reads %s: %d %s", have, s.plural, a.status, a.text)
				}
				body := fmt.Sprintf(s.body, "by-"+have)
				if needed == "manage_users" && have == needed {
					// A new user gets the role member, which this role covers.
					body = strings.TrimSuffix(body, "}") + `,"role_id":"` + w.roleID(t, "viewer") + `"}`
				}
				a := w.api(t, token, "POST /"+s.plural, body)
				if needed != have {
					named(t, a, have, needed)
				} else if a.status != 201 {
					t.Errorf("%s on %s: %d %s", have, s.plural, a.status, a.text)
				}
			}
		}
	})
}

// One's own tokens need no feature permission; those of others do.
func TestOwnTokensWithoutManageTokens(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		admin := w.mint(t, "admin")
		for _, role := range []string{"manager", "member", "viewer"} {
			mine := w.mint(t, role)
			a := w.api(t, mine, "POST /tokens", `{"name":"mine","scopes":["contact.read"]}`)
			if a.status != 201 || a.get("user_id") != userID(w.users[role]) {
				t.Fatalf("%s: %d %s", role, a.status, a.text)
			}
			theirs := w.api(t, admin, "POST /tokens", `{"name":"theirs","scopes":["contact.read"]}`)
			for _, do := range []string{"GET", "DELETE"} {
				if got := w.api(t, mine, do+" /tokens/"+theirs.get("id"), ""); got.status != 404 {
					t.Errorf("%s: %s of another's token: %d %s", role, do, got.status, got.text)
				}
			}
			found := w.api(t, mine, "POST /tokens/search", `{"limit":100}`)
			for _, record := range found.json["data"].([]any) {
				if record.(map[string]any)["user_id"] != userID(w.users[role]) {
					t.Errorf("%s sees another's token", role)
				}
			}
			if got := w.api(t, mine, "DELETE /tokens/"+a.get("id"), ""); got.status != 204 {
				t.Errorf("%s: %d %s", role, got.status, got.text)
			}
			w.refused(t, a.get("token"))
			w.works(t, theirs.get("token"))
			// The administrator can end anyone's.
			b := w.api(t, mine, "POST /tokens", `{"name":"mine","scopes":["contact.read"]}`)
			w.works(t, b.get("token"))
			if got := w.api(t, admin, "DELETE /tokens/"+b.get("id"), ""); got.status != 204 {
				t.Errorf("%d %s", got.status, got.text)
			}
			w.refused(t, b.get("token"))
		}
	})
}

// A wide reading of tokens does not let anyone without manage_tokens end those of others.
func TestManageTokensIsNeededForThoseOfOthers(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.role(t, "auditor", permissions("all", nil))
		w.user(t, "auditor", "auditor")
		auditor := w.mint(t, "auditor")
		theirs := w.api(t, w.mint(t, "admin"), "POST /tokens", `{"name":"theirs","scopes":["contact.read"]}`)
		if a := w.api(t, auditor, "GET /tokens/"+theirs.get("id"), ""); a.status != 200 || strings.Contains(a.text, theirs.get("token")) {
			t.Errorf("%d %s", a.status, a.text)
		}
		named(t, w.api(t, auditor, "DELETE /tokens/"+theirs.get("id"), ""), "auditor")
		w.works(t, theirs.get("token"))
	})
}

// Under own, reads, searches and writes reach only what one owns or is assigned.
func TestOwnReaches(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.role(t, "solo", permissions("own", nil))
		w.user(t, "solo", "solo")
		admin, solo := w.mint(t, "admin"), w.mint(t, "solo")
		theirs := w.api(t, admin, "POST /tasks", `{"title":"theirs"}`).get("id")
		assigned := w.api(t, admin, "POST /tasks", `{"title":"assigned","assignee_id":"`+userID(w.users["solo"])+`"}`).get("id")
		owned := w.api(t, admin, "POST /tasks", `{"title":"owned","owner_id":"`+userID(w.users["solo"])+`"}`).get("id")
		for id, status := range map[string]int{theirs: 404, assigned: 200, owned: 200} {
			if a := w.api(t, solo, "GET /tasks/"+id, ""); a.status != status {
				t.Errorf("get: %d, want %d", a.status, status)
			}
			w.patch(t, solo, "/tasks/"+id, `{"description":"x"}`, status)
			if a := w.api(t, solo, "POST /tasks/"+id+"/complete", ""); a.status != status {
				t.Errorf("complete: %d, want %d", a.status, status)
			}
		}
		a := w.api(t, solo, "POST /tasks/search", `{}`)
		if data := a.json["data"].([]any); len(data) != 2 {
			t.Errorf("the search finds %s", a.text)
		}
	})
}

// A registered app acts for users of every business, but each token only in its own.
func TestRegisteredAppStaysInTheUsersBusiness(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.register(t, nil)
		verifier := newVerifier()
		theirs := w.redeem(t, c, w.approve(t, "stranger", asked(c, challengeOf(verifier))).Get("code"), verifier).get("access_token")
		mine, _ := w.tokens(t, c)
		id := w.api(t, mine, "POST /contacts", `{"first_name":"Ada"}`).get("id")
		if a := w.api(t, theirs, "GET /contacts/"+id, ""); a.status != 404 {
			t.Errorf("%d %s", a.status, a.text)
		}
		if a := w.api(t, theirs, "POST /contacts/search", "{}"); !strings.Contains(a.text, `"data":[]`) {
			t.Errorf("%d %s", a.status, a.text)
		}
		grants, err := keep.Grants(context.Background(), w.harbour, w.users["member"])
		if err != nil || len(grants) != 1 {
			t.Errorf("%v %v", grants, err)
		}
	})
}
