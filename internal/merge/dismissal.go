package merge

import (
	"errors"
	"strconv"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/merged"
)

// DismissBody is what the body has that says that two records are not the same.
var DismissBody = schema.CompileBody("dismissal",
	schema.Field{Name: "ids", Kind: schema.Tags, Required: true, About: "The ids of the two records."},
)

var dismissing = schema.FieldsOf[struct{ IDs *schema.Leaf }](DismissBody)

// PlanDismissal plans to remember that two records are not the same. It needs write on one of them, and read on both.
func PlanDismissal(e *record.Engine, who *record.Principal, k *record.Kind, n *body.Node) (func(*store.Tx) error, error) {
	reach, err := who.Allow(&k.Resource, record.Write)
	if err != nil {
		return nil, err
	}
	var wrong problem.Fields
	given, err := record.ReadBody(n, DismissBody, &wrong)
	if err != nil {
		return nil, err
	}
	var ids []schema.UUID
	for i, text := range body.Strings(given.Get(dismissing.IDs)) {
		id, err := schema.ParseID(k.Name, text)
		if err != nil {
			wrong.Add(dismissing.IDs.Path+"["+strconv.Itoa(i)+"]", "invalid_id", "must be an id that starts with "+k.Name+"_")
		}
		ids = append(ids, id)
	}
	if len(wrong) == 0 && len(ids) != 2 {
		wrong.Add(dismissing.IDs.Path, "out_of_range", "must be the ids of two records")
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		var refused error
		writable := false
		for i, id := range ids {
			rec, err := tx.Peek(&k.Resource, id)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if err != nil || !who.MayRead(&k.Resource, rec) {
				wrong.Add(dismissing.IDs.Path+"["+strconv.Itoa(i)+"]", "not_found", "there is no such "+k.Name)
				continue
			}
			if err := who.Reaches(&k.Resource, rec, record.Write, reach); err != nil {
				refused = err
			} else {
				writable = true
			}
		}
		switch err := wrong.Err(); {
		case err != nil:
			wrong = nil // it may run again
			return err
		case !writable:
			return refused
		}
		return merged.SetNotTwins(tx, &k.Resource, store.PairOf(ids[0], ids[1]))
	}, nil
}
