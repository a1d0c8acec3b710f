package record

import (
	"context"
	"errors"
	"strings"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/merged"
)

// What everybody has to know of records that were merged: how they are asked to be, and where one that is gone is found. Package
// merge does it.

// The actions of resources whose records can be merged.
const (
	Merge   = "merge"
	Unmerge = "unmerge"
)

// MergedID is what an entry of the log calls the record that was merged into its own.
const MergedID = "merged_id"

// mergeActions are what can be done to records of a resource that can be merged.
func MergeActions(resource string) []schema.Action {
	other := schema.Field{Name: "other_id", Kind: schema.ID, Ref: schema.Ref{To: resource}, Label: "Merge with", Required: true}
	prefer := schema.Field{
		Name: "prefer", Kind: schema.Document, Label: "Prefer",
		About: "The fields of which the other's value is kept: `{\"job_title\": \"other\"}`.",
	}
	merged, unmerged := other, other
	merged.About = "The " + resource + " that becomes part of this one."
	unmerged.About = "The " + resource + " that was merged into this one."
	example := `{"other_id":"` + resource + `_01kh4xv1qcf0mvq8gk8d8mvxd9"`
	return []schema.Action{
		{
			Name: Merge, Alone: true, Body: []schema.Field{merged, prefer}, Example: example + `,"prefer":{"phone":"other"}}`,
			About: "Makes another " + resource + " a part of this one, with everything that refers to it.",
		},
		{
			Name: Unmerge, Alone: true, Body: []schema.Field{unmerged}, Example: example + `}`,
			About: "Takes a merge back, as far as nothing has changed since.",
		},
	}
}

// mergeArguments are the fields of the bodies of both actions; only a merge has preferences.
type mergeArguments struct{ OtherID, Prefer *schema.Leaf }

func (k *Kind) bindMerges() {
	if k.Life.Merges {
		k.Merging = schema.FieldsOf[mergeArguments](k.Arguments(Merge))
		k.Unmerging.OtherID = schema.FieldsOf[struct{ OtherID *schema.Leaf }](k.Arguments(Unmerge)).OtherID
	}
}

// surviving finds the final survivors of merged records outside of a transaction.
func (c Call) surviving(ctx context.Context) surviving {
	return func(res *schema.Resource, id schema.UUID) (schema.UUID, error) {
		return merged.Survivor(ctx, c.Tenant, res, id)
	}
}

// survivingIn finds the final survivors of merged records in a transaction.
func survivingIn(tx *store.Tx) surviving {
	return func(res *schema.Resource, id schema.UUID) (schema.UUID, error) { return merged.SurvivorIn(tx, res, id) }
}

// surviving finds the record into which one was merged in the end, or none.
type surviving func(res *schema.Resource, id schema.UUID) (schema.UUID, error)

// survivor finds the record into which one was merged in the end, live or deleted, or nil where the principal may not read it.
func (p *Principal) survivor(res *schema.Resource, id schema.UUID, find surviving, get getting) (*schema.Record, error) {
	if !res.Life.Merges {
		return nil, nil
	}
	into, err := find(res, id)
	if err != nil || into == (schema.UUID{}) {
		return nil, err
	}
	rec, err := get.anywhere(res, into)
	if errors.Is(err, store.ErrNotFound) || err == nil && !p.MayRead(res, rec) {
		return nil, nil
	}
	return rec, err
}

// explainMissing says that there is no such record, and into which it was merged to those who may read that.
func (p *Principal) explainMissing(res *schema.Resource, id schema.UUID, find surviving, get getting) error {
	into, err := p.survivor(res, id, find, get)
	if err != nil {
		return err
	}
	none := NotFound(res)
	if into != nil {
		none.MergedInto = schema.FormatID(res.Name, into.ID())
		none.Detail = "The " + strings.ReplaceAll(res.Name, "_", " ") + " was merged into another one."
	}
	return none
}

// ExplainMissingIn says so in a transaction.
func (p *Principal) ExplainMissingIn(tx *store.Tx, res *schema.Resource, id schema.UUID) error {
	return p.explainMissing(res, id, survivingIn(tx), tx.Get)
}

// Lacks reports that a field leads to no record, and into which it was merged to those who may read that.
func (w *Mutation) Lacks(path string, res *schema.Resource, id schema.UUID) error {
	into, err := w.Who.survivor(res, id, survivingIn(w.Tx), w.Get)
	if err != nil {
		return err
	}
	message := "there is no such " + strings.ReplaceAll(res.Name, "_", " ")
	if into != nil {
		message += " any more; it was merged into " + schema.FormatID(res.Name, into.ID())
	}
	w.Wrong.Add(path, "not_found", message)
	return nil
}

func (w *Mutation) mergedAlready() error {
	refused := problem.New(problem.Conflict, "The %s was merged into another one. To have it back, unmerge it there.", w.Kind.Name)
	into, err := w.Who.survivor(&w.Kind.Resource, w.Rec.ID(), survivingIn(w.Tx), w.Get)
	if err != nil {
		return err
	}
	if into != nil {
		refused.MergedInto = schema.FormatID(w.Kind.Name, into.ID())
	}
	return refused
}

// survivors finds the live record into which one was merged that had an external id, or none.
func (p Plan) survivors(tx *store.Tx, externalID string) ([]*schema.Record, error) {
	id, err := merged.SurvivorBy(tx, p.Res, externalID)
	if err != nil || id == (schema.UUID{}) {
		return nil, err
	}
	rec, err := tx.Get(p.Res, id, false)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return []*schema.Record{rec}, err
}

// Missing says that there is no such record, and into which it was merged to those who may read that.
func (c Call) Missing(ctx context.Context, res *schema.Resource, id schema.UUID) error {
	return c.explainMissing(res, id, c.surviving(ctx), c.getting(ctx))
}
