// What the outcome of a dispute took off the record stays off it, whatever its furnisher sends.

import { randomUUID } from 'node:crypto';
import { systemContext } from '@credit/platform/context';
import type { NewEvent } from '@credit/proto/reporting/v1/reporting';
import {
  type Account,
  AccountStatus,
  AccountType,
  type CreditEvent,
  DefaultSeverity,
  EventEffect,
  EventType,
} from '@credit/proto/reporting/v1/types';
import { verifyRecordCommand } from '../src/operator/verify-record-command';
import { accountOf, institution, keyed, newAccount, onDay, refusal, useHarness } from './harness';

const harness = useHarness();
const administrator = systemContext('live', { actor: { type: 'user', id: randomUUID() } });
const lender = institution();

const of = (
  account: Pick<Account, 'id'>,
  event_type: EventType,
  day: number,
  more = {},
): NewEvent => ({
  credit_account_id: account.id,
  event_type,
  occurred_at: onDay(day),
  ...more,
});
const correctionOf = (account: Account, target: string | undefined, more = {}) =>
  of(account, EventType.CORRECTION, 300, {
    supersedes_event_id: target,
    correction_reason: 'entered wrongly',
    ...more,
  });
const mend = (credit_event_id: string | undefined, more: object = {}) =>
  harness.reporting.correctForDispute(keyed(administrator), {
    dispute_id: randomUUID(),
    credit_event_id: credit_event_id ?? '',
    filed_since: onDay(0),
    correction_reason: 'the bank confirms it',
    ...more,
  });
const refused = async (event: NewEvent) => {
  const { code, reason } = await refusal(harness.report(lender, event));
  expect(reason).toBe('REINSERTION');
  expect(code).toBe('INVALID_STATE_TRANSITION');
};
const told = async (account: Account, kind: string) =>
  (await harness.outbox()).flatMap(({ payload }) =>
    // What those who looked are told has a test of its own.
    payload?.$case === kind &&
    (payload.value as { account_id?: string }).account_id === account.id &&
    (payload.value as { kind?: string }).kind !== 'RECORD'
      ? [payload.value as unknown as Record<string, unknown>]
      : [],
  );
const opening = async (account: Account) =>
  (await harness.eventsOf(lender, account.id)).at(-1) as CreditEvent;

async function defaulted(more = {}) {
  const account = await newAccount(harness.reporting, lender);
  const event = await harness.report(lender, of(account, EventType.DEFAULT_REPORTED, 100, more));
  return { account, event };
}

describe('a default that an outcome took away', () => {
  test('returns in no form: corrected, repeated, re-dated, milder or graver', async () => {
    const { account, event } = await defaulted();
    const { correction_event_id } = await mend(event.id);
    expect(await harness.accountNow(lender, account.id)).toMatchObject({
      status: AccountStatus.CURRENT,
      days_past_due: 0,
    });
    await refused(correctionOf(account, correction_event_id));
    await refused(
      correctionOf(account, correction_event_id, {
        corrected_event_type: EventType.DEFAULT_REPORTED,
      }),
    );
    for (const [type, day] of [
      [EventType.DEFAULT_REPORTED, 100],
      [EventType.DEFAULT_REPORTED, 99],
      [EventType.DEFAULT_REPORTED, 400],
      [EventType.PAYMENT_LATE, 90],
      [EventType.DELINQUENCY_STARTED, 95],
      [EventType.ACCOUNT_WRITTEN_OFF, 130],
      [EventType.ACCOUNT_RESTRUCTURED, 130],
    ] as const) {
      await refused(of(account, type, day));
      const batch = await refusal(harness.reportAll(lender, [of(account, type, day)]));
      expect(batch.reason).toBe('REINSERTION');
    }
    expect((await harness.accountNow(lender, account.id)).status).toBe(AccountStatus.CURRENT);
  });

  test('does not return in the place of another event, or by what is revived', async () => {
    const account = await newAccount(harness.reporting, lender);
    const late = await harness.report(lender, of(account, EventType.PAYMENT_LATE, 60));
    const off = await harness.report(lender, correctionOf(account, late.id));
    const balance = await harness.report(
      lender,
      of(account, EventType.BALANCE_UPDATED, 80, { balance_after_minor: 5n }),
    );
    const event = await harness.report(lender, of(account, EventType.DEFAULT_REPORTED, 100));
    await mend(event.id);
    await refused(
      correctionOf(account, balance.id, { corrected_event_type: EventType.DEFAULT_REPORTED }),
    );
    await refused(correctionOf(account, off.id));
  });

  test('says nothing of a later trouble after the debtor was well', async () => {
    const { account, event } = await defaulted();
    await mend(event.id);
    await harness.report(lender, of(account, EventType.PAYMENT_MADE, 200, { amount_minor: 9n }));
    harness.clock.offset_ms = 60 * 86_400_000;
    const next = await harness.report(lender, {
      ...of(account, EventType.PAYMENT_LATE, 0),
      occurred_at: new Date(harness.clock.now_ms()).toISOString(),
    });
    harness.clock.offset_ms = 0;
    expect(next.effect).toBe(EventEffect.EFFECTIVE);
  });

  test('counts again when it is certified, and the network hears of it', async () => {
    const { account, event } = await defaulted();
    const dispute_id = randomUUID();
    await mend(event.id, { dispute_id });
    const certification = 'we hold the court’s order of 3 May and read it again';
    const again = await harness.report(
      lender,
      of(account, EventType.DEFAULT_REPORTED, 100, { certification }),
    );
    expect(again).toMatchObject({ effect: EventEffect.EFFECTIVE, certification });
    expect((await harness.accountNow(lender, account.id)).status).toBe(AccountStatus.DEFAULTED);
    expect(await told(account, 'fact_reinserted')).toEqual([
      expect.objectContaining({ dispute_id, credit_event_id: again.id, certification }),
    ]);
    // What is certified goes on without another word.
    await harness.report(lender, of(account, EventType.ACCOUNT_WRITTEN_OFF, 200));
  });

  test('is settled no more by any outcome that the certified event goes against', async () => {
    const { account, event } = await defaulted();
    const [first, second] = [randomUUID(), randomUUID()];
    const { correction_event_id } = await mend(event.id, { dispute_id: first });
    await mend(event.id, { dispute_id: second });
    const certification = 'we hold the court’s order of 3 May and read it again';
    await harness.report(lender, correctionOf(account, correction_event_id, { certification }));
    expect((await harness.accountNow(lender, account.id)).status).toBe(AccountStatus.DEFAULTED);
    expect((await told(account, 'fact_reinserted')).map(({ dispute_id }) => dispute_id)).toEqual([
      first,
      second,
    ]);
    await harness.report(lender, of(account, EventType.ACCOUNT_WRITTEN_OFF, 200));
  });

  test('comes back under another number once, certified against all of its outcomes', async () => {
    const { account } = await defaulted();
    const first = await opening(account);
    const dispute_ids = [randomUUID(), randomUUID()];
    for (const dispute_id of dispute_ids) await mend(first.id, { dispute_id });
    const certification = 'identity checked in person';
    const { account: again } = await harness.reporting.createAccount(keyed(lender), {
      account: { ...accountOf(account.subject_id), certification },
    });
    const reinserted = await told(again as Account, 'fact_reinserted');
    expect(reinserted.map(({ dispute_id }) => dispute_id)).toEqual(dispute_ids);
  });

  test.each(['', ' ', 'x'.repeat(1_001)])('is not certified by %j', async (certification) => {
    const { account, event } = await defaulted();
    await mend(event.id);
    expect(
      await refusal(
        harness.report(lender, of(account, EventType.DEFAULT_REPORTED, 100, { certification })),
      ),
    ).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['certification'] });
  });
});

describe('the outcome acts on what stands now', () => {
  test('whatever the furnisher has laid over the fact since', async () => {
    const { account, event } = await defaulted();
    const worse = await harness.report(
      lender,
      correctionOf(account, event.id, {
        corrected_event_type: EventType.DEFAULT_REPORTED,
        default_severity: DefaultSeverity.CRITICAL,
      }),
    );
    const { correction_event_id, linked } = await mend(event.id, { reason: 'INCORRECT_STATUS' });
    expect(linked).toBe(false);
    const events = await harness.eventsOf(lender, account.id);
    expect(events.find(({ id }) => id === worse.id)).toMatchObject({
      effect: EventEffect.SUPERSEDED,
      superseded_by_event_id: correction_event_id,
    });
    // No older form of it returns.
    expect((await harness.accountNow(lender, account.id)).status).toBe(AccountStatus.CURRENT);
  });

  test.each([
    ['INCORRECT_STATUS', { corrected_event_type: EventType.PAYMENT_LATE }, true],
    ['INCORRECT_BALANCE', { corrected_event_type: EventType.PAYMENT_LATE }, false],
    ['NOT_MY_ACCOUNT', { corrected_event_type: EventType.PAYMENT_LATE }, false],
    ['NOT_MY_ACCOUNT', {}, true],
    [undefined, {}, true],
  ] as const)('%s is answered by the furnisher’s %j: %j', async (reason, filed, linked) => {
    const { account, event } = await defaulted();
    const correction = await harness.report(lender, correctionOf(account, event.id, filed));
    const answer = await mend(event.id, { reason });
    expect(answer.linked).toBe(linked);
    if (linked) expect(answer.correction_event_id).toBe(correction.id);
    // Linked or not, it lasts.
    await refused(correctionOf(account, answer.correction_event_id));
    const dispute_id = randomUUID();
    const first = await mend(event.id, { dispute_id });
    expect(await mend(event.id, { dispute_id })).toEqual(first);
  });
});

describe('an account of somebody else', () => {
  test('is taken off the file for good', async () => {
    const { account, event } = await defaulted();
    const first = await opening(account);
    const { correction_event_id, account_voided } = await mend(first.id);
    expect(account_voided).toBe(true);
    expect(await harness.accountNow(lender, account.id)).toMatchObject({
      status: AccountStatus.CANCELLED,
      voided: true,
      current_balance_minor: 0n,
      days_past_due: 0,
    });
    await refused(correctionOf(account, correction_event_id));
    expect(
      await refusal(harness.report(lender, of(account, EventType.PAYMENT_LATE, 400))),
    ).toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
    expect(await told(account, 'fact_voided')).toEqual([
      expect.objectContaining({ credit_event_id: event.id, correction_event_id, kind: 'DEFAULT' }),
    ]);
    const again = (more = {}) =>
      harness.reporting.createAccount(keyed(lender), {
        account: { ...accountOf(account.subject_id), ...more },
      });
    for (const more of [{}, { opened_at: '2025-01-15T23:00:00.000Z' }, { currency: 'EUR' }]) {
      expect((await refusal(again(more))).reason).toBe('REINSERTION');
    }
    // Another debt is another debt; its terms do not become those of the one that is gone.
    const { account: other } = await again({ original_principal_minor: 100_001n });
    if (other === undefined) throw new Error('no account');
    await refused(
      correctionOf(other, (await opening(other)).id, {
        corrected_account: { original_principal_minor: 100_000n },
      }),
    );
    const { account: certified } = await again({ certification: 'identity checked in person' });
    expect(certified?.status).toBe(AccountStatus.CURRENT);
    expect(await told(certified as Account, 'fact_reinserted')).toHaveLength(1);
  });

  test('and one whose default is gone does not come back in default under another number', async () => {
    const { account, event } = await defaulted();
    await mend(event.id);
    const create = (status: AccountStatus) =>
      harness.reporting.createAccount(keyed(lender), {
        account: { ...accountOf(account.subject_id), status },
      });
    expect((await refusal(create(AccountStatus.DEFAULTED))).reason).toBe('REINSERTION');
    const { account: good } = await create(AccountStatus.CURRENT);
    if (good === undefined) throw new Error('no account');
    await refused(of(good, EventType.DEFAULT_REPORTED, 120));
  });
});

describe('an opening that its furnisher corrects', () => {
  test('without facts takes the account off the file, and its correction revives all', async () => {
    const { account, event } = await defaulted();
    const { external_account_id } = account;
    const first = await opening(account);
    const off = await harness.report(lender, correctionOf(account, first.id));
    expect(await harness.accountNow(lender, account.id)).toMatchObject({
      status: AccountStatus.CANCELLED,
      voided: true,
    });
    const events = await harness.eventsOf(lender, account.id);
    expect(events.find(({ id }) => id === first.id)).toMatchObject({
      effect: EventEffect.SUPERSEDED,
      superseded_by_event_id: off.id,
    });
    expect(await refusal(harness.report(lender, correctionOf(account, event.id)))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
    });
    // Its furnisher still finds it, and nobody else hears of it.
    const { accounts } = await harness.reporting.listAccounts(lender, {
      external_account_id,
      limit: 10,
    });
    expect(accounts.map(({ id }) => id)).toEqual([account.id]);
    const { records } = await harness.reporting.locateRecords(administrator, {
      references: [{ reference: { $case: 'subject_id', value: account.subject_id } }],
    });
    expect(records).toMatchObject([{ institution_ids: [] }]);
    // The id is free; while another account has it, nothing can be revived.
    const taker = await newAccount(harness.reporting, lender, { external_account_id });
    const revival = correctionOf(account, off.id);
    expect((await refusal(harness.report(lender, revival))).message).toMatch('is taken');
    await harness.report(lender, correctionOf(taker, (await opening(taker)).id));
    await harness.report(lender, revival);
    expect(await harness.accountNow(lender, account.id)).toMatchObject({
      status: AccountStatus.DEFAULTED,
      voided: false,
      external_account_id,
    });
    expect(await told(account, 'fact_voided')).toHaveLength(1);
    expect(await told(account, 'record_corrected')).toEqual([
      expect.objectContaining({ credit_event_id: event.id, kind: 'DEFAULT' }),
    ]);
    expect(await told(account, 'default_reported')).toHaveLength(1);
    const taken = await refusal(newAccount(harness.reporting, lender, { external_account_id }));
    expect(taken.message).toMatch('is taken');
  });

  test('with facts changes them, those before stay readable, and the chain goes on', async () => {
    const account = await newAccount(harness.reporting, lender);
    await harness.report(lender, of(account, EventType.PAYMENT_MADE, 20, { amount_minor: 1n }));
    const first = await opening(account);
    const mended = await harness.report(
      lender,
      correctionOf(account, first.id, {
        corrected_account: { account_type: AccountType.MORTGAGE, original_principal_minor: 7n },
        balance_after_minor: 7n,
      }),
    );
    const again = await harness.report(
      lender,
      correctionOf(account, mended.id, { corrected_account: { currency: 'EUR' } }),
    );
    expect(await harness.accountNow(lender, account.id)).toMatchObject({
      account_type: AccountType.MORTGAGE,
      original_principal_minor: 7n,
      current_balance_minor: 7n,
      currency: 'EUR',
      status: AccountStatus.CURRENT,
    });
    await harness.report(lender, correctionOf(account, again.id));
    expect(await harness.accountNow(lender, account.id)).toMatchObject({
      account_type: AccountType.MORTGAGE,
      currency: 'DCR',
    });
    const early = await refusal(
      harness.report(
        lender,
        correctionOf(account, mended.id, { corrected_account: { opened_at: onDay(21) } }),
      ),
    );
    expect(early).toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
    for (const [wrong, path] of [
      [{ corrected_account: {} }, 'corrected_account'],
      [{ corrected_account: { currency: 'euro' } }, 'corrected_account.currency'],
      [{ corrected_event_type: EventType.PAYMENT_LATE }, 'corrected_event_type'],
    ] as const) {
      expect(
        await refusal(harness.report(lender, correctionOf(account, mended.id, wrong))),
      ).toMatchObject({ code: 'VALIDATION_ERROR', paths: [path] });
    }
  });
});

test('a batch takes effect in the order of time and answers in its own, dry runs too', async () => {
  const account = await newAccount(harness.reporting, lender);
  const events = [
    of(account, EventType.DELINQUENCY_CURED, 80),
    of(account, EventType.DELINQUENCY_STARTED, 50),
  ];
  const dry = await harness.reporting.reportEvents(keyed(lender), { events, dry_run: true });
  const real = await harness.reportAll(lender, events);
  for (const answers of [dry.events, real]) {
    expect(answers.map(({ event_type, sequence }) => [event_type, sequence])).toEqual([
      [EventType.DELINQUENCY_CURED, 3],
      [EventType.DELINQUENCY_STARTED, 2],
    ]);
  }
});

test('all that was stored is what the events alone give', async () => {
  expect(await verifyRecordCommand(harness, [], () => undefined)).toBe(true);
});
