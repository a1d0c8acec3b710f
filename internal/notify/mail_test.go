package notify_test

import (
	"context"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/notify"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/testworld"

	. "github.com/kith-crm/kith/internal/apitest"
)

// mailed is a world whose server sends mail.
type mailed struct {
	*World
	mailer  *notify.Mailer
	letters <-chan string
}

func sendingMail(t *testing.T, w *World) mailed {
	t.Helper()
	for _, who := range []string{"manager", "member", "viewer"} { // mail goes to those who have been here
		w.Check(t, Step{Do: "PATCH /users/$" + who, Body: `{"status":"active"}`, Status: 200})
	}
	address, letters := testworld.PostOffice(t)
	post, err := oauth.NewMail("smtp://"+address, "kith <kith@crm.example>")
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewJSONHandler(w.Log, nil))
	options := oauth.PeopleOptions{Mail: post, Log: log, Origin: "https://crm.example"}
	if w.Engine.Accounts, err = oauth.NewPeople(t.Context(), w.Engine, options); err != nil {
		t.Fatal(err)
	}
	send := func(l notify.Letter) error { return post.SendBoth(l.To, l.Subject, l.Text, l.HTML) }
	return mailed{w, &notify.Mailer{Engine: w.Engine, Send: send, Origin: "https://crm.example", Log: log}, letters}
}

// after mails what is due after a time, and gives the texts of the letters that come, each by its address.
func (m mailed) after(t *testing.T, wait time.Duration) map[string]string {
	t.Helper()
	for more, now := true, time.Now().Add(wait); more; {
		var err error
		if more, err = m.mailer.Mail(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
	return m.came(t)
}

// came gives the texts of the letters that have come, each by its address.
func (m mailed) came(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for {
		select {
		case text := <-m.letters: // each was taken before the mailer ended
			_, letter, _ := strings.Cut(text, "\r\n\n")
			read, err := mail.ReadMessage(strings.NewReader(letter))
			if err != nil {
				t.Fatal(err)
			}
			if _, twice := all[read.Header.Get("To")]; twice {
				t.Errorf("%s has two letters", read.Header.Get("To"))
			}
			all[read.Header.Get("To")] = read.Header.Get("Subject") + "\n" + parts(t, read)
		default:
			return all
		}
	}
}

// parts reads both forms of a letter.
func parts(t *testing.T, m *mail.Message) (both string) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatal(kind, err)
	}
	all := multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := all.NextPart()
		if err == io.EOF {
			return both
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		both += part.Header.Get("Content-Type") + "\n" + string(text)
	}
}

const aDay = 25 * time.Hour

func TestNotificationsAreMailed(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		m := sendingMail(t, w)
		w.Create(t, "deals", `{"name":"Boat <b>"}`, "deal")
		w.Run(t, []Step{
			{
				Rule: "some are mailed at once", Do: "PATCH /users/$manager",
				Body: `{"notifications_mailed_at_once":["mention"],"locale":"de-DE"}`, Status: 200,
			},
			{Rule: "some not at all", Do: "PATCH /users/$viewer", Body: `{"notifications_not_mailed":["mention"]}`, Status: 200},
			{
				Rule: "who is mentioned", Do: "POST /notes", Body: `{"body":"@[$member], @[$manager], @[$viewer]","deal_id":"$deal"}`,
				Status: 201,
			},
		})
		now, later, again := m.after(t, time.Second), m.after(t, aDay), m.after(t, 2*aDay)
		if len(now) != 1 || len(later) != 1 || len(again) != 0 {
			t.Fatalf("at once come %v, daily %v, and again %v", now, later, again)
		}
		link := "https://crm.example/app/deals/" + w.Vars["deal"]
		for _, text := range now {
			for _, want := range []string{
				"text/plain", "text/html", "hat Sie erw", "Boat <b>\r\n" + link, "Boat &lt;b&gt;", `href="` + link,
			} {
				if !strings.Contains(text, want) {
					t.Errorf("there is no %q in %s", want, text)
				}
			}
		}
		for _, text := range later {
			if !strings.Contains(text, "mentioned you: Boat <b>") || !strings.Contains(text, "https://crm.example/app/settings") {
				t.Errorf("the letter is %s", text)
			}
		}
	})
}

func TestWhatIsReadOrHiddenIsNotMailed(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		m := sendingMail(t, w)
		w.Create(t, "roles", `{"name":"None","permissions":{"notification":{"read":"all"}}}`, "none")
		w.Create(t, "deals", `{"name":"Read","owner_id":"$manager"}`, "")
		w.Create(t, "deals", `{"name":"Hidden","owner_id":"$member"}`, "")
		w.Create(t, "deals", `{"name":"Suspended","owner_id":"$viewer"}`, "")
		w.Run(t, []Step{
			{Rule: "what was read", As: "manager", Do: "POST /notifications/read_all", Status: 200, Want: `{"read":1}`},
			{Rule: "what may not be read any more", Do: "PATCH /users/$member", Body: `{"role_id":"$none"}`, Status: 200},
			{Rule: "who may not act", Do: "PATCH /users/$viewer", Body: `{"status":"suspended"}`, Status: 200},
		})
		if all := m.after(t, aDay); len(all) != 0 {
			t.Errorf("there come %v", all)
		}
	})
}

// dies stands for a server that stops between sending and noting that it has.
func (m mailed) dies(t *testing.T, wait time.Duration) (taken int) {
	t.Helper()
	now := time.Now().Add(wait)
	err := m.Tenant.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) error {
		all, err := queue.ByMail.Take(tx, now, now.Add(10*time.Minute), 1)
		taken = len(all)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

func TestMailIsSentByOneServer(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		m := sendingMail(t, w)
		w.Create(t, "deals", `{"name":"Boat","owner_id":"$member"}`, "")
		var servers sync.WaitGroup
		for range 4 {
			servers.Go(func() {
				if _, err := m.mailer.Mail(context.WithoutCancel(t.Context()), time.Now().Add(aDay)); err != nil {
					t.Error(err)
				}
			})
		}
		servers.Wait()
		if all := m.after(t, aDay); len(all) != 1 { // which would tell if there were two
			t.Errorf("there come %v", all)
		}

		w.Create(t, "deals", `{"name":"Oar","owner_id":"$member"}`, "")
		if m.dies(t, aDay) != 1 || len(m.after(t, aDay+time.Minute)) != 0 {
			t.Error("what a server has is taken by another one")
		}
		if len(m.after(t, aDay+time.Hour)) != 1 {
			t.Error("what a server had that died is not sent")
		}
		w.Create(t, "deals", `{"name":"Sail","owner_id":"$member"}`, "")
		if m.dies(t, aDay) != 1 || m.dies(t, aDay+time.Hour) != 1 || len(m.after(t, aDay+2*time.Hour)) != 0 {
			t.Error("what may have been sent twice is sent again")
		}
	})
}

func TestMailIsTriedAgain(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		m := sendingMail(t, w)
		w.Create(t, "deals", `{"name":"Boat","owner_id":"$member"}`, "")
		works := m.mailer.Send
		m.mailer.Send = func(notify.Letter) error { return io.ErrUnexpectedEOF }
		for i := range 5 {
			if _, err := m.mailer.Mail(t.Context(), time.Now().Add(aDay+time.Duration(i)*time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		m.mailer.Send = works
		if len(m.after(t, aDay+6*time.Hour)) != 1 {
			t.Error("what the mail server did not take is lost")
		}
		w.Create(t, "deals", `{"name":"Oar","owner_id":"$member"}`, "")
		if len(m.after(t, 4*aDay)) != 0 {
			t.Error("what could not be sent for days is sent")
		}
	})
}

// TestBusinessesAreMailedInTurns has one of many letters, so many that one turn does not do, and one of a single letter.
func TestBusinessesAreMailedInTurns(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		m := sendingMail(t, w)
		plan := func(of store.Tenant, due time.Time, notification, user schema.UUID) {
			t.Helper()
			if err := of.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) error {
				return queue.ByMail.Plan(tx, notification, user, due)
			}); err != nil {
				t.Fatal(err)
			}
		}
		now := time.Now()
		for range 50 { // of people who are gone, as this is quick
			plan(w.Tenant, now.Add(-time.Hour), schema.NewID(now), schema.NewID(now))
		}
		other := testworld.Business(t, w.Engine, "Other", account.Person{Email: "other@crm.example", Name: "Other"})
		plan(other.Tenant, now, schema.NewID(now), other.User)
		left := func() (businesses []string) {
			due, err := queue.ByMail.Due(t.Context(), w.Engine.Store(), now)
			if err != nil {
				t.Fatal(err)
			}
			for _, of := range due {
				businesses = append(businesses, schema.FormatID("business", of.ID()))
			}
			return businesses
		}
		many := []string{schema.FormatID("business", w.Tenant.ID())}
		for round, want := range [][]string{many, many, nil} {
			if more, err := m.mailer.Mail(t.Context(), now); err != nil || !more {
				t.Fatal(more, err)
			}
			if got := left(); !slices.Equal(got, want) {
				t.Errorf("after round %d something is left of %v, want %v", round+1, got, want)
			}
		}
		if more, err := m.mailer.Mail(t.Context(), now); err != nil || more {
			t.Errorf("nothing is left, and there is more: %v, %v", more, err)
		}
	})
}

// A business whose receiver hangs must not keep others waiting: here each letter is only taken once that of the other business is sent.
func TestBusinessesAreServedAtOnce(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		m := sendingMail(t, w)
		w.Business(t, "Other", "boss")
		w.Vars["boss"] = schema.FormatID("user", w.Users["boss"])
		for _, who := range []string{"admin", "boss"} {
			w.Check(t, Step{As: who, Do: "PATCH /users/$" + who, Body: `{"status":"active"}`, Status: 200})
			w.Check(t, Step{
				As: who, Do: "POST /notifications", Body: `{"text":"Call","snoozed_until":"2030-01-01T12:00:00Z"}`, Status: 201,
			})
		}
		var sent atomic.Int32
		both := make(chan struct{})
		m.mailer.Send = func(notify.Letter) error {
			if sent.Add(1) == 2 {
				close(both)
			}
			select {
			case <-both:
			case <-time.After(time.Minute):
				t.Error("the letter of another business waits for this one")
			}
			return nil
		}
		if _, err := m.mailer.Mail(t.Context(), time.Date(2030, 1, 2, 20, 0, 0, 0, time.UTC)); err != nil {
			t.Fatal(err)
		}
		if sent.Load() != 2 {
			t.Errorf("%d letters are sent", sent.Load())
		}
	})
}
