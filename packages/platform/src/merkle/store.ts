import { type Queryable, statement } from '../db';
import {
  edgeOf,
  Frontier,
  foldNeighbours,
  splitTile,
  type Tile,
  type TileKey,
  tileOf,
} from './frontier';
import { consistencySpans, foldSubtrees, inclusionSpans, type Span, subtreesOf } from './tree';

const READ = statement<{ log_id: string; tier: number; tile: bigint; hashes: Buffer }>(
  'merkle_tiles_read',
  `SELECT log_id, tier, tile, hashes
   FROM unnest($1::uuid[], $2::smallint[], $3::bigint[]) AS wanted (log_id, tier, tile)
   JOIN merkle_tiles USING (log_id, tier, tile)`,
);

// A tile is only ever written as a whole, with at least what it held.
const WRITE = statement(
  'merkle_tiles_write',
  `INSERT INTO merkle_tiles (log_id, tier, tile, hashes)
   SELECT * FROM unnest($1::uuid[], $2::smallint[], $3::bigint[], $4::bytea[])
   ON CONFLICT (log_id, tier, tile) DO UPDATE SET hashes = excluded.hashes`,
);

interface LogTile<Key> {
  readonly log_id: string;
  readonly key: Key;
}

async function readTiles(
  on: Queryable,
  wanted: readonly LogTile<TileKey>[],
): Promise<LogTile<Tile>[]> {
  if (wanted.length === 0) return [];
  const rows = await on.query(READ, [
    wanted.map(({ log_id }) => log_id),
    wanted.map(({ key }) => key.tier),
    wanted.map(({ key }) => BigInt(key.tile)),
  ]);
  return rows.map(({ log_id, tier, tile, hashes }) => ({
    log_id,
    key: { tier, tile: Number(tile), hashes },
  }));
}

/** The right edges of logs of these sizes, in one read: what entries are appended to. */
export async function readFrontiers(
  on: Queryable,
  sizes: ReadonlyMap<string, number>,
): Promise<Map<string, Frontier>> {
  const wanted = [...sizes].flatMap(([log_id, size]) =>
    edgeOf(size).map((key) => ({ log_id, key })),
  );
  const edges = Map.groupBy(await readTiles(on, wanted), ({ log_id }) => log_id);
  return new Map(
    [...sizes].map(([log_id, size]) => [
      log_id,
      new Frontier(
        size,
        edges.get(log_id)?.map(({ key }) => key),
      ),
    ]),
  );
}

/** Writes what was appended to logs. The caller sees to it that a log grows once at a time. */
export async function writeFrontiers(
  on: Queryable,
  frontiers: ReadonlyMap<string, Frontier>,
): Promise<void> {
  const tiles = [...frontiers].flatMap(([log_id, frontier]) =>
    frontier.changed().map((key) => ({ log_id, key })),
  );
  if (tiles.length === 0) return;
  await on.execute(WRITE, [
    tiles.map(({ log_id }) => log_id),
    tiles.map(({ key }) => key.tier),
    tiles.map(({ key }) => BigInt(key.tile)),
    tiles.map(({ key }) => key.hashes),
  ]);
}

/** The hash of an entry that is in the log. */
export async function readLeaf(on: Queryable, log_id: string, index: number): Promise<Buffer> {
  const [leaf] = await readRoots(on, log_id, [{ begin: index, end: index + 1 }]);
  if (leaf === undefined) throw new Error('A log lacks an entry.');
  return leaf;
}

/** That the entry stands in the log as it was when it had that size. */
export function readInclusion(
  on: Queryable,
  log_id: string,
  index: number,
  size: number,
): Promise<Buffer[]> {
  return readRoots(on, log_id, inclusionSpans(index, size));
}

/** That the log only grew from one size to another. */
export function readConsistency(
  on: Queryable,
  log_id: string,
  from: number,
  to: number,
): Promise<Buffer[]> {
  return readRoots(on, log_id, consistencySpans(from, to));
}

/** The roots of spans of a log; in one read of a few tiles for each doubling of the log. */
async function readRoots(on: Queryable, log_id: string, spans: readonly Span[]): Promise<Buffer[]> {
  const parts = spans.map((span) => subtreesOf(span).map(tileOf));
  const keys = new Map(parts.flat().map((part) => [`${part.tier}/${part.tile}`, part]));
  const found = await readTiles(
    on,
    [...keys.values()].map((key) => ({ log_id, key })),
  );
  const tiles = new Map(
    found.map(({ key }) => [`${key.tier}/${key.tile}`, splitTile(key.hashes)] as const),
  );
  return parts.map((subtrees) =>
    foldSubtrees(
      subtrees.map(({ tier, tile, first, count }) => {
        const hashes = tiles.get(`${tier}/${tile}`)?.slice(first, first + count) ?? [];
        if (hashes.length < count) throw new Error('A tile of the tree is missing.');
        return foldNeighbours(hashes);
      }),
    ),
  );
}
