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
	PRIMARY KEY (business_id, name)
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

CREATE TABLE token (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	user_id uuid NOT NULL,
	name text COLLATE "C" NOT NULL,
	scopes text COLLATE "C" NOT NULL,
	hint text COLLATE "C" NOT NULL,
	created_at timestamptz NOT NULL,
	expires_at timestamptz,
	revoked_at timestamptz,
	PRIMARY KEY (business_id, id)
);

CREATE TABLE credential (
	hash bytea NOT NULL,
	business_id uuid NOT NULL,
	token_id uuid NOT NULL,
	PRIMARY KEY (hash)
);

CREATE TABLE contact (
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
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE contact_p0 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE contact_p1 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE contact_p2 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE contact_p3 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE contact_p4 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE contact_p5 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE contact_p6 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE contact_p7 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE contact_p8 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE contact_p9 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE contact_p10 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE contact_p11 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE contact_p12 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE contact_p13 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE contact_p14 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE contact_p15 PARTITION OF contact FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX contact_name_order ON contact (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_email_filter ON contact (business_id, email_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_company_id_filter ON contact (business_id, company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_lead_score_order ON contact (business_id, lead_score, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_lifecycle_stage_id_filter ON contact (business_id, lifecycle_stage_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_last_contacted_at_order ON contact (business_id, last_contacted_at, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_owner_id_filter ON contact (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX contact_external_id ON contact (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX contact_created_at_order ON contact (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_updated_at_order ON contact (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX contact_bin ON contact (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX contact_search ON contact USING gin (business_id, search_doc gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE company (
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
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE company_p0 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE company_p1 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE company_p2 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE company_p3 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE company_p4 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE company_p5 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE company_p6 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE company_p7 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE company_p8 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE company_p9 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE company_p10 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE company_p11 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE company_p12 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE company_p13 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE company_p14 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE company_p15 PARTITION OF company FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX company_name_order ON company (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX company_domain_filter ON company (business_id, domain_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_email_filter ON company (business_id, email_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_parent_company_id_filter ON company (business_id, parent_company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_lifecycle_stage_id_filter ON company (business_id, lifecycle_stage_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_last_contacted_at_order ON company (business_id, last_contacted_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_owner_id_filter ON company (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX company_external_id ON company (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX company_created_at_order ON company (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_updated_at_order ON company (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX company_bin ON company (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX company_search ON company USING gin (business_id, search_doc gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE deal (
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
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE deal_p0 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE deal_p1 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE deal_p2 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE deal_p3 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE deal_p4 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE deal_p5 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE deal_p6 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE deal_p7 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE deal_p8 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE deal_p9 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE deal_p10 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE deal_p11 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE deal_p12 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE deal_p13 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE deal_p14 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE deal_p15 PARTITION OF deal FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX deal_name_order ON deal (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_pipeline_id_filter ON deal (business_id, pipeline_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_stage_id_filter ON deal (business_id, stage_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_status_filter ON deal (business_id, status, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_amount_order ON deal (business_id, amount, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_expected_close_date_order ON deal (business_id, expected_close_date, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_company_id_filter ON deal (business_id, company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_contact_id_filter ON deal (business_id, contact_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_owner_id_filter ON deal (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX deal_external_id ON deal (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX deal_created_at_order ON deal (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_updated_at_order ON deal (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_bin ON deal (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX deal_search ON deal USING gin (business_id, search_doc gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE task (
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
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE task_p0 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE task_p1 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE task_p2 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE task_p3 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE task_p4 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE task_p5 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE task_p6 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE task_p7 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE task_p8 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE task_p9 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE task_p10 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE task_p11 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE task_p12 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE task_p13 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE task_p14 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE task_p15 PARTITION OF task FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX task_title_order ON task (business_id, title_key, id) WHERE deleted_at IS NULL;

CREATE INDEX task_status_filter ON task (business_id, status, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_priority_filter ON task (business_id, priority, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_due_at_order ON task (business_id, due_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_assignee_id_filter ON task (business_id, assignee_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_contact_id_filter ON task (business_id, contact_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_company_id_filter ON task (business_id, company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_deal_id_filter ON task (business_id, deal_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_owner_id_filter ON task (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX task_external_id ON task (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX task_created_at_order ON task (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_updated_at_order ON task (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX task_bin ON task (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX task_search ON task USING gin (business_id, search_doc gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE note (
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
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE note_p0 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE note_p1 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE note_p2 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE note_p3 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE note_p4 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE note_p5 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE note_p6 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE note_p7 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE note_p8 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE note_p9 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE note_p10 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE note_p11 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE note_p12 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE note_p13 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE note_p14 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE note_p15 PARTITION OF note FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX note_pinned_filter ON note (business_id, pinned, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_contact_id_filter ON note (business_id, contact_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_company_id_filter ON note (business_id, company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_deal_id_filter ON note (business_id, deal_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_owner_id_filter ON note (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX note_external_id ON note (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX note_created_at_order ON note (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_updated_at_order ON note (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_bin ON note (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX note_search ON note USING gin (business_id, search_doc gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE activity (
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
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE activity_p0 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE activity_p1 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE activity_p2 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE activity_p3 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE activity_p4 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE activity_p5 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE activity_p6 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE activity_p7 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE activity_p8 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE activity_p9 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE activity_p10 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE activity_p11 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE activity_p12 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE activity_p13 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE activity_p14 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE activity_p15 PARTITION OF activity FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX activity_activity_type_filter ON activity (business_id, activity_type, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_occurred_at_order ON activity (business_id, occurred_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_contact_id_filter ON activity (business_id, contact_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_company_id_filter ON activity (business_id, company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_deal_id_filter ON activity (business_id, deal_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_owner_id_filter ON activity (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX activity_external_id ON activity (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX activity_created_at_order ON activity (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_updated_at_order ON activity (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_bin ON activity (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX activity_search ON activity USING gin (business_id, search_doc gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE product (
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
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE product_p0 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE product_p1 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE product_p2 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE product_p3 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE product_p4 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE product_p5 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE product_p6 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE product_p7 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE product_p8 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE product_p9 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE product_p10 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE product_p11 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE product_p12 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE product_p13 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE product_p14 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE product_p15 PARTITION OF product FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX product_name_order ON product (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX product_sku ON product (business_id, sku_key) WHERE deleted_at IS NULL;

CREATE INDEX product_status_filter ON product (business_id, status, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX product_price_order ON product (business_id, price, id) WHERE deleted_at IS NULL;

CREATE INDEX product_owner_id_filter ON product (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX product_external_id ON product (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX product_created_at_order ON product (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX product_updated_at_order ON product (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX product_bin ON product (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX product_search ON product USING gin (business_id, search_doc gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE quote (
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
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE quote_p0 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE quote_p1 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE quote_p2 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE quote_p3 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE quote_p4 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE quote_p5 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE quote_p6 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE quote_p7 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE quote_p8 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE quote_p9 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE quote_p10 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE quote_p11 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE quote_p12 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE quote_p13 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE quote_p14 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE quote_p15 PARTITION OF quote FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX quote_number_order ON quote (business_id, number, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_status_filter ON quote (business_id, status, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_deal_id_filter ON quote (business_id, deal_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_company_id_filter ON quote (business_id, company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_contact_id_filter ON quote (business_id, contact_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_total_order ON quote (business_id, total, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_valid_until_order ON quote (business_id, valid_until, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_owner_id_filter ON quote (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX quote_external_id ON quote (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX quote_created_at_order ON quote (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_updated_at_order ON quote (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX quote_bin ON quote (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX quote_search ON quote USING gin (business_id, search_doc gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE pipeline (
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
	PRIMARY KEY (business_id, id)
);

CREATE INDEX pipeline_name_order ON pipeline (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_position_order ON pipeline (business_id, position, id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_owner_id_filter ON pipeline (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX pipeline_external_id ON pipeline (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_created_at_order ON pipeline (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_updated_at_order ON pipeline (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_bin ON pipeline (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX pipeline_search ON pipeline USING gin (business_id, search_doc gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE lifecycle_stage (
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
	PRIMARY KEY (business_id, id)
);

CREATE INDEX lifecycle_stage_name_order ON lifecycle_stage (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_position_order ON lifecycle_stage (business_id, position, id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_owner_id_filter ON lifecycle_stage (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX lifecycle_stage_external_id ON lifecycle_stage (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_created_at_order ON lifecycle_stage (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_updated_at_order ON lifecycle_stage (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_bin ON lifecycle_stage (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX lifecycle_stage_search ON lifecycle_stage USING gin (business_id, search_doc gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE user (
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
	PRIMARY KEY (business_id, id)
);

CREATE UNIQUE INDEX user_email ON user (business_id, email_key) WHERE deleted_at IS NULL;

CREATE INDEX user_email_filter ON user (business_id, email_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX user_name_order ON user (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX user_status_filter ON user (business_id, status, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX user_role_id_filter ON user (business_id, role_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX user_owner_id_filter ON user (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX user_external_id ON user (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX user_created_at_order ON user (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX user_updated_at_order ON user (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX user_bin ON user (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX user_search ON user USING gin (business_id, search_doc gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE role (
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
	PRIMARY KEY (business_id, id)
);

CREATE UNIQUE INDEX role_name ON role (business_id, name_key) WHERE deleted_at IS NULL;

CREATE INDEX role_name_order ON role (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX role_owner_id_filter ON role (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX role_external_id ON role (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX role_created_at_order ON role (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX role_updated_at_order ON role (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX role_bin ON role (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX role_search ON role USING gin (business_id, search_doc gin_trgm_ops) WHERE deleted_at IS NULL;
