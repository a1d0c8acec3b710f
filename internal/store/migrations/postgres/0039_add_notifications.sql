CREATE TABLE notifications (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	kind text COLLATE "C" NOT NULL,
	about_id text COLLATE "C",
	about_id_key text COLLATE "C",
	event text COLLATE "C",
	event_key text COLLATE "C",
	actor_id uuid,
	text text COLLATE "C",
	text_key text COLLATE "C",
	at timestamptz NOT NULL,
	read_at timestamptz,
	snoozed_until timestamptz,
	owner_id uuid,
	external_id text COLLATE "C",
	external_id_key text COLLATE "C",
	tags text COLLATE "C",
	tags_key text COLLATE "C",
	custom_fields json,
	created_at timestamptz NOT NULL,
	created_by uuid,
	updated_at timestamptz NOT NULL,
	updated_by uuid,
	version bigint NOT NULL,
	deleted_at timestamptz,
	search_doc text COLLATE "C" NOT NULL,
	shelf bigint NOT NULL,
	PRIMARY KEY (business_id, id)
) PARTITION BY HASH (business_id);

CREATE TABLE notifications_p0 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE notifications_p1 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE notifications_p2 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE notifications_p3 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE notifications_p4 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE notifications_p5 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE notifications_p6 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE notifications_p7 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE notifications_p8 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE notifications_p9 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE notifications_p10 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE notifications_p11 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE notifications_p12 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE notifications_p13 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE notifications_p14 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE notifications_p15 PARTITION OF notifications FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX notification_kind_filter ON notifications (business_id, kind, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX notification_about_id_filter ON notifications (business_id, about_id_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX notification_at_order ON notifications (business_id, at, id) WHERE deleted_at IS NULL;

CREATE INDEX notification_read_at_filter ON notifications (business_id, read_at, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX notification_owner_id_filter ON notifications (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX notification_owner_id_recent ON notifications (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX notification_external_id ON notifications (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX notification_created_at_order ON notifications (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX notification_updated_at_order ON notifications (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX notification_bin ON notifications (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX notifications_search ON notifications USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;
