ALTER TABLE session ADD COLUMN push TEXT;

CREATE TABLE notification_push (
	business_id INTEGER NOT NULL,
	notification_id BLOB NOT NULL,
	user_id BLOB NOT NULL,
	due_at INTEGER NOT NULL,
	tries INTEGER NOT NULL,
	leased_until INTEGER,
	PRIMARY KEY (business_id, notification_id)
) WITHOUT ROWID;

CREATE INDEX notification_push_due ON notification_push (due_at);

ANALYZE sqlite_schema;
