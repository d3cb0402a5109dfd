// Laws over the sources: what services do by themselves is one mechanism, and stands in one list.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../../../..');

function sourcesBelow(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => path.join(folder, name));
}

const service_sources = readdirSync(path.join(ROOT, 'services')).flatMap((service) =>
  sourcesBelow(`services/${service}/src`),
);
const sources = [...service_sources, ...sourcesBelow('packages/platform/src')];
const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** The names of all background work, with the file that begins it. */
function begun(): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of sources) {
    for (const [, options = ''] of textOf(file).matchAll(
      /(?:new Background|\bsweeping)\(\{\n?([\s\S]{0,400}?)(?:work|sweeps):/g,
    )) {
      const name = /name: ['`]([a-z-]+?)(?:-\$\{[^}]*\})?['`]/.exec(options)?.[1];
      if (name !== undefined) found.set(`${name} ${serviceOf(file)}`, file);
      // The one that only hands its own options on.
      else if (!file.endsWith('runtime/sweeping.ts')) found.set(`unnamed ${file}`, file);
    }
  }
  return found;
}

const serviceOf = (file: string) => /^services\/([^/]+)/.exec(file)?.[1] ?? 'every service';

/** The rows of the table in docs/ARCHITECTURE.md. */
function listed(): string[] {
  const [, table = ''] = textOf('docs/ARCHITECTURE.md').split('## Background work\n');
  const [section = ''] = table.split('\n## ');
  return [...section.matchAll(/^\| `([a-z-]+)` +\| ([a-z ]+?) +\|/gm)].map(
    ([, name, service]) => `${name} ${service}`,
  );
}

test('all background work stands in the list of docs/ARCHITECTURE.md, and nothing else does', () => {
  expect([...begun().keys()].sort()).toEqual(listed().sort());
});

test('no service has a loop of its own making', () => {
  const own_loops = service_sources.filter((file) => /\bsetInterval\(/.test(textOf(file)));
  expect(own_loops).toEqual([
    // Closes idle connections of a server that is going away: it ends with the process.
    'services/gateway/src/gateway.ts',
    // Forty times a second, of what is in memory: how late it comes tells that the process is held up.
    'services/gateway/src/load-gate/load-gate.ts',
  ]);
});

test('pauses between attempts come from one formula', () => {
  const own_formulas = sources.filter((file) =>
    /\d \*\* |\* \d+ \*\*|2 \*\* Math/.test(textOf(file)),
  );
  expect(own_formulas.filter((file) => !/model|merkle|deadline\.ts$/.test(file))).toEqual([]);
});
