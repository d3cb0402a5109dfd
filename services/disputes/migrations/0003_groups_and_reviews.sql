-- A dispute is decided by itself, or with others of its group when the administrator says so:
-- duplicate_of names the first of the group, and no more than that.
ALTER TABLE disputes
  -- The decision that is being carried out for it, its own or one that it has joined.
  ADD COLUMN pending_move_id uuid,
  -- The dispute whose outcome was applied to it too; none when it was decided by itself.
  ADD COLUMN decided_with uuid REFERENCES disputes (id),
  ADD COLUMN voided_inquiry_ids uuid[] NOT NULL DEFAULT '{}',
  -- What its furnisher has certified and reported again after the outcome; the latest.
  ADD COLUMN reinserted_event_id uuid,
  ADD COLUMN reinsertion_certification text,
  ADD COLUMN reinserted_at timestamptz,
  -- Has to be told of once more: for services that did not listen before.
  ADD COLUMN retell boolean NOT NULL DEFAULT false;
CREATE INDEX disputes_on_their_way ON disputes (pending_move_id) WHERE pending_move_id IS NOT NULL;
CREATE INDEX disputes_decided_with ON disputes (decided_with) WHERE decided_with IS NOT NULL;
CREATE INDEX disputes_to_retell ON disputes (id) WHERE retell;
-- The group that an intake joins, and how many of a group are left.
CREATE INDEX disputes_alike ON disputes (credit_event_id, reason, id)
  WHERE credit_event_id IS NOT NULL AND status IN ('OPEN', 'UNDER_REVIEW');
CREATE INDEX disputes_open_of_group ON disputes (duplicate_of, id)
  WHERE duplicate_of IS NOT NULL AND status IN ('OPEN', 'UNDER_REVIEW');

-- Which accounts a dispute has under review, and the moves that began and ended it.
CREATE TABLE dispute_reviews (
  dispute_id uuid NOT NULL REFERENCES disputes (id),
  account_id uuid NOT NULL,
  -- Null when it began before this table.
  begun_by uuid,
  ended_by uuid,
  PRIMARY KEY (dispute_id, account_id)
);
CREATE INDEX dispute_reviews_begun ON dispute_reviews (begun_by);
CREATE INDEX dispute_reviews_ended ON dispute_reviews (ended_by) WHERE ended_by IS NOT NULL;

ALTER TABLE dispute_moves
  -- As decided.
  ADD COLUMN named_account_ids uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN inquiry_ids uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN apply_to_group boolean NOT NULL DEFAULT false,
  -- What came of LOCATE: the accounts to review, or to take off the file, and their openings.
  ADD COLUMN account_ids uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN opening_event_ids uuid[] NOT NULL DEFAULT '{}',
  -- What came of CORRECT.
  ADD COLUMN voided_inquiry_ids uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN unmended_count integer NOT NULL DEFAULT 0;

-- A decision that is on its way was one about the whole group, as its outcomes were.
UPDATE dispute_moves SET apply_to_group = true
  WHERE state = 'PENDING' AND status IN ('RESOLVED_CORRECTED', 'RESOLVED_UPHELD');
UPDATE disputes SET pending_move_id = dispute_moves.id
  FROM dispute_moves
  WHERE dispute_moves.state = 'PENDING'
    AND (disputes.id = dispute_id
         OR (disputes.duplicate_of = dispute_id AND apply_to_group
             AND disputes.status IN ('OPEN', 'UNDER_REVIEW')));

-- What stands under review does so by itself from now on, repetitions too: each has its own count.
INSERT INTO dispute_reviews (dispute_id, account_id, ended_by)
  SELECT disputes.id, coalesce(disputes.account_id, original.account_id), done.id
  FROM disputes
  LEFT JOIN disputes original ON original.id = disputes.duplicate_of
  -- What has counted the end of the review already has done so for all of them.
  LEFT JOIN dispute_moves done ON done.id = disputes.pending_move_id
    AND done.status <> 'UNDER_REVIEW' AND done.step IN ('SETTLE', 'FINISH')
  WHERE disputes.status = 'UNDER_REVIEW' AND disputes.credit_event_id IS NOT NULL
    AND coalesce(disputes.account_id, original.account_id) IS NOT NULL;
UPDATE account_reviews SET open_reviews = open_reviews + repeated.count
  FROM (
    SELECT dispute_reviews.account_id, count(*)::integer AS count
    FROM dispute_reviews JOIN disputes ON disputes.id = dispute_id
    WHERE duplicate_of IS NOT NULL AND ended_by IS NULL
    GROUP BY dispute_reviews.account_id
  ) AS repeated
  WHERE account_reviews.account_id = repeated.account_id;

-- A review that is on its way: counted already, or still to be.
INSERT INTO dispute_reviews (dispute_id, account_id, begun_by)
  SELECT disputes.id, disputes.account_id, dispute_moves.id
  FROM dispute_moves JOIN disputes ON disputes.id = dispute_moves.dispute_id
  WHERE dispute_moves.state = 'PENDING' AND dispute_moves.step IN ('SETTLE', 'FINISH')
    AND dispute_moves.status = 'UNDER_REVIEW' AND disputes.account_id IS NOT NULL;
UPDATE dispute_moves SET account_ids = ARRAY[disputes.account_id]
  FROM disputes
  WHERE disputes.id = dispute_moves.dispute_id AND state = 'PENDING' AND step = 'COUNT'
    AND dispute_moves.status = 'UNDER_REVIEW' AND disputes.account_id IS NOT NULL;

-- Whoever opened a repetition reads that it is decided, and not what was written to another.
UPDATE disputes SET decided_with = duplicate_of
  WHERE duplicate_of IS NOT NULL AND status NOT IN ('OPEN', 'UNDER_REVIEW');

-- Repetitions were not told of, and nobody counted what was open.
UPDATE disputes SET retell = true
  WHERE status IN ('OPEN', 'UNDER_REVIEW') AND located_at IS NOT NULL;
