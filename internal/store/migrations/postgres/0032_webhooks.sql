CREATE TABLE webhooks (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	name text COLLATE "C",
	name_key text COLLATE "C",
	url text COLLATE "C",
	url_key text COLLATE "C",
	events text COLLATE "C",
	events_key text COLLATE "C",
	filters json,
	status text COLLATE "C",
	disabled_at timestamptz,
	disabled_reason text COLLATE "C",
	disabled_reason_key text COLLATE "C",
	user_id uuid,
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
);

CREATE INDEX webhook_name_order ON webhooks (business_id, name_key, id) WHERE deleted_at IS NULL;

CREATE INDEX webhook_status_filter ON webhooks (business_id, status, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX webhook_user_id_filter ON webhooks (business_id, user_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX webhook_owner_id_filter ON webhooks (business_id, owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX webhook_owner_id_recent ON webhooks (business_id, owner_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX webhook_external_id ON webhooks (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

CREATE INDEX webhook_created_at_order ON webhooks (business_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX webhook_updated_at_order ON webhooks (business_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX webhook_bin ON webhooks (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX webhooks_search ON webhooks USING gin (shelf, search_doc gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL;

CREATE TABLE webhook_feed (
	business_id uuid NOT NULL,
	leased_by uuid,
	leased_until timestamptz,
	due_at timestamptz,
	PRIMARY KEY (business_id)
);

CREATE TABLE webhook_state (
	business_id uuid NOT NULL,
	webhook_id uuid NOT NULL,
	active bigint NOT NULL,
	user_id uuid,
	token_id uuid,
	app_id uuid,
	client_id text COLLATE "C",
	connection_id uuid,
	scopes text COLLATE "C",
	data json NOT NULL,
	old_data json,
	old_until timestamptz,
	seq bigint NOT NULL,
	last_seq bigint NOT NULL,
	replay_seq bigint NOT NULL,
	replay_to bigint NOT NULL,
	replay_last bigint NOT NULL,
	failures bigint NOT NULL,
	failing_since timestamptz,
	probe_at timestamptz,
	PRIMARY KEY (business_id, webhook_id)
);

CREATE TABLE webhook_delivery (
	business_id uuid NOT NULL,
	id uuid NOT NULL,
	webhook_id uuid NOT NULL,
	seq bigint NOT NULL,
	prev_seq bigint NOT NULL,
	event text COLLATE "C" NOT NULL,
	record_id uuid,
	replayed bigint NOT NULL,
	status text COLLATE "C" NOT NULL,
	attempts bigint NOT NULL,
	created_at timestamptz NOT NULL,
	finished_at timestamptz,
	next_at timestamptz,
	answered bigint NOT NULL,
	answer text COLLATE "C",
	error text COLLATE "C",
	took bigint NOT NULL,
	request text COLLATE "C",
	PRIMARY KEY (business_id, id)
);

CREATE INDEX webhook_delivery_of ON webhook_delivery (business_id, webhook_id, id);

CREATE INDEX webhook_delivery_waiting ON webhook_delivery (business_id, webhook_id, seq) WHERE finished_at IS NULL;

CREATE INDEX webhook_delivery_record ON webhook_delivery (business_id, record_id, id) WHERE record_id IS NOT NULL;
