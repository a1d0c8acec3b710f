CREATE TABLE old_secret (
	hash bytea NOT NULL,
	business_id uuid NOT NULL,
	expires_at timestamptz,
	PRIMARY KEY (hash)
);
