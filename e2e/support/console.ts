import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessibilityFaults, type Examined } from './browser';
import { eventually } from './eventually';

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Where pictures go that somebody wants to look at; none are made without it. */
const PICTURES = process.env.CONSOLE_PICTURES;

/** All that a page loads, as it goes over the wire. */
const MAX_PAGE_BYTES = 150_000;

export interface Person {
  readonly email: string;
  readonly password: string;
}

/** A browser of one person's, as a console test looks at it. */
export class Desk {
  readonly page: Page;
  /** What no page of the console may do: broken policies, failing scripts, requests elsewhere. */
  readonly faults: string[] = [];
  readonly #context: BrowserContext;
  #has_examined = false;
  readonly #origin: string;

  private constructor(context: BrowserContext, page: Page, origin: string) {
    this.#context = context;
    this.#origin = origin;
    this.page = page;
    page.on('console', (message) => {
      // Chromium logs every answer of 4xx; which are meant, the tests say.
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) {
        this.faults.push(message.text());
      }
    });
    page.on('pageerror', (error) => this.faults.push(String(error)));
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) this.faults.push(`request to ${request.url()}`);
    });
  }

  static async open(
    browser: Browser,
    origin: string,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<Desk> {
    const context = await browser.newContext({
      viewport: DESKTOP,
      reducedMotion: 'reduce',
      ...options,
    });
    return new Desk(context, await context.newPage(), origin);
  }

  /** Opens a page of the console. */
  goTo(where: string): Promise<number> {
    return this.visit(`/console${where}`);
  }

  /** Opens any page of the network's. */
  async visit(where: string): Promise<number> {
    const answer = await this.page.goto(`${this.#origin}${where}`);
    return answer?.status() ?? 0;
  }

  /** Opens a page of the console until its table has a text: what comes to it by a message. */
  async tableShows(where: string, text: string): Promise<void> {
    await eventually(
      async () => {
        await this.goTo(where);
        return this.page.getByRole('table').getByText(text).count();
      },
      (count) => count > 0,
    );
  }

  async signIn({ email, password }: Person): Promise<void> {
    await this.goTo('/sign-in');
    await this.page.getByLabel('E-mail address').fill(email);
    await this.page.getByLabel('Password').fill(password);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
  }

  /**
   * Looks at the page as it is: what axe finds on a desktop and a phone, and in dark colours,
   * whether the phone would scroll sideways, and whether it is too heavy.
   */
  async examined(name: string): Promise<string[]> {
    const found: string[] = [];
    const { bytes, painted_ms } = await this.page.evaluate(() => {
      const loaded = [
        ...performance.getEntriesByType('navigation'),
        ...performance.getEntriesByType('resource'),
      ] as PerformanceResourceTiming[];
      const [painted] = performance.getEntriesByName('first-contentful-paint');
      return {
        bytes: loaded.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
        painted_ms: Math.round(painted?.startTime ?? 0),
      };
    });
    if (bytes > MAX_PAGE_BYTES) found.push(`${name}: ${bytes} bytes`);
    if (PICTURES !== undefined) {
      mkdirSync(PICTURES, { recursive: true });
      appendFileSync(
        path.join(PICTURES, 'figures.txt'),
        `${name}: ${bytes} bytes, first paint after ${painted_ms} ms\n`,
      );
    }
    for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
      await this.page.setViewportSize(viewport);
      for (const colorScheme of ['light', 'dark'] as const) {
        await this.page.emulateMedia({ colorScheme });
        const of = this.#examinedFor(size, colorScheme);
        const faults = of === undefined ? [] : await accessibilityFaults(this.page, of);
        found.push(
          ...faults.map(({ rule, where }) => `${name}, ${size}, ${colorScheme}: ${rule} ${where}`),
        );
        await this.#picture(`${name}-${size}-${colorScheme}`);
      }
      const { scroll, width } = await this.page.evaluate(() => ({
        scroll: document.documentElement.scrollWidth,
        width: document.documentElement.clientWidth,
      }));
      if (scroll > width) found.push(`${name}, ${size}: ${scroll} px wide in ${width}`);
    }
    await this.page.setViewportSize(DESKTOP);
    await this.page.emulateMedia({ colorScheme: 'light' });
    this.#has_examined = true;
    return found;
  }

  /**
   * The examination takes seconds, of the colours most. In dark ones only these are others; on a phone
   * these are the same, and what it shows and a desktop does not, the bar and its menu, is on all
   * pages: the first will do.
   */
  #examinedFor(size: string, colorScheme: 'light' | 'dark'): Examined | undefined {
    const is_known = size === 'phone' && this.#has_examined;
    if (colorScheme === 'light') return is_known ? 'all but colours' : 'everything';
    return is_known ? undefined : 'colours';
  }

  async #picture(name: string): Promise<void> {
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    await this.page.screenshot({ path: path.join(PICTURES, `${name}.png`), fullPage: true });
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}
