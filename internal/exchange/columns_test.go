package exchange

import (
	"testing"

	"github.com/kith-crm/kith/internal/record"
)

// What other programs call a field is written as it is compared, and is no other field's name. What files set by something else
// leads somewhere.
func TestWhatFieldsAreAlsoCalled(t *testing.T) {
	for _, name := range ImportKinds() {
		k := record.KindOf(name)
		whose := map[string]string{}
		for _, l := range k.Leaves {
			for _, name := range append([]string{plainName(l.Label), plainName(l.Path)}, l.Also...) {
				if before := whose[name]; before != "" && before != l.Path {
					t.Errorf("%s: %s and %s are both called %s", k.Name, before, l.Path, name)
				}
				whose[name] = l.Path
			}
			for _, also := range l.Also {
				if plainName(also) != also {
					t.Errorf("%s.%s is also called %s, which is no plain name", k.Name, l.Path, also)
				}
			}
			if via, rest := k.Follow(l.Through); l.Through != "" &&
				(via == nil || via.ListItem == nil || via.ListItem.Leaf(rest) == nil || !l.ReadOnly) {
				t.Errorf("%s.%s is set through %s, which is nothing", k.Name, l.Path, l.Through)
			}
		}
		for _, also := range k.Also {
			if plainName(also) != also {
				t.Errorf("%s is also called %s, which is no plain name", k.Name, also)
			}
		}
	}
}
