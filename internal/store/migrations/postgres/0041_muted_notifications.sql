ALTER TABLE users ADD COLUMN muted_notifications text COLLATE "C";
