import { randomUUID } from 'node:crypto';
import { systemContext } from '@credit/platform/context';
import { ReportEventResponse } from '@credit/proto/reporting/v1/reporting';
import {
  AccountStatus,
  Bucket,
  DefaultSeverity,
  EventEffect,
  EventType,
} from '@credit/proto/reporting/v1/types';
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

const harness = useHarness();

describe('an event', () => {
  test('is recorded, moves its account and is told to the others', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const caller = keyed(lender);
    const { event } = await harness.reporting.reportEvent(caller, {
      event: payment(account, 31, { balance_after_minor: 90_000n, source_reference: 'ledger-1' }),
    });
    expect(event).toMatchObject({
      credit_account_id: account.id,
      subject_id: account.subject_id,
      event_type: EventType.PAYMENT_MADE,
      occurred_at: onDay(31),
      sequence: 2,
      amount_minor: 1_000n,
      balance_after_minor: 90_000n,
      source_reference: 'ledger-1',
      effect: EventEffect.EFFECTIVE,
      resulting_status: AccountStatus.CURRENT,
    });
    const after = await harness.accountNow(lender, account.id);
    expect(after).toMatchObject({ current_balance_minor: 90_000n, version: 2 });
    const told = (await harness.outbox()).filter(
      (message) => message.request_id === lender.request_id,
    );
    expect(told.map((message) => message.payload?.$case)).toEqual([
      'audit_recorded', // the subject
      'account_changed',
      'audit_recorded',
      'account_changed',
      'audit_recorded',
    ]);
    expect(told[3]?.payload).toMatchObject({
      $case: 'account_changed',
      value: {
        credit_event_id: event?.id,
        account: {
          account_id: account.id,
          balance_minor: 90_000n,
          payment_months: [2025 * 12 + 1],
          version: 2,
          subject_version: 2,
        },
      },
    });
    expect(told[4]?.payload).toMatchObject({
      value: {
        action: 'event.reported',
        target_id: account.id,
        institution_id: lender.institution_id,
        changes_json: JSON.stringify({ credit_event_id: event?.id }),
      },
    });
  });

  test('for another institution, an unknown account or a malformed id finds nothing', async () => {
    const account = await newAccount(harness.reporting, institution());
    const stranger = institution();
    expect(await refusal(harness.report(stranger, payment(account, 1)))).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await refusal(harness.report(stranger, payment({ id: randomUUID() }, 1)))).toMatchObject(
      {
        code: 'NOT_FOUND',
      },
    );
    expect(await refusal(harness.report(stranger, payment({ id: 'x' }, 1)))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['credit_account_id'],
    });
    expect(await refusal(harness.report(systemContext('live'), payment(account, 1)))).toMatchObject(
      {
        code: 'INSUFFICIENT_SCOPE',
      },
    );
  });

  test('with a wrong shape names each field', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const wrong = payment(account, 1, {
      amount_minor: undefined,
      balance_after_minor: -1n,
      default_severity: DefaultSeverity.MINOR,
      corrected_event_type: undefined,
      supersedes_event_id: randomUUID(),
    });
    expect(await refusal(harness.report(lender, wrong))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['balance_after', 'supersedes_event_id', 'amount', 'default_severity'],
    });
    expect(await refusal(harness.report(lender, payment(account, -1)))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['occurred_at'],
    });
  });

  test('that is impossible is 409 and leaves no trace', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const before = await harness.outbox();
    const cure = payment(account, 5, {
      event_type: EventType.DELINQUENCY_CURED,
      amount_minor: undefined,
    });
    expect(await refusal(harness.report(lender, cure))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
    });
    expect(await harness.outbox()).toEqual(before);
    expect(await harness.eventsOf(lender, account.id)).toHaveLength(1);
  });
});

describe('an idempotency key', () => {
  test('makes one event of 20 concurrent posts, and 20 equal answers', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const caller = keyed(lender, key);
        const answer = await harness.reporting.reportEvent(caller, { event: payment(account, 3) });
        return {
          bytes: Buffer.from(ReportEventResponse.encode(answer).finish()).toString('hex'),
          replayed: caller.reply_metadata.get('idempotent-replayed'),
        };
      }),
    );
    expect(new Set(answers.map(({ bytes }) => bytes)).size).toBe(1);
    expect(answers.filter(({ replayed }) => replayed === 'true')).toHaveLength(19);
    expect(await harness.eventsOf(lender, account.id)).toHaveLength(2);
  });

  test('of a changed request, or of another account, is 409', async () => {
    const lender = institution();
    const [one, other] = [
      await newAccount(harness.reporting, lender),
      await newAccount(harness.reporting, lender),
    ];
    const key = randomUUID();
    await harness.reporting.reportEvent(keyed(lender, key), { event: payment(one, 3) });
    const again = (event: ReturnType<typeof payment>) =>
      refusal(harness.reporting.reportEvent(keyed(lender, key), { event }));
    expect(await again(payment(one, 4))).toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
    expect(await again(payment(other, 3))).toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
    // On another endpoint, and for another institution, it is another key.
    await harness.reporting.reportEvents(keyed(lender, key), { events: [payment(other, 3)] });
    const neighbour = institution();
    const theirs = await newAccount(harness.reporting, neighbour);
    await harness.reporting.reportEvent(keyed(neighbour, key), { event: payment(theirs, 3) });
  });

  test('stays free when the request was refused', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const key = randomUUID();
    const cured = payment(account, 3, { event_type: EventType.DEFAULT_CURED });
    await refusal(harness.reporting.reportEvent(keyed(lender, key), { event: cured }));
    const { event } = await harness.reporting.reportEvent(keyed(lender, key), {
      event: payment(account, 3),
    });
    expect(event?.sequence).toBe(2);
  });
});

describe('concurrency', () => {
  test('50 events on one account get versions and sequences without a gap', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const events = await Promise.all(
      Array.from({ length: 50 }, (_unused, index) =>
        harness.report(lender, payment(account, index + 1)),
      ),
    );
    expect(events.map((event) => event.sequence).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_unused, index) => index + 2),
    );
    const after = await harness.accountNow(lender, account.id);
    expect(after.version).toBe(51);
    const told = await harness.changesTold(({ account_id }) => account_id === account.id);
    const versions = told.map(({ version }) => version);
    expect(versions.sort((a, b) => a - b)).toEqual(
      Array.from({ length: 51 }, (_unused, index) => index + 1),
    );
  });

  test('refused events among accepted ones fail alone', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const attempts = Array.from({ length: 20 }, (_unused, index) =>
      payment(account, index + 1, {
        event_type: index % 4 === 3 ? EventType.DEFAULT_CURED : EventType.PAYMENT_MADE,
      }),
    );
    const results = await Promise.allSettled(
      attempts.map((event) => harness.report(lender, event)),
    );
    expect(results.map((result) => result.status === 'fulfilled')).toEqual(
      attempts.map((event) => event.event_type === EventType.PAYMENT_MADE),
    );
    expect(await harness.eventsOf(lender, account.id)).toHaveLength(16);
  });

  test('one subject, many accounts: its versions have no gap', async () => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const accounts = await Promise.all(
      Array.from({ length: 5 }, () =>
        newAccount(harness.reporting, lender, { subject_id: subject.id }),
      ),
    );
    await Promise.all(
      accounts.flatMap((account) =>
        Array.from({ length: 10 }, (_unused, index) =>
          harness.report(lender, payment(account, index + 1)),
        ),
      ),
    );
    const told = await harness.changesTold(({ subject_id }) => subject_id === subject.id);
    const versions = told.map(({ subject_version }) => subject_version);
    expect(versions.sort((a, b) => a - b)).toEqual(
      Array.from({ length: 55 }, (_unused, index) => index + 1),
    );
  });
});

describe('a source reference', () => {
  test('repeated with the same content returns the first event, without a second effect', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const event = payment(account, 3, { source_reference: 'entry 7' });
    const first = await harness.report(lender, event);
    const outbox = await harness.outbox();
    expect(await harness.report(lender, event)).toEqual(first);
    expect(await harness.outbox()).toEqual(outbox);
    expect(await harness.eventsOf(lender, account.id)).toHaveLength(2);
  });

  test('repeated with other content is 409', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    await harness.report(lender, payment(account, 3, { source_reference: 'entry 7' }));
    const changed = payment(account, 3, { source_reference: 'entry 7', amount_minor: 2n });
    expect(await refusal(harness.report(lender, changed))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
    });
    // It is the account's own: another account may use it.
    const other = await newAccount(harness.reporting, lender);
    await harness.report(lender, payment(other, 3, { source_reference: 'entry 7' }));
  });

  test('of concurrent posts makes one event', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const event = payment(account, 3, { source_reference: 'entry 8' });
    const events = await Promise.all(
      Array.from({ length: 10 }, () => harness.report(lender, event)),
    );
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
    expect(await harness.eventsOf(lender, account.id)).toHaveLength(2);
  });

  test('finds a default reported without its default severity', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const event = payment(account, 3, {
      event_type: EventType.DEFAULT_REPORTED,
      source_reference: 'entry 9',
    });
    const first = await harness.report(lender, event);
    expect(first.default_severity).toBe(DefaultSeverity.MODERATE);
    const explicit = { ...event, default_severity: DefaultSeverity.MODERATE };
    expect((await harness.report(lender, explicit)).id).toBe(first.id);
  });
});

describe('order', () => {
  test('a backdated event is replayed into its place', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    await harness.report(lender, payment(account, 20, { balance_after_minor: 70_000n }));
    await harness.report(lender, payment(account, 10, { event_type: EventType.PAYMENT_LATE }));
    await harness.report(lender, payment(account, 5, { balance_after_minor: 95_000n }));
    const after = await harness.accountNow(lender, account.id);
    expect(after).toMatchObject({
      status: AccountStatus.PAST_DUE,
      current_balance_minor: 70_000n,
      first_delinquency_at: onDay(10),
      bucket: Bucket.DPD_120_PLUS,
      version: 4,
    });
    expect(
      (await harness.eventsOf(lender, account.id)).map((event) => [
        event.sequence,
        event.resulting_status,
      ]),
    ).toEqual([
      [4, AccountStatus.CURRENT],
      [3, AccountStatus.PAST_DUE],
      [2, AccountStatus.PAST_DUE],
      [1, AccountStatus.CURRENT],
    ]);
  });

  test('a backdated event that makes a later one impossible is 409', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    await harness.report(lender, payment(account, 20));
    const paid = payment(account, 10, { event_type: EventType.ACCOUNT_PAID });
    expect(await refusal(harness.report(lender, paid))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
    });
  });
});

describe('a correction', () => {
  const correction = (
    account: { id: string },
    supersedes_event_id: string,
    overrides: Partial<ReturnType<typeof payment>> = {},
  ) =>
    payment(account, 60, {
      event_type: EventType.CORRECTION,
      amount_minor: undefined,
      supersedes_event_id,
      correction_reason: 'booked on the wrong loan',
      ...overrides,
    });

  test('voids; both records stay, linked both ways', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const late = await harness.report(
      lender,
      payment(account, 10, { event_type: EventType.PAYMENT_LATE }),
    );
    const voided = await harness.report(lender, correction(account, late.id));
    expect(voided).toMatchObject({
      supersedes_event_id: late.id,
      correction_reason: 'booked on the wrong loan',
      effect: EventEffect.EFFECTIVE,
    });
    const [newest, superseded] = await harness.eventsOf(lender, account.id);
    expect(newest?.id).toBe(voided.id);
    expect(superseded).toMatchObject({
      id: late.id,
      superseded_by_event_id: voided.id,
      effect: EventEffect.SUPERSEDED,
    });
    const after = await harness.accountNow(lender, account.id);
    expect(after).toMatchObject({ status: AccountStatus.CURRENT, days_past_due: 0 });
    expect(after.first_delinquency_at).toBeUndefined();
    // Correcting the correction revives the original.
    await harness.report(lender, correction(account, voided.id));
    const revived = (await harness.eventsOf(lender, account.id)).find(({ id }) => id === late.id);
    expect(revived).toMatchObject({ effect: EventEffect.EFFECTIVE });
    expect(revived?.superseded_by_event_id).toBeUndefined();
  });

  test('of an event of another own account is 422, of an unknown or foreign one 404', async () => {
    const lender = institution();
    const stranger = institution();
    const account = await newAccount(harness.reporting, lender);
    const other = await newAccount(harness.reporting, lender);
    const foreign = await newAccount(harness.reporting, stranger);
    const elsewhere = await harness.report(lender, payment(other, 10));
    const theirs = await harness.report(stranger, payment(foreign, 10));
    expect(await refusal(harness.report(lender, correction(account, elsewhere.id)))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['supersedes_event_id'],
    });
    for (const id of [theirs.id, randomUUID()]) {
      expect(await refusal(harness.report(lender, correction(account, id)))).toMatchObject({
        code: 'NOT_FOUND',
      });
    }
  });

  test('that arrives together with what it follows on is decided upon it', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const late = await harness.report(
      lender,
      payment(account, 10, { event_type: EventType.PAYMENT_LATE }),
    );
    const results = await Promise.allSettled([
      harness.report(lender, correction(account, late.id)),
      harness.report(lender, correction(account, late.id)),
      harness.report(lender, payment(account, 70)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

describe('a dispute flag of the furnisher', () => {
  test('covers the status until it is resolved', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const flag = (event_type: EventType, day: number) =>
      harness.report(lender, payment(account, day, { event_type, amount_minor: undefined }));
    await flag(EventType.DISPUTE_OPENED, 5);
    await flag(EventType.PAYMENT_LATE, 6);
    const disputed = await harness.reporting.listAccounts(lender, {
      limit: 10,
      status: AccountStatus.DISPUTED,
    });
    expect(disputed.accounts.map(({ id }) => id)).toEqual([account.id]);
    expect(await refusal(flag(EventType.DISPUTE_OPENED, 7))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
    });
    const resolved = await flag(EventType.DISPUTE_RESOLVED, 8);
    expect(resolved.resulting_status).toBe(AccountStatus.PAST_DUE);
  });
});

describe('defaults and delinquencies', () => {
  test('are told to the reporter, to holders and to applicants of the last 30 days', async () => {
    const { reporting, clock } = harness;
    const [reporter, holder, former, applicant, early, onlooker] = Array.from({ length: 6 }, () =>
      institution(),
    ) as [
      ReturnType<typeof institution>,
      ReturnType<typeof institution>,
      ReturnType<typeof institution>,
      ReturnType<typeof institution>,
      ReturnType<typeof institution>,
      ReturnType<typeof institution>,
    ];
    const subject = await newSubject(reporting, reporter);
    const account = await newAccount(reporting, reporter, { subject_id: subject.id });
    await newAccount(reporting, holder, { subject_id: subject.id });
    await newAccount(reporting, former, {
      subject_id: subject.id,
      status: AccountStatus.CANCELLED,
      current_balance_minor: 0n,
    });
    const look = (ctx: typeof reporter, inquiry_type: 'HARD' | 'SOFT') =>
      reporting.recordInquiry(ctx, {
        inquiry_id: randomUUID(),
        subject_id: subject.id,
        purpose: 'NEW_CREDIT_APPLICATION',
        inquiry_type: inquiry_type,
      });
    clock.offset_ms = -31 * 86_400_000;
    await look(early, 'HARD');
    clock.offset_ms = -29 * 86_400_000;
    await look(applicant, 'HARD');
    clock.offset_ms = 0;
    await look(onlooker, 'SOFT');

    const started = await harness.report(
      reporter,
      payment(account, 30, { event_type: EventType.DELINQUENCY_STARTED }),
    );
    const defaulted = await harness.report(
      reporter,
      payment(account, 90, {
        event_type: EventType.DEFAULT_REPORTED,
        default_severity: DefaultSeverity.SEVERE,
      }),
    );
    const told = await harness.noticesTold(subject.id);
    const receiver_institution_ids = [reporter, holder, applicant]
      .map((ctx) => ctx.institution_id)
      .sort();
    expect(told).toEqual([
      {
        $case: 'delinquency_reported',
        value: expect.objectContaining({
          credit_event_id: started.id,
          status: AccountStatus.DELINQUENT,
          bucket: Bucket.DPD_120_PLUS,
          receiver_institution_ids,
          account_id: account.id,
          external_account_id: account.external_account_id,
          reporting_institution_id: reporter.institution_id,
        }),
      },
      {
        $case: 'default_reported',
        value: expect.objectContaining({
          credit_event_id: defaulted.id,
          status: AccountStatus.DEFAULTED,
          default_severity: DefaultSeverity.SEVERE,
          occurred_at: onDay(90),
          reported_at: defaulted.reported_at,
          receiver_institution_ids,
        }),
      },
    ]);
  });

  test('are told once, however often they are reported, corrected or replayed', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const event = payment(account, 30, {
      event_type: EventType.DEFAULT_REPORTED,
      source_reference: 'default of loan 1',
    });
    const first = await harness.report(lender, event);
    await harness.report(lender, event);
    await harness.report(lender, payment(account, 20));
    await harness.report(
      lender,
      payment(account, 40, {
        event_type: EventType.CORRECTION,
        supersedes_event_id: first.id,
        correction_reason: 'milder than reported',
        corrected_event_type: EventType.DEFAULT_REPORTED,
        default_severity: DefaultSeverity.MINOR,
      }),
    );
    const told = await harness.noticesTold(account.subject_id);
    expect(told).toHaveLength(1);
  });
});

describe('environments', () => {
  test('never meet', async () => {
    const lender = institution();
    const sandbox = { ...lender, environment: 'test' as const };
    const account = await newAccount(harness.reporting, lender);
    expect(
      await refusal(harness.reporting.getAccount(sandbox, { account_id: account.id })),
    ).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(harness.report(sandbox, payment(account, 1)))).toMatchObject({
      code: 'NOT_FOUND',
    });
    const key = randomUUID();
    const subject = await newSubject(harness.reporting, sandbox);
    // The same key and the same ledger id in both.
    const draft = accountOf(subject.id, { external_account_id: account.external_account_id });
    await harness.reporting.createAccount(keyed(sandbox, key), { account: draft });
    await harness.reporting.reportEvent(keyed(lender, key), { event: payment(account, 1) });
    expect(await harness.outbox('test')).toHaveLength(3);
    const { accounts } = await harness.reporting.listAccounts(sandbox, { limit: 10 });
    expect(accounts).toHaveLength(1);
  });
});
