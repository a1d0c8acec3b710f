package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"kith/internal/crm"
	"kith/internal/store"
)

// Who has the permission reads the audit log page by page, and finds what they look for.
func TestAuditPage(t *testing.T) {
	onEach(t, func(h *house) {
		c := newCast(h)
		ben := h.loggedIn("ben@juniper.test")
		ben.expect(ben.get("/account/audit"), http.StatusForbidden, "lacks the permission to audit")
		if strings.Contains(ben.get("/account/security").body, "/account/audit") {
			t.Error("the audit log is offered to who may not read it")
		}
		const path = "/account/audit"
		page := c.anna.expect(c.anna.get(path), http.StatusOK, ">Login succeeded<")
		for _, part := range []string{">Business created<", "by <bdi>ben@juniper.test</bdi>", `href="/account/audit" aria-current="page"`} {
			c.anna.expect(page, http.StatusOK, part)
		}

		// shows tells how many lines there are of an action.
		shows := func(query, action string, want int) {
			t.Helper()
			page := c.anna.expect(c.anna.get(path+"?"+query), http.StatusOK, "What happened")
			if got := strings.Count(page.body, `<p class="strong">`+action); got != want {
				t.Errorf("%s: %d lines of %s, want %d:\n%s", query, got, action, want, page.main())
			}
		}
		shows("action=login.succeeded", "Login succeeded", 2)
		shows("action=login.succeeded", "", 2)
		shows("user=ben%40juniper.test", "Login succeeded", 1)
		shows("user=ben%40juniper.test&action=token.created", "", 0)
		today := time.Now().UTC()
		shows("from="+today.AddDate(0, 0, -1).Format(time.DateOnly)+"&to="+today.AddDate(0, 0, 1).Format(time.DateOnly)+"&action=login.succeeded", "", 2)
		shows("to="+today.AddDate(0, 0, -2).Format(time.DateOnly), "", 0)
		shows("from="+today.AddDate(0, 0, 2).Format(time.DateOnly), "", 0)
		for _, wrong := range []string{"from=yesterday", "to=2026-13-01", "action=login", "user=nobody%40juniper.test"} {
			name, _, _ := strings.Cut(wrong, "=")
			c.anna.expect(c.anna.get(path+"?"+wrong), http.StatusUnprocessableEntity, `id="f-`+name+`-error"`)
		}

		// Somebody who was deleted is named still.
		c.anna.expect(c.anna.asked("DELETE", "/v1/users/"+c.ben, ""), http.StatusNoContent, "")
		shows("user=ben%40juniper.test", "Login succeeded", 1)
		c.anna.expect(c.anna.get(path), http.StatusOK, "by <bdi>ben@juniper.test</bdi>")

		// A next page goes on with what was looked for.
		err := c.admin.Tenant.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) error {
			for i := range 60 {
				tx.Audit(store.AuditEntry{Action: crm.Exported, Count: int64(i)})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		query := "action=" + crm.Exported
		shows(query, "Data exported", 50)
		more := c.anna.find(c.anna.get(path+"?"+query).body, `href="/account/audit\?([^"]*cursor=[^"]*)"`)
		shows(strings.ReplaceAll(more, "&amp;", "&"), "Data exported", 10)
		shows(strings.ReplaceAll(more, "&amp;", "&"), "", 10)
	})
}
