ALTER TABLE business ADD COLUMN logo text COLLATE "C";

CREATE TABLE business_logo (
	business_id uuid NOT NULL,
	picture bytea NOT NULL,
	PRIMARY KEY (business_id)
);
