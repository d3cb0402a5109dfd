import { EMPTY_ROOT, foldSubtrees, HASH_BYTES, nodeHash, type Subtree } from './tree';

/** Levels of the tree that one tile spans. */
const TILE_LEVELS = 4;
/** Hashes in a full tile. */
const TILE_WIDTH = 2 ** TILE_LEVELS;

/** Where a tile is. */
export interface TileKey {
  readonly tier: number;
  readonly tile: number;
}

/** Neighbouring hashes of one tier, one after the other. */
export interface Tile extends TileKey {
  readonly hashes: Buffer;
}

/** Where the tile is that the hash of a full subtree follows from, and from which of its hashes. */
export function tileOf({ level, index }: Subtree): TileKey & { first: number; count: number } {
  const count = 2 ** (level % TILE_LEVELS);
  const first = index * count;
  return {
    tier: Math.floor(level / TILE_LEVELS),
    tile: Math.floor(first / TILE_WIDTH),
    first: first % TILE_WIDTH,
    count,
  };
}

/** The root over neighbours, a power of two of them. */
export function foldNeighbours(hashes: readonly Buffer[]): Buffer {
  let level = hashes;
  while (level.length > 1) {
    const above: Buffer[] = [];
    for (let at = 0; at + 1 < level.length; at += 2) {
      above.push(nodeHash(level[at] as Buffer, level[at + 1] as Buffer));
    }
    level = above;
  }
  return level[0] ?? EMPTY_ROOT;
}

export function splitTile(hashes: Buffer): Buffer[] {
  return Array.from({ length: hashes.length / HASH_BYTES }, (_, at) =>
    hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}

/** The tiles at the right edge of a tree that are not full: all that appending has to know. */
export function edgeOf(size: number): TileKey[] {
  const edge: TileKey[] = [];
  for (let tier = 0, count = size; count > 0; tier += 1, count = Math.floor(count / TILE_WIDTH)) {
    if (count % TILE_WIDTH > 0) edge.push({ tier, tile: Math.floor(count / TILE_WIDTH) });
  }
  return edge;
}

/**
 * The right edge of a tree: takes entries at a cost that does not grow with the tree, and tells the
 * root and the tiles that have changed.
 */
export class Frontier {
  /** By tier: the hashes of its last tile, which is never a full one. */
  readonly #tiers: Buffer[][] = [];
  readonly #changed = new Map<string, Tile>();
  #size: number;

  /** Goes on from a tree of that size with the tiles of {@link edgeOf}. */
  constructor(size = 0, edge: readonly Tile[] = []) {
    this.#size = size;
    for (const { tier, tile } of edgeOf(size)) {
      const wanted = Math.floor(size / TILE_WIDTH ** tier) % TILE_WIDTH;
      const found = edge.find((one) => one.tier === tier && one.tile === tile);
      // A tile may have grown since: it only ever gains at its end.
      const hashes = splitTile(found?.hashes ?? Buffer.alloc(0)).slice(0, wanted);
      if (hashes.length < wanted) throw new Error('A tile of the tree is missing.');
      this.#tiers[tier] = hashes;
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Appends the entry with that hash. */
  push(leaf_hash: Buffer): void {
    let hash = leaf_hash;
    let count = this.#size;
    this.#size += 1;
    for (let tier = 0; ; tier += 1) {
      const hashes = this.#tiers[tier] ?? [];
      this.#tiers[tier] = hashes;
      hashes.push(hash);
      const tile = Math.floor(count / TILE_WIDTH);
      this.#changed.set(`${tier}/${tile}`, { tier, tile, hashes: Buffer.concat(hashes) });
      if (hashes.length < TILE_WIDTH) return;
      hash = foldNeighbours(hashes);
      this.#tiers[tier] = [];
      count = tile;
    }
  }

  /** The root of the whole tree. */
  root(): Buffer {
    const parts: Buffer[] = [];
    for (const hashes of this.#tiers.toReversed()) {
      let at = 0;
      for (let width = TILE_WIDTH / 2; width >= 1; width /= 2) {
        if (at + width > (hashes?.length ?? 0)) continue;
        parts.push(foldNeighbours((hashes ?? []).slice(at, at + width)));
        at += width;
      }
    }
    return foldSubtrees(parts);
  }

  /** The tiles of {@link edgeOf}: what a tree of this size is gone on with elsewhere. */
  edge(): Tile[] {
    return edgeOf(this.#size).map((key) => ({
      ...key,
      hashes: Buffer.concat(this.#tiers[key.tier] ?? []),
    }));
  }

  /** Tiles that have changed since the start, as they stand now. */
  changed(): Tile[] {
    return [...this.#changed.values()];
  }
}
