ALTER TABLE business ADD COLUMN bin_days bigint;
