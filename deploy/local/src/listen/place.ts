import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { keyMark, Misused } from '../command-line';
import { writeWhole } from '../whole-file';

/** Where in the feed a listener is, kept in a file when one is named. */
export interface Place {
  /** Where an earlier run was. */
  readonly kept: string | undefined;
  keep(after: string): void;
}

/** Keeps the place of this network and key in `file`; nowhere without one. */
export function placeIn(file: string | undefined, base: string, key: string): Place {
  if (file === undefined) return { kept: undefined, keep: () => {} };
  const of = createHash('sha256')
    .update(JSON.stringify([base, keyMark(key)]))
    .digest('hex');
  let kept = existsSync(file) ? read(file, of) : undefined;
  return {
    kept,
    keep(after) {
      if (after === kept) return;
      writeWhole(file, JSON.stringify({ of, after }));
      kept = after;
    },
  };
}

function read(file: string, of: string): string {
  let state: unknown;
  try {
    state = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new Misused(`${file} cannot be read as the state of a listener.`);
  }
  const { of: whose, after } = (state ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof after !== 'string' || typeof whose !== 'string') {
    throw new Misused(`${file} is not the state of a listener.`);
  }
  if (whose !== of) throw new Misused(`${file} is of another network or key.`);
  return after;
}
