-- A database from before there were releases may have no stages yet: its step 0004 made none.
CREATE TABLE IF NOT EXISTS stages (
	business_id INTEGER NOT NULL,
	pipeline_id BLOB NOT NULL,
	id BLOB NOT NULL,
	name TEXT,
	name_key TEXT,
	position INTEGER,
	kind TEXT,
	probability INTEGER,
	PRIMARY KEY (business_id, id)
) WITHOUT ROWID;

ALTER TABLE lifecycle_stages ADD COLUMN colour TEXT;

ALTER TABLE stages ADD COLUMN colour TEXT;

ANALYZE sqlite_schema;
