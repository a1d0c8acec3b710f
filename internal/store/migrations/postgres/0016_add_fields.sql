ALTER TABLE business ADD COLUMN shape_seq bigint;

ALTER TABLE views ADD COLUMN missing text COLLATE "C";

ALTER TABLE views ADD COLUMN missing_key text COLLATE "C";

CREATE TABLE fields (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	resource text COLLATE "C",
	name text COLLATE "C",
	name_key text COLLATE "C",
	label text COLLATE "C",
	label_key text COLLATE "C",
	kind text COLLATE "C",
	target text COLLATE "C",
	options json,
	replace_with json,
	required boolean,
	searchable boolean,
	default_value json,
	help text COLLATE "C",
	help_key text COLLATE "C",
	position bigint,
	number bigint,
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

CREATE INDEX field_resource_filter ON fields (business_id, resource, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX field_name_order ON fields (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX field_position_order ON fields (business_id, position, id) WHERE deleted_at IS NULL;

CREATE INDEX field_owner_id_filter ON fields (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX field_owner_id_recent ON fields (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX field_external_id ON fields (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX field_created_at_order ON fields (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX field_updated_at_order ON fields (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX field_bin ON fields (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX fields_search ON fields USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;
