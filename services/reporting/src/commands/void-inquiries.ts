// Inquiries that nobody had authorised lose their effect and stay on record.

import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { DAY_MS } from '../domain/calendar';
import { duplicatesAmong, type Inquiry, VOIDABLE_DAYS } from '../domain/inquiry';
import { standingSubject } from '../domain/standing-subject';
import { inquiryRecorded } from '../messages';
import { lockHeads } from '../store/heads';
import { survivorOf } from '../store/subjects';
import { inquiriesOf, voidedForDispute, writeVoiding } from '../store/voided-inquiries';
import type { CommandDeps } from './batch';

const MAX_INSTITUTIONS = 100;
const MAX_INQUIRIES = 100;

/** Which inquiries lose their effect, and for which dispute. */
export interface VoidInquiries {
  readonly dispute_id: string;
  readonly subject_id: string;
  readonly institution_ids: readonly string[];
  /** Those alone; without any, the institutions' hard ones of late. */
  readonly inquiry_ids: readonly string[];
}

/**
 * Voids inquiries for a dispute, once however often it is asked. An inquiry that only repeated a
 * voided one counts from then on. Every inquiry that is changed is told again. Returns what the
 * dispute has voided.
 */
export async function voidInquiries(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  request: VoidInquiries,
): Promise<readonly string[]> {
  const wanted = checked(request);
  const { dispute_id } = wanted;
  // The inquiries of a subject that was merged are with the one that has its records.
  const subject_id = await survivorOf(tx, wanted.subject_id);
  // The lock comes first: what is read after it cannot change until the commit.
  const head = standingSubject((await lockHeads(tx, [subject_id])).get(subject_id));
  const done = await voidedForDispute(tx, dispute_id);
  if (done !== undefined) return done;
  const now_ms = deps.clock.now_ms();
  const known = await inquiriesOf(tx, subject_id, wanted.institution_ids);
  const ids = new Set(chosen(known, wanted, now_ms));
  const after = voided(known, ids, now_ms);
  let version = head.version;
  // What repeats another from now on comes first: it is in when what moves a score is told.
  const changed = after
    .filter((inquiry, index) => inquiry !== known[index])
    .sort((a, b) => Number(countsNow(a)) - Number(countsNow(b)))
    .map((inquiry) => {
      version += 1;
      return { ...inquiry, subject_version: version };
    });
  const heads = new Map(changed.length === 0 ? [] : [[subject_id, version] as const]);
  const inquiry_ids = [...ids];
  writeVoiding(tx, { now_ms, heads, dispute_id, inquiry_ids, changed });
  for (const inquiry of changed) {
    const payload = inquiryRecorded(inquiry, head.subject);
    tx.outbox({ partition_key: subject_id, payload }, ctx);
  }
  audit(
    tx,
    ctx,
    now_ms,
    { ...wanted, subject_id },
    known.filter(({ id }) => ids.has(id)),
  );
  return inquiry_ids;
}

function checked(request: VoidInquiries): VoidInquiries {
  const { institution_ids, inquiry_ids } = request;
  const dispute_id = uuidFrom('dispute_id', request.dispute_id);
  const subject_id = uuidFrom('subject_id', request.subject_id);
  // Inquiries that are named say themselves whose they are.
  const least = inquiry_ids.length > 0 ? 0 : 1;
  if (institution_ids.length < least || institution_ids.length > MAX_INSTITUTIONS) {
    throw invalid('institution_ids', `must hold ${least} to ${MAX_INSTITUTIONS} items`);
  }
  if (inquiry_ids.length > MAX_INQUIRIES) {
    throw invalid('inquiry_ids', `must hold at most ${MAX_INQUIRIES} items`);
  }
  return {
    ...request,
    dispute_id,
    subject_id,
    institution_ids: institution_ids.map((id, index) => uuidFrom(`institution_ids[${index}]`, id)),
    inquiry_ids: inquiry_ids.map((id, index) => uuidFrom(`inquiry_ids[${index}]`, id)),
  };
}

/** The ids to void; 422 for one that is no inquiry of those concerned about the subject. */
function chosen(known: readonly Inquiry[], wanted: VoidInquiries, now_ms: number): string[] {
  if (wanted.inquiry_ids.length === 0) {
    const since_ms = now_ms - VOIDABLE_DAYS * DAY_MS;
    return known
      .filter(({ inquiry_type, created_at_ms }) => {
        return inquiry_type === 'HARD' && created_at_ms >= since_ms;
      })
      .map(({ id }) => id);
  }
  const ids = new Set(known.map(({ id }) => id));
  const details = wanted.inquiry_ids.flatMap((id, index) =>
    ids.has(id) ? [] : [{ path: `inquiry_ids[${index}]`, message: 'is no inquiry of theirs' }],
  );
  if (details.length > 0) throw invalid(details);
  return [...wanted.inquiry_ids];
}

/** The inquiries afterwards; unchanged ones are the same objects. */
function voided(known: readonly Inquiry[], ids: ReadonlySet<string>, now_ms: number): Inquiry[] {
  const after = known.map((inquiry) =>
    ids.has(inquiry.id) && inquiry.voided_at_ms === undefined
      ? { ...inquiry, voided_at_ms: now_ms }
      : inquiry,
  );
  const duplicates = duplicatesAmong(after);
  return after.map((inquiry) => {
    const duplicate_of = duplicates.get(inquiry.id);
    return inquiry.duplicate_of === duplicate_of ? inquiry : { ...inquiry, duplicate_of };
  });
}

function countsNow({ voided_at_ms, duplicate_of }: Inquiry): boolean {
  return voided_at_ms !== undefined || duplicate_of === undefined;
}

/** Each institution's log says what became of its inquiries. */
function audit(
  tx: Transaction,
  ctx: CallContext,
  now_ms: number,
  { dispute_id, subject_id }: VoidInquiries,
  inquiries: readonly Inquiry[],
): void {
  for (const [institution_id, own] of Map.groupBy(inquiries, (one) => one.institution_id)) {
    tx.audit(
      {
        at: toTimestamp(now_ms),
        action: 'inquiries.voided',
        target_type: 'subject',
        target_id: subject_id,
        changes: { dispute_id, inquiry_ids: own.map(({ id }) => id).join(', ') },
      },
      { ...ctx, institution_id },
    );
  }
}
