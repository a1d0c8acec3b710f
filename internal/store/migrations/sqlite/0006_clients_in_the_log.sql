ALTER TABLE change ADD COLUMN client_id TEXT;

-- Entries of a token that a user had granted to a client named the grant. Where the grant is still known, they name the app, or the client
-- that registered itself and has no record; where it is not, they stay.
UPDATE change SET
	client_id = (
		SELECT g.client_id FROM access_grant g LEFT JOIN client c ON c.client_id = g.client_id
		WHERE g.business_id = change.business_id AND g.id = change.app_id AND c.app_id IS NULL
	),
	app_id = (
		SELECT c.app_id FROM access_grant g JOIN client c ON c.client_id = g.client_id
		WHERE g.business_id = change.business_id AND g.id = change.app_id
	)
WHERE app_id IS NOT NULL AND EXISTS (SELECT 1 FROM access_grant g WHERE g.business_id = change.business_id AND g.id = change.app_id);

ANALYZE sqlite_schema;
