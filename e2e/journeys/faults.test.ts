import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
/** All of them with PostgreSQL as a pair, so that one system has one after the other. */
const SEEDS = '1,5,9';
const SECONDS = '45';
const TIMEOUT_MS = 20 * 60_000;

interface Verdict {
  readonly invariants: readonly string[];
  readonly findings: readonly { readonly invariant: string; readonly problem: string }[];
  readonly figures: {
    readonly whole: { readonly requests: number };
    readonly faults: readonly { readonly name: string }[];
  };
}

/** The verdict of runs in a folder that stays where something is wrong, and what they said. */
async function runFaults(folder: string) {
  const main = path.join(ROOT, 'e2e/dist/faults/main.js');
  const args = [main, '--seed', SEEDS, '--seconds', SECONDS, '--out', folder];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  }
  const [exit_code] = await once(child, 'close');
  return { exit_code, output: said.join('') };
}

/** Shorter than what `npm run faults` has by itself: see docs/RELIABILITY.md. */
test(
  'what was acknowledged is never lost, never doubled and never shown to others, whatever breaks',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'faults-'));
    const { exit_code, output } = await runFaults(folder);
    process.stdout.write(`${folder}\n${output}\n`);
    const file = path.join(folder, `seed-${SEEDS.replaceAll(',', '+')}-${SECONDS}s/verdict.json`);
    const { figures, findings, invariants }: Verdict = JSON.parse(readFileSync(file, 'utf8'));
    expect(findings).toEqual([]);
    expect(exit_code).toBe(0);
    expect(invariants).toContain('acknowledged_once');
    // On a machine that has other work faults take longer, and some have no time left.
    expect(figures.faults.length).toBeGreaterThanOrEqual(3);
    expect(figures.whole.requests).toBeGreaterThan(50);
  },
  TIMEOUT_MS,
);
