-- Entries of the log and kept answers were laid by their keys, where a row of more than a quarter of a page has a page to itself. Now they lie by row number, several on a page.

DROP INDEX change_record;

ALTER TABLE change RENAME TO change_before;

CREATE TABLE change (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	resource TEXT NOT NULL,
	record_id BLOB NOT NULL,
	version INTEGER NOT NULL,
	action TEXT NOT NULL,
	at INTEGER NOT NULL,
	user_id BLOB,
	token_id BLOB,
	app_id BLOB,
	client_id TEXT,
	request_id TEXT,
	changes TEXT NOT NULL
);

INSERT INTO change (rid, business_id, seq, resource, record_id, version, action, at, user_id, token_id, app_id, client_id, request_id, changes)
SELECT business_id << 40 | seq, business_id, seq, resource, record_id, version, action, at, user_id, token_id, app_id, client_id, request_id, changes
FROM change_before ORDER BY business_id, seq;

DROP TABLE change_before;

CREATE UNIQUE INDEX change_id ON change (business_id, seq);

CREATE INDEX change_record ON change (business_id, resource, record_id, seq);

ALTER TABLE answer RENAME TO answer_before;

CREATE TABLE answer (
	rid INTEGER PRIMARY KEY,
	business_id INTEGER NOT NULL,
	hash BLOB NOT NULL,
	at INTEGER NOT NULL,
	fingerprint BLOB NOT NULL,
	status INTEGER NOT NULL,
	etag TEXT,
	location TEXT,
	body BLOB
);

INSERT INTO answer (business_id, hash, at, fingerprint, status, etag, location, body)
SELECT business_id, hash, at, fingerprint, status, etag, location, body FROM answer_before ORDER BY at;

DROP TABLE answer_before;

CREATE UNIQUE INDEX answer_id ON answer (business_id, hash);
