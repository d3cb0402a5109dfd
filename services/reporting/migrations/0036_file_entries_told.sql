-- outside a transaction
-- What past profiles show, moves among it: in place of file_entries_shown.
CREATE INDEX CONCURRENTLY IF NOT EXISTS file_entries_told ON file_entries (subject_id, sequence)
  WHERE kind IN ('ALERT_PLACED', 'ALERT_REMOVED', 'STATEMENT_SET', 'STATEMENT_REMOVED',
    'FILE_JOINED', 'FILE_PARTED');
