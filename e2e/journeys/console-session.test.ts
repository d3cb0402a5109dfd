import { type System, startSystem } from '@credit/local/spawned-system';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../support/browser';
import { Desk } from '../support/console';

let system: System;
let browser: Browser;
let origin: string;

beforeAll(async () => {
  [system, browser] = await Promise.all([startSystem(), launchChromium()]);
  origin = `http://127.0.0.1:${system.port}`;
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await system?.stop();
}, 60_000);

test('a person signs in, and is led to where they were', async () => {
  const desk = await Desk.open(browser, origin);
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

  await desk.page.getByLabel('E-mail address').fill(system.superadmin.email);
  await desk.page.getByLabel('Password').fill(system.superadmin.password);
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
  const desk = await Desk.open(browser, origin);
  await desk.signIn(system.superadmin);
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

test('everything works with scripts off', async () => {
  const desk = await Desk.open(browser, origin, { javaScriptEnabled: false });
  await desk.signIn(system.superadmin);
  await desk.page.getByRole('link', { name: 'Password' }).click();
  await desk.page.getByRole('heading', { name: 'Change your password' }).waitFor();
  await desk.close();
}, 120_000);

describe('a form that is not one of ours', () => {
  const send = (headers: Record<string, string>, body: string) =>
    fetch(`${origin}/console/sign-in`, {
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
