ALTER TABLE business ADD COLUMN timezone TEXT;

ALTER TABLE business ADD COLUMN locale TEXT;

ALTER TABLE business ADD COLUMN updated_at INTEGER;

ALTER TABLE business ADD COLUMN version INTEGER;

UPDATE business SET updated_at = created_at, version = 1;

ANALYZE sqlite_schema;
