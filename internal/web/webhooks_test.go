package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/testworld"
	"github.com/kith-crm/kith/internal/webhook"
)

// A webhook ends with what made it: the token, what somebody allowed an app, the app itself, or, made in the app, with the next password
// of who made it; and with the right to make one. A log-out ends nothing.
func TestWebhooksEndWithWhatMadeThem(t *testing.T) {
	onEach(t, func(h *house) {
		admin := h.business("Juniper", "anna@juniper.test")
		h.user(admin, "ben@juniper.test", "member")
		anna, ben := h.loggedIn("anna@juniper.test"), h.loggedIn("ben@juniper.test")
		told := map[string]int{}
		deliver := testworld.Deliver(t, h.engine, admin.Tenant, func(_ time.Duration, m webhook.Message) webhook.Receipt {
			told[m.URL]++
			return webhook.Receipt{Status: http.StatusOK}
		})
		const scopes = "contact.read webhook.write webhook.read"
		ids := map[string]string{}
		makes := func(name string, v *visitor, headers ...string) {
			t.Helper()
			a := v.asked("POST", "/v1/webhooks", `{"url":"https://`+name+`.example/","events":["contact.created"]}`, headers...)
			var made struct{ ID string }
			if err := json.Unmarshal([]byte(a.body), &made); err != nil || a.status != http.StatusCreated {
				t.Fatalf("%s: %d %s %v", name, a.status, a.body, err)
			}
			ids[name] = made.ID
		}
		bearer := func(token any) []string { return []string{"Authorization", fmt.Sprint("Bearer ", token)} }
		credentials := func(app map[string]any) any {
			t.Helper()
			resp, err := http.PostForm(h.server.URL+"/oauth/token", url.Values{
				"grant_type": {"client_credentials"},
				"client_id":  {app["client_id"].(string)}, "client_secret": {app["client_secret"].(string)},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			var got map[string]any
			if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
				t.Fatal(err)
			}
			return got["access_token"]
		}
		// told makes a contact, and holds the webhooks to those that are told of it.
		toldOf := func(what string, want ...string) {
			t.Helper()
			clear(told)
			anna.one("POST", "/v1/contacts", `{"name":"Bo"}`, http.StatusCreated)
			deliver.Now(t)
			for name, id := range ids {
				active := false
				for _, w := range want {
					active = active || w == name
				}
				rec := anna.one("GET", "/v1/webhooks/"+id, "", http.StatusOK)
				n := told["https://"+name+".example/"]
				if (n == 1) != active || n > 1 || (rec["status"] == "active") != active || !active && rec["disabled_reason"] == nil {
					t.Errorf("after %s the webhook of the %s was told %d times: %v", what, name, n, rec)
				}
			}
		}
		all := strings.Join(strings.Fields(scopes), `","`)
		token := anna.one("POST", "/v1/tokens", `{"name":"Sync","scopes":["`+all+`"]}`, http.StatusCreated)
		makes("token", anna, bearer(token["token"])...)
		narrow := anna.one("POST", "/v1/apps", `{"name":"Narrow","scopes":["`+all+`"]}`, http.StatusCreated)
		makes("narrow", anna, bearer(credentials(narrow))...)
		own := anna.one("POST", "/v1/apps", `{"name":"Own","scopes":["`+all+`"]}`, http.StatusCreated)
		makes("own", anna, bearer(credentials(own))...)
		client := h.client("Mailer")
		allowed := anna.post(ask(client, callback, scopes),
			"answer", "allow", "scope", "contact.read", "scope", "webhook.read", "scope", "webhook.write")
		access, _ := anna.trade(client, allowed.to())
		makes("grant", anna, bearer(access)...)
		makes("session", anna)
		role := anna.one("POST", "/v1/roles", `{"name":"Integrator","features":["manage_apps"],
			"permissions":{"contact":{"read":"all"},"webhook":{"read":"all","write":"all"}}}`, http.StatusCreated)
		anna.one("PATCH", "/v1/users/"+anna.userID("ben@juniper.test"), `{"role_id":"`+role["id"].(string)+`"}`, http.StatusOK)
		makes("role", ben)
		toldOf("nothing", "token", "narrow", "own", "grant", "session", "role")

		anna.one("DELETE", "/v1/tokens/"+token["id"].(string), "", http.StatusNoContent)
		toldOf("the end of the token", "narrow", "own", "grant", "session", "role")
		anna.one("PATCH", "/v1/apps/"+narrow["id"].(string), `{"scopes":["contact.read"]}`, http.StatusOK)
		anna.one("PATCH", "/v1/apps/"+own["id"].(string), `{"user_id":"`+anna.userID("ben@juniper.test")+`"}`, http.StatusOK)
		toldOf("less for one app, and another user for the other", "grant", "session", "role")
		grants := anna.asked("GET", "/v1/me/grants", "")
		anna.one("DELETE", "/v1/me/grants/"+anna.find(grants.body, `"id":"(grant_[^"]*)"`), "", http.StatusNoContent)
		toldOf("the end of what was allowed", "session", "role")
		anna.one("PATCH", "/v1/roles/"+role["id"].(string), `{"features":[]}`, http.StatusOK)
		toldOf("the end of the right", "session")
		anna.leads(anna.post("/logout"), "/login?done=logout")
		anna = h.loggedIn("anna@juniper.test")
		toldOf("a log-out", "session")
		anna.one("POST", "/v1/me/password", `{"old_password":"`+password+`","password":"another lake under snow"}`, http.StatusNoContent)
		toldOf("another password")
		anna.one("PATCH", "/v1/webhooks/"+ids["session"], `{"status":"active"}`, http.StatusOK)
		deliver.Now(t) // it goes on where it stopped
		toldOf("it was enabled", "session")
	})
}
