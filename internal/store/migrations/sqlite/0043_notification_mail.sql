ALTER TABLE users ADD COLUMN notifications_mailed_at_once TEXT;

ALTER TABLE users ADD COLUMN notifications_not_mailed TEXT;

CREATE TABLE notification_mail (
	business_id INTEGER NOT NULL,
	notification_id BLOB NOT NULL,
	user_id BLOB NOT NULL,
	due_at INTEGER NOT NULL,
	tries INTEGER NOT NULL,
	leased_until INTEGER,
	PRIMARY KEY (business_id, notification_id)
) WITHOUT ROWID;

CREATE INDEX notification_mail_due ON notification_mail (due_at);

ANALYZE sqlite_schema;
