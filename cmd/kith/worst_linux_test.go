package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/search"
)

// What one request may cost: about half a second of processor time, the database's included, 32 MB of memory, an answer of 8 MB and
// a record. PostgreSQL's work is looked at every 50 ms, so what has to be stopped is stopped a look or two behind the half second.
// The time is that of a machine which does the fixed work of slowness in usualTime: the same work takes twice as much processor time
// where other programs share a core and its caches.
// Memory is that of the process, which Go takes from the system in pieces of 4 MB, so one piece more may be seen than is used.
const (
	mostTime   = 600 * time.Millisecond
	usualTime  = 90 * time.Millisecond
	mostMemory = 32<<20 + 4<<20
	mostAnswer = search.MaxPage + 2<<20
)

// rusageThread asks getrusage for the calling thread; the package syscall has no name for it.
const rusageThread = 1

// victim is a server in a process of its own, whose processor time and memory can be told.
type victim struct {
	program *exec.Cmd
	pid     int
	url     string
	client  *http.Client
	// db is where the server has its records. On PostgreSQL other processes work for it, too.
	db  string
	log *logged
}

func newVictim(t *testing.T, db string, options ...string) *victim {
	t.Helper()
	program, log := process(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--db", db, "--log-level", "info"}, options...)...)
	t.Cleanup(func() {
		_ = program.Process.Kill()
		_ = program.Wait()
		if t.Failed() { // what the server says of its own faults
			for line := range strings.Lines(log.String()) {
				if strings.Contains(line, `"level":"ERROR"`) {
					t.Log(line)
				}
			}
		}
	})
	return &victim{
		program: program, pid: program.Process.Pid, url: log.entry(t, "serving")["address"].(string),
		client: &http.Client{Timeout: long}, db: db, log: log,
	}
}

// time is the processor time that the server and its database have used so far.
func (v *victim) time(t *testing.T) time.Duration {
	t.Helper()
	sum := processTime(t, v.pid)
	if strings.HasPrefix(v.db, "sqlite:") {
		return sum
	}
	conn, err := pgx.Connect(t.Context(), v.db)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client "+
		"backend' AND pid <> pg_backend_pid()")
	if err != nil {
		t.Fatal(err)
	}
	backends, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range backends {
		sum += processTime(t, pid)
	}
	return sum
}

func processTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Logf("a process on another machine, or one that has ended: %v", err)
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond // the kernel counts in hundredths of a second
}

// memory is what the server has of its own, without the pages of the database file that it maps.
func (v *victim) memory() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", v.pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(value)[0])
			return kb << 10
		}
	}
	return 0
}

func (v *victim) ask(ctx context.Context, token, do, text string) (status, size int, answer string, err error) {
	method, path, _ := strings.Cut(do, " ")
	req, err := http.NewRequestWithContext(ctx, method, v.url+"/v1"+path, strings.NewReader(text))
	if err != nil {
		return 0, 0, "", err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Version", "v1")
	if text != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := v.client.Do(req)
	if err != nil {
		return 0, 0, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res.StatusCode, len(body), string(body[:min(len(body), 500)]), err
}

// slowness is how much more processor time than usual a fixed piece of work takes at this moment, at least 1.
func slowness(t *testing.T) float64 {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		var usage syscall.Rusage
		if err := syscall.Getrusage(rusageThread, &usage); err != nil {
			t.Fatal(err)
		}
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	began := used()
	texts := make([]string, 300_000)
	for i := range texts {
		texts[i] = strconv.Itoa(i * 7919 % len(texts))
	}
	slices.Sort(texts)
	return max(1, float64(used()-began)/float64(usualTime))
}

// cost holds one request to what it may cost. Where other work crowds the machine, even processor time varies: a request has three
// tries to keep to its time, and one to keep to its memory.
func (v *victim) cost(t *testing.T, token, rule, do, text string, statuses ...int) {
	t.Helper()
	for try := 1; ; try++ {
		began := v.time(t)
		var status, size int
		var answer string
		var err error
		grew := v.growth(func() { status, size, answer, err = v.ask(t.Context(), token, do, text) })
		took := v.time(t) - began
		if err != nil {
			t.Fatalf("%s: %v", rule, err)
		}
		t.Logf("%-40s %3d %6v %4d MB %6d KB", rule, status, took, grew>>20, size>>10)
		allowed := slices.Contains(statuses, status)
		if took > mostTime {
			slow := slowness(t)
			t.Logf("%-40s the machine takes %.1f times as long as usual", rule, slow)
			took = time.Duration(float64(took) / slow)
		}
		if (took > mostTime || !allowed) && try < 3 && grew <= mostMemory && size <= mostAnswer {
			continue
		}
		if !allowed {
			t.Errorf("%s: status %d, want %v: %s", rule, status, statuses, answer)
		}
		if took > mostTime || grew > mostMemory || size > mostAnswer {
			t.Errorf("%s costs %v of processor time, %d MB of memory and an answer of %d KB", rule, took, grew>>20, size>>10)
		}
		return
	}
}

// growth is how much more memory the server has while something is done.
func (v *victim) growth(do func()) int {
	before := v.memory()
	highest, stop, stopped := before, make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			highest = max(highest, v.memory())
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	do()
	close(stop)
	<-stopped
	return highest - before
}

// export fetches a file, which may be long and take its time, but not the server's memory.
func (v *victim) export(t *testing.T, token, do, text string) {
	t.Helper()
	grew := v.growth(func() {
		if status, size, answer, err := v.ask(t.Context(), token, do, text); err != nil || status != http.StatusOK || size == 0 {
			t.Errorf("%s %s: status %d, %d bytes, %v: %q", do, text, status, size, err, answer)
		}
	})
	t.Logf("%-40s %d MB", do+" "+text, grew>>20)
	if grew > mostMemory {
		t.Errorf("%s %s costs %d MB of memory", do, text, grew>>20)
	}
}

// fill gives a business what makes requests costly: notes of one letter, and deals of nearly a megabyte.
func (v *victim) fill(t *testing.T, token string) {
	t.Helper()
	create := func(path, text string) {
		status, _, answer, err := v.ask(t.Context(), token, "POST "+path, text)
		for try := 1; status == http.StatusServiceUnavailable && try < 10; try++ { // the machine is crowded
			status, _, answer, err = v.ask(t.Context(), token, "POST "+path, text)
		}
		if err != nil || status != http.StatusCreated {
			t.Fatalf("%s: status %d, %v: %s", path, status, err, answer)
		}
	}
	for range 40 {
		// The end has all the letters in a row that the parts have, so that no index spares reading the rest.
		create("/notes", `{"title":"Long","body":"`+strings.Repeat("a", 65_500)+`baaabaaab"}`)
	}
	line := `{"name":"x","unit_price":"1","description":"` + strings.Repeat(`d`, 4_600) + `"}`
	for range 100 {
		create("/deals", `{"name":"Large","line_items":[`+strings.TrimSuffix(strings.Repeat(line+",", 200), ",")+`]}`)
	}
	for i := range 50 {
		tags := items(100, func(n int) string { return fmt.Sprintf(`"%s%d"`, strings.Repeat("t", 240), n) })
		create("/contacts", fmt.Sprintf(`{"first_name":"Ida %d","tags":[%s]}`, i, tags))
	}
}

func items(n int, item func(i int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = item(i)
	}
	return strings.Join(all, ",")
}

func keysOf(n int, value string) string {
	return "{" + items(n, func(i int) string { return fmt.Sprintf(`"key%d":%s`, i, value) }) + "}"
}

func quoted(i int) string { return fmt.Sprintf(`"value %d"`, i) }

// deals gives the ids of a page of deals.
func (v *victim) deals(t *testing.T, token string) (ids []string) {
	t.Helper()
	var page struct{ Data []struct{ ID string } }
	if err := json.Unmarshal(v.read(t, token, "/deals/search", `{"limit":99,"fields":["id"]}`), &page); err != nil {
		t.Fatal(err)
	}
	for _, d := range page.Data {
		ids = append(ids, d.ID)
	}
	return ids
}

// hardest is the search that takes the longest of those that are allowed, as far as anyone knows.
func hardest() string {
	return `{"filters":[` + items(50, func(i int) string {
		return fmt.Sprintf(`{"field":"body","operator":"contains","value":"%s"}`, strings.Repeat("a", 440+i)+"b"+strings.Repeat("a", 9))
	}) + `]}`
}

// The worst requests that are known, one after the other. Each was found by attack, or is a relative of one that was.
func TestNoRequestCostsTheOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		_, token := newBusiness(t, db)
		// What is garbage is collected soon, so that memory tells what a request needs, and not when the collector ran.
		t.Setenv("GOGC", "20")
		v := newVictim(t, db)
		v.fill(t, token)
		_, _, answer, err := v.ask(t.Context(), token, "POST /deals/search", `{"limit":1,"fields":["id"]}`)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(answer, `"id":"`)
		deal, _, _ := strings.Cut(rest, `"`)

		a := func(n int) string { return strings.Repeat("a", n) }
		v.cost(t, token, "a first request", "GET /me", "", 200)
		v.cost(t, token, "a part as long as a note", "POST /notes/search",
			`{"filters":[{"field":"body","operator":"contains","value":"`+a(32_768)+`b"}]}`, 422)
		v.cost(t, token, "a part that nearly fits everywhere", "POST /notes/search",
			`{"filters":[{"field":"body","operator":"contains","value":"`+a(499)+`b"}]}`, 200)
		v.cost(t, token, "one that fits at its end", "POST /notes/search",
			`{"filters":[{"field":"body","operator":"contains","value":"b`+a(499)+`"}]}`, 200)
		v.cost(t, token, "fifty of them", "POST /notes/search", hardest(), 200, 503)
		v.cost(t, token, "many short words", "POST /notes/search",
			`{"search_text":"`+strings.TrimSpace(strings.Repeat("b c d e f g h i j k ", 25))+`"}`, 200)
		v.cost(t, token, "custom fields", "PATCH /deals/"+deal, `{"custom_fields":`+keysOf(60_000, "1")+`}`, 422)
		v.cost(t, token, "permissions", "POST /roles", `{"name":"x","permissions":`+keysOf(60_000, "{}")+`}`, 422)
		v.cost(t, token, "names in fields", "POST /contacts/search", `{"fields":[`+items(250_000, func(int) string { return `"x"` })+`]}`,
			413, 422)
		v.cost(t, token, "fewer names in fields", "POST /contacts/search",
			`{"fields":[`+items(49_000, func(int) string { return `"x"` })+`]}`, 422)
		v.cost(t, token, "unknown keys in line items", "PATCH /deals/"+deal,
			`{"line_items":[`+items(90, func(int) string { return keysOf(450, "1") })+`]}`, 422)
		v.cost(t, token, "empty arrays", "POST /contacts", `[`+items(340_000, func(int) string { return "[]" })+`]`, 413)
		v.cost(t, token, "keys inside keys", "POST /contacts",
			`{"custom_fields":`+strings.Repeat(`{"`+a(20_000)+`":`, 20)+keysOf(400, "1")+strings.Repeat("}", 21), 422)
		v.cost(t, token, "long texts to compare with", "POST /notes/search",
			`{"filters":[`+items(15, func(int) string { return `{"field":"body","operator":"eq","value":"` + a(65_000) + `"}` })+`]}`, 200)
		v.cost(t, token, "letters that fold into many", "POST /notes/search", `{"filters":[`+items(5, func(int) string {
			return `{"field":"body","operator":"eq","value":"` + strings.Repeat("\ufdfa", 60_000) + `"}`
		})+`]}`, 422)
		v.cost(t, token, "many short ones of them", "POST /contacts/search", `{"filters":[`+items(4, func(int) string {
			return `{"field":"name","operator":"in","values":[` + items(500,
				func(int) string { return `"` + strings.Repeat("\ufdfa", 40) + `"` }) + `]}`
		})+`]}`, 200, 422)
		v.cost(t, token, "letters that fold into many, written", "POST /notes",
			`{"title":"x","body":"`+strings.Repeat("\ufdfa", 65_000)+`"}`, 422)
		v.cost(t, token, "letters that fold into as many as may be", "POST /notes",
			`{"title":"x","body":"`+strings.Repeat("\ufdfa", 7_900)+`"}`, 201)
		for shape := range 30 {
			lists := items(4, func(int) string {
				return `{"field":"name","operator":"nin","values":[` + items(500-shape, quoted) + `]}`
			})
			rest := items(shape, func(int) string { return `{"field":"name","operator":"is_set"}` })
			v.cost(t, token, fmt.Sprintf("long lists, shape %d", shape), "POST /contacts/search",
				strings.Replace(`{"filters":[`+lists+`,`+rest+`]}`, ",]", "]", 1), 200)
		}
		v.cost(t, token, "long lists of tags", "POST /contacts/search",
			`{"filters":[`+items(4, func(int) string {
				return `{"field":"tags","operator":"nin","values":[` + items(500,
					quoted) + `]}`
			})+`]}`, 200)
		prefix := strings.Repeat("t", 240)
		v.cost(t, token, "long tags that nearly fit", "POST /contacts/search", `{"filters":[`+items(4, func(n int) string {
			return `{"field":"tags","operator":"nin","values":[` + items(500,
				func(i int) string { return fmt.Sprintf(`"%s%d %d"`, prefix, n, i) }) + `]}`
		})+`]}`, 200)
		for _, order := range []string{"created_at", "name", "amount", "description", "next_step", "status", "stage.name"} {
			v.cost(t, token, "large deals by "+order, "POST /deals/search", `{"limit":100,"order_by":"`+order+`"}`, 200)
		}
		v.cost(t, token, "large deals by a filter", "POST /deals/search",
			`{"limit":100,"filters":[{"field":"name","operator":"contains","value":"large"}],"order_by":"updated_at"}`, 200)
		_, _, answer, err = v.ask(t.Context(), token, "POST /products", `{"name":"Long","price":"1","description":"`+a(65_536)+`"}`)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ = strings.Cut(answer, `"id":"`)
		product, _, _ := strings.Cut(rest, `"`)
		v.cost(t, token, "lines that take over much", "POST /deals",
			`{"name":"x","line_items":[`+items(200, func(int) string { return `{"product_id":"` + product + `"}` })+`]}`, 422)
		ids := v.deals(t, token)
		each := func(format string) string {
			return items(len(ids), func(i int) string { return fmt.Sprintf(format, ids[i]) })
		}
		v.cost(t, token, "a batch that changes a hundred large deals", "POST /deals/batch",
			`{"operations":[`+each(`{"op":"update","id":"%s","data":{"next_step":"call"}}`)+`]}`, 200, 503)
		emptied := `"operations":[` + each(`{"op":"update","id":"%s","data":{"line_items":[]}}`)
		v.cost(t, token, "one that empties them, rehearsed", "POST /deals/batch?dry_run=true", `{`+emptied+`]}`, 200, 503)
		v.cost(t, token, "one that fails in the end", "POST /deals/batch",
			`{"atomic":true,`+emptied+`,{"op":"delete","id":"`+deal+`","if_match":99}]}`, 412, 413, 503)
		v.cost(t, token, "a batch of a hundred creations", "POST /contacts/batch", `{"operations":[`+items(100, func(i int) string {
			return fmt.Sprintf(`{"op":"create","data":{"name":"Ida %d","tags":[%s]}}`, i,
				items(30, func(n int) string { return fmt.Sprintf(`"%s%d"`, strings.Repeat("u", 200), n) }))
		})+`]}`, 200, 503)
		v.cost(t, token, "a batch of wrong operations", "POST /contacts/batch",
			`{"operations":[`+items(100, func(int) string { return keysOf(400, "1") })+`]}`, 422)
		v.cost(t, token, "a change of all large deals, rehearsed", "POST /deals/bulk?dry_run=true",
			`{"filters":[],"op":"update","data":{"line_items":[]}}`, 200, 503)
		v.cost(t, token, "an undo of what nobody did", "POST /undo",
			`{"request_id":"`+schema.FormatID("req", schema.NewID(time.Now()))+`"}`, 404)
		v.cost(t, token, "an undo of a hundred large deals, rehearsed", "POST /undo?dry_run=true",
			`{"request_id":"`+v.lastRequest(t, token)+`"}`, 200, 503)
		for _, format := range query.Formats {
			v.export(t, token, "POST /deals/export", `{"format":"`+format+`"}`)
		}
		v.cost(t, token, "the history of a large deal", "POST /deals/"+deal+"/history/search", `{"limit":100}`, 200)
		v.cost(t, token, "the changes of large deals", "POST /changes/search", `{"limit":100,"resources":["deal"]}`, 200)
		v.cost(t, token, "the changes of everything", "POST /changes/search", `{"limit":100}`, 200)
		v.cost(t, token, "the timeline of a large deal", "POST /deals/"+deal+"/timeline/search", `{"limit":100}`, 200)
		for _, groups := range []string{`[]`, `["name"]`, `["name","created_at:day"]`, `["stage.name","owner.name"]`} {
			v.cost(t, token, "figures of large deals by "+groups, "POST /deals/aggregate",
				`{"group_by":`+groups+`,"metrics":["count","sum:amount","avg:amount","min:amount","max:amount"]}`, 200, 422)
		}
		v.cost(t, token, "figures of texts that nearly fit", "POST /notes/aggregate",
			`{"metrics":["count"],"filters":[{"field":"body","operator":"contains","value":"`+a(499)+`b"}]}`, 200)
		v.cost(t, token, "long words everywhere", "POST /search", `{"search_text":"`+strings.TrimSpace(strings.Repeat("aaab ", 90))+`"}`,
			200, 404)
		contact := v.manyNotes(t, token)
		v.cost(t, token, "an erasure with much that goes along", "POST /contacts/"+contact+"/erase?dry_run=true", `{"reason":"x"}`, 204)
		if status, _, answer, err := v.ask(t.Context(), token, "POST /contacts/"+contact+"/erase", `{"reason":"x"}`); err != nil ||
			status != http.StatusNoContent {
			t.Errorf("an erasure: status %d, %v: %s", status, err, answer)
		}
		v.cost(t, token, "a request while it is worked off", "GET /me", "", 200)
		v.cost(t, token, "the schema", "GET /schema", "", 200)
		v.cost(t, token, "the OpenAPI document", "GET /openapi.json", "", 200)
		v.worstFields(t, token)
		v.cost(t, token, "large deals with a word", "POST /deals/search", `{"limit":100,"search_text":"large","order_by":"name"}`, 200)
	})
}

// lastRequest is the id of the request that last changed a large deal.
func (v *victim) lastRequest(t *testing.T, token string) string {
	t.Helper()
	deals := v.deals(t, token)
	_, _, answer, err := v.ask(t.Context(), token, "POST /deals/"+deals[len(deals)-1]+"/history/search", `{"limit":1}`)
	_, rest, _ := strings.Cut(answer, `"request_id":"`)
	id, _, there := strings.Cut(rest, `"`)
	if err != nil || !there {
		t.Fatalf("%v: %s", err, answer)
	}
	return id
}

// manyNotes makes a contact with many long notes, and gives its id.
func (v *victim) manyNotes(t *testing.T, token string) string {
	t.Helper()
	_, _, answer, err := v.ask(t.Context(), token, "POST /contacts", `{"name":"Noted"}`)
	_, rest, _ := strings.Cut(answer, `"id":"`)
	contact, _, _ := strings.Cut(rest, `"`)
	for batch := 0; batch < 10 && err == nil; batch++ {
		_, _, _, err = v.ask(t.Context(), token, "POST /notes/batch", `{"operations":[`+items(15, func(int) string {
			return `{"op":"create","data":{"body":"` + strings.Repeat("long ", 13_000) + `","contact_id":"` + contact + `"}}`
		})+`]}`)
	}
	if err != nil || contact == "" {
		t.Fatalf("%v: %s", err, answer)
	}
	return contact
}

// worstFields asks the most of custom fields: all that can be indexed are, and every company has a value in each.
func (v *victim) worstFields(t *testing.T, token string) {
	t.Helper()
	options := func(n int) string { return items(n, func(i int) string { return fmt.Sprintf(`{"value":"o%d"}`, i) }) }
	fields := items(18, func(i int) string {
		return fmt.Sprintf(`{"op":"create","data":{"resource":"company","name":"f%d","kind":"text","indexed":true}}`, i)
	})
	v.cost(t, token, "fields with an index", "POST /fields/batch", `{"operations":[`+fields+`,
		{"op":"create","data":{"resource":"company","name":"many","kind":"multi_select","indexed":true,"options":[`+options(100)+`]}},
		{"op":"create","data":{"resource":"company","name":"one","kind":"select","indexed":true,"options":[`+options(200)+`]}}]}`, 200)
	values := `"many":[` + items(100, func(i int) string { return fmt.Sprintf(`"o%d"`, i) }) + `],` + items(18,
		func(i int) string { return fmt.Sprintf(`"f%d":"%s"`, i, strings.Repeat("x", 200)) })
	made := func(n int) string {
		return `{"operations":[` + items(n, func(i int) string {
			return fmt.Sprintf(`{"op":"create","data":{"name":"Company %d","custom_fields":{%s}}}`, i, values)
		}) + `]}`
	}
	v.cost(t, token, "a batch of indexed values", "POST /companies/batch", made(100), 200, 503)
	// A busy machine may have had no time for all at once.
	status, _, answer, err := v.ask(t.Context(), token, "POST /companies/batch", made(5))
	if err != nil || status != http.StatusOK {
		t.Fatalf("a smaller batch of them: status %d, %v: %s", status, err, answer)
	}
	conditions := items(25, func(i int) string {
		return fmt.Sprintf(`{"field":"custom_fields.many","operator":"in","values":[%s]}`,
			items(40, func(n int) string { return fmt.Sprintf(`"o%d"`, (i+n)%100) }))
	})
	v.cost(t, token, "filters by lists", "POST /companies/search", `{"filters":[`+conditions+`]}`, 200)
	for _, direction := range []string{"asc", "desc"} {
		v.cost(t, token, "a choice without values, "+direction, "POST /companies/search",
			`{"order_by":"custom_fields.one","sort_direction":"`+direction+`"}`, 200)
	}
	var page struct{ Data []struct{ ID string } }
	if err := json.Unmarshal(v.read(t, token, "/companies/search", `{"limit":100,"fields":["id"],"search_text":"company"}`),
		&page); err != nil {
		t.Fatal(err)
	}
	v.cost(t, token, "a batch that empties indexed values", "POST /companies/batch",
		`{"operations":[`+items(len(page.Data), func(i int) string {
			return fmt.Sprintf(`{"op":"update","id":"%s","data":{"custom_fields":null}}`, page.Data[i].ID)
		})+`]}`, 200, 503)
}

// slowest is a search that reads all notes of stalling to their end, fifty times, before it has found them.
func slowest() string {
	return `{"fields":["id"],"filters":[` + items(50, func(i int) string {
		return fmt.Sprintf(`{"field":"body","operator":"contains","value":"%sb"}`, strings.Repeat("a", 440+i))
	}) + `]}`
}

// stalling gives a business the notes of which slowest takes long.
func (v *victim) stalling(t *testing.T, token string) {
	t.Helper()
	for range 80 {
		status, _, answer, err := v.ask(t.Context(), token, "POST /notes", `{"title":"Long","body":"`+strings.Repeat("a", 65_000)+`b"}`)
		if err != nil || status != http.StatusCreated {
			t.Fatalf("status %d, %v: %s", status, err, answer)
		}
	}
}

// While one business sends the worst in parallel, and many of its clients wait for their turn while others do not even wait for the
// answers, another one is served before nearly all of those who came first.
func TestOneBusinessDoesNotStopAnother(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		_, greedy := newBusiness(t, db)
		made := object(t, "business_id user_id token", "business", "create", "--db", db, "--name", "Other", "--admin-email",
			"olga@other.example", "--admin-password", "correct horse")
		v := newVictim(t, db)
		v.stalling(t, greedy)
		ctx, stop := context.WithCancel(t.Context())
		var attack sync.WaitGroup
		attack.Go(func() {
			for ctx.Err() == nil {
				brief, leave := context.WithTimeout(ctx, 300*time.Millisecond)
				_, _, _, _ = v.ask(brief, greedy, "POST /notes/search", slowest())
				leave()
			}
		})
		// Without turns each request of the other business would wait for all of these, which are more than PostgreSQL runs at once.
		const waiting, most = 40, 20
		var searched atomic.Int64
		begun := make(chan bool, waiting)
		for range waiting {
			attack.Go(func() {
				begun <- true
				for ctx.Err() == nil {
					if _, _, answer, err := v.ask(ctx, greedy, "POST /notes/search", slowest()); err == nil &&
						!strings.Contains(answer, "to get its turn") {
						searched.Add(1)
					}
				}
			})
		}
		for range waiting {
			<-begun
		}
		for begin := time.Now(); searched.Load() == 0 && time.Since(begin) < long; {
			time.Sleep(10 * time.Millisecond)
		}
		for round := 0; round < 5 && !t.Failed(); round++ {
			for do, text := range map[string]string{
				"GET /me": "", "POST /contacts/search": `{"search_text":"ida"}`,
				"POST /notes": `{"title":"Here"}`,
			} {
				before, begin := searched.Load(), time.Now()
				status, _, answer, err := v.ask(t.Context(), made["token"], do, text)
				if err != nil || status >= 300 {
					t.Errorf("%s beside the attack: status %d, %v: %s", do, status, err, answer)
				}
				if first := searched.Load() - before; first > most {
					t.Errorf("%s was answered after %d searches of the other business, in %v", do, first, time.Since(begin))
				}
			}
		}
		if searched.Load() == 0 {
			t.Error("there was no attack")
		}
		stop()
		attack.Wait()
	})
}
