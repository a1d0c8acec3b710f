package store

import (
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// What is known of merges; package merged keeps it.

// mergedTable has a row for every record that was merged into another one: into which, where the change log ended then, the
// external id by which the survivor is found, and what changed in the survivor, as the domain writes it.
func mergedTable() engine.Table {
	return engine.Table{
		Name: "merged",
		Columns: []engine.Column{
			required("business_id", engine.KindTenant),
			required("resource", schema.Text),
			required("other_id", schema.ID),
			required("survivor_id", schema.ID),
			required("at_seq", schema.Integer),
			optional("external_id", schema.Text),
			required("undo", schema.Text),
		},
		Primary: []string{"business_id", "resource", "other_id"},
		Indexes: []engine.Index{
			{Name: "merged_survivor", Columns: []string{"business_id", "resource", "survivor_id", "at_seq"}},
			{Name: "merged_external", Columns: []string{"business_id", "resource", "external_id"}, Where: "external_id IS NOT NULL"},
		},
	}
}

// mergedReferenceTable has the references that a merge moved, by the record that was merged: those of which fields of which records.
func mergedReferenceTable() engine.Table {
	columns := []string{"business_id", "other_id", "resource", "field", "record_id"}
	return engine.Table{
		Name: "merged_reference",
		Columns: []engine.Column{
			required("business_id", engine.KindTenant),
			required("other_id", schema.ID),
			required("resource", schema.Text),
			required("field", schema.Text),
			required("record_id", schema.ID),
		},
		Primary: columns,
		Indexes: []engine.Index{{Name: "merged_reference_record", Columns: []string{"business_id", "record_id"}}},
	}
}
