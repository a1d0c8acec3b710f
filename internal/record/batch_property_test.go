package record_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/testworld"

	. "github.com/kith-crm/kith/internal/apitest"
)

// A batch is the same as its operations one by one: the same results, the same records in the end, and the same log. Only what
// tells the time differs, and that all of a batch were changed at the same one.
func TestBatchIsItsOperationsOneByOne(t *testing.T) {
	for _, engine := range testworld.Engines {
		t.Run(engine, func(t *testing.T) {
			single, many := NewWorld(t, DatabaseURL(t, engine), httpapi.Options{}), NewWorld(t, DatabaseURL(t, engine), httpapi.Options{})
			random := rand.New(rand.NewPCG(7, 11))
			worlds := []*World{single, many}
			var known [2][]string // the ids of the records that were made, in both worlds
			for round := range 25 {
				operations := make([]map[string]any, 1+random.IntN(12))
				// What an operation is about: a record by its number, or -1.
				about := make([]int, len(operations))
				for i := range operations {
					operations[i], about[i] = randomOperation(random, len(known[0]))
				}
				var results [2][]any
				for at := range operations { // one by one
					if about[at] >= 0 {
						operations[at]["id"] = known[0][about[at]]
					}
					results[0] = append(results[0], alone(t, single, operations[at]))
				}
				for at := range operations {
					if about[at] >= 0 {
						operations[at]["id"] = known[1][about[at]]
					}
				}
				text, err := json.Marshal(map[string]any{"operations": operations})
				if err != nil {
					t.Fatal(err)
				}
				a := many.Send(t, Step{Do: "POST /contacts/batch", Body: string(text)})
				if a.Status != http.StatusOK {
					t.Fatalf("status %d: %s", a.Status, a.Text)
				}
				results[1], _ = At(a.JSON, "data").([]any)
				for i := range operations {
					for w := range worlds {
						if id, made := At(results[w][i], "record.id").(string); made && fmt.Sprint(At(results[w][i], "status")) == "201" {
							known[w] = append(known[w], id)
						}
					}
					left, right := timeless(results[0][i], known[0]), timeless(results[1][i], known[1])
					if !reflect.DeepEqual(left, right) {
						t.Fatalf("round %d, operation %d %v:\nalone    %v\nin batch %v", round, i, operations[i], left, right)
					}
				}
			}
			var states [2][]any
			for w, world := range worlds {
				for _, do := range []string{"POST /contacts/search", "POST /contacts/deleted/search"} {
					cursor := "null"
					for cursor != "" {
						a := world.Send(t, Step{
							Do:   do,
							Body: `{"limit":100,"order_by":"id","sort_direction":"asc","cursor":` + cursor + `}`,
						})
						page, _ := At(a.JSON, "data").([]any)
						for _, rec := range page {
							states[w] = append(states[w], timeless(rec, known[w]))
						}
						if cursor, _ = At(a.JSON, "meta.cursor.next").(string); cursor != "" {
							cursor = `"` + cursor + `"`
						}
					}
				}
			}
			if len(states[0]) < 40 || !reflect.DeepEqual(states[0], states[1]) {
				t.Errorf("the records differ, or there are too few: %d and %d", len(states[0]), len(states[1]))
			}
		})
	}
}

// randomOperation makes up an operation on one of a number of records, or on none.
func randomOperation(r *rand.Rand, records int) (op map[string]any, about int) {
	name := func() string { return fmt.Sprint("Name ", r.IntN(30)) }
	external := func() string { return fmt.Sprint("x", r.IntN(15)) }
	if records == 0 || r.IntN(3) == 0 {
		data := map[string]any{"name": name(), "email": fmt.Sprintf("m%d@harbour.example", r.IntN(20))}
		if r.IntN(2) == 0 {
			data["external_id"] = external()
		}
		if r.IntN(6) == 0 {
			data["email"] = "no address"
		}
		if r.IntN(3) == 0 {
			return map[string]any{"op": "upsert", "match": []string{"email", "external_id", "name"}[r.IntN(3)], "data": data}, -1
		}
		return map[string]any{"op": "create", "data": data}, -1
	}
	about = r.IntN(records)
	switch r.IntN(6) {
	case 0:
		op = map[string]any{"op": "delete"}
	case 1:
		op = map[string]any{"op": "act", "action": "restore"}
	case 2:
		op = map[string]any{"op": "update", "data": map[string]any{"external_id": external()}}
	case 3:
		op = map[string]any{"op": "update", "data": map[string]any{"lead_score": r.IntN(200), "tags": []string{name()}}}
	default:
		op = map[string]any{"op": "update", "data": map[string]any{"name": name(), "address": map[string]any{"city": name()}}}
	}
	if r.IntN(3) == 0 {
		op["if_match"] = 1 + r.IntN(4)
	}
	return op, about
}

// alone sends an operation of a batch as a request of its own, and gives the answer as the result of a batch.
func alone(t *testing.T, w *World, op map[string]any) any {
	t.Helper()
	s := Step{}
	data, err := json.Marshal(op["data"])
	if err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprint(op["id"])
	switch op["op"] {
	case "create":
		s.Do, s.Body = "POST /contacts", string(data)
	case "upsert":
		s.Do, s.Body = "POST /contacts/upsert", fmt.Sprintf(`{"match":%q,"data":%s}`, op["match"], data)
	case "update":
		s.Do, s.Body = "PATCH /contacts/"+id, string(data)
	case "delete":
		s.Do = "DELETE /contacts/" + id
	case "act":
		s.Do = "POST /contacts/" + id + "/" + fmt.Sprint(op["action"])
	}
	if version, ok := op["if_match"]; ok {
		s.Send = []string{fmt.Sprintf(`+If-Match: "%v"`, version)}
	}
	a := w.Send(t, s)
	result := map[string]any{"status": json.Number(fmt.Sprint(a.Status))}
	switch {
	case a.Status >= 400:
		result["error"] = a.JSON
	case a.Status != http.StatusNoContent:
		result["record"] = a.JSON
	}
	return result
}

// timeless leaves out of an answer what differs between two worlds: times, and who the records are but for their number.
func timeless(v any, known []string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			switch {
			case strings.HasSuffix(name, "_at") || name == "at" || name == "request_id" || name == "actor":
			case name == "status":
				out[name] = fmt.Sprint(value)
			default:
				out[name] = timeless(value, known)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = timeless(item, known)
		}
		return out
	case string:
		for i, id := range known {
			if id == v {
				return fmt.Sprint("record ", i)
			}
		}
		if strings.HasPrefix(v, "user_") || strings.HasPrefix(v, "lifecycle_stage_") {
			return "of this world"
		}
		return v
	default:
		return v
	}
}
