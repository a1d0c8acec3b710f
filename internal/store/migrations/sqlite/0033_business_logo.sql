ALTER TABLE business ADD COLUMN logo TEXT;

CREATE TABLE business_logo (
	business_id INTEGER NOT NULL,
	picture BLOB NOT NULL,
	PRIMARY KEY (business_id)
) WITHOUT ROWID;

ANALYZE sqlite_schema;
