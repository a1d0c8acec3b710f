CREATE TABLE factor (
	business_id INTEGER NOT NULL,
	user_id BLOB NOT NULL,
	id BLOB NOT NULL,
	kind TEXT NOT NULL,
	name TEXT,
	data TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	used_at INTEGER,
	PRIMARY KEY (business_id, user_id, id)
) WITHOUT ROWID;

ALTER TABLE users ADD COLUMN second_factor_at INTEGER;

ALTER TABLE roles ADD COLUMN requires_second_factor INTEGER;

ANALYZE sqlite_schema;
