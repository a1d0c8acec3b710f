CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE TABLE setting (
	name text COLLATE "C" NOT NULL,
	value bytea NOT NULL,
	PRIMARY KEY (name)
);

CREATE TABLE business (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C" NOT NULL,
	currency text COLLATE "C" NOT NULL,
	change_seq bigint NOT NULL,
	created_at timestamptz NOT NULL,
	PRIMARY KEY (business_id)
);

CREATE INDEX business_by_id ON business (id);

CREATE TABLE tally (
	business_id uuid NOT NULL,
	name text COLLATE "C" NOT NULL,
	n bigint NOT NULL,
	made bigint,
	latest bigint,
	shelf bigint,
	PRIMARY KEY (business_id, name)
);

CREATE TABLE shelf (
	business_id uuid NOT NULL,
	resource text COLLATE "C" NOT NULL,
	start bigint NOT NULL,
	PRIMARY KEY (business_id, resource, start)
);

CREATE TABLE change (
	business_id uuid NOT NULL,
	seq bigint NOT NULL,
	resource text COLLATE "C" NOT NULL,
	record_id uuid NOT NULL,
	version bigint NOT NULL,
	action text COLLATE "C" NOT NULL,
	at timestamptz NOT NULL,
	user_id uuid,
	token_id uuid,
	app_id uuid,
	request_id text COLLATE "C",
	changes json NOT NULL,
	PRIMARY KEY (business_id, seq)
) PARTITION BY HASH (business_id);

CREATE TABLE change_p0 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE change_p1 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE change_p2 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE change_p3 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE change_p4 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE change_p5 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE change_p6 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE change_p7 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE change_p8 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE change_p9 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE change_p10 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE change_p11 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE change_p12 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE change_p13 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE change_p14 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE change_p15 PARTITION OF change FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX change_record ON change (business_id, resource, record_id, seq);

CREATE TABLE password (
	business_id uuid NOT NULL,
	user_id uuid NOT NULL,
	hash text COLLATE "C" NOT NULL,
	set_at timestamptz NOT NULL,
	PRIMARY KEY (business_id, user_id)
);

CREATE TABLE identity (
	email_key text COLLATE "C" NOT NULL,
	business_id uuid NOT NULL,
	user_id uuid NOT NULL,
	PRIMARY KEY (email_key, business_id)
);

CREATE TABLE credential (
	hash bytea NOT NULL,
	kind text COLLATE "C" NOT NULL,
	business_id uuid NOT NULL,
	user_id uuid NOT NULL,
	parent_id uuid NOT NULL,
	scopes text COLLATE "C",
	created_at timestamptz NOT NULL,
	expires_at timestamptz,
	used_at timestamptz,
	data json,
	PRIMARY KEY (hash)
);

CREATE INDEX credential_parent ON credential (business_id, parent_id);

CREATE INDEX credential_user ON credential (business_id, user_id);

CREATE INDEX credential_expiry ON credential (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE session (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	user_id uuid NOT NULL,
	created_at timestamptz NOT NULL,
	seen_at timestamptz NOT NULL,
	agent text COLLATE "C",
	address text COLLATE "C",
	PRIMARY KEY (business_id, id)
);

CREATE INDEX session_of_user ON session (business_id, user_id);

CREATE TABLE access_grant (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	user_id uuid NOT NULL,
	client_id text COLLATE "C" NOT NULL,
	client_name text COLLATE "C" NOT NULL,
	scopes text COLLATE "C" NOT NULL,
	created_at timestamptz NOT NULL,
	used_at timestamptz,
	PRIMARY KEY (business_id, id)
);

CREATE INDEX access_grant_user ON access_grant (business_id, user_id);

CREATE TABLE client (
	client_id text COLLATE "C" NOT NULL,
	business_id uuid,
	app_id uuid,
	secret_hash bytea,
	registration_hash bytea,
	metadata json NOT NULL,
	created_at timestamptz NOT NULL,
	used_at timestamptz,
	PRIMARY KEY (client_id)
);

CREATE INDEX client_created ON client (created_at);

CREATE TABLE contacts (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	first_name text COLLATE "C",
	first_name_key text COLLATE "C",
	last_name text COLLATE "C",
	last_name_key text COLLATE "C",
	name text COLLATE "C",
	name_key text COLLATE "C",
	email text COLLATE "C",
	email_key text COLLATE "C",
	phone text COLLATE "C",
	phone_key text COLLATE "C",
	mobile_phone text COLLATE "C",
	mobile_phone_key text COLLATE "C",
	job_title text COLLATE "C",
	job_title_key text COLLATE "C",
	company_id uuid,
	lead_score double precision,
	lifecycle_stage_id uuid,
	lead_source text COLLATE "C",
	lead_source_key text COLLATE "C",
	address_street text COLLATE "C",
	address_street_key text COLLATE "C",
	address_city text COLLATE "C",
	address_city_key text COLLATE "C",
	address_region text COLLATE "C",
	address_region_key text COLLATE "C",
	address_postal_code text COLLATE "C",
	address_postal_code_key text COLLATE "C",
	address_country text COLLATE "C",
	address_country_key text COLLATE "C",
	linkedin_url text COLLATE "C",
	linkedin_url_key text COLLATE "C",
	timezone text COLLATE "C",
	timezone_key text COLLATE "C",
	do_not_contact boolean,
	last_contacted_at timestamptz,
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE contacts_p0 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE contacts_p1 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE contacts_p2 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE contacts_p3 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE contacts_p4 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE contacts_p5 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE contacts_p6 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE contacts_p7 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE contacts_p8 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE contacts_p9 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE contacts_p10 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE contacts_p11 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE contacts_p12 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE contacts_p13 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE contacts_p14 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE contacts_p15 PARTITION OF contacts FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX contact_name_order ON contacts (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_email_filter ON contacts (business_id, email_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_company_id_filter ON contacts (business_id, company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_lead_score_order ON contacts (business_id, lead_score, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_lifecycle_stage_id_filter ON contacts (business_id, lifecycle_stage_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_last_contacted_at_order ON contacts (business_id, last_contacted_at, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_owner_id_filter ON contacts (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_owner_id_recent ON contacts (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX contact_external_id ON contacts (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX contact_created_at_order ON contacts (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_updated_at_order ON contacts (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_bin ON contacts (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX contacts_search ON contacts USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE companies (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C",
	name_key text COLLATE "C",
	legal_name text COLLATE "C",
	legal_name_key text COLLATE "C",
	domain text COLLATE "C",
	domain_key text COLLATE "C",
	website text COLLATE "C",
	website_key text COLLATE "C",
	email text COLLATE "C",
	email_key text COLLATE "C",
	phone text COLLATE "C",
	phone_key text COLLATE "C",
	industry text COLLATE "C",
	industry_key text COLLATE "C",
	company_type text COLLATE "C",
	company_type_key text COLLATE "C",
	employee_count bigint,
	annual_revenue bigint,
	currency text COLLATE "C",
	currency_key text COLLATE "C",
	address_street text COLLATE "C",
	address_street_key text COLLATE "C",
	address_city text COLLATE "C",
	address_city_key text COLLATE "C",
	address_region text COLLATE "C",
	address_region_key text COLLATE "C",
	address_postal_code text COLLATE "C",
	address_postal_code_key text COLLATE "C",
	address_country text COLLATE "C",
	address_country_key text COLLATE "C",
	parent_company_id uuid,
	lifecycle_stage_id uuid,
	description text COLLATE "C",
	description_key text COLLATE "C",
	linkedin_url text COLLATE "C",
	linkedin_url_key text COLLATE "C",
	last_contacted_at timestamptz,
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE companies_p0 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE companies_p1 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE companies_p2 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE companies_p3 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE companies_p4 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE companies_p5 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE companies_p6 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE companies_p7 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE companies_p8 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE companies_p9 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE companies_p10 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE companies_p11 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE companies_p12 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE companies_p13 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE companies_p14 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE companies_p15 PARTITION OF companies FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX company_name_order ON companies (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX company_domain_filter ON companies (business_id, domain_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_email_filter ON companies (business_id, email_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_parent_company_id_filter ON companies (business_id, parent_company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_lifecycle_stage_id_filter ON companies (business_id, lifecycle_stage_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_last_contacted_at_order ON companies (business_id, last_contacted_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_owner_id_filter ON companies (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_owner_id_recent ON companies (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX company_external_id ON companies (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX company_created_at_order ON companies (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_updated_at_order ON companies (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_bin ON companies (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX companies_search ON companies USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE deals (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C",
	name_key text COLLATE "C",
	pipeline_id uuid,
	stage_id uuid,
	status text COLLATE "C" NOT NULL,
	amount bigint,
	currency text COLLATE "C",
	currency_key text COLLATE "C",
	probability bigint,
	expected_close_date date,
	closed_at timestamptz,
	lost_reason text COLLATE "C",
	lost_reason_key text COLLATE "C",
	company_id uuid,
	contact_id uuid,
	line_items json,
	next_step text COLLATE "C",
	next_step_key text COLLATE "C",
	stage_changed_at timestamptz,
	description text COLLATE "C",
	description_key text COLLATE "C",
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE deals_p0 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE deals_p1 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE deals_p2 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE deals_p3 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE deals_p4 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE deals_p5 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE deals_p6 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE deals_p7 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE deals_p8 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE deals_p9 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE deals_p10 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE deals_p11 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE deals_p12 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE deals_p13 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE deals_p14 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE deals_p15 PARTITION OF deals FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX deal_name_order ON deals (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_pipeline_id_filter ON deals (business_id, pipeline_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_stage_id_filter ON deals (business_id, stage_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_status_filter ON deals (business_id, status, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_amount_order ON deals (business_id, amount, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_expected_close_date_order ON deals (business_id, expected_close_date, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_company_id_filter ON deals (business_id, company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_contact_id_filter ON deals (business_id, contact_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_owner_id_filter ON deals (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_owner_id_recent ON deals (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX deal_external_id ON deals (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX deal_created_at_order ON deals (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_updated_at_order ON deals (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_bin ON deals (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX deals_search ON deals USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE tasks (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	title text COLLATE "C",
	title_key text COLLATE "C",
	description text COLLATE "C",
	description_key text COLLATE "C",
	task_type text COLLATE "C",
	task_type_key text COLLATE "C",
	status text COLLATE "C",
	priority text COLLATE "C",
	due_at timestamptz,
	completed_at timestamptz,
	completed_by uuid,
	assignee_id uuid,
	contact_id uuid,
	company_id uuid,
	deal_id uuid,
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE tasks_p0 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE tasks_p1 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE tasks_p2 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE tasks_p3 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE tasks_p4 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE tasks_p5 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE tasks_p6 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE tasks_p7 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE tasks_p8 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE tasks_p9 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE tasks_p10 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE tasks_p11 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE tasks_p12 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE tasks_p13 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE tasks_p14 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE tasks_p15 PARTITION OF tasks FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX task_title_order ON tasks (business_id, title_key, id) WHERE deleted_at IS NULL;

CREATE INDEX task_status_filter ON tasks (business_id, status, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_priority_filter ON tasks (business_id, priority, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_due_at_order ON tasks (business_id, due_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_assignee_id_filter ON tasks (business_id, assignee_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_contact_id_filter ON tasks (business_id, contact_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_company_id_filter ON tasks (business_id, company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_deal_id_filter ON tasks (business_id, deal_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_owner_id_filter ON tasks (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_owner_id_recent ON tasks (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX task_external_id ON tasks (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX task_created_at_order ON tasks (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_updated_at_order ON tasks (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_bin ON tasks (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX tasks_search ON tasks USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE notes (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	title text COLLATE "C",
	title_key text COLLATE "C",
	body text COLLATE "C",
	body_key text COLLATE "C",
	pinned boolean,
	pinned_at timestamptz,
	pinned_by uuid,
	contact_id uuid,
	company_id uuid,
	deal_id uuid,
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE notes_p0 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE notes_p1 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE notes_p2 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE notes_p3 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE notes_p4 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE notes_p5 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE notes_p6 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE notes_p7 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE notes_p8 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE notes_p9 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE notes_p10 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE notes_p11 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE notes_p12 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE notes_p13 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE notes_p14 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE notes_p15 PARTITION OF notes FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX note_pinned_filter ON notes (business_id, pinned, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_contact_id_filter ON notes (business_id, contact_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_company_id_filter ON notes (business_id, company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_deal_id_filter ON notes (business_id, deal_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_owner_id_filter ON notes (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_owner_id_recent ON notes (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX note_external_id ON notes (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX note_created_at_order ON notes (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_updated_at_order ON notes (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_bin ON notes (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX notes_search ON notes USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE activities (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	activity_type text COLLATE "C",
	subject text COLLATE "C",
	subject_key text COLLATE "C",
	body text COLLATE "C",
	body_key text COLLATE "C",
	direction text COLLATE "C",
	outcome text COLLATE "C",
	outcome_key text COLLATE "C",
	occurred_at timestamptz,
	duration_seconds bigint,
	location text COLLATE "C",
	location_key text COLLATE "C",
	contact_id uuid,
	company_id uuid,
	deal_id uuid,
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE activities_p0 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE activities_p1 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE activities_p2 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE activities_p3 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE activities_p4 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE activities_p5 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE activities_p6 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE activities_p7 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE activities_p8 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE activities_p9 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE activities_p10 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE activities_p11 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE activities_p12 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE activities_p13 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE activities_p14 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE activities_p15 PARTITION OF activities FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX activity_activity_type_filter ON activities (business_id, activity_type, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_occurred_at_order ON activities (business_id, occurred_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_contact_id_filter ON activities (business_id, contact_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_company_id_filter ON activities (business_id, company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_deal_id_filter ON activities (business_id, deal_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_owner_id_filter ON activities (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_owner_id_recent ON activities (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX activity_external_id ON activities (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX activity_created_at_order ON activities (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_updated_at_order ON activities (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_bin ON activities (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX activities_search ON activities USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE products (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C",
	name_key text COLLATE "C",
	sku text COLLATE "C",
	sku_key text COLLATE "C",
	description text COLLATE "C",
	description_key text COLLATE "C",
	status text COLLATE "C",
	price bigint,
	cost bigint,
	currency text COLLATE "C",
	currency_key text COLLATE "C",
	tax_rate bigint,
	unit text COLLATE "C",
	unit_key text COLLATE "C",
	category text COLLATE "C",
	category_key text COLLATE "C",
	billing_frequency text COLLATE "C",
	image_url text COLLATE "C",
	image_url_key text COLLATE "C",
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE products_p0 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE products_p1 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE products_p2 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE products_p3 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE products_p4 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE products_p5 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE products_p6 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE products_p7 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE products_p8 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE products_p9 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE products_p10 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE products_p11 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE products_p12 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE products_p13 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE products_p14 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE products_p15 PARTITION OF products FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX product_name_order ON products (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX product_sku ON products (business_id, sku_key) WHERE deleted_at IS NULL;

CREATE INDEX product_status_filter ON products (business_id, status, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX product_price_order ON products (business_id, price, id) WHERE deleted_at IS NULL;

CREATE INDEX product_owner_id_filter ON products (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX product_owner_id_recent ON products (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX product_external_id ON products (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX product_created_at_order ON products (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX product_updated_at_order ON products (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX product_bin ON products (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX products_search ON products USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE quotes (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	number bigint NOT NULL,
	title text COLLATE "C",
	title_key text COLLATE "C",
	status text COLLATE "C" NOT NULL,
	deal_id uuid,
	company_id uuid,
	contact_id uuid,
	currency text COLLATE "C",
	currency_key text COLLATE "C",
	line_items json,
	subtotal bigint NOT NULL,
	discount_total bigint NOT NULL,
	tax_total bigint NOT NULL,
	total bigint NOT NULL,
	valid_until date,
	terms text COLLATE "C",
	terms_key text COLLATE "C",
	sent_at timestamptz,
	accepted_at timestamptz,
	declined_at timestamptz,
	declined_reason text COLLATE "C",
	declined_reason_key text COLLATE "C",
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE quotes_p0 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE quotes_p1 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE quotes_p2 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE quotes_p3 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE quotes_p4 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE quotes_p5 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE quotes_p6 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE quotes_p7 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE quotes_p8 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE quotes_p9 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE quotes_p10 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE quotes_p11 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE quotes_p12 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE quotes_p13 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE quotes_p14 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE quotes_p15 PARTITION OF quotes FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX quote_number_order ON quotes (business_id, number, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_status_filter ON quotes (business_id, status, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_deal_id_filter ON quotes (business_id, deal_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_company_id_filter ON quotes (business_id, company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_contact_id_filter ON quotes (business_id, contact_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_total_order ON quotes (business_id, total, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_valid_until_order ON quotes (business_id, valid_until, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_owner_id_filter ON quotes (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_owner_id_recent ON quotes (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX quote_external_id ON quotes (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX quote_created_at_order ON quotes (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_updated_at_order ON quotes (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_bin ON quotes (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX quotes_search ON quotes USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE pipelines (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C",
	name_key text COLLATE "C",
	position bigint,
	is_default boolean,
	stages json,
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
);

CREATE INDEX pipeline_name_order ON pipelines (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_position_order ON pipelines (business_id, position, id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_owner_id_filter ON pipelines (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_owner_id_recent ON pipelines (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX pipeline_external_id ON pipelines (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_created_at_order ON pipelines (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_updated_at_order ON pipelines (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_bin ON pipelines (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX pipelines_search ON pipelines USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE lifecycle_stages (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C",
	name_key text COLLATE "C",
	position bigint,
	is_default boolean,
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
);

CREATE INDEX lifecycle_stage_name_order ON lifecycle_stages (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_position_order ON lifecycle_stages (business_id, position, id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_owner_id_filter ON lifecycle_stages (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_owner_id_recent ON lifecycle_stages (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX lifecycle_stage_external_id ON lifecycle_stages (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_created_at_order ON lifecycle_stages (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_updated_at_order ON lifecycle_stages (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_bin ON lifecycle_stages (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX lifecycle_stages_search ON lifecycle_stages USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE users (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	email text COLLATE "C",
	email_key text COLLATE "C",
	name text COLLATE "C",
	name_key text COLLATE "C",
	status text COLLATE "C",
	role_id uuid,
	timezone text COLLATE "C",
	timezone_key text COLLATE "C",
	locale text COLLATE "C",
	locale_key text COLLATE "C",
	last_active_at timestamptz,
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
);

CREATE UNIQUE INDEX user_email ON users (business_id, email_key) WHERE deleted_at IS NULL;

CREATE INDEX user_email_filter ON users (business_id, email_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX user_name_order ON users (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX user_status_filter ON users (business_id, status, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX user_role_id_filter ON users (business_id, role_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX user_owner_id_filter ON users (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX user_owner_id_recent ON users (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX user_external_id ON users (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX user_created_at_order ON users (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX user_updated_at_order ON users (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX user_bin ON users (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX users_search ON users USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE roles (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C",
	name_key text COLLATE "C",
	permissions json,
	features text COLLATE "C",
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
);

CREATE UNIQUE INDEX role_name ON roles (business_id, name_key) WHERE deleted_at IS NULL;

CREATE INDEX role_name_order ON roles (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX role_owner_id_filter ON roles (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX role_owner_id_recent ON roles (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX role_external_id ON roles (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX role_created_at_order ON roles (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX role_updated_at_order ON roles (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX role_bin ON roles (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX roles_search ON roles USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE tokens (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C",
	name_key text COLLATE "C",
	scopes text COLLATE "C",
	hint text COLLATE "C",
	hint_key text COLLATE "C",
	user_id uuid,
	expires_at timestamptz,
	last_used_at timestamptz,
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
);

CREATE INDEX token_name_order ON tokens (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX token_user_id_filter ON tokens (business_id, user_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX token_owner_id_filter ON tokens (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX token_owner_id_recent ON tokens (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX token_external_id ON tokens (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX token_created_at_order ON tokens (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX token_updated_at_order ON tokens (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX token_bin ON tokens (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX tokens_search ON tokens USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE apps (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C",
	name_key text COLLATE "C",
	client_id text COLLATE "C" NOT NULL,
	client_id_key text COLLATE "C",
	redirect_uris text COLLATE "C",
	redirect_uris_key text COLLATE "C",
	grant_types text COLLATE "C",
	scopes text COLLATE "C",
	user_id uuid,
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
);

CREATE INDEX app_name_order ON apps (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX app_client_id_filter ON apps (business_id, client_id_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX app_user_id_filter ON apps (business_id, user_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX app_owner_id_filter ON apps (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX app_owner_id_recent ON apps (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX app_external_id ON apps (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX app_created_at_order ON apps (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX app_updated_at_order ON apps (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX app_bin ON apps (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX apps_search ON apps USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;
