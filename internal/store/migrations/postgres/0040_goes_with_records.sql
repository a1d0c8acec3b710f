CREATE INDEX follow_about_id_bin ON follows (business_id, about_id_key) WHERE deleted_at IS NOT NULL;

CREATE INDEX notification_about_id_bin ON notifications (business_id, about_id_key) WHERE deleted_at IS NOT NULL;
