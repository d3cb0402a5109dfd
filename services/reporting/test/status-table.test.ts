import {
  type AccountState,
  apply,
  type Entry,
  isRefusal,
  openAccount,
  shownStatus,
} from '../src/domain/account';
import {
  type AccountStatus,
  EVENT_TYPES,
  type EventType,
  isSuppression,
  UNDERLYING_STATUSES,
  type UnderlyingStatus,
} from '../src/domain/vocabulary';
import { NOW_MS, OPENED_AT_MS, onDay } from './builders';
import { EXPECTED_STATUSES } from './expected-statuses';

function accountThatIs(status: UnderlyingStatus, balance_minor = 0n): AccountState {
  return openAccount({
    organisation: false,
    voided: false,
    status,
    balance_minor,
    opened_at_ms: OPENED_AT_MS,
    reported_at_ms: NOW_MS,
    first_delinquency_at_ms: undefined,
    status_since_ms: undefined,
  });
}

function entry(event_type: EventType, overrides: Partial<Entry> = {}): Entry {
  return {
    occurred_at_ms: onDay(5),
    sequence: 2,
    event_type,
    amount_minor: undefined,
    balance_after_minor: undefined,
    default_severity: undefined,
    by_network: false,
    ...overrides,
  };
}

function outcome(result: ReturnType<typeof apply>): AccountStatus | 'IMPOSSIBLE' {
  return isRefusal(result) ? 'IMPOSSIBLE' : shownStatus(result);
}

describe('the status table', () => {
  for (const status of UNDERLYING_STATUSES) {
    for (const event_type of EVENT_TYPES.filter((type) => !isSuppression(type))) {
      const expected = EXPECTED_STATUSES[status][event_type] ?? 'IMPOSSIBLE';
      test(`${event_type} on ${status}: ${expected}`, () => {
        expect(outcome(apply(accountThatIs(status), entry(event_type)))).toBe(expected);
      });

      if (event_type === 'DISPUTE_OPENED') continue;
      test(`${event_type} on ${status} under a dispute moves what is underneath`, () => {
        const disputed = {
          ...accountThatIs(status),
          furnisher_flag: { since_ms: OPENED_AT_MS, ended_at_ms: undefined },
        };
        const result = apply(disputed, entry(event_type));
        if (event_type === 'DISPUTE_RESOLVED') {
          expect(outcome(result)).toBe(status);
        } else if (expected === 'IMPOSSIBLE') {
          expect(outcome(result)).toBe('IMPOSSIBLE');
        } else {
          expect(result).toMatchObject({
            underlying_status: expected,
            furnisher_flag: { ended_at_ms: undefined },
          });
          expect(outcome(result)).toBe('DISPUTED');
        }
      });
    }
  }
});

describe('closing', () => {
  test.each(['CURRENT', 'RESTRUCTURED'] as const)(
    '%s closes only when nothing is owed',
    (status) => {
      expect(outcome(apply(accountThatIs(status, 1n), entry('ACCOUNT_CLOSED')))).toBe('IMPOSSIBLE');
      const settled = entry('ACCOUNT_CLOSED', { balance_after_minor: 0n });
      expect(apply(accountThatIs(status, 1n), settled)).toMatchObject({
        underlying_status: 'CANCELLED',
        balance_minor: 0n,
        closed_at_ms: onDay(5),
      });
      const owing = entry('ACCOUNT_CLOSED', { balance_after_minor: 1n });
      expect(outcome(apply(accountThatIs(status), owing))).toBe('IMPOSSIBLE');
    },
  );

  test.each(['WRITTEN_OFF', 'PAID'] as const)('%s closes once', (status) => {
    const closed = apply(accountThatIs(status), entry('ACCOUNT_CLOSED'));
    expect(closed).toMatchObject({ underlying_status: status, closed_at_ms: onDay(5) });
    if (isRefusal(closed)) throw new Error(closed.refused);
    expect(outcome(apply(closed, entry('ACCOUNT_CLOSED')))).toBe('IMPOSSIBLE');
  });
});

describe('dispute flags', () => {
  const account = accountThatIs('PAST_DUE', 5n);
  const network = { by_network: true };
  const after = (...entries: Entry[]) =>
    entries.reduce((state, next) => {
      const result = apply(state, next);
      if (isRefusal(result)) throw new Error(result.refused);
      return result;
    }, account);

  test('are opened once and resolved once', () => {
    const disputed = after(entry('DISPUTE_OPENED'));
    expect(outcome(apply(disputed, entry('DISPUTE_OPENED')))).toBe('IMPOSSIBLE');
    const resolved = after(entry('DISPUTE_OPENED'), entry('DISPUTE_RESOLVED'));
    expect(shownStatus(resolved)).toBe('PAST_DUE');
    expect(outcome(apply(resolved, entry('DISPUTE_RESOLVED')))).toBe('IMPOSSIBLE');
  });

  test('of the network cannot be raised or ended by the furnisher', () => {
    const reviewed = after(entry('DISPUTE_OPENED', network));
    expect(outcome(apply(reviewed, entry('DISPUTE_OPENED')))).toBe('IMPOSSIBLE');
    expect(outcome(apply(reviewed, entry('DISPUTE_RESOLVED')))).toBe('IMPOSSIBLE');
    expect(outcome(apply(reviewed, entry('DISPUTE_RESOLVED', network)))).toBe('PAST_DUE');
  });

  test('of both end one by one', () => {
    const both = after(entry('DISPUTE_OPENED'), entry('DISPUTE_OPENED', network));
    expect(outcome(apply(both, entry('DISPUTE_OPENED', network)))).toBe('IMPOSSIBLE');
    const own = apply(both, entry('DISPUTE_RESOLVED', network));
    expect(own).toMatchObject({
      furnisher_flag: { ended_at_ms: undefined },
      network_review: false,
    });
    if (isRefusal(own)) throw new Error(own.refused);
    expect(outcome(apply(own, entry('DISPUTE_RESOLVED')))).toBe('PAST_DUE');
    expect(outcome(apply(own, entry('DISPUTE_RESOLVED', network)))).toBe('IMPOSSIBLE');
  });
});
