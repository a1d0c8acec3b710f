package sqlite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/store/engine"
)

// Each item of a key was looked for by reading all items: a hundred tags of a record in half a megabyte, for each record.
func TestAmongFindsWhatIsThere(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	word := func() string { return strings.Repeat("a", rng.IntN(4)) + string(rune('a'+rng.IntN(4))) }
	for range 2000 {
		var items []string
		for range rng.IntN(12) + 1 {
			if w := word(); !slices.Contains(items, w) {
				items = append(items, w)
			}
		}
		if rng.IntN(4) == 0 {
			items = append(items, strings.Repeat("z", 500))
		}
		slices.Sort(items)
		text := engine.Separator + strings.Join(items, engine.Separator) + engine.Separator
		for range 20 {
			one := word()
			if got := among([]byte(text), []byte(one)); got != slices.Contains(items, one) {
				t.Fatalf("%q among %q is %v", one, items, got)
			}
		}
		for _, one := range items {
			if !among([]byte(text), []byte(one)) {
				t.Fatalf("%q is not found among %q", one, items)
			}
		}
	}
	long := make([]string, 500)
	for i := range long {
		long[i] = strings.Repeat("a", 1000) + fmt.Sprintf("%03d", i)
	}
	text := []byte(engine.Separator + strings.Join(long, engine.Separator) + engine.Separator)
	missing := []byte(strings.Repeat("a", 1000) + "x")
	allocated := testing.AllocsPerRun(100, func() {
		if among(text, missing) {
			t.Error("what is not there is found")
		}
	})
	if allocated > 0 {
		t.Errorf("looking for one item allocates %v times", allocated)
	}
}
