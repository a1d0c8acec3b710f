package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/testworld"
)

func TestUsersAreListedSuspendedAndActivated(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		business, admin := newBusiness(t, db)
		at := []string{"--db", db, "--business", business}
		ben := object(t, "user_id", append([]string{
			"user", "create", "--email", "ben@acme.example", "--name", "Ben", "--password",
			"battery staple",
		}, at...)...)["user_id"]
		token := object(t, "id token", append([]string{"token", "create", "--user", ben, "--scopes", "contact.read"}, at...)...)["token"]

		status := func(who string) any {
			t.Helper()
			for _, u := range list(t, append([]string{"user", "list"}, at...)...) {
				if u["email"] == who {
					return u["status"]
				}
			}
			t.Fatalf("user list does not show %s", who)
			return nil
		}
		if text := must(t, append([]string{"user", "list"}, at...)...); !strings.Contains(text,
			ben+"  active    member     ben@acme.example  Ben\n") || !strings.Contains(text, "admin      anna@acme.example") {
			t.Errorf("user list prints %s", text)
		}
		done := object(t, "user_id status", append([]string{"user", "suspend", "--user", "BEN@acme.example"}, at...)...)
		if done["user_id"] != ben || done["status"] != "suspended" || status("ben@acme.example") != "suspended" {
			t.Errorf("user suspend prints %v, and Ben is %v", done, status("ben@acme.example"))
		}
		r := start(t, "--db", db)
		if got := r.search(t, token); got != http.StatusUnauthorized {
			t.Errorf("the token of a suspended user gives %d", got)
		}
		if code, _, errs := kith(t, append([]string{"user", "reset-link", "--user", ben}, at...)...); code != 1 ||
			!strings.Contains(errs, "suspended") {
			t.Errorf("a link for a suspended user: %d, %s", code, errs)
		}
		if code, _, errs := kith(t, append([]string{"user", "suspend", "--user", "anna@acme.example"}, at...)...); code != 1 ||
			!strings.Contains(errs, "last active administrator") {
			t.Errorf("the last administrator is suspended with %d: %s", code, errs)
		}
		if got := r.search(t, admin); got != http.StatusOK {
			t.Errorf("after that the administrator's token gives %d", got)
		}
		if text := must(t, append([]string{"user", "activate", "--user", ben}, at...)...); text != "ben@acme.example is active\n" ||
			status("ben@acme.example") != "active" {
			t.Errorf("user activate prints %s, and Ben is %v", text, status("ben@acme.example"))
		}
		if code, _, errs := kith(t, append([]string{"user", "suspend", "--user", "carla@acme.example"}, at...)...); code != 1 ||
			!strings.Contains(errs, "no user carla@acme.example") {
			t.Errorf("somebody who is not there: %d, %s", code, errs)
		}
	})
}

// The printed link lets its holder choose a password once, and the old password is then wrong.
func TestResetLinkWorksOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		business, _ := newBusiness(t, db)
		r := start(t, "--db", db)
		at := []string{"--db", db, "--business", business, "--user", "anna@acme.example"}
		void := object(t, "user_id email link", append([]string{"user", "reset-link", "--origin", r.url}, at...)...)["link"]
		text := must(t, append([]string{"user", "reset-link", "--origin", r.url}, at...)...)
		_, link, _ := strings.Cut(strings.TrimSpace(text), "\n")
		if !strings.HasPrefix(link, r.url+"/link/") || !strings.Contains(text, "within an hour") {
			t.Fatalf("user reset-link prints %s", text)
		}
		set := func(link string) int {
			t.Helper()
			jar, err := cookiejar.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			page, err := browser.Get(link)
			if err != nil {
				t.Fatal(err)
			}
			defer page.Body.Close()
			text, err := io.ReadAll(page.Body)
			if err != nil {
				t.Fatal(err)
			}
			field := regexp.MustCompile(`name="form_token" value="([^"]+)"`).FindSubmatch(text)
			if field == nil {
				return page.StatusCode
			}
			res, err := browser.PostForm(link, url.Values{"form_token": {string(field[1])}, "password": {"a new password"}})
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			return res.StatusCode
		}
		if got := set(void); got < 400 {
			t.Errorf("a link that a later one made void gives %d", got)
		}
		if got := set(link); got != http.StatusSeeOther {
			t.Errorf("the link gives %d", got)
		}
		if got := set(link); got < 400 {
			t.Errorf("the link works a second time: %d", got)
		}
		invited := object(t, "user_id", "user", "create", "--db", db, "--business", business, "--email", "ben@acme.example")["user_id"]
		if text := must(t, "user", "reset-link", "--db", db, "--business", business, "--user", invited); !strings.Contains(text,
			"within seven days") || !strings.Contains(text, "\nhttp://127.0.0.1:8080/link/") {
			t.Errorf("the link of somebody who is invited: %s", text)
		}
	})
}

// Whoever has lost their second factor is let in by the operator.
func TestResetFactor(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		business, _ := newBusiness(t, db)
		at := []string{"user", "reset-factor", "--db", db, "--business", business, "--user", "anna@acme.example"}
		if text := must(t, at...); text != "anna@acme.example had no second factor.\n" {
			t.Errorf("it prints %s", text)
		}
		t.Run("set up", func(t *testing.T) { // whose end closes the database
			engine := testworld.Engine(t, testworld.Open(t, db))
			people := testworld.People(t, engine, slog.New(slog.DiscardHandler), "")
			open, err := people.LogIn(t.Context(), "anna@acme.example", "correct horse", "192.0.2.1")
			if err != nil || len(open) != 1 {
				t.Fatal(open, err)
			}
			app := &testworld.Authenticator{Secret: oauth.NewAuthenticatorSecret()}
			who := &record.Principal{Tenant: open[0].Tenant, User: open[0].User}
			if _, err := people.AddAuthenticator(t.Context(), who, schema.UUID{}, app.Secret, app.Code(t), "192.0.2.1"); err != nil {
				t.Fatal(err)
			}
			if proof, err := people.AskFactor(t.Context(), open[0]); err != nil || proof == "" {
				t.Fatalf("no second factor is asked for: %v", err)
			}
		})
		if text := must(t, at...); !strings.Contains(text, "with the password alone") {
			t.Errorf("it prints %s", text)
		}
		if text := must(t, at...); !strings.Contains(text, "had no second factor") {
			t.Errorf("it was not taken away: %s", text)
		}
	})
}

func TestAppsAreListedAndDeleted(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		business, _ := newBusiness(t, db)
		at := []string{"--db", db, "--business", business}
		create := append([]string{"app", "create", "--user", "anna@acme.example", "--scopes", "contact.read", "--name"}, "Nightly")
		nightly := object(t, "client_id client_secret", append(create, at...)...)
		create[len(create)-1] = "Weekly"
		weekly := object(t, "client_id client_secret", append(create, at...)...)
		r := start(t, "--db", db)
		token := func(app map[string]string) int {
			t.Helper()
			res, err := http.PostForm(r.url+"/oauth/token",
				url.Values{"grant_type": {"client_credentials"}, "client_id": {app["client_id"]}, "client_secret": {app["client_secret"]}})
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			return res.StatusCode
		}
		apps := list(t, append([]string{"app", "list"}, at...)...)
		if len(apps) != 2 || apps[0]["name"] != "Nightly" || apps[0]["client_id"] != nightly["client_id"] ||
			token(nightly) != http.StatusOK {
			t.Errorf("app list shows %v", apps)
		}
		if text := must(t, append([]string{"app", "list", "--json"}, at...)...); strings.Contains(text, nightly["client_secret"]) {
			t.Error("app list shows secrets")
		}
		if out := must(t, append([]string{"app", "delete", "--id", apps[0]["id"].(string)},
			at...)...); out != "deleted "+apps[0]["id"].(string)+" Nightly\n" {
			t.Errorf("app delete prints %s", out)
		}
		must(t, append([]string{"app", "delete", "--id", weekly["client_id"]}, at...)...)
		for _, app := range []map[string]string{nightly, weekly} {
			if got := token(app); got != http.StatusUnauthorized {
				t.Errorf("a deleted app gets a token: %d", got)
			}
		}
		if text := must(t, append([]string{"app", "list"}, at...)...); text != "" {
			t.Errorf("app list prints %s", text)
		}
		if code, _, errs := kith(t, append([]string{"app", "delete", "--id", weekly["client_id"]}, at...)...); code != 1 ||
			!strings.Contains(errs, "the business has no app "+weekly["client_id"]) {
			t.Errorf("an app that is gone: %d, %s", code, errs)
		}
	})
}

// How long a log-in takes must not tell in how many businesses an address is, whoever made them there.
func TestPasswordsOfAnAddressShareTheirSaltWhereverTheyAreSet(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		business, _ := newBusiness(t, db)
		object(t, "business_id user_id token", "business", "create", "--db", db, "--name", "Other", "--admin-email", "Anna@acme.example",
			"--admin-password", "another one")
		object(t, "user_id", "user", "create", "--db", db, "--business", business, "--email", "ben@acme.example", "--password",
			"battery staple")
		third := object(t, "business_id user_id token", "business", "create", "--db", db, "--name", "Third", "--admin-email",
			"cara@acme.example", "--admin-password", "correct horse")
		object(t, "user_id", "user", "create", "--db", db, "--business", third["business_id"], "--email", "ben@acme.example",
			"--password", "yet another")
		s, err := store.Open(t.Context(), db, record.Registry)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, email := range []string{"anna@acme.example", "ben@acme.example"} {
			all, err := keep.Identities(t.Context(), s, email)
			if err != nil || len(all) != 2 {
				t.Fatalf("%s is in %d businesses, %v", email, len(all), err)
			}
			salt := func(hash string) string { return hash[:strings.LastIndexByte(hash, '$')] }
			if salt(all[0].Hash) != salt(all[1].Hash) || all[0].Hash == all[1].Hash {
				t.Errorf("%s has %s and %s", email, all[0].Hash, all[1].Hash)
			}
		}
	})
}
