// The tree of RFC 6962 (and 9162), section 2.1: what is hashed, and what proves what. Pure.

import { createHash } from 'node:crypto';

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** Of every hash here, in bytes. */
export const HASH_BYTES = 32;

/** The root of the log without entries. */
export const EMPTY_ROOT: Buffer = createHash('sha256').digest();

/** The hash of an entry. */
export function leafHash(entry: string | Buffer): Buffer {
  return createHash('sha256').update(LEAF).update(entry).digest();
}

/** The hash of two subtrees side by side. */
export function nodeHash(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/** Entries from one index to before another. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

/** The full subtree over `2 ** level` entries, counted from the left. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** The largest power of two below a size of at least 2. */
function splitOf(size: number): number {
  let split = 1;
  // Not by shifting: that ends at 32 bits.
  while (split * 2 < size) split *= 2;
  return split;
}

/** The full subtrees that a span of a tree consists of, the largest and leftmost first. */
export function subtreesOf({ begin, end }: Span): Subtree[] {
  const parts: Subtree[] = [];
  for (let at = begin; at < end; ) {
    let level = 0;
    let width = 1;
    while (at % (width * 2) === 0 && at + width * 2 <= end) {
      width *= 2;
      level += 1;
    }
    parts.push({ level, index: at / width });
    at += width;
  }
  return parts;
}

/** The root over full subtrees as {@link subtreesOf} names them. */
export function foldSubtrees(hashes: readonly Buffer[]): Buffer {
  return (
    hashes.reduceRight<Buffer | undefined>(
      (right, left) => (right === undefined ? left : nodeHash(left, right)),
      undefined,
    ) ?? EMPTY_ROOT
  );
}

/** Whose roots prove that the entry is in the tree of that size, from its neighbour up. */
export function inclusionSpans(index: number, size: number): Span[] {
  if (index < 0 || index >= size) throw new RangeError('The entry is not in that tree.');
  const spans: Span[] = [];
  let begin = 0;
  let end = size;
  while (end - begin > 1) {
    const middle = begin + splitOf(end - begin);
    if (index < middle) {
      spans.push({ begin: middle, end });
      end = middle;
    } else {
      spans.push({ begin, end: middle });
      begin = middle;
    }
  }
  return spans.reverse();
}

/** Whose roots prove that the tree of size `to` begins with all of the tree of size `from`. */
export function consistencySpans(from: number, to: number): Span[] {
  if (from < 0 || from > to) throw new RangeError('A log does not shrink.');
  // Everything begins with nothing, and with itself.
  if (from === 0 || from === to) return [];
  const spans: Span[] = [];
  let begin = 0;
  let end = to;
  while (end !== from) {
    const middle = begin + splitOf(end - begin);
    if (from <= middle) {
      spans.push({ begin: middle, end });
      end = middle;
    } else {
      spans.push({ begin, end: middle });
      begin = middle;
    }
  }
  // What begins at 0 is the old tree itself, whose root the verifier has.
  if (begin > 0) spans.push({ begin, end });
  return spans.reverse();
}

/** The root that a path leads to; undefined when the path has the wrong length. */
function rootOfPath(
  leaf: Buffer,
  index: number,
  size: number,
  path: readonly Buffer[],
): Buffer | undefined {
  let at = index;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(sibling, hash);
      while (at % 2 === 0 && at !== 0) {
        at /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? hash : undefined;
}

/** Whether a path proves that the entry with that hash stands at its index in the tree. */
export function isIncluded(
  leaf: Buffer,
  index: number,
  tree: { readonly size: number; readonly root: Buffer },
  path: readonly Buffer[],
): boolean {
  if (index < 0 || index >= tree.size) return false;
  return rootOfPath(leaf, index, tree.size, path)?.equals(tree.root) ?? false;
}

/** A tree as far as others know it. */
export interface TreeHead {
  readonly size: number;
  readonly root: Buffer;
}

/** Whether a path proves that the newer tree begins with all of the older one. */
export function isConsistent(older: TreeHead, newer: TreeHead, path: readonly Buffer[]): boolean {
  if (older.size > newer.size) return false;
  if (older.size === 0) return path.length === 0 && older.root.equals(EMPTY_ROOT);
  if (older.size === newer.size) return path.length === 0 && older.root.equals(newer.root);
  let at = older.size - 1;
  let last = newer.size - 1;
  while (at % 2 === 1) {
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  // A full tree is its own first subtree.
  const [first, ...rest] = at === 0 ? [older.root, ...path] : path;
  if (first === undefined) return false;
  let old_hash = first;
  let new_hash = first;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      old_hash = nodeHash(sibling, old_hash);
      new_hash = nodeHash(sibling, new_hash);
      while (at % 2 === 0 && at !== 0) {
        at /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      new_hash = nodeHash(new_hash, sibling);
    }
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && old_hash.equals(older.root) && new_hash.equals(newer.root);
}
