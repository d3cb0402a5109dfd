import fc from 'fast-check';
import { Frontier, foldNeighbours, splitTile, type Tile, tileOf } from './frontier';
import {
  consistencySpans,
  EMPTY_ROOT,
  foldSubtrees,
  inclusionSpans,
  isConsistent,
  isIncluded,
  leafHash,
  nodeHash,
  type Span,
  subtreesOf,
} from './tree';

const hex = (text: string) => Buffer.from(text, 'hex');

// The vectors that Certificate Transparency's implementations share.
const ENTRIES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map(hex);
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
].map(hex);

/** The root as RFC 6962 defines it, word for word. */
function naiveRoot(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return EMPTY_ROOT;
  if (leaves.length === 1) return first;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)));
}

/** PATH of RFC 6962. */
function naivePath(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return [];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  const left = leaves.slice(0, split);
  const right = leaves.slice(split);
  return index < split
    ? [...naivePath(index, left), naiveRoot(right)]
    : [...naivePath(index - split, right), naiveRoot(left)];
}

/** SUBPROOF of RFC 6962. */
function naiveProof(from: number, leaves: readonly Buffer[], whole = true): Buffer[] {
  if (from === leaves.length) return whole ? [] : [naiveRoot(leaves)];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  const left = leaves.slice(0, split);
  const right = leaves.slice(split);
  return from <= split
    ? [...naiveProof(from, left, whole), naiveRoot(right)]
    : [...naiveProof(from - split, right, false), naiveRoot(left)];
}

const SIZES = 300;
const leaves = Array.from({ length: SIZES }, (_, at) => leafHash(`entry ${at}`));
/** The tiles of the largest tree: smaller ones read theirs out of them. */
const tiles = new Map<string, Tile>();
const roots: Buffer[] = [EMPTY_ROOT];
{
  const frontier = new Frontier();
  for (const leaf of leaves) {
    frontier.push(leaf);
    roots.push(frontier.root());
  }
  for (const tile of frontier.changed()) tiles.set(`${tile.tier}/${tile.tile}`, tile);
}
const hashesOf = (spans: readonly Span[]) =>
  spans.map((span) =>
    foldSubtrees(
      subtreesOf(span).map((subtree) => {
        const { tier, tile, first, count } = tileOf(subtree);
        const hashes = splitTile(tiles.get(`${tier}/${tile}`)?.hashes ?? Buffer.alloc(0));
        return foldNeighbours(hashes.slice(first, first + count));
      }),
    ),
  );
const head = (size: number) => ({ size, root: roots[size] as Buffer });

test('hashes as the known vectors say', () => {
  expect(EMPTY_ROOT.toString('hex')).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
  const frontier = new Frontier();
  for (const [at, entry] of ENTRIES.entries()) {
    frontier.push(leafHash(entry));
    expect(frontier.root()).toEqual(ROOTS[at]);
  }
});

test('every root up to some hundreds is that of the definition', () => {
  for (let size = 0; size <= SIZES; size += 1) {
    expect(roots[size]).toEqual(naiveRoot(leaves.slice(0, size)));
  }
});

test('every inclusion in trees of every size is proved, by the path of the definition', () => {
  for (let size = 1; size <= SIZES; size += 1) {
    for (let index = size % 7; index < size; index += 7) {
      const path = hashesOf(inclusionSpans(index, size));
      if (size % 10 === 0) expect(path).toEqual(naivePath(index, leaves.slice(0, size)));
      expect(isIncluded(leaves[index] as Buffer, index, head(size), path)).toBe(true);
    }
  }
});

test('every two sizes are consistent, by the proof of the definition', () => {
  for (let to = 1; to <= SIZES; to += 1) {
    for (let from = 1 + (to % 5); from <= to; from += 5) {
      const path = hashesOf(consistencySpans(from, to));
      if (to % 10 === 0) expect(path).toEqual(naiveProof(from, leaves.slice(0, to)));
      expect(isConsistent(head(from), head(to), path)).toBe(true);
    }
  }
});

test('appending goes on from the edge of any size', () => {
  for (let size = 0; size < SIZES; size += 1) {
    const frontier = new Frontier(size, [...tiles.values()]);
    expect(frontier.root()).toEqual(roots[size]);
    for (const leaf of leaves.slice(size, size + 20)) frontier.push(leaf);
    expect(frontier.root()).toEqual(roots[Math.min(SIZES, size + 20)]);
  }
});

test('nothing else is proved by a path: not with a bit changed, nor elsewhere, nor longer', () => {
  const { property, integer, record, assert } = fc;
  const tree = record({
    size: integer({ min: 2, max: SIZES }),
    pick: integer({ min: 0 }),
    wrong: integer({ min: 0 }),
    bit: integer({ min: 0, max: 255 }),
  });
  assert(
    property(tree, ({ size, pick, wrong, bit }) => {
      const index = pick % size;
      const leaf = leaves[index] as Buffer;
      const path = hashesOf(inclusionSpans(index, size));
      const flipped = path.map((hash) => Buffer.from(hash));
      const hit = flipped[wrong % flipped.length] as Buffer;
      hit[bit >> 3] = (hit[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(isIncluded(leaf, index, head(size), flipped)).toBe(false);
      expect(isIncluded(leaf, (index + 1) % size, head(size), path)).toBe(false);
      expect(isIncluded(leaf, index, head(size), [...path, leaf])).toBe(false);
      expect(isIncluded(leaf, index, head(size), path.slice(1))).toBe(false);
      expect(isIncluded(leaf, size, head(size), path)).toBe(false);

      const from = 1 + (pick % (size - 1));
      const proof = hashesOf(consistencySpans(from, size));
      const bent = proof.map((hash) => Buffer.from(hash));
      const bend = bent[wrong % bent.length] as Buffer;
      bend[bit >> 3] = (bend[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(isConsistent(head(from), head(size), bent)).toBe(false);
      expect(isConsistent(head(from), head(size), [...proof, leaf])).toBe(false);
      expect(isConsistent(head(size), head(from), proof)).toBe(false);
      const rewritten = { size: from, root: leafHash('another past') };
      expect(isConsistent(rewritten, head(size), proof)).toBe(false);
    }),
  );
});

test('a size beyond 32 bits has its spans too', () => {
  const size = 2 ** 40 + 3;
  expect(inclusionSpans(2 ** 40, size)).toHaveLength(3);
  expect(consistencySpans(2 ** 39, size)).toHaveLength(2);
  expect(() => inclusionSpans(size, size)).toThrow(RangeError);
  expect(() => consistencySpans(2, 1)).toThrow(RangeError);
});
