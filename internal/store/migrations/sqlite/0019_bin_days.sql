ALTER TABLE business ADD COLUMN bin_days INTEGER;

ANALYZE sqlite_schema;
