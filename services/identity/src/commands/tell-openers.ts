import type { Transaction } from '@credit/platform/db';
import { meteredPlace, meteredSite, normalizeAddress } from '../domain/addresses';
import {
  type DecidedOutcome,
  MAX_RECEIPTS_OF_MAILBOX,
  MAX_RECEIPTS_OF_PLACE,
  mailboxKey,
  type OpenerMailKind,
  type OpenersDispute,
  RECEIPTS_WINDOW_S,
} from '../domain/opener-mail';
import { countAttempt } from '../store/attempts';
import { keepOutcome, keepReceipt, oweOpenerMail } from '../store/dispute-openers';
import { limitsOf } from './address-limits';
import { type Limit, waitOf } from './password-guard';

/** What telling openers stands on. */
export interface TellingOpeners {
  readonly newId: () => string;
  readonly mails: { wake(): void };
}

/** Where a receipt goes, and which client address asked for it. */
export interface ReceiptTo {
  readonly contact_email: string;
  readonly client_address: string;
}

/**
 * Owes a mail to whoever opened a dispute: that it was received. Whether the address is theirs nobody
 * knows, so beyond the limits nothing is sent to it, of the outcome neither; the dispute stands all the
 * same, and whoever opened it has the link of the page.
 */
export async function tellOfReceipt(
  tx: Transaction,
  deps: TellingOpeners,
  dispute: OpenersDispute,
  { client_address, contact_email }: ReceiptTo,
): Promise<void> {
  const address = normalizeAddress(client_address);
  const by = { place: meteredPlace(address), site: meteredSite(address) };
  const of_place = { limit: MAX_RECEIPTS_OF_PLACE, window_s: RECEIPTS_WINDOW_S };
  // One after the other: who is over its own limit must not use up a stranger's.
  if (await isOver(tx, limitsOf('receipt', by, of_place))) return;
  const of_mailbox = {
    subject: `receipt mailbox ${mailboxKey(contact_email)}`,
    limit: MAX_RECEIPTS_OF_MAILBOX,
    window_s: RECEIPTS_WINDOW_S,
  };
  if (await isOver(tx, [of_mailbox])) return;
  const kept = await keepReceipt(tx, dispute, contact_email);
  if (kept !== undefined) await owe(tx, deps, dispute, kept.is_decided ? 'DECIDED' : 'RECEIVED');
}

/** Owes them a mail with the outcome, if they were told that it was received. */
export async function tellOfOutcome(
  tx: Transaction,
  deps: Pick<TellingOpeners, 'newId'> & Partial<TellingOpeners>,
  dispute: OpenersDispute,
  outcome: DecidedOutcome,
): Promise<void> {
  const { mails, newId } = deps;
  // Kept without a mail server too: the address goes by it.
  const kept = await keepOutcome(tx, dispute, outcome);
  if (kept?.is_told && mails !== undefined) await owe(tx, { mails, newId }, dispute, 'DECIDED');
}

async function isOver(tx: Transaction, limits: readonly Limit[]): Promise<boolean> {
  return waitOf(limits, await countAttempt(tx, limits)) > 0;
}

async function owe(
  tx: Transaction,
  { mails, newId }: TellingOpeners,
  { dispute_id }: OpenersDispute,
  kind: OpenerMailKind,
): Promise<void> {
  await oweOpenerMail(tx, { id: newId(), dispute_id, kind });
  tx.afterCommit(() => mails.wake());
}
