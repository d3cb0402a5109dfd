import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Database } from '@credit/platform/db';
import { parseNote, type SignedCheckpoint } from '@credit/platform/merkle';
import type { Clock } from '@credit/platform/runtime';
import { z } from 'zod';
import { verifyEventLogs } from '../queries/verify-event-log';
import { verifyRecord } from '../queries/verify-record';

const HEADS = z.array(z.object({ note: z.string() }));

/** What `verify-audit --write-heads` of identity wrote, once it had checked the signatures. */
async function readHeads(file: string): Promise<SignedCheckpoint[]> {
  return HEADS.parse(JSON.parse(await readFile(file, 'utf8'))).map(({ note }) => {
    const checkpoint = parseNote(note);
    if (checkpoint === undefined) throw new Error(`${file} holds what is no checkpoint.`);
    return checkpoint;
  });
}

/**
 * `verify-record [--heads FILE]`: replays all accounts and files of all environments, follows the logs of their
 * events, and prints what came out; false on a mismatch.
 */
export async function verifyRecordCommand(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  args: string[],
  print: (line: string) => void,
): Promise<boolean> {
  const { values } = parseArgs({ args, options: { heads: { type: 'string' } } });
  const signed = values.heads === undefined ? [] : await readHeads(values.heads);
  let right = true;
  for (const environment of db.environments) {
    const { accounts, events, files, mismatches, waiting, first } = await verifyRecord(
      db,
      environment,
    );
    print(`${environment}: ${accounts} accounts, ${events} events, ${mismatches} mismatches`);
    if (files > 0) print(`  ${files} files with entries of their persons`);
    if (waiting > 0) print(`  ${waiting} accounts wait to be folded anew`);
    for (const { record_id, fields } of first) print(`  ${record_id}: ${fields.join(', ')}`);
    const logs = await verifyEventLogs(db, environment, clock.now_ms(), signed);
    print(
      `${environment}: ${logs.logs} event logs with ${logs.events} events, ${logs.heads} signed ` +
        `heads, ${logs.unlogged} events of more than a day ago in none, ` +
        `${logs.faults.length} faults`,
    );
    for (const { institution_id, problem } of logs.faults) print(`  ${institution_id}: ${problem}`);
    right &&= mismatches === 0 && logs.unlogged === 0 && logs.faults.length === 0;
  }
  return right;
}
