ALTER TABLE notifications ADD COLUMN job_id TEXT;

ALTER TABLE notifications ADD COLUMN job_id_key TEXT;

ANALYZE sqlite_schema;
