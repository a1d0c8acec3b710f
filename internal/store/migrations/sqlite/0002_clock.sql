ALTER TABLE business ADD COLUMN clock INTEGER;

UPDATE business AS b SET clock = (
	SELECT c.at
	FROM change c
	WHERE c.business_id = b.business_id
	ORDER BY c.seq DESC
	LIMIT 1
);

ANALYZE sqlite_schema;
