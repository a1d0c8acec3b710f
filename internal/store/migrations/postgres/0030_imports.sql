CREATE TABLE import (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	resource text COLLATE "C" NOT NULL,
	user_id uuid,
	connection_id uuid,
	scopes text COLLATE "C",
	options json NOT NULL,
	file json,
	file_id uuid,
	coming_id uuid,
	preview_id uuid,
	run_id uuid,
	undo_id uuid,
	undone json,
	version bigint NOT NULL,
	created_at timestamptz NOT NULL,
	updated_at timestamptz NOT NULL,
	PRIMARY KEY (business_id, id)
);

CREATE INDEX import_user ON import (business_id, user_id, id);

CREATE INDEX import_updated ON import (updated_at);

CREATE TABLE import_row (
	business_id uuid NOT NULL,
	import_id uuid NOT NULL,
	file_id uuid NOT NULL,
	first_row bigint NOT NULL,
	data bytea NOT NULL,
	PRIMARY KEY (business_id, import_id, file_id, first_row)
);
