ALTER TABLE fields ADD COLUMN indexed boolean DEFAULT false;

ALTER TABLE fields ADD COLUMN is_unique boolean DEFAULT false;

ALTER TABLE fields ADD COLUMN index_status text COLLATE "C";

CREATE TABLE custom_text (
	business_id uuid NOT NULL,
	field bigint NOT NULL,
	key text COLLATE "C" NOT NULL,
	record_id uuid NOT NULL,
	created_at timestamptz NOT NULL,
	PRIMARY KEY (business_id, field, key, record_id)
);

CREATE INDEX custom_text_filter ON custom_text (business_id, field, key, created_at, record_id);

CREATE TABLE custom_number (
	business_id uuid NOT NULL,
	field bigint NOT NULL,
	key bigint NOT NULL,
	record_id uuid NOT NULL,
	created_at timestamptz NOT NULL,
	PRIMARY KEY (business_id, field, key, record_id)
);

CREATE INDEX custom_number_filter ON custom_number (business_id, field, key, created_at, record_id);

CREATE TABLE slip_work (
	business_id uuid NOT NULL,
	field bigint NOT NULL,
	resource text COLLATE "C" NOT NULL,
	filing bigint NOT NULL,
	cleared bigint NOT NULL,
	after_id uuid,
	planned_at timestamptz NOT NULL,
	PRIMARY KEY (business_id, field)
);
