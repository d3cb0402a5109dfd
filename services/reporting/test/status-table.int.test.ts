import type { NewEvent } from '@credit/proto/reporting/v1/reporting';
import { AccountStatus, EventEffect, EventType } from '@credit/proto/reporting/v1/types';
import {
  EVENT_TYPES,
  type EventType as EventTypeName,
  isSuppression,
  UNDERLYING_STATUSES,
  type UnderlyingStatus,
} from '../src/domain/vocabulary';
import { EXPECTED_STATUSES } from './expected-statuses';
import { accountOf, institution, keyed, newSubject, payment, refusal, useHarness } from './harness';

const harness = useHarness();

/** The event that brings an open account into a status. */
const WAYS: Record<UnderlyingStatus, EventTypeName | undefined> = {
  CURRENT: undefined,
  PAST_DUE: 'PAYMENT_LATE',
  DELINQUENT: 'DELINQUENCY_STARTED',
  DEFAULTED: 'DEFAULT_REPORTED',
  RESTRUCTURED: 'ACCOUNT_RESTRUCTURED',
  WRITTEN_OFF: 'ACCOUNT_WRITTEN_OFF',
  PAID: 'ACCOUNT_PAID',
  CANCELLED: 'ACCOUNT_CLOSED',
};

const NEED_AMOUNT: ReadonlySet<EventTypeName> = new Set([
  'PAYMENT_MADE',
  'PARTIAL_PAYMENT',
  'LIMIT_CHANGED',
]);

function eventOf(account: { id: string }, event_type: EventTypeName, day: number): NewEvent {
  return payment(account, day, {
    event_type: EventType[event_type],
    amount_minor: NEED_AMOUNT.has(event_type) ? 1n : undefined,
    balance_after_minor: event_type === 'BALANCE_UPDATED' ? 0n : undefined,
  });
}

test.each([
  ['', false],
  [' under a dispute', true],
] as const)(
  'every event on every status%s is recorded, or 409 and nothing',
  async (_name, disputed) => {
    const lender = institution();
    const subject = await newSubject(harness.reporting, lender);
    const cells = UNDERLYING_STATUSES.flatMap((status) =>
      EVENT_TYPES.filter((type) => !isSuppression(type)).map((event_type) => ({
        status,
        event_type,
      })),
    );
    expect(cells).toHaveLength(8 * 20);
    for (let start = 0; start < cells.length; start += 80) {
      const { accounts } = await harness.reporting.createAccounts(keyed(lender), {
        accounts: cells
          .slice(start, start + 80)
          .map(() => accountOf(subject.id, { current_balance_minor: 0n })),
      });
      const prepared = accounts.map((account, index) => {
        const { status, event_type } = cells[start + index] ?? {
          status: 'CURRENT',
          event_type: 'CORRECTION',
        };
        const way = WAYS[status];
        const events = [
          // For the correction.
          eventOf(account, 'ACCOUNT_UPDATED', 1),
          ...(way === undefined ? [] : [eventOf(account, way, 2)]),
          ...(disputed ? [eventOf(account, 'DISPUTE_OPENED', 3)] : []),
        ];
        return { account, status, event_type, events };
      });
      const answers = await harness.reportAll(
        lender,
        prepared.flatMap(({ events }) => events),
      );
      await Promise.all(
        prepared.map(async ({ account, status, event_type, events }) => {
          const event = eventOf(account, event_type, 5);
          if (event_type === 'CORRECTION') {
            event.supersedes_event_id = answers.find(
              ({ credit_account_id }) => credit_account_id === account.id,
            )?.id;
            event.correction_reason = 'was never updated';
          }
          const before = await harness.accountNow(lender, account.id);
          expect(before.version).toBe(1 + events.length);
          const expected = expectedOf(status, event_type, disputed);
          const cell = `${event_type} on ${status}`;
          if (expected === undefined) {
            expect([cell, (await refusal(harness.report(lender, event))).code]).toEqual([
              cell,
              'INVALID_STATE_TRANSITION',
            ]);
            expect(await harness.accountNow(lender, account.id)).toEqual(before);
            expect(await harness.eventsOf(lender, account.id)).toHaveLength(1 + events.length);
            return;
          }
          const recorded = await harness.report(lender, event);
          expect([cell, recorded.resulting_status]).toEqual([cell, AccountStatus[expected]]);
          expect(recorded.effect).toBe(EventEffect.EFFECTIVE);
          const after = await harness.accountNow(lender, account.id);
          expect([cell, after.status]).toEqual([cell, AccountStatus[expected]]);
          expect(after.version).toBe(before.version + 1);
        }),
      );
    }
  },
  30_000,
);

/** What is shown after the event; undefined when it is impossible. */
function expectedOf(status: UnderlyingStatus, event_type: EventTypeName, disputed: boolean) {
  if (!disputed) return EXPECTED_STATUSES[status][event_type];
  if (event_type === 'DISPUTE_OPENED') return undefined;
  if (event_type === 'DISPUTE_RESOLVED') return status;
  return EXPECTED_STATUSES[status][event_type] === undefined ? undefined : 'DISPUTED';
}
