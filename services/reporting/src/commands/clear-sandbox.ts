// Takes what an institution made in the test environment off the file, by the ways in which anything
// leaves it: nothing that a log, a proof or a snapshot speaks of is deleted.

import type { CallContext } from '@credit/platform/context';
import type { Database, Transaction } from '@credit/platform/db';
import { institutionOf, requireTest } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { disputedFact } from '../domain/network-outcome';
import { FURNISHERS } from '../domain/personas';
import { identitiesOf } from '../domain/subject';
import {
  accountsOfSubjects,
  formerNames,
  type InquiryKey,
  ownAccounts,
  ownInquiries,
  type PlacedAccount,
  releaseSubject,
  standingAmong,
  unusedSubjects,
} from '../store/clearing';
import { historiesOf } from '../store/events';
import { type Head, lockHeads } from '../store/heads';
import { FIRST_ID } from '../store/subject-records';
import { inquiriesOf } from '../store/voided-inquiries';
import type { CommandDeps } from './batch';
import { recordEvents } from './record-events';
import { accepted, unlogged } from './sandbox';
import { voidInquiries } from './void-inquiries';

/** Each a transaction. */
const STEPS_A_CALL = 20;
/** No further step begins after this long: the caller waits. */
const LONGEST_MS = 4_000;
const ACCOUNTS_A_STEP = 25;
const INQUIRIES_A_STEP = 50;
const SUBJECTS_A_STEP = 10;

/** What a call has cleared. */
export interface Cleared {
  readonly accounts: number;
  readonly inquiries: number;
  readonly subjects: number;
}

/** What a step has cleared; undefined when it found nothing. */
type Step = (tx: Transaction) => Promise<Cleared | undefined>;

const NOTHING: Cleared = { accounts: 0, inquiries: 0, subjects: 0 };
const FICTIONAL: readonly string[] = Object.values(FURNISHERS);

/**
 * Clears a bounded part: accounts first, then inquiries, then the subjects that nobody else has a record
 * of. What is done stays done, whenever it ends; another call goes on, and one with nothing left to do
 * does nothing.
 */
export async function clearSandbox(
  db: Database,
  deps: CommandDeps,
  ctx: CallContext,
): Promise<Cleared & { readonly done: boolean }> {
  requireTest(ctx);
  const institution_id = institutionOf(ctx);
  const until_ms = deps.clock.now_ms() + LONGEST_MS;
  // What a step has voided is not read again by the next one.
  let after_id: string = FIRST_ID;
  const stages: readonly Step[] = [
    (tx) => clearAccounts(tx, deps, ctx, institution_id),
    async (tx) => {
      const page = await ownInquiries(tx, institution_id, after_id, INQUIRIES_A_STEP);
      after_id = page.at(-1)?.id ?? after_id;
      return clearInquiries(tx, deps, ctx, institution_id, page);
    },
    (tx) => clearSubjects(tx, deps, ctx, institution_id),
  ];
  let sum = NOTHING;
  let stage = 0;
  for (let step = 0; step < STEPS_A_CALL && deps.clock.now_ms() < until_ms; step += 1) {
    const run = stages[stage];
    if (run === undefined) return { ...sum, done: true };
    const cleared = await db.transaction(ctx, async (tx) => {
      const part = await run(tx);
      if (part !== undefined && !isNothing(part)) {
        audit(tx, ctx, institution_id, part, deps.clock.now_ms());
      }
      return part;
    });
    if (cleared === undefined) stage += 1;
    else sum = plus(sum, cleared);
  }
  return { ...sum, done: stage === stages.length };
}

function isNothing({ accounts, inquiries, subjects }: Cleared): boolean {
  return accounts === 0 && inquiries === 0 && subjects === 0;
}

function plus(a: Cleared, b: Cleared): Cleared {
  return {
    accounts: a.accounts + b.accounts,
    inquiries: a.inquiries + b.inquiries,
    subjects: a.subjects + b.subjects,
  };
}

function audit(
  tx: Transaction,
  ctx: CallContext,
  institution_id: string,
  cleared: Cleared,
  now_ms: number,
): void {
  tx.audit(
    {
      at: toTimestamp(now_ms),
      action: 'sandbox.cleared',
      target_type: 'institution',
      target_id: institution_id,
      changes: { ...cleared },
    },
    ctx,
  );
}

async function clearAccounts(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  institution_id: string,
): Promise<Cleared | undefined> {
  const accounts = await ownAccounts(tx, institution_id, ACCOUNTS_A_STEP);
  if (accounts.length === 0) return undefined;
  // Fewer where another call has been at them.
  return { ...NOTHING, accounts: await voidAccounts(tx, deps, ctx, accounts) };
}

async function clearInquiries(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  institution_id: string,
  inquiries: readonly InquiryKey[],
): Promise<Cleared | undefined> {
  if (inquiries.length === 0) return undefined;
  await lockHeads(tx, [...new Set(inquiries.map(({ subject_id }) => subject_id))]);
  await takeEffect(tx, deps, ctx, [institution_id], inquiries);
  return { ...NOTHING, inquiries: inquiries.length };
}

async function clearSubjects(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  institution_id: string,
): Promise<Cleared | undefined> {
  const users = [institution_id, ...FICTIONAL];
  const page = await unusedSubjects(tx, institution_id, users, undefined, SUBJECTS_A_STEP);
  if (page.length === 0) return undefined;
  // Nobody opens an account of theirs until the commit; who did before the lock is seen after it.
  const heads = await lockHeads(tx, page);
  const unused = await unusedSubjects(tx, institution_id, users, page, SUBJECTS_A_STEP);
  const accounts = await accountsOfSubjects(tx, unused);
  await voidAccounts(tx, deps, ctx, accounts);
  for (const subject_id of unused) {
    const standing = (await inquiriesOf(tx, subject_id, users)).filter(
      ({ voided_at_ms }) => voided_at_ms === undefined,
    );
    await takeEffect(tx, deps, ctx, users, standing);
    await release(tx, heads.get(subject_id), deps.clock.now_ms());
  }
  return { ...NOTHING, subjects: unused.length };
}

/** Takes accounts off the file as an outcome of a dispute would, whatever was corrected about them. */
async function voidAccounts(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  found: readonly PlacedAccount[],
): Promise<number> {
  await lockHeads(tx, [...new Set(found.map(({ subject_id }) => subject_id))]);
  const standing = await standingAmong(tx, found);
  const accounts = found.filter(({ account_id }) => standing.has(account_id));
  const histories = await historiesOf(tx, accounts);
  const requests = accounts.map(({ account_id, institution_id }) => {
    const records = histories.get(account_id) ?? [];
    const [opening] = records;
    if (opening === undefined) throw new Error(`Account ${account_id} has no events.`);
    const draft = {
      event_type: 'CORRECTION' as const,
      occurred_at_ms: deps.clock.now_ms(),
      supersedes_event_id: disputedFact(records, opening).correctable.id,
      correction_reason: 'Cleared from the sandbox.',
      by_network: true,
    };
    return { ctx: { ...ctx, institution_id }, items: [{ account_id, draft }] };
  });
  if (requests.length > 0) (await recordEvents(unlogged(tx), deps, requests)).map(accepted);
  return accounts.length;
}

/** Takes the effect of inquiries away. */
async function takeEffect(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  institution_ids: readonly string[],
  inquiries: readonly InquiryKey[],
): Promise<void> {
  for (const [subject_id, of_subject] of Map.groupBy(inquiries, (one) => one.subject_id)) {
    for (let at = 0; at < of_subject.length; at += INQUIRIES_A_STEP) {
      await voidInquiries(unlogged(tx), deps, ctx, {
        // Voiding is known by an id, a dispute's otherwise; clearing again finds nothing that counts.
        dispute_id: deps.newId(),
        subject_id,
        institution_ids,
        inquiry_ids: of_subject.slice(at, at + INQUIRIES_A_STEP).map(({ id }) => id),
      });
    }
  }
}

async function release(tx: Transaction, head: Head | undefined, now_ms: number): Promise<void> {
  if (head === undefined) throw new Error('A subject to be cleared has no head.');
  const { subject } = head;
  const former = (await formerNames(tx, subject.id)).flatMap(({ kind, name }) =>
    identitiesOf({ ...subject, [kind]: name }),
  );
  await releaseSubject(tx, subject.id, [...identitiesOf(subject), ...former], now_ms);
}
