ALTER TABLE notes ADD COLUMN in_reply_to_id BLOB;

CREATE INDEX note_in_reply_to_id_filter ON notes (business_id, in_reply_to_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notes', 'note_in_reply_to_id_filter', '1000000 10000 100 1 1');

CREATE TABLE follows (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	about_id TEXT,
	about_id_key TEXT,
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

CREATE UNIQUE INDEX follows_id ON follows (business_id, id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('follows', 'follows_id', '1000000 10000 1');

CREATE INDEX follow_about_id_filter ON follows (business_id, about_id_key, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('follows', 'follow_about_id_filter', '1000000 10000 100 1 1');

CREATE INDEX follow_owner_id_filter ON follows (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('follows', 'follow_owner_id_filter', '1000000 10000 100 1 1');

CREATE INDEX follow_owner_id_recent ON follows (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('follows', 'follow_owner_id_recent', '1000000 10000 100 1 1');

CREATE UNIQUE INDEX follow_external_id ON follows (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('follows', 'follow_external_id', '1000000 10000 1 1');

CREATE INDEX follow_created_at_order ON follows (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('follows', 'follow_created_at_order', '1000000 10000 10 1');

CREATE INDEX follow_updated_at_order ON follows (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('follows', 'follow_updated_at_order', '1000000 10000 10 1');

CREATE INDEX follow_bin ON follows (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('follows', 'follow_bin', '1000000 10000 1 1');

CREATE VIRTUAL TABLE follows_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

ANALYZE sqlite_schema;
