import { type System, startSystem } from '@credit/local/spawned-system';
import type { Browser } from 'playwright-core';
import { launchChromium } from './browser';
import { Desk } from './console';

/** The whole system and a browser, for the tests of a file. */
export interface Stage {
  readonly system: System;
  readonly browser: Browser;
  /** Where the system's pages are. */
  readonly origin: string;
  /** A browser of one person's. */
  desk(options?: Parameters<Browser['newContext']>[0]): Promise<Desk>;
}

type Settings = Readonly<Record<string, string>>;

/** All of a file's visitors come from one address, and are quicker than people. */
const LIMITS: Settings = { RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '100' };

/** Starts both before the first test of the file, ahead of its own hooks, and stops them after the last. */
export function useStage(settings: () => Settings | Promise<Settings> = () => ({})): Stage {
  let system: System | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    const given = { ...LIMITS, ...(await settings()) };
    [system, browser] = await Promise.all([startSystem(given), launchChromium()]);
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
  }, 60_000);
  const started = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('The stage is not set yet.');
    return part;
  };
  return {
    get system() {
      return started(system);
    },
    get browser() {
      return started(browser);
    },
    get origin() {
      return `http://127.0.0.1:${started(system).port}`;
    },
    desk(options) {
      return Desk.open(this.browser, this.origin, options);
    },
  };
}
