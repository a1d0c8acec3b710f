package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/kith-crm/kith/internal/problem"
)

// Whoever filled a form in rightly is not told that they did not, where the server has no time for it.
func TestFormsThatComeTooSoonAreNotWrong(t *testing.T) {
	for err, want := range map[error]int{
		problem.New(problem.ServiceUnavailable, "Try again in a few seconds."): http.StatusServiceUnavailable,
		problem.New(problem.Conflict, "There is one already."):                 http.StatusUnprocessableEntity,
	} {
		f := newForm(url.Values{"name": {"Anna"}})
		if left := f.blame(err, nil); left != nil || f.ok() {
			t.Errorf("%v is not shown with the form: %v", err, left)
		}
		if got := f.status(); got != want || f.Get("name") != "Anna" {
			t.Errorf("%v answers %d with %q, want %d and what was typed", err, got, f.Get("name"), want)
		}
	}
}
