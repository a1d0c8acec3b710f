CREATE TABLE job (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	kind text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	user_id uuid,
	token_id uuid,
	app_id uuid,
	client_id text COLLATE "C",
	connection_id uuid,
	scopes text COLLATE "C",
	params json NOT NULL,
	private json,
	place text COLLATE "C",
	total bigint NOT NULL,
	done bigint NOT NULL,
	failed bigint NOT NULL,
	first_seq bigint NOT NULL,
	last_seq bigint NOT NULL,
	tries bigint NOT NULL,
	error json,
	created_at timestamptz NOT NULL,
	started_at timestamptz,
	finished_at timestamptz,
	served_at timestamptz NOT NULL,
	leased_by uuid,
	leased_until timestamptz,
	PRIMARY KEY (business_id, id)
);

CREATE INDEX job_open ON job (business_id, served_at) WHERE finished_at IS NULL;

CREATE INDEX job_user ON job (business_id, user_id, id);

CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE job_set (
	business_id uuid NOT NULL,
	job_id uuid NOT NULL,
	n bigint NOT NULL,
	ids bytea NOT NULL,
	PRIMARY KEY (business_id, job_id, n)
);

CREATE TABLE job_refusal (
	business_id uuid NOT NULL,
	job_id uuid NOT NULL,
	n bigint NOT NULL,
	resource text COLLATE "C" NOT NULL,
	record_id uuid,
	input json,
	problem json NOT NULL,
	PRIMARY KEY (business_id, job_id, n)
);

CREATE INDEX job_refusal_record ON job_refusal (business_id, record_id) WHERE record_id IS NOT NULL;
