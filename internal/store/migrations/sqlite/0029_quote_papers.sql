ALTER TABLE business ADD COLUMN address TEXT;

ALTER TABLE business ADD COLUMN tax_id TEXT;

ALTER TABLE business ADD COLUMN quote_terms TEXT;

ALTER TABLE business ADD COLUMN quote_footer TEXT;

ANALYZE sqlite_schema;
