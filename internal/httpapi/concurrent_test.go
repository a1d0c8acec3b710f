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

	. "github.com/kith-crm/kith/internal/apitest"
)

// These tests run under the race detector, where SQLite is slow: they stay small.

const writers = 8

// race sends the same number of requests at once and gives the answers. It does without the harness's record of the conversation,
// which has an order.
func race(w *World, t *testing.T, request func(i int) (do, ifMatch, body string)) []*Answer {
	t.Helper()
	answers := make([]*Answer, writers)
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range writers {
		ready.Add(1)
		done.Add(1)
		do, ifMatch, text := request(i)
		method, path, _ := strings.Cut(do, " ")
		req := testworld.Request(t, method, w.URL+"/v1"+path, w.Tokens["admin"], text)
		if ifMatch != "" {
			req.Header.Set("If-Match", ifMatch)
		}
		go func() {
			defer done.Done()
			ready.Done()
			<-start
			res, err := w.Client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			a := &Answer{Status: res.StatusCode, Header: res.Header}
			if a.Text, err = io.ReadAll(res.Body); err == nil {
				err = json.Unmarshal(a.Text, &a.JSON)
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
	OnEach(t, func(t *testing.T, w *World) {
		for _, test := range []struct {
			rule string
			run  func(*testing.T, *World)
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

func patchesWithIfMatch(t *testing.T, w *World) {
	id := w.Create(t, "contacts", `{"name":"Anna"}`, "")
	before := Changes(t, w.Tenant)
	winner := ""
	for i, a := range race(w, t, func(i int) (string, string, string) {
		return "PATCH /contacts/" + id, `"1"`, fmt.Sprintf(`{"name":"writer %d"}`, i)
	}) {
		switch a.Status {
		case 200:
			if winner != "" {
				t.Errorf("both %s and writer %d won", winner, i)
			}
			winner = fmt.Sprintf("writer %d", i)
		case 412:
		default:
			t.Errorf("status %d: %s", a.Status, a.Text)
		}
	}
	w.Check(t, Step{Do: "GET /contacts/" + id, Status: 200, Want: `{"version":2,"name":"` + winner + `"}`})
	if after := Changes(t, w.Tenant); after != before+1 {
		t.Errorf("the log grew by %d, want 1", after-before)
	}
}

func patchesWithoutIfMatch(t *testing.T, w *World) {
	id := w.Create(t, "contacts", `{"name":"Anna"}`, "")
	fields := []string{"job_title", "lead_source", "first_name", "last_name", "email", "phone", "mobile_phone", "lead_score"}
	values := []string{`"a"`, `"b"`, `"c"`, `"d"`, `"e@x.example"`, `"6"`, `"7"`, `8`}
	want := []string{`"version":9`}
	for i := range fields {
		want = append(want, fmt.Sprintf("%q:%s", fields[i], values[i]))
	}
	for _, a := range race(w, t, func(i int) (string, string, string) {
		return "PATCH /contacts/" + id, "", fmt.Sprintf("{%q:%s}", fields[i], values[i])
	}) {
		if a.Status != 200 {
			t.Errorf("status %d: %s", a.Status, a.Text)
		}
	}
	w.Check(t, Step{Do: "GET /contacts/" + id, Status: 200, Want: "{" + strings.Join(want, ",") + "}"})
}

func creationsWithOneSKU(t *testing.T, w *World) {
	var created string
	var others []string
	for _, a := range race(w, t, func(i int) (string, string, string) {
		return "POST /products", "", fmt.Sprintf(`{"name":"p%d","sku":"ONE"}`, i)
	}) {
		switch a.Status {
		case 201:
			if created != "" {
				t.Error("two products were created with one sku")
			}
			created = fmt.Sprint(At(a.JSON, "id"))
		case 409:
			others = append(others, fmt.Sprint(At(a.JSON, "existing_id")))
		default:
			t.Errorf("status %d: %s", a.Status, a.Text)
		}
	}
	for _, existing := range others {
		if existing != created {
			t.Errorf("409 names %s, want %s", existing, created)
		}
	}
	w.Check(t, Step{Do: "POST /products/search", Status: 200, Want: `{"data":[{"id":"` + created + `"}],"meta":{"total":1}}`})
}

func quoteNumbers(t *testing.T, w *World) {
	before := Changes(t, w.Tenant)
	var numbers []int
	for _, a := range race(w, t, func(i int) (string, string, string) {
		// A refused quote between the others must not take a number.
		if i == 3 {
			return "POST /quotes", "", `{"deal_id":"deal_01h455vb4pex5vsknk084sn02q"}`
		}
		return "POST /quotes", "", `{"line_items":[{"name":"a","unit_price":1}]}`
	}) {
		switch a.Status {
		case 201:
			numbers = append(numbers, int(At(a.JSON, "number").(float64)))
		case 422:
		default:
			t.Errorf("status %d: %s", a.Status, a.Text)
		}
	}
	slices.Sort(numbers)
	if want := []int{1, 2, 3, 4, 5, 6, 7}; !slices.Equal(numbers, want) {
		t.Errorf("the numbers are %v, want %v", numbers, want)
	}
	if after := Changes(t, w.Tenant); after != before+7 {
		t.Errorf("the log grew by %d, want 7", after-before)
	}
	w.Check(t, Step{Do: "POST /quotes/search", Body: `{"limit":1}`, Status: 200, Want: `{"meta":{"total":7}}`})
}

func stageDropped(t *testing.T, w *World) {
	for range 5 {
		pipeline := w.Create(t, "pipelines", `{"name":"p","stages":[{"name":"kept"},{"name":"dropped"}]}`, "")
		answer := w.Check(t, Step{Do: "GET /pipelines/" + pipeline, Status: 200})
		stage := func(i int) string { return fmt.Sprint(At(answer.JSON, fmt.Sprintf("stages.%d.id", i))) }
		entered := 0
		dropped := false
		for i, a := range race(w, t, func(i int) (string, string, string) {
			if i == 0 {
				return "PATCH /pipelines/" + pipeline, "", fmt.Sprintf(`{"stages":[{"id":%q,"name":"kept"}]}`, stage(0))
			}
			return "POST /deals", "", fmt.Sprintf(`{"name":"d","stage_id":%q}`, stage(1))
		}) {
			switch {
			case i == 0 && a.Status == 200:
				dropped = true
			case i == 0 && a.Status == 409, i > 0 && a.Status == 422:
			case i > 0 && a.Status == 201:
				entered++
			default:
				t.Errorf("status %d: %s", a.Status, a.Text)
			}
		}
		if dropped && entered > 0 {
			t.Errorf("the stage was dropped, and %d deals are in it", entered)
		}
	}
}

func oneDefault(t *testing.T, w *World) {
	ids := make([]string, writers)
	for i := range ids {
		ids[i] = w.Create(t, "lifecycle_stages", fmt.Sprintf(`{"name":"s%d"}`, i), "")
	}
	for _, a := range race(w, t, func(i int) (string, string, string) {
		return "PATCH /lifecycle_stages/" + ids[i], "", `{"is_default":true}`
	}) {
		if a.Status != 200 {
			t.Errorf("status %d: %s", a.Status, a.Text)
		}
	}
	w.Check(t, Step{
		Do: "POST /lifecycle_stages/search", Body: `{"filters":[{"field":"is_default","operator":"eq","value":true}]}`,
		Status: 200, Want: `{"meta":{"total":1}}`,
	})
}

func actionOnce(t *testing.T, w *World) {
	id := w.Create(t, "deals", `{"name":"Boat"}`, "")
	before := Changes(t, w.Tenant)
	for i, a := range race(w, t, func(i int) (string, string, string) {
		return "POST /deals/" + id + "/" + []string{"win", "lose"}[i%2], "", ""
	}) {
		if a.Status != 200 && a.Status != 409 {
			t.Errorf("request %d: status %d: %s", i, a.Status, a.Text)
		}
	}
	if after := Changes(t, w.Tenant); after != before+1 {
		t.Errorf("the deal was closed %d times", after-before)
	}
}
