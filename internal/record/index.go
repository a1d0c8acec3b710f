package record

import (
	"context"
	"fmt"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

// The index of a field that a business added. A new field has no values, so its index is whole at once; that of a field which has
// some is filled at once in a small business, and otherwise in small steps while everybody goes on, see TendIndexes. Until it is
// whole searches do without it.

const (
	// maxIndexed is how many fields of a resource can be indexed, and maxUnique how many of them unique.
	maxIndexed = 20
	maxUnique  = 5
	// maxIndexedOptions is how many options the indexed multi_selects of a resource can have together: a record has an entry in the
	// index for each that it names.
	maxIndexedOptions = 100
	// indexedAtOnce is up to how many records have their values indexed in the write that asks for it.
	indexedAtOnce = 1000
	// mostCollisions is how many values are looked for that keep a field from being unique, to name some.
	mostCollisions = 3
)

func (p Proposed) checkIndex() error {
	kind := FieldKindNamed(p.Text(Fields.Kind)).Kind
	unique := p.Get(Fields.Unique).True()
	indexed := unique || p.Get(Fields.Indexed).True()
	if unique && p.Gave(Fields.Indexed) && !p.Get(Fields.Indexed).True() {
		p.Refuse(Fields.Indexed.Path, "not_allowed", "must be true, because the field is unique")
	}
	if indexed && !kind.Files() {
		named := Fields.Indexed
		if unique {
			named = Fields.Unique
		}
		p.Refuse(named.Path, "not_allowed", "must be false for a long_text")
	}
	if unique && kind == schema.Choices {
		p.Refuse(Fields.Unique.Path, "not_allowed", "must be false for a list")
	}
	if unique && p.Get(Fields.Default).Set {
		p.Refuse(Fields.Default.Path, "not_allowed", "must be null, because the field is unique")
	}
	had := !p.New() && p.Before().Get(Fields.IndexStatus).Set
	wasUnique := had && p.Before().Get(Fields.Unique).True()
	lists := indexed && kind == schema.Choices && (!had || p.Changed(Fields.Options))
	if err := p.countIndexed(indexed && !had, unique && !wasUnique, lists); err != nil {
		return err
	}
	return p.Refused()
}

func (w *Mutation) setIndex() error {
	unique := w.Rec.Get(Fields.Unique).True()
	if unique {
		w.Rec.Put(Fields.Indexed, schema.BoolValue(true))
	}
	indexed := w.Rec.Get(Fields.Indexed).True()
	had := w.Old != nil && w.Old.Get(Fields.IndexStatus).Set
	switch {
	case indexed && w.Old == nil:
		w.Rec.PutText(Fields.IndexStatus, IndexReady)
	case indexed && !had:
		if err := w.beginIndex(); err != nil {
			return err
		}
	case !indexed && had:
		if err := w.endIndex(); err != nil {
			return err
		}
	}
	if unique && w.Old != nil && !(had && w.Old.Get(Fields.Unique).True()) {
		return w.checkCollisions()
	}
	return nil
}

// countIndexed holds a field that is to be indexed, or unique, to how many of its resource are, and lists to how many options these have.
func (p Proposed) countIndexed(indexed, unique, lists bool) error {
	if !indexed && !unique && !lists {
		return nil
	}
	others, err := p.otherFields()
	if err != nil {
		return err
	}
	count := func(l *schema.Leaf) (n int) {
		for _, other := range others {
			if other.Get(l).True() {
				n++
			}
		}
		return n
	}
	if lists {
		all := []schema.Value{p.Get(Fields.Options)}
		for _, other := range others {
			if other.Get(Fields.Indexed).True() && FieldKindNamed(other.Text(Fields.Kind)).Kind == schema.Choices {
				all = append(all, other.Get(Fields.Options))
			}
		}
		n := 0
		for _, list := range all {
			options, err := optionsOf(list)
			if err != nil {
				return err
			}
			n += len(options)
		}
		if n > maxIndexedOptions {
			p.Refuse(Fields.Options.Path, "too_many",
				fmt.Sprintf("the indexed multi_selects of a resource can have at most %d together", maxIndexedOptions))
		}
	}
	if unique && count(Fields.Unique) >= maxUnique {
		p.Refuse(Fields.Unique.Path, "too_many", fmt.Sprintf("at most %d fields of a resource can be unique", maxUnique))
	}
	if indexed && count(Fields.Indexed) >= maxIndexed {
		p.Refuse(Fields.Indexed.Path, "too_many", fmt.Sprintf("at most %d fields of a resource can be indexed", maxIndexed))
	}
	return nil
}

// filed gives the field as a leaf with an index, and the resource with it alone.
func (w *Mutation) filed() (*schema.Resource, *schema.Leaf, error) {
	d, err := define(w.Rec)
	if err != nil {
		return nil, nil, err
	}
	d.Filing, d.Find.Indexed, d.Identity.Unique = false, true, false
	kind := KindOf(w.Rec.Text(Fields.Resource))
	res, err := kind.Extend(kind.Common.CustomFields, Registry.Resource, d.Addition)
	if err != nil {
		return nil, nil, err
	}
	return res, res.Filed()[0], nil
}

// beginIndex fills the index of a field that may have values, or has it filled.
func (w *Mutation) beginIndex() error {
	res, leaf, err := w.filed()
	if err != nil {
		return err
	}
	most := indexedAtOnce
	if leaf.Kind == schema.Choices { // of which a record may have many
		most /= len(leaf.Options)
	}
	done, err := queue.FileNow(w.Tx, res, leaf, most)
	if err != nil {
		return err
	}
	if done {
		w.Rec.PutText(Fields.IndexStatus, IndexReady)
		return nil
	}
	w.Rec.PutText(Fields.IndexStatus, indexBuilding)
	return w.planIndex(true)
}

func (w *Mutation) endIndex() error {
	w.Rec.Put(Fields.IndexStatus, schema.Absent(schema.Choice))
	return w.planIndex(false)
}

// planIndex leaves the work on an index to whoever tends indexes.
func (w *Mutation) planIndex(filing bool) error {
	w.AfterCommit(func(context.Context) { w.Engine.IndexesDue.Wake() })
	return queue.PlanIndex(w.Tx, w.Rec.Text(Fields.Resource), member(w.Rec.Get(Fields.Number).N), filing)
}

// unindex lets a field that is deleted have no index, and be no longer unique: records that come out of the bin meanwhile are not
// held to it.
func unindex(w *Mutation) error {
	w.Rec.Put(Fields.Unique, schema.BoolValue(false))
	if !w.Rec.Get(Fields.IndexStatus).Set {
		return nil
	}
	return w.endIndex()
}

// checkCollisions refuses to make a field unique of which records have the same value, or of which that is not known yet.
func (w *Mutation) checkCollisions() error {
	if w.Rec.Text(Fields.IndexStatus) != IndexReady {
		return &problem.Problem{
			Code: problem.Conflict, Detail: "Only a field whose index is ready can become unique. Set indexed to true, and unique when " +
				"index_status is ready.",
			Fields: []problem.Field{{Field: Fields.Unique.Path, Code: "not_allowed", Message: "must wait until the field is indexed"}},
		}
	}
	_, leaf, err := w.filed()
	if err != nil {
		return err
	}
	pairs, err := store.Shared(w.Tx, leaf, mostCollisions)
	if err != nil || len(pairs) == 0 {
		return err
	}
	kind := KindOf(w.Rec.Text(Fields.Resource))
	conflict := NotUnique(Fields.Unique, "some "+kind.Plural+" have the same value",
		"Several "+kind.Plural+" have the same "+CustomPath(w.Rec.Text(Fields.Name))+"; change them first.")
	for _, pair := range pairs {
		for _, id := range pair {
			rec, err := w.Lookup(kind, id)
			if err != nil {
				return err
			}
			if told := w.Who.Existing(&kind.Resource, rec); told != "" {
				conflict.ExistingIDs = append(conflict.ExistingIDs, told)
			}
		}
	}
	return conflict
}
