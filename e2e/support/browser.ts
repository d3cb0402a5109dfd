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

/** What a text can break on a page whose make was examined before: names, lists, tables, what refers to what. */
const CONTENT_RULES = [
  'aria-valid-attr-value',
  'button-name',
  'definition-list',
  'dlitem',
  'document-title',
  'duplicate-id-aria',
  'image-alt',
  'label',
  'link-name',
  'list',
  'listitem',
  'nested-interactive',
  'scrollable-region-focusable',
  'summary-name',
  'svg-img-alt',
  'td-headers-attr',
  'th-has-data-cells',
  'valid-lang',
];

/** What of a page is examined: where its colours, its make, or all but colours were examined before, the rest will do. */
export type Examined = 'everything' | 'colours' | 'contents' | 'all but colours';

const RULES: Readonly<Record<Examined, object>> = {
  everything: {},
  colours: { runOnly: COLOUR_RULES },
  contents: { runOnly: CONTENT_RULES },
  'all but colours': {
    rules: Object.fromEntries(COLOUR_RULES.map((rule) => [rule, { enabled: false }])),
  },
};

/** The serious and critical faults of the page as it is shown now. */
export async function accessibilityFaults(
  page: Page,
  of: Examined = 'everything',
): Promise<AccessibilityFault[]> {
  // Half a megabyte, once a page.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const options = JSON.stringify({ resultTypes: ['violations'], ...RULES[of] });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, nodes }) => ({
      rule: id,
      impact,
      where: nodes.map(({ target }) => target.join(' ')).join(', '),
    }));
}
