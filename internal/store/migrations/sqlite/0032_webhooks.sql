CREATE TABLE webhooks (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	name TEXT,
	name_key TEXT,
	url TEXT,
	url_key TEXT,
	events TEXT,
	events_key TEXT,
	filters TEXT,
	status TEXT,
	disabled_at INTEGER,
	disabled_reason TEXT,
	disabled_reason_key TEXT,
	user_id BLOB,
	owner_id BLOB,
	external_id TEXT,
	external_id_key TEXT,
	tags TEXT,
	tags_key TEXT,
	custom_fields TEXT,
	created_at INTEGER NOT NULL,
	created_by BLOB,
	updated_at INTEGER NOT NULL,
	updated_by BLOB,
	version INTEGER NOT NULL,
	deleted_at INTEGER,
	search_doc TEXT NOT NULL
);

CREATE UNIQUE INDEX webhooks_id ON webhooks (business_id, id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('webhooks', 'webhooks_id', '1000000 10000 1');

CREATE INDEX webhook_name_order ON webhooks (business_id, name_key, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('webhooks', 'webhook_name_order', '1000000 10000 10 1');

CREATE INDEX webhook_status_filter ON webhooks (business_id, status, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('webhooks', 'webhook_status_filter', '1000000 10000 2000 1 1');

CREATE INDEX webhook_user_id_filter ON webhooks (business_id, user_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('webhooks', 'webhook_user_id_filter', '1000000 10000 100 1 1');

CREATE INDEX webhook_owner_id_filter ON webhooks (business_id, owner_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('webhooks', 'webhook_owner_id_filter', '1000000 10000 100 1 1');

CREATE INDEX webhook_owner_id_recent ON webhooks (business_id, owner_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('webhooks', 'webhook_owner_id_recent', '1000000 10000 100 1 1');

CREATE UNIQUE INDEX webhook_external_id ON webhooks (business_id, external_id_key, external_id) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('webhooks', 'webhook_external_id', '1000000 10000 1 1');

CREATE INDEX webhook_created_at_order ON webhooks (business_id, created_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('webhooks', 'webhook_created_at_order', '1000000 10000 10 1');

CREATE INDEX webhook_updated_at_order ON webhooks (business_id, updated_at, id, deleted_at) WHERE deleted_at IS NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('webhooks', 'webhook_updated_at_order', '1000000 10000 10 1');

CREATE INDEX webhook_bin ON webhooks (business_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('webhooks', 'webhook_bin', '1000000 10000 1 1');

CREATE VIRTUAL TABLE webhooks_fts USING fts5(doc, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE webhook_feed (
	business_id INTEGER NOT NULL,
	leased_by BLOB,
	leased_until INTEGER,
	due_at INTEGER,
	PRIMARY KEY (business_id)
) WITHOUT ROWID;

CREATE TABLE webhook_state (
	business_id INTEGER NOT NULL,
	webhook_id BLOB NOT NULL,
	active INTEGER NOT NULL,
	user_id BLOB,
	token_id BLOB,
	app_id BLOB,
	client_id TEXT,
	connection_id BLOB,
	scopes TEXT,
	data TEXT NOT NULL,
	old_data TEXT,
	old_until INTEGER,
	seq INTEGER NOT NULL,
	last_seq INTEGER NOT NULL,
	replay_seq INTEGER NOT NULL,
	replay_to INTEGER NOT NULL,
	replay_last INTEGER NOT NULL,
	failures INTEGER NOT NULL,
	failing_since INTEGER,
	probe_at INTEGER,
	PRIMARY KEY (business_id, webhook_id)
) WITHOUT ROWID;

CREATE TABLE webhook_delivery (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	id BLOB NOT NULL,
	webhook_id BLOB NOT NULL,
	seq INTEGER NOT NULL,
	prev_seq INTEGER NOT NULL,
	event TEXT NOT NULL,
	record_id BLOB,
	replayed INTEGER NOT NULL,
	status TEXT NOT NULL,
	attempts INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	finished_at INTEGER,
	next_at INTEGER,
	answered INTEGER NOT NULL,
	answer TEXT,
	error TEXT,
	took INTEGER NOT NULL,
	request TEXT
);

CREATE UNIQUE INDEX webhook_delivery_id ON webhook_delivery (business_id, id);

CREATE INDEX webhook_delivery_of ON webhook_delivery (business_id, webhook_id, id);

CREATE INDEX webhook_delivery_waiting ON webhook_delivery (business_id, webhook_id, seq) WHERE finished_at IS NULL;

CREATE INDEX webhook_delivery_record ON webhook_delivery (business_id, record_id, id) WHERE record_id IS NOT NULL;

ANALYZE sqlite_schema;
