ALTER TABLE deals ADD COLUMN weighted_amount INTEGER;

-- amount × probability / 100, rounded half away from zero. The product may have more than 64 bits, so the amount is taken apart.
UPDATE deals
SET weighted_amount = amount / 1000000 * probability
	+ (amount % 1000000 * probability + CASE WHEN amount < 0 THEN -500000 ELSE 500000 END) / 1000000
WHERE amount IS NOT NULL AND probability IS NOT NULL;

CREATE INDEX deal_summed ON deals (business_id, pipeline_id, status, stage_id, currency, amount, weighted_amount, created_at, owner_id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_summed', '1000000 10000 10000 10000 10000 10000 10000 10000 10000 10000');

ANALYZE sqlite_schema;
