// A month of the audit log as a file: lines of JSON. An entry is the text that was hashed; each log's entries
// stand between what they begin with and what they end with, and the ends are sealed. So a file is checked with
// public keys alone: what is in it was signed while it was in the log, and nothing of the month is left out.

import { Frontier, leafHash, SIGNER, type TreeHead } from '@credit/platform/merkle';

export const FORMAT = 1;
/** The month of what was written before there were months. */
export const BEFORE = 'before';

/** What a log's entries of a month end with. */
export interface ExportEnd {
  readonly chain_id: string;
  readonly first: bigint;
  readonly last: bigint;
  /** The last entry's. */
  readonly hash: Buffer;
  /** Of the log's tree when it was the last. */
  readonly root: Buffer;
}

/** What a seal is signed as. */
export function exportOrigin(month: string): string {
  return `${SIGNER}/audit-export/${month}`;
}

/** The tree of a month's ends, which its seal signs. */
export function endsHead(ends: readonly ExportEnd[]): TreeHead {
  const frontier = new Frontier();
  for (const { chain_id, first, last, hash, root } of ends) {
    const fields = [chain_id, `${first}`, `${last}`, hash.toString('hex'), root.toString('hex')];
    frontier.push(leafHash(JSON.stringify(fields)));
  }
  return { size: ends.length, root: frontier.root() };
}
