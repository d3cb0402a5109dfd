import { randomUUID } from 'node:crypto';
import { NIL_UUID } from '@credit/platform/values';
import type { CreateSubjectRequest, NewAccount } from '@credit/proto/reporting/v1/reporting';
import { SubjectOutcome } from '@credit/proto/reporting/v1/reporting';
import { SubjectType } from '@credit/proto/reporting/v1/types';
import { accountOf, institution, keyed, newSubject, refusal, useHarness } from './harness';

const harness = useHarness();
const lender = institution();
const { CREATED, EXISTING, NEEDS_REVIEW } = SubjectOutcome;

function person(overrides: Partial<CreateSubjectRequest> = {}): CreateSubjectRequest {
  return {
    type: SubjectType.INDIVIDUAL,
    game_uuid: randomUUID(),
    current_username: `user-${randomUUID()}`,
    ...overrides,
  };
}

function firm(overrides: Partial<CreateSubjectRequest> = {}): CreateSubjectRequest {
  return { type: SubjectType.ORGANISATION, legal_name: `Firm ${randomUUID()}`, ...overrides };
}

async function send(subjects: CreateSubjectRequest[], key = randomUUID(), by = lender) {
  return (await harness.reporting.createSubjects(keyed(by, key), { subjects })).subjects;
}

async function audited(action: string) {
  const payloads = (await harness.outbox()).map(({ payload }) => payload);
  return payloads.filter(
    (payload) => (payload as { value?: { action?: string } }).value?.action === action,
  );
}

test('of many each is created, found or left to people, in the order sent', async () => {
  const [known, namesake] = [person(), firm({ registration_number: `R-${randomUUID()}` })];
  const [first, second] = await send([known, namesake]);
  const sent = [
    person(),
    { ...known, current_username: `renamed-${randomUUID()}` },
    person({ current_username: known.current_username?.toUpperCase() }),
    namesake,
    firm({ legal_name: namesake.legal_name }),
    firm({ registration_number: namesake.registration_number }),
    person({
      current_username: known.current_username,
      confirm_distinct: true,
      distinct_note: 'met both',
    }),
  ];
  const answered = await send(sent);
  const outcomes = [CREATED, EXISTING, NEEDS_REVIEW, EXISTING, NEEDS_REVIEW, NEEDS_REVIEW, CREATED];
  expect(answered.map(({ outcome }) => outcome)).toEqual(outcomes);
  expect(answered.map(({ subject_id }) => subject_id)).toEqual([
    expect.any(String),
    first?.subject_id,
    undefined,
    second?.subject_id,
    undefined,
    undefined,
    expect.any(String),
  ]);
  const matchOf = (subject_id: string | undefined, field: string) => [
    { subject_id, field, message: expect.stringContaining(`has the same ${field}`) },
  ];
  expect(answered.map(({ matches }) => matches)).toEqual([
    [],
    [],
    matchOf(first?.subject_id, 'current_username'),
    [],
    matchOf(second?.subject_id, 'legal_name'),
    matchOf(second?.subject_id, 'registration_number'),
    [],
  ]);
  const created = answered.flatMap(({ outcome, subject_id }) =>
    outcome === CREATED ? [subject_id ?? ''] : [],
  );
  for (const subject_id of created) {
    const { subject } = await harness.reporting.getSubject(lender, { subject_id });
    expect(subject?.id).toBe(subject_id);
  }
  const changes_json = JSON.stringify({
    distinct: [{ subject_id: created[1], distinct_note: 'met both' }],
    subject_ids: created,
    subjects: 2,
  });
  const entry = (await audited('subjects.created')).at(-1) as { value: { changes_json: string } };
  expect(JSON.parse(entry.value.changes_json)).toEqual(JSON.parse(changes_json));
});

test('what an earlier item of the same call has become is on file for the later ones', async () => {
  const twin = person();
  const sent = [twin, twin, person({ current_username: twin.current_username }), { ...twin }];
  const answered = await send(sent);
  const id = answered[0]?.subject_id;
  expect(answered.map(({ outcome, subject_id }) => [outcome, subject_id])).toEqual([
    [CREATED, id],
    [EXISTING, id],
    [NEEDS_REVIEW, undefined],
    [EXISTING, id],
  ]);
  expect(answered[2]?.matches[0]?.subject_id).toBe(id);
});

test('a key replays the answer, for a week, and another body under it is refused', async () => {
  const key = randomUUID();
  const sent = [person()];
  const first = await send(sent, key);
  expect(await send(sent, key)).toEqual(first);
  expect(first[0]?.outcome).toBe(CREATED);
  expect(await refusal(send([person()], key))).toMatchObject({
    code: 'INVALID_STATE_TRANSITION',
    reason: 'IDEMPOTENCY_KEY_REUSED',
  });
  const [row] = await harness.rows<{ days: number }>(
    'live',
    `SELECT extract(day FROM expires_at - created_at)::integer AS days FROM idempotency_records
     WHERE key = $1`,
    [key],
  );
  expect(row?.days).toBe(7);
});

test('nothing of a call with a malformed item is kept, and every fault is named', async () => {
  const good = person();
  expect(
    await refusal(send([good, person({ game_uuid: 'x' }), firm({ legal_name: '\u200b' })])),
  ).toMatchObject({
    code: 'VALIDATION_ERROR',
    paths: ['subjects[1].game_uuid', 'subjects[2].legal_name'],
  });
  expect((await send([good]))[0]?.outcome).toBe(CREATED);
  expect(await refusal(send([]))).toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(await refusal(send(Array.from({ length: 101 }, () => person())))).toMatchObject({
    code: 'REQUEST_TOO_LARGE',
  });
});

test('calls at once with overlapping identities, in any order, make each subject once', async () => {
  const people = Array.from({ length: 60 }, () => person({ forum_id: `f-${randomUUID()}` }));
  const calls = Array.from({ length: 8 }, (_, call) => {
    const shifted = [...people.slice(call * 7), ...people.slice(0, call * 7)].slice(0, 40);
    return call % 2 === 0 ? shifted : shifted.toReversed();
  });
  const answers = await Promise.all(calls.map((sent) => send(sent)));
  const ids = new Map<string, Set<string | undefined>>();
  let created = 0;
  for (const [call, answer] of answers.entries()) {
    for (const [index, { outcome, subject_id }] of answer.entries()) {
      const key = calls[call]?.[index]?.game_uuid ?? '';
      ids.set(key, (ids.get(key) ?? new Set()).add(subject_id));
      if (outcome === CREATED) created += 1;
      expect(outcome).not.toBe(NEEDS_REVIEW);
    }
  }
  expect([...ids.values()].every((found) => found.size === 1)).toBe(true);
  expect(created).toBe(ids.size);
  const [row] = await harness.rows<{ count: string }>(
    'live',
    'SELECT count(*) FROM subjects WHERE game_uuid = ANY ($1::uuid[])',
    [people.map(({ game_uuid }) => game_uuid)],
  );
  expect(Number(row?.count)).toBe(ids.size);
});

describe('accounts that say whose they are', () => {
  const of = (subject: CreateSubjectRequest, more: Partial<NewAccount> = {}): NewAccount => ({
    ...accountOf(''),
    subject,
    ...more,
  });
  const create = (accounts: NewAccount[], dry_run?: boolean) =>
    harness.reporting.createAccounts(keyed(lender), { accounts, dry_run });

  test('find or create the subject with the account', async () => {
    const known = await newSubject(harness.reporting, lender);
    const [newcomer, renamed] = [
      person(),
      person({ game_uuid: known.game_uuid, current_username: 'another name' }),
    ];
    const { accounts } = await create([
      of(newcomer),
      accountOf(known.id),
      of(newcomer),
      of(renamed),
    ]);
    const ids = accounts.map(({ subject_id }) => subject_id);
    expect(ids).toEqual([ids[0], known.id, ids[0], known.id]);
    const { subject } = await harness.reporting.getSubject(lender, { subject_id: ids[0] ?? '' });
    expect(subject?.game_uuid).toBe(newcomer.game_uuid);
    expect((await audited('subjects.created')).at(-1)).toMatchObject({
      value: { target_type: 'batch', changes_json: expect.stringContaining(ids[0] ?? '-') },
    });
  });

  test('that need review refuse the batch and name each with its likeness', async () => {
    const known = await newSubject(harness.reporting, lender);
    const other = await newSubject(harness.reporting, lender);
    const newcomer = person();
    const doubtful = (of: typeof known) => person({ current_username: of.current_username });
    expect(
      await refusal(create([of(newcomer), of(doubtful(known)), of(doubtful(other))])),
    ).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      reason: 'DUPLICATE_SUBJECT',
      existing_id: known.id,
      paths: ['accounts[1].subject.current_username', 'accounts[2].subject.current_username'],
      existing_ids: [known.id, other.id],
    });
    expect((await send([newcomer]))[0]?.outcome).toBe(CREATED);
  });

  test('leave no subject behind when an account is refused', async () => {
    const taken = accountOf((await newSubject(harness.reporting, lender)).id);
    await create([taken]);
    const newcomer = person();
    const { external_account_id } = taken;
    expect(
      await refusal(create([of(newcomer), of(person(), { external_account_id })])),
    ).toMatchObject({
      reason: 'EXTERNAL_ID_TAKEN',
    });
    expect((await send([newcomer]))[0]?.outcome).toBe(CREATED);
  });

  test('need exactly one of both, and the subject a good shape', async () => {
    const known = await newSubject(harness.reporting, lender);
    expect(
      await refusal(
        create([
          of(person(), { subject_id: known.id }),
          accountOf(''),
          of(person({ game_uuid: undefined })),
        ]),
      ),
    ).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['accounts[0].subject', 'accounts[1].subject_id', 'accounts[2].subject.game_uuid'],
    });
    expect(
      await refusal(harness.reporting.createAccount(keyed(lender), { account: of(person()) })),
    ).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['account.subject'] });
  });

  test('tried in a dry run write nothing and show no ids that would be made', async () => {
    const newcomer = person();
    const { accounts } = await create([of(newcomer)], true);
    expect(accounts[0]).toMatchObject({ id: NIL_UUID, subject_id: NIL_UUID });
    expect((await send([newcomer]))[0]?.outcome).toBe(CREATED);
  });

  test('at once about the same people, in any order, make each subject once', async () => {
    const people = Array.from({ length: 30 }, () => person());
    const batches = Array.from({ length: 6 }, (_, index) =>
      (index % 2 === 0 ? people : people.toReversed()).map((subject) => of(subject)),
    );
    const answers = await Promise.all(batches.map((accounts) => create(accounts)));
    const ids = answers.flatMap(({ accounts }) => accounts.map(({ subject_id }) => subject_id));
    expect(new Set(ids).size).toBe(30);
  });
});
