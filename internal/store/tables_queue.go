package store

import "github.com/kith-crm/kith/internal/schema"

// These are the tables of package queue: what is yet to be done, and what requests were answered.

func jobTables() []table {
	return []table{
		{
			name: "job",
			columns: []column{
				{"business_id", kindTenant, true},
				{"id", schema.ID, true},
				{"kind", schema.Text, true},
				{"status", schema.Text, true},
				{"user_id", schema.ID, false},
				{"token_id", schema.ID, false},
				{"app_id", schema.ID, false},
				{"client_id", schema.Text, false},
				{"connection_id", schema.ID, false},
				{"scopes", schema.Text, false},
				{"params", schema.Document, true},
				{"private", schema.Document, false},
				{"place", schema.Text, false},
				{"total", schema.Integer, true},
				{"done", schema.Integer, true},
				{"failed", schema.Integer, true},
				{"first_seq", schema.Integer, true},
				{"last_seq", schema.Integer, true},
				{"tries", schema.Integer, true},
				{"error", schema.Document, false},
				{"created_at", schema.Time, true},
				{"started_at", schema.Time, false},
				{"finished_at", schema.Time, false},
				// served_at is when a worker last turned to it, and leased_by has it until leased_until.
				{"served_at", schema.Time, true},
				{"leased_by", schema.ID, false},
				{"leased_until", schema.Time, false},
			},
			primary: []string{"business_id", "id"},
			indexes: []index{
				{name: "job_open", columns: []string{"business_id", "served_at"}, where: "finished_at IS NULL"},
				{name: "job_user", columns: []string{"business_id", "user_id", "id"}},
				{name: "job_finished", columns: []string{"finished_at"}, where: "finished_at IS NOT NULL"},
			},
			long: true,
		},
		{
			// job_set has the ids of the records that a job is about, many in a row, in the order in which they are done.
			name: "job_set",
			columns: []column{
				{"business_id", kindTenant, true},
				{"job_id", schema.ID, true},
				{"n", schema.Integer, true},
				{"ids", kindBytes, true},
			},
			primary: []string{"business_id", "job_id", "n"},
			long:    true,
		},
		{
			name: "job_refusal",
			columns: []column{
				{"business_id", kindTenant, true},
				{"job_id", schema.ID, true},
				{"n", schema.Integer, true},
				{"resource", schema.Text, true},
				{"record_id", schema.ID, false},
				{"input", schema.Document, false},
				{"problem", schema.Document, true},
			},
			primary: []string{"business_id", "job_id", "n"},
			indexes: []index{{name: "job_refusal_record", columns: []string{"business_id", "record_id"}, where: "record_id IS NOT NULL"}},
			long:    true,
		},
	}
}

func importTables() []table {
	return []table{
		{
			name: "import",
			columns: []column{
				{"business_id", kindTenant, true},
				{"id", schema.ID, true},
				{"resource", schema.Text, true},
				{"user_id", schema.ID, false},
				{"connection_id", schema.ID, false},
				{"scopes", schema.Text, false},
				{"options", schema.Document, true},
				{"file", schema.Document, false},
				{"file_id", schema.ID, false},
				// coming_id is that of the file that is being sent.
				{"coming_id", schema.ID, false},
				{"preview_id", schema.ID, false},
				{"run_id", schema.ID, false},
				{"undo_id", schema.ID, false},
				{"undone", schema.Document, false},
				{"version", schema.Integer, true},
				{"created_at", schema.Time, true},
				{"updated_at", schema.Time, true},
			},
			primary: []string{"business_id", "id"},
			indexes: []index{
				{name: "import_user", columns: []string{"business_id", "user_id", "id"}},
				{name: "import_updated", columns: []string{"updated_at"}},
			},
			long: true,
		},
		{
			name: "import_row",
			columns: []column{
				{"business_id", kindTenant, true},
				{"import_id", schema.ID, true},
				{"file_id", schema.ID, true},
				{"first_row", schema.Integer, true},
				{"data", kindBytes, true},
			},
			primary: []string{"business_id", "import_id", "file_id", "first_row"},
			long:    true,
		},
	}
}

func hookTables() []table {
	return []table{
		{
			// webhook_feed has a row for each business that had a webhook: leased_by delivers until leased_until. due_at is when
			// there is something to do although nothing is written.
			name: "webhook_feed",
			columns: []column{
				{"business_id", kindTenant, true},
				{"leased_by", schema.ID, false},
				{"leased_until", schema.Time, false},
				{"due_at", schema.Time, false},
			},
			primary: []string{"business_id"},
		},
		{
			name: "webhook_state",
			columns: []column{
				{"business_id", kindTenant, true},
				{"webhook_id", schema.ID, true},
				{"active", schema.Integer, true},
				{"user_id", schema.ID, false},
				{"token_id", schema.ID, false},
				{"app_id", schema.ID, false},
				{"client_id", schema.Text, false},
				{"connection_id", schema.ID, false},
				{"scopes", schema.Text, false},
				// Both are documents with the member secret, as all that is sealed.
				{"data", schema.Document, true},
				{"old_data", schema.Document, false},
				{"old_until", schema.Time, false},
				{"seq", schema.Integer, true},
				{"last_seq", schema.Integer, true},
				{"replay_seq", schema.Integer, true},
				{"replay_to", schema.Integer, true},
				{"replay_last", schema.Integer, true},
				{"failures", schema.Integer, true},
				{"failing_since", schema.Time, false},
				{"probe_at", schema.Time, false},
			},
			primary: []string{"business_id", "webhook_id"},
		},
		{
			name: "webhook_delivery",
			columns: []column{
				{"business_id", kindTenant, true},
				{"id", schema.ID, true},
				{"webhook_id", schema.ID, true},
				{"seq", schema.Integer, true},
				{"prev_seq", schema.Integer, true},
				{"event", schema.Text, true},
				{"record_id", schema.ID, false},
				{"replayed", schema.Integer, true},
				{"status", schema.Text, true},
				{"attempts", schema.Integer, true},
				{"created_at", schema.Time, true},
				{"finished_at", schema.Time, false},
				{"next_at", schema.Time, false},
				{"answered", schema.Integer, true},
				{"answer", schema.Text, false},
				{"error", schema.Text, false},
				{"took", schema.Integer, true},
				{"request", schema.Text, false}, // as it is sent, byte for byte
				{"tried", schema.Document, false},
			},
			primary: []string{"business_id", "id"},
			indexes: []index{
				{name: "webhook_delivery_of", columns: []string{"business_id", "webhook_id", "id"}},
				{name: "webhook_delivery_waiting", columns: []string{"business_id", "webhook_id", "seq"}, where: "finished_at IS NULL"},
				{name: "webhook_delivery_record", columns: []string{"business_id", "record_id", "id"}, where: "record_id IS NOT NULL"},
			},
			long: true,
		},
	}
}

func erasureTable() table {
	return table{
		name: "erasure",
		columns: []column{
			{"business_id", kindTenant, true},
			{"of_id", schema.ID, true},
			{"record_id", schema.ID, true},
			{"resource", schema.Text, true},
			{"at", schema.Time, true},
			{"user_id", schema.ID, false},
			{"token_id", schema.ID, false},
			{"app_id", schema.ID, false},
			{"client_id", schema.Text, false},
			{"request_id", schema.Text, false},
			{"chore", schema.Text, true},
			{"place", schema.Text, true},
		},
		primary: []string{"business_id", "of_id", "record_id"},
		indexes: []index{{name: "erasure_record", columns: []string{"business_id", "record_id"}}},
	}
}
