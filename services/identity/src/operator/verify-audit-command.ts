import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import {
  CheckpointVerifier,
  noteOf,
  parseNote,
  readKey,
  type SignedCheckpoint,
} from '@credit/platform/merkle';
import type { Logger } from '@credit/platform/runtime';
import { z } from 'zod';
import {
  verifyAuditChains,
  verifyDroppedMonths,
  verifyOtherLogs,
} from '../queries/verify-audit-chain';
import { verifyAuditExport } from '../queries/verify-audit-export';

// As `GET /audit/checkpoints` and `GET /public/audit-keys` answer, so that what was answered can be
// kept and given here.
const HEADS = z.array(z.object({ note: z.string() }));
const KEYS = z.array(z.object({ public_key: z.string() }));

async function readJson<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    throw new Error(`${file} is not what it should be.`, { cause });
  }
}

async function readHeads(file: string): Promise<SignedCheckpoint[]> {
  return (await readJson(file, HEADS)).map(({ note }) => {
    const checkpoint = parseNote(note);
    if (checkpoint === undefined) throw new Error(`${file} holds what is no checkpoint.`);
    return checkpoint;
  });
}

/**
 * `verify-audit [institution id] [--heads FILE] [--keys FILE] [--write-heads FILE]`: exit code 1 when
 * a log is not what was written and signed. `verify-audit --export FILE… [--keys FILE]` checks exported months by
 * themselves, without a database.
 */
export async function verifyAuditCommand(
  deps: { readonly db: Database; readonly logger: Logger; readonly verifier: CheckpointVerifier },
  args: string[],
  print: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
): Promise<void> {
  const { db, logger } = deps;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      heads: { type: 'string' },
      keys: { type: 'string' },
      'write-heads': { type: 'string' },
      export: { type: 'string', multiple: true },
    },
  });
  const kept = values.heads === undefined ? [] : await readHeads(values.heads);
  const verifier =
    values.keys === undefined
      ? deps.verifier
      : new CheckpointVerifier(
          (await readJson(values.keys, KEYS)).map(({ public_key }) => readKey(public_key)),
        );
  if (verifier.size === 0) {
    throw new Error('There is no key to check with: set AUDIT_PUBLIC_KEYS, or give --keys.');
  }

  if (values.export !== undefined) {
    for (const file of values.export) {
      const { entries, ends, month } = await verifyAuditExport(file, verifier);
      print(`${file}: ${entries} entries of ${ends.length} logs of ${month}: whole`);
    }
    return;
  }

  const ctx = systemContext('live');
  const evidence = { verifier, kept };
  const [chain_id] = positionals;
  const chains = await verifyAuditChains(db, ctx, chain_id, evidence);
  const others = chain_id === undefined ? await verifyOtherLogs(db, ctx, evidence) : [];
  const dropped = chain_id === undefined ? await verifyDroppedMonths(db, ctx, evidence) : [];
  for (const { chain_id: chain, head, verified, checkpoints, covered, fault } of chains) {
    const found = {
      chain_id: chain,
      records: Number(verified),
      head: head.hash.toString('hex'),
      checkpoints,
      signed_records: covered,
    };
    if (fault === undefined) logger.info(found, 'chain is whole');
    else logger.error({ ...found, ...fault, sequence: Number(fault.sequence) }, 'chain is broken');
  }
  for (const { origin, checkpoints, fault } of [...others, ...dropped]) {
    if (fault === undefined) continue;
    const found = { origin, checkpoints, ...fault, sequence: Number(fault.sequence) };
    logger.error(found, 'checkpoints are broken');
  }
  const broken = [...chains, ...others, ...dropped].filter(
    (report) => report.fault !== undefined,
  ).length;
  const records = chains.reduce((sum, report) => sum + Number(report.verified), 0);
  const checkpoints = [...chains, ...others].reduce((sum, report) => sum + report.checkpoints, 0);
  print(
    `${chains.length} chains with ${records} records, ${checkpoints} checkpoints ` +
      `(${kept.length} kept heads among them), ${others.length} logs of credit events by their ` +
      `checkpoints alone, ${dropped.length === 0 ? '' : `${dropped.length} months in files, `}against ${verifier.size} keys: ` +
      (broken === 0 ? 'all of it is whole' : `${broken} broken`),
  );
  if (broken > 0) process.exitCode = 1;

  const file = values['write-heads'];
  if (file !== undefined && broken === 0) {
    const heads = others.flatMap(({ newest }) => newest ?? []);
    const notes = heads.map((checkpoint) => ({ note: noteOf(checkpoint) }));
    await writeFile(file, `${JSON.stringify(notes, undefined, 2)}\n`);
  }
}
