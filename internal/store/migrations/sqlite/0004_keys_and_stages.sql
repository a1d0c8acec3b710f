-- The rows of stages, and the keys of addresses, phone numbers and codes, are written by what follows this script in Go.
CREATE TABLE stages (
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

CREATE INDEX stage_whole ON stages (business_id, pipeline_id);

ANALYZE sqlite_schema;
