CREATE TABLE associations (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	from_id TEXT,
	from_id_key TEXT,
	to_id TEXT,
	to_id_key TEXT,
	label TEXT,
	label_key TEXT,
	deleted_with TEXT,
	deleted_with_key TEXT,
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

CREATE UNIQUE INDEX associations_id ON associations (business_id, id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('associations', 'associations_id', '1000000 10000 1');

CREATE INDEX association_from_id_filter ON associations (business_id, from_id_key, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('associations', 'association_from_id_filter', '1000000 10000 100 1 1');

CREATE INDEX association_to_id_filter ON associations (business_id, to_id_key, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('associations', 'association_to_id_filter', '1000000 10000 100 1 1');

CREATE INDEX association_label_filter ON associations (business_id, label_key, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('associations', 'association_label_filter', '1000000 10000 100 1 1');

CREATE INDEX association_owner_id_filter ON associations (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('associations', 'association_owner_id_filter', '1000000 10000 100 1 1');

CREATE INDEX association_owner_id_recent ON associations (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('associations', 'association_owner_id_recent', '1000000 10000 100 1 1');

CREATE UNIQUE INDEX association_external_id ON associations (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('associations', 'association_external_id', '1000000 10000 1 1');

CREATE INDEX association_created_at_order ON associations (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('associations', 'association_created_at_order', '1000000 10000 10 1');

CREATE INDEX association_updated_at_order ON associations (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('associations', 'association_updated_at_order', '1000000 10000 10 1');

CREATE INDEX association_bin ON associations (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('associations', 'association_bin', '1000000 10000 1 1');

CREATE VIRTUAL TABLE associations_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE association_end (
	business_id INTEGER NOT NULL,
	near TEXT NOT NULL,
	far TEXT NOT NULL,
	live INTEGER NOT NULL,
	near_id BLOB NOT NULL,
	far_id BLOB NOT NULL,
	link_id BLOB NOT NULL,
	PRIMARY KEY (business_id, near, far, live, near_id, far_id, link_id)
) WITHOUT ROWID;

CREATE INDEX association_end_link ON association_end (business_id, link_id);

ANALYZE sqlite_schema;
