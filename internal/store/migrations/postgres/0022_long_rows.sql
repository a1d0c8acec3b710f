-- Only SQLite keeps the log and the answers another way from here on.
SELECT 1;
