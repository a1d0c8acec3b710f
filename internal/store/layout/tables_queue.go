package layout

import "github.com/kith-crm/kith/internal/store/engine"

// These are the tables of package queue: what is yet to be done, and what requests were answered.

// jobTables are those of jobs.
func jobTables() []engine.Table {
	return []engine.Table{
		{
			// served_at is when a worker last turned to it, and leased_by has it until leased_until.
			Name: "job",
			Columns: columns(`
				business_id business, id id, kind text, status text, user_id id?, token_id id?, app_id id?, client_id text?,
				connection_id id?, scopes text?, params document, private document?, place text?, total integer, done integer,
				failed integer, first_seq integer, last_seq integer, tries integer, error document?, created_at time, started_at time?,
				finished_at time?, served_at time, leased_by id?, leased_until time?`),
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
			Name:    "job_set",
			Columns: columns("business_id business, job_id id, n integer, ids bytes"),
			Primary: []string{"business_id", "job_id", "n"},
			Long:    true,
		},
		{
			Name: "job_refusal",
			Columns: columns(`
				business_id business, job_id id, n integer, resource text, record_id id?, input document?, problem document`),
			Primary: []string{"business_id", "job_id", "n"},
			Indexes: []engine.Index{{
				Name: "job_refusal_record", Columns: []string{"business_id", "record_id"},
				Where: "record_id IS NOT NULL",
			}},
			Long: true,
		},
	}
}

// sentTable has the notifications that are to be sent in one way, when and to whom. Whoever sends them has them until leased_until, for
// the so manieth time.
func sentTable(name string) engine.Table {
	return engine.Table{
		Name:    name,
		Columns: columns("business_id business, notification_id id, user_id id, due_at time, tries integer, leased_until time?"),
		Primary: []string{"business_id", "notification_id"},
		Indexes: []engine.Index{{Name: name + "_due", Columns: []string{"due_at"}}},
	}
}

// importTables are those of imports.
func importTables() []engine.Table {
	return []engine.Table{
		{
			// coming_id is that of the file that is being sent.
			Name: "import",
			Columns: columns(`
				business_id business, id id, resource text, user_id id?, connection_id id?, scopes text?, options document,
				file document?, file_id id?, coming_id id?, preview_id id?, run_id id?, undo_id id?, undone document?, version integer,
				created_at time, updated_at time`),
			Primary: []string{"business_id", "id"},
			Indexes: []engine.Index{
				{Name: "import_user", Columns: []string{"business_id", "user_id", "id"}},
				{Name: "import_updated", Columns: []string{"updated_at"}},
			},
			Long: true,
		},
		{
			Name:    "import_row",
			Columns: columns("business_id business, import_id id, file_id id, first_row integer, data bytes"),
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
			Name:    "webhook_feed",
			Columns: columns("business_id business, leased_by id?, leased_until time?, due_at time?"),
			Primary: []string{"business_id"},
		},
		{
			// data and old_data are documents with the member secret, as all that is sealed.
			Name: "webhook_state",
			Columns: columns(`
				business_id business, webhook_id id, active integer, user_id id?, token_id id?, app_id id?, client_id text?,
				connection_id id?, scopes text?, data document, old_data document?, old_until time?, seq integer, last_seq integer,
				replay_seq integer, replay_to integer, replay_last integer, failures integer, failing_since time?, probe_at time?`),
			Primary: []string{"business_id", "webhook_id"},
		},
		{
			// request is as it is sent, byte for byte.
			Name: "webhook_delivery",
			Columns: columns(`
				business_id business, id id, webhook_id id, seq integer, prev_seq integer, event text, record_id id?, replayed integer,
				status text, attempts integer, created_at time, finished_at time?, next_at time?, answered integer, answer text?,
				error text?, took integer, request text?, tried document?`),
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
