import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { filesOf, readTable } from '../../../tools/services.cjs';
import { ROOT } from './kustomize';

const table = readTable();
const here = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** Headings of the section in CONTRIBUTING.md, each with the example and the files below it. */
const LISTS = new Map(
  (here('CONTRIBUTING.md').split('## Where to touch for something new\n')[1] ?? '')
    .split(/^## /m)[0]
    ?.split(/^### /m)
    .slice(1)
    .map((part) => [
      part.slice(0, part.indexOf('\n')),
      {
        example: /^As `(.*)` has it/m.exec(part)?.[1] ?? '',
        files: [...part.matchAll(/^- `(.+?)`: \S/gm)].map(([, file]) => file ?? ''),
      },
    ]),
);

function list(heading: string) {
  const found = LISTS.get(heading);
  if (found === undefined) throw new Error(`CONTRIBUTING.md has no list of files for: ${heading}`);
  return found;
}

const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(ROOT, file)));

// Made of others, or about them; a page of the console needs what it shows.
const BESIDE =
  /^(docs|bench|e2e)\/|^packages\/console\/src\/screens\/|^proto\/(src\/gen\/|descriptors)|^CONTRIBUTING\.md$|^package-lock\.json$|^deploy\/nats\.conf$|authorization\.conf$|recorded-answers\.json$/;
const sources = tracked.filter((file) => !BESIDE.test(file));

it('lists files that exist, no more than a newcomer is promised', () => {
  const bounds = {
    'A service': 8,
    'A REST operation': 7,
    'An event type on the bus': 4,
    'A webhook event': 7,
    'A background job': 2,
  };
  expect([...LISTS.keys()]).toEqual(Object.keys(bounds));
  for (const [heading, most] of Object.entries(bounds)) {
    const { files } = list(heading);
    expect(files.filter((file) => !tracked.includes(file))).toEqual([]);
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThanOrEqual(most);
  }
});

it.each(['A REST operation', 'An event type on the bus', 'A webhook event', 'A background job'])(
  '%s: the example is in exactly the files of its list',
  (heading) => {
    const { example, files } = list(heading);
    expect(example).not.toBe('');
    const found = sources.filter(
      (file) => (!file.includes('/test/') && !file.endsWith('.test.ts')) || files.includes(file),
    );
    // A webhook event's name is written with dots, its files with dashes, its message otherwise.
    const between = heading === 'A webhook event' ? '[._-]' : '\\.';
    const spelt = new RegExp(example.replaceAll('.', between));
    expect(found.filter((file) => spelt.test(here(file))).sort()).toEqual([...files].sort());
  },
);

it('A service: all of them are named together in the files of the list, and in what is made', () => {
  // Of the time before the first release, of how one scales, or of what is on record.
  const of_no_newcomer = [
    'deploy/check/src/migrations.ts',
    'deploy/k8s/components/keda/kustomization.yaml',
    'packages/contract/src/record-meanings.ts',
  ];
  const made = new Set(Object.keys(filesOf(table)));
  const names = table.map(({ name }) => new RegExp(`(?<![a-z])${name}(?![a-z])`, 'i'));
  const found = sources
    .filter((file) => !file.endsWith('.test.ts') && !made.has(file))
    .filter((file) => !of_no_newcomer.includes(file))
    .filter((file) => {
      const text = here(file);
      return names.every(
        (name) => name.test(text) || name.test(text.replace(/(?<=[a-z])Service/g, ' ')),
      );
    });
  const by_hand = list('A service').files;
  // Parts of it are made, its services are not.
  expect([...new Set([...found, 'deploy/compose.yaml'])].sort()).toEqual([...by_hand].sort());
});
