import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './kustomize';
import type { Finding } from './manifest';

const DOCUMENT = 'docs/DEPLOYMENT.md';
const SECTION = '## Beside others';

/** The table that compares this deployment with others': each row names files of ours, and they are there. */
export function checkComparison(
  text = readFileSync(path.join(ROOT, DOCUMENT), 'utf8'),
): readonly Finding[] {
  const findings: Finding[] = [];
  const say = (message: string) =>
    findings.push({ rule: 'comparison', title: 'Beside others', message });
  const [, section = ''] = text.split(`${SECTION}\n`);
  const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('| '));
  if (rows.length === 0) say('is no table');
  for (const row of rows) {
    const [, what = '', ours = ''] = row.split('|').map((cell) => cell.trim());
    const files = [...ours.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, file]) => file ?? '');
    if (files.length === 0) say(`${what}: names no file of ours`);
    for (const file of files) {
      if (!existsSync(path.join(ROOT, 'docs', file))) say(`${what}: there is no ${file}`);
    }
  }
  return findings;
}
