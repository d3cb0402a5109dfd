import { randomUUID } from 'node:crypto';
import type { Client, Member } from '@credit/local/demo/client';
import { company } from '../support/company';
import { useStage } from '../support/stage';

const stage = useStage(() => ({ IDENTITY_PROVIDER: 'local' }));

let lender: Member;
let administrator: Client;
let test_key: Client;

beforeAll(async () => {
  const {
    administrator: desk,
    anonymous,
    members,
  } = await company(stage.system, { lender: 'Harbour Lending' });
  administrator = desk;
  lender = members.lender;
  const { secret } = await lender.owner.create('/api-keys', {
    display_name: 'test',
    scopes: ['credit:report', 'accounts:write', 'events:write'],
    environment: 'test',
  });
  test_key = anonymous.as(secret);
}, 60_000);

/** Somebody on whom the lender reports. */
async function borrower(key: Client): Promise<{ id: string; game_uuid: string }> {
  const { id, game_uuid } = await key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `stone-${randomUUID().slice(0, 8)}`,
  });
  const external_account_id = `person-${randomUUID()}`;
  await key.create(
    '/accounts',
    {
      subject_id: id,
      external_account_id,
      account_type: 'TERM_LOAN',
      original_principal: 1_000,
      opened_at: '2025-01-15T00:00:00Z',
    },
    external_account_id,
  );
  return { id, game_uuid };
}

test('a link of a lender opens the file once, with scripts or without', async () => {
  const { id } = await borrower(lender.key);
  const link = async () => {
    const { url } = await lender.key.create(`/subjects/${id}/access-links`, undefined);
    return new URL(url);
  };
  const desk = await stage.desk();
  const { page } = desk;
  expect(await desk.visit('/my')).toBe(200);
  await page.getByRole('heading', { name: 'You have a link' }).waitFor();
  expect(await desk.examined('person-door')).toEqual([]);
  const first = await link();
  expect(first.hash).toMatch(/^#token=svc_al_/);
  await desk.visit(`${first.pathname}${first.hash}`);
  await page.getByRole('heading', { name: 'Who looked' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/my');
  expect(await desk.examined('person-file')).toEqual([]);

  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'You have a link' }).waitFor();
  await desk.visit(`${first.pathname}${first.hash}`);
  await page.getByText('The link is unknown, was used, or is over.').waitFor();
  expect(await desk.examined('person-link-used')).toEqual([]);
  expect(desk.faults).toEqual([]);
  await desk.close();

  const plain = await stage.desk({ javaScriptEnabled: false });
  const second = await link();
  await plain.visit('/my/open');
  await plain.page
    .getByLabel('Token')
    .fill(new URLSearchParams(second.hash.slice(1)).get('token') ?? '');
  await plain.page.getByRole('button', { name: 'Open it' }).click();
  await plain.page.getByRole('heading', { name: 'Who looked' }).waitFor();
  await plain.close();
}, 120_000);

test('the identity provider says whose file it is, to the browser that asked', async () => {
  const { game_uuid } = await borrower(lender.key);
  const context = await stage.browser.newContext();
  const page = await context.newPage();
  const signIn = async (who: string) => {
    await page.goto(`${stage.origin}/my`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('game_uuid').fill(who);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  await signIn(game_uuid);
  await page.getByRole('heading', { name: 'Who looked' }).waitFor();
  expect(page.url()).toBe(`${stage.origin}/my`);
  const cookies = await context.cookies(stage.origin);
  expect(
    cookies
      .filter(({ name }) => name.startsWith('__Host-'))
      .map(({ name, sameSite }) => [name, sameSite]),
  ).toEqual([['__Host-person', 'Strict']]);
  expect(JSON.stringify(cookies)).not.toContain('svc_');
  await context.close();

  // Whoever has no file is told that, and is in nowhere.
  const other = await stage.browser.newContext();
  const stranger = await other.newPage();
  await stranger.goto(`${stage.origin}/my`);
  await stranger.getByRole('button', { name: 'Sign in' }).click();
  await stranger.getByLabel('game_uuid').fill(randomUUID());
  await stranger.getByRole('button', { name: 'Sign in' }).click();
  await stranger.getByText('There is no file of whoever signed in.').waitFor();
  await stranger.goto(`${stage.origin}/my`);
  await stranger.getByRole('heading', { name: 'You have a link' }).waitFor();

  // An answer of a sign-in that another browser began is nobody's here.
  await stranger.goto(`${stage.origin}/my/signed-in?code=x&state=y`);
  await stranger.getByText('You were not signed in.').waitFor();
  await other.close();
}, 120_000);

test('a session is of one environment, its forms are its own, and it ends', async () => {
  const { id } = await borrower(test_key);
  const { url } = await test_key.create(`/subjects/${id}/access-links`, undefined);
  const desk = await stage.desk();
  const { page } = desk;
  await desk.visit(new URL(url).pathname + new URL(url).hash);
  await page.getByText('Nothing here is about anybody.').waitFor();
  const leave = (form: Record<string, string>) =>
    page.request.post(`${stage.origin}/my/leave`, { form, maxRedirects: 0 });
  // Playwright keeps the cookie, as a browser would that another site leads here.
  expect((await leave({})).status()).toBe(403);
  expect((await leave({ form_token: 'x' })).status()).toBe(403);
  const visitors = await (await stage.browser.newContext()).request.get(`${stage.origin}/my`);
  const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(await visitors.text()) ?? [];
  expect(token).not.toBe('');
  expect((await leave({ form_token: token })).status()).toBe(403);
  expect(await desk.visit('/my/nothing')).toBe(404);
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'You have a link' }).waitFor();
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 120_000);

test('a person reads the file, says something, freezes it and opens it to one lender', async () => {
  const { id } = await borrower(lender.key);
  const look = (purpose = 'NEW_CREDIT_APPLICATION') =>
    lender.key.request('GET', `/credit/${id}?purpose=${purpose}`);
  expect((await look()).status).toBe(200);
  const { url } = await lender.key.create(`/subjects/${id}/access-links`, undefined);
  const desk = await stage.desk();
  const { page } = desk;
  await desk.visit(new URL(url).pathname + new URL(url).hash);
  await page.getByRole('heading', { name: 'Term loan at Harbour Lending' }).waitFor();
  await page.getByRole('cell', { name: 'Harbour Lending' }).waitFor();
  await page.getByText('1 event').click();
  await page.getByText('Account opened').waitFor();
  expect(await desk.examined('person-file')).toEqual([]);

  // Words beside the account, for every reader.
  await page.getByRole('link', { name: 'Say something about it' }).first().click();
  await page.getByRole('button', { name: 'Show it to readers' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  expect(await desk.examined('person-statement-faults')).toEqual([]);
  await page.getByLabel('What readers should know').fill('Paid late once: I was in hospital.');
  await page.getByRole('button', { name: 'Show it to readers' }).click();
  await page.getByText('Paid late once: I was in hospital.').waitFor();
  const shown = (await look('ACCOUNT_REVIEW')).body;
  expect(shown.statements).toMatchObject([{ text: 'Paid late once: I was in hospital.' }]);

  // The freeze holds from its answer on; whoever reviews an own account still may.
  await page.getByRole('link', { name: 'Freeze and alerts' }).click();
  expect(await desk.examined('person-freeze')).toEqual([]);
  await page.getByRole('button', { name: 'Freeze my file' }).click();
  await page.getByText('Your file is frozen from this moment on.').waitFor();
  const refused = await look();
  expect([refused.status, refused.body.error.reason]).toEqual([403, 'FILE_FROZEN']);
  expect((await look('ACCOUNT_REVIEW')).status).toBe(200);
  await page.reload();
  await page.getByRole('heading', { name: 'Whom the freeze turned away' }).waitFor();
  expect(await desk.examined('person-frozen')).toEqual([]);

  // For everybody it takes an end; to one lender none.
  await page.getByRole('button', { name: 'Open it' }).click();
  await page.locator('#ends_at-fault').waitFor();
  await page
    .getByLabel('Until')
    .fill(new Date(Date.now() + 86_400_000 * 2).toISOString().slice(0, 10));
  await page.getByRole('button', { name: 'Open it' }).click();
  await page.getByText('The file is open as you said.').waitFor();
  expect((await look()).status).toBe(200);
  await page.getByRole('button', { name: 'Close it' }).click();
  await page.getByText('The file is closed to them again.').waitFor();
  expect((await look()).status).toBe(403);

  await page.getByRole('button', { name: 'Warn readers of fraud' }).click();
  await page.getByText('Readers are warned for a year from now on.').waitFor();
  expect((await look('ACCOUNT_REVIEW')).body.alerts).toHaveLength(1);
  await page.getByRole('button', { name: 'End the alert' }).click();
  await page.getByText('The alert is over.').waitFor();
  await page.getByRole('button', { name: 'End the freeze for good' }).click();
  await page.getByText('The freeze is over').waitFor();
  expect((await look()).status).toBe(200);
  await page.getByRole('link', { name: 'About your data' }).click();
  await page.getByRole('heading', { name: 'Why nothing is erased' }).waitFor();
  expect(await desk.examined('person-about')).toEqual([]);

  // What is kept as a file is what the operation says.
  await page.getByRole('link', { name: 'Your file' }).click();
  const coming = page.waitForEvent('download');
  await page.getByRole('link', { name: 'file', exact: true }).click();
  expect((await coming).suggestedFilename()).toMatch(/^credit-file-.*\.json$/);
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 180_000);

test('a person contests an entry, and sees what it changed and who was told', async () => {
  const { id } = await borrower(lender.key);
  const accounts = await lender.key.request<{ id: string }[]>('GET', `/accounts?subject_id=${id}`);
  const account_id = String(accounts.body[0]?.id);
  const late = await lender.key.create(
    `/accounts/${account_id}/events`,
    { event_type: 'PAYMENT_LATE', occurred_at: '2026-02-01T00:00:00Z' },
    `late-${account_id}`,
  );
  const standing = async () => {
    const profile = await lender.key.request('GET', `/credit/${id}?purpose=ACCOUNT_REVIEW`);
    return profile.body.risk.worst_current_status;
  };
  expect(await standing()).toBe('PAST_DUE');
  const { url } = await lender.key.create(`/subjects/${id}/access-links`, undefined);
  const desk = await stage.desk();
  const { page } = desk;
  await desk.visit('/my/open');
  const token = new URLSearchParams(new URL(url).hash.slice(1)).get('token') ?? '';
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Open it' }).click();
  // An account's page of its own, where an account has more events than the file has room for.
  await desk.visit(`/my/accounts/${account_id}`);
  await page.getByRole('heading', { name: /^Term loan at .+: its events$/ }).waitFor();
  await page.getByText('1,000.00 DCR').first().waitFor();
  expect(await desk.examined('person-account-events')).toEqual([]);
  await desk.visit('/my');
  await page.getByText('2 events').click();
  await page.locator(`#event-${late.id}`).getByRole('link', { name: 'This is wrong' }).click();
  await page.getByRole('button', { name: 'Contest it' }).click();
  await page.getByText('Please look at what is marked.').waitFor();
  expect(await desk.examined('person-contest-faults')).toEqual([]);
  await page.getByLabel('What is wrong').selectOption('IDENTITY_THEFT');
  await page.getByLabel('What happened').fill('Somebody else took this loan in my name.');
  await page.getByRole('button', { name: 'Contest it' }).click();
  await page.getByText('Your dispute is in').waitFor();
  await page.getByText('The record is left out').waitFor();
  expect(await desk.examined('person-dispute-open')).toEqual([]);
  // From the answer on.
  expect(await standing()).toBe('CURRENT');
  const dispute_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';

  await lender.key.create(
    `/disputes/${dispute_id}/responses`,
    { verdict: 'VERIFIED', text: 'Our books say that it came late.' },
    `answer-${dispute_id}`,
  );
  await administrator.expect(200, 'PATCH', `/admin/disputes/${dispute_id}`, {
    body: { status: 'RESOLVED_CORRECTED', resolution: 'The signature is another.' },
  });
  await page.getByRole('link', { name: 'Your disputes', exact: true }).click();
  expect(await desk.examined('person-disputes')).toEqual([]);
  await page.getByRole('link', { name: 'My identity was stolen' }).click();
  await page.getByText('The signature is another.').waitFor();
  await page.getByRole('cell', { name: 'Payment late' }).waitFor();
  await page.getByRole('cell', { name: 'Harbour Lending' }).first().waitFor();
  await page.getByText('The lender answered the network').waitFor();
  expect(await desk.examined('person-dispute-decided')).toEqual([]);
  expect(await standing()).toBe('CURRENT');
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 180_000);
