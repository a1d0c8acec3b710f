ALTER TABLE fields ADD COLUMN indexed INTEGER DEFAULT 0;

ALTER TABLE fields ADD COLUMN is_unique INTEGER DEFAULT 0;

ALTER TABLE fields ADD COLUMN index_status TEXT;

CREATE TABLE custom_text (
	business_id INTEGER NOT NULL,
	field INTEGER NOT NULL,
	key TEXT NOT NULL,
	record_id BLOB NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (business_id, field, key, record_id)
) WITHOUT ROWID;

CREATE INDEX custom_text_filter ON custom_text (business_id, field, key, created_at, record_id);

CREATE TABLE custom_number (
	business_id INTEGER NOT NULL,
	field INTEGER NOT NULL,
	key INTEGER NOT NULL,
	record_id BLOB NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (business_id, field, key, record_id)
) WITHOUT ROWID;

CREATE INDEX custom_number_filter ON custom_number (business_id, field, key, created_at, record_id);

CREATE TABLE slip_work (
	business_id INTEGER NOT NULL,
	field INTEGER NOT NULL,
	resource TEXT NOT NULL,
	filing INTEGER NOT NULL,
	cleared INTEGER NOT NULL,
	after_id BLOB,
	planned_at INTEGER NOT NULL,
	PRIMARY KEY (business_id, field)
) WITHOUT ROWID;

ANALYZE sqlite_schema;
