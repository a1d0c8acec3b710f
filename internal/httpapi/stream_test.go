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
func (w *world) listen(t *testing.T, as, query string, headers ...string) *ear {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req := testworld.Request(t, "GET", w.url+"/v1/changes/stream"+query, w.token(t, as), "").WithContext(ctx)
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
	holdToContract(t, "GET", "/v1/changes/stream", &answer{status: res.StatusCode, header: res.Header, text: []byte(`""`)})
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
func (w *world) heeding(t *testing.T) *world {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.store.Heed(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return w
}

// Whoever listens hears what happens as it does, and after a break everything that happened meanwhile, once.
func TestAStreamTellsWhatHappens(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.api.Ping(50 * time.Millisecond)
		w.ownReader(t)
		w.token(t, "admin:contact.read")
		latest := at(w.send(t, step{do: "POST /changes/search", body: `{"limit":1}`}).json, "meta.latest")
		now := w.listen(t, "admin", "")
		if now.id != fmt.Sprint(latest) {
			t.Fatalf("a stream from now on begins behind %s, want %v", now.id, latest)
		}
		own := w.listen(t, "own", "")
		contacts := w.listen(t, "admin:contact.read", "")
		other := w.listen(t, "stranger", "")
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.create(t, "deals", `{"name":"Boat"}`, "boat")
		w.check(t, step{as: "own", do: "POST /deals", body: `{"name":"Mine"}`, status: 201})
		now.hears("contact create Anna", "deal create Boat", "deal create Mine")
		contacts.hears("contact create Anna")
		own.hears("deal create Mine")
		w.check(t, step{do: "PATCH /contacts/$anna", body: `{"name":"Anne"}`, status: 200})
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
		w.check(t, step{do: "DELETE /contacts/$anna", status: 204})
		again := w.listen(t, "admin", "?after=0", "Last-Event-ID", id)
		again.hears("contact delete <nil>")
		w.check(t, step{do: "POST /contacts/$anna/restore", status: 200})
		again.hears("contact restore <nil>")

		// From the beginning it is what a search tells.
		all := w.listen(t, "admin", "?after=0")
		for seq := int64(1); fmt.Sprint(seq) != again.id; seq++ {
			if told, _ := all.change(); told != seq {
				t.Fatalf("heard of %d, want %d", told, seq)
			}
		}
		w.run(t, []step{
			{rule: "a number that is none", do: "GET /changes/stream?after=x", status: 422, wrong: "after:invalid_format"},
			{rule: "a negative one", do: "GET /changes/stream?after=-1", status: 422, wrong: "after:invalid_format"},
			{rule: "two of them", do: "GET /changes/stream?after=1&after=2", status: 422, wrong: "after:not_allowed"},
			{rule: "another parameter", do: "GET /changes/stream?since=1", status: 422, wrong: "since:unknown_parameter"},
			{
				rule: "another id", do: "GET /changes/stream", send: []string{"Last-Event-ID: x"}, status: 422,
				wrong: "Last-Event-ID:invalid_format",
			},
			{rule: "no token", as: "none", do: "GET /changes/stream", status: 401},
			{rule: "no version", do: "GET /changes/stream", send: []string{"-Version"}, status: 400},
			{rule: "another method", do: "POST /changes/stream", status: 405},
		})
	})
}

// A stream tells of the resources that were asked for, by the same rule as a search of changes: what it tells from the beginning, and as
// it happens, is what the search answers, for each resource alone and for several together.
func TestAStreamTellsOfTheResourcesAskedFor(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.api.Ping(20 * time.Millisecond)
		w.ownReader(t)
		w.token(t, "admin:contact.read")
		names := append(record.Registry.Names(), record.Business.Name)
		live := w.listen(t, "admin", "?resources=deal,note")
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.create(t, "deals", `{"name":"Boat"}`, "boat")
		w.create(t, "companies", `{"name":"Harbour"}`, "harbour")
		w.check(t, step{as: "own", do: "POST /deals", body: `{"name":"Mine"}`, status: 201})
		w.check(t, step{do: "PATCH /business", body: `{"name":"Elbe"}`, status: 200})
		live.hears("deal create Boat", "deal create Mine")
		id := live.id
		live.end()
		w.create(t, "contacts", `{"name":"Berta"}`, "berta")
		w.create(t, "deals", `{"name":"Ship"}`, "ship")
		again := w.listen(t, "admin", "?after=0&resources=deal,note", "Last-Event-ID", id)
		again.hears("deal create Ship")
		latest := fmt.Sprint(at(w.send(t, step{do: "POST /changes/search", body: `{"limit":1}`}).json, "meta.latest"))
		for _, as := range []string{"admin", "own"} {
			told := 0
			for _, asked := range append(slices.Clone(names), "contact,deal", "deal,business,company") {
				body := fmt.Sprintf(`{"limit":100,"resources":["%s"]}`, strings.ReplaceAll(asked, ",", `","`))
				a := w.send(t, step{as: as, do: "POST /changes/search", body: body})
				if a.status != 200 { // who may not read one is told the same by both
					w.check(t, step{as: as, do: "GET /changes/stream?resources=" + asked, status: a.status, code: fmt.Sprint(at(a.json,
						"code"))})
					continue
				}
				e := w.listen(t, as, "?after=0&resources="+asked)
				for n, entry := range at(a.json, "data").([]any) {
					if seq, _ := e.change(); fmt.Sprint(seq) != fmt.Sprint(at(entry, "seq")) {
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
		w.run(t, []step{
			{
				rule: "a resource that there is not", do: "GET /changes/stream?resources=contact,deel", status: 422,
				wrong: "resources[1]:not_allowed",
			},
			{rule: "no resource", do: "GET /changes/stream?resources=", status: 422, wrong: "resources[0]:required"},
			{rule: "twice", do: "GET /changes/stream?resources=contact&resources=deal", status: 422, wrong: "resources:not_allowed"},
			{
				rule: "with a wrong number", do: "GET /changes/stream?resources=x&after=y", status: 422,
				wrong: "after:invalid_format resources[0]:not_allowed",
			},
			{rule: "one that may not be read", as: "admin:contact.read", do: "GET /changes/stream?resources=contact,deal", status: 403},
		})

		// It ends when what was asked for may no longer be read, and not when that is so of something else.
		deals, contacts := w.listen(t, "own", "?resources=deal"), w.listen(t, "own", "?resources=contact")
		a := w.send(t, step{do: "POST /roles/search", body: `{"filters":[{"field":"name","operator":"eq","value":"own"}]}`})
		w.check(t, step{
			do: fmt.Sprint("PATCH /roles/", at(a.json, "data.0.id")), body: `{"permissions":{"deal":{"read":"none"}}}`,
			status: 200,
		})
		if said := deals.ends(); said != "invalid_token" {
			t.Errorf("a stream of what may no longer be read ends with %q", said)
		}
		w.check(t, step{as: "own", do: "POST /contacts", body: `{"name":"Clara"}`, status: 201})
		contacts.hears("contact create Clara")
	})
}

// A stream ends with the right to it: when the token is revoked or expires, when the user is suspended, and when the role reads
// something else.
func TestAStreamEndsWithTheRightToIt(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		id := w.mint(t, "revoked", "manager", record.Scopes(), time.Time{})
		w.mint(t, "expires", "admin", record.Scopes(), time.Now().Add(time.Second))
		revoked, expires, member, stays := w.listen(t, "revoked", ""), w.listen(t, "expires", ""), w.listen(t, "member", ""),
			w.listen(t, "admin:contact.read", "")
		w.check(t, step{do: "DELETE /tokens/" + schema.FormatID("token", id), status: 204})
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
		w.check(t, step{do: "PATCH /users/$member", body: `{"status":"suspended"}`, status: 200})
		for kind, _ := member.next(); kind != ""; kind, _ = member.next() {
		}
		for kind, _ := expires.next(); kind != ""; kind, _ = expires.next() {
		}
		w.create(t, "contacts", `{"name":"Anna"}`, "made")
		stays.hears("contact create Anna")
	})
}

// Servers that share a database tell each other.
func TestAStreamHearsOtherServers(t *testing.T) {
	w := newWorld(t, databaseURL(t, "postgres"), httpapi.Options{}).heeding(t)
	beside := w.beside(t).heeding(t)
	for !w.store.Hears() || !beside.store.Hears() {
		time.Sleep(time.Millisecond)
	}
	here, there := w.listen(t, "admin", ""), beside.listen(t, "admin", "")
	for n := range 20 {
		one := []*world{w, beside}[n%2]
		one.create(t, "contacts", fmt.Sprintf(`{"name":"%d"}`, n), "made")
		here.hears(fmt.Sprint("contact create ", n))
		there.hears(fmt.Sprint("contact create ", n))
	}
	w.mint(t, "elsewhere", "admin", record.Scopes(), time.Time{})
	ends := beside.listen(t, "elsewhere", "")
	here.change()
	a := w.send(t, step{do: "POST /tokens/search", body: `{"filters":[{"field":"name","operator":"eq","value":"elsewhere"}]}`})
	w.check(t, step{do: fmt.Sprint("DELETE /tokens/", at(a.json, "data.0.id")), status: 204})
	for kind, _ := ends.next(); kind != ""; kind, _ = ends.next() {
	}
}

// Where servers cannot tell each other, and where a program beside the server writes, what happened is found by looking.
func TestAStreamHearsWhoSaysNothing(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.heeding(t)
		e := w.listen(t, "admin", "")
		silent := w.beside(t) // whose store tells nobody
		silent.create(t, "contacts", `{"name":"Anna"}`, "made")
		e.hears("contact create Anna")
	})
}

// A client that does not read is dropped, and those beside it hear everything; when it comes back it has missed nothing.
func TestASlowListenerIsDropped(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.api.Patience(200 * time.Millisecond)
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /v1/changes/stream HTTP/1.1\r\nHost: x\r\nVersion: v1\r\nAuthorization: Bearer %s\r\n\r\n",
			w.token(t, "admin"))
		head := make([]byte, 1)
		if _, err := conn.Read(head); err != nil {
			t.Fatal(err)
		}
		e := w.listen(t, "admin", "")
		from := e.id
		const batch = 15
		note := fmt.Sprintf(`{"op":"create","data":{"body":"%s","contact_id":"%s"}}`, strings.Repeat("x", 60_000),
			at(w.send(t, step{do: "POST /contacts", body: `{"name":"Anna"}`}).json, "id"))
		e.hears("contact create Anna")
		count := 0
		for w.api.Streams().Counts().Dropped == 0 {
			if count++; count > 100 {
				t.Fatal("nobody was dropped")
			}
			w.check(t, step{
				do:   "POST /notes/batch",
				body: fmt.Sprintf(`{"operations":[%s]}`, strings.Join(slices.Repeat([]string{note}, batch), ",")), status: 200,
			})
			for range batch {
				e.change()
			}
		}
		again := w.listen(t, "admin", "?after="+from)
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
	onEach(t, func(t *testing.T, w *world) {
		const tokens, each, changes = 10, 100, 10
		latest := fmt.Sprint(at(w.send(t, step{do: "POST /changes/search", body: `{"limit":1}`}).json, "meta.latest"))
		ears := make([]*ear, 0, tokens*each)
		for n := range tokens {
			name := fmt.Sprint("many ", n)
			w.mint(t, name, "admin", []string{"contact.read"}, time.Time{})
			for range each {
				ears = append(ears, w.listen(t, name, "?after="+latest))
			}
		}
		w.run(t, []step{{rule: "a token has a bound", as: "many 1", do: "GET /changes/stream", status: 429, code: "too_many_requests"}})
		for n := range changes {
			w.create(t, "contacts", fmt.Sprintf(`{"name":"%d"}`, n), "made")
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
		if c := w.api.Streams().Counts(); c.Entries != changes || c.Listeners != len(ears) || c.Rooms != 1 || c.Dropped != 0 {
			t.Errorf("%+v", c)
		}
		for _, e := range ears {
			e.end()
		}
		for w.api.Streams().Counts().Listeners > 0 {
			time.Sleep(time.Millisecond)
		}
	})
}

// The server and each business have bounds, and a server that stops ends what it tells.
func TestStreamsAreBounded(t *testing.T) {
	serving, stop := context.WithCancel(context.Background())
	w := newWorld(t, databaseURL(t, "sqlite"), httpapi.Options{Streams: 5, Serving: serving})
	first := w.listen(t, "admin", "")
	w.listen(t, "manager", "")
	full := step{do: "GET /changes/stream"}
	if a := w.send(t, full); a.status != 503 || !strings.Contains(string(a.text), "The business has") {
		t.Errorf("%d %s", a.status, a.text)
	}
	full.as = "stranger"
	w.listen(t, "stranger", "")
	w.listen(t, "stranger", "")
	stop()
	if said := first.ends(); said != "service_unavailable" {
		t.Errorf("a server that stops says %q", said)
	}
	if a := w.send(t, full); a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.status, a.text)
	}
}
