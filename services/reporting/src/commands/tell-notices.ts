import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { APPLICATION_WINDOW_MS } from '../domain/inquiry';
import type { Account } from '../domain/ledger';
import type { Notice } from '../domain/network-event';
import { noticePayload } from '../messages';
import { receiversOf } from '../store/receivers';

/** A notice, the account it is about and the call that caused it. */
export interface ToldNotice {
  readonly ctx: CallContext;
  readonly account: Account;
  readonly notice: Notice;
}

/**
 * Tells defaults and delinquencies. Who hears of them is read in the transaction that wrote them,
 * after its writes: a receiver is one as of that very moment.
 */
export async function tellNotices(
  tx: Transaction,
  notices: readonly ToldNotice[],
  now_ms: number,
): Promise<void> {
  if (notices.length === 0) return;
  const subject_ids = [...new Set(notices.map(({ account }) => account.facts.subject_id))];
  const receivers = await receiversOf(tx, subject_ids, now_ms - APPLICATION_WINDOW_MS);
  for (const { ctx, account, notice } of notices) {
    const { subject_id, institution_id } = account.facts;
    const institution_ids = new Set([institution_id, ...(receivers.get(subject_id) ?? [])]);
    tx.outbox(
      {
        partition_key: subject_id,
        payload: noticePayload(notice, account, [...institution_ids].sort()),
      },
      ctx,
    );
  }
}
