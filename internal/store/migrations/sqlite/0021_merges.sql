CREATE TABLE merged (
	business_id INTEGER NOT NULL,
	resource TEXT NOT NULL,
	other_id BLOB NOT NULL,
	survivor_id BLOB NOT NULL,
	at_seq INTEGER NOT NULL,
	external_id TEXT,
	undo TEXT NOT NULL,
	PRIMARY KEY (business_id, resource, other_id)
) WITHOUT ROWID;

CREATE INDEX merged_survivor ON merged (business_id, resource, survivor_id, at_seq);

CREATE INDEX merged_external ON merged (business_id, resource, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE merged_reference (
	business_id INTEGER NOT NULL,
	other_id BLOB NOT NULL,
	resource TEXT NOT NULL,
	field TEXT NOT NULL,
	record_id BLOB NOT NULL,
	PRIMARY KEY (business_id, other_id, resource, field, record_id)
) WITHOUT ROWID;

CREATE INDEX merged_reference_record ON merged_reference (business_id, record_id);

CREATE TABLE added_reference (
	business_id INTEGER NOT NULL,
	target_id BLOB NOT NULL,
	resource TEXT NOT NULL,
	member TEXT NOT NULL,
	record_id BLOB NOT NULL,
	PRIMARY KEY (business_id, target_id, resource, member, record_id)
) WITHOUT ROWID;

ALTER TABLE contacts ADD COLUMN merged_into_id BLOB;

CREATE INDEX contact_company_id_bin ON contacts (business_id, company_id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_company_id_bin', '1000000 10000 1');

ALTER TABLE companies ADD COLUMN merged_into_id BLOB;

CREATE INDEX company_parent_company_id_bin ON companies (business_id, parent_company_id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('companies', 'company_parent_company_id_bin', '1000000 10000 1');

CREATE INDEX deal_company_id_bin ON deals (business_id, company_id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_company_id_bin', '1000000 10000 1');

CREATE INDEX deal_contact_id_bin ON deals (business_id, contact_id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_contact_id_bin', '1000000 10000 1');

CREATE INDEX task_contact_id_bin ON tasks (business_id, contact_id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_contact_id_bin', '1000000 10000 1');

CREATE INDEX task_company_id_bin ON tasks (business_id, company_id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tasks', 'task_company_id_bin', '1000000 10000 1');

CREATE INDEX note_contact_id_bin ON notes (business_id, contact_id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'note_contact_id_bin', '1000000 10000 1');

CREATE INDEX note_company_id_bin ON notes (business_id, company_id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'note_company_id_bin', '1000000 10000 1');

CREATE INDEX activity_contact_id_bin ON activities (business_id, contact_id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_contact_id_bin', '1000000 10000 1');

CREATE INDEX activity_company_id_bin ON activities (business_id, company_id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_company_id_bin', '1000000 10000 1');

CREATE INDEX quote_company_id_bin ON quotes (business_id, company_id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_company_id_bin', '1000000 10000 1');

CREATE INDEX quote_contact_id_bin ON quotes (business_id, contact_id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('quotes', 'quote_contact_id_bin', '1000000 10000 1');

ANALYZE sqlite_schema;
