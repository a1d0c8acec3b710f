package httpapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/testworld"
)

// These tests run under the race detector, where SQLite is slow: they stay small.

const writers = 8

// race sends the same number of requests at once and gives the answers. It does without the harness's record of the conversation,
// which has an order.
func (w *world) race(t *testing.T, request func(i int) (do, ifMatch, body string)) []*answer {
	t.Helper()
	answers := make([]*answer, writers)
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range writers {
		ready.Add(1)
		done.Add(1)
		do, ifMatch, text := request(i)
		method, path, _ := strings.Cut(do, " ")
		req := testworld.Request(t, method, w.url+"/v1"+path, w.tokens["admin"], text)
		if ifMatch != "" {
			req.Header.Set("If-Match", ifMatch)
		}
		go func() {
			defer done.Done()
			ready.Done()
			<-start
			res, err := w.client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			a := &answer{status: res.StatusCode, header: res.Header}
			if a.text, err = io.ReadAll(res.Body); err == nil {
				err = json.Unmarshal(a.text, &a.json)
			}
			if err != nil {
				t.Error(err)
				return
			}
			answers[i] = a
		}()
	}
	ready.Wait()
	close(start)
	done.Wait()
	if slices.Contains(answers, nil) {
		t.FailNow()
	}
	return answers
}

func TestConcurrentWrites(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		for _, test := range []struct {
			rule string
			run  func(*testing.T, *world)
		}{
			{"of patches with the same If-Match one wins", patchesWithIfMatch},
			{"patches without If-Match all count", patchesWithoutIfMatch},
			{"of creations with the same sku one wins", creationsWithOneSKU},
			{"quotes are numbered without gaps or doubles", quoteNumbers},
			{"one default is left", oneDefault},
			{"no deal is left in a stage that is dropped", stageDropped},
			{"an action happens once", actionOnce},
		} {
			t.Run(test.rule, func(t *testing.T) { test.run(t, w) })
		}
	})
}

func patchesWithIfMatch(t *testing.T, w *world) {
	id := w.create(t, "contacts", `{"name":"Anna"}`, "")
	before := changes(t, w.tenant)
	winner := ""
	for i, a := range w.race(t, func(i int) (string, string, string) {
		return "PATCH /contacts/" + id, `"1"`, fmt.Sprintf(`{"name":"writer %d"}`, i)
	}) {
		switch a.status {
		case 200:
			if winner != "" {
				t.Errorf("both %s and writer %d won", winner, i)
			}
			winner = fmt.Sprintf("writer %d", i)
		case 412:
		default:
			t.Errorf("status %d: %s", a.status, a.text)
		}
	}
	w.check(t, step{do: "GET /contacts/" + id, status: 200, want: `{"version":2,"name":"` + winner + `"}`})
	if after := changes(t, w.tenant); after != before+1 {
		t.Errorf("the log grew by %d, want 1", after-before)
	}
}

func patchesWithoutIfMatch(t *testing.T, w *world) {
	id := w.create(t, "contacts", `{"name":"Anna"}`, "")
	fields := []string{"job_title", "lead_source", "first_name", "last_name", "email", "phone", "mobile_phone", "lead_score"}
	values := []string{`"a"`, `"b"`, `"c"`, `"d"`, `"e@x.example"`, `"6"`, `"7"`, `8`}
	want := []string{`"version":9`}
	for i := range fields {
		want = append(want, fmt.Sprintf("%q:%s", fields[i], values[i]))
	}
	for _, a := range w.race(t, func(i int) (string, string, string) {
		return "PATCH /contacts/" + id, "", fmt.Sprintf("{%q:%s}", fields[i], values[i])
	}) {
		if a.status != 200 {
			t.Errorf("status %d: %s", a.status, a.text)
		}
	}
	w.check(t, step{do: "GET /contacts/" + id, status: 200, want: "{" + strings.Join(want, ",") + "}"})
}

func creationsWithOneSKU(t *testing.T, w *world) {
	var created string
	var others []string
	for _, a := range w.race(t, func(i int) (string, string, string) {
		return "POST /products", "", fmt.Sprintf(`{"name":"p%d","sku":"ONE"}`, i)
	}) {
		switch a.status {
		case 201:
			if created != "" {
				t.Error("two products were created with one sku")
			}
			created = fmt.Sprint(at(a.json, "id"))
		case 409:
			others = append(others, fmt.Sprint(at(a.json, "existing_id")))
		default:
			t.Errorf("status %d: %s", a.status, a.text)
		}
	}
	for _, existing := range others {
		if existing != created {
			t.Errorf("409 names %s, want %s", existing, created)
		}
	}
	w.check(t, step{do: "POST /products/search", status: 200, want: `{"data":[{"id":"` + created + `"}],"meta":{"total":1}}`})
}

func quoteNumbers(t *testing.T, w *world) {
	before := changes(t, w.tenant)
	var numbers []int
	for _, a := range w.race(t, func(i int) (string, string, string) {
		// A refused quote between the others must not take a number.
		if i == 3 {
			return "POST /quotes", "", `{"deal_id":"deal_01h455vb4pex5vsknk084sn02q"}`
		}
		return "POST /quotes", "", `{"line_items":[{"name":"a","unit_price":1}]}`
	}) {
		switch a.status {
		case 201:
			numbers = append(numbers, int(at(a.json, "number").(float64)))
		case 422:
		default:
			t.Errorf("status %d: %s", a.status, a.text)
		}
	}
	slices.Sort(numbers)
	if want := []int{1, 2, 3, 4, 5, 6, 7}; !slices.Equal(numbers, want) {
		t.Errorf("the numbers are %v, want %v", numbers, want)
	}
	if after := changes(t, w.tenant); after != before+7 {
		t.Errorf("the log grew by %d, want 7", after-before)
	}
	w.check(t, step{do: "POST /quotes/search", body: `{"limit":1}`, status: 200, want: `{"meta":{"total":7}}`})
}

func stageDropped(t *testing.T, w *world) {
	for range 5 {
		pipeline := w.create(t, "pipelines", `{"name":"p","stages":[{"name":"kept"},{"name":"dropped"}]}`, "")
		answer := w.check(t, step{do: "GET /pipelines/" + pipeline, status: 200})
		stage := func(i int) string { return fmt.Sprint(at(answer.json, fmt.Sprintf("stages.%d.id", i))) }
		entered := 0
		dropped := false
		for i, a := range w.race(t, func(i int) (string, string, string) {
			if i == 0 {
				return "PATCH /pipelines/" + pipeline, "", fmt.Sprintf(`{"stages":[{"id":%q,"name":"kept"}]}`, stage(0))
			}
			return "POST /deals", "", fmt.Sprintf(`{"name":"d","stage_id":%q}`, stage(1))
		}) {
			switch {
			case i == 0 && a.status == 200:
				dropped = true
			case i == 0 && a.status == 409, i > 0 && a.status == 422:
			case i > 0 && a.status == 201:
				entered++
			default:
				t.Errorf("status %d: %s", a.status, a.text)
			}
		}
		if dropped && entered > 0 {
			t.Errorf("the stage was dropped, and %d deals are in it", entered)
		}
	}
}

func oneDefault(t *testing.T, w *world) {
	ids := make([]string, writers)
	for i := range ids {
		ids[i] = w.create(t, "lifecycle_stages", fmt.Sprintf(`{"name":"s%d"}`, i), "")
	}
	for _, a := range w.race(t, func(i int) (string, string, string) {
		return "PATCH /lifecycle_stages/" + ids[i], "", `{"is_default":true}`
	}) {
		if a.status != 200 {
			t.Errorf("status %d: %s", a.status, a.text)
		}
	}
	w.check(t, step{
		do: "POST /lifecycle_stages/search", body: `{"filters":[{"field":"is_default","operator":"eq","value":true}]}`,
		status: 200, want: `{"meta":{"total":1}}`,
	})
}

func actionOnce(t *testing.T, w *world) {
	id := w.create(t, "deals", `{"name":"Boat"}`, "")
	before := changes(t, w.tenant)
	for i, a := range w.race(t, func(i int) (string, string, string) {
		return "POST /deals/" + id + "/" + []string{"win", "lose"}[i%2], "", ""
	}) {
		if a.status != 200 && a.status != 409 {
			t.Errorf("request %d: status %d: %s", i, a.status, a.text)
		}
	}
	if after := changes(t, w.tenant); after != before+1 {
		t.Errorf("the deal was closed %d times", after-before)
	}
}
