// Laws over the declarations: whatever is said to be deleted is deleted by something that runs, and the
// documentation says what is declared.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RetentionPolicies, TablePolicy } from '@credit/platform/db';
import { retentionOf, with_schema } from '../retention-of';

const ROOT = path.resolve(__dirname, '../../../..');
const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** What runs by itself in a service: another law holds the table against the code. */
function jobsOf(service: string): string[] {
  const [, table = ''] = textOf('docs/ARCHITECTURE.md').split('## Background work\n');
  const works = [...table.matchAll(/^\| `([a-z-]+)` +\| ([a-z ]+?) +\|/gm)]
    .filter(([, , where]) => where === service || where === 'every service')
    .map(([, name = '']) => name);
  const { rpc } = JSON.parse(textOf('deploy/services.json')) as {
    rpc: { name: string; jobs?: string[] }[];
  };
  return [...works, ...(rpc.find(({ name }) => name === service)?.jobs ?? [])];
}

const declared = new Map(with_schema.map((service) => [service, retentionOf(service)]));
const policies = [...declared].flatMap(([service, tables]: [string, RetentionPolicies]) =>
  Object.entries(tables).map(([table, policy]) => ({ service, table, policy })),
);
const GROUNDS = { law: 'law', contract: 'promise', need: 'purpose' };

function cellsOf({ service, table, policy }: (typeof policies)[number]): string[] {
  const { kept, job, ground, why } = policy;
  const by = job === undefined ? '-' : `\`${job}\``;
  return [service, `\`${table}\``, kept, by, `${GROUNDS[ground]}: ${why}`];
}

/** Rows as a table, aligned as the formatter has it. */
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) =>
    Math.max(...[head, ...rows].map((cells) => cells[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...rows].map(line).join('\n');
}

const FILE = 'docs/RETENTION.md';
const MARK = "<!-- Made of the services' retention.ts: UPDATE_GOLDEN=1 writes it anew. -->";

test('whatever is deleted is deleted by a job that there is', () => {
  const without = policies.filter(
    ({ service, policy: { job } }) => job !== undefined && !jobsOf(service).includes(job),
  );
  expect(without).toEqual([]);
  expect(jobsOf('scoring')).toEqual(
    expect.arrayContaining(['sweep', 'sweep-platform', 'reconcile']),
  );
  expect(jobsOf('scoring')).not.toContain('sweep-imports');
});

test('what goes with another table goes with one that there is', () => {
  const orphans = policies.filter(({ service, policy }) => {
    const of = /row of `(\w+)`/.exec(policy.kept)?.[1];
    return of !== undefined && declared.get(service)?.[of] === undefined;
  });
  expect(orphans).toEqual([]);
});

test('whatever is kept or deleted says why, and only what is deleted has an end', () => {
  const wrong = policies.filter(
    ({ policy }: { policy: TablePolicy }) =>
      policy.why === '' || (policy.ends !== undefined && policy.job === undefined),
  );
  expect(wrong).toEqual([]);
});

test('the documentation has each table', () => {
  const table = tableOf(['Service', 'Table', 'Kept', 'By', 'Why'], policies.map(cellsOf));
  const path_of = path.join(ROOT, FILE);
  const [before = ''] = existsSync(path_of) ? textOf(FILE).split(MARK) : [];
  const made = `${before.trimEnd()}\n\n${MARK}\n\n${table}\n`;
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path_of, made);
  expect(textOf(FILE)).toBe(made);
});
