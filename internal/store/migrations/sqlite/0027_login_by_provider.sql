ALTER TABLE business ADD COLUMN login_issuer TEXT;

ALTER TABLE business ADD COLUMN login_client_id TEXT;

ALTER TABLE business ADD COLUMN login_client_secret TEXT;

ALTER TABLE business ADD COLUMN login_domains TEXT;

ALTER TABLE business ADD COLUMN login_role_id BLOB;

ALTER TABLE business ADD COLUMN login_required INTEGER;

ALTER TABLE business ADD COLUMN login_trusted INTEGER;

CREATE TABLE login_domain (
	domain TEXT NOT NULL,
	business_id INTEGER NOT NULL,
	PRIMARY KEY (domain, business_id)
) WITHOUT ROWID;

CREATE INDEX login_domain_of_business ON login_domain (business_id);

CREATE TABLE login_secret (
	business_id INTEGER NOT NULL,
	data TEXT NOT NULL,
	PRIMARY KEY (business_id)
) WITHOUT ROWID;

ANALYZE sqlite_schema;
