package record

import (
	"fmt"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// CheckRules are what the domain knows about records that a check of the database needs.
func CheckRules() store.Rules {
	return store.Rules{Fields: &Field.Resource, Shaped: shapedAll, Removed: []string{Erase, Purge}, Wrong: wrongValues}
}

func shapedAll(changes int64, fields []*schema.Record) ([]*schema.Resource, error) {
	var shapes *Shapes
	if changes > 0 {
		var err error
		if shapes, err = newShapes(changes, fields); err != nil {
			return nil, err
		}
	}
	all := make([]*schema.Resource, len(kinds))
	for i, k := range kinds {
		all[i] = shapes.Shaped(&k.Resource)
	}
	return all, nil
}

// wrongValues tells which values of a record do not follow from the others as its kind says.
func wrongValues(rec *schema.Record) []string {
	k := KindOf(rec.Whose)
	if k == nil || k.Check == nil {
		return nil
	}
	return k.Check(rec)
}

// Differs says that a value is not the one that follows from the others; it says nothing where it is.
func Differs(rec *schema.Record, l *schema.Leaf, want schema.Value) (wrong []string) {
	if got := rec.Get(l); got != want {
		wrong = append(wrong, fmt.Sprintf("%s is %s, expected %s", l.Path, schema.AppendValue(nil, l, got),
			schema.AppendValue(nil, l, want)))
	}
	return wrong
}
