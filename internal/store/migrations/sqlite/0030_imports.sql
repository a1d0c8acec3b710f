CREATE TABLE import (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	resource TEXT NOT NULL,
	user_id BLOB,
	connection_id BLOB,
	scopes TEXT,
	options TEXT NOT NULL,
	file TEXT,
	file_id BLOB,
	coming_id BLOB,
	preview_id BLOB,
	run_id BLOB,
	undo_id BLOB,
	undone TEXT,
	version INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL
);

CREATE UNIQUE INDEX import_id ON import (business_id, id);

CREATE INDEX import_user ON import (business_id, user_id, id);

CREATE INDEX import_updated ON import (updated_at);

CREATE TABLE import_row (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	import_id BLOB NOT NULL,
	file_id BLOB NOT NULL,
	first_row INTEGER NOT NULL,
	data BLOB NOT NULL
);

CREATE UNIQUE INDEX import_row_id ON import_row (business_id, import_id, file_id, first_row);

ANALYZE sqlite_schema;
