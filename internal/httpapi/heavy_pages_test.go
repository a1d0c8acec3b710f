package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/store/search"

	. "github.com/kith-crm/kith/internal/apitest"
)

// Pages of what happened end at about 8 MB although their limit allows more, say that there is more, and the next one goes on where
// they ended.
func TestPagesOfWhatHappenedEndEarlyWhereTheyAreHeavy(t *testing.T) {
	const heavy = 6 * 65_000 // bytes: a control character takes six as JSON
	text := func(n int) string { return fmt.Sprintf("%d ", n) + strings.Repeat(`\u0001`, heavy/6) }
	OnEach(t, func(t *testing.T, w *World) {
		t.Parallel()
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		note := w.Create(t, "notes", `{"body":"`+text(0)+`"}`, "note")
		var versions, around []string
		for n := 2; n <= 25; n++ {
			w.Check(t, Step{Do: "PATCH /notes/" + note, Body: `{"body":"` + text(n) + `"}`, Status: 200})
		}
		for n := range 25 {
			versions = append(versions, fmt.Sprint(n+1))
			around = append(around, w.Create(t, "notes", `{"contact_id":"$anna","body":"`+text(n)+`"}`, ""))
		}
		first, last := ends(w, t)
		var numbers []string
		for n := first; n <= last; n++ {
			numbers = append(numbers, fmt.Sprint(n))
		}
		heavyPages(w, t, "POST /notes/$note/history/search", "version", "cursor=meta.cursor.next", 2*heavy, versions)
		// its creation has no record
		heavyPages(w, t, "POST /contacts/$anna/timeline/search", "record.id", "cursor=meta.cursor.next", heavy,
			append([]string{"<nil>"}, around...))
		heavyPages(w, t, "POST /changes/search", "seq", "after=meta.next", 2*heavy, numbers)
	})
}

// ends are the numbers of the first and the last change of the business that the administrator reads.
func ends(w *World, t *testing.T) (first, last int64) {
	t.Helper()
	w.Check(t, Step{Do: "POST /changes/search", Body: `{"limit":1}`, Status: 200, Save: "first=data.0.seq last=meta.latest"})
	if _, err := fmt.Sscan(w.Vars["first"]+" "+w.Vars["last"], &first, &last); err != nil {
		t.Fatal(err)
	}
	return first, last
}

// heavyPages reads a list from its oldest entry on and holds its pages to their weight, and what is on them to what is wanted.
// entry tells entries apart, after says what a page has for the next one to begin with, and each is what the heaviest entry weighs.
func heavyPages(w *World, t *testing.T, do, entry, after string, each int, want []string) {
	t.Helper()
	direction := `,"sort_direction":"asc"`
	name, path, _ := strings.Cut(after, "=")
	if name == "after" { // a list that has but one direction
		direction = ""
	}
	var got []string
	pages := 0
	for place := ""; ; pages++ {
		a := w.Send(t, Step{Do: do, Body: `{"limit":100` + direction + place + `}`})
		data, _ := At(a.JSON, "data").([]any)
		if a.Status != 200 || len(data) == 0 {
			t.Fatalf("%s: %d, %d entries", do, a.Status, len(data))
		}
		for _, e := range data {
			got = append(got, fmt.Sprint(At(e, entry)))
		}
		more := At(a.JSON, "meta.cursor.has_more") == true || name == "after" && fmt.Sprint(At(a.JSON, "meta.next")) != w.Vars["last"]
		if size := len(a.Text); size > search.MaxPage+each+100_000 || more && size < search.MaxPage-100_000 {
			t.Errorf("%s: page %d has %d bytes in %d entries", do, pages+1, size, len(data))
		}
		if !more {
			break
		}
		if len(data) == 100 {
			t.Errorf("%s: page %d is full by its number of entries", do, pages+1)
		}
		next := fmt.Sprint(At(a.JSON, path))
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
