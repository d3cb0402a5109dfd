import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Client, enrol, logIn } from '@credit/local/demo/client';
import type { BrowserContext, Page } from 'playwright-core';
import { type AccessibilityFault, accessibilityFaults } from '../support/browser';
import { useStage } from '../support/stage';

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 375, height: 812 };
const IMAGES = path.resolve(__dirname, '../../docs/img');
/** Pictures are kept in the repository, and made anew only on request. */
const WITH_PICTURES = process.env.UPDATE_SCREENSHOTS === '1';
/** Looks right and is no key of anybody. */
const LIVE_KEY = `svc_live_${'7'.repeat(49)}`;

/**
 * One of each kind is examined for all, on a desktop in light colours and on a phone in dark ones; the
 * others for what their texts can break: the examination takes seconds.
 */
const ONE_OF_EACH_KIND = [
  '/docs',
  '/docs/guides/webhooks',
  '/docs/reference/disputes',
  '/docs/reference/webhook-events',
  '/docs/errors',
  '/docs/glossary',
];

const stage = useStage('shared');
let test_key: string;
let urls: string[];

beforeAll(async () => {
  const { system } = stage;
  const anonymous = new Client(system.base_url);
  const { email, password } = system.superadmin;
  const administrator = await logIn(anonymous, email, password);
  const { key } = await enrol(anonymous, administrator, 'Docs Lender', 'test');
  test_key = String(key.token);
  await key.create('/subjects', {
    type: 'ORGANISATION',
    legal_name: 'Harbour Bakery Ltd',
    registration_number: 'HB-1',
  });
  const { page, context } = await open('/docs', DESKTOP);
  const links = await page.locator('.navigation a').all();
  urls = await Promise.all(links.map(async (link) => String(await link.getAttribute('href'))));
  await context.close();
}, 240_000);

interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to another origin, faults on the console, and scripts that failed. */
  readonly faults: string[];
  /** Requests to the API. */
  readonly sent: string[];
}

async function open(
  url: string,
  viewport: { width: number; height: number },
  options: { colorScheme?: 'light' | 'dark'; javaScriptEnabled?: boolean } = {},
): Promise<Opened> {
  const context = await stage.browser.newContext({ viewport, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  const sent: string[] = [];
  page.on('request', (request) => {
    const target = new URL(request.url());
    if (target.origin !== stage.origin) faults.push(`request to ${request.url()}`);
    if (target.pathname.startsWith('/api/')) sent.push(`${request.method()} ${target.pathname}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(`${stage.origin}${url}`);
  return { page, context, faults, sent };
}

async function picture(page: Page, name: string): Promise<void> {
  if (!WITH_PICTURES) return;
  mkdirSync(IMAGES, { recursive: true });
  await page.screenshot({ path: path.join(IMAGES, `${name}.png`) });
}

describe.each([
  ['desktop', DESKTOP, 'light'],
  ['phone', PHONE, 'dark'],
] as const)('on a %s', (device, viewport, colorScheme) => {
  test('an engineer finds an operation, tries it with a test key, and cannot with a live one', async () => {
    const { page, context, faults, sent } = await open('/docs', viewport, { colorScheme });
    await picture(page, `home-${device}`);
    await page.keyboard.press('/');
    await page.keyboard.type('search subjects');
    await page
      .getByRole('option', { name: /subjects/i })
      .first()
      .waitFor();
    await picture(page, `search-${device}`);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${stage.origin}/docs/reference/subjects#searchSubjects`);

    const operation = page.locator('#searchSubjects');
    await operation.getByText('Try it').click();
    const key = operation.getByLabel('Test key');
    const send = operation.getByRole('button', { name: 'Send request' });
    await operation.getByRole('textbox', { name: /^q\b/ }).fill('harbour');
    await key.fill(LIVE_KEY);
    expect(await operation.getByRole('alert').textContent()).toContain('This is a live key');
    expect(await key.inputValue()).toBe('');
    await send.click();
    expect(await operation.getByRole('alert').textContent()).toContain('Enter a test key');
    expect(sent).toEqual([]);

    await key.fill(test_key);
    await send.click();
    const result = operation.locator('.result');
    await result.getByText(/^200/).waitFor();
    expect(await operation.getByRole('alert').isVisible()).toBe(false);
    expect(await result.textContent()).toContain('Harbour Bakery Ltd');
    expect(await result.textContent()).toContain('x-ratelimit-remaining');
    expect(sent).toEqual(['GET /api/v1/subjects']);
    await operation.locator('.try').scrollIntoViewIfNeeded();
    await picture(page, `try-it-${device}`);
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);
});

/** A page of the documentation, as it was looked at. */
interface Looked {
  readonly url: string;
  /** On a desktop and on a phone. */
  readonly too_wide_px: readonly number[];
  readonly found: readonly AccessibilityFault[];
  readonly ids: ReadonlySet<string>;
  readonly hrefs: readonly string[];
}

/** Pages are large and examining them takes seconds: each is opened once, for all that is asked of it. */
let looked: Promise<readonly Looked[]> | undefined;

async function lookAtAll(): Promise<readonly Looked[]> {
  const { page, context, faults } = await open('/docs', DESKTOP);
  const all: Looked[] = [];
  for (const url of urls) {
    await page.setViewportSize(DESKTOP);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${stage.origin}${url}`);
    const too_wide_px = [await tooWide(page)];
    // How a page is made, and its colours, which take longest, are those of its kind.
    const is_example = ONE_OF_EACH_KIND.includes(url);
    const found = await accessibilityFaults(page, is_example ? 'everything' : 'contents');
    const there = await page.evaluate<{ ids: string[]; hrefs: string[] }>(`({
      ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
      hrefs: [...document.querySelectorAll('a[href]')].map(({ href }) => href),
    })`);
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    too_wide_px.push(await tooWide(page));
    if (is_example) found.push(...(await accessibilityFaults(page)));
    all.push({ url, too_wide_px, found, ids: new Set(there.ids), hrefs: there.hrefs });
  }
  expect(faults).toEqual([]);
  await context.close();
  return all;
}

const tooWide = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

test('no page is wider than the screen, and none has a fault for assistive technology', async () => {
  looked ??= lookAtAll();
  for (const { url, too_wide_px, found } of await looked) {
    expect({ url, too_wide_px, found }).toEqual({ url, too_wide_px: [0, 0], found: [] });
  }
  expect(urls).toEqual(expect.arrayContaining(ONE_OF_EACH_KIND));
}, 600_000);

test('every link within the documentation leads to a page, and to a place on it', async () => {
  looked ??= lookAtAll();
  const pages = await looked;
  const ids = new Map(pages.map((one) => [one.url, one.ids] as const));
  const links = new Map(
    pages.flatMap(({ url, hrefs }) => hrefs.map((href) => [href, url] as const)),
  );
  const broken: string[] = [];
  const answers = new Map<string, number>();
  for (const [href, from] of links) {
    const { origin: target_origin, pathname, hash } = new URL(href);
    // What is outside belongs to others and may be away while this runs.
    if (target_origin !== stage.origin) continue;
    if (!answers.has(pathname)) {
      answers.set(pathname, (await fetch(`${stage.origin}${pathname}`)).status);
    }
    const anchor = decodeURIComponent(hash.slice(1));
    const there = anchor === '' || ids.get(pathname)?.has(anchor);
    if (answers.get(pathname) !== 200 || !there) broken.push(`${from}: ${href}`);
  }
  expect(broken).toEqual([]);
  expect(links.size).toBeGreaterThan(200);
}, 600_000);

test('the key goes along from page to page, and is gone once the page is loaded anew', async () => {
  const { page, context, faults } = await open('/docs/reference/subjects#searchSubjects', DESKTOP);
  await page.locator('#searchSubjects').getByText('Try it').click();
  await page.locator('#searchSubjects').getByLabel('Test key').fill(test_key);
  await page.locator('#searchSubjects').getByLabel('Test key').press('Tab');

  await page.locator('.navigation').getByText('Accounts', { exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
  await page.locator('#listAccounts').getByText('Try it').click();
  const key = page.locator('#listAccounts').getByLabel('Test key');
  expect(await key.inputValue()).toBe(test_key);
  expect(await page.title()).toContain('Accounts');

  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Subjects' }).waitFor();
  await page.goForward();
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
  const kept = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, name])',
  );
  expect(kept).not.toContain('svc_');
  await page.reload();
  await page.locator('#listAccounts').getByText('Try it').click();
  expect(await key.inputValue()).toBe('');
  expect(faults).toEqual([]);
  await context.close();
}, 60_000);

test('samples come in the language that was chosen, with this address and the tried key', async () => {
  const { page, context, faults } = await open('/docs/reference/subjects', DESKTOP);
  const samples = page.locator('#searchSubjects .request-samples');
  const shown = samples.locator('[data-language]:not([hidden]) pre');
  expect(await shown.textContent()).toContain(
    `curl --fail-with-body '${stage.origin}/api/v1/subjects`,
  );
  await samples.getByRole('button', { name: 'Python' }).click();
  expect(await shown.textContent()).toContain('urllib.request.Request(');
  const elsewhere = page.locator('#createSubject [data-language]:not([hidden]) pre');
  expect(await elsewhere.textContent()).toContain('import json');

  await page.locator('#searchSubjects').getByText('Try it').click();
  await page.locator('#searchSubjects').getByLabel('Test key').fill(test_key);
  expect(await elsewhere.textContent()).toContain(`Bearer ${test_key}`);
  await page.locator('#searchSubjects').getByLabel('Test key').fill(LIVE_KEY);
  expect(await page.locator('main').textContent()).not.toContain('svc_live_777');
  expect(await elsewhere.textContent()).toContain('Bearer svc_test_your_key');

  await page.goto(`${stage.origin}/docs/reference/accounts`);
  const next = page.locator('#createAccount [data-language]:not([hidden]) pre');
  expect(await next.textContent()).toContain('import json');
  await samplesAreClear(page);
  expect(faults).toEqual([]);
  await context.close();
}, 60_000);

/** No button that copies lies over the code that it copies. */
async function samplesAreClear(page: Page): Promise<void> {
  const covered = await page.evaluate<number>(`
    [...document.querySelectorAll('.code')].filter((frame) => {
      const pre = frame.querySelector('pre').getBoundingClientRect();
      const copy = frame.querySelector('.copy')?.getBoundingClientRect();
      return copy !== undefined && copy.height > 0 && copy.bottom > pre.top + 1;
    }).length`);
  expect(covered).toBe(0);
}

test('an address that leads nowhere is a page with a way on, and so is the address alone', async () => {
  const { page, context } = await open('/docs/reference/report-events', PHONE);
  await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
  await page.locator('.suggestions a').first().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.locator('.suggestions a').first().click();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  await page.goto(stage.origin);
  await page.getByRole('link', { name: 'Documentation' }).first().click();
  await page.getByRole('heading', { level: 1, name: /Report credit/ }).waitFor();
  await samplesAreClear(page);
  await context.close();
}, 60_000);

test('the search opens with Ctrl+K too, shows what was found where, and works without a network', async () => {
  const { page, context, faults } = await open('/docs/guides/errors', DESKTOP);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('PAST_DUE');
  await page.getByRole('option').first().waitFor();
  await context.setOffline(true);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('default_severity');
  await page.getByRole('option', { name: /field of NewEvent/ }).waitFor();
  expect(await page.getByRole('option').first().textContent()).toContain('MODERATE');
  expect(faults).toEqual([]);
  await context.close();
}, 60_000);

test('everything can be done by keyboard', async () => {
  const { page, context } = await open('/docs/guides/errors', DESKTOP);
  const focused = () =>
    page.evaluate<string>('document.activeElement.id || document.activeElement.textContent.trim()');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('content');
  await page.keyboard.press('/');
  await page.keyboard.type('webhook');
  await page.getByRole('option').nth(1).waitFor();
  await page.keyboard.press('ArrowDown');
  expect(await page.getByRole('option').nth(1).getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Escape');
  expect(await page.getByRole('option').count()).toBe(0);
  await context.close();
}, 60_000);

test('light and dark: as the system has it, until the reader chooses', async () => {
  const { page, context } = await open('/docs/guides/quick-start', DESKTOP, {
    colorScheme: 'dark',
  });
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const dark = await background();
  await picture(page, 'guide-desktop-dark');
  await page.getByRole('button', { name: 'Change to light colours' }).click();
  const light = await background();
  expect(light).not.toBe(dark);
  await page.reload();
  expect(await background()).toBe(light);
  await page.getByRole('button', { name: 'Change to dark colours' }).click();
  expect(await background()).toBe(dark);
  await context.close();
}, 60_000);

test('on a phone the navigation folds away, and without scripts it is there all the same', async () => {
  const { page, context } = await open('/docs', PHONE);
  const link = page.locator('.navigation').getByText('Errors', { exact: true });
  expect(await link.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Menu' }).click();
  await picture(page, 'menu-phone');
  await link.click();
  await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();
  expect(await link.isVisible()).toBe(false);
  await context.close();

  const plain = await open('/docs', PHONE, { javaScriptEnabled: false });
  await plain.page.locator('.navigation').getByText('Errors', { exact: true }).click();
  await plain.page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();
  await plain.context.close();
}, 60_000);
