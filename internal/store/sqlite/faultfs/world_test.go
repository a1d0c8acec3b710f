package faultfs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/apitest"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/store/sqlite/faultfs"
	"github.com/kith-crm/kith/internal/testworld"
	"github.com/kith-crm/kith/internal/webhook"
	"github.com/kith-crm/kith/internal/wiring"
	"github.com/kith-crm/kith/internal/work"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// world is kith on a folder that is watched. It is asked without a network, and knows every answer.
type world struct {
	path   string
	fs     *faultfs.FS
	store  *store.Store
	engine *record.Engine
	api    http.Handler
	tenant store.Tenant
	token  string
	asked  int
	acks   []ack
	// refused are the writes that were not acknowledged, the last with the answer why.
	refused []ack
	why     string
}

// ack is a write that was acknowledged when there were so many calls, and began when there were from.
type ack struct {
	from, calls int
	what        string
	// method, target, body and key are of the request, where it was one that can be sent again.
	method, target, body, key string
	// mark is a text that the write has brought into the database, or empty.
	mark string
	// path is where the record is to be found, with at least that version.
	path    string
	version int
	gone    bool
	// other is where a record was that is merged into it.
	other string
	// again tells that it may share a transaction with the one before, and one that it has one transaction and no more.
	again, one bool
}

// theBusiness is what is acknowledged when it and its token are there.
const theBusiness = "the business"

// answer is what a request was answered.
type answer struct {
	status int
	header http.Header
	text   string
	json   any
}

func (a answer) id() string { return fmt.Sprint(apitest.At(a.json, "id")) }

// open opens the database as a server does, which brings it to the layout of today where it is not.
func (w *world) open() (err error) {
	ctx := context.Background()
	if w.store, err = store.Open(ctx, "sqlite:"+w.path, record.Registry); err != nil {
		return err
	}
	migrating := ack{what: "the migrations", one: true}
	if w.fs != nil {
		synctest.Wait() // until it has looked at its text indexes
		migrating.from = w.fs.Ops()
	}
	steps, err := w.store.Migrate(ctx)
	if err != nil {
		return errors.Join(err, w.store.Close())
	}
	if w.fs != nil && len(steps) > 0 {
		w.acknowledged(migrating)
	}
	if w.engine, err = wiring.NewEngine(ctx, w.store); err != nil {
		return errors.Join(err, w.store.Close())
	}
	w.api = httpapi.New(w.engine, httpapi.Options{Log: slog.New(slog.DiscardHandler)})
	return nil
}

// begin has a database in the folder at first.
func (w *world) begin(t *testing.T, file []byte) {
	t.Helper()
	if err := os.WriteFile(w.path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	w.fs = faultfs.Watch(t, filepath.Dir(w.path))
}

// opened is open where that cannot fail.
func (w *world) opened(t *testing.T) {
	t.Helper()
	if err := w.open(); err != nil {
		t.Fatal(err)
	}
}

func (w *world) close(t *testing.T) {
	t.Helper()
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
}

// business makes the business that everything is about, and its token.
func (w *world) business(t *testing.T) {
	who := testworld.Business(t, w.engine, "Harbour", account.Person{Email: "admin@harbour.example", Name: "Admin"})
	w.tenant = who.Tenant
	err := w.tenant.Write(t.Context(), store.Actor{}, func(tx *store.Tx) error {
		rec, err := operator.MintToken(w.engine, tx, who.User, "test", record.Scopes(), time.Time{})
		if err == nil {
			w.token = rec.Once.Value
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.acknowledged(ack{what: theBusiness})
}

// acknowledged notes what has happened since the last acknowledgement, unless it is told since when.
func (w *world) acknowledged(a ack) {
	if a.calls = w.fs.Ops(); a.from == 0 && len(w.acks) > 0 {
		a.from = w.acks[len(w.acks)-1].calls
	}
	w.acks = append(w.acks, a)
}

// ask sends a request, and gives its answer.
func (w *world) ask(method, path, body string) answer { return w.askOnce(method, path, body, "") }

// askOnce sends a request that is done only once with its key, where it has one.
func (w *world) askOnce(method, path, body, key string) answer {
	req := httptest.NewRequest(method, "/v1"+path, strings.NewReader(body))
	req.Header.Set("Version", "v1")
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	if strings.HasSuffix(path, "/file") {
		req.Header.Set("Content-Type", "text/csv")
	}
	out := httptest.NewRecorder()
	w.api.ServeHTTP(out, req)
	a := answer{status: out.Code, header: out.Header(), text: out.Body.String()}
	_ = json.Unmarshal(out.Body.Bytes(), &a.json)
	return a
}

// write sends a write, and notes it where it is acknowledged. A § in its body becomes a text that there was not before.
func (w *world) write(method, path, body string) (a answer, ok bool) {
	w.ask("GET", "/me", "") // has it noted in the background that the token was used
	synctest.Wait()
	w.asked++
	k := ack{what: method + " " + path, from: w.fs.Ops(), one: !strings.HasSuffix(path, "/file")}
	if strings.Contains(body, "§") {
		k.mark = fmt.Sprintf("mark%04d", w.asked)
		body = strings.ReplaceAll(body, "§", k.mark)
	}
	resource, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if strings.HasSuffix(rest, "/merge") {
		var merge struct {
			OtherID string `json:"other_id"`
		}
		_ = json.Unmarshal([]byte(body), &merge)
		k.other = "/" + resource + "/" + merge.OtherID
	}
	if k.one {
		k.method, k.target, k.body, k.key = method, path, body, fmt.Sprintf("key%04d", w.asked)
	}
	a = w.askOnce(method, path, body, k.key)
	if a.status >= 300 {
		w.refused, w.why = append(w.refused, k), fmt.Sprintf("%s: %d %s", k.what, a.status, a.text)
		return a, false
	}
	rec := a.json
	if k.other != "" {
		rec = apitest.At(rec, "record")
	}
	switch version, _ := apitest.At(rec, "version").(float64); {
	case version > 0:
		k.path, k.version = "/"+resource+"/"+fmt.Sprint(apitest.At(rec, "id")), int(version)
	case method == http.MethodDelete:
		k.path, k.gone = "/"+resource+"/"+rest, true
	case strings.HasSuffix(rest, "/erase"):
		k.path, k.gone = "/"+resource+"/"+strings.TrimSuffix(rest, "/erase"), true
	}
	w.acknowledged(k)
	return a, true
}

// must is a write that is acknowledged.
func (w *world) must(t *testing.T, method, path, body string) answer {
	t.Helper()
	a, ok := w.write(method, path, body)
	if !ok {
		t.Fatal(w.why)
	}
	return a
}

// jobs works off what waits.
func (w *world) jobs(t *testing.T, failed func(error)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var worker sync.WaitGroup
	worker.Go(func() { work.NewWorker(w.engine, wiring.JobKinds()).Work(ctx, failed) })
	for tries := 0; ; tries++ {
		jobs, err := queue.Jobs(ctx, w.tenant.Quietly(), schema.UUID{}, schema.UUID{}, false, 100)
		if err != nil {
			failed(err)
		}
		open := err != nil
		for _, j := range jobs {
			open = open || j.Open()
		}
		if !open {
			break
		}
		if tries > 3000 {
			t.Fatal("a job does not come to an end")
		}
		time.Sleep(20 * time.Millisecond)
	}
	cancel()
	worker.Wait()
}

// checkpoint brings the log into the database, as SQLite does by itself after 4,000 pages.
func (w *world) checkpoint(how string) error {
	c, err := sqlite.OpenConn(w.path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	return errors.Join(sqlitex.ExecuteTransient(c, "PRAGMA wal_checkpoint("+how+")", nil), c.Close())
}

// everyPath writes by every path that there is.
func (w *world) everyPath(t *testing.T) {
	fails := func(err error) { t.Errorf("jobs: %v", err) }
	company := w.must(t, "POST", "/companies", `{"name":"Berg § Ltd","domain":"berg.example"}`).id()
	anna := w.must(t, "POST", "/contacts", `{"name":"Anna §","email":"anna@berg.example","company_id":"`+company+`"}`).id()
	bo := w.must(t, "POST", "/contacts", `{"name":"Bo §","email":"bo@berg.example"}`).id()
	deal := w.must(t, "POST", "/deals", `{"name":"Chairs §","amount":"100","contact_id":"`+bo+`"}`).id()
	hook := w.must(t, "POST", "/webhooks", `{"url":"https://receiver.example/hook","events":["contact.*","deal.*"],"name":"§"}`).id()
	w.must(t, "PATCH", "/contacts/"+anna, `{"job_title":"Cook §"}`)
	w.must(t, "POST", "/deals/"+deal+"/win", "")
	w.must(t, "POST", "/contacts/batch", `{"atomic":true,"operations":[{"op":"create","data":{"name":"Cleo §"}},`+
		`{"op":"update","id":"`+anna+`","data":{"job_title":"Chef §"}},{"op":"create","data":{"name":"Dan §"}}]}`)
	w.must(t, "POST", "/contacts/batch", `{"operations":[{"op":"create","data":{"name":"Eve §"}},{"op":"create","data":{"email":"no"}}]}`)
	w.must(t, "POST", "/contacts/upsert", `{"match":"email","data":{"email":"bo@berg.example","job_title":"Smith §"}}`)
	w.must(t, "POST", "/contacts/upsert", `{"match":"email","data":{"email":"finn@berg.example","name":"Finn §"}}`)
	w.must(t, "POST", "/notes", `{"body":"A note § `+strings.Repeat("of some length ", 700)+`","contact_id":"`+anna+`"}`)
	if err := w.checkpoint("PASSIVE"); err != nil {
		t.Fatal(err)
	}
	gone := w.must(t, "POST", "/contacts", `{"name":"Gone §"}`).id()
	w.must(t, "DELETE", "/contacts/"+gone, "")
	w.must(t, "POST", "/contacts/"+gone+"/restore", "")
	w.must(t, "POST", "/contacts/"+anna+"/merge", `{"other_id":"`+bo+`"}`)
	patch := w.must(t, "PATCH", "/deals/"+deal, `{"name":"Tables §"}`)
	w.must(t, "POST", "/undo", `{"request_id":"`+patch.header.Get("X-Request-Id")+`"}`)
	if refused := w.together(t, 6); refused > 0 {
		t.Fatalf("%d of several at once were refused", refused)
	}
	w.deliver(t)
	bulk := w.must(t, "POST", "/contacts/bulk", `{"filters":[],"op":"tag","data":{"add":["§"]}}`)
	w.jobs(t, fails)
	w.acknowledged(ack{what: "the bulk operation"})
	if err := w.checkpoint("RESTART"); err != nil {
		t.Fatal(err)
	}
	w.must(t, "POST", "/undo", `{"job_id":"`+bulk.id()+`"}`)
	load := w.must(t, "POST", "/imports", `{"resource":"contact"}`).id()
	var table strings.Builder
	table.WriteString("Name,Email,Job title\n")
	for n := range 320 {
		fmt.Fprintf(&table, "Person %d §,person%d@load.example,Rower\n", n, n)
	}
	w.must(t, "PUT", "/imports/"+load+"/file", strings.ReplaceAll(table.String(), "§", "of the load"))
	w.must(t, "POST", "/imports/"+load+"/run", "")
	w.jobs(t, fails)
	w.acknowledged(ack{what: "the import", mark: "person319@load.example"})
	w.must(t, "POST", "/imports/"+load+"/undo", "")
	w.jobs(t, fails)
	w.acknowledged(ack{what: "the undo of an import"})
	w.deliver(t)
	w.must(t, "PATCH", "/webhooks/"+hook, `{"status":"disabled","name":"§"}`)
	w.must(t, "POST", "/contacts/"+gone+"/erase", `{"reason":"asked"}`)
	for more := true; more; {
		var err error
		if more, err = work.WorkOff(t.Context(), w.engine); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.store.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.acknowledged(ack{what: "the erasure"})
	if err := w.checkpoint("TRUNCATE"); err != nil {
		t.Fatal(err)
	}
	w.must(t, "POST", "/contacts", `{"name":"Last before it stops §"}`)
	w.close(t)
	w.opened(t)
	w.must(t, "POST", "/contacts", `{"name":"First after it has started §"}`)
	w.must(t, "PATCH", "/contacts/"+anna, `{"job_title":"Admiral §"}`)
	w.close(t)
}

// together sends some writes at once, which share a transaction: they wait while another one is under way. It gives how many were refused.
func (w *world) together(t *testing.T, n int) (refused int) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	first, free := true, make(chan struct{})
	all.Go(func() {
		_ = w.tenant.Write(context.Background(), store.Actor{}, func(*store.Tx) error {
			<-free
			return nil
		})
	})
	for i := range n {
		synctest.Wait() // so that they come in their order
		w.asked++
		mark := fmt.Sprintf("mark%04d", w.asked)
		all.Go(func() {
			a := w.ask("POST", "/contacts", `{"name":"`+mark+`","job_title":"`+strings.Repeat("x", i)+`"}`)
			mu.Lock()
			defer mu.Unlock()
			if a.status != http.StatusCreated {
				refused++
				return
			}
			w.acknowledged(ack{what: "one of several at once", mark: mark, path: "/contacts/" + a.id(), version: 1, again: !first})
			first = false
		})
	}
	synctest.Wait()
	close(free)
	all.Wait()
	return refused
}

// deliver tells the webhooks, which notes what came of it.
func (w *world) deliver(t *testing.T) {
	t.Helper()
	testworld.Deliver(t, w.engine, w.tenant, func(time.Duration, webhook.Message) webhook.Receipt {
		return webhook.Receipt{Status: http.StatusOK}
	}).Now(t)
	w.acknowledged(ack{what: "the deliveries"})
}

// checked opens a database as a server does, and gives all that is wrong with it, also of what was acknowledged. Then it writes, and sends
// the last request once more. What open writes are about, which were not acknowledged, may be as before or as after them.
func checked(t *testing.T, folder, token string, acks, open []ack) (wrong []string) {
	t.Helper()
	w := &world{path: filepath.Join(folder, "kith.db"), token: token}
	if err := w.open(); err != nil {
		return []string{"it cannot be opened: " + err.Error()}
	}
	defer func() {
		if err := w.store.Close(); err != nil {
			t.Error(err)
		}
	}()
	wrong = w.check(t)
	last := map[string]ack{}
	for _, k := range acks {
		last[k.path] = k
		if k.other != "" {
			last[k.other] = ack{what: k.what, gone: true}
		}
	}
	delete(last, "")
	for _, k := range open {
		delete(last, k.path)
		delete(last, k.other)
	}
	for path, k := range last {
		a := w.ask("GET", path, "")
		version, _ := apitest.At(a.json, "version").(float64)
		if k.gone != (a.status == http.StatusNotFound) || int(version) < k.version {
			wrong = append(wrong, fmt.Sprintf("%s of %s was acknowledged: %d %s", path, k.what, a.status, a.text))
		}
	}
	if len(acks) > 0 && acks[len(acks)-1].key != "" {
		k := acks[len(acks)-1]
		if a := w.askOnce(k.method, k.target, k.body, k.key); a.header.Get("Idempotent-Replayed") == "" {
			wrong = append(wrong, fmt.Sprintf("%s was acknowledged, and is done once more: %d %s", k.what, a.status, a.text))
		}
	}
	if slices.ContainsFunc(acks, func(k ack) bool { return k.what == theBusiness }) {
		if a := w.ask("POST", "/contacts", `{"name":"Somebody new"}`); a.status != http.StatusCreated {
			wrong = append(wrong, fmt.Sprintf("it takes no write: %d %s", a.status, a.text))
		}
	}
	return wrong
}

// check does what the command does of this name.
func (w *world) check(t *testing.T) (wrong []string) {
	t.Helper()
	ctx := t.Context()
	var mu sync.Mutex
	found := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		wrong = append(wrong, what)
	}
	if err := w.store.CheckFile(ctx, found); err != nil {
		return append(wrong, err.Error())
	}
	all, err := w.store.Businesses(ctx)
	for i := 0; i < len(all) && err == nil; i++ {
		var tenant store.Tenant
		if tenant, err = w.store.Tenant(ctx, all[i].ID); err == nil {
			err = tenant.Check(ctx, store.Checking{
				Rules: record.CheckRules(), Found: func(f store.Fault) { found(fmt.Sprintf("%+v", f)) },
			})
		}
	}
	if err != nil {
		found(err.Error())
	}
	return wrong
}
