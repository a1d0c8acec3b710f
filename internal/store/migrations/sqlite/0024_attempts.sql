CREATE TABLE attempt (
	hash BLOB NOT NULL,
	full_at INTEGER NOT NULL,
	PRIMARY KEY (hash)
) WITHOUT ROWID;

CREATE INDEX attempt_full ON attempt (full_at);

ANALYZE sqlite_schema;
