import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import { EventType, type Purpose } from '@credit/proto/reporting/v1/types';
import * as fc from 'fast-check';
import { growEventLog } from '../src/commands/grow-event-log';
import { verifyEventLogs } from '../src/queries/verify-event-log';
import { verifyRecord } from '../src/queries/verify-record';
import {
  accountOf,
  institution,
  keyed,
  newAccount,
  newSubject,
  payment,
  personOf,
  type Reporting,
  refusal,
  useHarness,
} from './harness';

const harness = useHarness();
afterEach(() => {
  harness.clock.offset_ms = 0;
});

const admin = () =>
  keyed(
    systemContext('live', {
      actor: { type: 'user', id: randomUUID(), administers: true },
      request_id: randomUUID(),
    }),
  );
const REASON = 'One person, filed twice.';

async function merge(subject_id: string, other_subject_id: string, on = harness.reporting) {
  const { move } = await on.mergeSubjects(admin(), {
    subject_id,
    other_subject_id,
    reason: REASON,
  });
  if (move === undefined) throw new Error('no move');
  return move;
}

async function takeBack(subject_id: string, move_id: string, more: object = {}) {
  const { move } = await harness.reporting.splitSubject(admin(), {
    subject_id,
    move_id,
    account_ids: [],
    inquiry_ids: [],
    reason: 'Two persons after all.',
    ...more,
  });
  return move;
}

function look(ctx: CallContext, subject_id: string, purpose: Purpose = 'NEW_CREDIT_APPLICATION') {
  return harness.reporting.recordInquiry(ctx, { inquiry_id: newId(), subject_id, purpose });
}

const subjectOf = async (ctx = institution()) => (await newSubject(harness.reporting, ctx)).id;

async function twoFiles() {
  const [bank, cards] = [institution(), institution()];
  const [a, b] = [await subjectOf(bank), await subjectOf(cards)];
  const own = await newAccount(harness.reporting, bank, { subject_id: a });
  const moved = await newAccount(harness.reporting, cards, { subject_id: b });
  await harness.report(cards, payment(moved, 3));
  await look(bank, b);
  return { bank, cards, a, b, own, moved };
}

/** All that reads as a file, without what a move raises. */
async function fileOf(subject_id: string) {
  const { subject_version: _version, ...file } = await harness.reporting.getSubjectFile(
    institution(),
    { subject_id },
  );
  const { rights } = await harness.reporting.getFileRights(personOf(subject_id), {});
  const bare = ({ subject_version: _raised, ...record }: { subject_version?: number }) => record;
  return {
    accounts: file.accounts.map(bare),
    inquiries: file.inquiries.map(bare),
    last: undefined,
    rights: { ...rights, sequence: undefined },
  };
}

const MERGED = { code: 'INVALID_STATE_TRANSITION', reason: 'SUBJECT_MERGED' };

describe('a merge', () => {
  test('moves everything, and the old id leads on wherever it is used', async () => {
    const { a, b, bank, cards, moved, own } = await twoFiles();
    const move = await merge(a, b);
    expect(move).toMatchObject({ kind: 'MERGE', account_count: 1, inquiry_count: 1 });
    const { accounts, inquiries } = await harness.reporting.getSubjectFile(bank, { subject_id: a });
    expect(accounts.map(({ account_id }) => account_id).sort()).toEqual([own.id, moved.id].sort());
    expect(inquiries).toHaveLength(1);
    const { moves } = await harness.reporting.getPersonFile(personOf(a), {});
    expect(moves).toMatchObject([
      { kind: 'MERGE', came: true, account_count: 1, inquiry_count: 1 },
    ]);
    expect(await harness.reporting.getSubjectFile(bank, { subject_id: b })).toMatchObject({
      accounts: [],
      inquiries: [],
    });
    const { rights: _rights, ...reads } = {
      rights: undefined,
      get: () => harness.reporting.getSubject(bank, { subject_id: b }),
      account: () => newAccount(harness.reporting, cards, { subject_id: b }),
      bulk: () =>
        harness.reporting.createAccounts(keyed(cards), { accounts: [accountOf(b), accountOf(a)] }),
      inquiry: () => look(cards, b),
      follow: () => harness.reporting.followSubject(cards, { subject_id: b }),
      simulate: () => harness.reporting.simulateSubjectFile(cards, { subject_id: b, events: [] }),
      rename: () => harness.reporting.updateSubject(cards, { subject_id: b, forum_id: 'f' }),
      accounts: () => harness.reporting.listAccounts(cards, { subject_id: b, limit: 10 }),
      inquiries: () => harness.reporting.listInquiries(cards, { subject_id: b, limit: 10 }),
      furnisher: () => harness.reporting.requireFurnisher(cards, { subject_id: b }),
      person: () => harness.reporting.getPersonFile(personOf(b), {}),
      freeze: () => harness.reporting.placeFreeze(personOf(b), {}),
      rightsOf: () => harness.reporting.getFileRights(personOf(b), {}),
      past: () => {
        const now = new Date(harness.clock.now_ms()).toISOString();
        const wanted = { subject_id: b, as_of: now, known_at: now };
        return harness.reporting.getSubjectFileAt(cards, wanted);
      },
      merge: () => merge(b, a),
      again: () => merge(a, b),
    };
    for (const [name, read] of Object.entries(reads)) {
      expect([name, await refusal(read())]).toEqual([name, expect.objectContaining(MERGED)]);
      await expect(read()).rejects.toMatchObject({ merged_into: a });
    }
    // By its own id the account is where it was, and takes events.
    expect(await harness.accountNow(cards, moved.id)).toMatchObject({ subject_id: a });
    await harness.report(cards, payment(moved, 5));
    expect((await verifyRecord(harness.db, 'live')).first).toEqual([]);
  });

  test('tells each member of its own accounts alone, the log of the network why', async () => {
    const { a, b, bank, cards, moved } = await twoFiles();
    const watcher = institution();
    await look(watcher, a);
    const { id: move_id } = await merge(a, b);
    const told = (await harness.outbox()).flatMap(({ payload }) =>
      payload?.$case === 'subject_merged' && payload.value.move_id === move_id
        ? [payload.value]
        : [],
    );
    expect(
      Object.fromEntries(
        told.map(({ institution_id, account_ids }) => [institution_id, account_ids]),
      ),
    ).toEqual({
      [bank.institution_id]: [],
      [cards.institution_id]: [moved.id],
      [watcher.institution_id]: [],
    });
    const audited = (await harness.outbox()).flatMap(({ payload }) =>
      payload?.$case === 'audit_recorded' && payload.value.action === 'subject.merged'
        ? [payload.value]
        : [],
    );
    const of_move = audited.filter(({ changes_json }) => changes_json.includes(move_id));
    expect(of_move.map(({ institution_id }) => institution_id).sort()).toEqual(
      ['', ...told.map(({ institution_id }) => institution_id)].sort(),
    );
    expect(of_move.filter(({ changes_json }) => changes_json.includes(REASON))).toMatchObject([
      { institution_id: '' },
    ]);
  });

  test('has both sets of identifiers find the one file, and gives each its own back', async () => {
    const { a, b, cards } = await twoFiles();
    const { subject } = await harness.reporting.getSubject(cards, { subject_id: b });
    const game_uuid = subject?.game_uuid ?? '';
    const name = subject?.current_username ?? '';
    const { id } = await merge(a, b);
    const find = async () => {
      const found = await harness.reporting.getSubjectByGameUuid(cards, { game_uuid });
      const signed_in = await harness.reporting.identifyPerson(cards, {
        kind: 'game_uuid',
        value: game_uuid,
      });
      const { subjects } = await harness.reporting.searchSubjects(cards, { q: name, limit: 5 });
      const { accounts } = await harness.reporting.createAccounts(keyed(cards), {
        accounts: [
          accountOf('', {
            subject: { type: 'INDIVIDUAL', game_uuid, current_username: name },
          } as object),
        ],
      });
      return {
        ids: [found.subject?.id, signed_in.subject_id, ...subjects.map((one) => one.id)],
        opened: accounts[0],
      };
    };
    const between = await find();
    expect(between.ids).toEqual([a, a, a]);
    expect(between.opened).toMatchObject({ subject_id: a });
    await takeBack(a, id);
    expect((await find()).ids).toEqual([b, b, b]);
    // What was opened by the old identifiers is that subject's.
    const opened = await harness.accountNow(cards, between.opened?.id ?? '');
    expect(opened.subject_id).toBe(b);
  });

  test('is refused of what can never be one', async () => {
    const { a } = await twoFiles();
    expect(await refusal(merge(a, a))).toMatchObject({ paths: ['other_subject_id'] });
    expect(await refusal(merge(a, randomUUID()))).toMatchObject({ code: 'NOT_FOUND' });
    const { subject } = await harness.reporting.createSubject(institution(), {
      type: 'ORGANISATION',
      legal_name: `Guild ${randomUUID()}`,
    });
    expect(await refusal(merge(a, subject?.id ?? ''))).toMatchObject({ reason: 'NOT_MERGEABLE' });
    const request = { subject_id: a, other_subject_id: a, reason: 'x' };
    for (const nobody of [institution(), personOf(a)]) {
      expect(await refusal(harness.reporting.mergeSubjects(nobody, request))).toMatchObject({
        reason: 'ROLE',
      });
    }
  });

  test('once under a key, and a dry run not at all', async () => {
    const { a, b, moved } = await twoFiles();
    const caller = admin();
    const request = { subject_id: a, other_subject_id: b, reason: REASON };
    const { preview } = await harness.reporting.mergeSubjects(caller, {
      ...request,
      dry_run: true,
    });
    expect(preview?.to_after?.accounts).toHaveLength(2);
    expect(preview?.from_after?.accounts).toEqual([]);
    expect(preview?.from_before?.accounts).toHaveLength(1);
    expect(
      (await harness.reporting.getSubjectFile(caller, { subject_id: b })).accounts,
    ).toMatchObject([{ account_id: moved.id }]);
    const { move } = await harness.reporting.mergeSubjects(caller, request);
    const again = { ...caller, reply_metadata: new Map() };
    expect((await harness.reporting.mergeSubjects(again, request)).move).toEqual(move);
  });

  test('shows in the past what was known then', async () => {
    const { a, b, bank } = await twoFiles();
    const at = () => new Date(harness.clock.now_ms()).toISOString();
    const fileAt = (subject_id: string, moment: string) =>
      harness.reporting.getSubjectFileAt(bank, {
        subject_id,
        as_of: moment,
        known_at: moment,
      });
    const seen = (file: Awaited<ReturnType<typeof fileAt>>) => ({
      accounts: file.accounts.map(({ subject_version: _version, ...account }) => account),
      inquiries: file.inquiries.map(({ subject_version: _version, ...inquiry }) => inquiry),
    });
    harness.clock.offset_ms += 1_000;
    const before = at();
    const [a_then, b_then] = [seen(await fileAt(a, before)), seen(await fileAt(b, before))];
    harness.clock.offset_ms += 1_000;
    const { id } = await merge(a, b);
    harness.clock.offset_ms += 1_000;
    const between = at();
    const merged = seen(await fileAt(a, between));
    expect(merged.accounts).toHaveLength(2);
    expect(seen(await fileAt(a, before))).toEqual(a_then);
    harness.clock.offset_ms += 1_000;
    await takeBack(a, id);
    expect(seen(await fileAt(a, before))).toEqual(a_then);
    expect(seen(await fileAt(b, before))).toEqual(b_then);
    expect(seen(await fileAt(a, between))).toEqual(merged);
    expect(seen(await fileAt(b, between))).toEqual({ accounts: [], inquiries: [] });
  });

  test('keeps what was logged of events true, and provable', async () => {
    const { a, b, cards, moved } = await twoFiles();
    const [event] = await harness.eventsOf(cards, moved.id);
    await grow();
    const size = (
      await harness.rows<{ size: string }>(
        'live',
        'SELECT size FROM event_logs WHERE institution_id = $1',
        [cards.institution_id],
      )
    )[0]?.size;
    const prove = () =>
      harness.reporting.proveEvent(cards, {
        account_id: moved.id,
        event_id: event?.id ?? '',
        size: BigInt(size ?? 0),
      });
    const before = await prove();
    expect(JSON.parse(before.entry)).toContain(b);
    const { id } = await merge(a, b);
    expect(await prove()).toEqual(before);
    await harness.report(cards, payment(moved, 9));
    await takeBack(a, id);
    await grow();
    expect(await prove()).toEqual(before);
    const verified = await verifyEventLogs(harness.db, 'live', Date.now(), []);
    expect(verified.faults).toEqual([]);
  });
});

async function grow() {
  await new Promise((resolve) => setTimeout(resolve, 5));
  const config = { EVENT_LOG_SETTLE_S: 0, EVENT_LOG_EVERY_S: 0 };
  const deps = { db: harness.db, clock: { now_ms: () => Date.now() }, newId, config };
  while (await growEventLog(deps as never, 'live')) {
    // Until nothing is left.
  }
}

describe("a person's own word", () => {
  test('holds on the merged file as the stricter of both, and comes back with its own file', async () => {
    const { a, b, cards, moved } = await twoFiles();
    await harness.reporting.placeFreeze(personOf(b), {});
    await harness.reporting.placeAlert(personOf(b), { kind: 'FRAUD' });
    await harness.reporting.setStatement(personOf(b), { record_id: moved.id, text: 'Not mine.' });
    const { id } = await merge(a, b);
    expect(await refusal(look(institution(), a))).toMatchObject({ reason: 'FILE_FROZEN' });
    const shown = await harness.reporting.getFileRights(personOf(a), {});
    expect(shown.rights).toMatchObject({
      alerts: [{ kind: 'FRAUD' }],
      statements: [{ record_id: moved.id, text: 'Not mine.' }],
    });
    // Who lifts it for the one file has not lifted it for the other.
    await harness.reporting.liftFreeze(personOf(a), {});
    await look(institution(), a);
    await takeBack(a, id);
    expect(await refusal(look(institution(), b))).toMatchObject({ reason: 'FILE_FROZEN' });
    await look(institution(), a);
    const [after_a, after_b] = await Promise.all([fileOf(a), fileOf(b)]);
    expect(after_a.rights).toMatchObject({ alerts: [], statements: [] });
    expect(after_b.rights).toMatchObject({
      alerts: [{ kind: 'FRAUD' }],
      statements: [{ record_id: moved.id }],
    });
    expect((await verifyRecord(harness.db, 'live')).first).toEqual([]);
    void cards;
  });

  test('that protects stands on both when it was placed between the two', async () => {
    const { a, b } = await twoFiles();
    const { id } = await merge(a, b);
    await harness.reporting.placeFreeze(personOf(a), {});
    await takeBack(a, id);
    for (const subject_id of [a, b]) {
      expect(await refusal(look(institution(), subject_id))).toMatchObject({
        reason: 'FILE_FROZEN',
      });
    }
  });
});

describe('a split', () => {
  test('moves single records with what is said about them, to a subject on file or a new one', async () => {
    const bank = institution();
    const a = await subjectOf(bank);
    const [kept, wrong] = [
      await newAccount(harness.reporting, bank, { subject_id: a }),
      await newAccount(harness.reporting, bank, { subject_id: a }),
    ];
    const { inquiry } = await look(bank, a);
    await harness.reporting.setStatement(personOf(a), { record_id: wrong.id, text: 'A namesake.' });
    const split = (more: object) =>
      harness.reporting.splitSubject(admin(), {
        subject_id: a,
        account_ids: [],
        inquiry_ids: [],
        reason: 'A namesake’s.',
        ...more,
      });
    const namesake = {
      type: 'INDIVIDUAL' as const,
      game_uuid: randomUUID(),
      current_username: `user ${randomUUID()}`,
    };
    const { move } = await split({
      to_subject: namesake,
      account_ids: [wrong.id],
      inquiry_ids: [inquiry?.id],
    });
    const target = move?.to_subject_id ?? '';
    expect((await fileOf(a)).accounts).toMatchObject([{ account_id: kept.id }]);
    expect(await fileOf(target)).toMatchObject({
      accounts: [{ account_id: wrong.id }],
      inquiries: [{ inquiry_id: inquiry?.id }],
      rights: { statements: [{ record_id: wrong.id }] },
    });
    expect((await fileOf(a)).rights).toMatchObject({ statements: [] });
    const told = async (subject_id: string) =>
      (await harness.reporting.getPersonFile(personOf(subject_id), {})).moves;
    expect(await told(a)).toMatchObject([{ kind: 'SPLIT', came: false, account_count: 1 }]);
    expect(await told(target)).toMatchObject([{ kind: 'SPLIT', came: true, inquiry_count: 1 }]);
    expect(await refusal(split({ to_subject_id: target, account_ids: [wrong.id] }))).toMatchObject({
      paths: ['account_ids[0]'],
    });
    expect(await refusal(split({ to_subject_id: target }))).toMatchObject({
      paths: ['account_ids'],
    });
    expect(await refusal(split({ account_ids: [kept.id] }))).toMatchObject({
      paths: ['to_subject_id'],
    });
    const { moves } = await harness.reporting.listSubjectMoves(admin(), {
      subject_id: target,
      limit: 5,
    });
    expect(moves).toMatchObject([{ kind: 'SPLIT', from_subject_id: a, account_count: 1 }]);
  });

  test('takes a merge back once, and follows a chain from its end', async () => {
    const [a, b, c] = [await twoFiles(), await twoFiles(), await twoFiles()].map(
      ({ a: one }) => one,
    );
    if (a === undefined || b === undefined || c === undefined) throw new Error('no subjects');
    const first = await merge(b, a);
    const second = await merge(c, b);
    await expect(
      harness.reporting.getSubject(institution(), { subject_id: a }),
    ).rejects.toMatchObject({
      merged_into: c,
    });
    expect(await refusal(takeBack(b, first.id))).toMatchObject(MERGED);
    expect(await refusal(takeBack(c, first.id))).toMatchObject({ code: 'NOT_FOUND' });
    await takeBack(c, second.id);
    expect(await refusal(takeBack(c, second.id))).toMatchObject({ reason: 'MOVE_NOT_REVERSIBLE' });
    await takeBack(b, first.id);
    for (const subject_id of [a, b, c]) {
      expect((await fileOf(subject_id)).accounts).toHaveLength(1);
    }
  });
});

const deed = fc.record({
  file: fc.nat(1),
  what: fc.constantFrom(
    'account',
    'payment',
    'late',
    'correction',
    'void',
    'hard',
    'soft',
    'freeze',
    'lift',
    'thaw',
    'alert',
    'statement',
    'wait',
  ),
  who: fc.nat(1),
  pick: fc.nat(50),
});

/** Makes a file of what is drawn; what the record refuses is left out. */
async function make(
  subjects: readonly string[],
  deeds: readonly (typeof deed extends fc.Arbitrary<infer T> ? T : never)[],
) {
  const lenders = [institution(), institution()];
  const accounts: { id: string; file: number; lender: CallContext; events: string[] }[] = [];
  let day = 2;
  for (const { file, pick, what, who } of deeds) {
    const subject_id = subjects[file] ?? '';
    const lender = lenders[who] ?? institution();
    const person = personOf(subject_id);
    const account = accounts.filter((one) => one.file === file)[pick % 3];
    const report = async (more: object) => {
      if (account === undefined) return;
      day += 1;
      const { id } = await harness.report(account.lender, payment(account, day, more));
      account.events.push(id);
    };
    const tried: Record<typeof what, () => Promise<unknown>> = {
      account: async () => {
        const { id } = await newAccount(harness.reporting, lender, { subject_id });
        const [opening] = await harness.eventsOf(lender, id);
        accounts.push({ id, file, lender, events: [opening?.id ?? ''] });
      },
      payment: () => report({}),
      late: () => report({ event_type: EventType.PAYMENT_LATE, amount_minor: undefined }),
      correction: () =>
        report({
          event_type: EventType.CORRECTION,
          amount_minor: undefined,
          supersedes_event_id: account?.events.at(-1),
          correction_reason: 'wrong',
        }),
      void: () =>
        report({
          event_type: EventType.CORRECTION,
          amount_minor: undefined,
          supersedes_event_id: account?.events[0],
          correction_reason: 'not theirs',
        }),
      hard: () => look(lender, subject_id),
      soft: () => look(lender, subject_id, 'PREQUALIFICATION'),
      freeze: () => harness.reporting.placeFreeze(person, {}),
      lift: () => harness.reporting.liftFreeze(person, {}),
      thaw: () => harness.reporting.placeThaw(person, { institution_id: lender.institution_id }),
      alert: () => harness.reporting.placeAlert(person, { kind: 'FRAUD' }),
      statement: async () =>
        account &&
        harness.reporting.setStatement(person, { record_id: account.id, text: `word ${pick}` }),
      wait: async () => {
        harness.clock.offset_ms += 3_600_000 * (1 + (pick % 20));
      },
    };
    await tried[what]().catch((error: { code?: string }) => {
      if (error.code === undefined || error.code === 'INTERNAL_ERROR') throw error;
    });
  }
}

test('whatever two files hold: merged and split again, both are what they were, in the past too', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(deed, { minLength: 5, maxLength: 25 }),
      fc.array(deed, { maxLength: 4 }),
      async (deeds, between) => {
        const [a, b] = [await subjectOf(), await subjectOf()];
        await make([a, b], deeds);
        harness.clock.offset_ms += 1_000;
        const moment = new Date(harness.clock.now_ms()).toISOString();
        const pasts = () =>
          Promise.all(
            [a, b].map(async (subject_id) => {
              const wanted = { subject_id, as_of: moment, known_at: moment };
              const file = await harness.reporting.getSubjectFileAt(institution(), wanted);
              const bare = ({ subject_version: _raised, ...one }: { subject_version?: number }) =>
                one;
              return {
                ...file,
                accounts: file.accounts.map(bare),
                inquiries: file.inquiries.map(bare),
              };
            }),
          );
        const before = [await fileOf(a), await fileOf(b)];
        const past = await pasts();
        harness.clock.offset_ms += 1_000;
        const { id } = await merge(a, b);
        // What comes between is of the file that there is.
        await make([a, a], between);
        await takeBack(a, id);
        expect(await pasts()).toEqual(past);
        const after = [await fileOf(a), await fileOf(b)];
        expect(after[1]?.accounts).toEqual(before[1]?.accounts);
        expect(after[1]?.inquiries).toEqual(before[1]?.inquiries);
        if (between.length === 0) expect(after).toEqual(before);
        expect((await verifyRecord(harness.db, 'live')).first).toEqual([]);
      },
    ),
    { numRuns: 12 },
  );
});

test('beside reports, looks, freezes and other merges nothing is lost and nobody waits for good', async () => {
  const replica = await harness.replica();
  const services: Reporting[] = [harness.reporting, replica.reporting];
  const lender = institution();
  const subjects = [await subjectOf(), await subjectOf(), await subjectOf()];
  const accounts = await Promise.all(
    subjects.map((subject_id) => newAccount(harness.reporting, lender, { subject_id })),
  );
  const accepted: string[] = [];
  const looks: string[] = [];
  const tolerated = async (run: Promise<unknown>) => {
    await run.catch((error: { code?: string; reason?: string }) => {
      if (error.code !== 'INVALID_STATE_TRANSITION' && error.code !== 'NOT_FOUND') throw error;
    });
  };
  const [a = '', b = '', c = ''] = subjects;
  for (let round = 0; round < 6; round += 1) {
    const on = (index: number) => services[(round + index) % 2] ?? harness.reporting;
    const reports = accounts.flatMap((account, index) =>
      [0, 1].map(async (nth) => {
        const day = 3 + round * 10 + index * 2 + nth;
        const { event } = await on(nth).reportEvent(keyed(lender), {
          event: payment(account, day),
        });
        accepted.push(event?.id ?? '');
      }),
    );
    const seen = subjects.map((subject_id, index) =>
      tolerated(
        on(index)
          .recordInquiry(lender, { inquiry_id: newId(), subject_id, purpose: 'ACCOUNT_REVIEW' })
          .then(({ inquiry }) => looks.push(inquiry?.id ?? '')),
      ),
    );
    const moves = [
      tolerated(merge(a, b, on(0))),
      tolerated(merge(b, a, on(1))),
      tolerated(merge(c, b, on(0))),
      tolerated(on(1).placeAlert(personOf(b), { kind: 'FRAUD' })),
    ];
    await Promise.all([...reports, ...seen, ...moves]);
    for (const subject_id of [c, b, a]) {
      const { moves: made } = await harness.reporting.listSubjectMoves(admin(), {
        subject_id,
        limit: 50,
      });
      const standing = made.find(
        (move) =>
          move.to_subject_id === subject_id &&
          move.kind === 'MERGE' &&
          move.undone_by_move_id === undefined,
      );
      if (standing !== undefined) await tolerated(takeBack(subject_id, standing.id));
    }
  }
  const kept = await harness.rows<{ id: string }>(
    'live',
    'SELECT id FROM credit_events WHERE account_id = ANY ($1::uuid[])',
    [accounts.map(({ id }) => id)],
  );
  const ids = new Set(kept.map(({ id }) => id));
  expect(accepted.filter((id) => !ids.has(id))).toEqual([]);
  expect(accepted).toHaveLength(36);
  const inquiries = await harness.rows<{ id: string }>(
    'live',
    'SELECT id FROM inquiries WHERE institution_id = $1',
    [lender.institution_id],
  );
  expect(inquiries).toHaveLength(looks.length);
  expect((await verifyRecord(harness.db, 'live')).first).toEqual([]);
  await replica.stop();
}, 60_000);
