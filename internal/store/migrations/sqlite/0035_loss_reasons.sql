ALTER TABLE deals ADD COLUMN loss_reason_id BLOB;

CREATE INDEX deal_loss_reason_id_filter ON deals (business_id, loss_reason_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_loss_reason_id_filter', '1000000 10000 100 1 1');

CREATE TABLE loss_reasons (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	name TEXT,
	name_key TEXT,
	position INTEGER,
	active INTEGER,
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

CREATE UNIQUE INDEX loss_reasons_id ON loss_reasons (business_id, id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('loss_reasons', 'loss_reasons_id', '1000000 10000 1');

CREATE INDEX loss_reason_name_order ON loss_reasons (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('loss_reasons', 'loss_reason_name_order', '1000000 10000 10 1');

CREATE INDEX loss_reason_position_order ON loss_reasons (business_id, position, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('loss_reasons', 'loss_reason_position_order', '1000000 10000 10 1');

CREATE INDEX loss_reason_owner_id_filter ON loss_reasons (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('loss_reasons', 'loss_reason_owner_id_filter', '1000000 10000 100 1 1');

CREATE INDEX loss_reason_owner_id_recent ON loss_reasons (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('loss_reasons', 'loss_reason_owner_id_recent', '1000000 10000 100 1 1');

CREATE UNIQUE INDEX loss_reason_external_id ON loss_reasons (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('loss_reasons', 'loss_reason_external_id', '1000000 10000 1 1');

CREATE INDEX loss_reason_created_at_order ON loss_reasons (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('loss_reasons', 'loss_reason_created_at_order', '1000000 10000 10 1');

CREATE INDEX loss_reason_updated_at_order ON loss_reasons (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('loss_reasons', 'loss_reason_updated_at_order', '1000000 10000 10 1');

CREATE INDEX loss_reason_bin ON loss_reasons (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('loss_reasons', 'loss_reason_bin', '1000000 10000 1 1');

CREATE VIRTUAL TABLE loss_reasons_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

ANALYZE sqlite_schema;
