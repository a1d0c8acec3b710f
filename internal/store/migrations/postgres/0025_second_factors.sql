CREATE TABLE factor (
	business_id uuid NOT NULL,
	user_id uuid NOT NULL,
	id uuid NOT NULL,
	kind text COLLATE "C" NOT NULL,
	name text COLLATE "C",
	data json NOT NULL,
	created_at timestamptz NOT NULL,
	used_at timestamptz,
	PRIMARY KEY (business_id, user_id, id)
);

ALTER TABLE users ADD COLUMN second_factor_at timestamptz;

ALTER TABLE roles ADD COLUMN requires_second_factor boolean;
