import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const ROOT = path.resolve(__dirname, '../..');
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Starts the machine's Chromium; where there is none, it is installed or asked for. */
export async function launchChromium(): Promise<Browser> {
  const found = execFileSync(process.execPath, [path.join(ROOT, 'tools/ensure-chromium.mjs')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return chromium.launch({
    executablePath: found.trim(),
    // Containers have neither the sandbox's kernel features nor much shared memory; and nothing
    // but the pages themselves is to talk to the network.
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  });
}

/** All of axe's rules about colours that it has on by itself. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** A fault that axe-core has found, in a few words. */
export interface AccessibilityFault {
  readonly rule: string;
  readonly impact: string;
  readonly where: string;
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly target: readonly string[] }[];
  }[];
}

/**
 * The serious and critical faults of the page as it is shown now. What was examined in other colours
 * is examined for its colours alone: nothing else of it has changed.
 */
export async function accessibilityFaults(
  page: Page,
  of: 'everything' | 'colours' = 'everything',
): Promise<AccessibilityFault[]> {
  // Half a megabyte, once a page.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const only = of === 'colours' ? `, runOnly: ${JSON.stringify(COLOUR_RULES)}` : '';
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { resultTypes: ['violations']${only} })`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, nodes }) => ({
      rule: id,
      impact,
      where: nodes.map(({ target }) => target.join(' ')).join(', '),
    }));
}
