package bench

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A page of what happened is compared with a page of a search, so it must have as many entries, of all sorts; and no two questions
// are the same.
func TestPagesOfWhatHappenedAreFull(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		set, last, addr := serveSet(t, url, Options{}, 1000, 100)
		if len(set.busy) != 50 || len(last.busy) != 0 {
			t.Fatalf("%d and %d contacts are busy", len(set.busy), len(last.busy))
		}
		seen := map[string]bool{}
		pages, mixed, kinds := 0, 0, map[string]bool{}
		for _, op := range readyOperations(t, addr, set) {
			if !strings.HasPrefix(op.name, "page of ") {
				continue
			}
			if op.beside == nil || op.beside.name != firstPage || !op.ours || op.writes {
				t.Errorf("%s is not compared with a page of a search alone", op.name)
			}
			for n := range op.count {
				asked := string(op.question(n).request)
				if seen[asked] {
					t.Fatalf("%s: asked twice: %s", op.name, asked)
				}
				seen[asked] = true
			}
			for n := range min(30, op.count) {
				text, err := once(addr, op.question(n).request)
				if err != nil {
					t.Fatalf("%s: %v", op.name, err)
				}
				var found struct{ Data []struct{ Kind string } }
				if err := json.Unmarshal(text, &found); err != nil || len(found.Data) != 25 {
					t.Errorf("%s: %s has %d entries, %v", op.name, op.question(n).request, len(found.Data), err)
				}
				here := map[string]bool{}
				for _, entry := range found.Data {
					here[entry.Kind], kinds[entry.Kind] = true, true
				}
				if here["change"] && len(here) > 2 {
					mixed++
				}
			}
			pages++
		}
		delete(kinds, "") // of the other lists
		if got := strings.Join(slices.Sorted(maps.Keys(kinds)), " "); pages != 3 || mixed < 25 ||
			!strings.Contains(got, "activity change") || !strings.Contains(got, "note task") {
			t.Errorf("%d lists were asked; %d pages of timelines have changes and several kinds of records, and all together %s", pages,
				mixed, got)
		}
	})
}

// What an aggregate is asked for is there: as many deals as were wanted, in groups.
func TestAggregatesCountAllDeals(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		set, last, addr := serveSet(t, url, Options{Deals: 700}, 400, 100)
		if len(set.deals) != 700 || len(last.deals) != 10 {
			t.Fatalf("%d and %d deals are known", len(set.deals), len(last.deals))
		}
		open := map[string]int{}
		for _, d := range set.deals {
			open[d.status]++
		}
		counted := map[string]int{}
		for _, op := range readyOperations(t, addr, set) {
			name, ok := strings.CutPrefix(op.name, "aggregate: ")
			if !ok {
				continue
			}
			for n := range op.count {
				text, err := once(addr, op.question(n).request)
				if err != nil {
					t.Fatalf("%s: %v", op.name, err)
				}
				var found struct {
					Data []struct {
						Count int
						Sum   string `json:"sum:amount"`
					}
				}
				if err := json.Unmarshal(text, &found); err != nil || len(found.Data) < 2 || found.Data[0].Sum == "" {
					t.Errorf("%s: %s, %v", op.name, text, err)
				}
				for _, row := range found.Data {
					counted[name] += row.Count
				}
			}
		}
		want := map[string]int{
			"count and sum by stage": 700, "count and sum by month": 700,
			"open deals of a pipeline by stage": open["open"],
		}
		if !maps.Equal(counted, want) {
			t.Errorf("counted %v, want %v", counted, want)
		}
	})
}
