import { Client, enrol, logIn } from '@credit/local/demo/client';
import { codeFrom } from '../support/authenticator';
import type { Desk } from '../support/console';
import { useStage } from '../support/stage';

const PASSWORD = 'four words make a phrase';
const ADA = {
  email: 'ada@quayside.example',
  password: PASSWORD,
  display_name: 'Ada',
  role: 'ADMIN',
};
const OLGA = {
  email: 'olga@quayside.example',
  password: PASSWORD,
  display_name: 'Olga',
  role: 'OWNER',
};

let administrator: Client;

// A member's people set one up as they like; who runs the network must.
const stage = useStage(() => ({ REQUIRE_SECOND_FACTOR: 'administrators' }));

beforeAll(async () => {
  const anonymous = new Client(stage.system.base_url);
  const { superadmin } = stage.system;
  administrator = await logIn(anonymous, superadmin.email, superadmin.password);
  const refused = await administrator.request('GET', '/admin/users');
  expect(refused).toMatchObject({
    status: 403,
    body: { error: { reason: 'SECOND_FACTOR_REQUIRED' } },
  });
  const offered = await administrator.create('/auth/second-factor', {
    current_password: superadmin.password,
  });
  await administrator.expect(200, 'POST', '/auth/second-factor/confirm', {
    body: { code: codeFrom(offered.secret) },
  });
  const member = await enrol(anonymous, administrator, 'Quayside');
  for (const { display_name, role, ...person } of [ADA, OLGA]) {
    const { token } = await member.owner.create('/institutions/users/invitations', {
      email: person.email,
      role,
    });
    const { password } = person;
    await anonymous.create('/auth/accept-invitation', { token, display_name, password });
  }
}, 240_000);

async function firstStep(desk: Desk, where = '/sign-in'): Promise<void> {
  await desk.goTo(where);
  await desk.page.getByLabel('E-mail address').fill(ADA.email);
  await desk.page.getByLabel('Password').fill(ADA.password);
  await desk.page.getByRole('button', { name: 'Sign in' }).click();
  await desk.page.getByRole('heading', { name: 'Your second factor' }).waitFor();
}

test('a person sets a second factor up, signs in with it and with a recovery code, and is helped when both are lost', async () => {
  const desk = await stage.desk();
  const { page } = desk;
  await desk.signIn(ADA);
  await page.getByRole('link', { name: 'Second factor' }).click();
  await page.getByRole('heading', { name: 'Second factor' }).waitFor();
  expect(await desk.examined('second-factor')).toEqual([]);
  await page.getByLabel('Your password').fill('not the password');
  await page.getByRole('button', { name: 'Set up a second factor' }).click();
  await page.getByText('This is wrong.').waitFor();
  await page.getByLabel('Your password').fill(ADA.password);
  await page.getByRole('button', { name: 'Set up a second factor' }).click();
  await page.getByRole('img', { name: 'What the authenticator reads' }).waitFor();
  await page.getByText('Type it by hand instead').click();
  const shown = async () => (await page.locator('code.secret').textContent())?.replaceAll(' ', '');
  const secret = String(await shown());
  expect(await desk.examined('second-factor-offered')).toEqual([]);

  // A mistyped code shows the same secret again.
  await page.getByLabel('The code that it shows now').fill('12 34');
  await page.getByRole('button', { name: 'Switch it on' }).click();
  await page.getByText('This must be 6 digits.').waitFor();
  await page.getByText('Type it by hand instead').click();
  expect(await shown()).toBe(secret);
  await page.getByLabel('The code that it shows now').fill(codeFrom(secret, -1));
  await page.getByRole('button', { name: 'Switch it on' }).click();
  await page.getByRole('heading', { name: 'Your second factor is set up' }).waitFor();
  const codes = await page.locator('.codes code').allTextContents();
  expect(codes).toHaveLength(10);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('recovery-codes.txt');
  expect(await desk.examined('recovery-codes')).toEqual([]);
  await page.getByRole('link', { name: 'I have kept them' }).click();
  await page.getByText('10 of 10').waitFor();
  expect(await desk.examined('second-factor-on')).toEqual([]);

  const other = await stage.desk({ javaScriptEnabled: false });
  await firstStep(other, '/sessions');
  await other.page.getByLabel('Code', { exact: true }).fill('000000');
  await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.page.getByText('That code is wrong').waitFor();
  await other.page.getByLabel('Code', { exact: true }).fill(codeFrom(secret));
  await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.page.waitForURL(`${stage.origin}/console/sessions`);
  await other.close();

  const third = await stage.desk();
  await firstStep(third);
  expect(await third.examined('second-step')).toEqual([]);
  await third.page.getByText('Use a recovery code instead').click();
  await third.page.getByLabel('Recovery code').fill(String(codes[0]));
  await third.page.getByRole('button', { name: 'Sign in with it' }).click();
  await third.page.waitForURL(`${stage.origin}/console`);
  await third.goTo('/second-factor');
  await third.page.getByText('9 of 10').waitFor();
  expect(third.faults).toEqual([]);

  const owner = await stage.desk();
  await owner.signIn(OLGA);
  await owner.goTo('/people');
  await owner.page.getByRole('row', { name: /Ada/ }).getByText('Change').click();
  expect(await owner.examined('people-with-factor')).toEqual([]);
  await owner.page.getByRole('button', { name: 'Take the second factor off' }).click();
  await owner.page.getByText('The second factor is off').waitFor();
  expect(owner.faults).toEqual([]);
  await owner.close();

  // Its sessions ended with it, and the password alone signs in.
  await third.goTo('/second-factor');
  await third.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await third.signIn(ADA);
  await third.goTo('/second-factor');
  await third.page.getByRole('button', { name: 'Set up a second factor' }).waitFor();
  await third.close();
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 240_000);

test('who runs the network is led from a temporary password to its own, and to a second factor, before all else', async () => {
  const made = await administrator.create('/admin/users', {
    email: 'rosa@network.example',
    display_name: 'Rosa',
    platform_role: 'PLATFORM_ADMIN',
  });
  const desk = await stage.desk();
  const { page } = desk;
  await desk.signIn({ email: 'rosa@network.example', password: made.temporary_password });
  await page.getByRole('heading', { name: 'Choose your password' }).waitFor();
  expect(await desk.examined('password-first')).toEqual([]);
  await desk.goTo('/network/users');
  await page.getByLabel('The password that you were given').fill(made.temporary_password);
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('New password, once more').fill(PASSWORD);
  await page.getByRole('button', { name: 'Save' }).click();

  await page.getByText('This network asks for a second factor.').waitFor();
  expect(await desk.examined('second-factor-required')).toEqual([]);
  for (const elsewhere of ['', '/network/users', '/password', '/sessions']) {
    await desk.goTo(elsewhere);
    expect(new URL(page.url()).pathname).toBe('/console/second-factor');
  }
  // Nothing is offered that does not open.
  expect(await page.getByRole('navigation', { name: 'Console' }).getByRole('link').count()).toBe(0);
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set up a second factor' }).click();
  await page.getByText('Type it by hand instead').click();
  const secret = (await page.locator('code.secret').textContent())?.replaceAll(' ', '') ?? '';
  await page.getByLabel('The code that it shows now').fill(codeFrom(secret));
  await page.getByRole('button', { name: 'Switch it on' }).click();
  await page.getByRole('link', { name: 'I have kept them' }).click();
  await page.waitForURL(`${stage.origin}/console`);
  await desk.goTo('/network/users');
  await page.getByRole('heading', { name: 'Users' }).waitFor();

  // It may be changed for another, which is then set up at once.
  await desk.goTo('/second-factor');
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByLabel('Code', { exact: true }).fill(codeFrom(secret, 1));
  await page.getByRole('button', { name: 'Remove the second factor' }).click();
  await page.getByText('This network asks for a second factor.').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(desk.faults).toEqual([]);
  await desk.close();
}, 120_000);
