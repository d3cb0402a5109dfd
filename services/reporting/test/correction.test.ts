import { isAppError } from '@credit/platform/errors';
import * as fc from 'fast-check';
import type { EventRecord } from '../src/domain/event';
import { replay } from '../src/domain/timeline';
import { Book, correctionOf, event, onDay } from './builders';

interface Step {
  /** Which record is corrected, of those there are. */
  readonly pick: number;
  readonly kind: 'VOID' | 'REPLACE' | 'MOVE';
  readonly by_network: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  pick: fc.nat(1_000),
  kind: fc.constantFrom('VOID', 'VOID', 'REPLACE', 'MOVE'),
  by_network: fc.boolean(),
});

/** What a chain comes to, worked out anew from its first record for every question. */
interface Told {
  readonly standing: EventRecord | undefined;
  readonly at_ms: number;
  readonly successors: ReadonlyMap<number, string>;
}

function tell(chain: readonly EventRecord[]): Told {
  const last = chain.at(-1);
  if (last === undefined) throw new Error('an empty chain');
  const before = chain.slice(0, -1);
  if (before.length === 0) {
    return { standing: last, at_ms: last.occurred_at_ms, successors: new Map() };
  }
  const known = tell(before);
  const target = chain.find(({ id }) => id === last.supersedes_event_id);
  if (target === undefined) throw new Error('an unknown target');
  const successors = new Map(known.successors).set(target.sequence, last.id);
  const replaces = last.corrected_event_type !== undefined;
  if (replaces || target.event_type !== 'CORRECTION' || last.by_network) {
    if (known.standing !== undefined) successors.set(known.standing.sequence, last.id);
    return replaces
      ? { standing: last, at_ms: last.corrected_occurred_at_ms ?? known.at_ms, successors }
      : { standing: undefined, at_ms: known.at_ms, successors };
  }
  // As it was before the target; what was corrected since stays corrected.
  const old = tell(chain.filter(({ sequence }) => sequence < target.sequence));
  const since = [...successors].filter(([sequence]) => sequence >= target.sequence);
  return { ...old, successors: new Map([...old.successors, ...since]) };
}

function chainOf(book: Book): readonly EventRecord[] {
  // The opening is no part of it.
  return book.records.slice(1);
}

function take(book: Book, { pick, kind, by_network }: Step): boolean {
  const chain = chainOf(book);
  const target = chain.at(-1 - (pick % Math.min(3, chain.length)));
  if (target === undefined) throw new Error('no target');
  const replacing = kind !== 'VOID' && { corrected_event_type: 'PAYMENT_LATE' as const };
  const moving = kind === 'MOVE' && { corrected_occurred_at_ms: onDay(20 + (pick % 100)) };
  try {
    book.report(correctionOf(target, 150, { ...replacing, ...moving, by_network }));
    return true;
  } catch (error) {
    if (!isAppError(error)) throw error;
    expect(error.code).toBe('INVALID_STATE_TRANSITION');
    return false;
  }
}

test('chains of any length come to what a model tells that folds them from scratch', () => {
  let longest = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40, size: 'medium' }), (steps) => {
      const book = new Book();
      book.report(event('PAYMENT_LATE', 10));
      for (const next of steps) {
        const before = chainOf(book);
        const target = before.at(-1 - (next.pick % Math.min(3, before.length)));
        const accepted = take(book, next);
        // What is superseded cannot be corrected again; what counts always can.
        if (target?.superseded_by_event_id !== undefined) expect(accepted).toBe(false);
        if (target?.effect === 'EFFECTIVE' && tell(before).standing?.id === target.id) {
          expect(accepted).toBe(true);
        }
        const { standing, at_ms, successors } = tell(chainOf(book));
        for (const record of chainOf(book)) {
          expect(record.superseded_by_event_id).toBe(successors.get(record.sequence));
          // Every superseded event names its superseder.
          expect(record.effect === 'SUPERSEDED').toBe(record.superseded_by_event_id !== undefined);
        }
        expect(book.state.episodes.map(({ started_at_ms }) => started_at_ms)).toEqual(
          standing === undefined ? [] : [at_ms],
        );
        const { state, history } = replay(book.records, false);
        expect(state).toEqual(book.state);
        expect(history?.records).toEqual(book.records);
      }
      longest = Math.max(longest, book.records.length);
    }),
    { numRuns: 300 },
  );
  expect(longest).toBeGreaterThan(10);
});

test('a late payment, voided, revived and put right: nothing is superseded without a name', () => {
  const book = new Book();
  const late = book.report(event('PAYMENT_LATE', 10));
  const off = book.report(correctionOf(late, 100));
  const on = book.report(correctionOf(off, 101));
  const right = book.report(correctionOf(on, 102, { corrected_event_type: 'PAYMENT_DUE' }));
  expect(book.record(late.sequence)).toMatchObject({
    effect: 'SUPERSEDED',
    superseded_by_event_id: right.id,
  });
  expect(() => book.report(correctionOf(late, 103))).toThrow(right.id);
  expect(book.record(right.sequence).effect).toBe('EFFECTIVE');
});

test('a replacement without a date stands where the one that it corrects stood', () => {
  const book = new Book();
  const late = book.report(event('PAYMENT_LATE', 10));
  const moved = book.report(
    correctionOf(late, 150, {
      corrected_event_type: 'PAYMENT_LATE',
      corrected_occurred_at_ms: onDay(100),
    }),
  );
  book.report(correctionOf(moved, 151, { corrected_event_type: 'DELINQUENCY_STARTED' }));
  expect(book.state.episodes[0]?.started_at_ms).toBe(onDay(100));
});

test('a chain of thousands is folded in a moment', () => {
  const book = new Book();
  let last = book.report(event('PAYMENT_LATE', 10));
  const records = [...book.records];
  for (let index = 0; index < 5_000; index += 1) {
    last = {
      ...last,
      ...correctionOf(last, 150),
      id: `00000000-0000-7000-8000-${String(records.length + 1).padStart(12, '0')}`,
      sequence: records.length + 1,
    };
    records.push(last);
  }
  const started_ms = performance.now();
  replay(records, false);
  expect(performance.now() - started_ms).toBeLessThan(10_000);
});
