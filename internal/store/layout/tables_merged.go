package layout

import (
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// matchTable has what live records are matched by that may be the same one.
func matchTable() engine.Table {
	return engine.Table{
		Name: "match_key",
		Columns: []engine.Column{
			engine.Required("business_id", engine.KindTenant),
			engine.Required("resource", schema.Text),
			engine.Required("key", schema.Text),
			engine.Required("record_id", schema.ID),
		},
		Primary: []string{"business_id", "resource", "key", "record_id"},
	}
}

// notTwinsTable has the pairs of which somebody said that they are not the same, the smaller id first.
func notTwinsTable() engine.Table {
	return engine.Table{
		Name: "not_twins",
		Columns: []engine.Column{
			engine.Required("business_id", engine.KindTenant),
			engine.Required("resource", schema.Text),
			engine.Required("first_id", schema.ID),
			engine.Required("second_id", schema.ID),
			engine.Required("at", schema.Time),
			engine.Optional("user_id", schema.ID),
		},
		Primary: []string{"business_id", "resource", "first_id", "second_id"},
		Indexes: []engine.Index{{Name: "not_twins_second", Columns: []string{"business_id", "resource", "second_id"}}},
	}
}

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

// addedReferenceTable leads from a record that can be merged to those which refer to it by a field that a business added.
func addedReferenceTable() engine.Table {
	columns := []string{"business_id", "target_id", "resource", "member", "record_id"}
	return engine.Table{
		Name: "added_reference",
		Columns: []engine.Column{
			engine.Required("business_id", engine.KindTenant),
			engine.Required("target_id", schema.ID),
			engine.Required("resource", schema.Text),
			engine.Required("member", schema.Text),
			engine.Required("record_id", schema.ID),
		},
		Primary: columns,
	}
}
