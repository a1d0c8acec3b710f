ALTER TABLE business ADD COLUMN timezone text COLLATE "C";

ALTER TABLE business ADD COLUMN locale text COLLATE "C";

ALTER TABLE business ADD COLUMN updated_at timestamptz;

ALTER TABLE business ADD COLUMN version bigint;

UPDATE business SET updated_at = created_at, version = 1;
