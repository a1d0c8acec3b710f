CREATE TABLE attempt (
	hash bytea NOT NULL,
	full_at timestamptz NOT NULL,
	PRIMARY KEY (hash)
);

CREATE INDEX attempt_full ON attempt (full_at);
