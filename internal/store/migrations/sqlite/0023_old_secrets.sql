CREATE TABLE old_secret (
	hash BLOB NOT NULL,
	business_id INTEGER NOT NULL,
	expires_at INTEGER,
	PRIMARY KEY (hash)
) WITHOUT ROWID;

ANALYZE sqlite_schema;
