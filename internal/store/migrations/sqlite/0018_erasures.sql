CREATE INDEX not_twins_second ON not_twins (business_id, resource, second_id);

CREATE TABLE erasure (
	business_id INTEGER NOT NULL,
	of_id BLOB NOT NULL,
	record_id BLOB NOT NULL,
	resource TEXT NOT NULL,
	at INTEGER NOT NULL,
	user_id BLOB,
	token_id BLOB,
	app_id BLOB,
	client_id TEXT,
	request_id TEXT,
	chore TEXT NOT NULL,
	place TEXT NOT NULL,
	PRIMARY KEY (business_id, of_id, record_id)
) WITHOUT ROWID;

CREATE INDEX erasure_record ON erasure (business_id, record_id);

ANALYZE sqlite_schema;
