import type { Database } from '@credit/platform/db';
import { verifyRecord } from './queries/verify-record';

/** Replays all accounts of all environments and prints what came out; false on a mismatch. */
export async function verifyRecordCommand(
  db: Database,
  print: (line: string) => void,
): Promise<boolean> {
  let right = true;
  for (const environment of db.environments) {
    const { accounts, events, mismatches, waiting, first } = await verifyRecord(db, environment);
    print(`${environment}: ${accounts} accounts, ${events} events, ${mismatches} mismatches`);
    if (waiting > 0) print(`  ${waiting} accounts wait to be folded anew`);
    for (const { account_id, fields } of first) print(`  ${account_id}: ${fields.join(', ')}`);
    right &&= mismatches === 0;
  }
  return right;
}
