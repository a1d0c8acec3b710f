-- The rows of stages, and the keys of addresses, phone numbers and codes, are written by what follows this script in Go.
CREATE TABLE stages (
	business_id uuid NOT NULL,
	pipeline_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C",
	name_key text COLLATE "C",
	position bigint,
	kind text COLLATE "C",
	probability bigint,
	PRIMARY KEY (business_id, id)
);

CREATE INDEX stage_whole ON stages (business_id, pipeline_id);
