import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { type ChainFault, type ChainHead, ChainVerifier } from '../domain/audit-chain';
import { readChain, readHeads } from '../store/audit';

/** What following a chain found. */
export interface ChainReport {
  readonly chain_id: string;
  readonly head: ChainHead;
  readonly verified: bigint;
  /** The first thing wrong; none when the chain is whole. */
  readonly fault: ChainFault | undefined;
}

const BATCH = 1_000;

/** Follows all chains from their start, or one. New records may be appended meanwhile. */
export async function verifyAuditChains(
  db: Database,
  ctx: CallContext,
  chain_id: string | null,
): Promise<ChainReport[]> {
  const reports: ChainReport[] = [];
  for (const head of await readHeads(db.read(ctx), chain_id)) {
    reports.push(await verifyAuditChain(db, ctx, head));
  }
  return reports;
}

async function verifyAuditChain(
  db: Database,
  ctx: CallContext,
  head: ChainHead & { chain_id: string },
): Promise<ChainReport> {
  const { chain_id } = head;
  const verifier = new ChainVerifier();
  let fault: ChainFault | undefined;
  for (let read = BATCH; fault === undefined && read === BATCH; ) {
    const { verified } = verifier;
    const records = await readChain(db.read(ctx), chain_id, verified, head.sequence, BATCH);
    for (const record of records) fault ??= verifier.next(record);
    read = records.length;
  }
  fault ??= verifier.end(head);
  return { chain_id, head, verified: verifier.verified, fault };
}
