ANALYZE sqlite_schema;

CREATE TABLE setting (
	name TEXT NOT NULL,
	value BLOB NOT NULL,
	PRIMARY KEY (name)
) WITHOUT ROWID;

CREATE TABLE business (
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	name TEXT NOT NULL,
	currency TEXT NOT NULL,
	change_seq INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (business_id)
);

CREATE INDEX business_by_id ON business (id);

CREATE TABLE tally (
	business_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	n INTEGER NOT NULL,
	made INTEGER,
	latest INTEGER,
	shelf INTEGER,
	PRIMARY KEY (business_id, name)
) WITHOUT ROWID;

CREATE TABLE shelf (
	business_id INTEGER NOT NULL,
	resource TEXT NOT NULL,
	start INTEGER NOT NULL,
	PRIMARY KEY (business_id, resource, start)
) WITHOUT ROWID;

CREATE TABLE change (
	business_id INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	resource TEXT NOT NULL,
	record_id BLOB NOT NULL,
	version INTEGER NOT NULL,
	action TEXT NOT NULL,
	at INTEGER NOT NULL,
	user_id BLOB,
	token_id BLOB,
	app_id BLOB,
	request_id TEXT,
	changes TEXT NOT NULL,
	PRIMARY KEY (business_id, seq)
) WITHOUT ROWID;

CREATE INDEX change_record ON change (business_id, resource, record_id, seq);

CREATE TABLE password (
	business_id INTEGER NOT NULL,
	user_id BLOB NOT NULL,
	hash TEXT NOT NULL,
	set_at INTEGER NOT NULL,
	PRIMARY KEY (business_id, user_id)
) WITHOUT ROWID;

CREATE TABLE identity (
	email_key TEXT NOT NULL,
	business_id INTEGER NOT NULL,
	user_id BLOB NOT NULL,
	PRIMARY KEY (email_key, business_id)
) WITHOUT ROWID;

CREATE TABLE credential (
	hash BLOB NOT NULL,
	kind TEXT NOT NULL,
	business_id INTEGER NOT NULL,
	user_id BLOB NOT NULL,
	parent_id BLOB NOT NULL,
	scopes TEXT,
	created_at INTEGER NOT NULL,
	expires_at INTEGER,
	used_at INTEGER,
	data TEXT,
	PRIMARY KEY (hash)
) WITHOUT ROWID;

CREATE INDEX credential_parent ON credential (business_id, parent_id);

CREATE INDEX credential_user ON credential (business_id, user_id);

CREATE INDEX credential_expiry ON credential (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE session (
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	user_id BLOB NOT NULL,
	created_at INTEGER NOT NULL,
	seen_at INTEGER NOT NULL,
	agent TEXT,
	address TEXT,
	PRIMARY KEY (business_id, id)
) WITHOUT ROWID;

CREATE INDEX session_of_user ON session (business_id, user_id);

CREATE TABLE access_grant (
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	user_id BLOB NOT NULL,
	client_id TEXT NOT NULL,
	client_name TEXT NOT NULL,
	scopes TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	used_at INTEGER,
	PRIMARY KEY (business_id, id)
) WITHOUT ROWID;

CREATE INDEX access_grant_user ON access_grant (business_id, user_id);

CREATE TABLE client (
	client_id TEXT NOT NULL,
	business_id INTEGER,
	app_id BLOB,
	secret_hash BLOB,
	registration_hash BLOB,
	metadata TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	used_at INTEGER,
	PRIMARY KEY (client_id)
) WITHOUT ROWID;

CREATE INDEX client_created ON client (created_at);

CREATE TABLE contacts (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	first_name TEXT,
	first_name_key TEXT,
	last_name TEXT,
	last_name_key TEXT,
	name TEXT,
	name_key TEXT,
	email TEXT,
	email_key TEXT,
	phone TEXT,
	phone_key TEXT,
	mobile_phone TEXT,
	mobile_phone_key TEXT,
	job_title TEXT,
	job_title_key TEXT,
	company_id BLOB,
	lead_score REAL,
	lifecycle_stage_id BLOB,
	lead_source TEXT,
	lead_source_key TEXT,
	address_street TEXT,
	address_street_key TEXT,
	address_city TEXT,
	address_city_key TEXT,
	address_region TEXT,
	address_region_key TEXT,
	address_postal_code TEXT,
	address_postal_code_key TEXT,
	address_country TEXT,
	address_country_key TEXT,
	linkedin_url TEXT,
	linkedin_url_key TEXT,
	timezone TEXT,
	timezone_key TEXT,
	do_not_contact INTEGER,
	last_contacted_at INTEGER,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX contacts_id ON contacts (business_id, id);

CREATE INDEX contact_name_order ON contacts (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX contact_email_filter ON contacts (business_id, email_key, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX contact_company_id_filter ON contacts (business_id, company_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX contact_lead_score_order ON contacts (business_id, lead_score, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX contact_lifecycle_stage_id_filter ON contacts (business_id, lifecycle_stage_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX contact_last_contacted_at_order ON contacts (business_id, last_contacted_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX contact_owner_id_filter ON contacts (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX contact_owner_id_recent ON contacts (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX contact_external_id ON contacts (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX contact_created_at_order ON contacts (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX contact_updated_at_order ON contacts (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX contact_bin ON contacts (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_name_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_email_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_company_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_lead_score_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_lifecycle_stage_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_last_contacted_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contacts_id', '1000000 10000 1');

CREATE VIRTUAL TABLE contacts_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE companies (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	name TEXT,
	name_key TEXT,
	legal_name TEXT,
	legal_name_key TEXT,
	domain TEXT,
	domain_key TEXT,
	website TEXT,
	website_key TEXT,
	email TEXT,
	email_key TEXT,
	phone TEXT,
	phone_key TEXT,
	industry TEXT,
	industry_key TEXT,
	company_type TEXT,
	company_type_key TEXT,
	employee_count INTEGER,
	annual_revenue INTEGER,
	currency TEXT,
	currency_key TEXT,
	address_street TEXT,
	address_street_key TEXT,
	address_city TEXT,
	address_city_key TEXT,
	address_region TEXT,
	address_region_key TEXT,
	address_postal_code TEXT,
	address_postal_code_key TEXT,
	address_country TEXT,
	address_country_key TEXT,
	parent_company_id BLOB,
	lifecycle_stage_id BLOB,
	description TEXT,
	description_key TEXT,
	linkedin_url TEXT,
	linkedin_url_key TEXT,
	last_contacted_at INTEGER,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX companies_id ON companies (business_id, id);

CREATE INDEX company_name_order ON companies (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX company_domain_filter ON companies (business_id, domain_key, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX company_email_filter ON companies (business_id, email_key, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX company_parent_company_id_filter ON companies (business_id, parent_company_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX company_lifecycle_stage_id_filter ON companies (business_id, lifecycle_stage_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX company_last_contacted_at_order ON companies (business_id, last_contacted_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX company_owner_id_filter ON companies (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX company_owner_id_recent ON companies (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX company_external_id ON companies (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX company_created_at_order ON companies (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX company_updated_at_order ON companies (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX company_bin ON companies (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'company_name_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'company_domain_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'company_email_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'company_parent_company_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'company_lifecycle_stage_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'company_last_contacted_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'company_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'company_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'company_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'company_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'company_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'company_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'companies_id', '1000000 10000 1');

CREATE VIRTUAL TABLE companies_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE deals (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	name TEXT,
	name_key TEXT,
	pipeline_id BLOB,
	stage_id BLOB,
	status TEXT NOT NULL,
	amount INTEGER,
	currency TEXT,
	currency_key TEXT,
	probability INTEGER,
	expected_close_date INTEGER,
	closed_at INTEGER,
	lost_reason TEXT,
	lost_reason_key TEXT,
	company_id BLOB,
	contact_id BLOB,
	line_items TEXT,
	next_step TEXT,
	next_step_key TEXT,
	stage_changed_at INTEGER,
	description TEXT,
	description_key TEXT,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX deals_id ON deals (business_id, id);

CREATE INDEX deal_name_order ON deals (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX deal_pipeline_id_filter ON deals (business_id, pipeline_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX deal_stage_id_filter ON deals (business_id, stage_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX deal_status_filter ON deals (business_id, status, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX deal_amount_order ON deals (business_id, amount, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX deal_expected_close_date_order ON deals (business_id, expected_close_date, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX deal_company_id_filter ON deals (business_id, company_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX deal_contact_id_filter ON deals (business_id, contact_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX deal_owner_id_filter ON deals (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX deal_owner_id_recent ON deals (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX deal_external_id ON deals (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX deal_created_at_order ON deals (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX deal_updated_at_order ON deals (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX deal_bin ON deals (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_name_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_pipeline_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_stage_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_status_filter', '1000000 10000 2000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_amount_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_expected_close_date_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_company_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_contact_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deals_id', '1000000 10000 1');

CREATE VIRTUAL TABLE deals_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE tasks (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	title TEXT,
	title_key TEXT,
	description TEXT,
	description_key TEXT,
	task_type TEXT,
	task_type_key TEXT,
	status TEXT,
	priority TEXT,
	due_at INTEGER,
	completed_at INTEGER,
	completed_by BLOB,
	assignee_id BLOB,
	contact_id BLOB,
	company_id BLOB,
	deal_id BLOB,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX tasks_id ON tasks (business_id, id);

CREATE INDEX task_title_order ON tasks (business_id, title_key, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX task_status_filter ON tasks (business_id, status, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX task_priority_filter ON tasks (business_id, priority, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX task_due_at_order ON tasks (business_id, due_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX task_assignee_id_filter ON tasks (business_id, assignee_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX task_contact_id_filter ON tasks (business_id, contact_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX task_company_id_filter ON tasks (business_id, company_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX task_deal_id_filter ON tasks (business_id, deal_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX task_owner_id_filter ON tasks (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX task_owner_id_recent ON tasks (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX task_external_id ON tasks (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX task_created_at_order ON tasks (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX task_updated_at_order ON tasks (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX task_bin ON tasks (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_title_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_status_filter', '1000000 10000 2000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_priority_filter', '1000000 10000 2000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_due_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_assignee_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_contact_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_company_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_deal_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'tasks_id', '1000000 10000 1');

CREATE VIRTUAL TABLE tasks_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE notes (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	title TEXT,
	title_key TEXT,
	body TEXT,
	body_key TEXT,
	pinned INTEGER,
	pinned_at INTEGER,
	pinned_by BLOB,
	contact_id BLOB,
	company_id BLOB,
	deal_id BLOB,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX notes_id ON notes (business_id, id);

CREATE INDEX note_pinned_filter ON notes (business_id, pinned, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX note_contact_id_filter ON notes (business_id, contact_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX note_company_id_filter ON notes (business_id, company_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX note_deal_id_filter ON notes (business_id, deal_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX note_owner_id_filter ON notes (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX note_owner_id_recent ON notes (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX note_external_id ON notes (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX note_created_at_order ON notes (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX note_updated_at_order ON notes (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX note_bin ON notes (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'note_pinned_filter', '1000000 10000 2000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'note_contact_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'note_company_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'note_deal_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'note_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'note_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'note_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'note_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'note_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'note_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'notes_id', '1000000 10000 1');

CREATE VIRTUAL TABLE notes_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE activities (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	activity_type TEXT,
	subject TEXT,
	subject_key TEXT,
	body TEXT,
	body_key TEXT,
	direction TEXT,
	outcome TEXT,
	outcome_key TEXT,
	occurred_at INTEGER,
	duration_seconds INTEGER,
	location TEXT,
	location_key TEXT,
	contact_id BLOB,
	company_id BLOB,
	deal_id BLOB,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX activities_id ON activities (business_id, id);

CREATE INDEX activity_activity_type_filter ON activities (business_id, activity_type, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX activity_occurred_at_order ON activities (business_id, occurred_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX activity_contact_id_filter ON activities (business_id, contact_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX activity_company_id_filter ON activities (business_id, company_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX activity_deal_id_filter ON activities (business_id, deal_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX activity_owner_id_filter ON activities (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX activity_owner_id_recent ON activities (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX activity_external_id ON activities (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX activity_created_at_order ON activities (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX activity_updated_at_order ON activities (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX activity_bin ON activities (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_activity_type_filter', '1000000 10000 2000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_occurred_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_contact_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_company_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_deal_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activities_id', '1000000 10000 1');

CREATE VIRTUAL TABLE activities_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE products (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	name TEXT,
	name_key TEXT,
	sku TEXT,
	sku_key TEXT,
	description TEXT,
	description_key TEXT,
	status TEXT,
	price INTEGER,
	cost INTEGER,
	currency TEXT,
	currency_key TEXT,
	tax_rate INTEGER,
	unit TEXT,
	unit_key TEXT,
	category TEXT,
	category_key TEXT,
	billing_frequency TEXT,
	image_url TEXT,
	image_url_key TEXT,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX products_id ON products (business_id, id);

CREATE INDEX product_name_order ON products (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX product_sku ON products (business_id, sku_key) WHERE deleted_at IS NULL;

CREATE INDEX product_status_filter ON products (business_id, status, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX product_price_order ON products (business_id, price, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX product_owner_id_filter ON products (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX product_owner_id_recent ON products (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX product_external_id ON products (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX product_created_at_order ON products (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX product_updated_at_order ON products (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX product_bin ON products (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('products', 'product_name_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('products', 'product_sku', '1000000 10000 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('products', 'product_status_filter', '1000000 10000 2000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('products', 'product_price_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('products', 'product_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('products', 'product_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('products', 'product_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('products', 'product_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('products', 'product_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('products', 'product_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('products', 'products_id', '1000000 10000 1');

CREATE VIRTUAL TABLE products_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE quotes (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	number INTEGER NOT NULL,
	title TEXT,
	title_key TEXT,
	status TEXT NOT NULL,
	deal_id BLOB,
	company_id BLOB,
	contact_id BLOB,
	currency TEXT,
	currency_key TEXT,
	line_items TEXT,
	subtotal INTEGER NOT NULL,
	discount_total INTEGER NOT NULL,
	tax_total INTEGER NOT NULL,
	total INTEGER NOT NULL,
	valid_until INTEGER,
	terms TEXT,
	terms_key TEXT,
	sent_at INTEGER,
	accepted_at INTEGER,
	declined_at INTEGER,
	declined_reason TEXT,
	declined_reason_key TEXT,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX quotes_id ON quotes (business_id, id);

CREATE INDEX quote_number_order ON quotes (business_id, number, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX quote_status_filter ON quotes (business_id, status, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX quote_deal_id_filter ON quotes (business_id, deal_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX quote_company_id_filter ON quotes (business_id, company_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX quote_contact_id_filter ON quotes (business_id, contact_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX quote_total_order ON quotes (business_id, total, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX quote_valid_until_order ON quotes (business_id, valid_until, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX quote_owner_id_filter ON quotes (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX quote_owner_id_recent ON quotes (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX quote_external_id ON quotes (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX quote_created_at_order ON quotes (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX quote_updated_at_order ON quotes (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX quote_bin ON quotes (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_number_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_status_filter', '1000000 10000 2000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_deal_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_company_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_contact_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_total_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_valid_until_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quotes_id', '1000000 10000 1');

CREATE VIRTUAL TABLE quotes_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE pipelines (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	name TEXT,
	name_key TEXT,
	position INTEGER,
	is_default INTEGER,
	stages TEXT,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX pipelines_id ON pipelines (business_id, id);

CREATE INDEX pipeline_name_order ON pipelines (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_position_order ON pipelines (business_id, position, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_owner_id_filter ON pipelines (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_owner_id_recent ON pipelines (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX pipeline_external_id ON pipelines (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_created_at_order ON pipelines (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_updated_at_order ON pipelines (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_bin ON pipelines (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('pipelines', 'pipeline_name_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('pipelines', 'pipeline_position_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('pipelines', 'pipeline_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('pipelines', 'pipeline_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('pipelines', 'pipeline_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('pipelines', 'pipeline_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('pipelines', 'pipeline_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('pipelines', 'pipeline_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('pipelines', 'pipelines_id', '1000000 10000 1');

CREATE VIRTUAL TABLE pipelines_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE lifecycle_stages (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	name TEXT,
	name_key TEXT,
	position INTEGER,
	is_default INTEGER,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX lifecycle_stages_id ON lifecycle_stages (business_id, id);

CREATE INDEX lifecycle_stage_name_order ON lifecycle_stages (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_position_order ON lifecycle_stages (business_id, position, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_owner_id_filter ON lifecycle_stages (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_owner_id_recent ON lifecycle_stages (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX lifecycle_stage_external_id ON lifecycle_stages (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_created_at_order ON lifecycle_stages (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_updated_at_order ON lifecycle_stages (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_bin ON lifecycle_stages (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('lifecycle_stages', 'lifecycle_stage_name_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('lifecycle_stages', 'lifecycle_stage_position_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('lifecycle_stages', 'lifecycle_stage_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('lifecycle_stages', 'lifecycle_stage_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('lifecycle_stages', 'lifecycle_stage_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('lifecycle_stages', 'lifecycle_stage_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('lifecycle_stages', 'lifecycle_stage_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('lifecycle_stages', 'lifecycle_stage_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('lifecycle_stages', 'lifecycle_stages_id', '1000000 10000 1');

CREATE VIRTUAL TABLE lifecycle_stages_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE users (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	email TEXT,
	email_key TEXT,
	name TEXT,
	name_key TEXT,
	status TEXT,
	role_id BLOB,
	timezone TEXT,
	timezone_key TEXT,
	locale TEXT,
	locale_key TEXT,
	last_active_at INTEGER,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX users_id ON users (business_id, id);

CREATE UNIQUE INDEX user_email ON users (business_id, email_key) WHERE deleted_at IS NULL;

CREATE INDEX user_email_filter ON users (business_id, email_key, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX user_name_order ON users (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX user_status_filter ON users (business_id, status, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX user_role_id_filter ON users (business_id, role_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX user_owner_id_filter ON users (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX user_owner_id_recent ON users (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX user_external_id ON users (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX user_created_at_order ON users (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX user_updated_at_order ON users (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX user_bin ON users (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('users', 'user_email', '1000000 10000 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('users', 'user_email_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('users', 'user_name_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('users', 'user_status_filter', '1000000 10000 2000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('users', 'user_role_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('users', 'user_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('users', 'user_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('users', 'user_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('users', 'user_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('users', 'user_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('users', 'user_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('users', 'users_id', '1000000 10000 1');

CREATE VIRTUAL TABLE users_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE roles (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	name TEXT,
	name_key TEXT,
	permissions TEXT,
	features TEXT,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX roles_id ON roles (business_id, id);

CREATE UNIQUE INDEX role_name ON roles (business_id, name_key) WHERE deleted_at IS NULL;

CREATE INDEX role_name_order ON roles (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX role_owner_id_filter ON roles (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX role_owner_id_recent ON roles (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX role_external_id ON roles (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX role_created_at_order ON roles (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX role_updated_at_order ON roles (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX role_bin ON roles (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('roles', 'role_name', '1000000 10000 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('roles', 'role_name_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('roles', 'role_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('roles', 'role_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('roles', 'role_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('roles', 'role_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('roles', 'role_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('roles', 'role_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('roles', 'roles_id', '1000000 10000 1');

CREATE VIRTUAL TABLE roles_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE tokens (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	name TEXT,
	name_key TEXT,
	scopes TEXT,
	hint TEXT,
	hint_key TEXT,
	user_id BLOB,
	expires_at INTEGER,
	last_used_at INTEGER,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX tokens_id ON tokens (business_id, id);

CREATE INDEX token_name_order ON tokens (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX token_user_id_filter ON tokens (business_id, user_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX token_owner_id_filter ON tokens (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX token_owner_id_recent ON tokens (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX token_external_id ON tokens (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX token_created_at_order ON tokens (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX token_updated_at_order ON tokens (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX token_bin ON tokens (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tokens', 'token_name_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tokens', 'token_user_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tokens', 'token_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tokens', 'token_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tokens', 'token_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tokens', 'token_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tokens', 'token_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tokens', 'token_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tokens', 'tokens_id', '1000000 10000 1');

CREATE VIRTUAL TABLE tokens_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE apps (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	name TEXT,
	name_key TEXT,
	client_id TEXT NOT NULL,
	client_id_key TEXT,
	redirect_uris TEXT,
	redirect_uris_key TEXT,
	grant_types TEXT,
	scopes TEXT,
	user_id BLOB,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX apps_id ON apps (business_id, id);

CREATE INDEX app_name_order ON apps (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX app_client_id_filter ON apps (business_id, client_id_key, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX app_user_id_filter ON apps (business_id, user_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX app_owner_id_filter ON apps (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX app_owner_id_recent ON apps (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX app_external_id ON apps (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX app_created_at_order ON apps (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX app_updated_at_order ON apps (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX app_bin ON apps (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('apps', 'app_name_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('apps', 'app_client_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('apps', 'app_user_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('apps', 'app_owner_id_filter', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('apps', 'app_owner_id_recent', '1000000 10000 100 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('apps', 'app_external_id', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('apps', 'app_created_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('apps', 'app_updated_at_order', '1000000 10000 10 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('apps', 'app_bin', '1000000 10000 1 1');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('apps', 'apps_id', '1000000 10000 1');

CREATE VIRTUAL TABLE apps_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

ANALYZE sqlite_schema;
