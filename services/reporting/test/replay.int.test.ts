import { systemContext } from '@credit/platform/context';
import { type AppError, isAppError } from '@credit/platform/errors';
import type { NewEvent } from '@credit/proto/reporting/v1/reporting';
import {
  type Account,
  AccountStatus,
  type CreditEvent,
  EventType,
} from '@credit/proto/reporting/v1/types';
import * as fc from 'fast-check';
import { replay } from '../src/domain/timeline';
import {
  EVENT_TYPES,
  type EventType as EventTypeName,
  isSuppression,
} from '../src/domain/vocabulary';
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

/** Mostly undefined; `freq` of fc.option is how often it is not. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const attemptOf = (types: readonly EventTypeName[]) =>
  fc.record({
    account: fc.nat(2),
    event_type: fc.constantFrom(...types),
    day: fc.nat(200),
    balance: fc.option(fc.nat(2), { freq: 2, nil: undefined }),
    reference: rarely(fc.nat(5)),
    /** Corrects an earlier event instead. */
    correction: rarely(fc.record({ target: fc.nat(30), replace: fc.boolean() })),
    replica: fc.nat(1),
    /** Goes out together with the next one. */
    together: fc.boolean(),
  });
const attempt = attemptOf(
  EVENT_TYPES.filter(
    (type) => type !== 'ACCOUNT_OPENED' && type !== 'CORRECTION' && !isSuppression(type),
  ),
);
/** Of what most accounts can take. */
const likelyAttempt = attemptOf([
  'PAYMENT_MADE',
  'PAYMENT_LATE',
  'ACCOUNT_UPDATED',
  'ACCOUNT_CURRENT',
  'BALANCE_UPDATED',
  'DELINQUENCY_STARTED',
  'DELINQUENCY_CURED',
  'ACCOUNT_PAID',
]);
type Attempt = typeof attempt extends fc.Arbitrary<infer T> ? T : never;

function eventOf(drawn: Attempt, account_id: string, known: readonly string[]): NewEvent {
  const base: NewEvent = {
    credit_account_id: account_id,
    event_type: EventType[drawn.event_type],
    occurred_at: onDay(drawn.day),
    amount_minor: 5n,
    balance_after_minor:
      drawn.balance === undefined || drawn.event_type === 'ACCOUNT_PAID'
        ? undefined
        : BigInt(drawn.balance),
    source_reference: drawn.reference === undefined ? undefined : `entry ${drawn.reference}`,
  };
  if (drawn.event_type === 'BALANCE_UPDATED') base.balance_after_minor ??= 1n;
  const target = drawn.correction && known[drawn.correction.target % Math.max(1, known.length)];
  if (target === undefined) return base;
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
  let told_notices = 0;
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
      // Of every default and delinquency the network was told once, with its event's own id.
      const notices = (await harness.noticesTold(subject.id)).map(
        ({ value }) => value.credit_event_id,
      );
      const due = [...histories.values()].flat().filter(({ notice }) => notice !== undefined);
      expect(notices.sort()).toEqual(due.map(({ id }) => id).sort());
      told_notices += notices.length;
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
  expect(told_notices).toBeGreaterThan(25);
  await replica.stop();
}, 120_000);

// What two accounts share that were told the same: all but ids and the moment of the report.
function essenceOf(account: Account | undefined, records: readonly CreditEvent[]) {
  const { version, status, current_balance_minor, first_delinquency_at, bucket, closed_at } =
    account ?? ({} as Account);
  const sequences = new Map(records.map(({ id, sequence }) => [id, sequence]));
  return {
    account: { version, status, current_balance_minor, first_delinquency_at, bucket, closed_at },
    records: records.map(({ id, credit_account_id, subject_id, reported_at, ...record }) => ({
      ...record,
      supersedes_event_id: sequences.get(record.supersedes_event_id ?? ''),
      superseded_by_event_id: sequences.get(record.superseded_by_event_id ?? ''),
    })),
  };
}

const withoutIds = (text: string) => text.replace(/[0-9a-f-]{36}/g, 'ID');

/** Two accounts that begin alike, and how to look at one. */
async function twoAccounts() {
  const lender = institution();
  const subject = await newSubject(harness.reporting, lender);
  const opened = () => accountOf(subject.id, { current_balance_minor: 2n });
  const { accounts } = await harness.reporting.createAccounts(keyed(lender), {
    accounts: [opened(), opened()],
  });
  const [batched, single] = accounts;
  if (batched === undefined || single === undefined) throw new Error('no accounts');
  const look = async (id: string) =>
    essenceOf(await harness.accountNow(lender, id), await harness.eventsOf(lender, id));
  return { lender, batched, single, look };
}

test('a batch is its events one by one: the same record, or the same refusal and nothing', async () => {
  let accepted = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(likelyAttempt, { minLength: 1, maxLength: 6 }),
      fc.array(likelyAttempt, { minLength: 1, maxLength: 6 }),
      async (first, second) => {
        const { lender, batched, single, look } = await twoAccounts();
        // Whatever of the first is possible is on record of both, to be corrected by the second.
        const known: Record<string, string[]> = { [batched.id]: [], [single.id]: [] };
        for (const drawn of first) {
          for (const { id } of [batched, single]) {
            const ids = known[id] ?? [];
            await harness.report(lender, eventOf(drawn, id, ids)).then(
              (event) => ids.push(event.id),
              (error: unknown) => {
                if (!isAppError(error) || error.code === 'INTERNAL_ERROR') throw error;
              },
            );
          }
        }
        // A batch takes effect in the order of time.
        const story = (id: string) =>
          second
            .map((drawn) => eventOf(drawn, id, known[id] ?? []))
            .sort((a, b) => Date.parse(a.occurred_at ?? '') - Date.parse(b.occurred_at ?? ''));
        const before = await look(batched.id);
        const answer = await harness.reportAll(lender, story(batched.id)).then(
          (events) => ({ events }),
          (error: unknown) => ({ error }),
        );
        if ('error' in answer) {
          refused += 1;
          expect(await look(batched.id)).toEqual(before);
        }
        const singly: CreditEvent[] = [];
        let failure: unknown;
        for (const event of story(single.id)) {
          try {
            singly.push(await harness.report(lender, event));
          } catch (error) {
            failure = error;
            break;
          }
        }
        if ('events' in answer) {
          accepted += 1;
          expect(failure).toBeUndefined();
          expect(answer.events.map(({ sequence }) => sequence)).toEqual(
            singly.map(({ sequence }) => sequence),
          );
          expect(await look(batched.id)).toEqual(await look(single.id));
        } else {
          const error = answer.error as AppError;
          expect(isAppError(failure) && failure.code).toBe(error.code);
          // Shapes are looked at before anything else: the one at fault may stand further on.
          if (error.code === 'VALIDATION_ERROR') return;
          expect(withoutIds(error.message)).toBe(
            withoutIds(`events[${singly.length}]: ${(failure as AppError).message}`),
          );
        }
      },
    ),
    { numRuns: 20 },
  );
  expect(accepted).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
}, 120_000);
