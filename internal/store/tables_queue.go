package store

import (
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// These are the tables of package queue: what is yet to be done, and what requests were answered.

func jobTables() []engine.Table {
	return []engine.Table{
		{
			Name: "job",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				required("id", schema.ID),
				required("kind", schema.Text),
				required("status", schema.Text),
				optional("user_id", schema.ID),
				optional("token_id", schema.ID),
				optional("app_id", schema.ID),
				optional("client_id", schema.Text),
				optional("connection_id", schema.ID),
				optional("scopes", schema.Text),
				required("params", schema.Document),
				optional("private", schema.Document),
				optional("place", schema.Text),
				required("total", schema.Integer),
				required("done", schema.Integer),
				required("failed", schema.Integer),
				required("first_seq", schema.Integer),
				required("last_seq", schema.Integer),
				required("tries", schema.Integer),
				optional("error", schema.Document),
				required("created_at", schema.Time),
				optional("started_at", schema.Time),
				optional("finished_at", schema.Time),
				// served_at is when a worker last turned to it, and leased_by has it until leased_until.
				required("served_at", schema.Time),
				optional("leased_by", schema.ID),
				optional("leased_until", schema.Time),
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
				required("business_id", engine.KindTenant),
				required("job_id", schema.ID),
				required("n", schema.Integer),
				required("ids", engine.KindBytes),
			},
			Primary: []string{"business_id", "job_id", "n"},
			Long:    true,
		},
		{
			Name: "job_refusal",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				required("job_id", schema.ID),
				required("n", schema.Integer),
				required("resource", schema.Text),
				optional("record_id", schema.ID),
				optional("input", schema.Document),
				required("problem", schema.Document),
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

func importTables() []engine.Table {
	return []engine.Table{
		{
			Name: "import",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				required("id", schema.ID),
				required("resource", schema.Text),
				optional("user_id", schema.ID),
				optional("connection_id", schema.ID),
				optional("scopes", schema.Text),
				required("options", schema.Document),
				optional("file", schema.Document),
				optional("file_id", schema.ID),
				// coming_id is that of the file that is being sent.
				optional("coming_id", schema.ID),
				optional("preview_id", schema.ID),
				optional("run_id", schema.ID),
				optional("undo_id", schema.ID),
				optional("undone", schema.Document),
				required("version", schema.Integer),
				required("created_at", schema.Time),
				required("updated_at", schema.Time),
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
				required("business_id", engine.KindTenant),
				required("import_id", schema.ID),
				required("file_id", schema.ID),
				required("first_row", schema.Integer),
				required("data", engine.KindBytes),
			},
			Primary: []string{"business_id", "import_id", "file_id", "first_row"},
			Long:    true,
		},
	}
}

func hookTables() []engine.Table {
	return []engine.Table{
		{
			// webhook_feed has a row for each business that had a webhook: leased_by delivers until leased_until. due_at is when
			// there is something to do although nothing is written.
			Name: "webhook_feed",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				optional("leased_by", schema.ID),
				optional("leased_until", schema.Time),
				optional("due_at", schema.Time),
			},
			Primary: []string{"business_id"},
		},
		{
			Name: "webhook_state",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				required("webhook_id", schema.ID),
				required("active", schema.Integer),
				optional("user_id", schema.ID),
				optional("token_id", schema.ID),
				optional("app_id", schema.ID),
				optional("client_id", schema.Text),
				optional("connection_id", schema.ID),
				optional("scopes", schema.Text),
				// Both are documents with the member secret, as all that is sealed.
				required("data", schema.Document),
				optional("old_data", schema.Document),
				optional("old_until", schema.Time),
				required("seq", schema.Integer),
				required("last_seq", schema.Integer),
				required("replay_seq", schema.Integer),
				required("replay_to", schema.Integer),
				required("replay_last", schema.Integer),
				required("failures", schema.Integer),
				optional("failing_since", schema.Time),
				optional("probe_at", schema.Time),
			},
			Primary: []string{"business_id", "webhook_id"},
		},
		{
			Name: "webhook_delivery",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				required("id", schema.ID),
				required("webhook_id", schema.ID),
				required("seq", schema.Integer),
				required("prev_seq", schema.Integer),
				required("event", schema.Text),
				optional("record_id", schema.ID),
				required("replayed", schema.Integer),
				required("status", schema.Text),
				required("attempts", schema.Integer),
				required("created_at", schema.Time),
				optional("finished_at", schema.Time),
				optional("next_at", schema.Time),
				required("answered", schema.Integer),
				optional("answer", schema.Text),
				optional("error", schema.Text),
				required("took", schema.Integer),
				optional("request", schema.Text), // as it is sent, byte for byte
				optional("tried", schema.Document),
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

func erasureTable() engine.Table {
	return engine.Table{
		Name: "erasure",
		Columns: []engine.Column{
			required("business_id", engine.KindTenant),
			required("of_id", schema.ID),
			required("record_id", schema.ID),
			required("resource", schema.Text),
			required("at", schema.Time),
			optional("user_id", schema.ID),
			optional("token_id", schema.ID),
			optional("app_id", schema.ID),
			optional("client_id", schema.Text),
			optional("request_id", schema.Text),
			required("chore", schema.Text),
			required("place", schema.Text),
		},
		Primary: []string{"business_id", "of_id", "record_id"},
		Indexes: []engine.Index{{Name: "erasure_record", Columns: []string{"business_id", "record_id"}}},
	}
}
