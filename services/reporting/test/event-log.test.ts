import type { EventRecord } from '../src/domain/event';
import { entryText } from '../src/domain/event-log';

const record: EventRecord = {
  id: '0198a1c3-0c70-7a21-8e55-0f1e2d3c4b5a',
  sequence: 2,
  event_type: 'PAYMENT_MADE',
  occurred_at_ms: 1_760_000_000_000,
  reported_at_ms: 1_760_000_000_123,
  amount_minor: 12_345n,
  balance_after_minor: undefined,
  source_reference: 'ledger "7"',
  default_severity: undefined,
  supersedes_event_id: undefined,
  correction_reason: undefined,
  corrected_event_type: undefined,
  corrected_occurred_at_ms: undefined,
  corrected_terms: undefined,
  certification: undefined,
  by_network: false,
  notice: undefined,
  opening_dates: undefined,
  superseded_by_event_id: undefined,
  effect: 'EFFECTIVE',
  resulting_status: 'CURRENT',
};
const whose = { institution_id: 'lender', subject_id: 'subject', account_id: 'account' };
const textOf = (changed: object = {}) =>
  entryText({ ...whose, record: { ...record, ...changed } as EventRecord });

test('an entry is written in one way, for good', () => {
  expect(textOf()).toBe(
    '["credit-event/1","lender","subject","account","2","0198a1c3-0c70-7a21-8e55-0f1e2d3c4b5a",' +
      '"PAYMENT_MADE","2025-10-09T08:53:20.000Z","2025-10-09T08:53:20.123Z","12345",null,' +
      '"ledger \\"7\\"",null,null,null,null,null,null,null,null,"furnisher"]',
  );
  const terms = { interest_rate_bps: 5, original_principal_minor: 100n };
  const turned = { original_principal_minor: 100n, interest_rate_bps: 5 };
  expect(textOf({ corrected_terms: terms })).toBe(textOf({ corrected_terms: turned }));
});

test('everything that was reported changes it, and nothing that follows from other events', () => {
  const reported = {
    sequence: 3,
    id: '0198a1c3-0c70-7a21-8e55-0f1e2d3c4b5b',
    event_type: 'PAYMENT_LATE',
    occurred_at_ms: 1,
    reported_at_ms: 1,
    amount_minor: 1n,
    balance_after_minor: 1n,
    source_reference: 'x',
    default_severity: 'SEVERE',
    supersedes_event_id: 'x',
    correction_reason: 'x',
    corrected_event_type: 'PAYMENT_LATE',
    corrected_occurred_at_ms: 1,
    corrected_terms: { interest_rate_bps: 1 },
    certification: 'x',
    by_network: true,
    opening_dates: { first_delinquency_at_ms: 1 },
  };
  const texts = Object.entries(reported).map(([name, value]) => textOf({ [name]: value }));
  expect(new Set([textOf(), ...texts]).size).toBe(texts.length + 1);
  const derived = { superseded_by_event_id: 'x', effect: 'IGNORED', resulting_status: undefined };
  // What the network was told of it is no part of the report.
  expect(textOf({ ...derived, notice: 'DEFAULT' })).toBe(textOf());
  const covered = [...Object.keys(reported), ...Object.keys(derived), 'notice'];
  expect(covered.toSorted()).toEqual(Object.keys(record).toSorted());
});
