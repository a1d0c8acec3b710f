-- Amounts are often filtered by beside the status, and counting matches need not read the deals.
DROP INDEX deal_status_filter;

CREATE INDEX deal_status_filter ON deals (business_id, status, created_at, id, amount) WHERE deleted_at IS NULL;

DROP INDEX deal_status_named;

CREATE INDEX deal_status_named ON deals (business_id, status, name_key, id, amount) WHERE deleted_at IS NULL;
