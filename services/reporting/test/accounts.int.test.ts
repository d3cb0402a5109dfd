import { randomUUID } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import type { NewAccount } from '@credit/proto/reporting/v1/reporting';
import { AccountStatus, AccountType, Bucket, EventType } from '@credit/proto/reporting/v1/types';
import {
  accountOf,
  institution,
  keyed,
  newAccount,
  newSubject,
  payment,
  refusal,
  useHarness,
} from './harness';

const harness = useHarness();

function create(ctx: CallContext, account: NewAccount) {
  return harness.reporting.createAccount(keyed(ctx), { account });
}

describe('a new account', () => {
  test('has its defaults and its opening event', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const draft = accountOf(subject.id);
    const { account } = await create(lender, draft);
    expect(account).toMatchObject({
      institution_id: lender.institution_id,
      subject_id: subject.id,
      external_account_id: draft.external_account_id,
      account_type: AccountType.TERM_LOAN,
      currency: 'DCR',
      original_principal_minor: 100_000n,
      current_balance_minor: 100_000n,
      status: AccountStatus.CURRENT,
      metadata_json: '',
      days_past_due: 0,
      bucket: Bucket.CURRENT,
      version: 1,
    });
    const { events } = await harness.reporting.listAccountEvents(lender, {
      account_id: account?.id ?? '',
      limit: 10,
    });
    expect(events).toEqual([
      expect.objectContaining({
        event_type: EventType.ACCOUNT_OPENED,
        occurred_at: draft.opened_at,
        balance_after_minor: 100_000n,
        resulting_status: AccountStatus.CURRENT,
        sequence: 1,
      }),
    ]);
  });

  test('keeps every field', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const draft = accountOf(subject.id, {
      account_type: AccountType.CREDIT_CARD,
      currency: 'EUR',
      current_balance_minor: 0n,
      interest_rate_bps: 1_250,
      interest_type: 'VARIABLE',
      maturity_at: '2030-01-15T00:00:00.000Z',
      payment_frequency: 'MONTHLY',
      metadata_json: '{"branch":"7"}',
    });
    const { account } = await create(lender, draft);
    const { account: read } = await harness.reporting.getAccount(lender, {
      account_id: account?.id ?? '',
    });
    expect(read).toEqual(account);
    const { current_balance_minor, ...rest } = draft;
    expect(read).toMatchObject({ ...rest, current_balance_minor: 0n });
  });

  test('needs a known subject, and an external id that is free within the institution', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    expect(await refusal(create(lender, accountOf(randomUUID())))).toMatchObject({
      code: 'NOT_FOUND',
    });
    const draft = accountOf(subject.id);
    await create(lender, draft);
    expect(await refusal(create(lender, draft))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
    });
    await create(institution(), draft);
  });

  test('of 10 concurrent ones with the same external id is one', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const draft = accountOf(subject.id);
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => create(lender, draft)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { accounts } = await harness.reporting.listAccounts(lender, { limit: 10 });
    expect(accounts).toHaveLength(1);
    const file = await harness.reporting.getSubjectFile(lender, { subject_id: subject.id });
    expect(file).toMatchObject({ subject_version: 1, accounts: [{ subject_version: 1 }] });
  });

  test('with a wrong shape names each field', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const wrong = accountOf(subject.id, {
      external_account_id: '',
      currency: 'eur',
      original_principal_minor: -1n,
      interest_rate_bps: 100_001,
      maturity_at: '2024-01-01T00:00:00.000Z',
      status: AccountStatus.DISPUTED,
      metadata_json: '[]',
    });
    expect(await refusal(create(lender, wrong))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: [
        'external_account_id',
        'currency',
        'original_principal',
        'interest_rate_bps',
        'maturity_at',
        'status',
        'metadata',
      ],
    });
  });

  test('in an adverse status is told to the network', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const { account } = await create(
      lender,
      accountOf(subject.id, { status: AccountStatus.DELINQUENT }),
    );
    expect(account).toMatchObject({
      status: AccountStatus.DELINQUENT,
      days_past_due: 30,
      bucket: Bucket.DPD_30,
      first_delinquency_at: account?.created_at,
    });
    const told = (await harness.outbox()).map(({ payload }) => payload).at(-1);
    expect(told).toMatchObject({
      $case: 'delinquency_reported',
      value: {
        account_id: account?.id,
        bucket: Bucket.DPD_30,
        receiver_institution_ids: [lender.institution_id],
      },
    });
  });
});

describe('a batch of accounts', () => {
  test('is created in request order, several for one subject', async () => {
    const lender = institution();
    const subjects = [
      await newSubject(harness.reporting, lender),
      await newSubject(harness.reporting, lender),
    ];
    const drafts = Array.from({ length: 6 }, (_unused, index) =>
      accountOf(subjects[index % 2]?.id ?? ''),
    );
    const { accounts } = await harness.reporting.createAccounts(keyed(lender), {
      accounts: drafts,
    });
    expect(accounts.map((account) => account.external_account_id)).toEqual(
      drafts.map((draft) => draft.external_account_id),
    );
    const file = await harness.reporting.getSubjectFile(lender, {
      subject_id: subjects[0]?.id ?? '',
    });
    expect(file.subject_version).toBe(3);
    expect(file.accounts.map((account) => account.subject_version)).toEqual([1, 2, 3]);
  });

  test('that fails leaves nothing and its key free', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const taken = accountOf(subject.id);
    await create(lender, taken);
    const outbox = await harness.outbox();
    const key = randomUUID();
    const fresh = accountOf(subject.id);
    const post = (accounts: NewAccount[]) =>
      harness.reporting.createAccounts(keyed(lender, key), { accounts });
    expect(await refusal(post([fresh, taken]))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      message: expect.stringMatching(/^accounts\[1\]: /),
    });
    expect(await refusal(post([fresh, fresh]))).toMatchObject({
      message: expect.stringMatching(/^accounts\[1\]: /),
    });
    expect(await refusal(post([fresh, accountOf(randomUUID())]))).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await refusal(post([fresh, accountOf(subject.id, { currency: 'x' })]))).toMatchObject({
      paths: ['accounts[1].currency'],
    });
    expect(await refusal(post(Array.from({ length: 101 }, () => fresh)))).toMatchObject({
      code: 'REQUEST_TOO_LARGE',
    });
    expect(await harness.outbox()).toEqual(outbox);
    const { accounts } = await post([fresh]);
    expect(accounts).toHaveLength(1);
  });
});

describe('the listing', () => {
  test('pages through the own accounts, newest first', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    await newAccount(harness.reporting, institution(), { subject_id: subject.id });
    const created = [];
    for (let index = 0; index < 5; index += 1) {
      created.push(await newAccount(harness.reporting, lender, { subject_id: subject.id }));
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await harness.reporting.listAccounts(lender, { limit: 2, cursor });
      seen.push(...page.accounts.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(created.map(({ id }) => id).reverse());
  });

  test('narrows by subject, status and external id', async () => {
    const lender = institution();
    const plain = await newAccount(harness.reporting, lender);
    const late = await newAccount(harness.reporting, lender);
    await harness.reporting.reportEvent(keyed(lender), {
      event: payment(late, 5, { event_type: EventType.PAYMENT_LATE }),
    });
    const idsOf = async (filter: object) => {
      const page = await harness.reporting.listAccounts(lender, { limit: 10, ...filter });
      return page.accounts.map(({ id }) => id);
    };
    expect(await idsOf({ subject_id: plain.subject_id })).toEqual([plain.id]);
    expect(await idsOf({ status: AccountStatus.PAST_DUE })).toEqual([late.id]);
    expect(await idsOf({ external_account_id: late.external_account_id })).toEqual([late.id]);
    expect(
      await idsOf({
        external_account_id: late.external_account_id,
        subject_id: plain.subject_id,
      }),
    ).toEqual([]);
    expect(await idsOf({ subject_id: late.subject_id, status: AccountStatus.CURRENT })).toEqual([]);
    expect(await refusal(idsOf({ cursor: 'nonsense' }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['cursor'],
    });
    expect(await refusal(idsOf({ limit: 1_001 }))).toMatchObject({ paths: ['limit'] });
  });

  test("another institution's account is as unknown as none", async () => {
    const account = await newAccount(harness.reporting, institution());
    const stranger = institution();
    for (const account_id of [account.id, randomUUID()]) {
      expect(await refusal(harness.reporting.getAccount(stranger, { account_id }))).toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(
        await refusal(harness.reporting.listAccountEvents(stranger, { account_id, limit: 5 })),
      ).toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  test('of events pages by sequence', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    await harness.reporting.reportEvents(keyed(lender), {
      events: [1, 2, 3, 4].map((day) => payment(account, day)),
    });
    const first = await harness.reporting.listAccountEvents(lender, {
      account_id: account.id,
      limit: 3,
    });
    expect(first.events.map(({ sequence }) => sequence)).toEqual([5, 4, 3]);
    const rest = await harness.reporting.listAccountEvents(lender, {
      account_id: account.id,
      limit: 3,
      cursor: first.next_cursor,
    });
    expect(rest.events.map(({ sequence }) => sequence)).toEqual([2, 1]);
    expect(rest.next_cursor).toBeUndefined();
  });
});

test('totals count what was created', async () => {
  const lender = { ...institution(), environment: 'test' as const };
  const account = await newAccount(harness.reporting, lender);
  await harness.reporting.reportEvents(keyed(lender), {
    events: [payment(account, 1), payment(account, 2)],
  });
  expect(await harness.reporting.getReportingTotals(lender, {})).toEqual({
    subjects: 1n,
    accounts: 1n,
    events_30d: 3n,
  });
});
