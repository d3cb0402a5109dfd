import { randomUUID } from 'node:crypto';
import { Client, enrol, type Json, logIn, type Member } from '@credit/local/demo/client';
import type { Person } from '../support/console';
import { eventually } from '../support/eventually';
import { useStage } from '../support/stage';

let anonymous: Client;
let administrator: Client;
let lender: Member;
let officer: Person;

const stage = useStage('shared');

beforeAll(async () => {
  anonymous = new Client(stage.system.base_url);
  const { email, password } = stage.system.superadmin;
  administrator = await logIn(anonymous, email, password);
  lender = await enrol(anonymous, administrator, 'Anchor Bank');
  officer = await join(lender, 'COMPLIANCE');
}, 240_000);

/** Somebody who works for the lender. */
async function join({ owner }: Member, role: string): Promise<Person> {
  const email = `${role.toLowerCase()}-${randomUUID()}@anchor.example`;
  const password = 'a sentence that is long';
  const invitation = await owner.create<Json>('/institutions/users/invitations', { email, role });
  await anonymous.create('/auth/accept-invitation', {
    token: invitation.token,
    display_name: 'Cora Compliance',
    password,
  });
  return { email, password };
}

/** A borrower's loan that is said to be in default, and the dispute about it. */
async function contested(description: string) {
  const { key } = lender;
  const subject = await key.create<Json>('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `debtor${randomUUID().slice(0, 8)}`,
  });
  const account = await key.create<Json>(
    '/accounts',
    {
      subject_id: subject.id,
      external_account_id: `loan-${randomUUID().slice(0, 8)}`,
      account_type: 'TERM_LOAN',
      original_principal: 1_000,
      current_balance: 640.5,
      opened_at: '2025-01-15T00:00:00Z',
    },
    randomUUID(),
  );
  const event = await key.create<Json>(
    `/accounts/${account.id}/events`,
    { event_type: 'DEFAULT_REPORTED', occurred_at: '2026-05-20T00:00:00Z' },
    randomUUID(),
  );
  const dispute = await anonymous.create<Json>('/public/disputes', {
    credit_event_id: event.id,
    opened_by: 'Dora Debtor, dora@debtor.example',
    reason: 'INCORRECT_STATUS',
    description,
    evidence_links: ['https://files.example/receipts.pdf'],
  });
  const isKnown = (listed: Json) => listed.some(({ id }: Json) => id === dispute.id);
  await eventually(() => key.get<Json[]>('/disputes'), isKnown);
  return { account, event, dispute, subject };
}

test('a compliance officer answers; an administrator sees the record beside the answer and corrects it', async () => {
  const { account, dispute } = await contested(
    'I never defaulted. The receipts show every payment, the last one of May too.',
  );

  const member = await stage.desk();
  await member.signIn(officer);
  const { page } = member;
  await page.getByRole('link', { name: 'Disputes to answer' }).click();
  await page.getByRole('link', { name: 'Needs an answer' }).waitFor();
  expect(await member.examined('disputes')).toEqual([]);
  await page.getByRole('link', { name: 'Incorrect status' }).click();
  await page.getByText('I never defaulted.').waitFor();
  const shown = String(await page.locator('main').textContent());
  expect(shown).toContain('Dora Debtor');
  expect(shown).not.toContain('dora@debtor.example');
  expect(shown).toContain(account.external_account_id);
  expect(await member.examined('dispute')).toEqual([]);

  // What is missing comes back beside its field, with what was typed.
  await page.getByLabel('What you found').fill('The standing order of May was returned.');
  await page.getByRole('button', { name: 'Look at it before it is sent' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  expect(await page.getByLabel('What you found').inputValue()).toContain('standing order');
  expect(await member.examined('dispute-faults')).toEqual([]);
  await page.getByLabel('Verified').check();
  await page.getByRole('button', { name: 'Look at it before it is sent' }).click();
  await page.getByRole('heading', { name: 'Send this answer?' }).waitFor();
  expect(await member.examined('dispute-confirm')).toEqual([]);
  // Nothing is kept yet, and it can still be changed.
  const read = () => lender.key.get<Json>(`/disputes/${dispute.id}`);
  expect((await read()).answers).toEqual([]);
  await page.getByRole('button', { name: 'Change it' }).click();
  expect(await page.getByLabel('Verified').isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Look at it before it is sent' }).click();
  await page.getByRole('button', { name: 'Send the answer' }).click();
  await page.getByText('Your answer is kept.').waitFor();
  expect((await read()).answers).toMatchObject([{ verdict: 'VERIFIED' }]);
  expect(await member.examined('dispute-answered')).toEqual([]);
  await member.goTo('/disputes');
  await page.getByText('Nothing waits for your answer.').waitFor();
  expect(await member.examined('disputes-none')).toEqual([]);

  const desk = await stage.desk();
  await desk.signIn(stage.system.superadmin);
  const { page: network } = desk;
  await desk.goTo('/network/disputes');
  await network.getByText('Answered', { exact: true }).first().waitFor();
  expect(await desk.examined('desk')).toEqual([]);
  await network.getByRole('link', { name: 'Incorrect status' }).click();
  for (const beside of [
    'dora@debtor.example',
    'The standing order of May was returned.',
    String(account.external_account_id),
    'Default reported',
  ]) {
    await network.getByText(beside).first().waitFor();
  }
  expect(await desk.examined('desk-dispute')).toEqual([]);

  await network.getByRole('button', { name: 'See what it would do' }).click();
  await network.getByText('Please look at what is marked.').waitFor();
  await network.getByLabel('Correct the record').check();
  await network.getByLabel('What you found').fill('The bank confirms every transfer.');
  await network.getByRole('button', { name: 'See what it would do' }).click();
  await network.getByRole('heading', { name: 'Correct the record?' }).waitFor();
  await network.getByText('Nothing has happened yet.').waitFor();
  const before = network
    .getByRole('table', { name: 'Accounts before and after' })
    .getByRole('row', { name: String(account.external_account_id) });
  expect(await before.textContent()).toMatch(/Defaulted.*becomes.*Current/);
  expect(await desk.examined('desk-preview')).toEqual([]);
  expect(await read()).toMatchObject({ status: 'OPEN' });
  await network.getByRole('button', { name: 'Change it' }).click();
  expect(await network.getByLabel('What you found').inputValue()).toContain('every transfer');
  await network.getByRole('button', { name: 'See what it would do' }).click();
  await network.getByRole('button', { name: 'Correct the record' }).click();
  await network.getByText('It is decided: the record is corrected.').waitFor();
  await network.getByText('By the network').first().waitFor();
  expect(await desk.examined('desk-decided')).toEqual([]);
  expect(await lender.key.get(`/accounts/${account.id}`)).toMatchObject({ status: 'CURRENT' });

  // The member finds in its log who looked and who decided.
  const actions = () => lender.owner.get<Json[]>('/audit?limit=50');
  const told = await eventually(actions, (events) =>
    events.some(({ action }: Json) => action === 'dispute.resolved'),
  );
  expect(told.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['dispute.answered', 'dispute.record_read', 'dispute.resolved']),
  );
  await member.goTo(`/disputes/${dispute.id}`);
  await page.getByText('The bank confirms every transfer.').first().waitFor();
  expect([...member.faults, ...desk.faults]).toEqual([]);
  await member.close();
  await desk.close();
}, 300_000);

test('with scripts off a dispute is reviewed, corrected otherwise, and found among others of its account', async () => {
  const { account, dispute, event } = await contested('It was paid late, but never in default.');
  const desk = await stage.desk({ javaScriptEnabled: false });
  await desk.signIn(stage.system.superadmin);
  const { page } = desk;
  await desk.goTo(`/network/disputes/${dispute.id}`);
  await page.getByLabel('Review it').check();
  await page.getByRole('button', { name: 'See what it would do' }).click();
  await page.getByRole('button', { name: 'Review it' }).click();
  await page.getByText('It is under review.').waitFor();
  expect(await lender.key.get(`/accounts/${account.id}`)).toMatchObject({ status: 'DISPUTED' });

  await page.getByLabel('Correct the record').check();
  await page.getByLabel('What you found').fill('It came late.');
  await page.getByText('put something else in its place').click();
  await page.getByLabel('What happened instead').selectOption('PAYMENT_LATE');
  await page.getByLabel('Amount').fill('much');
  await page.getByRole('button', { name: 'See what it would do' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  expect(await page.getByLabel('Amount').inputValue()).toBe('much');
  await page.getByLabel('Amount').fill('');
  await page.getByRole('button', { name: 'See what it would do' }).click();
  await page.getByRole('button', { name: 'Correct the record' }).click();
  await page.getByText('It is decided: the record is corrected.').waitFor();
  const { status } = await lender.key.get<Json>(`/accounts/${account.id}`);
  expect(status).toBe('PAST_DUE');

  const again = await anonymous.create<Json>('/public/disputes', {
    credit_event_id: event.id,
    opened_by: 'Dora Debtor',
    reason: 'OTHER',
    description: 'I still do not agree with what you found.',
  });
  const isKnown = (listed: Json) => listed.some(({ id }: Json) => id === again.id);
  await eventually(() => lender.key.get<Json[]>('/disputes'), isKnown);
  await desk.goTo(`/network/disputes/${again.id}`);
  await page.getByRole('heading', { name: 'Other disputes of the same' }).waitFor();
  await page.getByRole('link', { name: 'Incorrect status' }).click();
  await page.getByText('It was paid late, but never in default.').waitFor();
  await desk.close();
}, 240_000);

test.each([
  ['with scripts', true],
  ['without scripts', false],
])(
  'the facts of an opening are put right, %s',
  async (_, javaScriptEnabled) => {
    const { account, subject } = await contested('Something else of the same account.');
    const [opening] = (await lender.key.get<Json[]>(`/accounts/${account.id}/events`)).slice(-1);
    const dispute = await anonymous.create<Json>('/public/disputes', {
      credit_event_id: opening?.id,
      opened_by: 'Dora Debtor',
      reason: 'INCORRECT_DATES',
      description: 'It was opened in February, and it was half as much.',
      subject_id: subject.id,
    });
    const desk = await stage.desk({ javaScriptEnabled });
    await desk.signIn(stage.system.superadmin);
    const { page } = desk;
    await desk.goTo(`/network/disputes/${dispute.id}`);
    await page.getByLabel('Correct the record').check();
    await page.getByLabel('What you found').fill('The contract is of 20 February.');
    await page.getByText('put the facts of the opening right').click();
    await page.getByLabel('Lent at first').fill('half');
    await page.getByLabel('Opened, in UTC').fill('2031-02-20T00:00');
    await page.getByRole('button', { name: 'See what it would do' }).click();
    await page.getByText('Please look at what is marked.').waitFor();
    const marked = () =>
      page.locator('[aria-invalid]').evaluateAll((all) => all.map(({ id }) => id));
    expect(await marked()).toEqual(['original_principal']);
    if (javaScriptEnabled) expect(await desk.examined('desk-terms-faults')).toEqual([]);
    await page.getByLabel('Lent at first').fill('700');
    // What only the record can say comes back beside its field, too.
    await page.getByRole('button', { name: 'See what it would do' }).click();
    await page.getByText('Please look at what is marked.').waitFor();
    expect(await marked()).toEqual(['opened_at']);
    await page.getByLabel('Opened, in UTC').fill('2025-02-20T00:00');
    await page.getByRole('button', { name: 'See what it would do' }).click();
    await page.getByText('Nothing has happened yet.').waitFor();
    const facts = page.getByRole('table', { name: 'Facts of accounts that change' });
    expect(await facts.textContent()).toMatch(/Opened2025-01-15.*becomes.*2025-02-20/);
    expect(await facts.textContent()).toMatch(/Lent at first.*1,000.*becomes.*700/);
    if (javaScriptEnabled) expect(await desk.examined('desk-terms-preview')).toEqual([]);
    await page.getByRole('button', { name: 'Correct the record' }).click();
    await page.getByText('It is decided: the record is corrected.').waitFor();
    expect(await lender.key.get(`/accounts/${account.id}`)).toMatchObject({
      original_principal: 700,
      opened_at: '2025-02-20T00:00:00.000Z',
      voided: false,
    });
    expect(desk.faults).toEqual([]);
    await desk.close();
  },
  240_000,
);

test('of inquiries that nobody authorised those that are chosen lose their effect', async () => {
  const { subject } = await contested('Something else of the same person.');
  const look = (purpose: string) =>
    lender.key.create<Json>('/inquiries', { subject_id: subject.id, purpose });
  const kept = await look('NEW_CREDIT_APPLICATION');
  const wrong = await look('CREDIT_LIMIT_INCREASE');
  const contest = (fields: Json) =>
    anonymous.create<Json>('/public/disputes', {
      opened_by: 'Dora Debtor',
      reason: 'UNAUTHORISED_INQUIRY',
      description: 'I asked for one loan, and never for more credit.',
      subject_id: subject.id,
      ...fields,
    });
  const dispute = await contest({ reported_institution_id: lender.institution_id });
  const desk = await stage.desk();
  await desk.signIn(stage.system.superadmin);
  const { page } = desk;
  await desk.goTo(`/network/disputes/${dispute.id}`);
  const shown = page.getByRole('region', { name: 'The inquiries' });
  expect(await shown.getByRole('listitem').count()).toBe(2);
  expect(await shown.textContent()).toContain('Anchor Bank');
  expect(await desk.examined('desk-inquiries')).toEqual([]);
  await page.getByLabel('Correct the record').check();
  await page.getByLabel('What you found').fill('Nobody asked for a higher limit.');
  await page.locator(`[name=inquiry_ids][value="${wrong.id}"]`).check();
  await page.getByRole('button', { name: 'See what it would do' }).click();
  await page.getByText('One inquiry loses its effect.').waitFor();
  await page.getByRole('button', { name: 'Correct the record' }).click();
  await page.getByText('It is decided: the record is corrected.').waitFor();
  const inquiries = await lender.key.get<Json[]>(`/inquiries?subject_id=${subject.id}`);
  const voided = new Map(inquiries.map(({ id, voided_at }) => [id, voided_at]));
  expect([voided.get(kept.id), voided.get(wrong.id)]).toEqual([null, expect.any(String)]);

  // Of one that names nobody they have to be chosen, and those that are voided cannot be.
  const nobodys = await contest({});
  const isKnown = (listed: Json[]) => listed.some(({ id }) => id === nobodys.id);
  await eventually(() => lender.key.get<Json[]>('/disputes'), isKnown);
  await desk.goTo(`/network/disputes/${nobodys.id}`);
  expect(await page.locator('[name=inquiry_ids]').count()).toBe(1);
  await page.getByLabel('Correct the record').check();
  await page.getByLabel('What you found').fill('Nobody asked for anything.');
  await page.getByRole('button', { name: 'See what it would do' }).click();
  await page.getByText('This is required, as the dispute names no institution.').waitFor();
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 240_000);

test('an administrator merges two files after a look at what it would do, and takes it back', async () => {
  const [first, second] = [
    await contested('This loan was filed once.'),
    await contested('This loan was filed twice.'),
  ];
  const profile = () => lender.key.get<Json>(`/credit/${first.subject.id}?purpose=ACCOUNT_REVIEW`);
  const alone = await profile();
  const desk = await stage.desk();
  await desk.signIn(stage.system.superadmin);
  const { page } = desk;
  await desk.goTo('/network/mixed-files');
  await page.getByLabel('Subject id').fill(first.subject.id);
  await page.getByRole('button', { name: 'Look at it' }).click();
  await page.getByText('Nothing has ever been merged or split here.').waitFor();
  await page.locator('summary', { hasText: 'Merge another subject' }).click();
  expect(await desk.examined('mixed-file')).toEqual([]);
  const merging = page.locator('form', { has: page.getByLabel('Subject that goes') });
  await merging.getByLabel('Subject that goes').fill(second.subject.id);
  await merging.getByLabel('Why').fill('One borrower, two UUIDs.');
  await merging.getByRole('button', { name: 'See what it would do' }).click();
  await page.getByRole('heading', { name: 'Merge the two?' }).waitFor();
  expect(await desk.examined('mixed-file-preview')).toEqual([]);
  await page.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.getByText('The files are one.').waitFor();

  const merged = await profile();
  expect([alone, merged].map(({ risk }) => risk.active_defaults)).toEqual([1, 2]);
  const old = await lender.key.expect(409, 'GET', `/subjects/${second.subject.id}`);
  expect(old.error).toMatchObject({ reason: 'SUBJECT_MERGED', merged_into: first.subject.id });
  const told = async (type: string) =>
    (await lender.key.get<Json[]>(`/events?type=${type}`)).filter(
      ({ data }) =>
        data.from_subject_id === second.subject.id || data.to_subject_id === second.subject.id,
    );
  await eventually(
    () => told('credit.subject.merged'),
    ([event, ...more]) => more.length === 0 && event?.data.account_ids[0] === second.account.id,
  );

  await desk.goTo(`/network/mixed-files/${second.subject.id}`);
  await page.getByText('This subject was merged').waitFor();
  await page.getByRole('link', { name: 'the other one' }).click();
  await page.locator('summary', { hasText: 'Take back the merge' }).click();
  const undoing = page.locator('details[open] form');
  await undoing.getByLabel('Why').fill('Two borrowers after all.');
  await undoing.getByRole('button', { name: 'See what it would do' }).click();
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByText('The records have gone.').waitFor();
  expect(await desk.examined('mixed-file-trail')).toEqual([]);
  expect((await profile()).risk.active_defaults).toBe(1);
  await lender.key.get(`/subjects/${second.subject.id}`);
  await eventually(
    () => told('credit.subject.split'),
    ({ length }) => length === 1,
  );
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 240_000);

test('nobody finds what is not theirs', async () => {
  const { dispute } = await contested('This is not for the eyes of others.');
  const other = await enrol(anonymous, administrator, 'Harbour Credit');
  const theirs = await stage.desk();
  await theirs.signIn(await join(other, 'COMPLIANCE'));
  expect(await theirs.goTo(`/disputes/${dispute.id}`)).toBe(404);
  expect(await theirs.goTo(`/test/disputes/${dispute.id}`)).toBe(404);
  expect(await theirs.goTo(`/network/disputes/${dispute.id}`)).toBe(404);
  await theirs.goTo('/disputes');
  await theirs.page.getByText('Nothing waits for your answer.').waitFor();
  await theirs.close();

  // A viewer sees that there are disputes, and neither the record nor a form.
  const viewer = await stage.desk();
  await viewer.signIn(await join(lender, 'VIEWER'));
  await viewer.goTo('/disputes');
  await viewer.page.getByText('This is not for the eyes of others.').waitFor();
  expect(await viewer.page.getByRole('link', { name: 'Incorrect status' }).count()).toBe(0);
  expect(await viewer.goTo(`/disputes/${dispute.id}`)).toBe(404);
  await viewer.close();
}, 240_000);
