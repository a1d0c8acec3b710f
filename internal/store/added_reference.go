package store

import (
	"fmt"

	"github.com/kith-crm/kith/internal/schema"
)

// Fields that a business adds lie in documents, which have no index by what is in them. Where such a field refers to records that
// can be merged, a table leads from these to who refers to them: with one row for each reference, of live and deleted records
// alike.

func addedReferenceTable() table {
	columns := []string{"business_id", "target_id", "resource", "member", "record_id"}
	return table{
		name: "added_reference",
		columns: []column{
			{"business_id", kindTenant, true},
			{"target_id", schema.ID, true},
			{"resource", schema.Text, true},
			{"member", schema.Text, true},
			{"record_id", schema.ID, true},
		},
		primary: columns,
	}
}

// rewriteAddedReferences brings the rows of a record to what it refers to now. old is nil for a new one.
func (tx *Tx) rewriteAddedReferences(res *schema.Resource, old, rec *schema.Record) error {
	_, added := rec.Document()
	for _, l := range added {
		if !l.Follows() {
			continue
		}
		from, to := schema.Absent(schema.ID), rec.Get(l)
		if old != nil {
			from = old.Get(l)
		}
		if from == to {
			continue
		}
		if from.Set {
			b := newBuilder(tx.s.engine, tx.key)
			sql := "DELETE FROM added_reference WHERE business_id = " + b.tenantMark() + " AND target_id = " + b.arg(from) +
				" AND resource = '" + res.Name + "' AND member = " + b.arg(text(l.Member)) +
				" AND record_id = " + b.arg(rec.Get(res.Common.ID))
			if err := tx.c.ask(tx.ctx, sql, b.args, func(row) error { return nil }); err != nil {
				return err
			}
		}
		if to.Set {
			b := newBuilder(tx.s.engine, tx.key)
			sql := "INSERT INTO added_reference (business_id, target_id, resource, member, record_id) VALUES (" +
				b.tenantMark() + ", " + b.arg(to) + ", '" + res.Name + "', " + b.arg(text(l.Member)) + ", " +
				b.arg(rec.Get(res.Common.ID)) + ")" +
				" ON CONFLICT (business_id, target_id, resource, member, record_id) DO NOTHING"
			if err := tx.c.ask(tx.ctx, sql, b.args, func(row) error { return nil }); err != nil {
				return err
			}
		}
	}
	return nil
}

// FillAddedReferences writes the rows of all records of a resource as the business has it: for a database that had none.
func (tx *Tx) FillAddedReferences(res *schema.Resource) error {
	_, added := res.Document()
	for _, l := range added {
		if !l.Follows() {
			continue
		}
		b := newBuilder(tx.s.engine, tx.key)
		sql := "INSERT INTO added_reference (business_id, target_id, resource, member, record_id)" +
			" SELECT t.business_id, " + b.column("t", l) + ", '" + res.Name + "', '" + l.Member + "', t.id FROM " + res.Plural + " t" +
			" WHERE t.business_id = " + b.tenantMark() + " AND " + b.column("t", l) + " IS NOT NULL" +
			" ON CONFLICT (business_id, target_id, resource, member, record_id) DO NOTHING"
		if _, err := tx.c.exec(tx.ctx, sql, b.args); err != nil {
			return err
		}
	}
	return nil
}

// AddedReference is a reference by a field that the business added: of which record, and what the field is called in its document.
type AddedReference struct {
	Resource, Member string
	RecordID         schema.UUID
}

// AddedReferences lists the references by added fields to a record, at most so many.
func (tx *Tx) AddedReferences(to schema.UUID, most int) (all []AddedReference, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT t.resource, t.member, t.record_id " +
		"FROM added_reference t WHERE t.business_id = " + b.tenantMark() + " AND t.target_id = " + b.arg(schema.IDValue(to)) +
		fmt.Sprintf(" ORDER BY t.resource, t.record_id, t.member LIMIT %d", most)
	err = tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		all = append(all, AddedReference{r.Value(0, schema.Text).S, r.Value(1, schema.Text).S, r.Value(2, schema.ID).UUID()})
		return nil
	})
	return all, err
}
