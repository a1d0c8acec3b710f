CREATE INDEX activity_contact_id_timeline ON activities (business_id, contact_id, occurred_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_company_id_timeline ON activities (business_id, company_id, occurred_at, id) WHERE deleted_at IS NULL;

CREATE INDEX activity_deal_id_timeline ON activities (business_id, deal_id, occurred_at, id) WHERE deleted_at IS NULL;
