ALTER TABLE notes ADD COLUMN in_reply_to_id uuid;

CREATE INDEX note_in_reply_to_id_filter ON notes (business_id, in_reply_to_id, created_at, id) WHERE deleted_at IS NULL;

CREATE TABLE follows (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	about_id text COLLATE "C",
	about_id_key text COLLATE "C",
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

CREATE TABLE follows_p0 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE follows_p1 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE follows_p2 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE follows_p3 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE follows_p4 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE follows_p5 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE follows_p6 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE follows_p7 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE follows_p8 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE follows_p9 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE follows_p10 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE follows_p11 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE follows_p12 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE follows_p13 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE follows_p14 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE follows_p15 PARTITION OF follows FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX follow_about_id_filter ON follows (business_id, about_id_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX follow_owner_id_filter ON follows (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX follow_owner_id_recent ON follows (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX follow_external_id ON follows (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX follow_created_at_order ON follows (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX follow_updated_at_order ON follows (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX follow_bin ON follows (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX follows_search ON follows USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;
