import fc from 'fast-check';
import {
  type Change,
  emptyFile,
  isWhole,
  type SubjectFile,
  takeIn,
  takeInWhole,
  type WholeSubject,
} from '../src/domain/subject-file';
import { account, inquiry } from './model/facts-for-tests';

/** A subject's changes, numbered as reporting numbers them, and the whole of it at the end. */
function historyOf(kinds: readonly number[]): { changes: Change[]; whole: WholeSubject } {
  const subject = { subject_id: 's1', subject_type: 'INDIVIDUAL' as const };
  const versions = new Map<string, number>();
  const changes = kinds.map((kind, index): Change => {
    const subject_version = index + 1;
    if (kind === 0) {
      const made = inquiry({ inquiry_id: `i${subject_version}` });
      return { ...subject, type: 'INQUIRY', subject_version, inquiry: made };
    }
    const account_id = `a${kind}`;
    const version = (versions.get(account_id) ?? 0) + 1;
    versions.set(account_id, version);
    const facts = account({ account_id, balance_minor: BigInt(subject_version) });
    const credit_event_id = `e${subject_version}`;
    return {
      ...subject,
      type: 'ACCOUNT',
      subject_version,
      account: { version, facts },
      credit_event_id,
    };
  });
  const file = changes.reduce(takeIn, emptyFile('s1', 'INDIVIDUAL'));
  return {
    changes,
    whole: {
      ...subject,
      subject_version: changes.length,
      accounts: [...file.accounts.values()],
      inquiries: [...file.inquiries.values()],
      left_version: 0,
      last_change: { type: 'EVENT', id: undefined },
    },
  };
}

const kinds = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 25 });

/** Files compare by what is in them; maps remember the order of arrival. */
function contents({ head, accounts, inquiries }: SubjectFile): unknown {
  const byId = <Value>(map: ReadonlyMap<string, Value>) =>
    [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return { head, accounts: byId(accounts), inquiries: byId(inquiries) };
}

describe('a subject file', () => {
  test('ends the same whatever order its changes come in, and however often', () => {
    fc.assert(
      fc.property(kinds, fc.array(fc.nat(), { maxLength: 60 }), (kinds, picks) => {
        const { changes } = historyOf(kinds);
        const inOrder = changes.reduce(takeIn, emptyFile('s1', 'INDIVIDUAL'));
        const disorder = [
          ...picks.map((pick) => changes[pick % changes.length]),
          ...changes.toReversed(),
        ].filter((change) => change !== undefined);
        const file = disorder.reduce(takeIn, emptyFile('s1', 'INDIVIDUAL'));
        expect(contents(file)).toEqual(contents(inOrder));
        expect(file.head.complete_version).toBe(changes.length);
        expect(isWhole(file.head)).toBe(true);
      }),
    );
  });

  test('never claims to be complete beyond the first change it misses', () => {
    fc.assert(
      fc.property(kinds, fc.func(fc.boolean()), (kinds, arrives) => {
        const { changes } = historyOf(kinds);
        const arrived = changes.filter((change) => arrives(change.subject_version));
        const file = arrived.toReversed().reduce(takeIn, emptyFile('s1', 'INDIVIDUAL'));
        const seen = new Set(arrived.map(({ subject_version }) => subject_version));
        let complete = 0;
        while (seen.has(complete + 1)) complete += 1;
        expect(file.head.complete_version).toBe(complete);
        expect(isWhole(file.head)).toBe(seen.size === complete);
      }),
    );
  });

  test('is mended by the whole subject, and keeps what came after it', () => {
    fc.assert(
      fc.property(kinds, kinds, fc.func(fc.boolean()), (first, then, arrives) => {
        const { whole } = historyOf(first);
        const { changes } = historyOf([...first, ...then]);
        const arrived = changes.filter((change) => arrives(change.subject_version));
        const early = arrived.reduce(takeIn, emptyFile('s1', 'INDIVIDUAL'));
        const mended = takeInWhole(early, whole);
        expect(mended.head.complete_version).toBeGreaterThanOrEqual(first.length);
        expect(takeInWhole(mended, whole)).toBe(mended);
        const later = changes.filter(({ subject_version }) => subject_version > first.length);
        const complete = later.reduce(takeIn, mended);
        const inOrder = changes.reduce(takeIn, emptyFile('s1', 'INDIVIDUAL'));
        expect(contents(complete)).toEqual(contents(inOrder));
      }),
    );
  });

  test('an old look at the whole subject takes nothing back', () => {
    const { whole } = historyOf([1, 2]);
    const { changes } = historyOf([1, 2, 1, 0]);
    const file = changes.reduce(takeIn, emptyFile('s1', 'INDIVIDUAL'));
    expect(takeInWhole(file, whole)).toBe(file);
  });

  test('remembers no more than a bound of early changes, and a whole look still mends it', () => {
    const { changes, whole } = historyOf(Array.from({ length: 600 }, () => 1));
    const file = changes.slice(1).reduce(takeIn, emptyFile('s1', 'INDIVIDUAL'));
    expect(file.head.complete_version).toBe(0);
    expect(file.head.early_versions).toHaveLength(256);
    const mended = takeInWhole(file, whole);
    expect(mended.head).toMatchObject({ complete_version: 600, early_versions: [] });
    expect(mended.accounts.get('a1')?.version).toBe(600);
  });
});
