CREATE INDEX follow_about_id_bin ON follows (business_id, about_id_key) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('follows', 'follow_about_id_bin', '1000000 10000 1');

CREATE INDEX notification_about_id_bin ON notifications (business_id, about_id_key) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('notifications', 'notification_about_id_bin', '1000000 10000 1');

ANALYZE sqlite_schema;
