package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/testworld"

	. "github.com/kith-crm/kith/internal/apitest"
)

// ear is a client that listens.
type ear struct {
	t     *testing.T
	lines *bufio.Scanner
	end   func()
	// id is the last one that it was told.
	id string
}

// listen opens a stream.
func listen(w *World, t *testing.T, as, query string, headers ...string) *ear {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req := testworld.Request(t, "GET", w.URL+"/v1/changes/stream"+query, w.Token(t, as), "").WithContext(ctx)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := (&http.Client{Transport: &http.Transport{}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	end := func() { cancel(); res.Body.Close() }
	t.Cleanup(end)
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" || res.Header.Get("Content-Encoding") != "" ||
		res.Header.Get("X-Accel-Buffering") != "no" {
		t.Fatalf("a stream is answered %d %v", res.StatusCode, res.Header)
	}
	HoldToContract(t, "GET", "/v1/changes/stream", &Answer{Status: res.StatusCode, Header: res.Header, Text: []byte(`""`)})
	e := &ear{t: t, lines: bufio.NewScanner(res.Body), end: end}
	e.lines.Buffer(nil, 1<<20)
	if kind, _ := e.next(); kind != "begin" {
		t.Fatalf("a stream begins with %q", kind)
	}
	return e
}

// next gives the next event: begin, ping, end or change, with its data. It is empty where the stream ends.
func (e *ear) next() (kind, data string) {
	e.t.Helper()
	kind = ""
	for e.lines.Scan() {
		name, value, _ := strings.Cut(e.lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "data":
			data = value
			if kind == "" {
				kind = "change"
			}
		case "event":
			kind = value
		case ":":
			kind = "ping"
		case "retry":
			kind = "begin"
		case "":
			return kind, data
		default:
			e.t.Errorf("the stream has the line %q", e.lines.Text())
		}
	}
	return "", ""
}

// change gives the next change, and what it is about.
func (e *ear) change() (seq int64, what string) {
	e.t.Helper()
	for {
		kind, data := e.next()
		if kind == "ping" {
			continue
		}
		var c struct {
			Seq                      int64
			Resource, Record, Action string
			Changes                  map[string]struct{ To any }
		}
		if err := json.Unmarshal([]byte(data), &c); kind != "change" || err != nil || fmt.Sprint(c.Seq) != e.id {
			e.t.Fatalf("%q %q %v: %s", kind, e.id, err, data)
		}
		return c.Seq, fmt.Sprintln(c.Resource, c.Action, c.Changes["name"].To)
	}
}

func (e *ear) hears(want ...string) {
	e.t.Helper()
	for _, want := range want {
		if _, what := e.change(); strings.TrimSpace(what) != want {
			e.t.Fatalf("heard %q, want %q", what, want)
		}
	}
}

// ends waits for the end, and gives what was said of it.
func (e *ear) ends() string {
	e.t.Helper()
	said := ""
	for {
		kind, data := e.next()
		switch kind {
		case "":
			return said
		case "ping":
		case "end":
			var p struct{ Code string }
			if err := json.Unmarshal([]byte(data), &p); err != nil {
				e.t.Error(err)
			}
			said = p.Code
		default:
			e.t.Fatalf("before its end the stream says %q %s", kind, data)
		}
	}
}

// heeding has the world's store know of other servers until the test ends.
func heeding(w *World, t *testing.T) *World {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Store.Heed(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return w
}

// Whoever listens hears what happens as it does, and after a break everything that happened meanwhile, once.
func TestAStreamTellsWhatHappens(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.API.Ping(50 * time.Millisecond)
		w.OwnReader(t)
		w.Token(t, "admin:contact.read")
		latest := At(w.Send(t, Step{Do: "POST /changes/search", Body: `{"limit":1}`}).JSON, "meta.latest")
		now := listen(w, t, "admin", "")
		if now.id != fmt.Sprint(latest) {
			t.Fatalf("a stream from now on begins behind %s, want %v", now.id, latest)
		}
		own := listen(w, t, "own", "")
		contacts := listen(w, t, "admin:contact.read", "")
		other := listen(w, t, "stranger", "")
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.Create(t, "deals", `{"name":"Boat"}`, "boat")
		w.Check(t, Step{As: "own", Do: "POST /deals", Body: `{"name":"Mine"}`, Status: 201})
		now.hears("contact create Anna", "deal create Boat", "deal create Mine")
		contacts.hears("contact create Anna")
		own.hears("deal create Mine")
		w.Check(t, Step{Do: "PATCH /contacts/$anna", Body: `{"name":"Anne"}`, Status: 200})
		contacts.hears("contact update Anne")
		now.hears("contact update Anne")

		// What is not theirs to know moves them on all the same.
		for kind, _ := other.next(); kind != "ping"; kind, _ = other.next() {
			t.Fatalf("another business hears %q", kind)
		}
		for own.id != now.id {
			if kind, data := own.next(); kind != "ping" {
				t.Fatalf("heard %s", data)
			}
		}
		id := now.id
		now.end()
		w.Check(t, Step{Do: "DELETE /contacts/$anna", Status: 204})
		again := listen(w, t, "admin", "?after=0", "Last-Event-ID", id)
		again.hears("contact delete <nil>")
		w.Check(t, Step{Do: "POST /contacts/$anna/restore", Status: 200})
		again.hears("contact restore <nil>")

		// From the beginning it is what a search tells.
		all := listen(w, t, "admin", "?after=0")
		for seq := int64(1); fmt.Sprint(seq) != again.id; seq++ {
			if told, _ := all.change(); told != seq {
				t.Fatalf("heard of %d, want %d", told, seq)
			}
		}
		w.Run(t, []Step{
			{Rule: "a number that is none", Do: "GET /changes/stream?after=x", Status: 422, Wrong: "after:invalid_format"},
			{Rule: "a negative one", Do: "GET /changes/stream?after=-1", Status: 422, Wrong: "after:invalid_format"},
			{Rule: "two of them", Do: "GET /changes/stream?after=1&after=2", Status: 422, Wrong: "after:not_allowed"},
			{Rule: "another parameter", Do: "GET /changes/stream?since=1", Status: 422, Wrong: "since:unknown_parameter"},
			{
				Rule: "another id", Do: "GET /changes/stream", Send: []string{"Last-Event-ID: x"}, Status: 422,
				Wrong: "Last-Event-ID:invalid_format",
			},
			{Rule: "no token", As: "none", Do: "GET /changes/stream", Status: 401},
			{Rule: "no version", Do: "GET /changes/stream", Send: []string{"-Version"}, Status: 400},
			{Rule: "another method", Do: "POST /changes/stream", Status: 405},
		})
	})
}

// A stream tells of the resources that were asked for, by the same rule as a search of changes: what it tells from the beginning, and as
// it happens, is what the search answers, for each resource alone and for several together.
func TestAStreamTellsOfTheResourcesAskedFor(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.API.Ping(20 * time.Millisecond)
		w.OwnReader(t)
		w.Token(t, "admin:contact.read")
		names := append(record.Registry.Names(), record.Business.Name)
		live := listen(w, t, "admin", "?resources=deal,note")
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.Create(t, "deals", `{"name":"Boat"}`, "boat")
		w.Create(t, "companies", `{"name":"Harbour"}`, "harbour")
		w.Check(t, Step{As: "own", Do: "POST /deals", Body: `{"name":"Mine"}`, Status: 201})
		w.Check(t, Step{Do: "PATCH /business", Body: `{"name":"Elbe"}`, Status: 200})
		live.hears("deal create Boat", "deal create Mine")
		id := live.id
		live.end()
		w.Create(t, "contacts", `{"name":"Berta"}`, "berta")
		w.Create(t, "deals", `{"name":"Ship"}`, "ship")
		again := listen(w, t, "admin", "?after=0&resources=deal,note", "Last-Event-ID", id)
		again.hears("deal create Ship")
		latest := fmt.Sprint(At(w.Send(t, Step{Do: "POST /changes/search", Body: `{"limit":1}`}).JSON, "meta.latest"))
		for _, as := range []string{"admin", "own"} {
			told := 0
			for _, asked := range append(slices.Clone(names), "contact,deal", "deal,business,company") {
				body := fmt.Sprintf(`{"limit":100,"resources":["%s"]}`, strings.ReplaceAll(asked, ",", `","`))
				a := w.Send(t, Step{As: as, Do: "POST /changes/search", Body: body})
				if a.Status != 200 { // who may not read one is told the same by both
					w.Check(t, Step{As: as, Do: "GET /changes/stream?resources=" + asked, Status: a.Status, Code: fmt.Sprint(At(a.JSON,
						"code"))})
					continue
				}
				e := listen(w, t, as, "?after=0&resources="+asked)
				for n, entry := range At(a.JSON, "data").([]any) {
					if seq, _ := e.change(); fmt.Sprint(seq) != fmt.Sprint(At(entry, "seq")) {
						t.Fatalf("%s who asked for %s hears of %d, want %v of %v", as, asked, seq, n, entry)
					}
					told++
				}
				for e.id != latest { // and of nothing else up to where the log ends
					if kind, data := e.next(); kind != "ping" {
						t.Fatalf("%s who asked for %s hears %q %s", as, asked, kind, data)
					}
				}
				e.end()
			}
			if told == 0 {
				t.Errorf("%s heard nothing at all", as)
			}
		}
		w.Run(t, []Step{
			{
				Rule: "a resource that there is not", Do: "GET /changes/stream?resources=contact,deel", Status: 422,
				Wrong: "resources[1]:not_allowed",
			},
			{Rule: "no resource", Do: "GET /changes/stream?resources=", Status: 422, Wrong: "resources[0]:required"},
			{Rule: "twice", Do: "GET /changes/stream?resources=contact&resources=deal", Status: 422, Wrong: "resources:not_allowed"},
			{
				Rule: "with a wrong number", Do: "GET /changes/stream?resources=x&after=y", Status: 422,
				Wrong: "after:invalid_format resources[0]:not_allowed",
			},
			{Rule: "one that may not be read", As: "admin:contact.read", Do: "GET /changes/stream?resources=contact,deal", Status: 403},
		})

		// It ends when what was asked for may no longer be read, and not when that is so of something else.
		deals, contacts := listen(w, t, "own", "?resources=deal"), listen(w, t, "own", "?resources=contact")
		a := w.Send(t, Step{Do: "POST /roles/search", Body: `{"filters":[{"field":"name","operator":"eq","value":"own"}]}`})
		w.Check(t, Step{
			Do: fmt.Sprint("PATCH /roles/", At(a.JSON, "data.0.id")), Body: `{"permissions":{"deal":{"read":"none"}}}`,
			Status: 200,
		})
		if said := deals.ends(); said != "invalid_token" {
			t.Errorf("a stream of what may no longer be read ends with %q", said)
		}
		w.Check(t, Step{As: "own", Do: "POST /contacts", Body: `{"name":"Clara"}`, Status: 201})
		contacts.hears("contact create Clara")
	})
}

// A stream ends with the right to it: when the token is revoked or expires, when the user is suspended, and when the role reads
// something else.
func TestAStreamEndsWithTheRightToIt(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		id := w.Mint(t, "revoked", "manager", record.Scopes(), time.Time{})
		w.Mint(t, "expires", "admin", record.Scopes(), time.Now().Add(time.Second))
		revoked, expires, member, stays := listen(w, t, "revoked", ""), listen(w, t, "expires", ""), listen(w, t, "member", ""),
			listen(w, t, "admin:contact.read", "")
		w.Check(t, Step{Do: "DELETE /tokens/" + schema.FormatID("token", id), Status: 204})
		for {
			// What was made before the end may be told, the end itself not by what is behind it.
			kind, data := revoked.next()
			if kind == "" {
				break
			}
			if kind == "change" && !strings.Contains(data, `"token"`) {
				t.Errorf("a revoked token hears %s", data)
			}
		}
		w.Check(t, Step{Do: "PATCH /users/$member", Body: `{"status":"suspended"}`, Status: 200})
		for kind, _ := member.next(); kind != ""; kind, _ = member.next() {
		}
		for kind, _ := expires.next(); kind != ""; kind, _ = expires.next() {
		}
		w.Create(t, "contacts", `{"name":"Anna"}`, "made")
		stays.hears("contact create Anna")
	})
}

// Servers that share a database tell each other.
func TestAStreamHearsOtherServers(t *testing.T) {
	w := heeding(NewWorld(t, DatabaseURL(t, "postgres"), httpapi.Options{}), t)
	beside := heeding(w.Beside(t), t)
	for !w.Store.Hears() || !beside.Store.Hears() {
		time.Sleep(time.Millisecond)
	}
	here, there := listen(w, t, "admin", ""), listen(beside, t, "admin", "")
	for n := range 20 {
		one := []*World{w, beside}[n%2]
		one.Create(t, "contacts", fmt.Sprintf(`{"name":"%d"}`, n), "made")
		here.hears(fmt.Sprint("contact create ", n))
		there.hears(fmt.Sprint("contact create ", n))
	}
	w.Mint(t, "elsewhere", "admin", record.Scopes(), time.Time{})
	ends := listen(beside, t, "elsewhere", "")
	here.change()
	a := w.Send(t, Step{Do: "POST /tokens/search", Body: `{"filters":[{"field":"name","operator":"eq","value":"elsewhere"}]}`})
	w.Check(t, Step{Do: fmt.Sprint("DELETE /tokens/", At(a.JSON, "data.0.id")), Status: 204})
	for kind, _ := ends.next(); kind != ""; kind, _ = ends.next() {
	}
}

// Where servers cannot tell each other, and where a program beside the server writes, what happened is found by looking.
func TestAStreamHearsWhoSaysNothing(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		heeding(w, t)
		e := listen(w, t, "admin", "")
		silent := w.Beside(t) // whose store tells nobody
		silent.Create(t, "contacts", `{"name":"Anna"}`, "made")
		e.hears("contact create Anna")
	})
}

// A client that does not read is dropped, and those beside it hear everything; when it comes back it has missed nothing.
func TestASlowListenerIsDropped(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.API.Patience(200 * time.Millisecond)
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /v1/changes/stream HTTP/1.1\r\nHost: x\r\nVersion: v1\r\nAuthorization: Bearer %s\r\n\r\n",
			w.Token(t, "admin"))
		head := make([]byte, 1)
		if _, err := conn.Read(head); err != nil {
			t.Fatal(err)
		}
		e := listen(w, t, "admin", "")
		from := e.id
		const batch = 15
		note := fmt.Sprintf(`{"op":"create","data":{"body":"%s","contact_id":"%s"}}`, strings.Repeat("x", 60_000),
			At(w.Send(t, Step{Do: "POST /contacts", Body: `{"name":"Anna"}`}).JSON, "id"))
		e.hears("contact create Anna")
		count := 0
		for w.API.Streams().Counts().Dropped == 0 {
			if count++; count > 100 {
				t.Fatal("nobody was dropped")
			}
			w.Check(t, Step{
				Do:   "POST /notes/batch",
				Body: fmt.Sprintf(`{"operations":[%s]}`, strings.Join(slices.Repeat([]string{note}, batch), ",")), Status: 200,
			})
			for range batch {
				e.change()
			}
		}
		again := listen(w, t, "admin", "?after="+from)
		for again.id != e.id {
			before := again.id
			if seq, _ := again.change(); fmt.Sprint(seq-1) != before {
				t.Fatalf("heard of %d after %s", seq, before)
			}
		}
	})
}

// Many listen, everybody hears everything, in order, and the log is read once for all of them.
func TestAThousandListen(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		const tokens, each, changes = 10, 100, 10
		latest := fmt.Sprint(At(w.Send(t, Step{Do: "POST /changes/search", Body: `{"limit":1}`}).JSON, "meta.latest"))
		ears := make([]*ear, 0, tokens*each)
		for n := range tokens {
			name := fmt.Sprint("many ", n)
			w.Mint(t, name, "admin", []string{"contact.read"}, time.Time{})
			for range each {
				ears = append(ears, listen(w, t, name, "?after="+latest))
			}
		}
		w.Run(t, []Step{{Rule: "a token has a bound", As: "many 1", Do: "GET /changes/stream", Status: 429, Code: "too_many_requests"}})
		for n := range changes {
			w.Create(t, "contacts", fmt.Sprintf(`{"name":"%d"}`, n), "made")
		}
		var all sync.WaitGroup
		for _, e := range ears {
			all.Go(func() {
				for n := range changes {
					if _, what := e.change(); strings.TrimSpace(what) != fmt.Sprint("contact create ", n) {
						t.Errorf("heard %q", what)
						return
					}
				}
			})
		}
		all.Wait()
		if c := w.API.Streams().Counts(); c.Entries != changes || c.Listeners != len(ears) || c.Rooms != 1 || c.Dropped != 0 {
			t.Errorf("%+v", c)
		}
		for _, e := range ears {
			e.end()
		}
		for w.API.Streams().Counts().Listeners > 0 {
			time.Sleep(time.Millisecond)
		}
	})
}

// The server and each business have bounds, and a server that stops ends what it tells.
func TestStreamsAreBounded(t *testing.T) {
	serving, stop := context.WithCancel(context.Background())
	w := NewWorld(t, DatabaseURL(t, "sqlite"), httpapi.Options{Streams: 5, Serving: serving})
	first := listen(w, t, "admin", "")
	listen(w, t, "manager", "")
	full := Step{Do: "GET /changes/stream"}
	if a := w.Send(t, full); a.Status != 503 || !strings.Contains(string(a.Text), "The business has") {
		t.Errorf("%d %s", a.Status, a.Text)
	}
	full.As = "stranger"
	listen(w, t, "stranger", "")
	listen(w, t, "stranger", "")
	stop()
	if said := first.ends(); said != "service_unavailable" {
		t.Errorf("a server that stops says %q", said)
	}
	if a := w.Send(t, full); a.Status != 503 || a.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.Status, a.Text)
	}
}
