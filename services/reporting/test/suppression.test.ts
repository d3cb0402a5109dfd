// What a dispute leaves out of the file until it is decided: as if it had not been, and back as it was.

import { isAppError } from '@credit/platform/errors';
import * as fc from 'fast-check';
import { isOffFile } from '../src/domain/account';
import { shownToOthers } from '../src/domain/correction';
import type { EventRecord } from '../src/domain/event';
import { stateAt } from '../src/domain/past';
import { changesBy } from '../src/domain/record-changes';
import { saysWhatIsSuppressed } from '../src/domain/reinsertion';
import { replay } from '../src/domain/timeline';
import { EVENT_TYPES, isSuppression } from '../src/domain/vocabulary';
import { Book, correctionOf, event, NOW_MS, onDay } from './builders';

const LATE = 400;

function suppress(book: Book, target: EventRecord): EventRecord {
  return book.report(
    event('EVENT_SUPPRESSED', LATE, { supersedes_event_id: target.id, by_network: true }),
  );
}

function restore(book: Book, suppression: EventRecord): EventRecord {
  return book.report(
    event('EVENT_RESTORED', LATE, { supersedes_event_id: suppression.id, by_network: true }),
  );
}

/** Of the state, without where its timeline ends and what is left out. */
function essence(records: readonly EventRecord[]) {
  const { state } = replay(records, false);
  return { ...state, head: undefined, suppression: undefined };
}

/** The record as if one of its events had never been reported. */
function without(records: readonly EventRecord[], left_out: EventRecord): EventRecord[] {
  return records
    .filter(({ id }) => id !== left_out.id)
    .map((record, index) => ({ ...record, sequence: index + 1 }));
}

function effectsOf(book: Book) {
  return book.records
    .filter(({ event_type }) => !isSuppression(event_type))
    .map(({ effect, resulting_status, superseded_by_event_id }) => ({
      effect,
      resulting_status,
      superseded_by_event_id,
    }));
}

const REPORTED = EVENT_TYPES.filter(
  (type) => !isSuppression(type) && type !== 'ACCOUNT_OPENED' && type !== 'CORRECTION',
);
const histories = fc.array(
  fc.record({
    event_type: fc.constantFrom(...REPORTED),
    day: fc.integer({ min: 1, max: 300 }),
    amount: fc.bigInt({ min: 1n, max: 1_000n }),
  }),
  { minLength: 1, maxLength: 12 },
);

function bookOf(
  drawn: readonly { event_type: (typeof REPORTED)[number]; day: number; amount: bigint }[],
) {
  const book = new Book();
  for (const { event_type, day, amount } of drawn) {
    try {
      book.report(
        event(event_type, day, {
          amount_minor: amount,
          balance_after_minor:
            event_type === 'ACCOUNT_PAID' || event_type === 'ACCOUNT_CLOSED' ? 0n : amount,
        }),
      );
    } catch (error) {
      if (!isAppError(error)) throw error;
    }
  }
  return book;
}

/** What can be left out: what could be corrected. */
function contestable(book: Book): EventRecord[] {
  return book.records.filter(
    ({ event_type }) =>
      event_type !== 'ACCOUNT_OPENED' &&
      event_type !== 'DISPUTE_OPENED' &&
      event_type !== 'DISPUTE_RESOLVED',
  );
}

describe('an event that is left out', () => {
  test('leaves the account as if it had not been, and is back as it was', () => {
    fc.assert(
      fc.property(histories, fc.nat(), (drawn, pick) => {
        const book = bookOf(drawn);
        const all = contestable(book);
        const target = all[pick % Math.max(1, all.length)];
        fc.pre(target !== undefined);
        const before = essence(book.records);
        const effects = effectsOf(book);
        const expected = essence(without(book.records, target));
        const suppression = suppress(book, target);
        expect(essence(book.records)).toEqual(expected);
        expect(book.record(target.sequence).effect).toBe('SUPPRESSED');
        restore(book, suppression);
        expect(essence(book.records)).toEqual(before);
        expect(effectsOf(book)).toEqual(effects);
      }),
    );
  });

  test('the stored fold is that of a replay at every step', () => {
    fc.assert(
      fc.property(histories, fc.nat(), (drawn, pick) => {
        const book = bookOf(drawn);
        const all = contestable(book);
        const target = all[pick % Math.max(1, all.length)];
        fc.pre(target !== undefined);
        const suppression = suppress(book, target);
        expect(replay(book.records, false).state).toEqual(book.state);
        restore(book, suppression);
        expect(replay(book.records, false).state).toEqual(book.state);
        expect(replay(book.records, false).history?.records).toEqual(book.records);
      }),
    );
  });

  test('is back when the last of several disputes has ended', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10));
    const [one, other] = [suppress(book, late), suppress(book, late)];
    restore(book, one);
    expect(book.state).toMatchObject({ underlying_status: 'CURRENT', suppression: 'EVENTS' });
    restore(book, other);
    expect(book.state.underlying_status).toBe('PAST_DUE');
    expect(book.state.suppression).toBeUndefined();
  });

  test('may be corrected meanwhile: what stands then is back', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10));
    const suppression = suppress(book, late);
    const correction = book.report(
      correctionOf(late, 20, { corrected_event_type: 'PAYMENT_MADE', amount_minor: 5n }),
    );
    expect(correction).toMatchObject({ effect: 'SUPPRESSED', notice: undefined });
    restore(book, suppression);
    expect(book.record(correction.sequence).effect).toBe('EFFECTIVE');
    expect(book.state).toMatchObject({ underlying_status: 'CURRENT', payment_count: 1 });
  });

  test('that an outcome voids meanwhile stays away', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10));
    const suppression = suppress(book, late);
    book.report(correctionOf(late, 20, { by_network: true }));
    restore(book, suppression);
    expect(book.state.underlying_status).toBe('CURRENT');
    expect(book.record(late.sequence).effect).toBe('SUPERSEDED');
  });

  test('is not said again in other words, while anything else may be said', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10));
    suppress(book, late);
    const before = [...book.records];
    const again = book.report(event('DELINQUENCY_STARTED', 10));
    expect(saysWhatIsSuppressed(before, book.records, again)).toBe(true);
    const other = new Book();
    suppress(other, other.report(event('PAYMENT_LATE', 10)));
    const known = [...other.records];
    const paid = other.report(event('PAYMENT_MADE', 12, { amount_minor: 1n }));
    expect(saysWhatIsSuppressed(known, other.records, paid)).toBe(false);
  });

  test('is shown to nobody else, with all that is about it', () => {
    const book = new Book();
    const due = book.report(event('PAYMENT_DUE', 5));
    const late = book.report(event('PAYMENT_LATE', 10));
    suppress(book, late);
    const ids = shownToOthers(book.records).map(({ id }) => id);
    expect(ids).toContain(due.id);
    expect(ids).not.toContain(late.id);
  });

  test('was known before that, and not after', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10));
    const suppression = suppress(book, late);
    const records = book.records.map((record) =>
      record.id === suppression.id ? { ...record, reported_at_ms: NOW_MS + 1_000 } : record,
    );
    const at = (known_at_ms: number) =>
      stateAt(records, false, { as_of_ms: onDay(30), known_at_ms })?.underlying_status;
    expect(at(NOW_MS)).toBe('PAST_DUE');
    expect(at(NOW_MS + 1_000)).toBe('CURRENT');
  });
});

describe('an account that is left out', () => {
  test('is off the file for others, goes on for its furnisher, and is back with what came', () => {
    const book = new Book();
    const suppression = suppress(book, book.record(1));
    expect(isOffFile(book.state)).toBe(true);
    expect(book.state).toMatchObject({ voided: false, underlying_status: 'CURRENT' });
    const fallen = book.report(event('DEFAULT_REPORTED', LATE + 1));
    // Nobody is told of what nobody sees.
    expect(fallen).toMatchObject({ effect: 'EFFECTIVE', notice: undefined });
    expect(book.state.suppression).toBe('ACCOUNT');
    restore(book, suppression);
    expect(isOffFile(book.state)).toBe(false);
    expect(book.state.underlying_status).toBe('DEFAULTED');
  });

  test('that an outcome takes off the file stays off it', () => {
    const book = new Book();
    const suppression = suppress(book, book.record(1));
    book.report(
      correctionOf(book.record(1), LATE + 1, { by_network: true, balance_after_minor: 0n }),
    );
    restore(book, suppression);
    expect(book.state).toMatchObject({ voided: true, suppression: undefined });
  });
});

describe('what a correction has changed', () => {
  test('is told field by field', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10, { balance_after_minor: 12_345n }));
    const correction = book.report(
      correctionOf(late, 20, {
        corrected_event_type: 'PAYMENT_MADE',
        amount_minor: 5n,
        balance_after_minor: 12_340n,
      }),
    );
    expect(changesBy(book.records, late.id, correction.id)).toEqual([
      { field: 'event_type', before: 'PAYMENT_LATE', after: 'PAYMENT_MADE' },
      { field: 'amount', before: undefined, after: '0.05' },
      { field: 'balance_after', before: '123.45', after: '123.40' },
    ]);
  });

  test('of what is gone, that nothing is left of it', () => {
    const book = new Book();
    const late = book.report(event('PAYMENT_LATE', 10));
    const correction = book.report(correctionOf(late, 20, { by_network: true }));
    expect(changesBy(book.records, late.id, correction.id)).toEqual([
      { field: 'event_type', before: 'PAYMENT_LATE', after: undefined },
      { field: 'occurred_at', before: new Date(onDay(10)).toISOString(), after: undefined },
    ]);
  });

  test('of an account that is off the file, that alone', () => {
    const book = new Book();
    const opening = book.record(1);
    const correction = book.report(correctionOf(opening, 20, { balance_after_minor: 0n }));
    expect(changesBy(book.records, opening.id, correction.id)[0]).toEqual({
      field: 'voided',
      before: 'false',
      after: 'true',
    });
  });
});
