-- No command here takes an idempotency key. A process of the version before that is still there finds
-- nothing to sweep and says so until it is replaced; nothing else reads the table.
-- squawk-ignore ban-drop-table
DROP TABLE idempotency_records;
