ALTER TABLE quotes ADD COLUMN shared_at INTEGER;

ALTER TABLE quotes ADD COLUMN accepted_by TEXT;

ALTER TABLE quotes ADD COLUMN accepted_by_key TEXT;

ALTER TABLE quotes ADD COLUMN answered_from TEXT;

ALTER TABLE quotes ADD COLUMN answered_from_key TEXT;

ANALYZE sqlite_schema;
