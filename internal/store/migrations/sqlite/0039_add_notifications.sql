CREATE TABLE notifications (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	kind TEXT NOT NULL,
	about_id TEXT,
	about_id_key TEXT,
	event TEXT,
	event_key TEXT,
	actor_id BLOB,
	text TEXT,
	text_key TEXT,
	at INTEGER NOT NULL,
	read_at INTEGER,
	snoozed_until INTEGER,
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

CREATE UNIQUE INDEX notifications_id ON notifications (business_id, id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notifications', 'notifications_id', '1000000 10000 1');

CREATE INDEX notification_kind_filter ON notifications (business_id, kind, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notifications', 'notification_kind_filter', '1000000 10000 2000 1 1');

CREATE INDEX notification_about_id_filter ON notifications (business_id, about_id_key, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notifications', 'notification_about_id_filter', '1000000 10000 100 1 1');

CREATE INDEX notification_at_order ON notifications (business_id, at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notifications', 'notification_at_order', '1000000 10000 10 1');

CREATE INDEX notification_read_at_filter ON notifications (business_id, read_at, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notifications', 'notification_read_at_filter', '1000000 10000 100 1 1');

CREATE INDEX notification_owner_id_filter ON notifications (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notifications', 'notification_owner_id_filter', '1000000 10000 100 1 1');

CREATE INDEX notification_owner_id_recent ON notifications (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notifications', 'notification_owner_id_recent', '1000000 10000 100 1 1');

CREATE UNIQUE INDEX notification_external_id ON notifications (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notifications', 'notification_external_id', '1000000 10000 1 1');

CREATE INDEX notification_created_at_order ON notifications (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notifications', 'notification_created_at_order', '1000000 10000 10 1');

CREATE INDEX notification_updated_at_order ON notifications (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notifications', 'notification_updated_at_order', '1000000 10000 10 1');

CREATE INDEX notification_bin ON notifications (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notifications', 'notification_bin', '1000000 10000 1 1');

CREATE VIRTUAL TABLE notifications_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

ANALYZE sqlite_schema;
