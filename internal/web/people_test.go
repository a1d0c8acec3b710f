package web

import (
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"kith/internal/body"
	"kith/internal/crm"
	"kith/internal/oauth"
)

// roleID finds a role by its name in the choice of a page.
func (v *visitor) roleID(path, name string) string {
	v.Helper()
	return v.find(v.get(path).body, `value="(role_[^"]*)"[^>]*>`+name+`<`)
}

func TestEditAPerson(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		anna, path := c.anna, "/account/people/"+c.ben
		anna.expect(anna.get(path), http.StatusOK, "New password link")
		form := anna.filledIn(path, "name", "Ben Ode", "role", anna.roleID(path, "manager"), "timezone", "Europe/Lisbon", "locale", "pt-PT")
		anna.leads(anna.post(path, form...), path+"?done=saved")
		page := anna.expect(anna.get(path+"?done=saved"), http.StatusOK, "Saved.")
		for _, part := range []string{`value="Ben Ode"`, `selected>manager<`, `value="Europe/Lisbon"`, `value="pt-PT"`} {
			anna.expect(page, http.StatusOK, part)
		}
		// The form of before knows nothing of that change, so it is not taken.
		anna.expect(anna.post(path, form...), http.StatusUnprocessableEntity, "Somebody changed this while you had it open")
		anna.expect(anna.post(path, anna.filledIn(path, "name", "Ben", "version", "")...), http.StatusUnprocessableEntity, "Somebody changed this while you had it open")
		anna.expect(anna.post(path, anna.filledIn(path, "email", "ben", "timezone", "Mars/Base")...), http.StatusUnprocessableEntity, `id="f-email-error"`)
		anna.expect(anna.post(path, anna.filledIn(path, "timezone", "Mars/Base")...), http.StatusUnprocessableEntity, `id="f-timezone-error"`)
		anna.expect(anna.post(path, anna.filledIn(path, "role", "role_nonsense")...), http.StatusUnprocessableEntity, `id="f-role-error"`)
		// What is emptied is gone.
		anna.leads(anna.post(path, anna.filledIn(path, "timezone", "", "locale", "")...), path+"?done=saved")
		if strings.Contains(anna.get(path).body, "Europe/Lisbon\" ") {
			t.Error("the time zone is still there")
		}

		// A new address waits to be confirmed, and saving something else does not take that back.
		shown := anna.follow(anna.post(path, anna.filledIn(path, "email", "ben@new.test")...))
		anna.expect(shown, http.StatusOK, "Hand this link to ben@new.test")
		link := anna.find(shown.body, `(/link/kith_[0-9A-Za-z_]+)"`)
		anna.expect(anna.get(path), http.StatusOK, "ben@new.test is not confirmed yet")
		anna.leads(anna.post(path, anna.filledIn(path, "name", "Ben O.")...), path+"?done=saved")
		anna.expect(anna.get(path), http.StatusOK, "ben@new.test is not confirmed yet")
		ben := h.visitor()
		ben.expect(ben.post(link, "password", password), http.StatusSeeOther, "")
		h.loggedIn("ben@new.test")

		anna.leads(anna.post("/account/people/delete", "id", c.ben), "/account/people?done=removed")
		anna.expect(anna.get(path), http.StatusNotFound, "There is no such page")
		anna.expect(anna.get("/account/people"), http.StatusOK, "Restore<span")
		anna.leads(anna.post("/account/people/restore", "id", c.ben), path+"?done=restored")
		anna.expect(anna.get(path), http.StatusOK, "Ben O.")
	})
}

// Where a business has more roles than a choice can hold, saving a name must not give the person the first of them.
func TestManyRoles(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		anna := c.anna
		for i := range 100 {
			if _, err := createRole(h, c.admin, fmt.Sprintf(`{"name":"a%02d","permissions":{"contact":{"read":"all","write":"all"}}}`, i)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := createRole(h, c.admin, `{"name":"zebra","permissions":{"contact":{"read":"own"}}}`); err != nil {
			t.Fatal(err)
		}
		path := "/account/people/" + formatUser(h.user(c.admin, "zoe@juniper.test", "zebra"))
		anna.leads(anna.post(path, anna.filledIn(path, "name", "Zoe Again")...), path+"?done=saved")
		anna.expect(anna.get(path), http.StatusOK, "selected>zebra<")
		people := anna.expect(anna.get("/account/people"), http.StatusOK, `<p class="meta">Zebra`)
		anna.expect(people, http.StatusOK, "selected>member<")
		// Where the role that is proposed otherwise is beyond the choice as well, nothing is proposed.
		ben := "/account/people/" + c.ben
		anna.leads(anna.post(ben, anna.filledIn(ben, "role", anna.roleID(ben, "a00"))...), ben+"?done=saved")
		anna.expect(anna.get("/account/people"), http.StatusOK, `<option value="" selected>Choose one</option>`)
		more := anna.find(anna.get("/account/roles").body, `href="(/account/roles\?cursor=[^"]*)"`)
		more = anna.find(anna.get(html.UnescapeString(more)).body, `href="(/account/roles\?cursor=[^"]*)"`)
		anna.expect(anna.get(html.UnescapeString(more)), http.StatusOK, "<bdi>Zebra</bdi>")
	})
}

// A new address of somebody who is still invited is invited instead of the old one.
func TestInvitedPersonIsInvitedAnew(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	invited := anna.follow(anna.post("/account/people", "email", "wrong@juniper.test")).body
	old := anna.find(invited, `(/link/kith_link_[0-9A-Za-z]+)"`)
	path := "/account/people/" + anna.find(invited, `(?s)<bdi>wrong@juniper.test</bdi>.*?/account/people/(user_[^"]*)"`)
	shown := anna.follow(anna.post(path, anna.filledIn(path, "email", "right@juniper.test")...))
	anna.expect(shown, http.StatusOK, "Hand this link to right@juniper.test")
	stranger := h.visitor()
	stranger.expect(stranger.get(old), http.StatusNotFound, "does not work any more")
	stranger.expect(stranger.get(anna.find(shown.body, `(/link/kith_link_[0-9A-Za-z]+)"`)), http.StatusOK, "right@juniper.test")
}

// Nobody is offered what they may not do, and nobody can do it by sending the form all the same.
func TestRankOnThePagesOfPeople(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		if _, err := createRole(h, c.admin, `{"name":"front desk","permissions":{"user":{"read":"all","write":"all","delete":"all"},"role":{"read":"all"},"contact":{"read":"all"}},"features":["manage_users"]}`); err != nil {
			t.Fatal(err)
		}
		if _, err := createRole(h, c.admin, `{"name":"guest","permissions":{"contact":{"read":"own"}}}`); err != nil {
			t.Fatal(err)
		}
		h.user(c.admin, "desk@juniper.test", "front desk")
		guest := formatUser(h.user(c.admin, "guest@juniper.test", "guest"))
		desk := h.loggedIn("desk@juniper.test")

		above := "/account/people/" + formatUser(c.admin.User)
		page := desk.expect(desk.get(above), http.StatusOK, "You cannot change")
		if strings.Contains(page.body, `action="/account/people`) {
			t.Error("an administrator can be changed by a form")
		}
		adminRole := c.anna.roleID("/account/people", "admin")
		for name, form := range map[string][]string{
			"name": {"name", "Eve"}, "e-mail": {"email", "eve@juniper.test"}, "role": {"role", desk.roleID("/account/people", "guest")},
		} {
			form = append(form, "version", c.anna.find(c.anna.get(above).body, `name="version" value="([0-9]+)"`))
			if form[0] != "name" {
				form = append(form, "name", "Anna Berg")
			}
			if form[0] != "email" {
				form = append(form, "email", "anna@juniper.test")
			}
			if form[0] != "role" {
				form = append(form, "role", adminRole)
			}
			if got := desk.post(above, form...); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, "cannot give or take the role admin") {
				t.Errorf("the %s of an administrator: %d\n%s", name, got.status, got.main())
			}
		}
		desk.expect(desk.post("/account/people/delete", "id", formatUser(c.admin.User)), http.StatusForbidden, "You may not do this")
		path := "/account/people/" + guest
		if body := desk.get(path).body; strings.Contains(body, ">admin<") || !strings.Contains(body, ">guest<") {
			t.Error("the roles that are offered are not those that may be given")
		}
		desk.expect(desk.post(path, desk.filledIn(path, "role", adminRole)...), http.StatusUnprocessableEntity, "cannot give or take the role admin")
		desk.leads(desk.post(path, desk.filledIn(path, "name", "Gus")...), path+"?done=saved")

		// Another business's people are not there at all.
		h.business("Thistle", "cleo@thistle.test")
		cleo := h.loggedIn("cleo@thistle.test")
		for _, got := range []*answer{
			cleo.get(path), cleo.post(path, "name", "x", "version", "1"), cleo.post("/account/people/delete", "id", guest), cleo.post("/account/people/restore", "id", guest),
			cleo.get("/account/apps/" + c.app()), cleo.post("/account/apps/"+c.app(), "name", "x", "access", "read", "version", "1"),
		} {
			cleo.expect(got, http.StatusNotFound, "There is no such page")
		}
		// Who manages neither sees nothing of these pages.
		ben := h.loggedIn("ben@juniper.test")
		for _, path := range []string{path, "/account/apps/" + c.app(), "/account/business"} {
			ben.expect(ben.get(path), http.StatusForbidden, "You may not do this")
			ben.expect(ben.post(path, "name", "x"), http.StatusForbidden, "You may not do this")
		}
	})
}

func TestEditAnApp(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		anna, path := c.anna, "/account/apps/"+c.app()
		form := anna.filledIn(path, "name", "Gate", "access", "work", "redirect_uris", "https://gate.example.com/cb\r\n"+callback)
		anna.leads(anna.post(path, form...), path+"?done=saved")
		page := anna.expect(anna.get(path), http.StatusOK, `value="Gate"`)
		for _, part := range []string{"https://gate.example.com/cb\n" + callback, `value="work" checked`} {
			anna.expect(page, http.StatusOK, part)
		}
		anna.expect(anna.post(path, form...), http.StatusUnprocessableEntity, "Somebody changed this while you had it open")
		anna.expect(anna.post(path, anna.filledIn(path, "redirect_uris", "http://evil.example.com")...), http.StatusUnprocessableEntity, `id="f-redirect_uris-error"`)
		anna.expect(anna.post(path, anna.filledIn(path, "redirect_uris", "")...), http.StatusUnprocessableEntity, `id="f-redirect_uris-error"`)
		anna.expect(anna.post(path, anna.filledIn(path, "name", "")...), http.StatusUnprocessableEntity, `id="f-name-error"`)
		anna.leads(anna.post(path, "name", "Gate", "access", "some", "scope", "contact.read", "scope", "user.write", "redirect_uris", callback, "version", "2"), path+"?done=saved")
		page = anna.get(path)
		for _, part := range []string{`value="some" checked`, `value="contact.read" aria-label="Read contacts" checked`, `value="user.write" aria-label="Create and change users, powerful" checked`} {
			anna.expect(page, http.StatusOK, part)
		}
		if got := strings.Count(page.body, " checked"); got != 3 {
			t.Errorf("%d ticks, want the choice and two scopes", got)
		}

		made := anna.follow(anna.post("/account/apps", "name", "Sync", "access", "read", "user", "anna@juniper.test"))
		background := "/account/apps/" + anna.find(made.body, `(?s)<bdi>Sync</bdi>.*?/account/apps/(app_[^"]*)"`)
		anna.leads(anna.post(background, anna.filledIn(background, "user", "ben@juniper.test")...), background+"?done=saved")
		anna.expect(anna.get(background), http.StatusOK, `value="ben@juniper.test"`)
		anna.expect(anna.post(background, anna.filledIn(background, "user", "nobody@juniper.test")...), http.StatusUnprocessableEntity, "is not the e-mail address of a user")
		anna.expect(anna.post(background, anna.filledIn(background, "user", "")...), http.StatusUnprocessableEntity, `id="f-user-error"`)
		rotated := anna.follow(anna.post("/account/apps/rotate", "id", strings.TrimPrefix(background, "/account/apps/")))
		anna.expect(rotated, http.StatusOK, "has a new secret")
	})
}

// To change an app's scopes ends its tokens, so whoever only renames it must not change them, in whatever form it has them.
func TestRenamingAnAppLeavesItsScopes(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		for _, scopes := range []string{`["contact.all"]`, `["contact.all","deal.read","user.all"]`, `["contact.read","contact.write","contact.delete"]`, `["contact.read"]`} {
			n, err := body.Parse([]byte(`{"name":"Sync","scopes":` + scopes + `}`))
			if err != nil {
				t.Fatal(err)
			}
			app, err := h.engine.Do(t.Context(), crm.Call{Principal: c.admin}, crm.Operation{Kind: crm.KindOf("app"), Name: crm.Create, Body: n})
			if err != nil {
				t.Fatal(err)
			}
			c.anna.leads(c.anna.post(appPath(app), c.anna.filledIn(appPath(app), "name", "Nightly sync")...), appPath(app)+"?done=saved")
			id := strings.TrimPrefix(appPath(app), "/account/apps/")
			if app, err = h.engine.Get(t.Context(), crm.Call{Principal: c.admin}, crm.KindOf("app"), id); err != nil {
				t.Fatal(err)
			}
			if got := string(crm.Render(nil, app)); !strings.Contains(got, `"name":"Nightly sync"`) || !strings.Contains(got, `"scopes":`+scopes) {
				t.Errorf("%s became %s", scopes, got)
			}
		}
	})
}

func TestBusinessPage(t *testing.T) {
	onEach(t, func(h *house) {
		h.business("Juniper", "anna@juniper.test")
		anna := h.loggedIn("anna@juniper.test")
		form := anna.filledIn("/account/business", "name", "Juniper & Sons", "currency", "sek", "timezone", "Europe/Stockholm", "locale", "sv-SE")
		anna.leads(anna.post("/account/business", form...), "/account/business?done=saved")
		page := anna.expect(anna.get("/account/business?done=saved"), http.StatusOK, "Juniper &amp; Sons")
		for _, part := range []string{`value="SEK"`, `value="Europe/Stockholm"`, `value="sv-SE"`, "Saved."} {
			anna.expect(page, http.StatusOK, part)
		}
		anna.expect(anna.post("/account/business", form...), http.StatusUnprocessableEntity, "Somebody changed this while you had it open")
		wrong := anna.expect(anna.post("/account/business", anna.filledIn("/account/business", "name", "", "currency", "Taler", "timezone", "Mars/Base", "locale", "?")...), http.StatusUnprocessableEntity, "Error: Business")
		for _, field := range []string{"name", "currency", "timezone", "locale"} {
			anna.expect(wrong, http.StatusUnprocessableEntity, `id="f-`+field+`-error"`)
		}
		anna.expect(anna.get("/account/business"), http.StatusOK, `value="SEK"`)
	})
}

func TestOwnProfile(t *testing.T) {
	onEach(t, func(h *house) {
		admin := h.business("Juniper", "anna@juniper.test")
		h.user(admin, "ben@juniper.test", "viewer")
		ben := h.loggedIn("ben@juniper.test")
		ben.leads(ben.post("/account/profile", "name", "Ben Ode", "email", "ben@juniper.test", "timezone", "Europe/Rome", "locale", ""), "/account?done=saved")
		page := ben.expect(ben.get("/account"), http.StatusOK, `value="Ben Ode"`)
		ben.expect(page, http.StatusOK, `value="Europe/Rome"`)
		ben.expect(ben.post("/account/profile", "name", "", "email", "ben@juniper.test"), http.StatusSeeOther, "") // the e-mail address takes its place
		ben.expect(ben.post("/account/profile", "name", "Ben", "email", "ben"), http.StatusUnprocessableEntity, `id="f-email-error"`)
		ben.expect(ben.post("/account/profile", "name", "Ben", "email", "anna@juniper.test"), http.StatusUnprocessableEntity, `id="f-email-error"`)
		// The role is not for them to choose, whatever the form says.
		ben.post("/account/profile", "name", "Ben", "email", "ben@juniper.test", "role_id", "x", "role", "x", "status", "suspended")
		ben.expect(ben.get("/account"), http.StatusOK, "Viewer")

		changed := ben.follow(ben.post("/account/profile", "name", "Ben", "email", "ben@new.test"))
		ben.expect(changed, http.StatusOK, "Confirm ben@new.test before you can log in with it")
		h.loggedIn("ben@juniper.test")
		link := strings.TrimPrefix(h.logged("email", "ben@new.test"), mailedOrigin)
		ben.expect(ben.post(link, "password", password), http.StatusSeeOther, "")
		h.loggedIn("ben@new.test")
	})
}

func TestSwitchOfBusiness(t *testing.T) {
	onEach(t, func(h *house) {
		h.business("Juniper", "anna@juniper.test")
		anna := h.loggedIn("anna@juniper.test")
		anna.expect(anna.get("/account/switch"), http.StatusOK, "Switch business")
		anna.expect(anna.post("/account/switch", "password", "wrong"), http.StatusUnprocessableEntity, "Password is not right")
		alone := anna.expect(anna.post("/account/switch", "password", password), http.StatusUnprocessableEntity, "opens no other business")
		if strings.Contains(anna.get("/account/switch").body+alone.body, "Thistle") {
			t.Error("the page names businesses before a password opened them")
		}
		h.business("Thistle", "anna@juniper.test")
		before := anna.cookie(sessionCookie)
		chooser := anna.follow(anna.post("/account/switch", "password", password))
		anna.expect(chooser, http.StatusOK, "can work in any of these")
		anna.expect(anna.get("/account"), http.StatusOK, "Juniper")
		to := anna.find(chooser.body, `value="(business_[^"]*)"><bdi>Thistle`)
		anna.leads(anna.post("/login/business", "proof", anna.find(chooser.body, `name="proof" value="([^"]*)"`), "business", to, "next", "/account"), "/account")
		anna.expect(anna.get("/account"), http.StatusOK, "Thistle")
		thief := h.visitor()
		thief.header.Set("Cookie", sessionCookie+"="+before)
		thief.leads(thief.get("/account"), "/login")

		// Who is put into a business under somebody's address gets no further by that.
		eve := h.business("Nettle", "eve@nettle.test")
		other := "a password that eve chose"
		hash, err := oauth.HashPassword(other)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.engine.CreateUser(t.Context(), eve.Tenant, crm.Person{Email: "anna@juniper.test", Name: "Not Anna", PasswordHash: hash}, "admin"); err != nil {
			t.Fatal(err)
		}
		posing := h.visitor()
		posing.leads(posing.post("/login", "email", "anna@juniper.test", "password", other), "/app")
		posing.expect(posing.post("/account/switch", "password", other), http.StatusUnprocessableEntity, "opens no other business")
	})
}

func TestRolesOverview(t *testing.T) {
	h := newHouse(t)
	admin := h.business("Juniper", "anna@juniper.test")
	if _, err := createRole(h, admin, `{"name":"guest","permissions":{"contact":{"read":"own"}}}`); err != nil {
		t.Fatal(err)
	}
	h.user(admin, "ben@juniper.test", "viewer")
	h.user(admin, "gus@juniper.test", "guest")
	ben, gus := h.loggedIn("ben@juniper.test"), h.loggedIn("gus@juniper.test")
	page := ben.expect(ben.get("/account/roles"), http.StatusOK, "What the roles allow")
	for _, part := range []string{"Read, write and delete all", "Read one’s own", "Read all, write and delete one’s own", `Viewer</bdi> <span class="badge">yours`} {
		ben.expect(page, http.StatusOK, part)
	}
	gus.expect(gus.get("/account/roles"), http.StatusForbidden, "You may not do this")
	if strings.Contains(gus.get("/account").body, "/account/roles") {
		t.Error("a page is offered that may not be read")
	}
}

// Whatever hands out access asks for the password again an hour after it was last given; whatever takes access away does not.
func TestConfirmation(t *testing.T) {
	asks := map[string]bool{
		"/oauth/authorize": true, "/account/tokens": true, "/account/apps": true, "/account/apps/{id}": true, "/account/apps/rotate": true, "/account/people": true, "/account/people/{id}": true,
		"/account/security/passkeys": true, "/account/security/authenticator/start": true, "/account/people/factor": true, "/account/people/link": true, "/account/people/activate": true, "/account/people/restore": true,
		"/account/business/login": true,
	}
	onEach(t, func(h *house) {
		c := newCast(h)
		for _, p := range sitemap {
			if p.post == nil || p.open && p.path != "/oauth/authorize" || p.path == "/account/switch" || p.path == "/account/password" || p.always { // these have a password anyway
				continue
			}
			c.anna = h.loggedIn("anna@juniper.test")
			path, pairs := forms[p.path](c)
			h.later.Store(int64(confirmLife + time.Minute))
			got := c.anna.post(path, pairs...)
			if asked := got.status == http.StatusForbidden && strings.Contains(got.body, "Confirm that it is you"); asked != asks[p.path] {
				t.Errorf("%s asks: %t, want %t: %d\n%s", p.path, asked, asks[p.path], got.status, got.main())
			}
			if asks[p.path] {
				c.anna.expect(c.anna.post(path, append(pairs, confirmField, "wrong")...), http.StatusForbidden, "Password is not right")
				// The page has all that was filled in, so sending it with the password is enough.
				again := c.anna.fieldsOf(got, path, confirmField, password)
				if got := c.anna.post(path, again...); got.status != http.StatusSeeOther {
					t.Errorf("%s with the password: %d\n%s", p.path, got.status, got.main())
				}
				h.later.Store(0)
				// And it is not asked for again.
				if got := c.anna.post("/account/tokens", "name", "Next", "access", "read"); got.status != http.StatusSeeOther {
					t.Errorf("%s: %d after the confirmation", p.path, got.status)
				}
			}
			h.later.Store(0)
		}
	})
}

// One's own address is where a new password would be sent.
func TestNewAddressOfOnesOwnAsksForThePassword(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	h.later.Store(int64(confirmLife + time.Minute))
	anna.leads(anna.post("/account/profile", "name", "Anna", "email", "anna@juniper.test"), "/account?done=saved")
	anna.expect(anna.post("/account/profile", "name", "Anna", "email", "anna@new.test"), http.StatusForbidden, "Confirm that it is you")
	anna.leads(anna.post("/account/profile", "name", "Anna", "email", "anna@new.test", confirmField, password), "/account")
}

// A confirmation is tried as seldom as a log-in.
func TestConfirmationIsThrottled(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna := h.loggedIn("anna@juniper.test")
	h.later.Store(int64(confirmLife + time.Minute))
	for range 10 {
		anna.expect(anna.post("/account/tokens", "name", "x", "access", "read", confirmField, "wrong"), http.StatusForbidden, "is not right")
	}
	anna.expect(anna.post("/account/tokens", "name", "x", "access", "read", confirmField, password), http.StatusTooManyRequests, "too many attempts")
}
