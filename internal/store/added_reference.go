package store

import (
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Fields that a business adds lie in documents, which have no index by what is in them. Where such a field refers to records that
// can be merged, a table leads from these to who refers to them: with one row for each reference, of live and deleted records
// alike.

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
			if err := tx.send(room.SQL(`
				DELETE FROM added_reference
				WHERE business_id = {business} AND target_id = ? AND resource = '`+res.Name+`' AND member = ? AND record_id = ?`,
				from, text(l.Member), rec.Get(res.Common.ID))); err != nil {
				return err
			}
		}
		if to.Set {
			if err := tx.send(room.SQL(`
				INSERT INTO added_reference (business_id, target_id, resource, member, record_id)
				VALUES ({business}, ?, '`+res.Name+`', ?, ?)
				ON CONFLICT (business_id, target_id, resource, member, record_id) DO NOTHING`,
				to, text(l.Member), rec.Get(res.Common.ID))); err != nil {
				return err
			}
		}
	}
	return nil
}

// FillAddedReferences writes the rows of all records of a resource as the business has it: for a database that had none.
func FillAddedReferences(tx *Tx, res *schema.Resource) error {
	_, added := res.Document()
	for _, l := range added {
		if !l.Follows() {
			continue
		}
		b := tx.builder()
		sql := "INSERT INTO added_reference (business_id, target_id, resource, member, record_id)" +
			" SELECT t.business_id, " + b.Column("t", l) + ", '" + res.Name + "', '" + l.Member + "', t.id FROM " + res.Plural + " t" +
			" WHERE t.business_id = " + b.TenantMark() + " AND " + b.Column("t", l) + " IS NOT NULL" +
			" ON CONFLICT (business_id, target_id, resource, member, record_id) DO NOTHING"
		if _, err := tx.c.Exec(tx.ctx, sql, b.Values); err != nil {
			return err
		}
	}
	return nil
}
