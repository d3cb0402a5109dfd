import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clearRemains, keepRemains } from './remains';

let folder: string;
let directory: string;
let left: ChildProcess;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'remains-'));
  directory = path.join(folder, 'data');
  mkdirSync(directory);
  left = spawn(process.execPath, ['-e', 'console.log(1); setTimeout(() => {}, 60_000)'], {
    env: { ...process.env, DATA_DIR: path.join(directory, 'system') },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (left.stdout !== null) await once(left.stdout, 'data');
});
afterEach(() => {
  left.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('what a run left that is over is ended and removed', async () => {
  const gone = { pid: process.pid, started: 'another time', directory };
  writeFileSync(path.join(folder, 'stage.json'), JSON.stringify(gone));
  const ended = once(left, 'exit');
  await clearRemains(folder);
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(existsSync(directory)).toBe(false);
  // There is nothing left to clear.
  await clearRemains(folder);
});

test('what a run has that goes on stays', async () => {
  keepRemains(folder, directory);
  await expect(clearRemains(folder)).rejects.toThrow('goes on');
  expect(existsSync(directory)).toBe(true);
  expect(left.exitCode ?? left.signalCode).toBeNull();
});
