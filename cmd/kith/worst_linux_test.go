package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kith/internal/store"
)

// What one request may cost: half a second of the server's processor time, 32 MB of memory, an answer of 8 MB and a record. Machines are noisy, and a
// garbage collector collects when it wants to, so the first two get a factor; what they keep out cost ten times as much.
const (
	mostTime   = 3 * time.Second / 2
	mostMemory = 96 << 20
	mostAnswer = store.MaxPage + 2<<20
)

// victim is a server in a process of its own, whose processor time and memory can be told.
type victim struct {
	pid    int
	url    string
	client *http.Client
}

func newVictim(t *testing.T, db string, options ...string) *victim {
	t.Helper()
	program, log := process(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--db", db, "--log-level", "info"}, options...)...)
	t.Cleanup(func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	})
	return &victim{pid: program.Process.Pid, url: log.entry(t, "serving")["address"].(string), client: &http.Client{Timeout: long}}
}

// time is the processor time that the server has used so far.
func (v *victim) time(t *testing.T) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", v.pid))
	if err != nil {
		t.Fatal(err)
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

// cost holds one request to what it may cost.
func (v *victim) cost(t *testing.T, token, rule, do, text string, statuses ...int) {
	t.Helper()
	before, began := v.memory(), v.time(t)
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
	status, size, answer, err := v.ask(t.Context(), token, do, text)
	close(stop)
	<-stopped
	took, grew := v.time(t)-began, highest-before
	if err != nil {
		t.Fatalf("%s: %v", rule, err)
	}
	allowed := false
	for _, s := range statuses {
		allowed = allowed || s == status
	}
	if !allowed {
		t.Errorf("%s: status %d, want %v: %s", rule, status, statuses, answer)
	}
	if took > mostTime || grew > mostMemory || size > mostAnswer {
		t.Errorf("%s costs %v of processor time, %d MB of memory and an answer of %d KB", rule, took, grew>>20, size>>10)
	}
	t.Logf("%-40s %3d %6v %4d MB %6d KB", rule, status, took, grew>>20, size>>10)
}

// fill gives a business what makes requests costly: notes of one letter, and deals of nearly a megabyte.
func (v *victim) fill(t *testing.T, token string) {
	t.Helper()
	create := func(path, text string) {
		if status, _, answer, err := v.ask(t.Context(), token, "POST "+path, text); err != nil || status != http.StatusCreated {
			t.Fatalf("%s: status %d, %v: %s", path, status, err, answer)
		}
	}
	for range 12 {
		create("/notes", `{"title":"Long","body":"`+strings.Repeat("a", 65_536)+`"}`)
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
		// What counts here is work, not how long a loaded machine takes for it.
		v := newVictim(t, db, "--search-timeout", "8s")
		v.fill(t, token)
		_, _, answer, err := v.ask(t.Context(), token, "POST /deals/search", `{"limit":1,"fields":["id"]}`)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(answer, `"id":"`)
		deal, _, _ := strings.Cut(rest, `"`)

		a := func(n int) string { return strings.Repeat("a", n) }
		v.cost(t, token, "a first request", "GET /me", "", 200)
		v.cost(t, token, "a part as long as a note", "POST /notes/search", `{"filters":[{"field":"body","operator":"contains","value":"`+a(32_768)+`b"}]}`, 422)
		v.cost(t, token, "a part that nearly fits everywhere", "POST /notes/search", `{"filters":[{"field":"body","operator":"contains","value":"`+a(499)+`b"}]}`, 200)
		v.cost(t, token, "one that fits at its end", "POST /notes/search", `{"filters":[{"field":"body","operator":"contains","value":"b`+a(499)+`"}]}`, 200)
		v.cost(t, token, "fifty of them", "POST /notes/search", hardest(), 200, 503)
		v.cost(t, token, "many short words", "POST /notes/search", `{"search_text":"`+strings.TrimSpace(strings.Repeat("b c d e f g h i j k ", 25))+`"}`, 200)
		v.cost(t, token, "custom fields", "PATCH /deals/"+deal, `{"custom_fields":`+keysOf(60_000, "1")+`}`, 422)
		v.cost(t, token, "permissions", "POST /roles", `{"name":"x","permissions":`+keysOf(60_000, "{}")+`}`, 422)
		v.cost(t, token, "names in fields", "POST /contacts/search", `{"fields":[`+items(250_000, func(int) string { return `"x"` })+`]}`, 413, 422)
		v.cost(t, token, "fewer names in fields", "POST /contacts/search", `{"fields":[`+items(49_000, func(int) string { return `"x"` })+`]}`, 422)
		v.cost(t, token, "unknown keys in line items", "PATCH /deals/"+deal, `{"line_items":[`+items(90, func(int) string { return keysOf(450, "1") })+`]}`, 422)
		v.cost(t, token, "empty arrays", "POST /contacts", `[`+items(340_000, func(int) string { return "[]" })+`]`, 413)
		v.cost(t, token, "keys inside keys", "POST /contacts", `{"custom_fields":`+strings.Repeat(`{"`+a(20_000)+`":`, 20)+keysOf(400, "1")+strings.Repeat("}", 21), 422)
		v.cost(t, token, "long texts to compare with", "POST /notes/search", `{"filters":[`+items(15, func(int) string { return `{"field":"body","operator":"eq","value":"` + a(65_000) + `"}` })+`]}`, 200)
		v.cost(t, token, "letters that fold into many", "POST /notes/search", `{"filters":[`+items(5, func(int) string {
			return `{"field":"body","operator":"eq","value":"` + strings.Repeat("\ufdfa", 60_000) + `"}`
		})+`]}`, 422)
		v.cost(t, token, "many short ones of them", "POST /contacts/search", `{"filters":[`+items(4, func(int) string {
			return `{"field":"name","operator":"in","values":[` + items(500, func(int) string { return `"` + strings.Repeat("\ufdfa", 40) + `"` }) + `]}`
		})+`]}`, 200, 422)
		v.cost(t, token, "letters that fold into many, written", "POST /notes", `{"title":"x","body":"`+strings.Repeat("\ufdfa", 65_000)+`"}`, 422)
		v.cost(t, token, "letters that fold into as many as may be", "POST /notes", `{"title":"x","body":"`+strings.Repeat("\ufdfa", 7_900)+`"}`, 201)
		for shape := range 30 {
			lists := items(4, func(int) string {
				return `{"field":"name","operator":"nin","values":[` + items(500-shape, quoted) + `]}`
			})
			rest := items(shape, func(int) string { return `{"field":"name","operator":"is_set"}` })
			v.cost(t, token, fmt.Sprintf("long lists, shape %d", shape), "POST /contacts/search", strings.Replace(`{"filters":[`+lists+`,`+rest+`]}`, ",]", "]", 1), 200)
		}
		v.cost(t, token, "long lists of tags", "POST /contacts/search", `{"filters":[`+items(4, func(int) string { return `{"field":"tags","operator":"nin","values":[` + items(500, quoted) + `]}` })+`]}`, 200)
		prefix := strings.Repeat("t", 240)
		v.cost(t, token, "long tags that nearly fit", "POST /contacts/search", `{"filters":[`+items(4, func(n int) string {
			return `{"field":"tags","operator":"nin","values":[` + items(500, func(i int) string { return fmt.Sprintf(`"%s%d %d"`, prefix, n, i) }) + `]}`
		})+`]}`, 200)
		for _, order := range []string{"created_at", "name", "amount", "description", "next_step", "status", "stage.name"} {
			v.cost(t, token, "large deals by "+order, "POST /deals/search", `{"limit":100,"order_by":"`+order+`"}`, 200)
		}
		v.cost(t, token, "large deals by a filter", "POST /deals/search", `{"limit":100,"filters":[{"field":"name","operator":"contains","value":"large"}],"order_by":"updated_at"}`, 200)
		_, _, answer, err = v.ask(t.Context(), token, "POST /products", `{"name":"Long","price":"1","description":"`+a(65_536)+`"}`)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ = strings.Cut(answer, `"id":"`)
		product, _, _ := strings.Cut(rest, `"`)
		v.cost(t, token, "lines that take over much", "POST /deals", `{"name":"x","line_items":[`+items(200, func(int) string { return `{"product_id":"` + product + `"}` })+`]}`, 422)
		v.cost(t, token, "large deals with a word", "POST /deals/search", `{"limit":100,"search_text":"large","order_by":"name"}`, 200)
	})
}

// While one business sends the worst in parallel, and its clients do not wait for the answers, another one is served.
func TestOneBusinessDoesNotStopAnother(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		_, greedy := newBusiness(t, db)
		made := object(t, "business_id user_id token", "business", "create", "--db", db, "--name", "Other", "--admin-email", "olga@other.example", "--admin-password", "correct horse")
		v := newVictim(t, db)
		v.fill(t, greedy)
		ctx, stop := context.WithCancel(t.Context())
		var attack sync.WaitGroup
		for range 8 {
			attack.Go(func() {
				for ctx.Err() == nil {
					brief, leave := context.WithTimeout(ctx, 300*time.Millisecond)
					_, _, _, _ = v.ask(brief, greedy, "POST /notes/search", hardest())
					leave()
				}
			})
		}
		for range 5 {
			for do, text := range map[string]string{"GET /me": "", "POST /contacts/search": `{"search_text":"ida"}`, "POST /notes": `{"title":"Here"}`} {
				begin := time.Now()
				status, _, answer, err := v.ask(t.Context(), made["token"], do, text)
				if err != nil || status >= 300 {
					t.Errorf("%s beside the attack: status %d, %v: %s", do, status, err, answer)
				}
				if took := time.Since(begin); took > 10*time.Second {
					t.Errorf("%s beside the attack took %v", do, took)
				}
			}
		}
		stop()
		attack.Wait()
	})
}
