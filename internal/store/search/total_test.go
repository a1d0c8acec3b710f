package search

import (
	"testing"

	"github.com/kith-crm/kith/internal/store/engine"
)

func TestAPageIsGivenWithoutATotalThatTakesTooLong(t *testing.T) {
	outOfTime := func(counting bool) (Page, error) {
		s := Search{counting: counting, page: Page{More: true, Total: 7}}
		return s.Outcome(engine.ErrTook("1s"))
	}
	if page, err := outOfTime(true); err != nil || page.Total != -1 || !page.More {
		t.Errorf("while counting: %+v, %v", page, err)
	}
	if _, err := outOfTime(false); err == nil {
		t.Error("a search that has not read its page is given all the same")
	}
}
