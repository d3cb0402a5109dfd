import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import type { EventType, Purpose } from '@credit/proto/reporting/v1/types';
import {
  MAX_ENTRIES_A_DAY,
  MAX_SHOWN_A_YEAR,
  MAX_THAWS,
  placeFreeze,
} from '../src/commands/keep-file-entries';
import { verifyRecord } from '../src/queries/verify-record';
import {
  institution,
  keyed,
  newAccount,
  newSubject,
  payment,
  personOf,
  type Reporting,
  refusal,
  useHarness,
} from './harness';

const harness = useHarness();
const DAY_MS = 86_400_000;
afterEach(() => {
  harness.clock.offset_ms = 0;
});

async function newPerson(): Promise<{ subject_id: string; person: CallContext }> {
  const { id: subject_id } = await newSubject(harness.reporting, institution());
  return { subject_id, person: personOf(subject_id) };
}

interface Look {
  readonly subject_id: string;
  readonly inquiry_id?: string;
  readonly purpose?: Purpose;
}

function look(ctx: CallContext, wanted: Look, on: Reporting = harness.reporting) {
  return on.recordInquiry(ctx, {
    inquiry_id: wanted.inquiry_id ?? newId(),
    subject_id: wanted.subject_id,
    purpose: wanted.purpose ?? 'NEW_CREDIT_APPLICATION',
  });
}

const FROZEN = { code: 'INSUFFICIENT_SCOPE', reason: 'FILE_FROZEN' };
const at = (later_ms: number) => new Date(harness.clock.now_ms() + later_ms).toISOString();
const fileAt = (subject_id: string, moment: string) =>
  harness.reporting.getSubjectFileAt(institution(), {
    subject_id,
    as_of: moment,
    known_at: moment,
  });

describe('a freeze', () => {
  test('refuses new business from its answer on, and lets through what serves accounts that there are', async () => {
    const lender = institution();
    const { subject_id } = await newAccount(harness.reporting, lender);
    const stranger = institution();
    await look(stranger, { subject_id });
    await harness.asked(subject_id, lender);
    const { rights } = await harness.reporting.placeFreeze(personOf(subject_id), {});
    expect(rights?.frozen_since).toBeDefined();
    const refusedTo = async (ctx: CallContext, purposes: readonly Purpose[]) => {
      for (const purpose of purposes) {
        expect([purpose, await refusal(look(ctx, { subject_id, purpose }))]).toEqual([
          purpose,
          expect.objectContaining(FROZEN),
        ]);
      }
    };
    const NEW = [
      'NEW_CREDIT_APPLICATION',
      'REFINANCING',
      'GUARANTOR_ASSESSMENT',
      'PREQUALIFICATION',
      'COUNTERPARTY_CHECK',
    ] as const;
    await refusedTo(stranger, [...NEW, 'CREDIT_LIMIT_INCREASE']);
    // Whoever has lent before is as much a stranger to a new loan.
    await refusedTo(lender, NEW);
    for (const purpose of [
      'CREDIT_LIMIT_INCREASE',
      'ACCOUNT_REVIEW',
      'COLLECTION',
      'IDENTITY_VERIFICATION',
      'FRAUD_PREVENTION',
      'SUBJECT_REQUEST',
    ] as const) {
      await look(lender, { subject_id, purpose });
    }
    await look(stranger, { subject_id, purpose: 'FRAUD_PREVENTION' });
    expect(await refusal(look(stranger, { subject_id, purpose: 'ACCOUNT_REVIEW' }))).toMatchObject({
      reason: 'NEEDS_OWN_ACCOUNT',
    });
    await harness.reporting.liftFreeze(personOf(subject_id), {});
    await look(stranger, { subject_id });
  });

  test('leaves the refusal on record, which stays what it is and has no effect', async () => {
    const { subject_id, person } = await newPerson();
    const lender = institution();
    await harness.reporting.placeFreeze(person, {});
    const before = await harness.reporting.getSubjectFile(lender, { subject_id });
    const inquiry_id = newId();
    const refused = await Promise.all(
      Array.from({ length: 4 }, () => refusal(look(lender, { subject_id, inquiry_id }))),
    );
    for (const one of refused) expect(one).toMatchObject(FROZEN);
    expect(await harness.reporting.getSubjectFile(lender, { subject_id })).toEqual(before);
    const record = {
      id: inquiry_id,
      subject_id,
      institution_id: lender.institution_id,
      purpose: 'NEW_CREDIT_APPLICATION',
      inquiry_type: 'HARD',
      refusal: 'FILE_FROZEN',
      duplicate_of: undefined,
    };
    // The person and the institution see it, nobody else does.
    const { refused_inquiries } = await harness.reporting.getFileRights(person, {});
    expect(refused_inquiries).toEqual([expect.objectContaining(record)]);
    for (const wanted of [{}, { subject_id }, { purpose: 'NEW_CREDIT_APPLICATION' as const }]) {
      const { inquiries } = await harness.reporting.listInquiries(lender, { limit: 0, ...wanted });
      expect(inquiries).toEqual([expect.objectContaining(record)]);
    }
    expect(
      (await harness.reporting.listInquiries(institution(), { limit: 0, subject_id })).inquiries,
    ).toEqual([]);
    const { inquiry } = await harness.reporting.getInquiry(lender, { inquiry_id });
    expect(inquiry).toMatchObject(record);
    const told = (await harness.outbox()).flatMap(({ payload }) => {
      const isOurs =
        payload?.$case === 'audit_recorded' &&
        payload.value.institution_id === lender.institution_id;
      if (payload?.$case === 'inquiry_recorded' && payload.value.subject_id === subject_id) {
        return ['inquiry_recorded'];
      }
      return isOurs ? [payload.value.action] : [];
    });
    expect(told).toEqual(['inquiry.refused']);
    // With the freeze gone it is refused all the same; under another id it is a first look.
    await harness.reporting.liftFreeze(person, {});
    expect(await refusal(look(lender, { subject_id, inquiry_id }))).toMatchObject(FROZEN);
    expect(
      await refusal(look(lender, { subject_id, inquiry_id, purpose: 'REFINANCING' })),
    ).toMatchObject({ reason: 'ID_REUSED' });
    expect(await refusal(look(institution(), { subject_id, inquiry_id }))).toMatchObject({
      reason: 'ID_REUSED',
    });
    const { inquiry: first } = await look(lender, { subject_id });
    expect(first).toMatchObject({ duplicate_of: undefined, refusal: undefined });
    const { inquiries } = await harness.reporting.listInquiries(lender, { limit: 1, subject_id });
    expect(inquiries.map(({ id }) => id)).toEqual([first?.id]);
  });

  test('gives no right to follow: neither a refused look nor an earlier one, but an own account', async () => {
    const lender = institution();
    const { subject_id } = await newAccount(harness.reporting, lender);
    const looker = institution();
    await look(looker, { subject_id });
    await harness.reporting.followSubject(looker, { subject_id });
    await harness.reporting.placeFreeze(personOf(subject_id), {});
    await harness.reporting.followSubject(lender, { subject_id });
    const owed = { code: 'VALIDATION_ERROR', paths: ['purpose'] };
    expect(await refusal(harness.reporting.followSubject(looker, { subject_id }))).toMatchObject(
      owed,
    );
    const turned_away = institution();
    expect(await refusal(look(turned_away, { subject_id }))).toMatchObject(FROZEN);
    await harness.reporting.liftFreeze(personOf(subject_id), {});
    await harness.reporting.followSubject(looker, { subject_id });
    expect(
      await refusal(harness.reporting.followSubject(turned_away, { subject_id })),
    ).toMatchObject(owed);
  });

  test('does not bring a refused applicant to hear of defaults', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const { subject_id } = account;
    const applicant = institution();
    await harness.reporting.placeFreeze(personOf(subject_id), {});
    expect(await refusal(look(applicant, { subject_id }))).toMatchObject(FROZEN);
    await harness.report(
      lender,
      payment(account, 30, {
        event_type: 'DEFAULT_REPORTED' as EventType,
        amount_minor: undefined,
      }),
    );
    const [notice] = await harness.noticesTold(subject_id);
    expect(notice?.value.receiver_institution_ids).not.toContain(applicant.institution_id);
  });

  test('placed twice, or under one key, is placed once', async () => {
    const { subject_id, person } = await newPerson();
    const key = randomUUID();
    const [first, second] = await Promise.all([
      harness.reporting.placeFreeze(keyed(person, key), {}),
      harness.reporting.placeFreeze(keyed(person, key), {}),
    ]);
    expect(second).toEqual(first);
    expect(await harness.reporting.placeFreeze(person, {})).toEqual(first);
    // Another person with the same key is another caller.
    const other = await newPerson();
    await harness.reporting.placeFreeze(keyed(other.person, key), {});
    expect(
      (await harness.reporting.getFileRights(other.person, {})).rights?.frozen_since,
    ).toBeDefined();
    const rows = await harness.rows('live', 'SELECT 1 FROM file_entries WHERE subject_id = $1', [
      subject_id,
    ]);
    expect(rows).toHaveLength(1);
    await harness.reporting.liftFreeze(person, {});
    expect(await harness.reporting.liftFreeze(person, {})).toEqual({
      rights: { frozen_since: undefined, thaws: [], alerts: [], statements: [] },
    });
  });

  test('that is being placed is waited for, and what it leaves is seen', async () => {
    const { subject_id, person } = await newPerson();
    const gate = Promise.withResolvers<void>();
    const placed = Promise.withResolvers<void>();
    const freezing = harness.db.transaction(person, async (tx) => {
      await placeFreeze(tx, { clock: harness.clock, newId }, person, subject_id);
      placed.resolve();
      await gate.promise;
    });
    await placed.promise;
    const looking = refusal(look(institution(), { subject_id }));
    await waitForLock();
    gate.resolve();
    await freezing;
    expect(await looking).toMatchObject(FROZEN);
  });

  test('holds on every replica: no look that begins after its answer is let through', async () => {
    const replica = await harness.replica();
    const doors = [harness.reporting, replica.reporting];
    const lenders = Array.from({ length: 4 }, () => institution());
    try {
      const races = Array.from({ length: 6 }, async () => {
        const { subject_id, person } = await newPerson();
        const looks: { began: number; ended: number; seen: boolean }[] = [];
        let over = false;
        const lookers = lenders.map(async (lender, index) => {
          for (let round = 0; !over && round < 200; round += 1) {
            const began = performance.now();
            const door = doors[(index + round) % doors.length] as Reporting;
            const seen = await look(lender, { subject_id }, door).then(
              () => true,
              (error: unknown) => {
                expect(error).toMatchObject({ reason: 'FILE_FROZEN' });
                return false;
              },
            );
            looks.push({ began, ended: performance.now(), seen });
          }
        });
        const spans: { from: number; until: number }[] = [];
        for (let round = 0; round < 8; round += 1) {
          await Promise.all(doors.map((door) => door.placeFreeze(person, {})));
          const from = performance.now();
          // Some looks begin and end meanwhile.
          for (let pause = 0; pause < 3; pause += 1) {
            await look(lenders[0] as CallContext, { subject_id, purpose: 'FRAUD_PREVENTION' });
          }
          const until = performance.now();
          spans.push({ from, until });
          await (doors[round % doors.length] as Reporting).liftFreeze(person, {});
        }
        await harness.reporting.placeFreeze(person, {});
        const frozen_from = performance.now();
        await Promise.all(
          lenders.map((lender) => refusal(look(lender, { subject_id }, replica.reporting))),
        );
        over = true;
        await Promise.all(lookers);
        const within = looks.filter(
          ({ began, ended }) =>
            began >= frozen_from ||
            spans.some(({ from, until }) => began >= from && ended <= until),
        );
        expect(within.filter(({ seen }) => seen)).toEqual([]);
        const [kept] = await harness.rows<{ seen: number; refused: number }>(
          'live',
          `SELECT (SELECT count(*)::integer FROM inquiries WHERE subject_id = $1
                     AND purpose = 'NEW_CREDIT_APPLICATION') AS seen,
             (SELECT count(*)::integer FROM refused_inquiries WHERE subject_id = $1) AS refused`,
          [subject_id],
        );
        expect(kept).toEqual({
          seen: looks.filter(({ seen }) => seen).length,
          refused: looks.filter(({ seen }) => !seen).length + lenders.length,
        });
        return within.length;
      });
      const raced = await Promise.all(races);
      expect(Math.max(...raced)).toBeGreaterThan(0);
    } finally {
      await replica.stop();
    }
  }, 60_000);
});

/** Until somebody waits for a row of the heads. */
async function waitForLock(): Promise<void> {
  for (let tried = 0; tried < 500; tried += 1) {
    const waiting = await harness.rows(
      'live',
      `SELECT 1 FROM pg_stat_activity
       WHERE wait_event_type = 'Lock' AND datname = current_database() AND query ~ 'subject_heads'`,
    );
    if (waiting.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('Nobody waits.');
}

describe('a thaw', () => {
  test('opens a frozen file to one institution until it is withdrawn', async () => {
    const { subject_id, person } = await newPerson();
    const [lender, bank] = [institution(), institution()];
    await harness.reporting.placeFreeze(person, {});
    const { thaw } = await harness.reporting.placeThaw(person, {
      institution_id: lender.institution_id,
    });
    await look(lender, { subject_id });
    expect(await refusal(look(bank, { subject_id }))).toMatchObject(FROZEN);
    // Placed again as it stands it is the same one.
    expect(
      await harness.reporting.placeThaw(person, { institution_id: lender.institution_id }),
    ).toEqual({ thaw });
    harness.clock.offset_ms = 400 * DAY_MS;
    await look(lender, { subject_id });
    await harness.reporting.withdrawThaw(person, { thaw_id: thaw?.id ?? '' });
    expect(await refusal(look(lender, { subject_id }))).toMatchObject(FROZEN);
    expect(
      await refusal(harness.reporting.withdrawThaw(person, { thaw_id: thaw?.id ?? '' })),
    ).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('for a time opens it to everybody then, and ends by itself', async () => {
    const { subject_id, person } = await newPerson();
    const lender = institution();
    await harness.reporting.placeFreeze(person, {});
    await harness.reporting.placeThaw(person, { starts_at: at(DAY_MS), ends_at: at(3 * DAY_MS) });
    const outcomes = [];
    for (const days of [0.5, 1.5, 2.5, 3.5]) {
      harness.clock.offset_ms = days * DAY_MS;
      outcomes.push(
        await look(lender, { subject_id }).then(
          () => 'seen',
          () => 'refused',
        ),
      );
    }
    expect(outcomes).toEqual(['refused', 'seen', 'seen', 'refused']);
    expect((await harness.reporting.getFileRights(person, {})).rights?.thaws).toEqual([]);
  });

  test('ends with its freeze, and none is left for the next', async () => {
    const { subject_id, person } = await newPerson();
    const lender = institution();
    await harness.reporting.placeFreeze(person, {});
    await harness.reporting.placeThaw(person, { institution_id: lender.institution_id });
    await harness.reporting.liftFreeze(person, {});
    await harness.reporting.placeFreeze(person, {});
    expect(await refusal(look(lender, { subject_id }))).toMatchObject(FROZEN);
  });

  test('that makes no sense names the field', async () => {
    const { person } = await newPerson();
    const institution_id = randomUUID();
    expect(await refusal(harness.reporting.placeThaw(person, { institution_id }))).toMatchObject({
      reason: 'NOT_FROZEN',
    });
    await harness.reporting.placeFreeze(person, {});
    for (const [wanted, path] of [
      [{}, 'ends_at'],
      [{ starts_at: at(DAY_MS) }, 'ends_at'],
      [{ institution_id: 'x' }, 'institution_id'],
      [{ starts_at: at(-DAY_MS), ends_at: at(DAY_MS) }, 'starts_at'],
      [{ starts_at: at(366 * DAY_MS), ends_at: at(367 * DAY_MS) }, 'starts_at'],
      [{ ends_at: at(-1_000) }, 'ends_at'],
      [{ starts_at: at(2 * DAY_MS), ends_at: at(DAY_MS) }, 'ends_at'],
      [{ ends_at: at(367 * DAY_MS) }, 'ends_at'],
    ] as const) {
      expect([wanted, await refusal(harness.reporting.placeThaw(person, wanted))]).toEqual([
        wanted,
        expect.objectContaining({ code: 'VALIDATION_ERROR', paths: [path] }),
      ]);
    }
    // A clock that is a little behind means now.
    const { thaw } = await harness.reporting.placeThaw(person, {
      starts_at: at(-60_000),
      ends_at: at(DAY_MS),
    });
    expect(Date.parse(thaw?.starts_at ?? '')).toBeGreaterThan(harness.clock.now_ms() - 30_000);
    for (let count = 1; count < MAX_THAWS; count += 1) {
      await harness.reporting.placeThaw(person, { institution_id: randomUUID() });
    }
    expect(await refusal(harness.reporting.placeThaw(person, { institution_id }))).toMatchObject({
      reason: 'LIMIT_REACHED',
    });
  });
});

describe('an alert', () => {
  test('is told with every look for a year, or until it is removed', async () => {
    const { subject_id, person } = await newPerson();
    const lender = institution();
    expect((await look(lender, { subject_id })).alerts).toEqual([]);
    const { alert } = await harness.reporting.placeAlert(person, { kind: 'FRAUD' });
    expect((await look(lender, { subject_id })).alerts).toEqual([alert]);
    harness.clock.offset_ms = 300 * DAY_MS;
    // Placed again it is one alert, for a year from then on.
    const { alert: renewed } = await harness.reporting.placeAlert(person, { kind: 'FRAUD' });
    harness.clock.offset_ms = 500 * DAY_MS;
    expect((await look(lender, { subject_id })).alerts).toEqual([renewed]);
    harness.clock.offset_ms = 670 * DAY_MS;
    expect((await look(lender, { subject_id })).alerts).toEqual([]);
    const { alert: last } = await harness.reporting.placeAlert(person, { kind: 'FRAUD' });
    await harness.reporting.removeAlert(person, { alert_id: last?.id ?? '' });
    expect((await look(lender, { subject_id })).alerts).toEqual([]);
    expect(
      await refusal(harness.reporting.removeAlert(person, { alert_id: last?.id ?? '' })),
    ).toMatchObject({ code: 'NOT_FOUND' });
    expect(
      await refusal(harness.reporting.placeAlert(person, { kind: 'UNSPECIFIED' })),
    ).toMatchObject({ paths: ['kind'] });
  });
});

describe('a statement', () => {
  test('of an account or event of the own file is told with every look, as it was last set', async () => {
    const lender = institution();
    const account = await newAccount(harness.reporting, lender);
    const { subject_id } = account;
    const person = personOf(subject_id);
    const late = await harness.report(
      lender,
      payment(account, 30, { event_type: 'PAYMENT_LATE' as EventType }),
    );
    await harness.reporting.setStatement(person, { record_id: account.id, text: 'Not mine.' });
    const { statement } = await harness.reporting.setStatement(person, {
      record_id: late.id.toUpperCase(),
      text: 'The bank was closed.',
    });
    expect(statement).toMatchObject({
      record_kind: 'EVENT',
      record_id: late.id,
      account_id: account.id,
      institution_id: lender.institution_id,
      occurred_at: late.occurred_at,
      text: 'The bank was closed.',
    });
    const { statement: changed } = await harness.reporting.setStatement(person, {
      record_id: account.id,
      text: 'Not mine, never was.',
    });
    expect(changed).toMatchObject({ record_kind: 'ACCOUNT', occurred_at: undefined });
    expect((await look(institution(), { subject_id })).statements).toEqual([changed, statement]);
    await harness.reporting.removeStatement(person, { record_id: account.id });
    expect((await look(institution(), { subject_id })).statements).toEqual([statement]);
    expect(
      await refusal(harness.reporting.removeStatement(person, { record_id: account.id })),
    ).toMatchObject({ code: 'NOT_FOUND' });
    // Nothing of the words is in the log.
    const audits = (await harness.outbox()).flatMap(({ payload }) =>
      payload?.$case === 'audit_recorded' && payload.value.actor_id === subject_id
        ? [payload.value]
        : [],
    );
    expect(audits.map(({ action }) => action)).toEqual([
      'file.statement_set',
      'file.statement_set',
      'file.statement_set',
      'file.statement_removed',
    ]);
    expect(JSON.stringify(audits)).not.toMatch(/mine|bank/);
    expect(audits[0]).toMatchObject({ actor_type: 'person', target_id: subject_id });
  });

  test('is of the own file alone, and within its bounds', async () => {
    const { person } = await newPerson();
    const other = await newAccount(harness.reporting, institution());
    for (const record_id of [other.id, randomUUID()]) {
      expect(
        await refusal(harness.reporting.setStatement(person, { record_id, text: 'Mine.' })),
      ).toMatchObject({ code: 'NOT_FOUND' });
    }
    for (const text of ['', ' ', 'x'.repeat(601), 'nul\u0000']) {
      expect(
        await refusal(harness.reporting.setStatement(person, { record_id: other.id, text })),
      ).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['text'] });
    }
    expect(
      await refusal(harness.reporting.setStatement(person, { record_id: 'x', text: 'Mine.' })),
    ).toMatchObject({ paths: ['record_id'] });
  });
});

test('what a person puts on its file is the person’s alone', async () => {
  const { subject_id } = await newPerson();
  const { reporting } = harness;
  for (const ctx of [
    institution(),
    systemContext('live'),
    institution(randomUUID(), { actor: { type: 'user', id: subject_id } }),
  ]) {
    for (const call of [
      reporting.getFileRights(ctx, {}),
      reporting.placeFreeze(ctx, {}),
      reporting.liftFreeze(ctx, {}),
      reporting.placeThaw(ctx, { ends_at: at(DAY_MS) }),
      reporting.withdrawThaw(ctx, { thaw_id: randomUUID() }),
      reporting.placeAlert(ctx, { kind: 'FRAUD' }),
      reporting.removeAlert(ctx, { alert_id: randomUUID() }),
      reporting.setStatement(ctx, { record_id: randomUUID(), text: 'Mine.' }),
      reporting.removeStatement(ctx, { record_id: randomUUID() }),
    ]) {
      expect(await refusal(call)).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    }
  }
  const unknown = personOf(randomUUID());
  expect(await refusal(reporting.placeFreeze(unknown, {}))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await refusal(reporting.getFileRights(unknown, {}))).toMatchObject({ code: 'NOT_FOUND' });
});

test('a past file shows what stood then, and never a freeze', async () => {
  const lender = institution();
  const account = await newAccount(harness.reporting, lender);
  const { subject_id } = account;
  const person = personOf(subject_id);
  const begin_ms = harness.clock.now_ms();
  const onDay = async (day: number, act: () => Promise<unknown>) => {
    harness.clock.offset_ms = begin_ms + day * DAY_MS - Date.now();
    await act();
  };
  const say = (text: string) =>
    harness.reporting.setStatement(person, { record_id: account.id, text });
  await onDay(1, () => say('First.'));
  await onDay(2, () => harness.reporting.placeAlert(person, { kind: 'FRAUD' }));
  await onDay(3, () => harness.reporting.placeFreeze(person, {}));
  await onDay(4, () => say('Second.'));
  await onDay(5, () => harness.reporting.removeStatement(person, { record_id: account.id }));
  await onDay(400, async () => {
    const shown = [];
    for (const day of [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 366, 368]) {
      const file = await fileAt(subject_id, new Date(begin_ms + day * DAY_MS).toISOString());
      shown.push([file.alerts.length, ...file.statements.map(({ text }) => text)]);
      expect(JSON.stringify(Object.keys(file))).not.toMatch(/fr[eo]ez|thaw|frozen/);
    }
    expect(shown).toEqual([
      [0],
      [0, 'First.'],
      [1, 'First.'],
      [1, 'First.'],
      [1, 'Second.'],
      [1],
      [1],
      [0],
    ]);
  });
});

test('the entries alone give what is kept of every file', async () => {
  const found = await verifyRecord(harness.db, 'live');
  expect(found).toMatchObject({ mismatches: 0 });
  expect(found.files).toBeGreaterThan(5);
});

test('a file is changed so many times a day, and a freeze is placed all the same', async () => {
  const { person } = await newPerson();
  for (let count = 0; count < MAX_ENTRIES_A_DAY; count += 1) {
    await harness.reporting.placeAlert(person, { kind: 'FRAUD' });
  }
  const refused = harness.reporting.placeAlert(person, { kind: 'FRAUD' });
  expect(await refusal(refused)).toMatchObject({ reason: 'FILE_CHANGES' });
  await harness.reporting.placeFreeze(person, {});
  expect(await refusal(harness.reporting.liftFreeze(person, {}))).toMatchObject({
    reason: 'FILE_CHANGES',
  });
  harness.clock.offset_ms = DAY_MS + 60_000;
  await harness.reporting.liftFreeze(person, {});
  let placed = MAX_ENTRIES_A_DAY;
  for (let day = 2; placed < MAX_SHOWN_A_YEAR; day += 1) {
    harness.clock.offset_ms = day * (DAY_MS + 60_000);
    for (let count = 0; count < MAX_ENTRIES_A_DAY && placed < MAX_SHOWN_A_YEAR; count += 1) {
      await harness.reporting.placeAlert(person, { kind: 'FRAUD' });
      placed += 1;
    }
  }
  harness.clock.offset_ms = 20 * DAY_MS;
  expect(await refusal(harness.reporting.placeAlert(person, { kind: 'FRAUD' }))).toMatchObject({
    reason: 'LIMIT_REACHED',
  });
  harness.clock.offset_ms = 370 * DAY_MS;
  await harness.reporting.placeAlert(person, { kind: 'FRAUD' });
}, 60_000);
