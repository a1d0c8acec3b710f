ALTER TABLE users ADD COLUMN notifications_mailed_at_once text COLLATE "C";

ALTER TABLE users ADD COLUMN notifications_not_mailed text COLLATE "C";

CREATE TABLE notification_mail (
	business_id uuid NOT NULL,
	notification_id uuid NOT NULL,
	user_id uuid NOT NULL,
	due_at timestamptz NOT NULL,
	tries bigint NOT NULL,
	leased_until timestamptz,
	PRIMARY KEY (business_id, notification_id)
);

CREATE INDEX notification_mail_due ON notification_mail (due_at);
