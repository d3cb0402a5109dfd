import { randomUUID } from 'node:crypto';
import { AccountStatus, SubjectType } from '@credit/proto/reporting/v1/types';
import { institution, keyed, newAccount, newSubject, refusal, useHarness } from './harness';

const harness = useHarness();

const DAY_MS = 86_400_000;
const lender = institution();
const duplicate = { code: 'INVALID_STATE_TRANSITION' };

const rename = (subject_id: string, names: object, ctx = lender) =>
  harness.reporting.updateSubject(ctx, { subject_id, ...names });

/** A subject that the institution has lent to a day ago. */
async function borrower(ctx = lender) {
  const subject = await newSubject(harness.reporting, ctx);
  await newAccount(harness.reporting, ctx, { subject_id: subject.id });
  harness.clock.offset_ms += DAY_MS;
  return { ...subject, current_username: subject.current_username ?? '' };
}

const individual = (names: object, ctx = lender) =>
  harness.reporting.createSubject(ctx, {
    type: SubjectType.INDIVIDUAL,
    game_uuid: randomUUID(),
    current_username: `user ${randomUUID()}`,
    ...names,
  });

async function find(q: string) {
  const { subjects } = await harness.reporting.searchSubjects(lender, { q, limit: 25 });
  return subjects.map(({ id }) => id);
}

test('gives a subject another name and goes on finding it by the old one', async () => {
  const subject = await borrower();
  const neighbour = await newSubject(harness.reporting, lender);
  const current_username = `Renamed ${randomUUID()}`;
  const { subject: after } = await rename(subject.id, { current_username, forum_id: 'f-new' });
  expect(after).toMatchObject({
    current_username,
    forum_id: 'f-new',
    display_name: current_username,
    game_uuid: subject.game_uuid,
  });
  const old_name = subject.current_username;
  expect(await find(current_username)).toEqual([subject.id]);
  expect(await find(old_name)).toEqual([subject.id]);
  const former = await harness.rows('live', 'SELECT * FROM subject_former_names');
  expect(former).toMatchObject([{ kind: 'current_username', name: old_name }]);
  const { subject: untouched } = await harness.reporting.getSubject(lender, {
    subject_id: neighbour.id,
  });
  expect(untouched).toEqual(neighbour);
});

describe('a name that was given up', () => {
  test('stays with its subject for 90 days, whoever asks and however', async () => {
    const subject = await borrower();
    const rival = await borrower();
    const old_name = subject.current_username;
    await rename(subject.id, { forum_id: `f-${old_name}` });
    await rename(subject.id, { current_username: randomUUID(), forum_id: randomUUID() });
    const taken = { ...duplicate, existing_id: subject.id };
    for (const current_username of [old_name, old_name.toUpperCase(), `\u200b${old_name} `]) {
      expect(await refusal(individual({ current_username }, institution()))).toMatchObject(taken);
      expect(await refusal(rename(rival.id, { current_username }))).toMatchObject(taken);
    }
    const confirmed = { confirm_distinct: true, distinct_note: 'met both of them' };
    expect(await refusal(individual({ forum_id: `f-${old_name}`, ...confirmed }))).toMatchObject(
      taken,
    );
    harness.clock.offset_ms += 89 * DAY_MS;
    expect(await refusal(individual({ current_username: old_name }))).toMatchObject(taken);
    harness.clock.offset_ms += 2 * DAY_MS;
    const { subject: heir } = await individual({ current_username: old_name });
    expect(heir?.current_username).toBe(old_name);
    await individual({ forum_id: `f-${old_name}` });
    // And now it is the heir's.
    expect(await refusal(rename(subject.id, { current_username: old_name }))).toMatchObject({
      ...duplicate,
      existing_id: heir?.id,
    });
    expect(await refusal(individual({ current_username: old_name }))).toMatchObject({
      ...duplicate,
      existing_id: heir?.id,
    });
  });

  test('may be taken up again by its subject, and is held as before then', async () => {
    const subject = await borrower();
    const old_name = subject.current_username;
    await rename(subject.id, { current_username: `other ${old_name}` });
    await rename(subject.id, { current_username: old_name });
    harness.clock.offset_ms += 100 * DAY_MS;
    expect(await refusal(individual({ current_username: old_name }))).toMatchObject({
      ...duplicate,
      existing_id: subject.id,
    });
    // The one in between has become free.
    await individual({ current_username: `other ${old_name}` });
  });

  test('goes to one of many who wait for its day', async () => {
    const subject = await borrower();
    const old_name = subject.current_username;
    await rename(subject.id, { current_username: randomUUID() });
    harness.clock.offset_ms += 91 * DAY_MS;
    const results = await Promise.allSettled([
      rename(subject.id, { current_username: old_name }),
      ...Array.from({ length: 6 }, () => individual({ current_username: old_name })),
    ]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

test('refuses a name that another holds, unless confirmed', async () => {
  const first = await borrower();
  const second = await borrower();
  const names = { current_username: first.current_username.toUpperCase() };
  expect(await refusal(rename(second.id, names))).toMatchObject({
    ...duplicate,
    existing_id: first.id,
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
    { ...duplicate, existing_id: first.id },
  );
});

describe('renaming', () => {
  test('is for who lent to the subject a day ago or longer, while the account is open', async () => {
    const subject = await newSubject(harness.reporting, lender);
    const other = institution();
    const names = { forum_id: randomUUID() };
    const forbidden = { code: 'INSUFFICIENT_SCOPE' };
    expect(await refusal(rename(subject.id, names, other))).toMatchObject(forbidden);
    // Not even whoever created it.
    expect(await refusal(rename(subject.id, names))).toMatchObject(forbidden);
    const account = (overrides: object) =>
      newAccount(harness.reporting, other, { subject_id: subject.id, ...overrides });
    await account({ status: AccountStatus.PAID, current_balance_minor: 0n });
    await account({ original_principal_minor: 0n, current_balance_minor: 0n });
    harness.clock.offset_ms += 2 * DAY_MS;
    expect(await refusal(rename(subject.id, names, other))).toMatchObject(forbidden);
    // However long ago it is said to have been opened.
    const lent = await account({});
    expect(await refusal(rename(subject.id, names, other))).toMatchObject(forbidden);
    harness.clock.offset_ms += DAY_MS + 1;
    await harness.rows('live', 'UPDATE accounts SET voided = true WHERE id = $1', [lent.id]);
    expect(await refusal(rename(subject.id, names, other))).toMatchObject(forbidden);
    await harness.rows('live', 'UPDATE accounts SET voided = false WHERE id = $1', [lent.id]);
    expect((await rename(subject.id, names, other)).subject).toMatchObject(names);
    expect(await refusal(rename(randomUUID(), names))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('takes only names of the own type, and at least one', async () => {
    const subject = await borrower();
    expect(await refusal(rename(subject.id, {}))).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await refusal(rename(subject.id, { trading_name: 'Shop' }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['trading_name'],
    });
    expect(await refusal(rename(subject.id, { current_username: '\u2060\u00ad' }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['current_username'],
    });
    const { subject: firm } = await harness.reporting.createSubject(lender, {
      type: SubjectType.ORGANISATION,
      legal_name: `Firm ${randomUUID()}`,
    });
    await newAccount(harness.reporting, lender, { subject_id: firm?.id ?? '' });
    harness.clock.offset_ms += DAY_MS;
    const { subject: shop } = await rename(firm?.id ?? '', { trading_name: 'Corner shop' });
    expect(shop?.display_name).toBe('Corner shop');
  });

  test('ends after ten names in 90 days, lest somebody keeps many names from others', async () => {
    const subject = await borrower();
    const names = ['one', 'two'].map((name) => `${name} ${randomUUID()}`);
    // Going back and forth counts each time.
    for (let times = 0; times < 8; times += 1) {
      await rename(subject.id, { current_username: names[times % 2] });
    }
    await rename(subject.id, { forum_id: randomUUID() });
    await rename(subject.id, { current_username: randomUUID(), forum_id: randomUUID() });
    const next = { current_username: randomUUID() };
    expect(await refusal(rename(subject.id, next))).toMatchObject(duplicate);
    harness.clock.offset_ms += 91 * DAY_MS;
    expect((await rename(subject.id, next)).subject).toMatchObject(next);
    const [{ times } = {}] = await harness.rows<{ times?: number }>(
      'live',
      'SELECT max(times) AS times FROM subject_former_names WHERE subject_id = $1 AND name = $2',
      [subject.id, names[0]],
    );
    expect(times).toBe(4);
  });

  test('is told to who created the subject and to all who report about it, not by whom', async () => {
    const subject = await newSubject(harness.reporting, institution());
    const [renamer, neighbour, past, gone] = Array.from({ length: 4 }, () =>
      institution(undefined, { client_address: '203.0.113.7', request_id: 'bank-7-request' }),
    );
    if (!renamer || !neighbour || !past || !gone) throw new Error('four');
    const of = { subject_id: subject.id };
    for (const ctx of [renamer, neighbour]) await newAccount(harness.reporting, ctx, of);
    await newAccount(harness.reporting, past, {
      ...of,
      status: AccountStatus.PAID,
      current_balance_minor: 0n,
    });
    const voided = await newAccount(harness.reporting, gone, of);
    await harness.rows('live', 'UPDATE accounts SET voided = true WHERE id = $1', [voided.id]);
    harness.clock.offset_ms += DAY_MS;
    const before = (await harness.outbox()).length;
    const confirmed = { confirm_distinct: true, distinct_note: 'seen in our branch' };
    await rename(subject.id, { forum_id: 'told-of', ...confirmed }, keyed(renamer));
    const told = (await harness.outbox()).slice(before);
    const creator = (
      await harness.rows<{ id: string }>(
        'live',
        'SELECT created_by_institution_id AS id FROM subjects WHERE id = $1',
        [subject.id],
      )
    )[0]?.id;
    const concerned = [creator, renamer, neighbour, past].map((one) =>
      typeof one === 'string' ? one : one?.institution_id,
    );
    const audits = told.flatMap(({ payload, request_id }) =>
      payload?.$case === 'audit_recorded' ? [{ ...payload.value, request_id }] : [],
    );
    expect(audits.map(({ institution_id }) => institution_id).sort()).toEqual(
      [...concerned].sort(),
    );
    for (const entry of audits) {
      expect(entry).toMatchObject({ action: 'subject.renamed', target_id: subject.id });
      const changes = JSON.parse(entry.changes_json);
      expect(changes.forum_id).toEqual({ from: null, to: 'told-of' });
      if (entry.institution_id === renamer.institution_id) {
        expect(entry).toMatchObject({ actor_id: renamer.actor.id, ip: '203.0.113.7' });
        expect(changes.distinct_note).toBe('seen in our branch');
      } else {
        expect(entry).toMatchObject({ actor_type: 'system', actor_id: '', ip: '', request_id: '' });
        expect(changes).not.toHaveProperty('distinct_note');
      }
    }
    const [renamed, ...others] = told.flatMap(({ payload }) =>
      payload?.$case === 'subject_renamed' ? [payload.value] : [],
    );
    expect(others).toEqual([]);
    expect(renamed).toMatchObject({ subject_id: subject.id, changed_fields: ['forum_id'] });
    expect([...(renamed?.institution_ids ?? [])].sort()).toEqual([...concerned].sort());
    expect(JSON.stringify(renamed)).not.toContain('told-of');
  });
});
