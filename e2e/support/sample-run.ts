import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { LanguageId } from '@credit/portal';

const run = promisify(execFile);
const TIMEOUT_MS = 30_000;

/** Languages that run on every machine that has what the guides ask for. */
export const RUNNABLE = ['curl', 'node', 'python'] as const satisfies readonly LanguageId[];

export type Runnable = (typeof RUNNABLE)[number];

const FILES = { curl: 'sample.sh', node: 'sample.mjs', python: 'sample.py' } as const;
const COMMANDS = { curl: 'bash', node: process.execPath, python: 'python3' } as const;

/** Runs a sample as it stands, in a folder of its own; what it printed. A failure is an error. */
export async function runSample(language: Runnable, code: string): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sample-'));
  try {
    const file = path.join(folder, FILES[language]);
    writeFileSync(file, code);
    const { stdout } = await run(COMMANDS[language], [file], { cwd: folder, timeout: TIMEOUT_MS });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${code}\n${stdout}${stderr}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The JSON that a sample printed after the status; undefined when there was no body. */
export function bodyIn(printed: string): unknown {
  const at = printed.search(/[[{]/);
  return at < 0 ? undefined : JSON.parse(printed.slice(at));
}
