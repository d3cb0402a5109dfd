import { systemContext } from '@credit/platform/context';
import type { Database, Queryable, Transaction } from '@credit/platform/db';
import {
  DISPUTE_MAIL_EVERY_S,
  type DisputeMailKind,
  MAX_TOLD,
  REMIND_DAYS,
  TOLD_ROLES,
} from '../domain/dispute-mail';
import {
  type DisputeNotice,
  keepNotice,
  oweDisputeMails,
  peopleTold,
  takeNoticesDue,
} from '../store/dispute-mails';

const REMINDED_AT_ONCE = 50;

/** What telling stands on. */
export interface TellingOfDisputes {
  readonly newId: () => string;
}

/** Owes an institution's people a mail: a dispute about its reporting was opened. */
export async function tellOfDispute(
  tx: Transaction,
  deps: TellingOfDisputes & { readonly mails: { wake(): void } },
  notices: readonly DisputeNotice[],
): Promise<void> {
  for (const notice of notices) {
    if (await keepNotice(tx, notice)) await owe(tx, deps, notice, 'OPENED');
  }
  tx.afterCommit(() => deps.mails.wake());
}

/** Owes reminders of disputes that are due soon; true when there were any. */
export function remindOfDisputes(
  deps: TellingOfDisputes & { readonly db: Database },
): Promise<boolean> {
  return deps.db.transaction(systemContext('live'), async (tx) => {
    const notices = await takeNoticesDue(tx, REMIND_DAYS, REMINDED_AT_ONCE);
    for (const notice of notices) await owe(tx, deps, notice, 'DUE');
    return notices.length > 0;
  });
}

async function owe(
  on: Queryable,
  { newId }: TellingOfDisputes,
  { dispute_id, institution_id }: DisputeNotice,
  kind: DisputeMailKind,
): Promise<void> {
  const people = await peopleTold(on, institution_id, TOLD_ROLES, MAX_TOLD);
  if (people.length === 0) return;
  const mails = people.map((user_id) => ({ id: newId(), user_id }));
  await oweDisputeMails(on, mails, { dispute_id, kind, every_s: DISPUTE_MAIL_EVERY_S });
}
