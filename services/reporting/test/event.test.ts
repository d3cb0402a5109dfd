import { checkAgainstOpening, checkEvent, type EventDraft, saysTheSame } from '../src/domain/event';
import { MAX_AMOUNT_MINOR } from '../src/domain/vocabulary';
import { draft, event, NOW_MS, onDay } from './builders';

function pathsOf(wrong: EventDraft): string[] {
  const result = checkEvent(wrong, NOW_MS);
  return Array.isArray(result) ? result.map((detail) => detail.path) : [];
}

const correction = (overrides: Partial<EventDraft> = {}) =>
  draft('CORRECTION', {
    supersedes_event_id: '00000000-0000-7000-8000-000000000001',
    correction_reason: 'typed wrongly',
    ...overrides,
  });

describe('the shape of an event', () => {
  test('needs a type and a time', () => {
    expect(
      pathsOf({ ...draft('PAYMENT_DUE'), event_type: undefined, occurred_at_ms: undefined }),
    ).toEqual(['event_type', 'occurred_at']);
  });

  test.each(['PAYMENT_MADE', 'PARTIAL_PAYMENT', 'LIMIT_CHANGED'] as const)(
    '%s needs an amount',
    (event_type) => {
      expect(pathsOf(draft(event_type))).toEqual(['amount']);
      expect(pathsOf(draft(event_type, { amount_minor: 0n }))).toEqual([]);
    },
  );

  test.each(['PAYMENT_DUE', 'PAYMENT_LATE', 'ACCOUNT_PAID', 'DEFAULT_REPORTED'] as const)(
    '%s needs none',
    (event_type) => {
      expect(pathsOf(draft(event_type))).toEqual([]);
    },
  );

  test.each(['dispute:', 'review:1', 'dispute:00000000-0000-7000-8000-000000000001'])(
    'leaves the reference %s to the network',
    (source_reference) => {
      const named = draft('PAYMENT_DUE', { source_reference });
      expect(pathsOf(named)).toEqual(['source_reference']);
      expect(pathsOf({ ...named, by_network: true })).toEqual([]);
      expect(pathsOf(draft('PAYMENT_DUE', { source_reference: `my ${source_reference}` }))).toEqual(
        [],
      );
    },
  );

  test('BALANCE_UPDATED needs a balance, ACCOUNT_PAID allows none but 0', () => {
    expect(pathsOf(draft('BALANCE_UPDATED'))).toEqual(['balance_after']);
    expect(pathsOf(draft('ACCOUNT_PAID', { balance_after_minor: 1n }))).toEqual(['balance_after']);
    expect(pathsOf(draft('ACCOUNT_PAID', { balance_after_minor: 0n }))).toEqual([]);
  });

  test('bounds amounts and balances', () => {
    const at = (minor: bigint) =>
      pathsOf(draft('ACCOUNT_UPDATED', { amount_minor: minor, balance_after_minor: minor }));
    expect(at(0n)).toEqual([]);
    expect(at(MAX_AMOUNT_MINOR)).toEqual([]);
    expect(at(-1n)).toEqual(['amount', 'balance_after']);
    expect(at(MAX_AMOUNT_MINOR + 1n)).toEqual(['amount', 'balance_after']);
  });

  test('bounds the time: 5 minutes ahead, 7 years back', () => {
    const at = (occurred_at_ms: number) => pathsOf(draft('PAYMENT_DUE', { occurred_at_ms }));
    const seven_years_ago = Date.UTC(2019, 10, 28, 12);
    expect(at(NOW_MS + 300_000)).toEqual([]);
    expect(at(NOW_MS + 300_001)).toEqual(['occurred_at']);
    expect(at(seven_years_ago)).toEqual([]);
    expect(at(seven_years_ago - 1)).toEqual(['occurred_at']);
  });

  test('knows default_severity for DEFAULT_REPORTED only, MODERATE when left out', () => {
    expect(pathsOf(draft('PAYMENT_LATE', { default_severity: 'MINOR' }))).toEqual([
      'default_severity',
    ]);
    expect(checkEvent(draft('DEFAULT_REPORTED'), NOW_MS)).toMatchObject({
      default_severity: 'MODERATE',
    });
    expect(checkEvent(draft('PAYMENT_LATE'), NOW_MS)).toMatchObject({
      default_severity: undefined,
    });
  });

  test('bounds texts', () => {
    expect(pathsOf(draft('PAYMENT_DUE', { source_reference: '' }))).toEqual(['source_reference']);
    expect(pathsOf(draft('PAYMENT_DUE', { source_reference: 'x'.repeat(201) }))).toEqual([
      'source_reference',
    ]);
    expect(pathsOf(correction({ correction_reason: 'x'.repeat(1_001) }))).toEqual([
      'correction_reason',
    ]);
  });
});

describe('the shape of a correction', () => {
  test('needs what it supersedes and why', () => {
    expect(pathsOf(draft('CORRECTION'))).toEqual(['supersedes_event_id', 'correction_reason']);
    expect(pathsOf(correction({ supersedes_event_id: 'x' }))).toEqual(['supersedes_event_id']);
    expect(pathsOf(correction())).toEqual([]);
  });

  test('is checked as the event it puts in place', () => {
    expect(pathsOf(correction({ corrected_event_type: 'PAYMENT_MADE' }))).toEqual(['amount']);
    expect(pathsOf(correction({ corrected_event_type: 'BALANCE_UPDATED' }))).toEqual([
      'balance_after',
    ]);
    expect(pathsOf(correction({ default_severity: 'SEVERE' }))).toEqual(['default_severity']);
    const replacing = correction({ corrected_event_type: 'DEFAULT_REPORTED' });
    expect(checkEvent(replacing, NOW_MS)).toMatchObject({ default_severity: 'MODERATE' });
  });

  test.each(['ACCOUNT_OPENED', 'DISPUTE_OPENED', 'DISPUTE_RESOLVED', 'CORRECTION'] as const)(
    'cannot put %s in place',
    (corrected_event_type) => {
      expect(pathsOf(correction({ corrected_event_type }))).toEqual(['corrected_event_type']);
    },
  );

  test('moves a date only together with an event', () => {
    expect(pathsOf(correction({ corrected_occurred_at_ms: onDay(3) }))).toEqual([
      'corrected_event_type',
    ]);
    const moved = correction({
      corrected_event_type: 'PAYMENT_LATE',
      corrected_occurred_at_ms: NOW_MS + 3_600_000,
    });
    expect(pathsOf(moved)).toEqual(['corrected_occurred_at']);
  });

  test('is for CORRECTION only', () => {
    const wrong = { ...correction(), event_type: 'PAYMENT_LATE' as const };
    expect(
      pathsOf({
        ...wrong,
        corrected_event_type: 'PAYMENT_LATE',
        corrected_occurred_at_ms: onDay(2),
      }),
    ).toEqual([
      'supersedes_event_id',
      'correction_reason',
      'corrected_event_type',
      'corrected_occurred_at',
    ]);
  });
});

test('nothing happens before its account was opened', () => {
  const moved = event('CORRECTION', 5, { corrected_occurred_at_ms: onDay(-1) });
  expect(checkAgainstOpening(moved, onDay(0)).map(({ path }) => path)).toEqual([
    'corrected_occurred_at',
  ]);
  expect(checkAgainstOpening(event('PAYMENT_DUE', 0), onDay(0))).toEqual([]);
  expect(checkAgainstOpening(event('PAYMENT_DUE', -1), onDay(0))).toHaveLength(1);
});

test('a repeated event says the same in every field but its reference', () => {
  const known = event('PAYMENT_MADE', 5, { amount_minor: 1n, source_reference: 'a' });
  expect(saysTheSame({ ...known, source_reference: 'b' }, known)).toBe(true);
  const changes = [
    { amount_minor: 2n },
    { balance_after_minor: 1n },
    { occurred_at_ms: onDay(6) },
    { event_type: 'PARTIAL_PAYMENT' as const },
    { default_severity: 'MINOR' as const },
    { by_network: true },
  ];
  for (const change of changes) expect(saysTheSame({ ...known, ...change }, known)).toBe(false);
});
