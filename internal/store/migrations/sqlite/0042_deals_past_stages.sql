ALTER TABLE deals ADD COLUMN past_stages TEXT;

ANALYZE sqlite_schema;
