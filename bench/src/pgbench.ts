import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Slice } from './interleave';

const run = promisify(execFile);

/** How a slice of pgbench is run. */
export interface PgbenchOptions {
  readonly url: string;
  /** A pgbench script. */
  readonly script: string;
  readonly clients: number;
  readonly slice_s: number;
  /** Before anything counts: each of many clients plans each statement several times first. */
  readonly warm_up_s: number;
}

/** Runs a script with prepared statements for a whole number of seconds. */
export async function pgbench(options: PgbenchOptions): Promise<Slice> {
  const folder = await mkdtemp(path.join(tmpdir(), 'credit-pgbench-'));
  const file = path.join(folder, 'script.sql');
  try {
    await writeFile(file, options.script);
    const { warm_up_s } = options;
    const seconds = warm_up_s + Math.max(1, Math.round(options.slice_s));
    const { stdout, stderr } = await run(
      'pgbench',
      [
        ...['--no-vacuum', '--protocol=prepared', '--jobs=2', '--progress=1'],
        `--client=${options.clients}`,
        `--time=${seconds}`,
        `--file=${file}`,
        options.url,
      ],
      { env: { ...process.env, PGOPTIONS: '' } },
    ).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new Error('pgbench is missing: install Debian\'s package "postgresql-15".');
    });
    const failed = /number of failed transactions: (\d+)/.exec(stdout)?.[1] ?? '0';
    if (!/transactions actually processed: \d+/.test(stdout) || failed !== '0') {
      throw new Error(`pgbench did not finish cleanly:\n${stdout}`);
    }
    return afterWarmUp(stderr, warm_up_s);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** By what it reports each second. */
function afterWarmUp(progress: string, warm_up_s: number): Slice {
  const seconds = [...progress.matchAll(/progress: ([\d.]+) s, ([\d.]+) tps/g)]
    .map(([, at, tps]) => ({ at_s: Number(at), tps: Number(tps) }))
    .filter(({ at_s }) => at_s > warm_up_s + 0.5);
  if (seconds.length === 0) throw new Error(`pgbench reported nothing:\n${progress}`);
  return { count: seconds.reduce((sum, { tps }) => sum + tps, 0), elapsed_s: seconds.length };
}
