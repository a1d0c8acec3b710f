ALTER TABLE session ADD COLUMN confirmed_at INTEGER;

ALTER TABLE users ADD COLUMN pending_email TEXT;

ALTER TABLE users ADD COLUMN pending_email_key TEXT;

ANALYZE sqlite_schema;
