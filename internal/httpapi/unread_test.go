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

	. "github.com/kith-crm/kith/internal/apitest"
)

// What a write answers is always told. So while there is no room for more answers, it is refused before anything is written.
func TestWritesWaitUntilTheirAnswersFindRoom(t *testing.T) {
	w := NewWorld(t, DatabaseURL(t, "sqlite"), httpapi.Options{})
	note := w.Create(t, "notes", `{"title":"Before"}`, "note")
	done := w.API.Hold(w.Tenant.ID(), httpapi.MaxHeldByOne-httpapi.MaxBody+1)
	for _, write := range []Step{
		{Do: "PATCH /notes/" + note, Body: `{"title":"After"}`},
		{Do: "POST /notes", Body: `{"title":"After"}`},
		{Do: "DELETE /notes/" + note},
	} {
		if a := w.Send(t, write); a.Status != http.StatusServiceUnavailable || At(a.JSON, "code") != "service_unavailable" ||
			a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: status %d, %s", write.Do, a.Status, a.Text)
		}
	}
	w.Run(t, []Step{
		{Rule: "another business", As: "stranger", Do: "POST /notes", Body: `{"title":"After"}`, Status: 201},
		{
			Rule: "a small page", Do: "POST /notes/search", Body: `{}`, Status: 200,
			Want: `{"data":[{"title":"Before","version":1}],"meta":{"total":1}}`,
		},
		{Rule: "oneself", Do: "GET /me", Status: 200},
	})
	done()
	w.Run(t, []Step{{Rule: "a change with room", Do: "PATCH /notes/" + note, Body: `{"title":"After"}`, Status: 200}})
	if held := w.API.Held(); held != 0 {
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
	w := NewWorld(t, DatabaseURL(t, "sqlite"), httpapi.Options{})
	const large = 2 * 65_536
	note := w.Create(t, "notes", `{"title":"Large","body":"`+strings.Repeat("ä", large/2)+`"}`, "note")
	patch := func(reading func(), during func()) *unread {
		t.Helper()
		r := httptest.NewRequest(http.MethodPatch, "/v1/notes/"+note, &hooked{strings.NewReader(`{"title":"Changed"}`), reading})
		r.Header = http.Header{"Authorization": {"Bearer " + w.Tokens["admin"]}, "Version": {"v1"}, "Content-Type": {"application/json"}}
		u := &unread{header: http.Header{}, writing: make(chan bool), read: make(chan bool)}
		ended := make(chan bool)
		go func() {
			defer close(ended)
			w.API.ServeHTTP(u, r)
		}()
		<-u.writing
		during()
		close(u.read)
		<-ended
		return u
	}
	within := patch(func() {}, func() {
		if held := w.API.Held(); held < large {
			t.Errorf("%d bytes are held while an answer of %d is read", held, large)
		}
	})
	if within.status != http.StatusOK || !within.deadline.IsZero() {
		t.Errorf("within the bounds: status %d, deadline %v", within.status, within.deadline)
	}
	done := func() {}
	full := sync.OnceFunc(func() { done = w.API.Hold(w.Tenant.ID(), httpapi.MaxHeldByOne) })
	beyond := patch(full, func() { done() })
	if beyond.status != http.StatusOK || beyond.deadline.IsZero() {
		t.Errorf("beyond the bounds: status %d, deadline %v", beyond.status, beyond.deadline)
	}
	if held := w.API.Held(); held != 0 {
		t.Errorf("%d bytes are held after all was read", held)
	}
}
