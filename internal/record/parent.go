package record

import "github.com/kith-crm/kith/internal/schema"

// Records of a kind with a Parent are a tree: each stands below another one, or at the top.

// MaxParents bounds how deep records can be nested, and the walk that looks for a circle.
const MaxParents = 50

// Ancestry walks up from the record. It ends at one without a live parent, and then tells nothing; or in a circle, or too far up:
// then it gives the record at which it ended, in a circle the one whose parent is where it began.
func (w *Mutation) Ancestry() (circle bool, end *schema.Record, err error) {
	at := w.Rec
	for range MaxParents {
		parent := at.Get(w.Kind.Parent)
		if !parent.Set {
			return false, nil, nil
		}
		if parent.UUID() == w.Rec.ID() {
			return true, at, nil
		}
		next, err := w.Lookup(w.Kind, parent.UUID())
		if next == nil {
			return false, nil, err
		}
		at = next
	}
	return false, at, nil
}

// LeadsUp tells whether one comes to a record of the kind from another by going from parent to parent.
func (w *Mutation) LeadsUp(from schema.Value, to schema.UUID) (bool, error) {
	for range MaxParents + 1 {
		if !from.Set || from.UUID() == to {
			return from.Set, nil
		}
		above, err := w.Lookup(w.Kind, from.UUID())
		if above == nil {
			return false, err
		}
		from = above.Get(w.Kind.Parent)
	}
	return false, nil
}

// Ancestry walks up from the record, see Mutation.Ancestry.
func (p Proposed) Ancestry() (circle bool, end *schema.Record, err error) { return p.w.Ancestry() }
