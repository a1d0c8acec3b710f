CREATE TABLE job (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	kind TEXT NOT NULL,
	status TEXT NOT NULL,
	user_id BLOB,
	token_id BLOB,
	app_id BLOB,
	client_id TEXT,
	connection_id BLOB,
	scopes TEXT,
	params TEXT NOT NULL,
	private TEXT,
	place TEXT,
	total INTEGER NOT NULL,
	done INTEGER NOT NULL,
	failed INTEGER NOT NULL,
	first_seq INTEGER NOT NULL,
	last_seq INTEGER NOT NULL,
	tries INTEGER NOT NULL,
	error TEXT,
	created_at INTEGER NOT NULL,
	started_at INTEGER,
	finished_at INTEGER,
	served_at INTEGER NOT NULL,
	leased_by BLOB,
	leased_until INTEGER
);

CREATE UNIQUE INDEX job_id ON job (business_id, id);

CREATE INDEX job_open ON job (business_id, served_at) WHERE finished_at IS NULL;

CREATE INDEX job_user ON job (business_id, user_id, id);

CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE job_set (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	job_id BLOB NOT NULL,
	n INTEGER NOT NULL,
	ids BLOB NOT NULL
);

CREATE UNIQUE INDEX job_set_id ON job_set (business_id, job_id, n);

CREATE TABLE job_refusal (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	job_id BLOB NOT NULL,
	n INTEGER NOT NULL,
	resource TEXT NOT NULL,
	record_id BLOB,
	input TEXT,
	problem TEXT NOT NULL
);

CREATE UNIQUE INDEX job_refusal_id ON job_refusal (business_id, job_id, n);

CREATE INDEX job_refusal_record ON job_refusal (business_id, record_id) WHERE record_id IS NOT NULL;

ANALYZE sqlite_schema;
