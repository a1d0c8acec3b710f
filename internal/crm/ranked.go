package crm

import (
	"strings"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// A business has several pipelines and lifecycle stages in an order of its own, of which exactly one is the default.

type ranked struct{ Position, IsDefault *schema.Leaf }

// declareRanked keeps the records of a kind in order, and one of them the default, besides what else completes and validates them.
func declareRanked(k *record.Kind, f ranked, prepare func(*record.Mutation) error, validate func(record.Proposed) error) {
	k.Default = f.IsDefault
	k.Prepare = func(w *record.Mutation) error {
		if !w.Rec.Get(f.IsDefault).Set {
			w.Rec.Put(f.IsDefault, schema.BoolValue(false))
		}
		if err := w.PlaceLast(f.Position); err != nil {
			return err
		}
		return prepare(w)
	}
	k.Validate = func(p record.Proposed) error {
		if !p.New() && p.Before().Get(f.IsDefault).True() && !p.Get(f.IsDefault).True() {
			p.Refuse(f.IsDefault.Path, "not_allowed", "make another one the default instead")
		}
		return validate(p)
	}
	k.Written = func(w *record.Mutation) error { return oneDefault(w, f) }
	k.Removing = func(w *record.Mutation) error {
		if !w.Rec.Get(f.IsDefault).True() {
			return nil
		}
		return problem.New(problem.Conflict, "The default %s cannot be deleted; make another one the default first.",
			strings.ReplaceAll(k.Name, "_", " "))
	}
}

func defaultOf(w *record.Mutation, k *record.Kind) (*schema.Record, error) {
	found, err := w.Find(&k.Resource, 1, store.Equal(k.Default, schema.BoolValue(true)))
	if len(found) == 0 {
		return nil, err
	}
	return found[0], err
}

// oneDefault takes the mark from the one that was the default before.
func oneDefault(w *record.Mutation, f ranked) error {
	if !w.Rec.Get(f.IsDefault).True() || !w.Rec.Live() || w.Old != nil && w.Old.Get(f.IsDefault).True() && w.Old.Live() {
		return nil
	}
	found, err := w.Find(&w.Kind.Resource, 100, store.Equal(f.IsDefault, schema.BoolValue(true)))
	if err != nil {
		return err
	}
	for _, other := range found {
		if other.ID() == w.Rec.ID() {
			continue
		}
		if other, err = w.Get(&w.Kind.Resource, other.ID(), false); err != nil {
			return err
		}
		if err := w.Touch(w.Kind, other, func(r *schema.Record) { r.Put(f.IsDefault, schema.BoolValue(false)) }); err != nil {
			return err
		}
	}
	return nil
}
