-- What was sent with an attempt and what was answered, as far as it is kept. The headers that were
-- sent follow from the delivery and `started_at`, but for the signature: secrets are rotated. All of
-- it is null in attempts of an earlier version, the answer too where none came.
ALTER TABLE attempts
  ADD COLUMN request_signature text,
  -- A line a header.
  ADD COLUMN response_headers text,
  ADD COLUMN response_body text,
  ADD COLUMN response_truncated boolean;
