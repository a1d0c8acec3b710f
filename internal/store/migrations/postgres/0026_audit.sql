CREATE TABLE audit (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	seq bigint NOT NULL,
	created_at timestamptz NOT NULL,
	action text COLLATE "C" NOT NULL,
	actor text COLLATE "C" NOT NULL,
	user_id uuid,
	token_id uuid,
	app_id text COLLATE "C",
	resource text COLLATE "C",
	record_id text COLLATE "C",
	fields text COLLATE "C",
	count bigint NOT NULL,
	address text COLLATE "C",
	request_id text COLLATE "C",
	hash text COLLATE "C" NOT NULL,
	address_salt bytea,
	address_digest bytea,
	PRIMARY KEY (business_id, seq)
);

CREATE INDEX audit_created_at ON audit (business_id, created_at, id);

CREATE INDEX audit_action ON audit (business_id, action, created_at, id);

CREATE INDEX audit_user_id ON audit (business_id, user_id, created_at, id);

CREATE INDEX audit_record_id ON audit (business_id, record_id, created_at, id);

CREATE INDEX audit_address ON audit (business_id, address, created_at, id);

CREATE TABLE audit_head (
	business_id uuid NOT NULL,
	seq bigint NOT NULL,
	hash bytea NOT NULL,
	at timestamptz,
	last_id uuid,
	PRIMARY KEY (business_id)
);
