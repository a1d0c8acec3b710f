package record

import (
	"errors"
	"fmt"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

var Association = &Kind{Since: 15, Resource: schema.Resource{
	Name: "association", Plural: "associations", Label: "Association", Ends: []string{"from_id", "to_id"},
	Summary: schema.Summary{NamedBy: []string{"label"}, Telling: []string{"from_id", "to_id", "owner.name"}},
	Example: `{"from_id":"deal_01kh4xv1qcf0mvq8gk8d8mvxd9","to_id":"contact_01kh4xv1qcf0mvq8gk8d8mvxd9","label":"decision maker"}`,
	Fields: []schema.Field{
		{
			Name: "from_id", Kind: schema.Text, Format: schema.RecordID, Label: "From", Required: true,
			Writing: schema.Writing{Immutable: true}, Find: schema.Find{Indexed: true},
		},
		{
			Name: "to_id", Kind: schema.Text, Format: schema.RecordID, Label: "To", Required: true,
			Writing: schema.Writing{Immutable: true}, Find: schema.Find{Indexed: true},
		},
		{
			Name: "label", Kind: schema.Text, Label: "Label", Max: schema.Bound(100), Find: schema.Find{Searchable: true, Indexed: true},
			About: "What the one is to the other, such as decision maker.",
		},
		{
			Name: "deleted_with", Kind: schema.Text, Format: schema.RecordID, Label: "Deleted with", ReadOnly: true,
			About: "The record with which it went to the bin, and with which it comes back.",
		},
	},
}}

// Associations are the fields of associations that code names.
var Associations struct {
	schema.Common
	FromID, ToID, Label, DeletedWith *schema.Leaf
}

// MaxAssociations is how many live associations a record may have: with it they all go to the bin, and come back.
const MaxAssociations = 1000

// MostCarried bounds what goes to the bin with a record. It may have more associations than can be made, where others were merged into it.
const MostCarried = 20 * MaxAssociations

func declareAssociations() {
	schema.Bind(&Association.Shape, &Associations)
	Association.Validate = func(p Proposed) error {
		if p.New() {
			if err := p.checkEnds(); err != nil || p.Refused() != nil {
				return err
			}
		}
		if p.New() || p.Changed(Associations.Label) {
			return p.checkSingle()
		}
		return nil
	}
	Association.Restoring = restoreAssociation
	Association.Accompany = carryAssociations
}

// checkEnds makes sure that what is associated exists and may be read, and that who associates it may change one of both.
func (p Proposed) checkEnds() error {
	ends, err := store.EndsOf(&Association.Resource, p.rec)
	if err != nil {
		return err
	}
	var refused error
	writable := false
	for i, l := range Association.EndLeaves {
		k := KindOf(ends[i].Resource)
		rec, err := p.Lookup(k, ends[i].ID)
		if err != nil {
			return err
		}
		if rec == nil || !p.Who().MayRead(&k.Resource, rec) {
			p.Refuse(l.Path, "not_found", "there is no such "+k.Name)
			continue
		}
		if err := p.Who().AllowOn(&k.Resource, rec, Write); err == nil {
			writable = true
		} else if refused == nil {
			refused = err
		}
		had, err := p.CountLinks(&Association.Resource, ends[i], MaxAssociations)
		if err != nil {
			return err
		}
		if had == MaxAssociations {
			p.Refuse(l.Path, "too_many", fmt.Sprintf("has %d associations already, which is the most that a record can have", had))
		}
	}
	switch {
	case p.Refused() != nil:
		return nil
	case p.Text(Associations.FromID) == p.Text(Associations.ToID):
		p.Refuse(Associations.ToID.Path, "not_allowed", "must be another record than from_id")
		return nil
	case !writable:
		return refused
	}
	return nil
}

// checkSingle keeps two records from being associated twice by the same label, whichever of them is named first. Writes of a
// business take turns, so of two at once one is refused.
func (p Proposed) checkSingle() error {
	ends, err := store.EndsOf(&Association.Resource, p.rec)
	if err != nil {
		return err
	}
	between, err := p.Links(&Association.Resource, ends[0], &ends[1], 2*MaxAssociations)
	if err != nil {
		return err
	}
	label := query.Fold(p.Text(Associations.Label))
	for _, other := range between {
		if other.ID() == p.ID() || query.Fold(other.Text(Associations.Label)) != label {
			continue
		}
		conflict := NotUnique(Associations.Label, "is that of another association of the same two records",
			"These two are associated by this label already.")
		if p.Who().MayRead(&Association.Resource, other) { // as both ends may be
			conflict.ExistingID = schema.FormatID(Association.Name, other.ID())
		}
		return conflict
	}
	return nil
}

// restoreAssociation refuses to bring an association back while one of its records is deleted, or another took its place.
func restoreAssociation(w *Mutation) error {
	ends, err := store.EndsOf(&Association.Resource, w.Rec)
	if err != nil {
		return err
	}
	for _, end := range ends {
		k := KindOf(end.Resource)
		rec, err := w.Lookup(k, end.ID)
		if err != nil {
			return err
		}
		if rec == nil {
			gone, err := store.GetAny(w.Tx, &k.Resource, end.ID)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			return &problem.Problem{
				Code: problem.Conflict, Detail: "The " + k.Name + " of this association is deleted; restore that first.",
				ExistingID: w.Who.Existing(&k.Resource, gone),
			}
		}
	}
	w.Rec.Put(Associations.DeletedWith, schema.Absent(schema.Text))
	return w.Proposed().checkSingle()
}

// carryAssociations lets the associations of a record follow it to the bin, and come back with it unless their other record is still there.
func carryAssociations(w *Mutation) error {
	gone := !w.Rec.Live()
	links, err := w.Links(&Association.Resource, store.End{Resource: w.Kind.Name, ID: w.Rec.ID()}, nil, gone, MostCarried)
	if err != nil {
		return err
	}
	if !gone {
		if err := w.prefetchEnds(links); err != nil {
			return err
		}
	}
	self := schema.FormatID(w.Kind.Name, w.Rec.ID())
	for _, link := range links {
		other := w.Also(Association, w.Action, link)
		if gone {
			other.Rec.Put(Associations.DeletedAt, schema.TimeValue(w.Now))
			other.Rec.PutText(Associations.DeletedWith, self)
		} else {
			back, err := other.comesBack()
			if err != nil {
				return err
			}
			if !back {
				continue
			}
			other.Rec.Put(Associations.DeletedAt, schema.Absent(schema.Time))
			other.Rec.Put(Associations.DeletedWith, schema.Absent(schema.Text))
		}
		if _, err := other.Save(); err != nil {
			return err
		}
	}
	return nil
}

// prefetchEnds reads at once what comesBack asks for each association.
func (w *Mutation) prefetchEnds(links []*schema.Record) error {
	var asked []store.Prefetched
	seen := map[schema.UUID]bool{}
	for _, link := range links {
		ends, err := store.EndsOf(&Association.Resource, link)
		if err != nil {
			return err
		}
		for _, end := range ends {
			if res := w.Who.Resource(KindOf(end.Resource)); !seen[end.ID] {
				seen[end.ID] = true
				asked = append(asked, store.Prefetched{Resource: res, Leaf: res.Common.ID, Value: schema.IDValue(end.ID)})
			}
		}
	}
	return w.Prefetch(asked)
}

// comesBack tells whether an association went to the bin with one of its records, both of which are live again.
func (w *Mutation) comesBack() (bool, error) {
	if !w.Old.Get(Associations.DeletedWith).Set {
		return false, nil
	}
	ends, err := store.EndsOf(&Association.Resource, w.Old)
	if err != nil {
		return false, err
	}
	for _, end := range ends {
		if rec, err := w.Lookup(KindOf(end.Resource), end.ID); rec == nil || err != nil {
			return false, err
		}
	}
	return true, nil
}
