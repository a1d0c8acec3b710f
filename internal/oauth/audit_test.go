package oauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// auditLine is a line of the audit log, as it is answered.
type auditLine struct {
	Action, Actor, Address string
	UserID                 string `json:"user_id"`
	RecordID               string `json:"record_id"`
	RequestID              string `json:"request_id"`
	Fields                 []string
	Count                  int
}

// audited gives the lines of Harbour's audit log with an action, the oldest first.
func (w *world) audited(tb testing.TB, action string) (lines []auditLine) {
	tb.Helper()
	w.people.TellFailures()
	who := &record.Principal{Tenant: w.harbour, User: w.users["admin"], Scopes: record.Scopes(), Role: account.StartingRoles()[0]}
	next := ""
	for more := true; more; more = next != "" {
		text := `{"filters":[{"field":"action","operator":"eq","value":"` + action + `"}],"limit":100,"sort_direction":"asc"`
		if next != "" {
			text += `,"cursor":"` + next + `"`
		}
		n, err := body.Parse([]byte(text + "}"))
		if err != nil {
			tb.Fatal(err)
		}
		list, err := w.engine.SearchAudit(context.Background(), record.Call{Principal: who}, n,
			func(q *query.Query, values []schema.Value) {
				var l auditLine
				if err := json.Unmarshal(q.AppendRecord(nil, values), &l); err != nil {
					tb.Fatal(err)
				}
				lines = append(lines, l)
			})
		if err != nil {
			tb.Fatal(err)
		}
		next = list.Next
	}
	return lines
}

func TestLogInsAreAudited(t *testing.T) {
	aloneOnBothEngines(t, func(t *testing.T, w *world) {
		ctx := oauth.Numbered(t.Context(), "req_1", "192.0.2.1")
		member := userID(w.users["member"])
		only := func(action string, want auditLine) {
			t.Helper()
			lines := w.audited(t, action)
			want.Action, want.Count = action, 1
			if len(lines) != 1 || fmt.Sprint(lines[0]) != fmt.Sprint(want) {
				t.Errorf("%s: %+v, want %+v", action, lines, want)
			}
		}
		for range 5 {
			if _, err := w.people.LogIn(ctx, w.email("member"), "wrong password", "192.0.2.1"); !errors.Is(err, oauth.ErrWrongLogin) {
				t.Fatal(err)
			}
			if _, err := w.people.LogIn(ctx, w.email("nobody"), "wrong password", "192.0.2.1"); !errors.Is(err, oauth.ErrWrongLogin) {
				t.Fatal(err)
			}
		}
		failed, count := w.audited(t, record.LogInFailed), 0
		for _, l := range failed {
			count += l.Count
			if l.Actor != "stranger" || l.RecordID != member || l.UserID != "" || l.Address != "192.0.2.1" || l.RequestID != "req_1" {
				t.Errorf("%+v", l)
			}
		}
		if count != 5 || len(failed) > 2 { // the first at once, the others together
			t.Errorf("%d failures in %d lines", count, len(failed))
		}
		by := auditLine{Actor: "user", Address: "192.0.2.1", UserID: member, RecordID: member, RequestID: "req_1"}
		open, err := w.people.LogIn(ctx, w.email("member"), password, "192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		cookie, err := w.people.StartSession(ctx, oauth.Proven{Identity: open[0]}, "a browser", "192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		only(record.LogInSucceeded, by)
		who, session, err := w.auth.Session(t.Context(), cookie)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.people.Confirm(ctx, who, session, oauth.Confirmation{Password: "wrong password"}, "192.0.2.1"); !errors.Is(err,
			oauth.ErrWrongLogin) {
			t.Fatal(err)
		}
		only(record.ConfirmationFailed, by)
		if err := w.people.ChangePassword(ctx, who, session, password, "another password"); err != nil {
			t.Fatal(err)
		}
		only(record.PasswordChanged, by)
		for range 2 { // the second ends nothing
			if err := w.people.EndSession(ctx, who, session); err != nil {
				t.Fatal(err)
			}
		}
		only(record.SessionEnded, by)
		u, err := w.harbour.Get(t.Context(), &record.KindOf("user").Resource, who.User, false)
		if err != nil {
			t.Fatal(err)
		}
		admin := store.Actor{User: w.users["admin"]}
		if err := w.people.NewLink(ctx, w.harbour, u, admin); err != nil {
			t.Fatal(err)
		}
		only(record.LinkMade, auditLine{
			Actor: "user", Address: "192.0.2.1", UserID: userID(admin.User), RecordID: member,
			RequestID: "req_1", Fields: []string{"reset"},
		})

		c := w.register(t, nil)
		_, refresh := w.tokens(t, c)
		if made := w.audited(t, record.GrantMade); len(made) != 1 || made[0].RecordID != c.id {
			t.Errorf("%+v", made)
		}
		if a := w.post(t, "/oauth/revoke", c.form("token", refresh)); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.text)
		}
		if ended := w.audited(t, record.GrantEnded); len(ended) != 1 || ended[0].RecordID != c.id {
			t.Errorf("%+v", ended)
		}
		if found, err := w.harbour.CheckAudit(t.Context()); err != nil || len(found.Wrong) > 0 {
			t.Errorf("%+v, %v", found, err)
		}
	})
}

// A stranger cannot fill the log of a business: what comes from everywhere is counted.
func TestAFloodOfFailuresIsCounted(t *testing.T) {
	aloneOnBothEngines(t, func(t *testing.T, w *world) {
		const flood = 300
		for i := range flood {
			oauth.NoteFailure(oauth.Numbered(t.Context(), "req_1", fmt.Sprintf("192.0.%d.%d", i/200, i%200)), w.people,
				w.proven(t, "member"))
		}
		w.people.TellFailures() // twice, because what is too much is told after the others
		lines, count, others := w.audited(t, record.LogInFailed), 0, 0
		for _, l := range lines {
			if count += l.Count; l.RecordID == "" {
				others += l.Count
			}
		}
		if count != flood || len(lines) > 130 || others < flood-130 {
			t.Errorf("%d failures in %d lines, of which %d without a user", count, len(lines), others)
		}
	})
}
