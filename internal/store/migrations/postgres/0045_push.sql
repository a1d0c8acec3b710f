ALTER TABLE session ADD COLUMN push text COLLATE "C";

CREATE TABLE notification_push (
	business_id uuid NOT NULL,
	notification_id uuid NOT NULL,
	user_id uuid NOT NULL,
	due_at timestamptz NOT NULL,
	tries bigint NOT NULL,
	leased_until timestamptz,
	PRIMARY KEY (business_id, notification_id)
);

CREATE INDEX notification_push_due ON notification_push (due_at);
