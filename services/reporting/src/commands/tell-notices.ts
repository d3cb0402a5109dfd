import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { APPLICATION_WINDOW_MS, TOLD_WINDOW_MS } from '../domain/inquiry';
import type { Account } from '../domain/ledger';
import type { FileCorrection, Notice, NoticeEnd } from '../domain/network-event';
import { fileCorrectionPayload, noticeEndPayload, noticePayload } from '../messages';
import { lookersOf, receiversAt, receiversOf } from '../store/receivers';
import { keepToldCorrections } from '../store/told-corrections';
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
): Promise<ToldEnds> {
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
  const ends = { voided: new Map<string, string[]>(), corrected: new Map<string, string[]>() };
  for (const { ctx, account, notice } of notices) {
    const receivers = told.get(notice.credit_event_id) ?? [account.facts.institution_id];
    const payload =
      'type' in notice
        ? noticeEndPayload(notice, account, receivers)
        : noticePayload(notice, account, receivers);
    tx.outbox({ partition_key: account.facts.subject_id, payload }, ctx);
    if (!('type' in notice)) continue;
    const ended = notice.type === 'VOIDED' ? ends.voided : ends.corrected;
    const heard = ended.get(notice.correction_event_id) ?? [];
    ended.set(notice.correction_event_id, [...heard, ...receivers]);
  }
  return ends;
}

/** Who was told of what a correction did to defaults and delinquencies, by the correction. */
export interface ToldEnds {
  readonly voided: ReadonlyMap<string, readonly string[]>;
  readonly corrected: ReadonlyMap<string, readonly string[]>;
}

/** A correction of a record, the account it is about and the call that caused it. */
export interface FiledCorrection {
  readonly ctx: CallContext;
  readonly account: Account;
  readonly correction: FileCorrection;
}

/**
 * Tells those who looked at a file that what they may have seen was corrected, and the furnisher: each
 * once of each correction. Whoever hears the same of a default or delinquency by the same event is not
 * told twice. Who looked is read in the transaction that writes the correction, under the file's lock:
 * whoever looks after it has seen it corrected.
 */
export async function tellCorrections(
  tx: Transaction,
  filed: readonly FiledCorrection[],
  { voided, corrected }: ToldEnds,
  now_ms: number,
): Promise<void> {
  if (filed.length === 0) return;
  const subject_ids = [...new Set(filed.map(({ account }) => account.facts.subject_id))];
  const lookers = await lookersOf(tx, subject_ids, now_ms - TOLD_WINDOW_MS);
  const told = filed.map(({ account, correction, ctx }) => {
    const { id: account_id, subject_id, institution_id } = account.facts;
    const { correction_event_id: id } = correction;
    const owed = new Set([institution_id, ...(lookers.get(subject_id) ?? [])]);
    const all = new Set([...owed, ...(voided.get(id) ?? []), ...(corrected.get(id) ?? [])]);
    const heard = new Set(corrected.get(id));
    const receivers = [...owed].filter((institution) => !heard.has(institution)).sort();
    const institution_ids = [...all].sort();
    const { credit_event_id, event_type, change } = correction;
    const kept = { correction_event_id: id, credit_event_id, event_type, change };
    return {
      ctx,
      account,
      correction,
      receivers,
      kept: { ...kept, subject_id, account_id, institution_ids },
    };
  });
  const fresh = await keepToldCorrections(
    tx,
    told.map(({ kept }) => kept),
    now_ms,
  );
  for (const { ctx, account, correction, receivers } of told) {
    if (!fresh.has(correction.correction_event_id) || receivers.length === 0) continue;
    const payload = fileCorrectionPayload(correction, account, receivers);
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
