CREATE TABLE reports (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C",
	name_key text COLLATE "C",
	resource text COLLATE "C",
	aggregate json,
	chart text COLLATE "C",
	position bigint,
	shared boolean,
	missing text COLLATE "C",
	missing_key text COLLATE "C",
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

CREATE INDEX report_name_order ON reports (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX report_resource_filter ON reports (business_id, resource, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX report_position_order ON reports (business_id, position, id) WHERE deleted_at IS NULL;

CREATE INDEX report_shared_filter ON reports (business_id, shared, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX report_owner_id_filter ON reports (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX report_owner_id_recent ON reports (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX report_external_id ON reports (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX report_created_at_order ON reports (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX report_updated_at_order ON reports (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX report_bin ON reports (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX reports_search ON reports USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;
