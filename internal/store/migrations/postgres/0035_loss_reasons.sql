ALTER TABLE deals ADD COLUMN loss_reason_id uuid;

CREATE INDEX deal_loss_reason_id_filter ON deals (business_id, loss_reason_id, created_at, id) WHERE deleted_at IS NULL;

CREATE TABLE loss_reasons (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C",
	name_key text COLLATE "C",
	position bigint,
	active boolean,
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

CREATE INDEX loss_reason_name_order ON loss_reasons (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX loss_reason_position_order ON loss_reasons (business_id, position, id) WHERE deleted_at IS NULL;

CREATE INDEX loss_reason_owner_id_filter ON loss_reasons (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX loss_reason_owner_id_recent ON loss_reasons (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX loss_reason_external_id ON loss_reasons (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX loss_reason_created_at_order ON loss_reasons (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX loss_reason_updated_at_order ON loss_reasons (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX loss_reason_bin ON loss_reasons (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX loss_reasons_search ON loss_reasons USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;
