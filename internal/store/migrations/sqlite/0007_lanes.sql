-- A business's lanes tell now where rows lie that came out of order. Where there were any, the first lane is in no order; it is laid anew.
INSERT INTO tally (business_id, name, n)
SELECT
	business_id,
	CASE name
		WHEN 'company.disorder' THEN 'companies.lanes'
		WHEN 'activity.disorder' THEN 'activities.lanes'
		ELSE replace(name, '.disorder', 's.lanes')
	END,
	1
FROM tally WHERE name LIKE '%.disorder' AND n > 0;

DELETE FROM tally WHERE name LIKE '%.disorder';
