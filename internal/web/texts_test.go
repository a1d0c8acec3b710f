package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// Whoever types in /logout gets a question: neither an error, nor a page that acts as if nothing had been asked for.
func TestLogoutTypedIn(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	stranger := h.visitor()
	stranger.leads(stranger.get("/logout"), "/login")
	anna := h.loggedIn("anna@juniper.test")
	anna.expect(anna.get("/logout"), http.StatusOK, `<form method="post" action="/logout">`)
	anna.expect(anna.get("/account/switch"), http.StatusOK, "Juniper")
	anna.leads(anna.post("/logout"), "/login?done=logout")
	anna.leads(anna.get("/app"), "/login")
}

func TestAnInvitedPersonIsWelcomed(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	anna, ben := h.loggedIn("anna@juniper.test"), h.visitor()
	link := anna.invites("ben@juniper.test", "member")
	ben.leads(ben.post(link, "password", password), "/app")
	h.visitor().post("/forgot", "email", "ben@juniper.test")
	_, reset, _ := strings.Cut(h.logged("reset", "ben@juniper.test"), mailedOrigin)
	ben.leads(ben.post(reset, "password", password), "/app")
}

// A page names permissions in words, whichever of them it is that lacks.
func TestPagesNamePermissionsInWords(t *testing.T) {
	for _, f := range record.Features {
		if featureWords[f] == "" {
			t.Errorf("there are no words for %s", f)
		}
		for _, sentence := range []string{"It lacks the feature permission " + f + ".", "A role, which also allows " + f + "."} {
			if got := plainly(sentence); strings.Contains(got, "_") || !strings.Contains(got, featureWords[f]) {
				t.Errorf("%s becomes %s", sentence, got)
			}
		}
	}
}

func TestSetupExplainsTheCurrency(t *testing.T) {
	h := newHouse(t)
	v := h.visitor()
	v.expect(v.get("/setup"), http.StatusOK, "Swiss franc (CHF)")
	v.expect(v.get("/setup"), http.StatusOK, "It can be changed later.")
}

// An address may belong to more businesses than a password opens, so the chooser does not count them.
func TestTheChooserDoesNotCount(t *testing.T) {
	h := newHouse(t)
	for _, name := range []string{"Juniper", "Thistle"} {
		h.business(name, "anna@juniper.test")
	}
	anna := h.visitor()
	got := anna.expect(anna.follow(anna.post("/login", "email", "anna@juniper.test", "password", password)), http.StatusOK, "Thistle")
	if strings.Contains(got.body, "2 businesses") {
		t.Error("it counts")
	}
}

// lines reads the log's lines of one kind.
func (h *house) lines(kind string) []map[string]any {
	h.Helper()
	var found []map[string]any
	for _, line := range strings.Split(strings.TrimSpace(h.log.String()), "\n") {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			h.Fatalf("%v: %s", err, line)
		}
		if entry["msg"] == kind {
			found = append(found, entry)
		}
	}
	return found
}

// Every line of the log says where a request came from, and who it was as soon as that is known.
func TestTheLogTracesPeople(t *testing.T) {
	onEach(t, func(h *house) {
		admin := h.business("Juniper", "anna@juniper.test")
		client := h.client("Mailer")
		anna := h.visitor()
		anna.expect(anna.post("/login", "email", "anna@juniper.test", "password", "wrong"), http.StatusUnauthorized, "is wrong")
		anna.leads(anna.post("/login", "email", "anna@juniper.test", "password", password), "/app")
		anna.get("/account/switch")
		anna.trade(client, anna.post(ask(client, callback, "contact.read"), "answer", "allow", "scope", "contact.read").to())
		anna.post("/logout")
		user, business := schema.FormatID("user", admin.User), formatBusiness(admin.Tenant)
		pages := h.lines("page")
		for _, want := range []struct {
			method, route string
			status        float64
			known         bool
		}{
			{"POST", "/login", 401, false},
			{"POST", "/login", 303, true},
			{"GET", "/account/switch", 200, true},
			{"POST", "/oauth/authorize", 303, true},
			{"POST", "/logout", 303, true},
		} {
			at := slices.IndexFunc(pages, func(e map[string]any) bool {
				return e["method"] == want.method && e["route"] == want.route && e["status"] == want.status
			})
			if at < 0 {
				h.Errorf("%v is not in the log", want)
				continue
			}
			entry := pages[at]
			if entry["address"] != "127.0.0.1" {
				h.Errorf("%v has no address", entry)
			}
			if known := entry["user"] == user && entry["business"] == business; known != want.known {
				h.Errorf("%v: who it was is known: %t, want %t", entry, known, want.known)
			}
		}
		traded := h.lines("oauth")
		at := slices.IndexFunc(traded, func(e map[string]any) bool { return e["route"] == "/oauth/token" })
		if at < 0 {
			h.Fatalf("the exchange of the code is not in the log: %v", traded)
		}
		for key, want := range map[string]any{
			"method": "POST", "status": 200.0, "address": "127.0.0.1", "client": client, "user": user,
			"business": business,
		} {
			if traded[at][key] != want {
				h.Errorf("%s of the exchange is %v, want %v", key, traded[at][key], want)
			}
		}
		if strings.Contains(h.log.String(), password) {
			h.Error("the log holds the password")
		}
	})
}
