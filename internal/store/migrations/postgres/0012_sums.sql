ALTER TABLE deals ADD COLUMN weighted_amount bigint;

-- amount × probability / 100, rounded half away from zero.
UPDATE deals
SET weighted_amount = round(amount::numeric * probability * 0.000001)
WHERE amount IS NOT NULL AND probability IS NOT NULL;

CREATE INDEX deal_summed ON deals (business_id, pipeline_id, status, stage_id, currency, amount, weighted_amount, created_at, owner_id) WHERE deleted_at IS NULL;
