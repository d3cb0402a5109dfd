import { type System, startSystem } from '@credit/local/spawned-system';
import type { Browser } from 'playwright-core';
import { launchChromium } from './browser';
import { Desk } from './console';
import { type SharedSystem, sharedSystem } from './shared-system';

/** The whole system and a browser, for the tests of a file. */
export interface Stage {
  readonly system: SharedSystem;
  readonly browser: Browser;
  /** Where the system's pages are. */
  readonly origin: string;
  /** A browser of one person's. */
  desk(options?: Parameters<Browser['newContext']>[0]): Promise<Desk>;
}

type Settings = Readonly<Record<string, string>>;

/** All of a file's visitors come from one address, and are quicker than people. */
const LIMITS: Settings = { RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '100' };

/**
 * Starts both before the first test of the file, ahead of its own hooks, and stops them after the last.
 * The system is the file's own, unless it takes what all share.
 */
export function useStage(
  settings: 'shared' | (() => Settings | Promise<Settings>) = () => ({}),
): Stage {
  let own: System | undefined;
  let system: SharedSystem | undefined;
  let browser: Browser | undefined;
  const startOwn = async (given: Settings) => {
    own = await startSystem({ ...LIMITS, ...given });
    return own;
  };
  beforeAll(async () => {
    const starting = settings === 'shared' ? sharedSystem() : startOwn(await settings());
    [system, browser] = await Promise.all([starting, launchChromium()]);
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await own?.stop();
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
