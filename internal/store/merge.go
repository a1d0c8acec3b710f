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
			engine.Required("business_id", engine.KindTenant),
			engine.Required("resource", schema.Text),
			engine.Required("other_id", schema.ID),
			engine.Required("survivor_id", schema.ID),
			engine.Required("at_seq", schema.Integer),
			engine.Optional("external_id", schema.Text),
			engine.Required("undo", schema.Text),
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
			engine.Required("business_id", engine.KindTenant),
			engine.Required("other_id", schema.ID),
			engine.Required("resource", schema.Text),
			engine.Required("field", schema.Text),
			engine.Required("record_id", schema.ID),
		},
		Primary: columns,
		Indexes: []engine.Index{{Name: "merged_reference_record", Columns: []string{"business_id", "record_id"}}},
	}
}
