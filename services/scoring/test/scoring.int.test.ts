import { type Relay, startConsumers, startRelay } from '@credit/platform/bus';
import { type Environment, systemContext } from '@credit/platform/context';
import { encodeCursor, statement } from '@credit/platform/db';
import { isAppError } from '@credit/platform/errors';
import { newId } from '@credit/platform/runtime';
import type { Event } from '@credit/proto/events/v1/events';
import { type AccountProjection, Purpose } from '@credit/proto/reporting/v1/types';
import { testBus, testLogger } from '@credit/testing';
import { listSnapshots } from '../src/store/snapshots';
import { scoringSweeper } from '../src/workers/sweeper';
import { DAY_MS, daysAgo, monthsAgo, NOW_MS } from './support/reporting';
import { call, startScoring, type TestScoring } from './support/scoring';

let scoring: TestScoring;
let reporting: TestScoring['reporting']['live'];

beforeAll(async () => {
  scoring = await startScoring();
  reporting = scoring.reporting.live;
});

afterAll(() => scoring.stop());

beforeEach(() => {
  scoring.clock.at_ms = NOW_MS;
  reporting.looks.length = 0;
  reporting.beforeAnswer = undefined;
});

const late: Partial<AccountProjection> = {
  underlying_status: 'PAST_DUE',
  late_months: [monthsAgo(0)],
  episodes: [{ started_at: daysAgo(3), past_due_since: daysAgo(3) }],
};

/** A subject with two accounts, the second one in trouble, and the events that made it. */
function troubledSubject(): { subject_id: string; events: Event[] } {
  const subject_id = reporting.subject();
  const account_id = newId();
  return {
    subject_id,
    events: [
      reporting.account(subject_id),
      reporting.account(subject_id, { account_id, account_type: 'CREDIT_CARD' }),
      reporting.account(subject_id, { account_id, ...late }),
    ],
  };
}

describe('a profile', () => {
  test('shows every event that was taken in, in one round trip and without asking reporting', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    const profile = await scoring.profile(subject_id);
    expect(profile.subject_version).toBe(3);
    expect(profile.credit).toMatchObject({
      score_range: { min: 300, max: 850 },
      model_version: 'svc-score-1.1.0',
      calculated_at: new Date(NOW_MS).toISOString(),
    });
    expect(profile.credit?.factors.map(({ name }) => name)).toEqual([
      'DEROGATORY',
      'ON_TIME',
      'UTILISATION',
      'LENGTH',
      'MIX',
      'NEW_CREDIT',
    ]);
    expect(profile.risk).toMatchObject({
      worst_current_status: 'PAST_DUE',
      max_days_past_due: 3,
      bucket: 'EARLY',
    });
    expect(profile.history?.accounts_by_status).toEqual([
      { status: 'PAST_DUE', count: 1 },
      { status: 'CURRENT', count: 1 },
    ]);
    expect(profile.history?.totals).toEqual([
      { currency: 'DCR', balance_minor: 800_000n, limit_minor: 1_000_000n },
    ]);
    expect(profile.reason_codes.map(({ code }) => code)).toContain('PH05');
    expect(reporting.looks).toEqual([]);
  });

  test('of a subject without accounts is not rated', async () => {
    const subject_id = reporting.subject();
    const profile = await scoring.profile(subject_id);
    expect(profile.credit).toMatchObject({ band: 'NOT_RATED', confidence: 'LOW', factors: [] });
    expect(profile.credit?.score).toBeUndefined();
    expect(profile.credit?.grade).toBeUndefined();
    expect(profile.reason_codes).toMatchObject([{ code: 'NF01' }]);
    expect(profile.history?.payment_grid).toBe('-'.repeat(24));
    expect(await scoring.snapshots(subject_id)).toEqual([]);
  });

  test('leaves the inquiry out that it is read for, whether it has arrived or not', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    const before = await scoring.profile(subject_id);
    const inquiry_id = newId();
    const recorded = reporting.inquiry(subject_id, { inquiry_id });

    const not_arrived = await scoring.profile(subject_id, 3, { inquiry_id });
    await scoring.take(recorded);
    const arrived = await scoring.profile(subject_id, 3, { inquiry_id });
    const [caught_up, later] = [
      await scoring.profile(subject_id, 4, { inquiry_id }),
      await scoring.profile(subject_id, 4),
    ];

    for (const profile of [not_arrived, arrived, caught_up]) {
      expect(profile.credit?.score).toBe(before.credit?.score);
      expect(profile.history?.hard_inquiries_12m).toBe(0);
    }
    expect(later.credit?.score).toBeLessThan(before.credit?.score ?? 0);
    expect(later.history?.hard_inquiries_12m).toBe(1);
    const snapshots = await scoring.snapshots(subject_id);
    expect(snapshots.map(({ trigger }) => trigger?.type)).not.toContain('AGEING');
    expect(snapshots[0]?.trigger).toEqual({ type: 'INQUIRY', id: inquiry_id });
  });

  test('refuses an id that is none', async () => {
    await expect(scoring.profile('nonsense', 0)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'subject_id' }],
    });
    const subject_id = reporting.subject();
    await expect(scoring.profile(subject_id, 0, { inquiry_id: 'nonsense' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'inquiry_id' }],
    });
  });

  test('records the look and says whose profile it is', async () => {
    const subject_id = reporting.subject('ORGANISATION');
    const inquiry_id = newId();
    const look = {
      subject_id,
      inquiry_id,
      purpose: 'ACCOUNT_REVIEW',
      inquiry_type: 'HARD',
    } as const;
    const { subject, risk } = await scoring.stub.getProfile(call(), look);
    expect(subject).toEqual(reporting.subjectMessage(subject_id));
    expect(risk?.open_dispute_count).toBe(0);
    expect(reporting.inquired.filter((one) => one.subject_id === subject_id)).toEqual([look]);
  });

  test('records nothing of what it refuses', async () => {
    const subject_id = reporting.subject();
    const moment = daysAgo(1);
    const look = { subject_id, inquiry_id: newId(), purpose: 'ACCOUNT_REVIEW' } as const;
    const ask = (more: object) => scoring.stub.getProfile(call(), { ...look, ...more });
    const refused = { code: 'VALIDATION_ERROR', details: [{ path: 'model_version' }] };
    const model_version = 'svc-score-0.9.0';
    await expect(ask({ model_version })).rejects.toMatchObject(refused);
    await expect(ask({ model_version, as_of: moment, known_at: moment })).rejects.toMatchObject(
      refused,
    );
    await expect(ask({ as_of: moment })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(reporting.inquired.filter((one) => one.subject_id === subject_id)).toEqual([]);
  });
});

describe('events', () => {
  test('in any order, twice and in any batches give the same file and score', async () => {
    const subject_id = reporting.subject();
    const account_id = newId();
    const events = [
      reporting.account(subject_id, { account_id }),
      reporting.inquiry(subject_id),
      reporting.account(subject_id, { account_id, balance_minor: 350_000n }),
      reporting.account(subject_id),
      reporting.inquiry(subject_id, {
        purpose: 'ACCOUNT_REVIEW',
        inquiry_type: 'SOFT',
      }),
      reporting.account(subject_id, {
        account_id,
        balance_minor: 300_000n,
        ...late,
      }),
    ];
    const orders = [
      [0, 1, 2, 3, 4, 5],
      [5, 4, 3, 2, 1, 0],
      [2, 2, 5, 0, 0, 1, 3, 4, 5, 1],
      [3, 1, 4, 0, 5, 2],
    ];
    const expected = await scoring.profile(subject_id);
    await scoring.caughtUp();
    for (const order of orders) {
      await wipe(subject_id);
      await scoring.take(...order.map((index) => pick(events, index)));
      reporting.looks.length = 0;
      expect(await scoring.projection(subject_id)).toEqual({
        complete_version: 6,
        early_versions: [],
        accounts: 2,
        inquiries: 2,
      });
      expect(await scoring.profile(subject_id)).toEqual(expected);
      expect(reporting.looks).toEqual([]);
    }
  });

  test('that come again change nothing', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    const before = [await scoring.projection(subject_id), await scoring.snapshots(subject_id)];
    await scoring.take(...events, ...events.toReversed());
    expect([await scoring.projection(subject_id), await scoring.snapshots(subject_id)]).toEqual(
      before,
    );
  });

  test('of many subjects in one batch stay with their subjects', async () => {
    const subjects = Array.from({ length: 20 }, () => troubledSubject());
    await scoring.take(
      ...[0, 1, 2].flatMap((step) => subjects.map(({ events }) => pick(events, step))),
    );
    for (const { subject_id } of subjects) {
      expect(await scoring.projection(subject_id)).toMatchObject({
        complete_version: 3,
        accounts: 2,
      });
      expect((await scoring.snapshots(subject_id)).map(({ sequence }) => sequence)).toEqual([
        3, 2, 1,
      ]);
    }
    expect(reporting.looks).toEqual([]);
  });

  test('from two consumers at once lose nothing', async () => {
    const subjects = Array.from({ length: 8 }, () => {
      const subject_id = reporting.subject();
      const accounts: Event[] = [];
      const inquiries: Event[] = [];
      for (let round = 0; round < 5; round += 1) {
        accounts.push(reporting.account(subject_id));
        inquiries.push(reporting.inquiry(subject_id));
      }
      return { subject_id, accounts, inquiries };
    });
    await Promise.all([
      ...subjects.map(({ accounts }) => scoring.take(...accounts)),
      ...subjects.map(({ inquiries }) => scoring.take(...inquiries)),
    ]);
    for (const { subject_id } of subjects) {
      expect(await scoring.projection(subject_id)).toEqual({
        complete_version: 10,
        early_versions: [],
        accounts: 5,
        inquiries: 5,
      });
    }
  });
});

describe('a gap', () => {
  test('never shows in a read: reporting is asked, and the projection mended', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(pick(events, 0), pick(events, 2));
    expect(await scoring.projection(subject_id)).toMatchObject({
      complete_version: 1,
      early_versions: [3],
    });

    const profile = await scoring.profile(subject_id);
    expect(profile.subject_version).toBe(3);
    expect(profile.history?.late_24m).toBe(1);
    expect(reporting.looks).toHaveLength(1);

    await scoring.caughtUp();
    expect(await scoring.projection(subject_id)).toEqual({
      complete_version: 3,
      early_versions: [],
      accounts: 2,
      inquiries: 0,
    });
    reporting.looks.length = 0;
    expect(await scoring.profile(subject_id)).toEqual(profile);
    expect(reporting.looks).toEqual([]);

    // The missing event arrives after all.
    const before = await scoring.snapshots(subject_id);
    await scoring.take(pick(events, 1));
    expect(await scoring.snapshots(subject_id)).toEqual(before);
    expect(await scoring.profile(subject_id)).toEqual(profile);
  });

  test('is mended without any read', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(pick(events, 2));
    expect(await scoring.snapshots(subject_id)).toEqual([]);
    await scoring.caughtUp();
    expect(await scoring.projection(subject_id)).toMatchObject({
      complete_version: 3,
      accounts: 2,
    });
    const [snapshot] = await scoring.snapshots(subject_id);
    // Traced back to the event that made this state, though its message never did.
    expect(snapshot).toMatchObject({
      sequence: 1,
      trigger: { type: 'EVENT', id: creditEventOf(pick(events, 2)) },
    });
  });

  test('is traced back to the look that came last, when one did', async () => {
    const { subject_id } = troubledSubject();
    const inquiry = reporting.inquiry(subject_id);
    await scoring.profile(subject_id);
    await scoring.caughtUp();
    const [snapshot] = await scoring.snapshots(subject_id);
    const { payload } = inquiry;
    const looked = payload?.$case === 'inquiry_recorded' ? payload.value.inquiry : undefined;
    expect(snapshot?.trigger).toEqual({
      type: 'INQUIRY',
      id: looked?.inquiry_id,
    });
  });

  test('that closes by itself asks no one', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(pick(events, 1), pick(events, 0), pick(events, 2));
    await scoring.caughtUp();
    expect(await scoring.projection(subject_id)).toMatchObject({ complete_version: 3 });
    expect(reporting.looks).toEqual([]);
  });

  test('makes one look for many readers, and a newer look for who needs more', async () => {
    const { subject_id } = troubledSubject();
    let release = (): void => {};
    reporting.beforeAnswer = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const early = Array.from({ length: 10 }, () => scoring.profile(subject_id));
    await until(() => reporting.looks.length === 1);
    // The look under way was answered before this change and cannot show it.
    reporting.account(subject_id);
    const eager = scoring.profile(subject_id);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(reporting.looks).toHaveLength(1);
    reporting.beforeAnswer = undefined;
    release();
    for (const profile of await Promise.all(early)) expect(profile.subject_version).toBe(3);
    expect((await eager).subject_version).toBe(4);
    expect(reporting.looks).toHaveLength(2);
  });

  test('that reporting itself cannot fill is an error and not an old profile', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    const error: unknown = await scoring.profile(subject_id, 9).catch((thrown) => thrown);
    expect(isAppError(error) && error.code).toBe('INTERNAL_ERROR');
    expect(isAppError(error) && error.retry_after_s).toBe(1);
    expect((await scoring.profile(subject_id)).subject_version).toBe(3);
  });
});

describe('snapshots', () => {
  test('are written when score or reasons change, and only then', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    await scoring.take(
      reporting.inquiry(subject_id, {
        purpose: 'ACCOUNT_REVIEW',
        inquiry_type: 'SOFT',
      }),
    );
    const snapshots = await scoring.snapshots(subject_id);
    expect(snapshots.map(({ sequence }) => sequence)).toEqual([3, 2, 1]);
    const [third, second, first] = snapshots;
    expect(first).toMatchObject({
      subject_id,
      model_version: 'svc-score-1.1.0',
      as_of: '2026-03-15T00:00:00.000Z',
      calculated_at: '2026-03-15T12:00:00.000Z',
      trigger: { type: 'EVENT', id: creditEventOf(pick(events, 0)) },
    });
    expect(first?.previous_score).toBeUndefined();
    expect(first?.delta).toBeUndefined();
    expect(second?.previous_score).toBe(first?.score);
    expect(third?.previous_score).toBe(second?.score);
    expect(third?.delta).toBe((third?.score ?? 0) - (second?.score ?? 0));
    expect(third?.input_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(snapshots.map(({ input_hash }) => input_hash)).size).toBe(3);

    const profile = await scoring.profile(subject_id);
    expect(third?.score).toBe(profile.credit?.score);
    expect(third?.grade).toBe(profile.credit?.grade);
    expect(third?.factors).toEqual(profile.credit?.factors);
    expect(third?.reason_codes).toEqual(profile.reason_codes);
  });

  test('do not blame a look that counts for nothing for what time has done', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    const before = await scoring.snapshots(subject_id);
    scoring.clock.at_ms = NOW_MS + 40 * DAY_MS;
    const soft = { inquiry_type: 'SOFT', purpose: 'ACCOUNT_REVIEW' } as const;
    await scoring.take(
      reporting.inquiry(subject_id, soft),
      reporting.inquiry(subject_id, { duplicate: true }),
    );
    expect(await scoring.snapshots(subject_id)).toEqual(before);
    expect(await scoring.projection(subject_id)).toMatchObject({
      complete_version: 5,
      accounts: 2,
      inquiries: 2,
    });
    await scoring.profile(subject_id);
    const [aged] = await scoring.snapshots(subject_id);
    expect(aged).toMatchObject({ sequence: 4, trigger: { type: 'AGEING' } });
  });

  test('come out of a gap that a look closes, with the event that waited behind it', async () => {
    const subject_id = reporting.subject();
    const opened = [reporting.account(subject_id), reporting.account(subject_id)];
    const soft = reporting.inquiry(subject_id, { inquiry_type: 'SOFT' });
    const adverse = reporting.account(subject_id, late);
    await scoring.take(...opened, adverse);
    const before = await scoring.snapshots(subject_id);
    await scoring.take(soft);
    const [latest, ...rest] = await scoring.snapshots(subject_id);
    expect(rest).toEqual(before);
    expect(latest?.score).toBe((await scoring.profile(subject_id)).credit?.score);
    expect(reporting.looks).toEqual([]);
  });

  test('come in pages, the newest first', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    const first = await scoring.stub.listSnapshots(call(), { subject_id, limit: 2 });
    expect(first.snapshots.map(({ sequence }) => sequence)).toEqual([3, 2]);
    const second = await scoring.stub.listSnapshots(call(), {
      subject_id,
      limit: 2,
      cursor: first.next_cursor,
    });
    expect(second.snapshots.map(({ sequence }) => sequence)).toEqual([1]);
    expect(second.next_cursor).toBeUndefined();
    const wrong = { subject_id, limit: 2, cursor: 'nonsense' };
    await expect(scoring.stub.listSnapshots(call(), wrong)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  test('of a subject without any are none, and of an unknown subject an error', async () => {
    expect(await scoring.snapshots(reporting.subject())).toEqual([]);
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    for (const [environment, unknown] of [
      ['live', newId()],
      ['test', subject_id],
    ] as const) {
      const listing = { subject_id: unknown, limit: 2 };
      await expect(scoring.stub.listSnapshots(call(environment), listing)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
    // Beyond the last page there is nothing, and the subject is there all the same.
    const [last] = (await scoring.snapshots(subject_id)).toReversed();
    const beyond = { subject_id, limit: 2, cursor: encodeCursor([String(last?.sequence)]) };
    expect((await scoring.stub.listSnapshots(call(), beyond)).snapshots).toEqual([]);
  });

  test('are shown to a stranger for a purpose only, which is then an inquiry', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    const stranger = call();
    reporting.strangers.add(stranger.institution_id);
    const listing = { subject_id, limit: 2 };
    const [, from] = await scoring.snapshots(subject_id);
    if (from === undefined) throw new Error('There are too few snapshots.');
    const comparing = { subject_id, snapshot_id: from.id };
    const recorded = reporting.inquired.length;
    for (const refused of [
      scoring.stub.listSnapshots(stranger, listing),
      scoring.stub.diffSnapshots(stranger, comparing),
      scoring.stub.diffSnapshots(stranger, { subject_id, snapshot_id: newId() }),
    ]) {
      await expect(refused).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ path: 'purpose' }],
      });
    }
    const look = () => ({ purpose: Purpose.PREQUALIFICATION, inquiry_id: newId() });
    const missing = { subject_id, snapshot_id: newId(), look: look() };
    await expect(scoring.stub.diffSnapshots(stranger, missing)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(reporting.inquired.length).toBe(recorded);
    const list = look();
    const shown = await scoring.stub.listSnapshots(stranger, { ...listing, look: list });
    expect(shown.snapshots.length).toBe(2);
    const compare = look();
    const diff = await scoring.stub.diffSnapshots(stranger, { ...comparing, look: compare });
    expect(diff.from?.id).toBe(from.id);
    expect(reporting.inquired.slice(recorded)).toMatchObject([
      { subject_id, ...list },
      { subject_id, ...compare },
    ]);
  });

  test('name the records of the caller and of nobody else', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    const [latest, before] = await scoring.snapshots(subject_id);
    if (latest?.trigger?.id === undefined || before === undefined) throw new Error('no trigger');
    reporting.foreign.add(latest.trigger.id);
    const [hidden, shown] = await scoring.snapshots(subject_id);
    expect(hidden).toEqual({ ...latest, trigger: { type: latest.trigger.type } });
    expect(shown).toEqual(before);
    const diff = await scoring.stub.diffSnapshots(call(), {
      subject_id,
      snapshot_id: before.id.toUpperCase(),
    });
    expect([diff.from, diff.to]).toEqual([before, hidden]);
  });

  test('tell when only time has changed the score, once', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    const [before] = await scoring.snapshots(subject_id);

    scoring.clock.at_ms = NOW_MS + 40 * DAY_MS;
    const readers = Array.from({ length: 8 }, () => scoring.profile(subject_id));
    const profiles = await Promise.all(readers);
    for (const profile of profiles) expect(profile.credit?.score).not.toBe(before?.score);

    const snapshots = await scoring.snapshots(subject_id);
    expect(snapshots.map(({ sequence }) => sequence)).toEqual([4, 3, 2, 1]);
    expect(snapshots[0]).toMatchObject({
      trigger: { type: 'AGEING' },
      score: profiles[0]?.credit?.score,
      previous_score: before?.score,
      as_of: '2026-04-24T00:00:00.000Z',
    });
    expect(snapshots[0]?.trigger?.id).toBeUndefined();

    // The next event goes on from there.
    await scoring.take(reporting.account(subject_id, { balance_minor: 900_000n }));
    const [next] = await scoring.snapshots(subject_id);
    expect(next).toMatchObject({ sequence: 5, previous_score: snapshots[0]?.score });
  });

  test('do not blame time for a change that is still on its way', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(pick(events, 0), pick(events, 2));
    await scoring.profile(subject_id, 1);
    await scoring.profile(subject_id, 3);
    expect((await scoring.snapshots(subject_id)).map(({ sequence }) => sequence)).toEqual([1]);
    await scoring.take(pick(events, 1));
    const snapshots = await scoring.snapshots(subject_id);
    expect(snapshots.map(({ trigger }) => trigger?.type)).toEqual(['EVENT', 'EVENT']);
  });
});

test('inquiries that count nowhere any more are swept, in both environments, and no score moves', async () => {
  const OLDEST_KEPT_DAYS = 731;
  const { subject_id, events } = troubledSubject();
  const looked = (days: number) =>
    reporting.inquiry(subject_id, { created_at: daysAgo(days), purpose: 'REFINANCING' });
  const old = [looked(OLDEST_KEPT_DAYS + 1), looked(900)];
  await scoring.take(...events, ...old, looked(OLDEST_KEPT_DAYS), looked(0));
  const of_test = { ...pick(old, 0), environment: 'test' };
  await scoring.take(of_test);
  const before = await scoring.profile(subject_id);

  const { db } = scoring.database;
  const clock = { now_ms: () => scoring.clock.at_ms };
  const sweeper = scoringSweeper({ db, logger: testLogger, clock, pause_ms: 1_000 });
  await sweeper.once();
  expect(await scoring.projection(subject_id)).toMatchObject({ inquiries: 2, accounts: 2 });
  expect(await scoring.projection(subject_id, 'test')).toMatchObject({ inquiries: 0 });
  expect(await scoring.profile(subject_id)).toEqual(before);
  // One that comes again is known by its version, and does not come back.
  await scoring.take(...old);
  expect(await scoring.projection(subject_id)).toMatchObject({ inquiries: 2 });
});

describe('a model that replaced another', () => {
  /** As the version before left a subject: its score, and rows without what it did not know. */
  async function leftBehind(subject_id: string, score: number, codes: string): Promise<void> {
    await inLive(
      `UPDATE subject_heads SET model_version = 'svc-score-1.0.0', score = $2, reason_codes = $3
       WHERE subject_id = $1`,
      [subject_id, score, codes],
    );
    await inLive(
      `UPDATE account_projections SET facts = (
         SELECT json_agg(part ORDER BY place)
         FROM json_array_elements(facts) WITH ORDINALITY AS parts (part, place) WHERE place <= 15)
       WHERE subject_id = $1`,
      [subject_id],
    );
  }

  const inLive = (text: string, values: unknown[]) =>
    scoring.database.db
      .read(systemContext('live'))
      .execute(statement(`test_${text.length}`, text), values);

  test('has its part told by itself before an event is taken in, and names itself', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    const [left] = await scoring.snapshots(subject_id);
    await leftBehind(subject_id, 400, 'PH01');
    await scoring.take(reporting.account(subject_id));
    const [event, model, ...before] = await scoring.snapshots(subject_id);
    expect(before[0]?.id).toBe(left?.id);
    expect(model).toMatchObject({
      trigger: { type: 'MODEL' },
      model_version: 'svc-score-1.1.0',
      score: left?.score,
      previous_score: 400,
    });
    expect(model?.trigger?.id).toBeUndefined();
    expect(event).toMatchObject({
      trigger: { type: 'EVENT' },
      previous_score: model?.score,
      score: (await scoring.profile(subject_id)).credit?.score,
    });
  });

  test('is told by a read, once, and then time is time again', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    await leftBehind(subject_id, 400, 'PH01');
    const { credit } = await scoring.profile(subject_id);
    await scoring.profile(subject_id);
    const [latest, ...before] = await scoring.snapshots(subject_id);
    expect(latest).toMatchObject({ trigger: { type: 'MODEL' }, score: credit?.score });
    expect(before).toHaveLength(3);
    scoring.clock.at_ms = NOW_MS + 40 * DAY_MS;
    await scoring.profile(subject_id);
    const [aged] = await scoring.snapshots(subject_id);
    expect(aged?.trigger?.type).toBe('AGEING');
  });

  test('leaves no snapshot where it says the same, and what time does later is ageing', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    const [left, ...rest] = await scoring.snapshots(subject_id);
    await leftBehind(
      subject_id,
      left?.score ?? 0,
      left?.reason_codes.map(({ code }) => code).join(' ') ?? '',
    );
    await scoring.profile(subject_id);
    expect(await scoring.snapshots(subject_id)).toEqual([left, ...rest]);
    scoring.clock.at_ms = NOW_MS + 40 * DAY_MS;
    await scoring.profile(subject_id);
    const [aged] = await scoring.snapshots(subject_id);
    expect(aged?.trigger?.type).toBe('AGEING');
  });

  test('can be compared with the one before it for a year', async () => {
    const subject_id = reporting.subject();
    const payment_count = 2;
    await scoring.take(
      reporting.account(subject_id),
      reporting.account(subject_id, { account_type: 'MORTGAGE', payment_count }),
    );
    const read = (model_version?: string) => scoring.profile(subject_id, 2, { model_version });
    const [now, before] = [await read(), await read('svc-score-1.0.0')];
    expect([now.credit?.model_version, now.risk?.caps_applied]).toEqual([
      'svc-score-1.1.0',
      ['THIN_FILE'],
    ]);
    expect([before.credit?.model_version, before.risk?.caps_applied]).toEqual([
      'svc-score-1.0.0',
      [],
    ]);
    expect(await read('svc-score-1.1.0')).toEqual(now);
    const refused = { code: 'VALIDATION_ERROR', details: [{ path: 'model_version' }] };
    await expect(read('svc-score-0.9.0')).rejects.toMatchObject(refused);
    scoring.clock.at_ms = Date.parse('2027-11-28T23:59:59Z');
    expect((await read('svc-score-1.0.0')).credit?.model_version).toBe('svc-score-1.0.0');
    scoring.clock.at_ms = Date.parse('2027-11-29T00:00:00Z');
    await expect(read('svc-score-1.0.0')).rejects.toMatchObject(refused);
  });
});

describe('what was voided', () => {
  test('an inquiry gives its points back, by whichever version it comes first', async () => {
    const subject_id = reporting.subject();
    const opened = [reporting.account(subject_id), reporting.account(subject_id)];
    await scoring.take(...opened);
    const [clean] = await scoring.snapshots(subject_id);
    const inquiry_id = newId();
    const looked = reporting.inquiry(subject_id, { inquiry_id });
    await scoring.take(looked);
    expect((await scoring.profile(subject_id)).history?.hard_inquiries_12m).toBe(1);
    await scoring.take(reporting.inquiry(subject_id, { inquiry_id, voided_at: daysAgo(0) }));
    const profile = await scoring.profile(subject_id);
    expect([profile.history?.hard_inquiries_12m, profile.credit?.score]).toEqual([0, clean?.score]);
    const [latest] = await scoring.snapshots(subject_id);
    expect(latest).toMatchObject({
      score: clean?.score,
      trigger: { type: 'INQUIRY', id: inquiry_id },
    });
    expect(await scoring.projection(subject_id)).toMatchObject({ inquiries: 1 });
    // Again, and out of order: once voided it stays so.
    const other = reporting.subject();
    await scoring.take(reporting.account(other));
    const again = newId();
    const first = reporting.inquiry(other, { inquiry_id: again });
    const second = reporting.inquiry(other, { inquiry_id: again, voided_at: daysAgo(0) });
    await scoring.take(second);
    await scoring.take(first);
    expect((await scoring.profile(other)).history?.hard_inquiries_12m).toBe(0);
    expect(await scoring.snapshots(other)).toHaveLength(1);
  });

  test('an account is of no account, and counts again when it is revived', async () => {
    const { subject_id, events } = troubledSubject();
    await scoring.take(...events);
    const before = await scoring.profile(subject_id);
    const [, , changed] = events;
    const account_id =
      changed?.payload?.$case === 'account_changed'
        ? changed.payload.value.account?.account_id
        : undefined;
    await scoring.take(reporting.account(subject_id, { account_id, voided: true }));
    const without = await scoring.profile(subject_id);
    expect(without.history?.accounts_by_status).toEqual([{ status: 'CURRENT', count: 1 }]);
    expect(without.risk?.max_days_past_due).toBe(0);
    await scoring.take(reporting.account(subject_id, { account_id, voided: false }));
    expect((await scoring.profile(subject_id)).credit?.factors).toEqual(before.credit?.factors);
  });

  test('open disputes are shown as reporting counts them', async () => {
    const subject_id = reporting.subject();
    await scoring.take(reporting.account(subject_id));
    const { risk } = await scoring.profile(subject_id, 1, { open_dispute_count: 2 });
    expect(risk?.open_dispute_count).toBe(2);
  });
});

test('an account says how it was paid, to its institution alone and without a look at its subject', async () => {
  const subject_id = reporting.subject();
  const own = call();
  const mine = { institution_id: own.institution_id, account_id: newId() };
  reporting.account(subject_id, { ...mine, payment_months: [monthsAgo(1), monthsAgo(2)], ...late });
  // What another institution reports of the subject is not in it.
  reporting.account(subject_id, { payment_months: [monthsAgo(5)] });
  const inquired = reporting.inquired.length;
  expect(await scoring.stub.getAccountPayments(own, { account_id: mine.account_id })).toEqual({
    account_id: mine.account_id,
    as_of: '2026-03-15T00:00:00.000Z',
    payment_grid: `100${'-'.repeat(21)}`,
    on_time_24m: 2,
    late_24m: 1,
    worst_bucket_24m: 'EARLY',
  });
  expect(reporting.inquired).toHaveLength(inquired);
  const asked = (account_id: string) => scoring.stub.getAccountPayments(call(), { account_id });
  await expect(asked(mine.account_id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(asked('x')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('live and test never meet, not even for the same ids', async () => {
  const { subject_id, events } = troubledSubject();
  await scoring.take(...events);
  await scoring.take(...events.slice(0, 1).map((event) => ({ ...event, environment: 'test' })));

  const in_test = await scoring.profile(subject_id, 1, { environment: 'test' });
  const in_live = await scoring.profile(subject_id, 1);
  expect(in_test.subject_version).toBe(1);
  expect(in_test.history?.late_24m).toBe(0);
  expect(in_live.subject_version).toBe(3);
  expect(in_live.history?.late_24m).toBe(1);
  const { db } = scoring.database;
  const written = (environment: Environment) =>
    listSnapshots(db.read(systemContext(environment)), subject_id, 1_000, 10);
  expect(await written('test')).toHaveLength(1);
  expect(await written('live')).toHaveLength(3);
  await expect(scoring.profile(subject_id, 3, { environment: 'test' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('a profile is never behind what it must include, however reads and events race', async () => {
  const subject_id = reporting.subject();
  const reads: Promise<void>[] = [];
  const takes: Promise<void>[] = [];
  for (let round = 0; round < 60; round += 1) {
    const event =
      round % 3 === 2
        ? reporting.inquiry(subject_id)
        : reporting.account(subject_id, { balance_minor: BigInt(round) });
    const version = reporting.version(subject_id);
    const accounts = reporting.file(subject_id).accounts.length;
    takes.push(
      new Promise((resolve) => setTimeout(resolve, (round * 7) % 40)).then(() =>
        scoring.take(event),
      ),
    );
    reads.push(
      scoring.profile(subject_id, version).then((profile) => {
        expect(profile.subject_version).toBeGreaterThanOrEqual(version);
        const shown = profile.history?.accounts_by_status.reduce((sum, one) => sum + one.count, 0);
        expect(shown).toBeGreaterThanOrEqual(accounts);
      }),
    );
    if (round % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all([...reads, ...takes]);
  await scoring.caughtUp();
  expect(await scoring.projection(subject_id)).toMatchObject({
    complete_version: 60,
    early_versions: [],
  });
  const sequences = (await scoring.snapshots(subject_id)).map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.map((_, index) => sequences.length - index));
}, 30_000);

test('events that come over the bus end in snapshots', async () => {
  const { subject_id, events } = troubledSubject();
  const inquiry = reporting.inquiry(subject_id);
  const { bus, stop } = await testBus();
  const { db } = scoring.database;
  const relay: Relay = startRelay({ db, bus, logger: testLogger });
  const consumers = startConsumers({
    db,
    bus,
    logger: testLogger,
    consumers: [...(scoring.parts.consumers ?? [])],
  });
  try {
    await db.transaction(call(), async (tx) => {
      for (const { payload } of [...events, inquiry]) {
        if (payload !== undefined) tx.outbox({ partition_key: subject_id, payload });
      }
    });
    // Two consumers take them in, so the inquiry may have its own snapshot or share the last one.
    await until(async () => (await seen(subject_id)) === 4, 20_000);
    expect(await scoring.projection(subject_id)).toMatchObject({ accounts: 2, inquiries: 1 });
    expect(reporting.looks).toEqual([]);
    const [last] = await scoring.snapshots(subject_id);
    expect(last?.score).toBe((await scoring.profile(subject_id)).credit?.score);
  } finally {
    await consumers.stop();
    await relay.stop();
    await stop();
  }
}, 60_000);

function pick(events: readonly Event[], index: number): Event {
  const event = events[index];
  if (event === undefined) throw new Error(`There is no event ${index}.`);
  return event;
}

function creditEventOf(event: Event): string | undefined {
  return event.payload?.$case === 'account_changed'
    ? event.payload.value.credit_event_id
    : undefined;
}

/** The version that a subject is complete to; 0 before anything of it is in. */
async function seen(subject_id: string): Promise<number> {
  return (await scoring.profile(subject_id, 0)).subject_version;
}

async function wipe(subject_id: string): Promise<void> {
  const pool = scoring.database.db.pool('live');
  for (const table of [
    'subject_heads',
    'account_projections',
    'inquiry_projections',
    'score_snapshots',
  ]) {
    await pool.query(`DELETE FROM ${table} WHERE subject_id = $1`, [subject_id]);
  }
}

async function until(holds: () => boolean | Promise<boolean>, within_ms = 20_000): Promise<void> {
  const deadline_ms = Date.now() + within_ms;
  while (!(await holds())) {
    if (Date.now() > deadline_ms) throw new Error(`In vain for ${within_ms} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
