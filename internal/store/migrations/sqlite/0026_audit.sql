CREATE TABLE audit (
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	seq INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	action TEXT NOT NULL,
	actor TEXT NOT NULL,
	user_id BLOB,
	token_id BLOB,
	app_id TEXT,
	resource TEXT,
	record_id TEXT,
	fields TEXT,
	count INTEGER NOT NULL,
	address TEXT,
	request_id TEXT,
	hash TEXT NOT NULL,
	address_salt BLOB,
	address_digest BLOB,
	PRIMARY KEY (business_id, seq)
) WITHOUT ROWID;

CREATE INDEX audit_created_at ON audit (business_id, created_at, id);

CREATE INDEX audit_action ON audit (business_id, action, created_at, id);

CREATE INDEX audit_user_id ON audit (business_id, user_id, created_at, id);

CREATE INDEX audit_record_id ON audit (business_id, record_id, created_at, id);

CREATE INDEX audit_address ON audit (business_id, address, created_at, id);

CREATE TABLE audit_head (
	business_id INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	hash BLOB NOT NULL,
	at INTEGER,
	last_id BLOB,
	PRIMARY KEY (business_id)
) WITHOUT ROWID;

ANALYZE sqlite_schema;
