-- What the marks of published events rest on: see packages/platform/src/bus/tail.ts.
ALTER TABLE outbox_state
  -- The losses of the stream's end after which the marks were made.
  ADD COLUMN losses uuid[] NOT NULL DEFAULT '{}',
  -- While marks are taken back: of what was published since then.
  ADD COLUMN reset_from timestamptz,
  -- The acknowledged message that is the last of this outbox in the stream.
  ADD COLUMN tail_sequence bigint,
  ADD COLUMN tail_event_id uuid,
  ADD COLUMN tail_message_id text,
  ADD COLUMN tail_stored_at timestamptz;
