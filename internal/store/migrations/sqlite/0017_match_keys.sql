CREATE TABLE match_key (
	business_id INTEGER NOT NULL,
	resource TEXT NOT NULL,
	key TEXT NOT NULL,
	record_id BLOB NOT NULL,
	PRIMARY KEY (business_id, resource, key, record_id)
) WITHOUT ROWID;

CREATE TABLE not_twins (
	business_id INTEGER NOT NULL,
	resource TEXT NOT NULL,
	first_id BLOB NOT NULL,
	second_id BLOB NOT NULL,
	at INTEGER NOT NULL,
	user_id BLOB,
	PRIMARY KEY (business_id, resource, first_id, second_id)
) WITHOUT ROWID;

ANALYZE sqlite_schema;
