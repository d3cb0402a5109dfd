import { isAppError } from '@credit/platform/errors';
import * as fc from 'fast-check';
import type { AccountState } from '../src/domain/account';
import { outcomeOf } from '../src/domain/correction';
import { appliedType, type NewEvent, type NoticeKind } from '../src/domain/event';
import { append, replay } from '../src/domain/timeline';
import {
  EVENT_TYPES,
  type EventType,
  isSuppression,
  UNDERLYING_STATUSES,
} from '../src/domain/vocabulary';
import { Book, correctionOf, event, NOW_MS, onDay } from './builders';

function code(run: () => unknown): string {
  try {
    run();
    return 'ACCEPTED';
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
}

/** What two timelines must share; which sequence closes the head may differ. */
function essence(state: AccountState) {
  return { ...state, head: state.head.occurred_at_ms };
}

describe('a backdated event', () => {
  test('is checked against the status at its own place', () => {
    const book = new Book();
    book.report(event('PAYMENT_LATE', 10));
    book.report(event('ACCOUNT_CURRENT', 20));
    const cure = book.report(event('DELINQUENCY_STARTED', 15));
    expect(cure).toMatchObject({ effect: 'EFFECTIVE', resulting_status: 'DELINQUENT' });
    expect(book.state.underlying_status).toBe('CURRENT');
    expect(code(() => book.report(event('DELINQUENCY_CURED', 9)))).toBe('INVALID_STATE_TRANSITION');
  });

  test('is 409 when it would make a later event impossible, and then changes nothing', () => {
    const book = new Book();
    book.report(event('PAYMENT_LATE', 10));
    book.report(event('PAYMENT_DUE', 20));
    const before = structuredClone(book.records);
    expect(code(() => book.report(event('ACCOUNT_PAID', 15)))).toBe('INVALID_STATE_TRANSITION');
    expect(book.records).toEqual(before);
  });

  test('changes what the later ones result in', () => {
    const book = new Book();
    const payment = book.report(event('PAYMENT_MADE', 20, { amount_minor: 1n }));
    expect(payment.resulting_status).toBe('CURRENT');
    book.report(event('PAYMENT_LATE', 10));
    expect(book.record(2).resulting_status).toBe('PAST_DUE');
    expect(book.record(3).sequence).toBe(3);
  });

  test('goes after everything recorded before it at the same time', () => {
    const book = new Book();
    book.report(event('BALANCE_UPDATED', 10, { balance_after_minor: 1n }));
    book.report(event('BALANCE_UPDATED', 10, { balance_after_minor: 2n }));
    expect(book.state.balance_minor).toBe(2n);
    book.report(event('PAYMENT_DUE', 20));
    book.report(event('BALANCE_UPDATED', 10, { balance_after_minor: 3n }));
    expect(book.state.balance_minor).toBe(3n);
  });

  test('may stand at the very time of the opening, never before it', () => {
    const book = new Book();
    book.report(event('PAYMENT_LATE', 10));
    book.report(event('PAYMENT_DUE', 0));
    expect(book.timeline.history?.entries.map((entry) => entry.sequence)).toEqual([1, 3, 2]);
  });
});

const REPORTABLE = EVENT_TYPES.filter(
  (type) => type !== 'ACCOUNT_OPENED' && type !== 'CORRECTION' && !isSuppression(type),
);

/** What a refusal says could be reported instead; undefined where the event is taken. */
function saidPossible(book: Book, reported: NewEvent): readonly string[] | undefined {
  try {
    book.report(reported);
    return undefined;
  } catch (error) {
    if (!isAppError(error)) throw error;
    expect(error.reason).toBe('TRANSITION_NOT_ALLOWED');
    return error.allowed_event_types;
  }
}

test.each(UNDERLYING_STATUSES)('what is refused of a %s account names what is not', (status) => {
  const possible = REPORTABLE.filter((type) => {
    const balance_after_minor = type === 'ACCOUNT_CLOSED' ? 0n : undefined;
    const book = new Book({ status });
    return code(() => book.report(event(type, 10, { balance_after_minor }))) === 'ACCEPTED';
  });
  let refused = 0;
  for (const type of REPORTABLE) {
    const said = saidPossible(new Book({ status }), event(type, 10));
    if (said === undefined) continue;
    refused += 1;
    expect([type, said]).toEqual([type, possible]);
  }
  expect(refused).toBeGreaterThan(0);
});

describe('a correction', () => {
  test('voids an event; both stay on record, linked both ways', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10));
    const correction = book.report(correctionOf(late, 12));
    expect(book.record(2)).toMatchObject({
      effect: 'SUPERSEDED',
      superseded_by_event_id: correction.id,
      resulting_status: undefined,
    });
    expect(correction).toMatchObject({
      supersedes_event_id: late.id,
      effect: 'EFFECTIVE',
      resulting_status: 'CURRENT',
    });
    expect(book.state).toMatchObject({ underlying_status: 'CURRENT', episodes: [] });
  });

  test('that voids sets its balance at its own time', () => {
    const book = new Book();
    const wrong = book.report(event('BALANCE_UPDATED', 10, { balance_after_minor: 1n }));
    book.report(correctionOf(wrong, 12, { balance_after_minor: 50n }));
    expect(book.state.balance_minor).toBe(50n);
    book.report(event('BALANCE_UPDATED', 11, { balance_after_minor: 40n }));
    expect(book.state.balance_minor).toBe(50n);
    book.report(event('BALANCE_UPDATED', 13, { balance_after_minor: 60n }));
    expect(book.state.balance_minor).toBe(60n);
  });

  test('puts another event in the place of the original', () => {
    const book = new Book();
    const wrong = book.report(event('DEFAULT_REPORTED', 10, { default_severity: 'CRITICAL' }));
    book.report(event('PAYMENT_MADE', 20, { amount_minor: 5n }));
    const correction = book.report(
      correctionOf(wrong, 30, { corrected_event_type: 'PAYMENT_LATE' }),
    );
    expect(correction.resulting_status).toBe('PAST_DUE');
    expect(book.state.underlying_status).toBe('PAST_DUE');
    expect(book.state.episodes).toEqual([
      expect.objectContaining({ past_due_since_ms: onDay(10), defaulted_at_ms: undefined }),
    ]);
    expect(book.record(3).resulting_status).toBe('PAST_DUE');
  });

  test('moves an event to another date', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10));
    book.report(event('PAYMENT_DUE', 20));
    book.report(
      correctionOf(late, 30, {
        corrected_event_type: 'PAYMENT_LATE',
        corrected_occurred_at_ms: onDay(25),
      }),
    );
    expect(book.state.episodes[0]?.past_due_since_ms).toBe(onDay(25));
    expect(book.record(3).resulting_status).toBe('CURRENT');
  });

  test.each([
    [0, 1],
    [1, 0],
  ])('of events of the same time keeps their order, corrected in the order %i, %i', (...order) => {
    const book = new Book();
    const balances = [1n, 2n].map((balance_after_minor) =>
      book.report(event('BALANCE_UPDATED', 10, { balance_after_minor })),
    );
    for (const index of order) {
      const target = balances[index];
      if (target === undefined) throw new Error('no event');
      book.report(
        correctionOf(target, 20, {
          corrected_event_type: 'BALANCE_UPDATED',
          balance_after_minor: BigInt(index + 10),
        }),
      );
    }
    expect(book.state.balance_minor).toBe(11n);
  });

  test('is 409 when its replacement is impossible at its place', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10));
    const cured = correctionOf(late, 12, { corrected_event_type: 'DEFAULT_CURED' });
    expect(code(() => book.report(cured))).toBe('INVALID_STATE_TRANSITION');
    expect(book.record(2).superseded_by_event_id).toBeUndefined();
  });

  test('leaves later events that it makes impossible on record, ignored', () => {
    const book = new Book();
    const late = book.report(event('DELINQUENCY_STARTED', 10));
    const cure = book.report(event('DELINQUENCY_CURED', 20));
    book.report(event('PAYMENT_LATE', 30));
    const correction = book.report(correctionOf(late, 40));
    expect(book.record(cure.sequence)).toMatchObject({
      effect: 'IGNORED',
      resulting_status: undefined,
    });
    expect(book.state.underlying_status).toBe('PAST_DUE');
    // What is ignored does not stand in the way of anything else.
    book.report(event('PAYMENT_DUE', 15));
    // And counts again once the correction is undone.
    book.report(correctionOf(correction, 50));
    expect(book.record(cure.sequence)).toMatchObject({
      effect: 'EFFECTIVE',
      resulting_status: 'CURRENT',
    });
  });

  test('of a correction revives the original', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10));
    const first = book.report(correctionOf(late, 12, { balance_after_minor: 7n }));
    const second = book.report(correctionOf(first, 14));
    expect(book.record(late.sequence)).toMatchObject({
      effect: 'EFFECTIVE',
      superseded_by_event_id: undefined,
      resulting_status: 'PAST_DUE',
    });
    expect(book.record(first.sequence)).toMatchObject({
      effect: 'SUPERSEDED',
      superseded_by_event_id: second.id,
    });
    // Its balance goes with it.
    expect(book.state.balance_minor).toBe(100_000n);
  });

  test('of a correction of a correction brings the first one back, and so on', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10));
    const chain = [book.report(correctionOf(late, 12))];
    const expected = ['CURRENT', 'PAST_DUE'] as const;
    for (let day = 13; day < 19; day += 1) {
      const last = chain.at(-1);
      if (last === undefined) throw new Error('no correction');
      chain.push(book.report(correctionOf(last, day)));
      expect(book.state.underlying_status).toBe(expected[(chain.length - 1) % 2]);
      const revived = chain.length % 2 === 0;
      expect(book.record(late.sequence)).toMatchObject({
        effect: revived ? 'EFFECTIVE' : 'SUPERSEDED',
        superseded_by_event_id: revived ? undefined : chain[0]?.id,
      });
    }
  });

  test('that replaces a replacement leaves one event in the place', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10));
    const first = book.report(
      correctionOf(late, 12, { corrected_event_type: 'DELINQUENCY_STARTED' }),
    );
    const second = book.report(
      correctionOf(first, 14, {
        corrected_event_type: 'DEFAULT_REPORTED',
        default_severity: 'MINOR',
      }),
    );
    expect(book.state.underlying_status).toBe('DEFAULTED');
    expect(book.state.episodes).toHaveLength(1);
    expect(book.record(late.sequence).effect).toBe('SUPERSEDED');
    // Undone, the first replacement stands again.
    book.report(correctionOf(second, 16));
    expect(book.state.underlying_status).toBe('DELINQUENT');
    expect(book.record(first.sequence)).toMatchObject({
      effect: 'EFFECTIVE',
      superseded_by_event_id: undefined,
    });
    expect(book.record(late.sequence).superseded_by_event_id).toBe(first.id);
  });

  test('is 409 for what is superseded already, and for what another took over', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10));
    const first = book.report(correctionOf(late, 12));
    expect(code(() => book.report(correctionOf(late, 13)))).toBe('INVALID_STATE_TRANSITION');
    const second = book.report(correctionOf(first, 14));
    book.report(correctionOf(late, 15));
    expect(code(() => book.report(correctionOf(second, 16)))).toBe('INVALID_STATE_TRANSITION');
  });

  test.each(['DISPUTE_OPENED', 'DISPUTE_RESOLVED'] as const)('of %s is 409', (event_type) => {
    const book = new Book();
    book.report(event('DISPUTE_OPENED', 1));
    book.report(event('DISPUTE_RESOLVED', 2));
    const target = book.records.find((record) => record.event_type === event_type);
    if (target === undefined) throw new Error('no target');
    expect(code(() => book.report(correctionOf(target, 3)))).toBe('INVALID_STATE_TRANSITION');
  });

  test('of an unknown event is 404', () => {
    const book = new Book();
    const unknown = { ...book.record(1), id: '00000000-0000-7000-8000-00000000ffff' };
    expect(code(() => book.report(correctionOf(unknown, 3)))).toBe('NOT_FOUND');
  });

  test.each(['PAID', 'CANCELLED'] as const)(
    'of the opening may not give a balance to an account that was %s then',
    (status) => {
      const book = new Book({ status, balance_minor: 0n });
      const owing = correctionOf(book.record(1), 12, {
        corrected_terms: { original_principal_minor: 7n },
        balance_after_minor: 7n,
      });
      expect(code(() => book.report(owing))).toBe('VALIDATION_ERROR');
      book.report({ ...owing, balance_after_minor: undefined });
      // Nothing stands in the way of a review.
      book.report(event('DISPUTE_OPENED', 20, { by_network: true }));
    },
  );

  test('may not leave a paid account with a balance', () => {
    const book = new Book();
    const payment = book.report(event('PAYMENT_MADE', 5, { amount_minor: 1n }));
    book.report(event('ACCOUNT_PAID', 10));
    const owing = correctionOf(payment, 12, { balance_after_minor: 9n });
    expect(code(() => book.report(owing))).toBe('INVALID_STATE_TRANSITION');
    book.report(correctionOf(payment, 12));
    expect(book.state.balance_minor).toBe(0n);
  });
});

describe('what the network is told', () => {
  test('is each effective default and delinquency, once', () => {
    const book = new Book();
    expect(book.report(event('PAYMENT_LATE', 5)).notice).toBeUndefined();
    expect(book.report(event('DELINQUENCY_STARTED', 10)).notice).toBe('DELINQUENCY');
    expect(book.report(event('DEFAULT_REPORTED', 20)).notice).toBe('DEFAULT');
    expect(book.report(event('DEFAULT_CURED', 30)).notice).toBeUndefined();
    expect(book.report(event('DEFAULT_REPORTED', 40)).notice).toBe('DEFAULT');
    expect(book.report(event('ACCOUNT_WRITTEN_OFF', 50)).notice).toBeUndefined();
  });

  test('is the creation of an account in that status', () => {
    expect(new Book({ status: 'DEFAULTED' }).record(1).notice).toBe('DEFAULT');
    expect(new Book({ status: 'DELINQUENT' }).record(1).notice).toBe('DELINQUENCY');
    expect(new Book({ status: 'WRITTEN_OFF' }).record(1).notice).toBeUndefined();
  });

  test('is no correction that only changes the severity or the date', () => {
    const book = new Book();
    const reported = book.report(event('DEFAULT_REPORTED', 20));
    const milder = book.report(
      correctionOf(reported, 30, {
        corrected_event_type: 'DEFAULT_REPORTED',
        default_severity: 'MINOR',
        corrected_occurred_at_ms: onDay(25),
      }),
    );
    expect(milder.notice).toBeUndefined();
    // Nor one that brings back what was taken away in between.
    const gone = book.report(correctionOf(milder, 31, { corrected_event_type: 'PAYMENT_LATE' }));
    const back = correctionOf(gone, 32, { corrected_event_type: 'DEFAULT_REPORTED' });
    expect(book.report(back).notice).toBeUndefined();
  });

  test('is a correction that makes a default of something else', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 20));
    const worse = correctionOf(late, 30, { corrected_event_type: 'DEFAULT_REPORTED' });
    expect(book.report(worse).notice).toBe('DEFAULT');
  });

  test('is not the same episode twice, not even by another event of it', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 20));
    book.report(event('DEFAULT_REPORTED', 25));
    book.report(event('ACCOUNT_RESTRUCTURED', 28));
    const earlier = correctionOf(late, 30, { corrected_event_type: 'DEFAULT_REPORTED' });
    expect(book.report(earlier).notice).toBeUndefined();
  });

  test('is nothing that is only voided or revived', () => {
    const book = new Book();
    const reported = book.report(event('DEFAULT_REPORTED', 20));
    const voided = book.report(correctionOf(reported, 30));
    expect(voided.notice).toBeUndefined();
    expect(book.report(correctionOf(voided, 31)).notice).toBeUndefined();
    expect(book.state.underlying_status).toBe('DEFAULTED');
  });
});

// --- laws

const severity = fc.constantFrom('MINOR', 'MODERATE', 'SEVERE', 'CRITICAL' as const);
const day = fc.integer({ min: 0, max: 300 });
const balance = fc.option(fc.bigInt({ min: 0n, max: 3n }), { freq: 2, nil: undefined });

const plainEvent = fc
  .record({
    event_type: fc.constantFrom(
      ...EVENT_TYPES.filter((type) => type !== 'CORRECTION' && !isSuppression(type)),
    ),
    day,
    amount_minor: fc.bigInt({ min: 1n, max: 9n }),
    balance_after_minor: balance,
    severity,
    by_network: fc.constantFrom(false, false, true),
  })
  .map(
    (drawn): NewEvent => ({
      ...event(drawn.event_type, drawn.day),
      amount_minor: drawn.amount_minor,
      balance_after_minor:
        drawn.event_type === 'ACCOUNT_PAID' ? undefined : drawn.balance_after_minor,
      default_severity: drawn.event_type === 'DEFAULT_REPORTED' ? drawn.severity : undefined,
      by_network: drawn.by_network && drawn.event_type.startsWith('DISPUTE_'),
    }),
  );

const replacements: EventType[] = [
  'PAYMENT_MADE',
  'PAYMENT_LATE',
  'DELINQUENCY_STARTED',
  'DELINQUENCY_CURED',
  'DEFAULT_REPORTED',
  'ACCOUNT_CURRENT',
  'ACCOUNT_PAID',
  'BALANCE_UPDATED',
  'ACCOUNT_WRITTEN_OFF',
];

const drawnCorrection = fc.record({
  target: fc.nat(),
  day,
  type: fc.option(fc.constantFrom(...replacements), { freq: 2, nil: undefined }),
  moved_to: fc.option(day, { freq: 2, nil: undefined }),
  balance_after_minor: balance,
});
type DrawnCorrection = typeof drawnCorrection extends fc.Arbitrary<infer T> ? T : never;

function asCorrection(drawn: DrawnCorrection, book: Book): NewEvent {
  const target = book.record((drawn.target % book.records.length) + 1);
  return correctionOf(target, drawn.day, {
    corrected_event_type: drawn.type,
    corrected_occurred_at_ms:
      drawn.type === undefined || drawn.moved_to === undefined ? undefined : onDay(drawn.moved_to),
    balance_after_minor: drawn.type === 'ACCOUNT_PAID' ? undefined : drawn.balance_after_minor,
  });
}

const opening = fc.record({
  status: fc.constantFrom(...UNDERLYING_STATUSES),
  organisation: fc.boolean(),
});

function reportIfPossible(book: Book, reported: NewEvent): boolean {
  return code(() => book.report(reported)) === 'ACCEPTED';
}

describe('laws', () => {
  test('replaying the records of any accepted history gives the stored account', () => {
    fc.assert(
      fc.property(
        opening,
        fc.array(fc.oneof({ weight: 3, arbitrary: plainEvent }, drawnCorrection), {
          maxLength: 40,
        }),
        (opened, attempts) => {
          const book = new Book({ ...opened, balance_minor: 0n });
          for (const attempt of attempts) {
            reportIfPossible(book, 'target' in attempt ? asCorrection(attempt, book) : attempt);
            const replayed = replay(book.records, opened.organisation);
            expect(replayed.state).toEqual(book.state);
            expect(replayed.history?.records).toEqual(book.records);
            expect(replayed.version).toBe(book.timeline.version);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a refused event leaves everything as it was', () => {
    fc.assert(
      fc.property(fc.array(plainEvent, { maxLength: 30 }), (attempts) => {
        const book = new Book();
        for (const attempt of attempts) {
          const before = structuredClone({ records: book.records, state: book.state });
          if (reportIfPossible(book, attempt)) continue;
          expect({ records: book.records, state: book.state }).toEqual(before);
        }
      }),
    );
  });

  test('corrections in any order give the same final state', () => {
    fc.assert(
      fc.property(
        fc.array(plainEvent, { minLength: 5, maxLength: 25 }),
        fc.uniqueArray(drawnCorrection, { selector: (drawn) => drawn.day, maxLength: 6 }),
        fc.func(fc.nat()),
        (attempts, corrections, orderOf) => {
          const history: NewEvent[] = [];
          const base = new Book();
          for (const attempt of attempts) {
            if (reportIfPossible(base, attempt)) history.push(attempt);
          }
          // One correction per event: which of two is the first is decided by their order.
          const wanted = new Map(
            corrections.map((drawn) => [
              drawn.target % base.records.length,
              asCorrection(drawn, base),
            ]),
          );
          const inOrder = (order: NewEvent[]) => {
            const book = new Book();
            for (const reported of history) book.report(reported);
            const accepted = order.filter((correction) => reportIfPossible(book, correction));
            return { book, accepted };
          };
          const first = inOrder([...wanted.values()]);
          const other = inOrder([...first.accepted].sort((a, b) => orderOf(a) - orderOf(b)));
          // An order in which one of them is impossible comes to another set of facts.
          fc.pre(other.accepted.length === first.accepted.length);
          expect(essence(other.book.state)).toEqual(essence(first.book.state));
          const effects = (book: Book) =>
            book.records.slice(0, history.length + 1).map((record) => record.effect);
          expect(effects(other.book)).toEqual(effects(first.book));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('the network is told of each default and delinquency once, and of no episode twice', () => {
    const kinds: Partial<Record<EventType, NoticeKind>> = {
      DEFAULT_REPORTED: 'DEFAULT',
      DELINQUENCY_STARTED: 'DELINQUENCY',
    };
    const trouble = fc
      .tuple(
        fc.constantFrom<EventType>(
          'DELINQUENCY_STARTED',
          'DELINQUENCY_CURED',
          'DEFAULT_REPORTED',
          'DEFAULT_CURED',
        ),
        day,
      )
      .map(([event_type, on_day]) => event(event_type, on_day));
    let told = 0;
    fc.assert(
      fc.property(
        opening,
        fc.array(fc.oneof(plainEvent, trouble, trouble, drawnCorrection), {
          maxLength: 40,
          size: 'max',
        }),
        (opened, attempts) => {
          const book = new Book({ ...opened, balance_minor: 0n });
          for (const attempt of attempts) {
            const before = book.records.map(({ notice }) => notice);
            const reported = 'target' in attempt ? asCorrection(attempt, book) : attempt;
            if (!reportIfPossible(book, reported)) continue;
            // What is replayed, voided or revived is neither told again nor taken back.
            expect(book.records.slice(0, before.length).map(({ notice }) => notice)).toEqual(
              before,
            );
            const last = book.record(book.records.length);
            const kind = kinds[appliedType(last)];
            if (last.event_type !== 'CORRECTION') expect(last.notice).toBe(kind);
            else expect([undefined, kind]).toContain(last.notice);
            if (last.notice !== undefined) told += 1;
          }
          // However often it was corrected, an event is told as a default at most once.
          const { slots } = outcomeOf(book.records);
          const roots = book.records.flatMap((record) =>
            record.notice === undefined
              ? []
              : [`${record.notice} ${slots.get(record.id)?.root.id}`],
          );
          expect(new Set(roots).size).toBe(roots.length);
        },
      ),
      { numRuns: 200 },
    );
    expect(told).toBeGreaterThan(50);
  });

  test('events without effect on each other may arrive in any order', () => {
    const reported = [
      event('PAYMENT_LATE', 10),
      event('PAYMENT_MADE', 12, { amount_minor: 1n, balance_after_minor: 90n }),
      event('DELINQUENCY_STARTED', 40),
      event('LIMIT_CHANGED', 41, { amount_minor: 5n }),
      event('BALANCE_UPDATED', 60, { balance_after_minor: 80n }),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(reported, { minLength: reported.length }), (order) => {
        const straight = new Book();
        const shuffled = new Book();
        for (const next of reported) straight.report(next);
        for (const next of order) shuffled.report(next);
        expect(essence(shuffled.state)).toEqual(essence(straight.state));
      }),
    );
  });

  test('an event at the head costs the same after many events', () => {
    const book = new Book();
    for (let index = 0; index < 2_000; index += 1) {
      book.report(event('PAYMENT_MADE', index / 10, { amount_minor: 1n }));
    }
    const stamp = { id: '00000000-0000-7000-8000-0000000000ff', now_ms: NOW_MS };
    const head = event('PAYMENT_MADE', 250, { amount_minor: 1n });
    // Without history: nothing but the state is looked at.
    expect(append({ ...book.timeline, history: undefined }, head, stamp).amended).toEqual([]);
    expect(JSON.stringify(book.state, (_key, value) => String(value)).length).toBeLessThan(1_000);
  });
});
