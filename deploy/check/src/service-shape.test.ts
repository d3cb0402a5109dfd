import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readTable } from '../../../tools/services.cjs';
import { ROOT } from './kustomize';

const FOLDERS = ['commands', 'queries', 'domain', 'store', 'workers'];
const FILES = [
  ...['main.ts', 'service.ts', 'config.ts', 'consumers.ts', 'rpc.ts', 'telemetry.ts'],
  'retention.ts',
];
/** What only some need: messages out, what comes in as the domain has it, peers, figures, jobs by hand. */
const ALSO =
  /^(?:operator|messages\.ts|dependencies\.ts|rpc-[\w-]+\.ts|[\w-]+-(?:from-proto|client|metrics)\.ts)$/;
/** Rooms of a purpose of their own, each with the folders of a service as far as it has them. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  identity: ['mailing', 'persons'],
  reporting: ['imports'],
  scoring: ['reports'],
  webhooks: ['sending'],
};

const below = (...parts: string[]) => readdirSync(path.join(ROOT, 'services', ...parts));

describe.each(readTable().map(({ name }) => name))('%s', (name) => {
  const found = below(name, 'src');

  it('has what every service has', () => {
    expect([...FOLDERS, ...FILES].filter((entry) => !found.includes(entry))).toEqual([]);
    expect(below(name)).toEqual(expect.arrayContaining(['migrations', 'src', 'test']));
  });

  it('has nothing that a newcomer would not look for there', () => {
    const known = [...FOLDERS, ...FILES, ...(ROOMS[name] ?? [])];
    expect(found.filter((entry) => !known.includes(entry) && !ALSO.test(entry))).toEqual([]);
  });
});

it('names no room that is not there', () => {
  for (const [name, rooms] of Object.entries(ROOMS)) {
    expect(below(name, 'src')).toEqual(expect.arrayContaining([...rooms]));
  }
});
