ALTER TABLE business ADD COLUMN address text COLLATE "C";

ALTER TABLE business ADD COLUMN tax_id text COLLATE "C";

ALTER TABLE business ADD COLUMN quote_terms text COLLATE "C";

ALTER TABLE business ADD COLUMN quote_footer text COLLATE "C";
