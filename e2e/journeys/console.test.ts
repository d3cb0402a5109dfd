import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, enrol, type Json, logIn } from '@credit/local/demo/client';
import { type Receiver, startReceiver } from '@credit/local/demo/receiver';
import type { Person } from '../support/console';
import { useStage } from '../support/stage';

const UPLOADER = { email: 'una@upload.example', password: 'a sentence that is long' };
const OWNER = { email: 'ada@quayside.example', password: 'four words make a phrase' };

let receiver: Receiver | undefined;

const stage = useStage();

afterAll(() => receiver?.stop(), 60_000);

test('a person signs in, and is led to where they were', async () => {
  const desk = await stage.desk();
  await desk.goTo('/password');
  expect(new URL(desk.page.url()).pathname).toBe('/console/sign-in');
  expect(await desk.examined('sign-in')).toEqual([]);

  await desk.page.getByLabel('E-mail address').fill('nobody@nowhere.example');
  await desk.page.getByLabel('Password').fill('not the password');
  await desk.page.getByRole('button', { name: 'Sign in' }).click();
  await desk.page.getByText('do not belong together').waitFor();
  // What was typed is still there, but for the password.
  expect(await desk.page.getByLabel('E-mail address').inputValue()).toBe('nobody@nowhere.example');
  expect(await desk.page.getByLabel('Password').inputValue()).toBe('');
  expect(await desk.examined('sign-in-failed')).toEqual([]);

  await desk.page.getByLabel('E-mail address').fill(stage.system.superadmin.email);
  await desk.page.getByLabel('Password').fill(stage.system.superadmin.password);
  await desk.page.getByRole('button', { name: 'Sign in' }).click();
  await desk.page.getByRole('heading', { name: 'Change your password' }).waitFor();
  expect(await desk.examined('password')).toEqual([]);
  expect(await desk.goTo('/')).toBe(200);
  expect(await desk.examined('home')).toEqual([]);
  expect(desk.faults).toEqual([]);

  const cookies = await desk.page.context().cookies();
  expect(cookies).toMatchObject([
    { name: '__Host-console', httpOnly: true, secure: true, sameSite: 'Strict', path: '/' },
  ]);
  await desk.close();
}, 120_000);

test('after signing out, going back shows nothing, and the cookie of before opens nothing', async () => {
  const desk = await stage.desk();
  await desk.signIn(stage.system.superadmin);
  const before = await desk.page.context().cookies();
  await desk.page.getByRole('button', { name: 'Sign out' }).click();
  await desk.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await desk.page.goBack();
  await desk.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await desk.page.context().addCookies(before);
  await desk.goTo('/');
  await desk.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 120_000);

test('a form of a visitor is no form of somebody who is signed in', async () => {
  const desk = await stage.desk();
  await desk.goTo('/sign-in');
  const anybodys = await desk.page.locator('[name=form_token]').first().inputValue();
  await desk.signIn(stage.system.superadmin);
  await desk.goTo('/password');
  const own = desk.page.locator('main [name=form_token]');
  await own.evaluate((field, token) => {
    (field as HTMLInputElement).value = token;
  }, anybodys);
  await desk.page.getByRole('button', { name: 'Save' }).click();
  await desk.page.getByText('FORGED_FORM').waitFor();
  await desk.close();
}, 120_000);

test('everything works with scripts off', async () => {
  const desk = await stage.desk({ javaScriptEnabled: false });
  await desk.signIn(stage.system.superadmin);
  await desk.page.getByRole('link', { name: 'Password' }).click();
  await desk.page.getByRole('heading', { name: 'Change your password' }).waitFor();
  await desk.close();
}, 120_000);

describe('a form that is not one of ours', () => {
  const send = (headers: Record<string, string>, body: string) =>
    fetch(`${stage.origin}/console/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    });

  test.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling', { 'sec-fetch-site': 'same-site' }],
    ['of another origin', { origin: 'https://evil.example' }],
    ['without a token', {}],
  ])('%s is refused', async (_, headers) => {
    const answer = await send(headers, 'email=a&password=b');
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('FORGED_FORM');
  });

  test('one that is too large, or of too many fields, is refused', async () => {
    expect((await send({}, `email=${'a'.repeat(100_000)}`)).status).toBe(413);
    expect((await send({}, 'a=1&'.repeat(1_000))).status).toBe(413);
  });
});

test('an administrator approves; an owner joins by the link, invites, makes a key and is suspended', async () => {
  const anonymous = new Client(stage.system.base_url);
  await anonymous.create('/public/institution-applications', {
    institution_name: 'Quayside Bank',
    contact_name: 'Ada Owner',
    contact_email: OWNER.email,
    description: 'We lend to fishers.',
  });
  await anonymous.create('/public/contact', {
    name: 'Grace',
    email: 'grace@lender.example',
    subject: 'Membership',
    message: 'How long does a review take?\nWe are in a hurry.',
  });

  const administrator = await stage.desk();
  await administrator.signIn(stage.system.superadmin);
  const { page } = administrator;
  await page.getByRole('link', { name: 'Applications that wait' }).click();
  await page.getByText('We lend to fishers.').waitFor();
  await page.getByText('Decide').click();
  expect(await administrator.examined('applications')).toEqual([]);
  await page.getByRole('button', { name: 'Approve Quayside Bank' }).click();
  await page.getByRole('heading', { name: 'Quayside Bank is a member' }).waitFor();
  const link = String(await page.locator('.secret').textContent());
  expect(link).toMatch(`${stage.origin}/console/join#token=`);

  await administrator.goTo('/network/contact-requests');
  await page.locator('summary', { hasText: 'Answer' }).click();
  expect(await administrator.examined('contact-requests')).toEqual([]);
  await page.getByLabel('Answer', { exact: true }).fill('About a week.');
  await page.getByRole('button', { name: 'Answer Grace' }).click();
  await page.getByText('Nothing waits for an answer.').waitFor();

  const owner = await stage.desk();
  const desk = owner.page;
  await desk.goto(link);
  await desk.getByRole('heading', { name: 'Join Quayside Bank' }).waitFor();
  // No address that a history or a log would keep has it.
  expect(desk.url()).toBe(`${stage.origin}/console/join`);
  await desk.getByLabel('Your name').fill('Ada Owner');
  await desk.getByLabel('Password', { exact: true }).fill('short');
  await desk.getByLabel('Password, once more').fill('short');
  await desk.getByRole('button', { name: 'Join' }).click();
  await desk.getByText('Please look at what is marked.').waitFor();
  expect(await desk.getByLabel('Your name').inputValue()).toBe('Ada Owner');
  expect(await owner.examined('join')).toEqual([]);
  await desk.getByLabel('Password', { exact: true }).fill(OWNER.password);
  await desk.getByLabel('Password, once more').fill(OWNER.password);
  await desk.getByRole('button', { name: 'Join' }).click();
  await desk.getByText('You are signed in.').waitFor();
  expect(await owner.examined('home-member')).toEqual([]);

  await owner.goTo('/people');
  await desk.getByLabel('E-mail address').fill('dev@quayside.example');
  await desk.getByRole('radio', { name: 'Developer' }).check();
  await desk.getByRole('button', { name: 'Invite' }).click();
  await desk.getByRole('heading', { name: 'dev@quayside.example is invited' }).waitFor();
  await desk.getByRole('link', { name: 'Back to the people' }).click();
  expect(await owner.examined('people')).toEqual([]);
  await desk.getByRole('button', { name: /^Withdraw/ }).click();
  await desk.getByText('Nobody is invited at the moment.').waitFor();

  // Test and live keys have pages of their own.
  await owner.goTo('/test/keys');
  await desk.getByLabel('Name of the program').fill('loan ledger');
  await desk.getByRole('button', { name: 'Create the key' }).click();
  await desk.getByText('Please look at what is marked.').waitFor();
  expect(await desk.getByLabel('Name of the program').inputValue()).toBe('loan ledger');
  await desk.getByLabel('Reports accounts').check();
  await desk.getByRole('button', { name: 'Create the key' }).click();
  await desk.getByRole('heading', { name: 'The secret of loan ledger' }).waitFor();
  const secret = String(await desk.locator('.secret').textContent());
  expect(secret).toMatch(/^svc_test_/);
  expect(await owner.examined('key-secret')).toEqual([]);
  const key = new Client(stage.system.base_url, secret);
  expect((await key.request('GET', '/auth/me')).status).toBe(200);
  await desk.getByRole('link', { name: 'Back to the keys' }).click();
  await desk.getByText('Change', { exact: true }).click();
  expect(await owner.examined('keys')).toEqual([]);
  await desk.getByRole('button', { name: 'Revoke loan ledger' }).click();
  await desk.getByText('it works nowhere any more').waitFor();
  expect((await key.request('GET', '/auth/me')).status).toBe(401);
  await owner.goTo('/keys');
  await desk.getByText('No keys yet.').waitFor();

  await owner.goTo('/test/webhooks');
  await desk.getByLabel('Address').fill('https://127.0.0.1:9/hook');
  await desk.getByRole('button', { name: 'Subscribe' }).click();
  await desk.getByText('Please look at what is marked.').waitFor();
  expect(await desk.getByLabel('Address').inputValue()).toBe('https://127.0.0.1:9/hook');
  await desk.getByLabel('credit.default.reported').check();
  await desk.getByRole('button', { name: 'Subscribe' }).click();
  expect(await desk.locator('.secret').textContent()).toMatch(/^whsec_/);
  await desk.getByRole('link', { name: 'Go on to the endpoint' }).click();
  await desk.getByRole('button', { name: 'Send a test' }).click();
  await desk.getByText('The test did not arrive').waitFor();
  expect(await owner.examined('webhook')).toEqual([]);
  await desk.getByRole('button', { name: 'Disable' }).click();
  await desk.getByText('Nothing is sent there any more.').waitFor();
  await owner.goTo('/test/webhooks');
  expect(await owner.examined('webhooks')).toEqual([]);

  await owner.tableShows('/audit', 'Api key revoked');
  expect(await owner.examined('audit')).toEqual([]);
  await owner.goTo('/sessions');
  await desk.getByText('This one').waitFor();
  expect(await owner.examined('sessions')).toEqual([]);
  // What is an administrator's is nothing to a member.
  expect(await owner.goTo('/network/institutions')).toBe(404);

  await administrator.goTo('/network/institutions');
  expect(await administrator.examined('institutions')).toEqual([]);
  await page.getByRole('link', { name: 'Quayside Bank' }).click();
  await page.getByRole('heading', { name: 'Change its state' }).waitFor();
  await page.getByRole('cell', { name: OWNER.email }).waitFor();
  expect(await administrator.examined('member')).toEqual([]);
  const suspending = page.locator('form').filter({ hasText: 'Suspended.' });
  await suspending.getByLabel('Reason').fill('Reporting stopped.');
  await suspending.getByLabel('Type').fill('Quayside');
  await suspending.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('Nothing was changed').waitFor();
  await suspending.getByLabel('Reason').fill('Reporting stopped.');
  await suspending.getByLabel('Type').fill('Quayside Bank');
  await suspending.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('The institution is suspended now.').waitFor();
  expect(await owner.goTo('/keys')).toBe(403);
  expect(await owner.examined('suspended')).toEqual([]);

  await administrator.goTo('/network/users');
  expect(await administrator.examined('users')).toEqual([]);
  await administrator.tableShows('/network/audit', 'Institution suspended');
  await administrator.goTo('/');
  expect(await administrator.examined('home-network')).toEqual([]);
  expect([...administrator.faults, ...owner.faults]).toEqual([]);
  await administrator.close();
  await owner.close();
}, 240_000);

test('a loan officer finds a borrower, says why, and reads the profile; an owner sees the book', async () => {
  const anonymous = new Client(stage.system.base_url);
  const { email, password } = stage.system.superadmin;
  const administrator = await logIn(anonymous, email, password);
  const { owner, key } = await enrol(anonymous, administrator, 'Tide Bank', 'test');
  const persona = await key.create<Json>(
    '/sandbox/personas',
    { persona: 'CURED_DEFAULT' },
    'persona-1',
  );
  const subject_id = String(persona.subject.id);
  const subject = await key.get<Json>(`/subjects/${subject_id}`);
  await key.create(
    '/accounts',
    {
      subject_id,
      external_account_id: 'tide-1',
      account_type: 'TERM_LOAN',
      currency: 'DCR',
      original_principal: 1_200.5,
      opened_at: '2026-01-10T00:00:00Z',
    },
    'tide-account-1',
  );
  const officer = { email: 'lou@tide.example', password: 'a sentence that is long' };
  const invitation = await owner.create<Json>('/institutions/users/invitations', {
    email: officer.email,
    role: 'LOAN_OFFICER',
  });
  await anonymous.create('/auth/accept-invitation', {
    token: invitation.token,
    display_name: 'Lou Officer',
    password: officer.password,
  });

  const desk = await stage.desk();
  await desk.signIn(officer);
  const { page } = desk;
  // What the role does not have is not there.
  expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
  expect(await desk.goTo('/keys')).toBe(404);
  await desk.goTo('/test/subjects');
  await page.getByLabel('Name, username or forum id').fill('x');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  await desk.goTo('/test/subjects');
  await page
    .getByLabel('Name, username or forum id')
    .pressSequentially(String(subject.display_name).slice(0, 1));
  await page.waitForURL(/\?q=.$/);
  await page
    .getByLabel('Name, username or forum id')
    .pressSequentially(String(subject.display_name).slice(1, 16));
  // It is found as one types.
  await page.getByRole('link', { name: String(subject.display_name) }).waitFor();
  expect(await desk.examined('subjects')).toEqual([]);
  await page.getByRole('link', { name: String(subject.display_name) }).click();
  await page.getByRole('button', { name: 'Show the profile' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  expect(await desk.examined('why')).toEqual([]);
  await page.getByLabel('New credit application').check();
  await page.getByRole('button', { name: 'Show the profile' }).click();
  await page.getByRole('img', { name: /of 300 to 850/ }).waitFor();
  expect(await desk.examined('profile')).toEqual([]);
  const inquiries = await key.get<Json[]>(`/inquiries?subject_id=${subject_id}`);
  expect(inquiries).toHaveLength(1);
  // The test borrower is nowhere in live.
  expect(await desk.goTo(`/subjects/${subject_id}`)).toBe(404);
  await desk.goTo('/test');
  // Nor does it see the book: that takes records.read.
  await page.getByText('Lou Officer').first().waitFor();
  expect(await page.getByText('Your accounts').count()).toBe(0);
  expect(await desk.goTo('/test/institution')).toBe(404);
  expect(await desk.goTo('/institution')).toBe(200);
  expect(await desk.examined('institution')).toEqual([]);
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 240_000);

/** Invites somebody, who accepts. */
async function joins(owner: Client, person: Person, name: string, role: string): Promise<void> {
  const { email, password } = person;
  const path = '/institutions/users/invitations';
  const { token } = await owner.create<Json>(path, { email, role });
  const anonymous = new Client(stage.system.base_url);
  await anonymous.create('/auth/accept-invitation', { token, display_name: name, password });
}

test('somebody uploads a book: matches its columns, corrects a fault, has it checked and written', async () => {
  const anonymous = new Client(stage.system.base_url);
  const { email, password } = stage.system.superadmin;
  const administrator = await logIn(anonymous, email, password);
  const { owner, key } = await enrol(anonymous, administrator, 'Upload Bank', 'test');
  const officer = UPLOADER;
  await joins(owner, officer, 'Una Uploader', 'ADMIN');
  const desk = await stage.desk();
  await desk.signIn(officer);
  const { page } = desk;
  await desk.goTo('/test/imports');
  await page.getByText('No file was uploaded').waitFor();
  expect(await desk.examined('imports-empty')).toEqual([]);
  const template = await page.request.get(
    `${stage.origin}/console/test/imports/template?kind=EVENTS`,
  );
  expect(template.headers()['content-disposition']).toContain('events.csv');
  expect(await template.text()).toMatch(/^external_account_id,event_type,occurred_at/);

  const row = (n: number, sum: string) =>
    `${randomUUID()},fisher-${n},loan-${n},${sum},2025-01-15T00:00:00Z,red`;
  const header = 'Game UUID,Name,Loan,Original principal,Opened,Colour';
  const csv = (...rows: string[]) => ({
    name: 'book.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from([header, ...rows, ''].join('\n')),
  });
  const first = row(1, '1200.50');

  // Its columns are matched once, and kept.
  await page.getByRole('link', { name: 'Mappings of columns' }).click();
  await page.getByRole('button', { name: 'Read its header' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  await page.getByRole('radio', { name: 'Accounts' }).check();
  await page.getByLabel('A file with the columns').setInputFiles(csv(first));
  await page.getByRole('button', { name: 'Read its header' }).click();
  await page.getByRole('heading', { name: 'Match the columns' }).waitFor();
  expect(await page.getByLabel('Game UUID').inputValue()).toBe('subject.game_uuid');
  expect(await page.getByLabel('Original principal').inputValue()).toBe('original_principal');
  await page.getByText('fisher-1').waitFor();
  await page.getByLabel('Name', { exact: true }).selectOption('subject.current_username');
  await page.getByLabel('Loan').selectOption('external_account_id');
  await page.getByLabel('The same in every row').fill('subject.type = INDIVIDUAL');
  await page.getByLabel('Name of the mapping').fill('ledger');
  await page.getByRole('button', { name: 'Keep the mapping' }).click();
  await page.getByText('must name a column for account_type').waitFor();
  // What was chosen is still there.
  expect(await page.getByLabel('Loan').inputValue()).toBe('external_account_id');
  expect(await desk.examined('match-columns')).toEqual([]);
  await page.getByLabel('Opened').selectOption('opened_at');
  await page
    .getByLabel('The same in every row')
    .fill('subject.type = INDIVIDUAL\naccount_type = TERM_LOAN');
  await page.getByRole('button', { name: 'Keep the mapping' }).click();
  await page.getByText('The mapping is kept.').waitFor();
  expect(await page.getByLabel('Its columns').inputValue()).toBe('ledger');
  expect(await desk.examined('upload')).toEqual([]);

  // A fault keeps all of it from being written; the file of faults says where.
  await page.getByLabel('File', { exact: true }).setInputFiles(csv(first, row(2, '12.345')));
  await page.getByRole('button', { name: 'Send and check' }).click();
  await page.getByText('Nothing was written.').waitFor();
  await page.getByRole('cell', { name: 'original_principal' }).waitFor();
  expect(await desk.examined('import-faults')).toEqual([]);
  const faults = await page.request.get(`${page.url()}/faults`);
  expect(await faults.text()).toMatch(/^fault_line,fault_code/);
  expect(faults.headers()['content-disposition']).toContain('faults.csv');

  await desk.goTo('/test/imports/new?kind=ACCOUNTS&mapping=ledger');
  await page.getByLabel('File', { exact: true }).setInputFiles(csv(first, row(2, '12.34')));
  await page.getByRole('button', { name: 'Send and check' }).click();
  // The page looks again by itself.
  await page.getByText('Every row is right.').waitFor();
  expect(await desk.examined('import-checked')).toEqual([]);
  await page.getByRole('button', { name: 'Write 2 rows' }).click();
  await page.getByText('Finished', { exact: true }).first().waitFor();
  await page.getByText('Una Uploader').first().waitFor();
  expect(await desk.examined('import-finished')).toEqual([]);
  expect((await key.get<Json[]>('/accounts')).length).toBe(2);
  // Nothing of test is in live.
  const { pathname } = new URL(page.url());
  expect(await desk.goTo(pathname.replace('/console/test', ''))).toBe(404);
  await desk.goTo('/test/imports');
  expect(await desk.examined('imports')).toEqual([]);
  await desk.goTo('/test/imports/mappings');
  await page.getByText('5, 2 the same').click();
  expect(await desk.examined('mappings')).toEqual([]);

  // A larger file goes in parts.
  const events = Array.from({ length: 120_000 }, (_, n) =>
    JSON.stringify({
      external_account_id: 'loan-1',
      event_type: 'BALANCE_UPDATED',
      occurred_at: new Date(Date.UTC(2025, 1, 1) + n * 1_000).toISOString(),
      balance_after: 1,
      source_reference: `ledger-${n}`,
    }),
  );
  const buffer = Buffer.from(`${events.join('\n')}\n`);
  expect(buffer.length).toBeGreaterThan(17_000_000);
  await desk.goTo('/test/imports/new?kind=EVENTS');
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'events.ndjson', mimeType: 'application/x-ndjson', buffer });
  await page.getByRole('button', { name: 'Send and check' }).click();
  await page.waitForURL(/imports\/[0-9a-f-]{36}$/);
  const [largest] = await key.get<Json[]>('/imports');
  expect(largest?.received_bytes).toBe(buffer.length);
  await page.getByText('Give it up').click();
  await page.getByRole('button', { name: 'Give this import up' }).click();
  await page.getByText('Given up').first().waitFor();
  expect(desk.faults).toEqual([]);
  await desk.close();

  // The same with scripts off, and from where a file broke off.
  const plain = await stage.desk({ javaScriptEnabled: false });
  await plain.signIn(officer);
  const content = [header, first, ''].join('\n');
  const waiting = await key.expect<Json>(
    202,
    'POST',
    '/imports?kind=ACCOUNTS&mapping=ledger&dry_run=true&partial=true',
    { file: { type: 'text/csv', text: content.slice(0, 30) } },
  );
  await plain.goTo(`/test/imports/${waiting.id}`);
  await plain.page.getByText('more is to come').waitFor();
  await plain.page.getByLabel('The same file').setInputFiles(csv(first));
  await plain.page.getByRole('button', { name: 'Send the rest' }).click();
  await plain.page.getByRole('heading', { name: 'Receipt' }).waitFor();
  for (let looks = 0; looks < 100; looks += 1) {
    if ((await plain.page.getByText('Every row is right.').count()) > 0) break;
    const again = plain.page.getByRole('link', { name: 'Look again' });
    if ((await again.count()) > 0) await again.click();
    else await plain.page.reload();
  }
  expect((await key.get<Json>(`/imports/${waiting.id}`)).received_bytes).toBe(content.length);
  await plain.page.getByText('Give it up').click();
  await plain.page.getByRole('button', { name: 'Give this import up' }).click();
  await plain.close();
}, 240_000);

test('an integrator sees why a delivery failed and sends past events again; the log is checked', async () => {
  const anonymous = new Client(stage.system.base_url);
  const { email, password } = stage.system.superadmin;
  const administrator = await logIn(anonymous, email, password);
  const { owner, key } = await enrol(anonymous, administrator, 'Hook Bank', 'test');
  const admin = { email: 'hal@hook.example', password: 'a sentence that is long' };
  await joins(owner, admin, 'Hal Hook', 'ADMIN');
  receiver = await startReceiver(stage.system.data_directory, {
    answer: () => ({
      status: 503,
      headers: { 'content-type': 'text/html', 'set-cookie': 'sid=S3CRET', server: 'hook/2.1' },
      body: '<h1>Maintenance</h1>\n<script>document.title = "mine"</script>\n<img src="/x">',
    }),
  });
  const webhook = await key.create<Json>('/webhooks', {
    url: `${receiver.url}/hook`,
    events: ['credit.default.reported'],
  });
  const persona = await key.create<Json>(
    '/sandbox/personas',
    { persona: 'THIN_FILE' },
    'hook-persona-1',
  );
  const account = await key.create<Json>(
    '/accounts',
    {
      subject_id: persona.subject.id,
      external_account_id: 'hook-1',
      account_type: 'TERM_LOAN',
      original_principal: 100,
      opened_at: '2026-01-10T00:00:00Z',
    },
    'hook-account-1',
  );
  const occurred_at = new Date().toISOString();
  const event = { event_type: 'DEFAULT_REPORTED', occurred_at };
  await key.create(`/accounts/${account.id}/events`, event, 'hook-event-1');
  const attempted = async () => {
    const [first] = await key.get<Json[]>(`/webhooks/${webhook.id}/deliveries`);
    return first?.attempts === 1 && first.next_attempt_at !== null;
  };
  while (!(await attempted())) await sleep(50);

  const desk = await stage.desk();
  await desk.signIn(admin);
  const { page } = desk;
  await desk.goTo(`/test/webhooks/${webhook.id}`);
  await page.getByRole('link', { name: '1 of 8' }).click();
  await page.getByRole('cell', { name: 'HTTP_STATUS' }).first().waitFor();
  const sent = page.getByRole('region', { name: 'Sent with attempt 1' });
  const [received] = receiver.received;
  expect(await sent.textContent()).toContain(received?.headers['svc-signature']);
  expect(await sent.textContent()).toContain(received?.body);
  const answered = page.getByRole('region', { name: 'Answered to attempt 1' });
  expect(await answered.textContent()).toMatch(
    /set-cookie: \(left out\)\nserver: hook\/2\.1\n[\s\S]*<script>document\.title/,
  );
  expect(await page.content()).not.toContain('S3CRET');
  expect(await page.title()).not.toBe('mine');
  expect(await desk.examined('delivery')).toEqual([]);
  await page.getByLabel('State').selectOption('DELIVERED');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.getByText('None of the latest is like that.').waitFor();
  await page.getByText('Send past events again').click();
  await page.getByRole('button', { name: 'Send them again' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  const local = (at_ms: number) => new Date(at_ms).toISOString().slice(0, 16);
  await page.getByLabel('From (UTC)').fill(local(Date.now() - 3_600_000));
  await page.getByLabel('To (UTC)').fill(local(Date.now() + 3_600_000));
  expect(await desk.examined('replay')).toEqual([]);
  await page.getByRole('button', { name: 'Send them again' }).click();
  await page.getByText(/deliveries are on their way again/).waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('What was answered').click();
  await page.getByRole('region', { name: 'Answered to the test' }).waitFor();

  while ((await owner.get<Json[]>('/audit/checkpoints')).length === 0) await sleep(100);
  await desk.goTo('/audit');
  await page.getByRole('link', { name: 'Check the log' }).click();
  await page.getByText('the signature is good').waitFor();
  await page.getByText('What to keep').click();
  await page.getByText('credit-network/audit').first().waitFor();
  expect(await desk.examined('audit-checked')).toEqual([]);
  await desk.tableShows('/audit?action=webhook.replayed', 'Webhook replayed');
  const href = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
  const log = await page.request.get(`${stage.origin}${href}`);
  expect(log.headers()['content-disposition']).toContain('audit.csv');
  const [columns, line, ...more] = (await log.text()).trim().split('\r\n');
  expect(columns).toMatch(/^id,at,actor_type,actor_id,actor_name,action/);
  expect(line).toContain('Hal Hook,webhook.replayed');
  expect(more).toEqual([]);
  await desk.goTo('/test/reporting-health');
  const lower = page.getByRole('region', { name: 'Accounts that lower coverage most' });
  await lower
    .getByText(/^Without .*maturity_at/)
    .first()
    .waitFor();
  await page.getByText('No account lowers it.').waitFor();
  expect(await desk.examined('health')).toEqual([]);
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 120_000);

test('a form with a file is read only when it is one of the session’s', async () => {
  const desk = await stage.desk();
  await desk.signIn(UPLOADER);
  await desk.goTo('/test/imports/new');
  const token = await desk.page.locator('main [name=form_token]').first().inputValue();
  const cookie = (await desk.page.context().cookies())
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
  const count = async () => {
    await desk.goTo('/test/imports');
    return desk.page.locator('tbody tr').count();
  };
  const before = await count();
  const send = (parts: readonly (readonly [string, string | Blob])[], headers = {}) => {
    const body = new FormData();
    for (const [name, value] of parts) body.append(name, value);
    return fetch(`${stage.origin}/console/test/imports/new`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, ...headers },
      body,
    });
  };
  const file = new File(['external_account_id\n'], 'a.csv');
  const kind = ['kind', 'EVENTS'] as const;
  const ours = ['form_token', token] as const;
  for (const [answer, status, text] of [
    [await send([kind, ['file', file]]), 403, 'FORGED_FORM'],
    [await send([['form_token', 'x'], kind, ['file', file]]), 403, 'FORGED_FORM'],
    [await send([['file', file], ours, kind]), 403, 'FORGED_FORM'],
    [await send([ours, kind, ['file', file]], { 'sec-fetch-site': 'cross-site' }), 403, 'FORGED'],
    [await send([ours, kind]), 422, 'must be chosen'],
    [await send([ours, ['file', file]]), 422, 'Please look at what is marked'],
    [await send([ours, kind, ['mapping', 'none'], ['file', file]]), 422, 'no mapping of yours'],
    [await send([ours, ['kind', 'x'.repeat(3_000)], ['file', file]]), 413, 'too large'],
    [
      await send([ours, ...Array.from({ length: 30 }, () => kind), ['file', file]]),
      413,
      'too large',
    ],
  ] as const) {
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(text)]);
  }
  // Somebody else's session has a token of its own, and no other page takes a file.
  const elsewhere = await fetch(`${stage.origin}/console/test/keys`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, 'content-type': 'multipart/form-data; boundary=x' },
    body: '--x--',
  });
  expect(elsewhere.status).toBe(403);
  expect(await count()).toBe(before);

  // A file that breaks off leaves nothing that waits.
  const socket = connect(stage.system.port, '127.0.0.1');
  const head = [
    `--b\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n${token}\r\n`,
    '--b\r\nContent-Disposition: form-data; name="kind"\r\n\r\nEVENTS\r\n',
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na,b\n',
  ].join('');
  socket.write(
    `POST /console/test/imports/new HTTP/1.1\r\nHost: 127.0.0.1:${stage.system.port}\r\nCookie: ${cookie}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n${head}`,
  );
  const begun = async () => {
    while ((await count()) === before) await sleep(50);
  };
  await begun();
  socket.destroy();
  await desk.goTo('/test/imports');
  for (let looks = 0; looks < 100; looks += 1) {
    if ((await desk.page.locator('tbody tr').first().textContent())?.includes('Given up')) break;
    await sleep(50);
    await desk.page.reload();
  }
  expect(await desk.page.locator('tbody tr').first().textContent()).toContain('Given up');
  await desk.close();
}, 120_000);
