ALTER TABLE business ADD COLUMN figured_seq bigint;

CREATE TABLE deal_figure (
	business_id uuid NOT NULL,
	place bytea NOT NULL,
	pipeline_id uuid,
	status text COLLATE "C",
	stage_id uuid,
	currency text COLLATE "C",
	owner_id uuid,
	n bigint NOT NULL,
	amount_n bigint NOT NULL,
	amount_high bigint NOT NULL,
	amount_low bigint NOT NULL,
	weighted_amount_n bigint NOT NULL,
	weighted_amount_high bigint NOT NULL,
	weighted_amount_low bigint NOT NULL,
	PRIMARY KEY (business_id, place)
);

-- Boards read figures that are kept, so that the index of sums is for periods of time now.
DROP INDEX deal_summed;

CREATE INDEX deal_summed ON deals (business_id, created_at, currency, amount, weighted_amount, pipeline_id, status, stage_id, owner_id) WHERE deleted_at IS NULL;

-- Old answers are swept in the order of their hashes, and the index by age only tempted PostgreSQL to look keys up in it.
DROP INDEX answer_age;
