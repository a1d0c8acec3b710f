CREATE INDEX contact_lifecycle_stage_id_named ON contacts (business_id, lifecycle_stage_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX deal_status_named ON deals (business_id, status, name_key, id) WHERE deleted_at IS NULL;
