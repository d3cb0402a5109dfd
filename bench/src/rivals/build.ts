import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where the rivals are. */
export const FOLDER = path.resolve(__dirname, '../../rivals');
const STAMP = path.join(FOLDER, 'node_modules/.installed');
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const COMPILE_TIMEOUT_MS = 5 * 60_000;

/**
 * Installs what the rivals' own lock names, unless that was done, and compiles them. Their packages
 * are no part of the network's, so nothing else needs them.
 */
export async function buildRivals(): Promise<void> {
  const lock = readFileSync(path.join(FOLDER, 'package-lock.json'));
  const stamp = createHash('sha256').update(lock).digest('hex');
  if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== stamp) {
    console.log('Installing the packages of bench/rivals (npm ci); this takes a minute once.');
    await step('npm', ['ci', '--loglevel=error'], INSTALL_TIMEOUT_MS);
    await writeFile(STAMP, stamp);
  }
  await rm(path.join(FOLDER, 'dist'), { recursive: true, force: true });
  const compiler = createRequire(__filename).resolve('typescript/package.json');
  const tsc = path.join(path.dirname(compiler), 'bin/tsc');
  await step(process.execPath, [tsc, '-p', FOLDER], COMPILE_TIMEOUT_MS);
}

async function step(command: string, args: readonly string[], timeout: number): Promise<void> {
  try {
    await run(command, args, { cwd: FOLDER, timeout });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const what = [path.basename(command), ...args].join(' ');
    throw new Error(`bench/rivals could not be made ready; ${what} said:\n${stdout}${stderr}`);
  }
}
