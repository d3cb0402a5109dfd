import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceDefinition } from './services';
import { watchServices } from './watcher';

const service = (name: string): ServiceDefinition => ({
  name,
  main: `services/${name}/dist/main.js`,
  kind: 'rpc',
  peers: [],
  database: 'two',
  secrets: [],
});

describe('watching the built code', () => {
  let root: string;
  let stop: () => void;
  const calls: string[][] = [];
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'watch-'));
    for (const folder of [
      'services/a/dist',
      'services/b/dist',
      'services/b/migrations',
      'proto/dist',
    ]) {
      mkdirSync(join(root, folder), { recursive: true });
    }
    stop = watchServices(root, [service('a'), service('b')], (names) => calls.push(names));
  });
  afterAll(() => {
    stop();
    rmSync(root, { recursive: true, force: true });
  });

  async function changed(...files: string[]): Promise<string[][]> {
    calls.length = 0;
    for (const file of files) writeFileSync(join(root, file), '');
    for (let tries = 0; tries < 100 && calls.length === 0; tries++) await delay(20);
    return calls;
  }

  it('names the service whose code or schema changed, once for many files', async () => {
    expect(await changed('services/a/dist/main.js', 'services/a/dist/rpc.js')).toEqual([['a']]);
    expect(await changed('services/b/migrations/0002_more.sql')).toEqual([['b']]);
  });

  it('names every service when what all are built from changed', async () => {
    expect(await changed('proto/dist/index.js')).toEqual([['a', 'b']]);
  });

  it('takes no notice of what is not run', async () => {
    writeFileSync(join(root, 'services/a/dist/.tsbuildinfo'), '');
    expect(await changed('services/b/dist/main.js.map', 'services/b/dist/main.js')).toEqual([
      ['b'],
    ]);
  });
});
