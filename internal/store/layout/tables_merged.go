package layout

import "github.com/kith-crm/kith/internal/store/engine"

// mergeTables are those of what is told of records beside their own rows: duplicates, merges, references by added fields, erasures.
func mergeTables() []engine.Table {
	return []engine.Table{
		{
			// match_key has what live records are matched by that may be the same one.
			Name:    "match_key",
			Columns: columns("business_id business, resource text, key text, record_id id"),
			Primary: []string{"business_id", "resource", "key", "record_id"},
		},
		{
			// not_twins has the pairs of which somebody said that they are not the same, the smaller id first.
			Name:    "not_twins",
			Columns: columns("business_id business, resource text, first_id id, second_id id, at time, user_id id?"),
			Primary: []string{"business_id", "resource", "first_id", "second_id"},
			Indexes: []engine.Index{{Name: "not_twins_second", Columns: []string{"business_id", "resource", "second_id"}}},
		},
		{
			// erasure has what erasures have still to remove.
			Name: "erasure",
			Columns: columns(`
				business_id business, of_id id, record_id id, resource text, at time, user_id id?, token_id id?, app_id id?,
				client_id text?, request_id text?, chore text, place text`),
			Primary: []string{"business_id", "of_id", "record_id"},
			Indexes: []engine.Index{{Name: "erasure_record", Columns: []string{"business_id", "record_id"}}},
		},
		{
			// merged has a row for every record that was merged into another one: into which, where the change log ended then, the
			// external id by which the survivor is found, and what changed in the survivor, as the domain writes it.
			Name: "merged",
			Columns: columns(`
				business_id business, resource text, other_id id, survivor_id id, at_seq integer, external_id text?, undo text`),
			Primary: []string{"business_id", "resource", "other_id"},
			Indexes: []engine.Index{
				{Name: "merged_survivor", Columns: []string{"business_id", "resource", "survivor_id", "at_seq"}},
				{Name: "merged_external", Columns: []string{"business_id", "resource", "external_id"}, Where: "external_id IS NOT NULL"},
			},
		},
		{
			// merged_reference has the references that a merge moved, by the record that was merged: which fields of which records.
			Name:    "merged_reference",
			Columns: columns("business_id business, other_id id, resource text, field text, record_id id"),
			Primary: []string{"business_id", "other_id", "resource", "field", "record_id"},
			Indexes: []engine.Index{{Name: "merged_reference_record", Columns: []string{"business_id", "record_id"}}},
		},
		{
			// added_reference leads from a record that can be merged to those which refer to it by a field that a business added.
			Name:    "added_reference",
			Columns: columns("business_id business, target_id id, resource text, member text, record_id id"),
			Primary: []string{"business_id", "target_id", "resource", "member", "record_id"},
		},
	}
}
