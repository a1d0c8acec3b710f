CREATE INDEX activity_contact_id_timeline ON activities (business_id, contact_id, occurred_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_contact_id_timeline', '1000000 10000 100 1 1');

CREATE INDEX activity_company_id_timeline ON activities (business_id, company_id, occurred_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_company_id_timeline', '1000000 10000 100 1 1');

CREATE INDEX activity_deal_id_timeline ON activities (business_id, deal_id, occurred_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('activities', 'activity_deal_id_timeline', '1000000 10000 100 1 1');

ANALYZE sqlite_schema;
