package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/httpapi"
)

// What a write answers is always told. So while there is no room for more answers, it is refused before anything is written.
func TestWritesWaitUntilTheirAnswersFindRoom(t *testing.T) {
	w := newWorld(t, databaseURL(t, "sqlite"), httpapi.Options{})
	note := w.create(t, "notes", `{"title":"Before"}`, "note")
	done := w.api.Hold(w.tenant.ID(), httpapi.MaxHeldByOne-httpapi.MaxBody+1)
	for _, write := range []step{
		{do: "PATCH /notes/" + note, body: `{"title":"After"}`},
		{do: "POST /notes", body: `{"title":"After"}`},
		{do: "DELETE /notes/" + note},
	} {
		if a := w.send(t, write); a.status != http.StatusServiceUnavailable || at(a.json, "code") != "service_unavailable" ||
			a.header.Get("Retry-After") == "" {
			t.Errorf("%s: status %d, %s", write.do, a.status, a.text)
		}
	}
	w.run(t, []step{
		{rule: "another business", as: "stranger", do: "POST /notes", body: `{"title":"After"}`, status: 201},
		{
			rule: "a small page", do: "POST /notes/search", body: `{}`, status: 200,
			want: `{"data":[{"title":"Before","version":1}],"meta":{"total":1}}`,
		},
		{rule: "oneself", do: "GET /me", status: 200},
	})
	done()
	w.run(t, []step{{rule: "a change with room", do: "PATCH /notes/" + note, body: `{"title":"After"}`, status: 200}})
	if held := w.api.Held(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
}

// unread is an answer whose reader waits.
type unread struct {
	header   http.Header
	status   int
	writing  chan bool
	read     chan bool
	deadline time.Time
}

func (u *unread) Header() http.Header                       { return u.header }
func (u *unread) WriteHeader(status int)                    { u.status = status }
func (u *unread) SetWriteDeadline(deadline time.Time) error { u.deadline = deadline; return nil }

func (u *unread) Write(p []byte) (int, error) {
	u.writing <- true
	<-u.read
	return len(p), nil
}

// hooked is a body that is small, and calls something when it is read.
type hooked struct {
	io.Reader
	reading func()
}

func (h *hooked) Read(p []byte) (int, error) {
	h.reading()
	return h.Reader.Read(p)
}

// A write that began while there was room is answered, and its answer counts. Where that goes beyond the bounds there is little
// time to read it.
func TestAnswersToWritesCount(t *testing.T) {
	w := newWorld(t, databaseURL(t, "sqlite"), httpapi.Options{})
	const large = 2 * 65_536
	note := w.create(t, "notes", `{"title":"Large","body":"`+strings.Repeat("ä", large/2)+`"}`, "note")
	patch := func(reading func(), during func()) *unread {
		t.Helper()
		r := httptest.NewRequest(http.MethodPatch, "/v1/notes/"+note, &hooked{strings.NewReader(`{"title":"Changed"}`), reading})
		r.Header = http.Header{"Authorization": {"Bearer " + w.tokens["admin"]}, "Version": {"v1"}, "Content-Type": {"application/json"}}
		u := &unread{header: http.Header{}, writing: make(chan bool), read: make(chan bool)}
		ended := make(chan bool)
		go func() {
			defer close(ended)
			w.api.ServeHTTP(u, r)
		}()
		<-u.writing
		during()
		close(u.read)
		<-ended
		return u
	}
	within := patch(func() {}, func() {
		if held := w.api.Held(); held < large {
			t.Errorf("%d bytes are held while an answer of %d is read", held, large)
		}
	})
	if within.status != http.StatusOK || !within.deadline.IsZero() {
		t.Errorf("within the bounds: status %d, deadline %v", within.status, within.deadline)
	}
	done := func() {}
	full := sync.OnceFunc(func() { done = w.api.Hold(w.tenant.ID(), httpapi.MaxHeldByOne) })
	beyond := patch(full, func() { done() })
	if beyond.status != http.StatusOK || beyond.deadline.IsZero() {
		t.Errorf("beyond the bounds: status %d, deadline %v", beyond.status, beyond.deadline)
	}
	if held := w.api.Held(); held != 0 {
		t.Errorf("%d bytes are held after all was read", held)
	}
}
