-- No command here takes an idempotency key.
DROP TABLE idempotency_records;
