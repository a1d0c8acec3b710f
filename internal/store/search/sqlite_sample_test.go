package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/store/sqlite"
)

// Of a search's trigrams the rare ones are chosen, and only as many as narrow.
func TestRareTrigramsAreChosen(t *testing.T) {
	var s sample
	for i := range sampleSize {
		s.add(i, fmt.Sprintf(" person %d person.%d@%s.example +49 30 common words here", i, i, []string{"northwind", "contoso"}[i%2]))
	}
	for _, tt := range []struct {
		needles []string
		most    int
		never   string
	}{
		{[]string{"common"}, 2, ""},
		{[]string{"person", "northwind"}, 2, "per"},
		{[]string{".117@northwind.example"}, 3, "exa"},
		{[]string{"nowhere", "person"}, 2, "per"},
		{[]string{" pe"}, 1, ""},
	} {
		chosen := s.narrow(tt.needles)
		all := strings.Join(tt.needles, "\n")
		if len(chosen) == 0 || len(chosen) > tt.most || slices.Contains(chosen, tt.never) {
			t.Errorf("%q: %q are chosen, want at most %d and not %q", tt.needles, chosen, tt.most, tt.never)
		}
		for _, c := range chosen {
			if !strings.Contains(all, c) {
				t.Errorf("%q: %q is not in the search", tt.needles, c)
			}
		}
	}
}

// Every character of a needle is in a piece, so that looking for the pieces excludes as much as looking for the needle can.
func TestPiecesCoverTheNeedles(t *testing.T) {
	for needle, want := range map[string]string{"anna": "ann nna", "schmidt": "idt mid sch", "übö": "übö", "abcabc": "abc"} {
		if got := strings.Join(sqlite.Pieces([]string{needle, needle}), " "); got != want {
			t.Errorf("%s: %s, want %s", needle, got, want)
		}
	}
}
