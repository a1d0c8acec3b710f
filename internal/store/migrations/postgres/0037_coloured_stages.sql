-- A database from before there were releases may have no stages yet: its step 0004 made none.
CREATE TABLE IF NOT EXISTS stages (
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

ALTER TABLE lifecycle_stages ADD COLUMN colour text COLLATE "C";

ALTER TABLE stages ADD COLUMN colour text COLLATE "C";
