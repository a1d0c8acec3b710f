package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/store/search"
)

// Pages of what happened end at about 8 MB although their limit allows more, say that there is more, and the next one goes on where
// they ended.
func TestPagesOfWhatHappenedEndEarlyWhereTheyAreHeavy(t *testing.T) {
	const heavy = 6 * 65_000 // bytes: a control character takes six as JSON
	text := func(n int) string { return fmt.Sprintf("%d ", n) + strings.Repeat(`\u0001`, heavy/6) }
	onEach(t, func(t *testing.T, w *world) {
		t.Parallel()
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		note := w.create(t, "notes", `{"body":"`+text(0)+`"}`, "note")
		var versions, around []string
		for n := 2; n <= 25; n++ {
			w.check(t, step{do: "PATCH /notes/" + note, body: `{"body":"` + text(n) + `"}`, status: 200})
		}
		for n := range 25 {
			versions = append(versions, fmt.Sprint(n+1))
			around = append(around, w.create(t, "notes", `{"contact_id":"$anna","body":"`+text(n)+`"}`, ""))
		}
		first, last := w.ends(t)
		var numbers []string
		for n := first; n <= last; n++ {
			numbers = append(numbers, fmt.Sprint(n))
		}
		w.heavyPages(t, "POST /notes/$note/history/search", "version", "cursor=meta.cursor.next", 2*heavy, versions)
		// its creation has no record
		w.heavyPages(t, "POST /contacts/$anna/timeline/search", "record.id", "cursor=meta.cursor.next", heavy,
			append([]string{"<nil>"}, around...))
		w.heavyPages(t, "POST /changes/search", "seq", "after=meta.next", 2*heavy, numbers)
	})
}

// ends are the numbers of the first and the last change of the business that the administrator reads.
func (w *world) ends(t *testing.T) (first, last int64) {
	t.Helper()
	w.check(t, step{do: "POST /changes/search", body: `{"limit":1}`, status: 200, save: "first=data.0.seq last=meta.latest"})
	if _, err := fmt.Sscan(w.vars["first"]+" "+w.vars["last"], &first, &last); err != nil {
		t.Fatal(err)
	}
	return first, last
}

// heavyPages reads a list from its oldest entry on and holds its pages to their weight, and what is on them to what is wanted.
// entry tells entries apart, after says what a page has for the next one to begin with, and each is what the heaviest entry weighs.
func (w *world) heavyPages(t *testing.T, do, entry, after string, each int, want []string) {
	t.Helper()
	direction := `,"sort_direction":"asc"`
	name, path, _ := strings.Cut(after, "=")
	if name == "after" { // a list that has but one direction
		direction = ""
	}
	var got []string
	pages := 0
	for place := ""; ; pages++ {
		a := w.send(t, step{do: do, body: `{"limit":100` + direction + place + `}`})
		data, _ := at(a.json, "data").([]any)
		if a.status != 200 || len(data) == 0 {
			t.Fatalf("%s: %d, %d entries", do, a.status, len(data))
		}
		for _, e := range data {
			got = append(got, fmt.Sprint(at(e, entry)))
		}
		more := at(a.json, "meta.cursor.has_more") == true || name == "after" && fmt.Sprint(at(a.json, "meta.next")) != w.vars["last"]
		if size := len(a.text); size > search.MaxPage+each+100_000 || more && size < search.MaxPage-100_000 {
			t.Errorf("%s: page %d has %d bytes in %d entries", do, pages+1, size, len(data))
		}
		if !more {
			break
		}
		if len(data) == 100 {
			t.Errorf("%s: page %d is full by its number of entries", do, pages+1)
		}
		next := fmt.Sprint(at(a.json, path))
		if name == "cursor" {
			next = `"` + next + `"`
		}
		place = fmt.Sprintf(`,%q:%s`, name, next)
	}
	if pages == 0 {
		t.Errorf("%s has one page", do)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: the pages have %v, want %v", do, got, want)
	}
}
