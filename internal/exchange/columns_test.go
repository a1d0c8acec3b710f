package exchange

import (
	"slices"
	"strings"
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
			for _, name := range append([]string{plainName(l.Label), plainName(l.Path)}, fieldElsewhere(l)...) {
				if before := whose[name]; before != "" && before != l.Path {
					t.Errorf("%s: %s and %s are both called %s", k.Name, before, l.Path, name)
				}
				whose[name] = l.Path
			}
			for _, also := range fieldElsewhere(l) {
				if plainName(also) != also {
					t.Errorf("%s.%s is also called %s, which is no plain name", k.Name, l.Path, also)
				}
			}
			if via, rest := k.Follow(l.File.Through); l.File.Through != "" &&
				(via == nil || via.ListItem == nil || via.ListItem.Leaf(rest) == nil || !l.ReadOnly) {
				t.Errorf("%s.%s is set through %s, which is nothing", k.Name, l.Path, l.File.Through)
			}
		}
		for _, also := range kindElsewhere(&k.Resource) {
			if plainName(also) != also {
				t.Errorf("%s is also called %s, which is no plain name", k.Name, also)
			}
		}
	}
}

// What has names elsewhere is there, and can come out of files, and no list of names stands in the way of another.
func TestWhatIsCalledOtherwiseIsThere(t *testing.T) {
	importable := func(kind string) *record.Kind {
		if !slices.Contains(ImportKinds(), kind) {
			t.Fatalf("%q has names elsewhere and cannot come out of files", kind)
		}
		return record.KindOf(kind)
	}
	for kind := range kindsElsewhere {
		importable(kind)
	}
	lists := len(kindsElsewhere)
	for _, of := range fieldsElsewhere {
		kinds := strings.Split(of.kinds, " ")
		lists += len(kinds)
		if of.kinds == every {
			kinds = ImportKinds()
		}
		for _, kind := range kinds {
			if l := importable(kind).Leaf(of.field); l == nil || !slices.Equal(fieldElsewhere(l), strings.Fields(of.names)) {
				t.Errorf("%s has no field %s that is called %s", kind, of.field, of.names)
			}
		}
	}
	if lists != len(elsewhere) {
		t.Errorf("%d lists are declared, and %d found", lists, len(elsewhere))
	}
}
