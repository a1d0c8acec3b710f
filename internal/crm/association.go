package crm

import (
	"errors"
	"strconv"

	"kith/internal/problem"
	"kith/internal/query"
	"kith/internal/schema"
	"kith/internal/store"
)

// associated are the resources whose records can be associated with each other.
var associated = []string{"contact", "company", "deal", "quote", "task", "note", "activity"}

var association = &Kind{Resource: schema.Resource{
	Name: "association", Plural: "associations", Label: "Association",
	Example: `{"from_id":"deal_01kh4xv1qcf0mvq8gk8d8mvxd9","to_id":"contact_01kh4xv1qcf0mvq8gk8d8mvxd9","label":"decision maker"}`,
	Ends:    []string{"from_id", "to_id"},
	NamedBy: []string{"label"}, Telling: []string{"from_id", "to_id", "owner.name"},
	Fields: []schema.Field{
		{Name: "from_id", Kind: schema.Text, Format: schema.RecordID, Among: associated, Label: "From", Required: true, Immutable: true, Indexed: true},
		{Name: "to_id", Kind: schema.Text, Format: schema.RecordID, Among: associated, Label: "To", Required: true, Immutable: true, Indexed: true},
		{Name: "label", Kind: schema.Text, Label: "Label", Max: schema.Bound(100), Searchable: true, Indexed: true, About: "What the one is to the other, such as decision maker."},
		{Name: "deleted_with", Kind: schema.Text, Format: schema.RecordID, Among: associated, Label: "Deleted with", ReadOnly: true, About: "The record with which it went to the bin, and with which it comes back."},
	},
}}

// Associations are the fields of associations that code names.
var Associations = fieldsOf[struct {
	schema.Common
	FromID, ToID, Label, DeletedWith *schema.Leaf
}](association)

// MaxAssociations is how many live associations a record may have: with it they all go to the bin, and come back.
const MaxAssociations = 1000

// mostCarried bounds what goes to the bin with a record. It may have more associations than can be made, where others were merged into it.
const mostCarried = 20 * MaxAssociations

func init() {
	association.prepare = func(w *write) error {
		if w.old == nil {
			if err := w.checkEnds(); err != nil || len(w.wrong) > 0 {
				return err
			}
		}
		if w.old == nil || w.changed(Associations.Label) {
			return w.checkSingle()
		}
		return nil
	}
	association.restoring = restoreAssociation
}

// checkEnds makes sure that what is associated exists and may be read, and that who associates it may change one of both.
func (w *write) checkEnds() error {
	var refused error
	writable := false
	for _, l := range association.EndLeaves {
		name, id, err := schema.RecordOf(w.rec.Text(l))
		if err != nil {
			return err
		}
		k := KindOf(name)
		rec, err := w.find(k, id)
		if err != nil {
			return err
		}
		if rec == nil || !w.who.mayRead(&k.Resource, rec) {
			w.wrong.Add(l.Path, "not_found", "there is no such "+name)
			continue
		}
		reach, err := w.who.Allow(&k.Resource, Write)
		if err == nil {
			err = w.who.reaches(&k.Resource, rec, Write, reach)
		}
		if err == nil {
			writable = true
		} else if refused == nil {
			refused = err
		}
		had, err := w.CountLinks(&association.Resource, store.End{Resource: name, ID: id}, MaxAssociations)
		if err != nil {
			return err
		}
		if had == MaxAssociations {
			w.wrong.Add(l.Path, "too_many", "has "+strconv.Itoa(MaxAssociations)+" associations already, which is the most that a record can have")
		}
	}
	switch {
	case len(w.wrong) > 0:
		return nil
	case w.rec.Text(Associations.FromID) == w.rec.Text(Associations.ToID):
		w.wrong.Add(Associations.ToID.Path, "not_allowed", "must be another record than from_id")
		return nil
	case !writable:
		return refused
	}
	return nil
}

// checkSingle keeps two records from being associated twice by the same label, whichever of them is named first. Writes of a business take turns, so of
// two at once one is refused.
func (w *write) checkSingle() error {
	ends, err := store.EndsOf(&association.Resource, w.rec)
	if err != nil {
		return err
	}
	between, err := w.Links(&association.Resource, ends[0], &ends[1], true, 2*MaxAssociations)
	if err != nil {
		return err
	}
	label := query.Fold(w.rec.Text(Associations.Label))
	for _, other := range between {
		if other.ID() == w.rec.ID() || query.Fold(other.Text(Associations.Label)) != label {
			continue
		}
		conflict := &problem.Problem{
			Code: problem.Conflict, Detail: "These two are associated by this label already.",
			Fields: []problem.Field{{Field: Associations.Label.Path, Code: "not_unique", Message: "is that of another association of the same two records"}},
		}
		if w.who.mayRead(&association.Resource, other) { // as both ends may be
			conflict.ExistingID = schema.FormatID(association.Name, other.ID())
		}
		return conflict
	}
	return nil
}

// restoreAssociation refuses to bring an association back while one of its records is deleted, or another took its place.
func restoreAssociation(w *write) error {
	for _, l := range association.EndLeaves {
		name, id, err := schema.RecordOf(w.rec.Text(l))
		if err != nil {
			return err
		}
		rec, err := w.find(KindOf(name), id)
		if err != nil {
			return err
		}
		if rec == nil {
			return &problem.Problem{
				Code: problem.Conflict, Detail: "The " + name + " of this association is deleted; restore that first.", ExistingID: w.rec.Text(l),
			}
		}
	}
	w.rec.Put(Associations.DeletedWith, schema.Absent(schema.Text))
	return w.checkSingle()
}

// carryAssociations lets the associations of a record follow it to the bin, and come back with it unless their other record is still there.
func (w *write) carryAssociations() error {
	if len(w.kind.Links) == 0 || w.old.Live() == w.rec.Live() {
		return nil
	}
	gone := !w.rec.Live()
	links, err := w.Links(&association.Resource, store.End{Resource: w.kind.Name, ID: w.rec.ID()}, nil, gone, mostCarried)
	if err != nil {
		return err
	}
	self := schema.FormatID(w.kind.Name, w.rec.ID())
	for _, link := range links {
		other := &write{Tx: w.Tx, e: w.e, who: w.who, kind: association, action: w.action, old: link, rec: link.Clone()}
		if gone {
			other.rec.Put(Associations.DeletedAt, schema.TimeValue(w.Now))
			other.rec.PutText(Associations.DeletedWith, self)
		} else {
			back, err := other.comesBack()
			if err != nil {
				return err
			}
			if !back {
				continue
			}
			other.rec.Put(Associations.DeletedAt, schema.Absent(schema.Time))
			other.rec.Put(Associations.DeletedWith, schema.Absent(schema.Text))
		}
		if _, err := other.save(); err != nil {
			return err
		}
	}
	return nil
}

// comesBack tells whether an association went to the bin with one of its records, both of which are live again.
func (w *write) comesBack() (bool, error) {
	if !w.old.Get(Associations.DeletedWith).Set {
		return false, nil
	}
	for _, l := range association.EndLeaves {
		name, id, err := schema.RecordOf(w.old.Text(l))
		if err != nil {
			return false, err
		}
		if rec, err := w.find(KindOf(name), id); rec == nil || err != nil {
			return false, err
		}
	}
	return true, nil
}

// ends tells which links of a resource the principal may see by their ends, or nil where all.
func (p *Principal) ends(res *schema.Resource) *query.Ends {
	if len(res.EndLeaves) == 0 {
		return nil
	}
	ends := &query.Ends{User: p.User}
	for _, name := range res.EndLeaves[0].Among {
		far := &KindOf(name).Resource
		switch own, err := p.CanRead(far); {
		case err != nil:
			ends.None = append(ends.None, far)
		case own:
			ends.Own = append(ends.Own, far)
		}
	}
	if len(ends.None)+len(ends.Own) == 0 {
		return nil
	}
	return ends
}

// getting reads a record, live or in the bin.
type getting func(res *schema.Resource, id schema.UUID, bin bool) (*schema.Record, error)

// seesEnds answers for a link what reaches cannot tell by the record alone: one whose ends may not both be read is as good as absent.
func (p *Principal) seesEnds(res *schema.Resource, rec *schema.Record, get getting) error {
	if p.ends(res) == nil {
		return nil
	}
	for _, l := range res.EndLeaves {
		name, id, err := schema.RecordOf(rec.Text(l))
		if err != nil {
			return err
		}
		far := &KindOf(name).Resource
		own, err := p.CanRead(far)
		if err != nil {
			return notFound(res)
		}
		if !own {
			continue
		}
		other, err := get(far, id, false)
		if errors.Is(err, store.ErrNotFound) {
			other, err = get(far, id, true)
		}
		switch {
		case errors.Is(err, store.ErrNotFound):
			return notFound(res)
		case err != nil:
			return err
		case !p.owns(far, other):
			return notFound(res)
		}
	}
	return nil
}
