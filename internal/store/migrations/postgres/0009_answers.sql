CREATE TABLE answer (
	business_id uuid NOT NULL,
	hash bytea NOT NULL,
	at timestamptz NOT NULL,
	fingerprint bytea NOT NULL,
	status bigint NOT NULL,
	etag text COLLATE "C",
	location text COLLATE "C",
	body bytea,
	PRIMARY KEY (business_id, hash)
);

CREATE INDEX answer_age ON answer (business_id, at);
