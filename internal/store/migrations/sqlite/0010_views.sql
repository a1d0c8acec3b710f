CREATE TABLE views (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	name TEXT,
	name_key TEXT,
	resource TEXT,
	search TEXT,
	layout TEXT,
	columns TEXT,
	columns_key TEXT,
	group_by TEXT,
	group_by_key TEXT,
	position INTEGER,
	shared INTEGER,
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

CREATE UNIQUE INDEX views_id ON views (business_id, id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('views', 'views_id', '1000000 10000 1');

CREATE INDEX view_name_order ON views (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('views', 'view_name_order', '1000000 10000 10 1');

CREATE INDEX view_resource_filter ON views (business_id, resource, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('views', 'view_resource_filter', '1000000 10000 2000 1 1');

CREATE INDEX view_position_order ON views (business_id, position, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('views', 'view_position_order', '1000000 10000 10 1');

CREATE INDEX view_shared_filter ON views (business_id, shared, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('views', 'view_shared_filter', '1000000 10000 2000 1 1');

CREATE INDEX view_owner_id_filter ON views (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('views', 'view_owner_id_filter', '1000000 10000 100 1 1');

CREATE INDEX view_owner_id_recent ON views (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('views', 'view_owner_id_recent', '1000000 10000 100 1 1');

CREATE UNIQUE INDEX view_external_id ON views (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('views', 'view_external_id', '1000000 10000 1 1');

CREATE INDEX view_created_at_order ON views (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('views', 'view_created_at_order', '1000000 10000 10 1');

CREATE INDEX view_updated_at_order ON views (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('views', 'view_updated_at_order', '1000000 10000 10 1');

CREATE INDEX view_bin ON views (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('views', 'view_bin', '1000000 10000 1 1');

CREATE VIRTUAL TABLE views_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

ANALYZE sqlite_schema;
