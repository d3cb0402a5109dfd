import { systemContext } from '@credit/platform/context';
import { isAppError } from '@credit/platform/errors';
import type { NewEvent } from '@credit/proto/reporting/v1/reporting';
import { AccountStatus, EventType } from '@credit/proto/reporting/v1/types';
import * as fc from 'fast-check';
import { replay } from '../src/domain/timeline';
import { EVENT_TYPES } from '../src/domain/vocabulary';

import { historiesOf } from '../src/store/events';
import { subjectFile } from '../src/store/subject-file';
import {
  accountOf,
  institution,
  keyed,
  newSubject,
  onDay,
  type Reporting,
  useHarness,
} from './harness';

const harness = useHarness();

const attempt = fc.record({
  account: fc.nat(2),
  event_type: fc.constantFrom(
    ...EVENT_TYPES.filter((type) => type !== 'ACCOUNT_OPENED' && type !== 'CORRECTION'),
  ),
  day: fc.nat(200),
  balance: fc.option(fc.nat(2), { freq: 2 }),
  reference: fc.option(fc.nat(5), { freq: 4 }),
  /** Corrects an earlier event instead. */
  correction: fc.option(fc.record({ target: fc.nat(30), replace: fc.boolean() }), { freq: 5 }),
  replica: fc.nat(1),
  /** Goes out together with the next one. */
  together: fc.boolean(),
});
type Attempt = typeof attempt extends fc.Arbitrary<infer T> ? T : never;

function eventOf(drawn: Attempt, account_id: string, known: readonly string[]): NewEvent {
  const base: NewEvent = {
    credit_account_id: account_id,
    event_type: EventType[drawn.event_type],
    occurred_at: onDay(drawn.day),
    amount_minor: 5n,
    balance_after_minor:
      drawn.balance === null || drawn.event_type === 'ACCOUNT_PAID'
        ? undefined
        : BigInt(drawn.balance),
    source_reference: drawn.reference === null ? undefined : `entry ${drawn.reference}`,
  };
  if (drawn.event_type === 'BALANCE_UPDATED') base.balance_after_minor ??= 1n;
  const target = drawn.correction && known[drawn.correction.target % Math.max(1, known.length)];
  if (target === null || target === undefined) return base;
  return {
    ...base,
    event_type: EventType.CORRECTION,
    supersedes_event_id: target,
    correction_reason: 'wrong',
    corrected_event_type: drawn.correction?.replace ? EventType.PAYMENT_LATE : undefined,
  };
}

test('whatever two replicas accepted at once, every account is what its events say', async () => {
  const replica = await harness.replica();
  const services: Reporting[] = [harness.reporting, replica.reporting];
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 10, maxLength: 40 }), async (attempts) => {
      const lender = institution();
      const subject = await newSubject(harness.reporting, lender);
      const { accounts } = await harness.reporting.createAccounts(keyed(lender), {
        accounts: [AccountStatus.CURRENT, AccountStatus.DELINQUENT, AccountStatus.CURRENT].map(
          (status) => accountOf(subject.id, { status, current_balance_minor: 2n }),
        ),
      });
      const known = new Map<string, string[]>();
      let inFlight: Promise<void>[] = [];
      for (const drawn of attempts) {
        const account_id = accounts[drawn.account]?.id ?? '';
        const ids = known.get(account_id) ?? [];
        known.set(account_id, ids);
        const event = eventOf(drawn, account_id, ids);
        const service = services[drawn.replica] ?? harness.reporting;
        inFlight.push(
          service.reportEvent(keyed(lender), { event }).then(
            (answer) => {
              accepted += 1;
              ids.push(answer.event?.id ?? '');
            },
            (error: unknown) => {
              if (!isAppError(error) || error.code === 'INTERNAL_ERROR') throw error;
            },
          ),
        );
        if (drawn.together) continue;
        await Promise.all(inFlight);
        inFlight = [];
      }
      await Promise.all(inFlight);

      const on = harness.db.read(systemContext('live'));
      const stored = (await subjectFile(on, subject.id, 0))?.accounts ?? [];
      const histories = await historiesOf(
        on,
        stored.map(({ facts }) => ({ subject_id: facts.subject_id, account_id: facts.id })),
      );
      expect(stored).toHaveLength(3);
      for (const account of stored) {
        const records = histories.get(account.facts.id) ?? [];
        const replayed = replay(records, account.state.organisation);
        expect(account.state).toEqual(replayed.state);
        expect(account.version).toBe(replayed.version);
        expect(records).toEqual(replayed.history?.records);
      }
      // Each change was told with the next version of the subject.
      const file = await replica.reporting.getSubjectFile(lender, { subject_id: subject.id });
      const told = await harness.changesTold(({ subject_id }) => subject_id === subject.id);
      const versions = told.map(({ subject_version }) => subject_version);
      expect(versions.sort((a, b) => a - b)).toEqual(
        Array.from({ length: file.subject_version }, (_unused, index) => index + 1),
      );
    }),
    { numRuns: 25 },
  );
  expect(accepted).toBeGreaterThan(100);
  await replica.stop();
}, 60_000);
