import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataDirectory, prepareDataDirectory, readJson, writeJson } from './data-directory';
import { identifyProcess } from './process-identity';
import { keepSecrets } from './secrets';

describe('the data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'data-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made for its owner only', () => {
    const made = join(folder, 'a', 'b');
    prepareDataDirectory(made);
    expect(statSync(made).mode & 0o777).toBe(0o700);
    expect(readdirSync(made)).toEqual([]);
  });

  it('is refused in one sentence where it cannot be', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => prepareDataDirectory(file)).toThrow(
      `The data folder ${file} cannot be written to (EEXIST); choose another with DATA_DIR.`,
    );
  });

  it('is refused in one sentence where the file system takes no folders', () => {
    expect(() => prepareDataDirectory('/proc/credit/data')).toThrow(
      'The data folder /proc/credit/data cannot be written to (ENOENT); choose another with DATA_DIR.',
    );
  });

  it('belongs to one living supervisor at a time', () => {
    const release = lockDataDirectory(folder);
    expect(() => lockDataDirectory(folder)).toThrow(
      `The system is already running on ${folder} (process ${process.pid}); stop it first, or choose another folder with DATA_DIR.`,
    );
    release();
    lockDataDirectory(folder)();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['a dead process', () => ({ pid: 4_194_305, started: '1' })],
    ['an earlier process of the same number', () => ({ pid: process.pid, started: '1' })],
    ['nobody, being empty', () => ({})],
  ])('is not kept by the lock of %s', (_, holder) => {
    writeJson(join(folder, 'supervisor.lock'), holder());
    const release = lockDataDirectory(folder);
    expect(readJson(join(folder, 'supervisor.lock'))).toEqual(identifyProcess(process.pid));
    release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps secrets, and replaces none that it cannot read', () => {
    const secrets = keepSecrets(folder);
    expect(Buffer.from(secrets.webhook_secret_key, 'base64')).toHaveLength(32);
    expect(keepSecrets(folder)).toEqual(secrets);
    const file = join(folder, 'secrets.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);

    writeFileSync(file, '{');
    expect(() => keepSecrets(folder)).toThrow(`${file} cannot be read; restore it from a copy.`);
    expect(existsSync(file)).toBe(true);
  });
});
