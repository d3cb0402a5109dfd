import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type CallContext, systemContext } from '@credit/platform/context';
import { EventType } from '@credit/proto/reporting/v1/types';
import {
  accountOf,
  institution,
  keyed,
  newAccount,
  newSubject,
  onDay,
  payment,
  refusal,
  useHarness,
} from './harness';
import { countedOf } from './support/counted';

const harness = useHarness();
const administrator = systemContext('live', { actor: { type: 'user', id: randomUUID() } });

const summaryOf = (ctx: CallContext) => harness.reporting.getAccountSummary(ctx, {});

async function expectExact(ctx: CallContext) {
  const summary = await summaryOf(ctx);
  expect(summary).toEqual(await countedOf(harness, ctx.institution_id));
  return summary;
}

describe('the summary', () => {
  test('of an institution without accounts is empty, and nobody has one without an institution', async () => {
    expect(await summaryOf(institution())).toEqual({
      account_count: 0n,
      voided_count: 0n,
      disputed_count: 0n,
      last_reported_at: undefined,
      groups: [],
      groups_left_off: 0,
    });
    const nobody = { ...institution(), institution_id: '' };
    expect(await refusal(harness.reporting.getAccountSummary(nobody, {}))).toMatchObject({
      code: 'INSUFFICIENT_SCOPE',
    });
  });

  test('follows openings, payments, limits, statuses, corrections and outcomes', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const opened = (more: object) =>
      newAccount(harness.reporting, lender, { ...accountOf(subject.id), ...more });
    const loan = await opened({
      original_principal_minor: 100_000n,
      current_balance_minor: 80_000n,
    });
    const card = await opened({ currency: 'EUR', account_type: 'CREDIT_CARD' });
    await harness.report(lender, payment(loan, 9, { balance_after_minor: 70_000n }));
    await harness.report(lender, {
      credit_account_id: card.id,
      event_type: EventType.LIMIT_CHANGED,
      occurred_at: onDay(8),
      amount_minor: 500_000n,
    });
    const defaulted = await harness.report(lender, {
      credit_account_id: loan.id,
      event_type: EventType.DEFAULT_REPORTED,
      occurred_at: onDay(6),
    });
    const summary = await expectExact(lender);
    expect(summary.groups).toMatchObject([
      { currency: 'DCR', status: 'DEFAULTED', account_count: 1n, balance_minor: 70_000n },
      { currency: 'EUR', status: 'CURRENT', account_count: 1n, credit_limit_minor: 500_000n },
    ]);
    expect(summary.last_reported_at).toBe(defaulted.reported_at);

    await harness.reporting.setNetworkReview(keyed(administrator), {
      account_id: loan.id,
      under_review: true,
      change_id: randomUUID(),
    });
    expect(await expectExact(lender)).toMatchObject({ disputed_count: 1n, account_count: 2n });
    await harness.reporting.correctForDispute(keyed(administrator), {
      dispute_id: randomUUID(),
      credit_event_id: defaulted.id,
      filed_since: defaulted.reported_at,
      correction_reason: 'the bank confirms it',
    });
    await harness.reporting.setNetworkReview(keyed(administrator), {
      account_id: loan.id,
      under_review: false,
      change_id: randomUUID(),
    });
    const correctOpening = async ({ id }: { readonly id: string }, more: object) => {
      const events = await harness.eventsOf(lender, id);
      await harness.report(lender, {
        credit_account_id: id,
        event_type: EventType.CORRECTION,
        occurred_at: onDay(9),
        supersedes_event_id: events.at(-1)?.id,
        correction_reason: 'typed wrongly',
        ...more,
      });
    };
    await correctOpening(card, { corrected_account: { currency: 'USD' } });
    const moved = await expectExact(lender);
    expect(moved.groups.map(({ currency }) => currency)).toEqual(['DCR', 'USD']);
    // One that there never was: off the file again.
    await correctOpening(await opened({}), {});
    expect(await expectExact(lender)).toMatchObject({ account_count: 2n, voided_count: 1n });
  });

  test('is exact after batches and concurrent writers, and nothing of a rehearsal is in it', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const { accounts } = await harness.reporting.createAccounts(keyed(lender), {
      accounts: Array.from({ length: 40 }, () => accountOf(subject.id)),
    });
    await Promise.all(
      accounts.flatMap((account, index) => [
        harness.reporting.reportEvent(keyed(lender), {
          event: payment(account, 5, { balance_after_minor: BigInt(index * 7) }),
        }),
        harness.reporting.reportEvents(keyed(lender), {
          events: [
            payment(account, 4, { balance_after_minor: BigInt(index * 11) }),
            payment(account, 3, {
              event_type: EventType.PAYMENT_LATE,
              balance_after_minor: undefined,
              amount_minor: undefined,
            }),
          ],
        }),
      ]),
    );
    const before = await expectExact(lender);
    expect(before.account_count).toBe(40n);
    await harness.reporting.createAccounts(lender, {
      accounts: [accountOf(subject.id)],
      dry_run: true,
    });
    expect(await expectExact(lender)).toEqual(before);
  });

  test('outgrows neither its columns nor the answer', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const currencies = Array.from({ length: 1_010 }, (_unused, index) =>
      [index / 676, (index / 26) % 26, index % 26]
        .map((letter) => String.fromCharCode(65 + Math.floor(letter)))
        .join(''),
    );
    for (let from = 0; from < currencies.length; from += 100) {
      await harness.reporting.createAccounts(keyed(lender), {
        accounts: currencies
          .slice(from, from + 100)
          .map((currency) => ({ ...accountOf(subject.id), currency })),
      });
    }
    const wide = await summaryOf(lender);
    expect([wide.groups.length, wide.groups_left_off, wide.account_count]).toEqual([
      1_000,
      10,
      1_010n,
    ]);
    // As 200,000 of the largest accounts would: the sum is cut, and writing goes on.
    await harness.rows(
      'live',
      "UPDATE account_totals SET balance_minor = 2e19 WHERE institution_id = $1 AND currency = 'AAA'",
      [lender.institution_id],
    );
    await newAccount(harness.reporting, lender, { ...accountOf(subject.id), currency: 'AAA' });
    const [largest] = (await summaryOf(lender)).groups;
    expect(largest).toMatchObject({ currency: 'AAA', balance_minor: 9_223_372_036_854_775_807n });
  });
});

test('the migration counts what was there, whoever writes beside it', async () => {
  const lender = institution();
  const subject = await newSubject(harness.reporting, lender);
  const account = await newAccount(harness.reporting, lender, accountOf(subject.id));
  const before = await expectExact(lender);
  // As if the account had been there before the table, and paid between the two migrations.
  await harness.rows('live', 'DELETE FROM account_totals WHERE institution_id = $1', [
    lender.institution_id,
  ]);
  await harness.report(lender, payment(account, 3, { balance_after_minor: 12_345n }));
  const migration = path.join(__dirname, '../migrations/0013_account_totals_of_all.sql');
  await harness.rows('live', await readFile(migration, 'utf8'));
  const after = await expectExact(lender);
  expect(after.account_count).toBe(before.account_count);
  expect(after.groups).toMatchObject([{ account_count: 1n, balance_minor: 12_345n }]);
});
