import { type AccountDraft, checkAccount } from '../src/domain/new-account';
import { NOW_MS, OPENED_AT_MS } from './builders';

const draft = (overrides: Partial<AccountDraft> = {}): AccountDraft => ({
  subject_id: '00000000-0000-7000-8000-000000000001',
  external_account_id: 'loan 1',
  account_type: 'TERM_LOAN',
  currency: undefined,
  original_principal_minor: 500n,
  current_balance_minor: undefined,
  interest_rate_bps: undefined,
  interest_type: undefined,
  opened_at_ms: OPENED_AT_MS,
  maturity_at_ms: undefined,
  payment_frequency: undefined,
  status: undefined,
  metadata_json: undefined,
  first_delinquency_at_ms: undefined,
  status_since_ms: undefined,
  certification: undefined,
  ...overrides,
});

function pathsOf(wrong: AccountDraft): string[] {
  const result = checkAccount(wrong, NOW_MS);
  return Array.isArray(result) ? result.map((detail) => detail.path) : [];
}

test('defaults: DCR, CURRENT, the principal as balance', () => {
  expect(checkAccount(draft(), NOW_MS)).toMatchObject({
    currency: 'DCR',
    status: 'CURRENT',
    current_balance_minor: 500n,
    metadata_json: '',
  });
});

test.each(['PAID', 'CANCELLED'] as const)('%s owes nothing', (status) => {
  expect(pathsOf(draft({ status, current_balance_minor: 1n }))).toEqual(['current_balance']);
  expect(checkAccount(draft({ status }), NOW_MS)).toMatchObject({ current_balance_minor: 0n });
});

test('DISPUTED is no status to begin with', () => {
  expect(pathsOf(draft({ status: 'DISPUTED' }))).toEqual(['status']);
});

test('a mortgage may be older than any event, but not from the future', () => {
  expect(pathsOf(draft({ opened_at_ms: Date.UTC(1990, 0, 1) }))).toEqual([]);
  expect(pathsOf(draft({ opened_at_ms: NOW_MS + 300_001 }))).toEqual(['opened_at']);
  expect(pathsOf(draft({ opened_at_ms: undefined, account_type: undefined }))).toEqual([
    'account_type',
    'opened_at',
  ]);
});

test('maturity is not before the opening', () => {
  expect(pathsOf(draft({ maturity_at_ms: OPENED_AT_MS }))).toEqual([]);
  expect(pathsOf(draft({ maturity_at_ms: OPENED_AT_MS - 1 }))).toEqual(['maturity_at']);
});

describe('metadata', () => {
  const check = (value: unknown) => pathsOf(draft({ metadata_json: JSON.stringify(value) }));

  test('is an object of at most 20 keys, 2 levels and 2 KiB', () => {
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_unused, index) => [`k${index}`, index]));
    expect(check({})).toEqual([]);
    expect(check(keys(20))).toEqual([]);
    expect(check(keys(21))).toEqual(['metadata']);
    expect(check({ a: { b: 1 } })).toEqual([]);
    expect(check({ a: { b: { c: 1 } } })).toEqual(['metadata']);
    expect(check({ a: [[1]] })).toEqual(['metadata']);
    expect(check({ a: 'x'.repeat(2_048) })).toEqual(['metadata']);
    // Bytes, not characters.
    expect(check({ a: 'é'.repeat(1_030) })).toEqual(['metadata']);
  });

  test('is nothing else', () => {
    for (const value of [[], 'x', 1, null, true]) expect(check(value)).toEqual(['metadata']);
    expect(pathsOf(draft({ metadata_json: '{' }))).toEqual(['metadata']);
  });
});
