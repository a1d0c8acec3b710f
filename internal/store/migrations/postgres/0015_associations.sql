CREATE TABLE associations (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	from_id text COLLATE "C",
	from_id_key text COLLATE "C",
	to_id text COLLATE "C",
	to_id_key text COLLATE "C",
	label text COLLATE "C",
	label_key text COLLATE "C",
	deleted_with text COLLATE "C",
	deleted_with_key text COLLATE "C",
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

CREATE TABLE associations_p0 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 0);

CREATE TABLE associations_p1 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 1);

CREATE TABLE associations_p2 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 2);

CREATE TABLE associations_p3 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 3);

CREATE TABLE associations_p4 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 4);

CREATE TABLE associations_p5 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 5);

CREATE TABLE associations_p6 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 6);

CREATE TABLE associations_p7 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 7);

CREATE TABLE associations_p8 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 8);

CREATE TABLE associations_p9 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 9);

CREATE TABLE associations_p10 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 10);

CREATE TABLE associations_p11 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 11);

CREATE TABLE associations_p12 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 12);

CREATE TABLE associations_p13 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 13);

CREATE TABLE associations_p14 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 14);

CREATE TABLE associations_p15 PARTITION OF associations FOR VALUES WITH (MODULUS 16, REMAINDER 15);

CREATE INDEX association_from_id_filter ON associations (business_id, from_id_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX association_to_id_filter ON associations (business_id, to_id_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX association_label_filter ON associations (business_id, label_key, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX association_owner_id_filter ON associations (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX association_owner_id_recent ON associations (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX association_external_id ON associations (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX association_created_at_order ON associations (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX association_updated_at_order ON associations (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX association_bin ON associations (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX associations_search ON associations USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE association_end (
	business_id uuid NOT NULL,
	near text COLLATE "C" NOT NULL,
	far text COLLATE "C" NOT NULL,
	live bigint NOT NULL,
	near_id uuid NOT NULL,
	far_id uuid NOT NULL,
	link_id uuid NOT NULL,
	PRIMARY KEY (business_id, near, far, live, near_id, far_id, link_id)
);

CREATE INDEX association_end_link ON association_end (business_id, link_id);
