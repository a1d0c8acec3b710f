package layout

import (
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// These are the tables of package queue: what is yet to be done, and what requests were answered.

// jobTables are those of jobs.
func jobTables() []engine.Table {
	return []engine.Table{
		{
			Name: "job",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Required("id", schema.ID),
				engine.Required("kind", schema.Text),
				engine.Required("status", schema.Text),
				engine.Optional("user_id", schema.ID),
				engine.Optional("token_id", schema.ID),
				engine.Optional("app_id", schema.ID),
				engine.Optional("client_id", schema.Text),
				engine.Optional("connection_id", schema.ID),
				engine.Optional("scopes", schema.Text),
				engine.Required("params", schema.Document),
				engine.Optional("private", schema.Document),
				engine.Optional("place", schema.Text),
				engine.Required("total", schema.Integer),
				engine.Required("done", schema.Integer),
				engine.Required("failed", schema.Integer),
				engine.Required("first_seq", schema.Integer),
				engine.Required("last_seq", schema.Integer),
				engine.Required("tries", schema.Integer),
				engine.Optional("error", schema.Document),
				engine.Required("created_at", schema.Time),
				engine.Optional("started_at", schema.Time),
				engine.Optional("finished_at", schema.Time),
				// served_at is when a worker last turned to it, and leased_by has it until leased_until.
				engine.Required("served_at", schema.Time),
				engine.Optional("leased_by", schema.ID),
				engine.Optional("leased_until", schema.Time),
			},
			Primary: []string{"business_id", "id"},
			Indexes: []engine.Index{
				{Name: "job_open", Columns: []string{"business_id", "served_at"}, Where: "finished_at IS NULL"},
				{Name: "job_user", Columns: []string{"business_id", "user_id", "id"}},
				{Name: "job_finished", Columns: []string{"finished_at"}, Where: "finished_at IS NOT NULL"},
			},
			Long: true,
		},
		{
			// job_set has the ids of the records that a job is about, many in a row, in the order in which they are done.
			Name: "job_set",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Required("job_id", schema.ID),
				engine.Required("n", schema.Integer),
				engine.Required("ids", engine.KindBytes),
			},
			Primary: []string{"business_id", "job_id", "n"},
			Long:    true,
		},
		{
			Name: "job_refusal",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Required("job_id", schema.ID),
				engine.Required("n", schema.Integer),
				engine.Required("resource", schema.Text),
				engine.Optional("record_id", schema.ID),
				engine.Optional("input", schema.Document),
				engine.Required("problem", schema.Document),
			},
			Primary: []string{"business_id", "job_id", "n"},
			Indexes: []engine.Index{{
				Name: "job_refusal_record", Columns: []string{"business_id", "record_id"},
				Where: "record_id IS NOT NULL",
			}},
			Long: true,
		},
	}
}

// importTables are those of imports.
func importTables() []engine.Table {
	return []engine.Table{
		{
			Name: "import",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Required("id", schema.ID),
				engine.Required("resource", schema.Text),
				engine.Optional("user_id", schema.ID),
				engine.Optional("connection_id", schema.ID),
				engine.Optional("scopes", schema.Text),
				engine.Required("options", schema.Document),
				engine.Optional("file", schema.Document),
				engine.Optional("file_id", schema.ID),
				// coming_id is that of the file that is being sent.
				engine.Optional("coming_id", schema.ID),
				engine.Optional("preview_id", schema.ID),
				engine.Optional("run_id", schema.ID),
				engine.Optional("undo_id", schema.ID),
				engine.Optional("undone", schema.Document),
				engine.Required("version", schema.Integer),
				engine.Required("created_at", schema.Time),
				engine.Required("updated_at", schema.Time),
			},
			Primary: []string{"business_id", "id"},
			Indexes: []engine.Index{
				{Name: "import_user", Columns: []string{"business_id", "user_id", "id"}},
				{Name: "import_updated", Columns: []string{"updated_at"}},
			},
			Long: true,
		},
		{
			Name: "import_row",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Required("import_id", schema.ID),
				engine.Required("file_id", schema.ID),
				engine.Required("first_row", schema.Integer),
				engine.Required("data", engine.KindBytes),
			},
			Primary: []string{"business_id", "import_id", "file_id", "first_row"},
			Long:    true,
		},
	}
}

// hookTables are those of webhooks.
func hookTables() []engine.Table {
	return []engine.Table{
		{
			// webhook_feed has a row for each business that had a webhook: leased_by delivers until leased_until. due_at is when
			// there is something to do although nothing is written.
			Name: "webhook_feed",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Optional("leased_by", schema.ID),
				engine.Optional("leased_until", schema.Time),
				engine.Optional("due_at", schema.Time),
			},
			Primary: []string{"business_id"},
		},
		{
			Name: "webhook_state",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Required("webhook_id", schema.ID),
				engine.Required("active", schema.Integer),
				engine.Optional("user_id", schema.ID),
				engine.Optional("token_id", schema.ID),
				engine.Optional("app_id", schema.ID),
				engine.Optional("client_id", schema.Text),
				engine.Optional("connection_id", schema.ID),
				engine.Optional("scopes", schema.Text),
				// Both are documents with the member secret, as all that is sealed.
				engine.Required("data", schema.Document),
				engine.Optional("old_data", schema.Document),
				engine.Optional("old_until", schema.Time),
				engine.Required("seq", schema.Integer),
				engine.Required("last_seq", schema.Integer),
				engine.Required("replay_seq", schema.Integer),
				engine.Required("replay_to", schema.Integer),
				engine.Required("replay_last", schema.Integer),
				engine.Required("failures", schema.Integer),
				engine.Optional("failing_since", schema.Time),
				engine.Optional("probe_at", schema.Time),
			},
			Primary: []string{"business_id", "webhook_id"},
		},
		{
			Name: "webhook_delivery",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Required("id", schema.ID),
				engine.Required("webhook_id", schema.ID),
				engine.Required("seq", schema.Integer),
				engine.Required("prev_seq", schema.Integer),
				engine.Required("event", schema.Text),
				engine.Optional("record_id", schema.ID),
				engine.Required("replayed", schema.Integer),
				engine.Required("status", schema.Text),
				engine.Required("attempts", schema.Integer),
				engine.Required("created_at", schema.Time),
				engine.Optional("finished_at", schema.Time),
				engine.Optional("next_at", schema.Time),
				engine.Required("answered", schema.Integer),
				engine.Optional("answer", schema.Text),
				engine.Optional("error", schema.Text),
				engine.Required("took", schema.Integer),
				engine.Optional("request", schema.Text), // as it is sent, byte for byte
				engine.Optional("tried", schema.Document),
			},
			Primary: []string{"business_id", "id"},
			Indexes: []engine.Index{
				{Name: "webhook_delivery_of", Columns: []string{"business_id", "webhook_id", "id"}},
				{Name: "webhook_delivery_waiting", Columns: []string{"business_id", "webhook_id", "seq"}, Where: "finished_at IS NULL"},
				{Name: "webhook_delivery_record", Columns: []string{"business_id", "record_id", "id"}, Where: "record_id IS NOT NULL"},
			},
			Long: true,
		},
	}
}

// erasureTable has what erasures have still to remove.
func erasureTable() engine.Table {
	return engine.Table{
		Name: "erasure",
		Columns: []engine.Column{
			engine.Required("business_id", engine.KindTenant),
			engine.Required("of_id", schema.ID),
			engine.Required("record_id", schema.ID),
			engine.Required("resource", schema.Text),
			engine.Required("at", schema.Time),
			engine.Optional("user_id", schema.ID),
			engine.Optional("token_id", schema.ID),
			engine.Optional("app_id", schema.ID),
			engine.Optional("client_id", schema.Text),
			engine.Optional("request_id", schema.Text),
			engine.Required("chore", schema.Text),
			engine.Required("place", schema.Text),
		},
		Primary: []string{"business_id", "of_id", "record_id"},
		Indexes: []engine.Index{{Name: "erasure_record", Columns: []string{"business_id", "record_id"}}},
	}
}
