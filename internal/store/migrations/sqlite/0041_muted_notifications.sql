ALTER TABLE users ADD COLUMN muted_notifications TEXT;

ANALYZE sqlite_schema;
