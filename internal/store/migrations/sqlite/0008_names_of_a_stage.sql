CREATE INDEX contact_lifecycle_stage_id_named ON contacts (business_id, lifecycle_stage_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('contacts', 'contact_lifecycle_stage_id_named', '1000000 10000 100 1 1');

CREATE INDEX deal_status_named ON deals (business_id, status, name_key, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_status_named', '1000000 10000 100 1 1');

ANALYZE sqlite_schema;
