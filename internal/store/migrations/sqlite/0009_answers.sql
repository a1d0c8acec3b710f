CREATE TABLE answer (
	business_id INTEGER NOT NULL,
	hash BLOB NOT NULL,
	at INTEGER NOT NULL,
	fingerprint BLOB NOT NULL,
	status INTEGER NOT NULL,
	etag TEXT,
	location TEXT,
	body BLOB,
	PRIMARY KEY (business_id, hash)
) WITHOUT ROWID;

CREATE INDEX answer_age ON answer (business_id, at);

ANALYZE sqlite_schema;
