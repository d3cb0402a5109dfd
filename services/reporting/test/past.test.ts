import fc from 'fast-check';
import type { AccountState } from '../src/domain/account';
import type { EventRecord, NewEvent } from '../src/domain/event';
import { recordsAt, stateAt } from '../src/domain/past';
import { append, openTimeline, replay, type Timeline } from '../src/domain/timeline';

const DAY_MS = 86_400_000;
const OPENED_MS = Date.parse('2025-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;

const event = (over: Partial<NewEvent>): NewEvent => ({
  event_type: 'PAYMENT_MADE',
  occurred_at_ms: OPENED_MS,
  amount_minor: 100n,
  balance_after_minor: undefined,
  source_reference: undefined,
  default_severity: undefined,
  supersedes_event_id: undefined,
  correction_reason: undefined,
  corrected_event_type: undefined,
  corrected_occurred_at_ms: undefined,
  corrected_terms: undefined,
  certification: undefined,
  by_network: false,
  ...over,
});

/** What was known after each event was recorded, an hour after the one before. */
interface Life {
  records: readonly EventRecord[];
  states: readonly AccountState[];
  told_ms: readonly number[];
  snapshots: readonly (readonly EventRecord[])[];
}

type Step = { kind: 'PAYMENT_MADE' | 'PAYMENT_LATE' | 'ACCOUNT_CURRENT' | 'CORRECT'; days: number };

function live(steps: readonly Step[]): Life {
  const opened = openTimeline(
    {
      organisation: false,
      status: 'CURRENT',
      original_principal_minor: 10_000n,
      balance_minor: 10_000n,
      opened_at_ms: OPENED_MS,
      dates: undefined,
      certification: undefined,
    },
    { id: 'e0', now_ms: OPENED_MS + 400 * DAY_MS },
  );
  let timeline: Timeline = replay([opened.record], false);
  const states = [timeline.state];
  const told_ms = [opened.record.reported_at_ms];
  const snapshots = [timeline.history?.records ?? []];
  for (const [index, { kind, days }] of steps.entries()) {
    const now_ms = OPENED_MS + 400 * DAY_MS + (index + 1) * HOUR_MS;
    const target = timeline.history?.records.findLast(
      ({ event_type, effect }) => event_type.startsWith('PAYMENT') && effect === 'EFFECTIVE',
    );
    const next =
      kind === 'CORRECT'
        ? event({
            event_type: 'CORRECTION',
            amount_minor: undefined,
            occurred_at_ms: now_ms,
            supersedes_event_id: target?.id ?? '',
            correction_reason: 'mistaken',
          })
        : event({ event_type: kind, occurred_at_ms: OPENED_MS + days * DAY_MS });
    if (kind === 'CORRECT' && target === undefined) continue;
    try {
      timeline = append(timeline, next, { id: `e${index + 1}`, now_ms }).timeline;
    } catch {
      continue;
    }
    states.push(timeline.state);
    told_ms.push(now_ms);
    snapshots.push(timeline.history?.records ?? []);
  }
  return { records: timeline.history?.records ?? [], states, told_ms, snapshots };
}

const lives = fc
  .array(
    fc.record({
      kind: fc.constantFrom('PAYMENT_MADE', 'PAYMENT_LATE', 'ACCOUNT_CURRENT', 'CORRECT'),
      days: fc.integer({ min: 0, max: 399 }),
    }),
    { maxLength: 12 },
  )
  .map((steps) => live(steps as Step[]));

test('the state at a time, known at that time, is the one that was stored then', () => {
  fc.assert(
    fc.property(lives, ({ records, states, told_ms, snapshots }) => {
      for (const [index, at_ms] of told_ms.entries()) {
        const moment = { as_of_ms: at_ms, known_at_ms: at_ms };
        expect(stateAt(records, false, moment)).toEqual(states[index]);
        expect(recordsAt(records, false, at_ms)).toEqual(snapshots[index]);
      }
    }),
    { numRuns: 200 },
  );
});

test('nothing is known before the account was reported', () => {
  const { records, told_ms } = live([]);
  const before_ms = (told_ms[0] ?? 0) - 1;
  expect(stateAt(records, false, { as_of_ms: before_ms, known_at_ms: before_ms })).toBeUndefined();
  expect(recordsAt(records, false, before_ms)).toEqual([]);
});

test('hindsight shows a past day with what was told of it later, and nothing after it', () => {
  const { records } = live([
    { kind: 'PAYMENT_MADE', days: 10 },
    { kind: 'PAYMENT_LATE', days: 50 },
  ]);
  const later_ms = OPENED_MS + 500 * DAY_MS;
  const status = (days: number) =>
    stateAt(records, false, { as_of_ms: OPENED_MS + days * DAY_MS, known_at_ms: later_ms })
      ?.underlying_status;
  expect([status(-1), status(20), status(50)]).toEqual([undefined, 'CURRENT', 'PAST_DUE']);
});

describe('hindsight, of a past day', () => {
  const opened = (over: Partial<Parameters<typeof openTimeline>[0]> = {}) =>
    openTimeline(
      {
        organisation: false,
        status: 'CURRENT',
        original_principal_minor: 100n,
        balance_minor: 100n,
        opened_at_ms: OPENED_MS,
        dates: undefined,
        certification: undefined,
        ...over,
      },
      { id: '00000000-0000-7000-8000-000000000001', now_ms: OPENED_MS + 400 * DAY_MS },
    );
  const standing = (records: readonly EventRecord[], day: number) => {
    const state = stateAt(records, false, {
      as_of_ms: OPENED_MS + day * DAY_MS,
      known_at_ms: OPENED_MS + 500 * DAY_MS,
    });
    return state && [state.underlying_status, state.episodes.length];
  };

  test('sees no trouble that an account was created in before it began', () => {
    const dates = {
      first_delinquency_at_ms: OPENED_MS + 100 * DAY_MS,
      status_since_ms: OPENED_MS + 200 * DAY_MS,
    };
    const { record } = opened({ status: 'DEFAULTED', dates });
    expect(standing([record], 99)).toEqual(['CURRENT', 0]);
    expect(standing([record], 199)).toEqual(['PAST_DUE', 1]);
    expect(standing([record], 200)).toEqual(['DEFAULTED', 1]);
    // Where its furnisher says no date, it counts from its report.
    const undated = opened({ status: 'WRITTEN_OFF' }).record;
    expect(standing([undated], 399)).toEqual(['CURRENT', 0]);
    expect(standing([undated], 400)).toEqual(['WRITTEN_OFF', 1]);
  });

  test('counts an account from its opening as corrections have it', () => {
    const { timeline, record } = opened();
    const { history } = replay([record], false);
    const correct = (days: number) =>
      append(
        { ...timeline, history },
        event({
          event_type: 'CORRECTION',
          amount_minor: undefined,
          occurred_at_ms: OPENED_MS + 400 * DAY_MS,
          supersedes_event_id: record.id,
          correction_reason: 'another day',
          corrected_terms: { opened_at_ms: OPENED_MS + days * DAY_MS },
        }),
        { id: '00000000-0000-7000-8000-000000000002', now_ms: OPENED_MS + 401 * DAY_MS },
      ).timeline.history?.records ?? [];
    expect([-60, -40, 1].map((day) => standing(correct(-50), day))).toEqual([
      undefined,
      ['CURRENT', 0],
      ['CURRENT', 0],
    ]);
    expect([1, 49, 50].map((day) => standing(correct(50), day))).toEqual([
      undefined,
      undefined,
      ['CURRENT', 0],
    ]);
  });
});
