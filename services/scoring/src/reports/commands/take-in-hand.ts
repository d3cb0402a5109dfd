import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { conflict } from '@credit/platform/errors';
import type { StoredReport } from '../domain/report';
import { insertReport, loadReport, type NewReport } from '../store/reports';

/** What the audit log says of a report that was asked for. */
export interface Told {
  readonly action: string;
  readonly changes: Readonly<Record<string, unknown>>;
}

/** Takes a report in hand to be built, and tells of it; one that is there already is found. */
export async function takeInHand(
  tx: Transaction,
  ctx: CallContext,
  asked: NewReport,
  { action, changes }: Told,
): Promise<StoredReport> {
  const is_new = await insertReport(tx, asked);
  const report = await loadReport(tx, asked.id, asked.institution_id);
  if (report === undefined) {
    throw conflict('report_id was used for another report.', { reason: 'ID_REUSED' });
  }
  if (is_new) {
    const { created_at: at, id: target_id } = asked;
    tx.audit({ at, action, target_type: 'report', target_id, changes }, ctx);
  }
  return report;
}
