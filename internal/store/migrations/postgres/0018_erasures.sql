CREATE INDEX not_twins_second ON not_twins (business_id, resource, second_id);

CREATE TABLE erasure (
	business_id uuid NOT NULL,
	of_id uuid NOT NULL,
	record_id uuid NOT NULL,
	resource text COLLATE "C" NOT NULL,
	at timestamptz NOT NULL,
	user_id uuid,
	token_id uuid,
	app_id uuid,
	client_id text COLLATE "C",
	request_id text COLLATE "C",
	chore text COLLATE "C" NOT NULL,
	place text COLLATE "C" NOT NULL,
	PRIMARY KEY (business_id, of_id, record_id)
);

CREATE INDEX erasure_record ON erasure (business_id, record_id);
