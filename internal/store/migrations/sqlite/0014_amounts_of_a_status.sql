-- Amounts are often filtered by beside the status, and counting matches need not read the deals.
DROP INDEX deal_status_filter;

CREATE INDEX deal_status_filter ON deals (business_id, status, created_at, id, amount, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_status_filter', '1000000 10000 2000 1 1 1');

DROP INDEX deal_status_named;

CREATE INDEX deal_status_named ON deals (business_id, status, name_key, id, amount, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_status_named', '1000000 10000 100 1 1 1');

ANALYZE sqlite_schema;
