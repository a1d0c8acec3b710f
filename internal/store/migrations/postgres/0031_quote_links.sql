ALTER TABLE quotes ADD COLUMN shared_at timestamptz;

ALTER TABLE quotes ADD COLUMN accepted_by text COLLATE "C";

ALTER TABLE quotes ADD COLUMN accepted_by_key text COLLATE "C";

ALTER TABLE quotes ADD COLUMN answered_from text COLLATE "C";

ALTER TABLE quotes ADD COLUMN answered_from_key text COLLATE "C";
