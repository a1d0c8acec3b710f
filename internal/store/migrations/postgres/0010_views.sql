CREATE TABLE views (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C",
	name_key text COLLATE "C",
	resource text COLLATE "C",
	search json,
	layout text COLLATE "C",
	columns text COLLATE "C",
	columns_key text COLLATE "C",
	group_by text COLLATE "C",
	group_by_key text COLLATE "C",
	position bigint,
	shared boolean,
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

CREATE INDEX view_name_order ON views (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX view_resource_filter ON views (business_id, resource, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX view_position_order ON views (business_id, position, id) WHERE deleted_at IS NULL;

CREATE INDEX view_shared_filter ON views (business_id, shared, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX view_owner_id_filter ON views (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX view_owner_id_recent ON views (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX view_external_id ON views (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX view_created_at_order ON views (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX view_updated_at_order ON views (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX view_bin ON views (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX views_search ON views USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;
