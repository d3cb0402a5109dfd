import type { Queryable } from '@credit/platform/db';
import { type AuditRecord, type ChainedRecord, chainHash } from '../domain/audit-chain';
import { appendRecords, knownRecords, takePlaces } from '../store/audit';

/** What happened, before it has its place in a chain. */
export type AuditEntry = Omit<AuditRecord, 'sequence'>;

/**
 * Appends entries to their chains, in the order given. What a chain has already is left out: an entry
 * stays one, even if what was taken in was forgotten and is given again.
 */
export async function recordAuditEvents(
  tx: Queryable,
  given: readonly AuditEntry[],
): Promise<void> {
  if (given.length === 0) return;
  // Whoever takes in the same events at the same time waits for the inbox, not here.
  const known = await knownRecords(tx, given);
  const entries = given.filter(({ id }) => !known.has(id));
  if (entries.length === 0) return;
  const counts = new Map<string, bigint>();
  for (const { chain_id } of entries) counts.set(chain_id, (counts.get(chain_id) ?? 0n) + 1n);
  const heads = await takePlaces(tx, counts);
  const records = entries.map((entry): ChainedRecord => {
    const head = heads.get(entry.chain_id);
    if (head === undefined) throw new Error('A chain gave no place.');
    const placed = { ...entry, sequence: head.sequence + 1n };
    const hash = chainHash(placed, head.hash);
    heads.set(entry.chain_id, { sequence: placed.sequence, hash });
    return { ...placed, prev_hash: head.hash, hash };
  });
  await appendRecords(tx, records);
}
