import { randomUUID } from 'node:crypto';
import type { Client, Json, Member } from '@credit/local/demo/client';
import { company } from './company';
import type { SharedSystem } from './shared-system';

/** A subject with a loan of one lender's and a card of another's, and what was reported of both. */
export interface Borrower {
  readonly lender: Member;
  readonly other: Member;
  readonly subject: Json;
  /** The lender's loan: a year of payments. */
  readonly own: Json;
  /** The other's card: one late payment, taken back. */
  readonly theirs: Json;
}

/** The other lender's words, which nobody else may come to see. */
export const SECRETS = ['Second Lender', 'secret-of-the-other'] as const;

export const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Reports an event of an account; refusals are the test's failure. */
export const report = (member: Member, account: Json, body: Json) =>
  member.key.create(`/accounts/${account.id}/events`, body, `event-${randomUUID()}`);

/** A new subject with a loan of whose key it is. */
export async function openLoan(key: Client): Promise<{ subject: Json; account: Json }> {
  const subject = await key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `player-${randomUUID().slice(0, 13)}`,
  });
  const account = await key.create(
    '/accounts',
    {
      subject_id: subject.id,
      external_account_id: `loan-${randomUUID()}`,
      account_type: 'TERM_LOAN',
      original_principal: 2500,
      opened_at: '2024-01-15T00:00:00Z',
    },
    `open-${randomUUID()}`,
  );
  return { subject, account };
}

/** Enrols two lenders and makes their borrower. */
export async function lendTwice(system: SharedSystem): Promise<Borrower> {
  const {
    members: { lender, other },
  } = await company(system, { lender: 'First Lender', other: 'Second Lender' });
  const subject = await lender.key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `player-${randomUUID().slice(0, 13)}`,
  });
  const open = (member: Member, account_type: string, opened: number) =>
    member.key.create(
      '/accounts',
      {
        subject_id: subject.id,
        external_account_id: `ledger-${randomUUID()}`,
        account_type,
        original_principal: 5000,
        opened_at: daysAgo(opened),
      },
      `open-${randomUUID()}`,
    );
  const own = await open(lender, 'TERM_LOAN', 700);
  const theirs = await open(other, 'CREDIT_CARD', 500);
  for (let month = 12; month >= 1; month -= 1) {
    await report(lender, own, {
      event_type: 'PAYMENT_MADE',
      occurred_at: daysAgo(month * 30 + 5),
      amount: 100,
      balance_after: 5000 - 100 * (13 - month),
    });
  }
  const late = await report(other, theirs, {
    event_type: 'PAYMENT_LATE',
    occurred_at: daysAgo(80),
    amount: 50,
    source_reference: 'secret-of-the-other',
  });
  await report(other, theirs, {
    event_type: 'CORRECTION',
    occurred_at: daysAgo(70),
    supersedes_event_id: late.id,
    correction_reason: 'Second Lender misread its ledger.',
  });
  return { lender, other, subject, own, theirs };
}
