ALTER TABLE webhook_delivery ADD COLUMN tried TEXT;

ANALYZE sqlite_schema;
