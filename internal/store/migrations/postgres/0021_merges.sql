CREATE TABLE merged (
	business_id uuid NOT NULL,
	resource text COLLATE "C" NOT NULL,
	other_id uuid NOT NULL,
	survivor_id uuid NOT NULL,
	at_seq bigint NOT NULL,
	external_id text COLLATE "C",
	undo text COLLATE "C" NOT NULL,
	PRIMARY KEY (business_id, resource, other_id)
);

CREATE INDEX merged_survivor ON merged (business_id, resource, survivor_id, at_seq);

CREATE INDEX merged_external ON merged (business_id, resource, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE merged_reference (
	business_id uuid NOT NULL,
	other_id uuid NOT NULL,
	resource text COLLATE "C" NOT NULL,
	field text COLLATE "C" NOT NULL,
	record_id uuid NOT NULL,
	PRIMARY KEY (business_id, other_id, resource, field, record_id)
);

CREATE INDEX merged_reference_record ON merged_reference (business_id, record_id);

CREATE TABLE added_reference (
	business_id uuid NOT NULL,
	target_id uuid NOT NULL,
	resource text COLLATE "C" NOT NULL,
	member text COLLATE "C" NOT NULL,
	record_id uuid NOT NULL,
	PRIMARY KEY (business_id, target_id, resource, member, record_id)
);

ALTER TABLE contacts ADD COLUMN merged_into_id uuid;

CREATE INDEX contact_company_id_bin ON contacts (business_id, company_id) WHERE deleted_at IS NOT NULL;

ALTER TABLE companies ADD COLUMN merged_into_id uuid;

CREATE INDEX company_parent_company_id_bin ON companies (business_id, parent_company_id) WHERE deleted_at IS NOT NULL;

CREATE INDEX deal_company_id_bin ON deals (business_id, company_id) WHERE deleted_at IS NOT NULL;

CREATE INDEX deal_contact_id_bin ON deals (business_id, contact_id) WHERE deleted_at IS NOT NULL;

CREATE INDEX task_contact_id_bin ON tasks (business_id, contact_id) WHERE deleted_at IS NOT NULL;

CREATE INDEX task_company_id_bin ON tasks (business_id, company_id) WHERE deleted_at IS NOT NULL;

CREATE INDEX note_contact_id_bin ON notes (business_id, contact_id) WHERE deleted_at IS NOT NULL;

CREATE INDEX note_company_id_bin ON notes (business_id, company_id) WHERE deleted_at IS NOT NULL;

CREATE INDEX activity_contact_id_bin ON activities (business_id, contact_id) WHERE deleted_at IS NOT NULL;

CREATE INDEX activity_company_id_bin ON activities (business_id, company_id) WHERE deleted_at IS NOT NULL;

CREATE INDEX quote_company_id_bin ON quotes (business_id, company_id) WHERE deleted_at IS NOT NULL;

CREATE INDEX quote_contact_id_bin ON quotes (business_id, contact_id) WHERE deleted_at IS NOT NULL;
