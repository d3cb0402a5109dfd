import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readResults } from '../measured';
import { ARCHIVE_DAYS } from './figures';
import { OPTIONS } from './network';
import { PAGE, proseOf, readPage, renderPage } from './page';
import { LEAST_SERVER_CORES } from './plan';
import { podPools } from './pools';
import { amount, markdown } from './tables';

const COMPONENTS = path.resolve(__dirname, '../../../deploy/k8s/components');
const manifest = (file: string) => readFileSync(path.join(COMPONENTS, file), 'utf8');

describe('docs/SCALING.md', () => {
  // UPDATE_GOLDEN=1 writes them.
  it('has the tables that follow from the results', () => {
    const made = renderPage(readPage(), readResults());
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(PAGE, made);
    expect(readPage()).toBe(made);
  });

  it('says no figure outside of them', () => {
    // Addresses and commands are no figures.
    const prose = proseOf(readPage())
      .replace(/^```\n[^`]*^```$/gm, '')
      .replace(/\]\([^)]*\)/g, ']')
      .replace(/`[^`\n]*`/g, '')
      .replace(/Citus 12\.1|ADR \d{4}/g, '');
    expect(prose.split('\n').filter((line) => /\d/.test(line))).toEqual([]);
  });

  it('is refused without a place for a table, or with one for none', () => {
    const results = readResults();
    expect(() => renderPage('', results)).toThrow('has no place for: costs');
    const page = `${readPage()}<!-- npm run capacity: weather -->\n<!-- end -->\n`;
    expect(() => renderPage(page, results)).toThrow('asks for a table "weather"');
    const open = `${readPage()}<!-- npm run capacity: costs -->\n`;
    expect(() => renderPage(open, results)).toThrow('does not end');
  });
});

it('assumes what the manifests have', () => {
  expect(manifest('cnpg/cluster.yaml')).toContain(
    `max_connections: "${OPTIONS['max-connections'].fallback}"`,
  );
  expect(manifest('cnpg/cluster.yaml')).toContain(`instances: ${OPTIONS.instances.fallback}\n`);
  expect(manifest('cnpg/cluster.yaml')).toContain(`requests: { cpu: "${LEAST_SERVER_CORES}"`);
  expect(manifest('cnpg-backups/backups.yaml')).toContain(`retentionPolicy: ${ARCHIVE_DAYS}d`);
  expect(manifest('nats/nats.conf')).toContain(
    `max_file_store: ${OPTIONS['nats-store-gb'].fallback}GB`,
  );
});

it('counts the pools of each service', () => {
  expect(podPools()).toMatchObject({ identity: 6 + 8, reporting: 2 * 8, webhooks: 2 * 6 });
});

it('writes numbers with three digits that count', () => {
  expect([0.12345, 2.5, 999.4, 1234, 1_234_567, 0].map(amount)).toEqual([
    '0.123',
    '2.5',
    '999',
    '1,230',
    '1,230,000',
    '0',
  ]);
});

it('makes columns as wide as what is in them', () => {
  const rows = [
    ['A', 'Bee'],
    ['long one', ''],
  ];
  expect(markdown(rows)).toBe('| A        | Bee |\n| -------- | --- |\n| long one |     |');
});
