import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { APPLICATION_WINDOW_MS } from '../domain/inquiry';
import type { Account } from '../domain/ledger';
import type { Notice, NoticeEnd } from '../domain/network-event';
import { noticeEndPayload, noticePayload } from '../messages';
import { receiversAt, receiversOf } from '../store/receivers';
import { keepTold, type Told, toldOf } from '../store/told-notices';

/** A notice or what became of one, the account it is about and the call that caused it. */
export interface ToldNotice {
  readonly ctx: CallContext;
  readonly account: Account;
  readonly notice: Notice | NoticeEnd;
}

/**
 * Tells defaults and delinquencies, and to those who were told, that one is gone or another now.
 * Who hears of a new one is read in the transaction that wrote it, after its writes: a receiver is
 * one as of that very moment.
 */
export async function tellNotices(
  tx: Transaction,
  notices: readonly ToldNotice[],
  now_ms: number,
): Promise<void> {
  const begun = notices.filter(({ notice }) => !('type' in notice));
  const told = new Map<string, readonly string[]>();
  if (begun.length > 0) {
    const subject_ids = [...new Set(begun.map(({ account }) => account.facts.subject_id))];
    const receivers = await receiversOf(tx, subject_ids, now_ms - APPLICATION_WINDOW_MS);
    for (const { account, notice } of begun) {
      const { subject_id, institution_id } = account.facts;
      const institution_ids = new Set([institution_id, ...(receivers.get(subject_id) ?? [])]);
      told.set(notice.credit_event_id, [...institution_ids].sort());
    }
    keepTold(
      tx,
      [...told].map(
        ([credit_event_id, receiver_institution_ids]): Told => ({
          credit_event_id,
          receiver_institution_ids,
        }),
      ),
    );
  }
  for (const [credit_event_id, receivers] of await receiversOfEnds(tx, notices, told)) {
    told.set(credit_event_id, receivers);
  }
  for (const { ctx, account, notice } of notices) {
    const receivers = told.get(notice.credit_event_id) ?? [account.facts.institution_id];
    const payload =
      'type' in notice
        ? noticeEndPayload(notice, account, receivers)
        : noticePayload(notice, account, receivers);
    tx.outbox({ partition_key: account.facts.subject_id, payload }, ctx);
  }
}

/** Who was told of what has ended or changed, beside what this very transaction tells. */
async function receiversOfEnds(
  tx: Transaction,
  notices: readonly ToldNotice[],
  told: ReadonlyMap<string, readonly string[]>,
): Promise<Map<string, readonly string[]>> {
  const ended = notices.flatMap(({ account, notice }) =>
    'type' in notice && !told.has(notice.credit_event_id) ? [{ account, notice }] : [],
  );
  const found = new Map<string, readonly string[]>();
  if (ended.length === 0) return found;
  const kept = await toldOf(
    tx,
    ended.map(({ notice }) => notice.credit_event_id),
  );
  for (const { account, notice } of ended) {
    const { subject_id, institution_id } = account.facts;
    const known = kept.get(notice.credit_event_id);
    // Told before receivers were kept: those who had a stake then.
    const institution_ids = known ?? [
      institution_id,
      ...(await receiversAt(
        tx,
        subject_id,
        notice.told_at_ms - APPLICATION_WINDOW_MS,
        notice.told_at_ms,
      )),
    ];
    found.set(notice.credit_event_id, [...new Set(institution_ids)].sort());
  }
  return found;
}
