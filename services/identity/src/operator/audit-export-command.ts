import { parseArgs } from 'node:util';
import { systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { ACT_OPTIONS, type Clock, readAct, tellAct } from '@credit/platform/runtime';
import { exportAuditMonth, exportFile } from '../commands/export-audit';
import type { Config } from '../config';
import { verifyAuditExport } from '../queries/verify-audit-export';
import { dropAuditMonth, insertExport, listAuditMonths } from '../store/audit-exports';

/**
 * `audit-export --directory DIR [--drop] --by NAME [--reason TEXT] [--dry-run]`: writes each month of the audit
 * log that is over to a file, once; with --drop it deletes months past their retention from the database, of
 * which the file is there and whole.
 */
export async function auditExportCommand(
  deps: {
    readonly db: Database;
    readonly clock: Clock;
    readonly config: Pick<Config, 'AUDIT_RETENTION_MONTHS' | 'checkpoint_keys'>;
  },
  args: string[],
  print: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      directory: { type: 'string' },
      drop: { type: 'boolean', default: false },
      ...ACT_OPTIONS,
    },
  });
  const { directory } = values;
  if (directory === undefined) throw new Error('--directory says where the files are kept.');
  const act = readAct(values, { named: true });
  const { db, clock, config } = deps;
  const { checkpoint_keys } = config;
  if (checkpoint_keys === undefined) throw new Error('AUDIT_SIGNING_KEY is not set.');
  const ctx = systemContext('live');
  const months = () => listAuditMonths(db.read(ctx), config.AUDIT_RETENTION_MONTHS);

  for (const { month, is_closed, exported_at } of await months()) {
    if (!is_closed || exported_at !== undefined) continue;
    if (act.dry_run) {
      print(`${month} would be exported`);
      continue;
    }
    const made = await exportAuditMonth({ db, clock, checkpoint_keys }, directory, month);
    if (made === undefined) continue;
    const { entries, digest } = made;
    const sha256 = digest.toString('hex');
    await db.transaction(ctx, async (tx) => {
      await insertExport(tx, made);
      tellAct(tx, clock, act, {
        action: 'audit.exported',
        target_type: 'audit_month',
        target_id: month,
        changes: { entries, sha256 },
      });
    });
    print(`${month}: ${entries} entries in ${exportFile(directory, month)}, ${sha256}`);
  }
  if (!values.drop) return;

  // From the earliest on, and none after one that stays: a log loses its beginning and nothing else.
  for (const { month, is_past, exported_at, digest } of await months()) {
    if (!is_past) break;
    if (exported_at === undefined || digest === undefined) {
      // Without entries there was nothing to export. What a trial would export it would drop.
      if (act.dry_run) print(`${month} would be dropped once it is exported`);
      continue;
    }
    const kept = await verifyAuditExport(exportFile(directory, month), checkpoint_keys.verifier);
    if (kept.month !== month || !kept.digest.equals(digest)) {
      throw new Error(`${exportFile(directory, month)} is not the file that was exported.`);
    }
    if (act.dry_run) {
      print(`${month} would be dropped`);
      continue;
    }
    await db.transaction(ctx, async (tx) => {
      await dropAuditMonth(tx, month);
      tellAct(tx, clock, act, {
        action: 'audit.dropped',
        target_type: 'audit_month',
        target_id: month,
        changes: { entries: kept.entries, sha256: kept.digest.toString('hex') },
      });
    });
    print(`${month}: ${kept.entries} entries dropped`);
  }
}
