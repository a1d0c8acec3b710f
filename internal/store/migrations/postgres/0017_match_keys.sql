CREATE TABLE match_key (
	business_id uuid NOT NULL,
	resource text COLLATE "C" NOT NULL,
	key text COLLATE "C" NOT NULL,
	record_id uuid NOT NULL,
	PRIMARY KEY (business_id, resource, key, record_id)
);

CREATE TABLE not_twins (
	business_id uuid NOT NULL,
	resource text COLLATE "C" NOT NULL,
	first_id uuid NOT NULL,
	second_id uuid NOT NULL,
	at timestamptz NOT NULL,
	user_id uuid,
	PRIMARY KEY (business_id, resource, first_id, second_id)
);
