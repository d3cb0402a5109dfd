import type { CallContext, Environment } from '@credit/platform/context';
import { hashSecret, isContactToken } from '@credit/platform/credentials';
import type { Transaction } from '@credit/platform/db';
import { conflict, requestError } from '@credit/platform/errors';
import { personOf } from '@credit/platform/requests';
import { type Limit, waitOf } from '../../commands/password-guard';
import { tellAudit } from '../../commands/tell';
import type { Dependencies } from '../../dependencies';
import { emailKey } from '../../domain/emails';
import { mailboxKey } from '../../domain/opener-mail';
import { countAttempt } from '../../store/attempts';
import {
  CONFIRM_LIFETIME_S,
  CONFIRMATIONS_WINDOW_S,
  type LastMailKind,
  MAX_CONFIRMATIONS_OF_MAILBOX,
  MAX_CONFIRMATIONS_OF_SUBJECT,
  NEWS_EVERY_S,
} from '../domain/person-mail';
import {
  type Contact,
  confirmContact,
  dropContactRequests,
  findContact,
  insertContactRequest,
  keepNews,
  oweConfirmation,
  oweLastMail,
  oweNews,
  type PersonNews,
  removeContacts,
  takeContactRequest,
  type Whose,
} from '../store/person-contacts';

/** What owing mails to people stands on. */
interface OwingMails {
  readonly newId: () => string;
  readonly mails?: { wake(): void } | undefined;
}

/** Where the calling person is told. */
export function readContact(deps: Pick<Dependencies, 'db'>, ctx: CallContext): Promise<Contact> {
  return findContact(deps.db.read(ctx), whoseOf(ctx));
}

/**
 * Has a link mailed to an address. Until it is opened the person is told where it was before; beyond the
 * limits none is mailed, and the answer does not say so, as it would tell that others gave the address.
 */
export async function setContact(
  deps: Dependencies,
  ctx: CallContext,
  email: string,
): Promise<Contact> {
  const { mails, newId } = deps;
  if (mails === undefined) {
    throw conflict('The network sends no mail.', { reason: 'NO_MAIL' });
  }
  const whose = whoseOf(ctx);
  return deps.db.transaction(ctx, async (tx) => {
    const before = await findContact(tx, whose);
    const is_told = before.email !== undefined && emailKey(before.email) === emailKey(email);
    const is_mailed = !is_told && (await mayMail(tx, whose, email));
    const waits = before.waiting_email;
    // The links that were mailed to it stay good when no other may be mailed.
    if (!is_told && !is_mailed && waits !== undefined && emailKey(waits) === emailKey(email)) {
      return before;
    }
    await dropContactRequests(tx, [whose.subject_id], whose.environment);
    if (!is_told) {
      const id = newId();
      await insertContactRequest(tx, { ...whose, id, email, lifetime_s: CONFIRM_LIFETIME_S });
      if (is_mailed && whose.environment === 'live') {
        const { subject_id } = whose;
        await oweConfirmation(tx, { id: newId(), subject_id, request_id: id });
        tx.afterCommit(() => mails.wake());
      }
      tell(tx, deps, whose, 'person_contact.asked');
    }
    return findContact(tx, whose);
  });
}

async function mayMail(tx: Transaction, { subject_id }: Whose, email: string): Promise<boolean> {
  const window_s = CONFIRMATIONS_WINDOW_S;
  const of_subject = {
    subject: `contact of ${subject_id}`,
    limit: MAX_CONFIRMATIONS_OF_SUBJECT,
    window_s,
  };
  // One after the other: who is over its own limit must not use up a stranger's.
  if (await isOver(tx, of_subject)) return false;
  const subject = `contact mailbox ${mailboxKey(email)}`;
  return !(await isOver(tx, { subject, limit: MAX_CONFIRMATIONS_OF_MAILBOX, window_s }));
}

async function isOver(tx: Transaction, limit: Limit): Promise<boolean> {
  return waitOf([limit], await countAttempt(tx, [limit])) > 0;
}

/** Confirms an address with the token that was mailed to it; the one before hears that it was replaced. */
export async function confirmContactBy(
  deps: Dependencies,
  ctx: CallContext,
  token: string,
): Promise<void> {
  const notValid = () =>
    requestError('The link is unknown, was used, or is over.', 'TOKEN_NOT_VALID');
  if (!isContactToken(token)) throw notValid();
  await deps.db.transaction(ctx, async (tx) => {
    const request = await takeContactRequest(tx, hashSecret(token));
    if (request === undefined) throw notValid();
    const replaced = await confirmContact(tx, request);
    if (replaced !== undefined) await sendOff(tx, deps, request, 'REPLACED', replaced);
    tell(tx, deps, request, 'person_contact.confirmed');
  });
}

/** Erases the calling person's addresses at once. */
export async function removeContact(deps: Dependencies, ctx: CallContext): Promise<void> {
  const whose = whoseOf(ctx);
  await deps.db.transaction(ctx, async (tx) => {
    await endContacts(tx, deps, [whose.subject_id], whose.environment);
    tell(tx, deps, whose, 'person_contact.removed');
  });
}

/** Nobody is told of these files any more; who was hears that. */
export async function endContacts(
  tx: Transaction,
  deps: OwingMails,
  subject_ids: readonly string[],
  environment: Environment,
): Promise<void> {
  // In the order in which a confirmation takes them.
  await dropContactRequests(tx, subject_ids, environment);
  for (const { email, subject_id } of await removeContacts(tx, subject_ids, environment)) {
    await sendOff(tx, deps, { subject_id, environment }, 'ENDED', email);
  }
}

async function sendOff(
  tx: Transaction,
  { mails, newId }: OwingMails,
  { environment, subject_id }: Whose,
  kind: LastMailKind,
  email: string,
): Promise<void> {
  if (environment !== 'live' || mails === undefined) return;
  await oweLastMail(tx, { id: newId(), subject_id, kind, email });
  tx.afterCommit(() => mails.wake());
}

/** Owes the persons of live files a mail of what has happened to them, once. */
export async function tellPersons(
  tx: Transaction,
  { mails, newId }: OwingMails,
  news: readonly PersonNews[],
): Promise<void> {
  if (mails === undefined || news.length === 0) return;
  const told = await keepNews(tx, news);
  if (told.length === 0) return;
  for (const subject_id of told) {
    await oweNews(tx, { id: newId(), subject_id, every_s: NEWS_EVERY_S });
  }
  tx.afterCommit(() => mails.wake());
}

function whoseOf(ctx: CallContext): Whose {
  return { subject_id: personOf(ctx), environment: ctx.environment };
}

/** No address is in the log. */
function tell(
  tx: Transaction,
  { clock }: Pick<Dependencies, 'clock'>,
  { environment, subject_id }: Whose,
  action: string,
): void {
  tellAudit(tx, clock, {
    institution_id: undefined,
    action,
    target_type: 'subject',
    target_id: subject_id,
    changes: { environment },
    actor: { type: 'person', id: subject_id },
  });
}
