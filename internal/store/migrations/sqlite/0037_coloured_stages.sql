ALTER TABLE lifecycle_stages ADD COLUMN colour TEXT;

ALTER TABLE stages ADD COLUMN colour TEXT;

ANALYZE sqlite_schema;
