package account

import (
	"context"
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// PlanBusiness plans to change the given fields of the caller's business (JSON merge patch). A change that changes nothing raises
// no version.
func PlanBusiness(ctx context.Context, e *record.Engine, who *record.Principal, match record.IfMatch, n *body.Node) (record.Step, error) {
	if err := who.AllowBusiness(); err != nil {
		return nil, err
	}
	object, err := n.Object()
	if err != nil {
		return nil, err
	}
	var wrong problem.Fields
	changes := body.Decode(object, &record.Business.Shape, false, "", &wrong)
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	if err := tryProvider(ctx, e, changes); err != nil {
		return nil, err
	}
	logo, err := drawLogo(ctx, e, who.Tenant, changes)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) (record.Outcome, error) {
		old, err := tx.Own(record.Business)
		if err != nil {
			return record.Outcome{}, err
		}
		if err := match.Check(tx, who, record.Business, old); err != nil {
			return record.Outcome{}, err
		}
		rec := old.Clone()
		for i, given := range changes.Given {
			if given {
				rec.Values[i] = changes.Values[i]
			}
		}
		if err := setProvider(tx, who, old, rec); err != nil {
			return record.Outcome{}, err
		}
		if err := setLogo(tx, old, rec, logo); err != nil {
			return record.Outcome{}, err
		}
		if slices.Equal(old.Values, rec.Values) {
			return record.Outcome{Record: old}, nil
		}
		rec.Put(record.Business.Common.UpdatedAt, schema.TimeValue(tx.Now))
		rec.Put(record.Business.Common.Version, schema.IntValue(schema.Integer, old.Version()+1))
		return record.Outcome{Record: rec}, tx.UpdateOwn(record.Business, old, rec, "update")
	}, nil
}

// ChangeBusiness patches the business in a transaction of its own.
func ChangeBusiness(ctx context.Context, e *record.Engine, c record.Call, match record.IfMatch, n *body.Node) (*schema.Record, error) {
	step, err := PlanBusiness(ctx, e, c.Principal, match, n)
	if err != nil {
		return nil, err
	}
	return c.Run(ctx, step)
}
