package oauth_test

import (
	"io"
	"log/slog"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/testworld"
)

func TestLinksAreMailed(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		address, letters := testworld.PostOffice(t)
		post, err := oauth.NewMail("smtp://"+address, "kith <kith@crm.example>")
		if err != nil {
			t.Fatal(err)
		}
		log := testworld.NewLog()
		people, err := oauth.NewPeople(t.Context(), w.engine, oauth.PeopleOptions{
			Mail: post, Log: slog.New(slog.NewJSONHandler(log, nil)), Origin: "https://crm.example",
		})
		if err != nil {
			t.Fatal(err)
		}
		who := testworld.Business(t, w.engine, "Häfen Bcc: evil@evil.example",
			account.Person{Email: w.email("boss"), Name: "Boss", PasswordHash: testworld.PasswordHash()})
		if err := people.Invite(t.Context(), who.Tenant, who.User); err != nil {
			t.Fatal(err)
		}
		if err := people.Forgot(t.Context(), w.email("boss"), w.domain); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			var text string
			select {
			case text = <-letters:
			case <-time.After(30 * time.Second):
				t.Fatal("no letter comes")
			}
			envelope, letter, _ := strings.Cut(text, "\r\n\n")
			if strings.Count(envelope, "RCPT TO") != 1 || !strings.Contains(envelope, "RCPT TO:<"+w.email("boss")+">") {
				t.Errorf("the envelope is %q", envelope)
			}
			m, err := mail.ReadMessage(strings.NewReader(letter))
			if err != nil {
				t.Fatal(err)
			}
			if m.Header.Get("Bcc") != "" || len(m.Header["To"]) != 1 || !strings.Contains(m.Header.Get("From"), "kith@crm.example") ||
				m.Header.Get("Subject") == "" {
				t.Errorf("the headers are %v", m.Header)
			}
			body, err := io.ReadAll(m.Body)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, found := strings.Cut(string(body), "https://crm.example/link/")
			secret, _, _ := strings.Cut(rest, "\r\n")
			if !found || !record.WellFormed(record.SingleUseLink, secret) {
				t.Errorf("there is no link in %q", body)
			}
			if strings.Contains(log.String(), secret) {
				t.Error("a link that was mailed is in the log")
			}
		}
	})
}

func TestMailSettings(t *testing.T) {
	for _, wrong := range [][2]string{
		{"", "a@b.example"},
		{"mail.example", "a@b.example"},
		{"http://mail.example", "a@b.example"},
		{"smtp://", "a@b.example"},
		{"smtp://mail.example", "nobody"},
		{"smtp+insecure://user:secret@mail.example", "a@b.example"},
		{"smtp://mail.example?tls=never", "a@b.example"},
		{"smtp://mail.example/path", "a@b.example"},
		{"smtp://mail.example", "a@b.example\r\nBcc: c@d.example"},
	} {
		if _, err := oauth.NewMail(wrong[0], wrong[1]); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	post, err := oauth.NewMail("smtp://mail.example:2525", "a@b.example")
	if err != nil {
		t.Fatal(err)
	}
	if err := post.Send("x@y.example\r\nRCPT TO:<z@z.example>", "s", "t"); err == nil {
		t.Error("a recipient with a line break is taken")
	}
}

// Mail holds links that open accounts: it goes in plain text only to the own machine, or where the operator says so in as many
// words. The post office offers no TLS.
func TestMailIsNotSentInPlainText(t *testing.T) {
	for server, sent := range map[string]bool{
		"smtp://mail.example": false, "smtp://user:secret@mail.example": false, "smtps://mail.example": false, "smtp://192.0.2.1": false,
		"smtp://localhost.example": false,
		"smtp://127.0.0.1":         true, "smtp://localhost": true, "smtp://[::1]": true, "smtp+insecure://mail.example": true,
	} {
		t.Run(server, func(t *testing.T) {
			address, letters := testworld.PostOffice(t)
			post, err := oauth.NewMail(server, "kith@crm.example")
			if err != nil {
				t.Fatal(err)
			}
			post.Through(address)
			err = post.Send("anna@example.com", "Subject", "Text")
			if (err == nil) != sent || len(letters) > 0 != sent {
				t.Errorf("%d letters were sent, %v", len(letters), err)
			}
		})
	}
}

// The old address is told of a change, when it is asked for and when it has happened, and the link goes to the new one alone.
func TestBothAddressesHearOfAChange(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		address, letters := testworld.PostOffice(t)
		post, err := oauth.NewMail("smtp://"+address, "kith@crm.example")
		if err != nil {
			t.Fatal(err)
		}
		people, err := oauth.NewPeople(t.Context(), w.engine, oauth.PeopleOptions{
			Mail: post, Log: slog.New(slog.DiscardHandler), Origin: "https://crm.example",
		})
		if err != nil {
			t.Fatal(err)
		}
		w.patch(t, w.mint(t, "admin"), "/users/"+userID(w.users["member"]), `{"email":"`+w.email("renamed")+`"}`, 200)
		if err := people.AskToConfirm(t.Context(), w.harbour, w.users["member"]); err != nil {
			t.Fatal(err)
		}
		asked, told := <-letters, <-letters
		_, rest, found := strings.Cut(asked, "https://crm.example/link/")
		secret, _, _ := strings.Cut(rest, "\r\n")
		if !found || !strings.Contains(asked, "RCPT TO:<"+w.email("renamed")+">") {
			t.Fatalf("the new address gets %q", asked)
		}
		if !strings.Contains(told, "RCPT TO:<"+w.email("member")+">") || strings.Contains(told, "/link/") {
			t.Errorf("the old address gets %q", told)
		}
		if err := people.ConfirmEmail(t.Context(), secret, password, w.domain); err != nil {
			t.Fatal(err)
		}
		if done := <-letters; !strings.Contains(done, "RCPT TO:<"+w.email("member")+">") || strings.Contains(done, "/link/") {
			t.Errorf("the old address gets %q", done)
		}
	})
}
