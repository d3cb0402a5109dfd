import fc from 'fast-check';
import {
  type FileAct,
  type FileEntry,
  isFrozenFor,
  NO_RIGHTS,
  rightsAt,
  standingAt,
  withEntry,
} from '../src/domain/file-entries';
import { passesFreeze } from '../src/domain/inquiry';
import { PURPOSES } from '../src/domain/vocabulary';

const INSTITUTIONS = ['lender', 'bank'];
const RECORDS = ['event', 'account'];
/** Of any time: what is to end later than it began is the command's to see to. */
const TIME = fc.integer({ min: 0, max: 200 });

/** Targets are named by the number of their entry. */
const ACT: fc.Arbitrary<FileAct> = fc.oneof(
  fc.constantFrom<FileAct>({ kind: 'FREEZE_PLACED' }, { kind: 'FREEZE_LIFTED' }),
  fc.record({
    kind: fc.constant('THAW_PLACED' as const),
    institution_id: fc.option(fc.constantFrom(...INSTITUTIONS), { nil: undefined }),
    from_ms: TIME,
    until_ms: fc.option(TIME, { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('ALERT_PLACED' as const),
    alert_kind: fc.constant('FRAUD' as const),
    until_ms: TIME,
  }),
  fc.record({
    kind: fc.constantFrom('THAW_WITHDRAWN' as const, 'ALERT_REMOVED' as const),
    target_id: fc.integer({ min: 1, max: 12 }).map(String),
  }),
  fc.record({
    kind: fc.constant('STATEMENT_SET' as const),
    record: fc.constantFrom(...RECORDS).map((record_id) => ({
      record_kind: 'EVENT' as const,
      record_id,
      account_id: 'account',
      institution_id: 'lender',
    })),
    text: fc.string({ maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant('STATEMENT_REMOVED' as const),
    target_id: fc.constantFrom(...RECORDS),
  }),
);

const ENTRIES: fc.Arbitrary<FileEntry[]> = fc
  .array(fc.record({ act: ACT, after_ms: fc.integer({ min: 0, max: 20 }) }), { maxLength: 14 })
  .map((acts) => {
    let recorded_at_ms = 0;
    return acts.map(({ act, after_ms }, index) => {
      recorded_at_ms += after_ms;
      return { id: String(index + 1), sequence: index + 1, recorded_at_ms, act };
    });
  });

function ofKind<Kind extends FileAct['kind']>(entries: readonly FileEntry[], kind: Kind) {
  return entries.flatMap(({ act, ...entry }) =>
    act.kind === kind ? [{ ...entry, act: act as Extract<FileAct, { kind: Kind }> }] : [],
  );
}

/** The same said in another way: what the entries of before a time come to, without a fold. */
function said(all: readonly FileEntry[], at_ms: number) {
  const entries = all.filter(({ recorded_at_ms }) => recorded_at_ms <= at_ms);
  const lifted = ofKind(entries, 'FREEZE_LIFTED').at(-1)?.sequence ?? 0;
  const isEnded = (id: string, kind: 'THAW_WITHDRAWN' | 'ALERT_REMOVED') =>
    entries.some(
      ({ act, sequence }) => act.kind === kind && act.target_id === id && sequence > Number(id),
    );
  const thaws = ofKind(entries, 'THAW_PLACED').filter(
    ({ id, sequence, act }) =>
      sequence > lifted && (act.until_ms ?? Infinity) > at_ms && !isEnded(id, 'THAW_WITHDRAWN'),
  );
  const alert = ofKind(entries, 'ALERT_PLACED').at(-1);
  const stands =
    alert !== undefined && alert.act.until_ms > at_ms && !isEnded(alert.id, 'ALERT_REMOVED');
  const statements = new Map<string, string>();
  for (const { act } of entries) {
    if (act.kind === 'STATEMENT_SET') statements.set(act.record.record_id, act.text);
    if (act.kind === 'STATEMENT_REMOVED') statements.delete(act.target_id);
  }
  return {
    frozen_since_ms: ofKind(entries, 'FREEZE_PLACED').find(({ sequence }) => sequence > lifted)
      ?.recorded_at_ms,
    thaws: thaws.map(({ id }) => id),
    alerts: stands ? [alert.id] : [],
    statements: [...statements].sort(),
  };
}

function told(entries: readonly FileEntry[], at_ms: number) {
  const { frozen_since_ms, thaws, alerts, statements } = rightsAt(entries, at_ms);
  return {
    frozen_since_ms,
    thaws: thaws.map(({ id }) => id),
    alerts: alerts.map(({ id }) => id),
    statements: statements.map(({ record_id, text }) => [record_id, text]).sort(),
  };
}

test('how a file stood at any time is what its entries of up to then come to', () => {
  fc.assert(
    fc.property(ENTRIES, TIME, (entries, at_ms) => {
      expect(told(entries, at_ms)).toEqual(said(entries, at_ms));
    }),
    { numRuns: 2_000 },
  );
});

test('the kept fold of the entries is the file as it stands, at any later time', () => {
  fc.assert(
    fc.property(ENTRIES, TIME, (entries, later_ms) => {
      const kept = JSON.parse(JSON.stringify(entries.reduce(withEntry, NO_RIGHTS)));
      const at_ms = (entries.at(-1)?.recorded_at_ms ?? 0) + later_ms;
      expect(standingAt(kept, at_ms)).toEqual(rightsAt(entries, at_ms));
    }),
  );
});

test('a freeze holds for everybody but those whom a thaw is for, while it lasts', () => {
  fc.assert(
    fc.property(ENTRIES, TIME, fc.constantFrom(...INSTITUTIONS), (entries, later_ms, looker) => {
      const at_ms = (entries.at(-1)?.recorded_at_ms ?? 0) + later_ms;
      const { thaws, frozen_since_ms } = said(entries, at_ms);
      const open = ofKind(entries, 'THAW_PLACED').some(
        ({ id, act }) =>
          thaws.includes(id) && act.from_ms <= at_ms && (act.institution_id ?? looker) === looker,
      );
      const rights = entries.reduce(withEntry, NO_RIGHTS);
      expect(isFrozenFor(rights, looker, at_ms)).toBe(frozen_since_ms !== undefined && !open);
    }),
  );
});

test('an entry is in force for who has a slower clock', () => {
  const frozen = withEntry(NO_RIGHTS, {
    id: '1',
    sequence: 1,
    recorded_at_ms: 1_000,
    act: { kind: 'FREEZE_PLACED' },
  });
  expect(isFrozenFor(frozen, 'lender', 900)).toBe(true);
  const thawed = withEntry(frozen, {
    id: '2',
    sequence: 2,
    recorded_at_ms: 1_000,
    act: { kind: 'THAW_PLACED', institution_id: 'lender', from_ms: 1_000 },
  });
  expect(isFrozenFor(thawed, 'lender', 900)).toBe(false);
  expect(isFrozenFor(thawed, 'bank', 900)).toBe(true);
});

test('new business is refused under a freeze; what serves accounts that there are passes', () => {
  const passing = (has_own_account: boolean) =>
    PURPOSES.filter((purpose) => passesFreeze(purpose, has_own_account));
  expect(passing(false)).toEqual([
    'ACCOUNT_REVIEW',
    'COLLECTION',
    'IDENTITY_VERIFICATION',
    'FRAUD_PREVENTION',
    'SUBJECT_REQUEST',
  ]);
  expect(passing(true)).toEqual(['CREDIT_LIMIT_INCREASE', ...passing(false)]);
});
