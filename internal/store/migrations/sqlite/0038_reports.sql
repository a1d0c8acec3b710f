CREATE TABLE reports (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	name TEXT,
	name_key TEXT,
	resource TEXT,
	aggregate TEXT,
	chart TEXT,
	position INTEGER,
	shared INTEGER,
	missing TEXT,
	missing_key TEXT,
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

CREATE UNIQUE INDEX reports_id ON reports (business_id, id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('reports', 'reports_id', '1000000 10000 1');

CREATE INDEX report_name_order ON reports (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('reports', 'report_name_order', '1000000 10000 10 1');

CREATE INDEX report_resource_filter ON reports (business_id, resource, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('reports', 'report_resource_filter', '1000000 10000 2000 1 1');

CREATE INDEX report_position_order ON reports (business_id, position, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('reports', 'report_position_order', '1000000 10000 10 1');

CREATE INDEX report_shared_filter ON reports (business_id, shared, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('reports', 'report_shared_filter', '1000000 10000 2000 1 1');

CREATE INDEX report_owner_id_filter ON reports (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('reports', 'report_owner_id_filter', '1000000 10000 100 1 1');

CREATE INDEX report_owner_id_recent ON reports (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('reports', 'report_owner_id_recent', '1000000 10000 100 1 1');

CREATE UNIQUE INDEX report_external_id ON reports (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('reports', 'report_external_id', '1000000 10000 1 1');

CREATE INDEX report_created_at_order ON reports (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('reports', 'report_created_at_order', '1000000 10000 10 1');

CREATE INDEX report_updated_at_order ON reports (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('reports', 'report_updated_at_order', '1000000 10000 10 1');

CREATE INDEX report_bin ON reports (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('reports', 'report_bin', '1000000 10000 1 1');

CREATE VIRTUAL TABLE reports_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

ANALYZE sqlite_schema;
