ALTER TABLE notifications ADD COLUMN job_id text COLLATE "C";

ALTER TABLE notifications ADD COLUMN job_id_key text COLLATE "C";
