ALTER TABLE session ADD COLUMN confirmed_at timestamptz;

ALTER TABLE users ADD COLUMN pending_email text COLLATE "C";

ALTER TABLE users ADD COLUMN pending_email_key text COLLATE "C";
