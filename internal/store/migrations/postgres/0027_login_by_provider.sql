ALTER TABLE business ADD COLUMN login_issuer text COLLATE "C";

ALTER TABLE business ADD COLUMN login_client_id text COLLATE "C";

ALTER TABLE business ADD COLUMN login_client_secret text COLLATE "C";

ALTER TABLE business ADD COLUMN login_domains text COLLATE "C";

ALTER TABLE business ADD COLUMN login_role_id uuid;

ALTER TABLE business ADD COLUMN login_required boolean;

ALTER TABLE business ADD COLUMN login_trusted boolean;

CREATE TABLE login_domain (
	domain text COLLATE "C" NOT NULL,
	business_id uuid NOT NULL,
	PRIMARY KEY (domain, business_id)
);

CREATE INDEX login_domain_of_business ON login_domain (business_id);

CREATE TABLE login_secret (
	business_id uuid NOT NULL,
	data json NOT NULL,
	PRIMARY KEY (business_id)
);
