ALTER TABLE business ADD COLUMN figured_seq INTEGER;

CREATE TABLE deal_figure (
	business_id INTEGER NOT NULL,
	place BLOB NOT NULL,
	pipeline_id BLOB,
	status TEXT,
	stage_id BLOB,
	currency TEXT,
	owner_id BLOB,
	n INTEGER NOT NULL,
	amount_n INTEGER NOT NULL,
	amount_high INTEGER NOT NULL,
	amount_low INTEGER NOT NULL,
	weighted_amount_n INTEGER NOT NULL,
	weighted_amount_high INTEGER NOT NULL,
	weighted_amount_low INTEGER NOT NULL,
	PRIMARY KEY (business_id, place)
) WITHOUT ROWID;

-- Boards read figures that are kept, so that the index of sums is for periods of time now.
DROP INDEX deal_summed;

CREATE INDEX deal_summed ON deals (business_id, deleted_at, created_at, currency, amount, weighted_amount, pipeline_id, status, stage_id, owner_id) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('deals', 'deal_summed', '1000000 10000 10000 10000 10000 10000 10000 10000 10000 10000');

-- Old answers are swept in the order of their hashes, and the index by age only tempted PostgreSQL to look keys up in it.
DROP INDEX answer_age;

ANALYZE sqlite_schema;
