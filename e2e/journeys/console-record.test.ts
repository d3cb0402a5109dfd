import { readFileSync } from 'node:fs';
import { Client, enrol, type Json, logIn } from '@credit/local/demo/client';
import type { Person } from '../support/console';
import { letIn } from '../support/person';
import { useStage } from '../support/stage';

let key: Client;
let owner: Client;

const stage = useStage('shared');

beforeAll(async () => {
  const anonymous = new Client(stage.system.base_url);
  const { email, password } = stage.system.superadmin;
  const administrator = await logIn(anonymous, email, password);
  ({ key, owner } = await enrol(anonymous, administrator, 'Harbour Loans', 'live'));
}, 240_000);

/** Somebody of the institution. */
async function person(role: string): Promise<Person> {
  const email = `${role.toLowerCase().replaceAll('_', '-')}@harbour.example`;
  const password = 'a sentence that is long';
  const invitation = { email, role };
  const { token } = await owner.create<Json>('/institutions/users/invitations', invitation);
  await new Client(stage.system.base_url).create('/auth/accept-invitation', {
    token,
    display_name: role,
    password,
  });
  return { email, password };
}

async function borrower(name: string): Promise<string> {
  const subject = { type: 'INDIVIDUAL', game_uuid: crypto.randomUUID(), current_username: name };
  return String((await key.create<Json>('/subjects', subject)).id);
}

async function loan(subject_id: string, external_account_id: string): Promise<string> {
  const account = {
    subject_id,
    external_account_id,
    account_type: 'TERM_LOAN',
    original_principal: 1_200,
    interest_rate_bps: 650,
    interest_type: 'FIXED',
    payment_frequency: 'MONTHLY',
    opened_at: '2026-01-10T00:00:00Z',
  };
  return String((await key.create<Json>('/accounts', account, `open-${external_account_id}`)).id);
}

test('a person with records.write corrects an event: a try first, then once, however often it is sent', async () => {
  const account_id = await loan(await borrower('marlowe'), 'loan-1');
  const report = (event: Json, reference: string) =>
    key.create<Json>(`/accounts/${account_id}/events`, event, reference);
  await report(
    { event_type: 'DELINQUENCY_STARTED', occurred_at: '2026-04-01T00:00:00Z', balance_after: 900 },
    'marlowe-late',
  );
  await report(
    { event_type: 'DELINQUENCY_CURED', occurred_at: '2026-05-01T00:00:00Z' },
    'marlowe-cured',
  );

  const desk = await stage.desk();
  await desk.signIn(await person('ADMIN'));
  const { page } = desk;
  await page.getByRole('link', { name: 'Accounts', exact: true }).click();
  expect(await desk.examined('accounts')).toEqual([]);
  await page.getByLabel('Your own id of the account').fill('loan-2');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.getByText('None of your accounts is like that.').waitFor();
  await desk.goTo('/accounts?status=CURRENT');
  await page.getByRole('link', { name: 'loan-1' }).click();
  await page.getByText('6.50 % a year, fixed').waitFor();
  await page.getByText('After it: 900.00 DCR, Delinquent').waitFor();
  expect(await desk.examined('account')).toEqual([]);

  await page.getByRole('link', { name: /^Correct this.*No\. 2/ }).click();
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  expect(await desk.examined('correct-refused')).toEqual([]);
  await page.getByLabel('What was wrong').fill('The date was wrong.');
  await page.getByLabel('It happened otherwise').check();
  await page.getByLabel('What happened').selectOption('DEFAULT_CURED');
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  // What the record refuses stands beside the field that it is about.
  await page.getByText('This is not possible here').waitFor();
  expect(await page.getByLabel('What was wrong').inputValue()).toBe('The date was wrong.');
  await page.getByLabel('What was wrong').fill('It was paid in time.');
  await page.getByLabel('It did not happen').check();
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  await page.getByText('Nothing is recorded yet.').waitFor();
  await page.getByText(/No\. 3, Delinquency cured of .*: would be without effect/).waitFor();
  expect(await desk.examined('correct-preview')).toEqual([]);
  const events = () => key.get<Json[]>(`/accounts/${account_id}/events`);
  expect(await events()).toHaveLength(3);

  // What was not tried is not recorded.
  await page.getByLabel('Balance after it').fill('850');
  await page.getByRole('button', { name: 'Record the correction' }).click();
  await page.getByText('Not recorded yet:').waitFor();
  await page.getByRole('row', { name: /Balance 900\.00 DCR 850\.00 DCR/ }).waitFor();
  expect(await events()).toHaveLength(3);

  // The form of a page that is sent twice is recorded once.
  const fields = await page
    .locator('main form')
    .evaluate((form) => [...new FormData(form as HTMLFormElement)].map(String));
  const body = new URLSearchParams();
  for (const field of fields) {
    const at = field.indexOf(',');
    body.append(field.slice(0, at), field.slice(at + 1));
  }
  body.append('act', 'record');
  const cookie = (await page.context().cookies())
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
  const send = () =>
    fetch(page.url(), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
  const answers = await Promise.all([send(), send()]);
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  await page.getByRole('button', { name: 'Record the correction' }).click();
  await page.getByText('The correction is on record.').waitFor();
  expect(await events()).toHaveLength(4);

  await page
    .getByText('Superseded by')
    .getByRole('link', { name: /^No\. 4/ })
    .click();
  await page
    .getByText('Corrects')
    .getByRole('link', { name: /^No\. 2/ })
    .waitFor();
  await page.getByText('Without effect').waitFor();
  expect(await desk.examined('account-corrected')).toEqual([]);
  // Its event in the middle of the chain is not offered any more.
  expect(await page.getByRole('link', { name: /^Correct this.*No\. 2/ }).count()).toBe(0);

  // The terms, by the opening.
  await page.getByRole('link', { name: /^Correct this.*No\. 1/ }).click();
  await page.getByLabel('What was wrong').fill('The rate was another.');
  await page.getByLabel('The terms were others').check();
  await page.getByLabel('Interest in basis points').fill('7.5');
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  expect(await page.getByLabel('Interest in basis points').getAttribute('aria-invalid')).toBe(
    'true',
  );
  await page.getByLabel('Interest in basis points').fill('750');
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  await page.getByRole('row', { name: /Interest 6\.50 % a year 7\.50 % a year/ }).waitFor();
  await page.getByRole('button', { name: 'Record the correction' }).click();
  await page.getByText('7.50 % a year, fixed').waitFor();

  await page.getByRole('link', { name: 'Report an event' }).click();
  await page.getByLabel('What happened').selectOption('PAYMENT_MADE');
  await page.getByLabel('When, in UTC').fill('2026-06-01T09:30');
  await page.getByLabel('Amount in DCR').fill('1,050.5');
  await page.getByLabel('Balance after it').fill('0.001');
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  await page.getByLabel('Balance after it').fill('0');
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  expect(await desk.examined('report-preview')).toEqual([]);
  await page.getByRole('button', { name: 'Record the event' }).click();
  await page.getByText('The event is on record.').waitFor();
  expect(await key.get<Json[]>(`/accounts/${account_id}/events?limit=1`)).toMatchObject([
    { event_type: 'PAYMENT_MADE', occurred_at: '2026-06-01T09:30:00.000Z', amount: 1050.5 },
  ]);
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 240_000);

test('without records.write nothing can be corrected, without records.read there is no account', async () => {
  const account_id = await loan(await borrower('webster'), 'loan-9');
  const reader = await stage.desk({ javaScriptEnabled: false });
  await reader.signIn(await person('COMPLIANCE'));
  expect(await reader.goTo(`/accounts/${account_id}`)).toBe(200);
  await reader.page.getByText('Everything reported').waitFor();
  expect(await reader.page.getByRole('link', { name: /^Correct this/ }).count()).toBe(0);
  expect(await reader.goTo(`/accounts/${account_id}/report`)).toBe(404);
  // The account is nothing in test, and another's is nothing at all.
  expect(await reader.goTo(`/test/accounts/${account_id}`)).toBe(404);
  expect(await reader.goTo(`/accounts/${crypto.randomUUID()}`)).toBe(404);
  expect(await reader.goTo('/accounts/nonsense')).toBe(422);
  await reader.close();
}, 120_000);

test('a loan officer sees how the score moved, asks what if, and takes a report along', async () => {
  const subject_id = await borrower('ferrier');
  const account_id = await loan(subject_id, 'loan-5');
  await key.create(
    `/accounts/${account_id}/events`,
    { event_type: 'PAYMENT_LATE', occurred_at: '2026-08-01T00:00:00Z' },
    'ferrier-late',
  );
  const desk = await stage.desk();
  await desk.signIn(await person('LOAN_OFFICER'));
  const { page } = desk;
  await desk.goTo(`/subjects/${subject_id}`);
  await page.getByText('At a past time').click();
  expect(await desk.examined('why-past')).toEqual([]);
  await page.getByLabel('Account review').check();
  await page.getByLabel('As it stood on, in UTC').fill('2026-07-01T00:00');
  await page.getByRole('button', { name: 'Show the profile' }).click();
  await page.getByText('Of a past time:').waitFor();
  expect(await desk.examined('profile-past')).toEqual([]);

  await page.getByRole('link', { name: 'How the score moved' }).click();
  await page.getByText('An event was reported').first().waitFor();
  expect(await desk.examined('score-history')).toEqual([]);
  await page
    .getByRole('link', { name: /^Compare/ })
    .first()
    .click();
  await page.getByText('Recorded in between').waitFor();
  expect(await desk.examined('score-difference')).toEqual([]);

  await desk.goTo(`/subjects/${subject_id}/simulate`);
  await page.getByRole('button', { name: 'Show the score' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  await page.getByLabel('Account review').check();
  await page.getByLabel('Kind of the new account').selectOption('CREDIT_CARD');
  await page.getByLabel('Amount').fill('5,000');
  await page.getByRole('button', { name: 'Show the score' }).click();
  await page.getByRole('region', { name: 'The score as it would be' }).waitFor();
  expect(await desk.examined('simulate')).toEqual([]);

  // What the person has put on its file comes with the profile.
  const themselves = await letIn(new Client(stage.system.base_url), key, subject_id);
  await themselves.create('/my/alerts', { kind: 'FRAUD' });
  const body = { text: 'The post was on strike that week.' };
  await themselves.expect(200, 'PUT', `/my/statements/${account_id}`, { body });

  // Whoever is refused is told what was seen.
  await desk.goTo(`/subjects/${subject_id}`);
  await page.getByLabel('New credit application').check();
  await page.getByRole('button', { name: 'Show the profile' }).click();
  await page.getByText('Payments were late.').waitFor();
  await page.getByText('Fraud alert.').waitFor();
  await page.getByText('The post was on strike that week.').waitFor();
  expect(await desk.examined('profile-refused')).toEqual([]);
  await page.getByRole('button', { name: 'Print the notice' }).click();
  await page.getByRole('heading', { name: 'A notice' }).waitFor();
  const [letter] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the PDF' }).click(),
  ]);
  expect(
    readFileSync(await letter.path())
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-');
  if (process.env.CONSOLE_PICTURES !== undefined) {
    await letter.saveAs(`${process.env.CONSOLE_PICTURES}/notice.pdf`);
  }
  await page.getByRole('link', { name: 'Inquiries', exact: true }).click();
  await page.getByRole('link', { name: 'Notice' }).first().click();
  expect(await desk.examined('notice')).toEqual([]);
  // Nobody has a notice of somebody else's look.
  await desk.goTo(`/inquiries/${crypto.randomUUID()}/notice`);
  await page.getByRole('button', { name: 'Make the notice' }).click();
  await page.getByText('The inquiry does not exist.').waitFor();

  await desk.goTo(`/subjects/${subject_id}/report`);
  await page.getByRole('button', { name: 'Ask for the report' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  expect(await desk.examined('report-request')).toEqual([]);
  await page.getByLabel('Account review').check();
  await page.getByRole('button', { name: 'Ask for the report' }).click();
  // Nobody presses anything until it is there.
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the PDF' }).click(),
  ]);
  const file = await download.path();
  expect(readFileSync(file).subarray(0, 5).toString()).toBe('%PDF-');
  expect(await desk.examined('report')).toEqual([]);
  await page.getByRole('link', { name: 'Reports', exact: true }).click();
  await page.getByRole('link', { name: 'Full, PDF' }).waitFor();
  expect(await desk.examined('reports')).toEqual([]);
  await page.getByRole('link', { name: 'Inquiries', exact: true }).click();
  expect(await desk.examined('inquiries')).toEqual([]);
  // A frozen file is not shown for new business, and the look is on record as refused.
  await themselves.create('/my/freeze', undefined);
  await desk.goTo(`/subjects/${subject_id}`);
  await page.getByLabel('Refinancing').check();
  await page.getByRole('button', { name: 'Show the profile' }).click();
  await page.getByText('The person has frozen the file').waitFor();
  expect(await desk.examined('profile-frozen')).toEqual([]);
  await desk.goTo(`/inquiries?subject_id=${subject_id}`);
  await page.getByText('None: refused, the file was frozen').waitFor();
  // Nobody's report, and no document of one.
  expect(await desk.goTo(`/reports/${crypto.randomUUID()}/document`)).toBe(404);
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 240_000);

test('whoever has no stake in a subject says why before its scores are shown', async () => {
  const { key: other } = await enrol(
    new Client(stage.system.base_url),
    await logIn(
      new Client(stage.system.base_url),
      stage.system.superadmin.email,
      stage.system.superadmin.password,
    ),
    'Elsewhere Credit',
  );
  const subject = await other.create<Json>('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: crypto.randomUUID(),
    current_username: 'stranger',
  });
  const desk = await stage.desk({ javaScriptEnabled: false });
  await desk.signIn({ email: 'loan-officer@harbour.example', password: 'a sentence that is long' });
  await desk.goTo(`/subjects/${subject.id}/history`);
  await desk.page.getByRole('heading', { name: 'Why do you look?' }).waitFor();
  expect(await key.get<Json[]>(`/inquiries?subject_id=${subject.id}`)).toEqual([]);
  await desk.page.getByLabel('New credit application').check();
  await desk.page.getByRole('button', { name: 'Show the scores' }).click();
  await desk.page.getByText('No score was kept yet').waitFor();
  expect(await key.get<Json[]>(`/inquiries?subject_id=${subject.id}`)).toHaveLength(1);
  await desk.close();
}, 120_000);
