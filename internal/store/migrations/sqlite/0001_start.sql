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
	PRIMARY KEY (business_id, name)
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

CREATE TABLE token (
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	user_id BLOB NOT NULL,
	name TEXT NOT NULL,
	scopes TEXT NOT NULL,
	hint TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER,
	revoked_at INTEGER,
	PRIMARY KEY (business_id, id)
) WITHOUT ROWID;

CREATE TABLE credential (
	hash BLOB NOT NULL,
	business_id INTEGER NOT NULL,
	token_id BLOB NOT NULL,
	PRIMARY KEY (hash)
) WITHOUT ROWID;

CREATE TABLE contact (
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

CREATE UNIQUE INDEX contact_id ON contact (business_id, id);

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

CREATE VIRTUAL TABLE contact_fts USING fts5(doc, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');

CREATE TABLE company (
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

CREATE UNIQUE INDEX company_id ON company (business_id, id);

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

CREATE VIRTUAL TABLE company_fts USING fts5(doc, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');

CREATE TABLE deal (
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

CREATE UNIQUE INDEX deal_id ON deal (business_id, id);

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

CREATE VIRTUAL TABLE deal_fts USING fts5(doc, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');

CREATE TABLE task (
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

CREATE UNIQUE INDEX task_id ON task (business_id, id);

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

CREATE VIRTUAL TABLE task_fts USING fts5(doc, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');

CREATE TABLE note (
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

CREATE UNIQUE INDEX note_id ON note (business_id, id);

CREATE INDEX note_pinned_filter ON note (business_id, pinned, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_contact_id_filter ON note (business_id, contact_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_company_id_filter ON note (business_id, company_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_deal_id_filter ON note (business_id, deal_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_owner_id_filter ON note (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX note_external_id ON note (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX note_created_at_order ON note (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_updated_at_order ON note (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX note_bin ON note (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE VIRTUAL TABLE note_fts USING fts5(doc, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');

CREATE TABLE activity (
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

CREATE UNIQUE INDEX activity_id ON activity (business_id, id);

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

CREATE VIRTUAL TABLE activity_fts USING fts5(doc, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');

CREATE TABLE product (
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

CREATE UNIQUE INDEX product_id ON product (business_id, id);

CREATE INDEX product_name_order ON product (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX product_sku ON product (business_id, sku_key) WHERE deleted_at IS NULL;

CREATE INDEX product_status_filter ON product (business_id, status, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX product_price_order ON product (business_id, price, id) WHERE deleted_at IS NULL;

CREATE INDEX product_owner_id_filter ON product (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX product_external_id ON product (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX product_created_at_order ON product (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX product_updated_at_order ON product (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX product_bin ON product (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE VIRTUAL TABLE product_fts USING fts5(doc, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');

CREATE TABLE quote (
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

CREATE UNIQUE INDEX quote_id ON quote (business_id, id);

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

CREATE VIRTUAL TABLE quote_fts USING fts5(doc, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');

CREATE TABLE pipeline (
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

CREATE UNIQUE INDEX pipeline_id ON pipeline (business_id, id);

CREATE INDEX pipeline_name_order ON pipeline (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_position_order ON pipeline (business_id, position, id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_owner_id_filter ON pipeline (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX pipeline_external_id ON pipeline (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_created_at_order ON pipeline (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_updated_at_order ON pipeline (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX pipeline_bin ON pipeline (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE VIRTUAL TABLE pipeline_fts USING fts5(doc, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');

CREATE TABLE lifecycle_stage (
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

CREATE UNIQUE INDEX lifecycle_stage_id ON lifecycle_stage (business_id, id);

CREATE INDEX lifecycle_stage_name_order ON lifecycle_stage (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_position_order ON lifecycle_stage (business_id, position, id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_owner_id_filter ON lifecycle_stage (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX lifecycle_stage_external_id ON lifecycle_stage (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_created_at_order ON lifecycle_stage (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_updated_at_order ON lifecycle_stage (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX lifecycle_stage_bin ON lifecycle_stage (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE VIRTUAL TABLE lifecycle_stage_fts USING fts5(doc, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');

CREATE TABLE user (
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

CREATE UNIQUE INDEX user_id ON user (business_id, id);

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

CREATE VIRTUAL TABLE user_fts USING fts5(doc, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');

CREATE TABLE role (
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

CREATE UNIQUE INDEX role_id ON role (business_id, id);

CREATE UNIQUE INDEX role_name ON role (business_id, name_key) WHERE deleted_at IS NULL;

CREATE INDEX role_name_order ON role (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX role_owner_id_filter ON role (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX role_external_id ON role (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX role_created_at_order ON role (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX role_updated_at_order ON role (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX role_bin ON role (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE VIRTUAL TABLE role_fts USING fts5(doc, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');
