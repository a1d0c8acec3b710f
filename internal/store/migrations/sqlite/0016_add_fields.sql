ALTER TABLE business ADD COLUMN shape_seq INTEGER;

ALTER TABLE views ADD COLUMN missing TEXT;

ALTER TABLE views ADD COLUMN missing_key TEXT;

CREATE TABLE fields (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	resource TEXT,
	name TEXT,
	name_key TEXT,
	label TEXT,
	label_key TEXT,
	kind TEXT,
	target TEXT,
	options TEXT,
	replace_with TEXT,
	required INTEGER,
	searchable INTEGER,
	default_value TEXT,
	help TEXT,
	help_key TEXT,
	position INTEGER,
	number INTEGER,
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

CREATE UNIQUE INDEX fields_id ON fields (business_id, id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('fields', 'fields_id', '1000000 10000 1');

CREATE INDEX field_resource_filter ON fields (business_id, resource, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('fields', 'field_resource_filter', '1000000 10000 2000 1 1');

CREATE INDEX field_name_order ON fields (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('fields', 'field_name_order', '1000000 10000 10 1');

CREATE INDEX field_position_order ON fields (business_id, position, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('fields', 'field_position_order', '1000000 10000 10 1');

CREATE INDEX field_owner_id_filter ON fields (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('fields', 'field_owner_id_filter', '1000000 10000 100 1 1');

CREATE INDEX field_owner_id_recent ON fields (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('fields', 'field_owner_id_recent', '1000000 10000 100 1 1');

CREATE UNIQUE INDEX field_external_id ON fields (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('fields', 'field_external_id', '1000000 10000 1 1');

CREATE INDEX field_created_at_order ON fields (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('fields', 'field_created_at_order', '1000000 10000 10 1');

CREATE INDEX field_updated_at_order ON fields (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('fields', 'field_updated_at_order', '1000000 10000 10 1');

CREATE INDEX field_bin ON fields (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('fields', 'field_bin', '1000000 10000 1 1');

CREATE VIRTUAL TABLE fields_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

ANALYZE sqlite_schema;
