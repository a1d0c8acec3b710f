package account

import (
	"maps"
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// broughtFeatures are the feature permissions that businesses may be older than, by the number of the migration that brings them.
var broughtFeatures = map[int64][]string{
	18:       {record.EraseFeature},
	auditing: {record.AuditFeature},
}

// auditing is the migration that brings the audit log. Every business that is there already gets a first line, so that one whose
// log is gone is told from one that never had any.
const auditing = 26

// grantInEveryBusiness says what migrations give the roles of each business that is there already.
func grantInEveryBusiness() {
	for step, fresh := range broughtFeatures {
		store.InEveryBusiness(step, func(tx *store.Tx) error {
			if step == auditing {
				tx.Audit(store.AuditEntry{Action: record.AuditBegan})
			}
			return grantFeatures(tx, step, fresh)
		})
	}
	for _, k := range record.Kinds() {
		if k.Since > 0 {
			store.InEveryBusiness(k.Since, func(tx *store.Tx) error { return grantNew(tx, k) })
		}
	}
}

// grantNew gives the roles of a business their permissions on a resource that did not exist when they were made: a role that had
// everything has everything again, and a role that a business starts with has what it would start with now. Others say nothing of
// it, which means none.
func grantNew(tx *store.Tx, fresh *record.Kind) error {
	roles, err := tx.Find(&Role.Resource, 100_000)
	if err != nil {
		return err
	}
	for _, rec := range roles {
		given := ReadRole(rec)
		if _, said := given.Permissions[fresh.Name]; said {
			continue
		}
		everything := !slices.ContainsFunc(record.Kinds(), func(k *record.Kind) bool {
			return k.Since < fresh.Since && !k.Access.Personal && slices.ContainsFunc(record.Verbs,
				func(v record.Verb) bool { return given.Reach(&k.Resource, v) != record.All })
		})
		if everything {
			given.Permissions[fresh.Name] = reaching(record.All, record.All)
		} else {
			for _, starting := range StartingRoles() {
				if starting.Name == query.Fold(given.Name) {
					given.Permissions[fresh.Name] = starting.Permissions[fresh.Name]
				}
			}
		}
		if _, granted := given.Permissions[fresh.Name]; !granted {
			continue
		}
		if err := rewrite(given, tx, rec); err != nil {
			return err
		}
	}
	return nil
}

// grantFeatures gives the roles of a business feature permissions that did not exist when they were made, by the same rule.
func grantFeatures(tx *store.Tx, step int64, fresh []string) error {
	old := slices.DeleteFunc(slices.Clone(record.Features), func(f string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(broughtFeatures)),
			func(since int64) bool { return since >= step && slices.Contains(broughtFeatures[since], f) })
	})
	roles, err := tx.Find(&Role.Resource, 100_000)
	if err != nil {
		return err
	}
	for _, rec := range roles {
		given := ReadRole(rec)
		everything := !slices.ContainsFunc(old, func(f string) bool { return !slices.Contains(given.Features, f) })
		had := len(given.Features)
		for _, f := range fresh {
			starts := slices.ContainsFunc(StartingRoles(),
				func(r record.Role) bool { return r.Name == query.Fold(given.Name) && slices.Contains(r.Features, f) })
			if (everything || starts) && !slices.Contains(given.Features, f) {
				given.Features = append(given.Features, f)
			}
		}
		if len(given.Features) == had {
			continue
		}
		if err := rewrite(given, tx, rec); err != nil {
			return err
		}
	}
	return nil
}

// rewrite gives a role's record the permissions that the role has.
func rewrite(r record.Role, tx *store.Tx, rec *schema.Record) error {
	n, err := body.Parse([]byte(roleText(r)))
	if err != nil {
		return err
	}
	permissions, _ := n.Get(Roles.Permissions.Path)
	permissions.Members = slices.DeleteFunc(permissions.Members, func(m body.Member) bool { return r.Permissions[m.Name] == nil })
	var wrong problem.Fields
	changed := rec.Clone()
	changed.Put(Roles.Permissions, schema.TextValue(schema.Document, checkPermissions(permissions, &wrong)))
	if len(r.Features) > 0 {
		changed.Put(Roles.Features, schema.TextValue(schema.Choices, string(record.KeptList(r.Features))))
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	if slices.Equal(rec.Values, changed.Values) {
		return nil
	}
	changed.Put(Roles.UpdatedAt, schema.TimeValue(tx.Now))
	changed.Put(Roles.Version, schema.IntValue(schema.Integer, rec.Version()+1))
	return tx.Update(&Role.Resource, rec, changed, record.Update)
}
