import { randomUUID } from 'node:crypto';
import { AccountStatus, SubjectType } from '@credit/proto/reporting/v1/types';
import { institution, newAccount, newSubject, refusal, useHarness } from './harness';

const harness = useHarness();

const lender = institution();

const rename = (subject_id: string, names: object, ctx = lender) =>
  harness.reporting.updateSubject(ctx, { subject_id, ...names });

async function find(q: string) {
  const { subjects } = await harness.reporting.searchSubjects(lender, { q, limit: 25 });
  return subjects.map(({ id }) => id);
}

test('gives a subject another name and goes on finding it by the old one', async () => {
  const subject = await newSubject(harness.reporting, lender);
  const neighbour = await newSubject(harness.reporting, lender);
  const current_username = `Renamed ${randomUUID()}`;
  const { subject: after } = await rename(subject.id, { current_username, forum_id: 'f-new' });
  expect(after).toMatchObject({
    current_username,
    forum_id: 'f-new',
    display_name: current_username,
    game_uuid: subject.game_uuid,
  });
  const old_name = subject.current_username ?? '';
  expect(await find(current_username)).toEqual([subject.id]);
  expect(await find(old_name)).toEqual([subject.id]);
  const former = await harness.rows('live', 'SELECT * FROM subject_former_names');
  expect(former).toMatchObject([{ kind: 'current_username', name: old_name }]);
  expect((await harness.outbox()).at(-1)?.payload?.value).toMatchObject({
    action: 'subject.renamed',
    target_id: subject.id,
    changes_json: expect.stringContaining(old_name),
  });
  // The old name is free again.
  const { subject: heir } = await harness.reporting.createSubject(lender, {
    type: SubjectType.INDIVIDUAL,
    game_uuid: randomUUID(),
    current_username: old_name,
  });
  expect(heir?.current_username).toBe(old_name);
  const { subject: untouched } = await harness.reporting.getSubject(lender, {
    subject_id: neighbour.id,
  });
  expect(untouched).toEqual(neighbour);
});

test('refuses a name that another holds, unless confirmed', async () => {
  const first = await newSubject(harness.reporting, lender);
  const second = await newSubject(harness.reporting, lender);
  const names = { current_username: first.current_username?.toUpperCase() };
  expect(await refusal(rename(second.id, names))).toMatchObject({
    code: 'INVALID_STATE_TRANSITION',
  });
  expect(await refusal(rename(second.id, { ...names, confirm_distinct: true }))).toMatchObject({
    code: 'VALIDATION_ERROR',
    paths: ['distinct_note'],
  });
  const confirmed = { confirm_distinct: true, distinct_note: 'met both of them' };
  const { subject } = await rename(second.id, { ...names, ...confirmed });
  expect(subject?.current_username).toBe(names.current_username);
  await rename(first.id, { forum_id: 'taken-forum' });
  expect(await refusal(rename(second.id, { forum_id: 'Taken-Forum', ...confirmed }))).toMatchObject(
    { code: 'INVALID_STATE_TRANSITION' },
  );
});

test('is for who created the subject or holds an open account of it', async () => {
  const subject = await newSubject(harness.reporting, lender);
  const other = institution();
  const names = { forum_id: randomUUID() };
  expect(await refusal(rename(subject.id, names, other))).toMatchObject({
    code: 'INSUFFICIENT_SCOPE',
  });
  await newAccount(harness.reporting, other, {
    subject_id: subject.id,
    status: AccountStatus.PAID,
    current_balance_minor: 0n,
  });
  expect(await refusal(rename(subject.id, names, other))).toMatchObject({
    code: 'INSUFFICIENT_SCOPE',
  });
  await newAccount(harness.reporting, other, { subject_id: subject.id });
  expect((await rename(subject.id, names, other)).subject).toMatchObject(names);
  expect(await refusal(rename(randomUUID(), names))).toMatchObject({ code: 'NOT_FOUND' });
});

test('takes only names of the own type, and at least one', async () => {
  const subject = await newSubject(harness.reporting, lender);
  expect(await refusal(rename(subject.id, {}))).toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(await refusal(rename(subject.id, { trading_name: 'Shop' }))).toMatchObject({
    code: 'VALIDATION_ERROR',
    paths: ['trading_name'],
  });
  const { subject: firm } = await harness.reporting.createSubject(lender, {
    type: SubjectType.ORGANISATION,
    legal_name: `Firm ${randomUUID()}`,
  });
  const { subject: shop } = await rename(firm?.id ?? '', { trading_name: 'Corner shop' });
  expect(shop?.display_name).toBe('Corner shop');
});
