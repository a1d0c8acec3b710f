ALTER TABLE lifecycle_stages ADD COLUMN colour text COLLATE "C";

ALTER TABLE stages ADD COLUMN colour text COLLATE "C";
