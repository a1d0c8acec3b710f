package crm

import (
	"maps"
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// brought are the resources that businesses may be older than, by the number of the migration that brings them.
var brought = map[int64][]*Kind{
	10: {View},
	15: {Association},
	16: {Field},
	32: {Webhook},
}

// broughtFeatures are the feature permissions that businesses may be older than, by the number of the migration that brings them.
var broughtFeatures = map[int64][]string{
	18:       {EraseFeature},
	auditing: {AuditFeature},
}

// auditing is the migration that brings the audit log. Every business that is there already gets a first line, so that one whose
// log is gone is told from one that never had any.
const auditing = 26

func init() {
	for step, fresh := range broughtFeatures {
		store.InEveryBusiness(step, func(tx *store.Tx) error {
			if step == auditing {
				tx.Audit(store.AuditEntry{Action: AuditBegan})
			}
			return grantFeatures(tx, step, fresh)
		})
	}
	for step, fresh := range brought {
		store.InEveryBusiness(step, func(tx *store.Tx) error { return grantNew(tx, fresh, before(step)) })
	}
}

// indexedReferences is the migration that brings the table by which references of added fields are found.
const indexedReferences = 21

func init() {
	store.InEveryBusiness(indexedReferences, func(tx *store.Tx) error {
		fields, err := tx.Find(&Field.Resource, mostDefinitions)
		if err != nil || len(fields) == 0 {
			return err
		}
		shapes, err := newShapes(1, fields)
		if err != nil {
			return err
		}
		for _, res := range shapes.resources {
			if err := tx.FillAddedReferences(res); err != nil {
				return err
			}
		}
		return nil
	})
}

// before are the resources that were there before a step.
func before(step int64) (old []*schema.Resource) {
	for _, k := range kinds {
		since := int64(0)
		for number, fresh := range brought {
			if slices.Contains(fresh, k) {
				since = number
			}
		}
		if since < step {
			old = append(old, &k.Resource)
		}
	}
	return old
}

// grantNew gives the roles of a business their permissions on resources that did not exist when they were made: a role that had
// everything has everything again, and a role that a business starts with has what it would start with now. Others say nothing of
// them, which means none.
func grantNew(tx *store.Tx, fresh []*Kind, old []*schema.Resource) error {
	roles, err := tx.Find(&role.Resource, 100_000)
	if err != nil {
		return err
	}
	for _, rec := range roles {
		given := ReadRole(rec)
		everything := !slices.ContainsFunc(old, func(res *schema.Resource) bool {
			return slices.ContainsFunc(Verbs, func(v Verb) bool { return given.Reach(res, v) != All })
		})
		for _, k := range fresh {
			if _, said := given.Permissions[k.Name]; said {
				continue
			}
			if everything {
				given.Permissions[k.Name] = map[Verb]Reach{Read: All, Write: All, Delete: All}
				continue
			}
			for _, starting := range StartingRoles() {
				if starting.Name == query.Fold(given.Name) {
					given.Permissions[k.Name] = starting.Permissions[k.Name]
				}
			}
		}
		if err := given.rewrite(tx, rec); err != nil {
			return err
		}
	}
	return nil
}

// grantFeatures gives the roles of a business feature permissions that did not exist when they were made, by the same rule.
func grantFeatures(tx *store.Tx, step int64, fresh []string) error {
	old := slices.DeleteFunc(slices.Clone(Features), func(f string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(broughtFeatures)), func(since int64) bool { return since >= step && slices.Contains(broughtFeatures[since], f) })
	})
	roles, err := tx.Find(&role.Resource, 100_000)
	if err != nil {
		return err
	}
	for _, rec := range roles {
		given := ReadRole(rec)
		everything := !slices.ContainsFunc(old, func(f string) bool { return !slices.Contains(given.Features, f) })
		for _, f := range fresh {
			starts := slices.ContainsFunc(StartingRoles(), func(r Role) bool { return r.Name == query.Fold(given.Name) && slices.Contains(r.Features, f) })
			if (everything || starts) && !slices.Contains(given.Features, f) {
				given.Features = append(given.Features, f)
			}
		}
		if err := given.rewrite(tx, rec); err != nil {
			return err
		}
	}
	return nil
}

// rewrite gives a role's record the permissions that the role has.
func (r Role) rewrite(tx *store.Tx, rec *schema.Record) error {
	n, err := body.Parse([]byte(r.json()))
	if err != nil {
		return err
	}
	permissions, _ := n.Get(Roles.Permissions.Path)
	permissions.Members = slices.DeleteFunc(permissions.Members, func(m body.Member) bool { return r.Permissions[m.Name] == nil })
	var wrong problem.Fields
	changed := rec.Clone()
	changed.Put(Roles.Permissions, schema.TextValue(schema.Document, checkPermissions(permissions, &wrong)))
	if len(r.Features) > 0 {
		changed.Put(Roles.Features, schema.TextValue(schema.Choices, string(KeptList(r.Features))))
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	if slices.Equal(rec.Values, changed.Values) {
		return nil
	}
	changed.Put(Roles.UpdatedAt, schema.TimeValue(tx.Now))
	changed.Put(Roles.Version, schema.IntValue(schema.Integer, rec.Version()+1))
	return tx.Update(&role.Resource, rec, changed, Update)
}
