-- Hashes of append-only logs: see packages/platform/src/merkle.

-- 16 neighbours of one tier of a log's tree side by side, 32 bytes each; the last tile of a tier is
-- shorter. Tier 0 are the leaves, each further one the roots of full tiles below it.
CREATE TABLE merkle_tiles (
  log_id uuid NOT NULL,
  tier smallint NOT NULL,
  tile bigint NOT NULL,
  hashes bytea NOT NULL,
  PRIMARY KEY (log_id, tier, tile)
);
