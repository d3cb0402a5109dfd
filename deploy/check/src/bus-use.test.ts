// What a service says and takes in stands in its code and in the table of rights. Where they differ,
// its events would be refused on a server that has the rights, and nowhere else.

import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { BUS_USE, type ConsumerDefinition, type EventType } from '@credit/platform/bus';
import { ROOT } from './kustomize';

const TYPES = new Set<EventType>(Object.values(BUS_USE).flatMap(({ publishes }) => publishes));
const TOLD = new Map(Object.keys(BUS_USE).map((service) => [service, toldBy(service)]));
/** Others are declared and not told yet, by nobody. */
const TOLD_BY_SOMEBODY = new Set([...TOLD.values()].flat());

function folderOf(service: string): string {
  return path.join(ROOT, 'services', service, 'src');
}

function toldBy(service: string): EventType[] {
  const source = globSync('**/*.ts', { cwd: folderOf(service) })
    .map((file) => readFileSync(path.join(folderOf(service), file), 'utf8'))
    .join('\n');
  const named = [...source.matchAll(/\$case: '([a-z_]+)'/g)].map(([, type]) => type as EventType);
  if (source.includes('auditEvent(')) named.push('audit_recorded');
  return [...new Set(named)].filter((type) => TYPES.has(type)).sort();
}

function consumedBy(service: string): EventType[] {
  const file = path.join(folderOf(service), 'consumers.ts');
  if (!existsSync(file)) return [];
  const [define] = Object.values(require(file) as Record<string, (deps: object) => unknown>);
  const definitions = define?.({}) as readonly ConsumerDefinition[];
  return definitions.map(({ type }) => type).sort();
}

describe.each(Object.entries(BUS_USE))('the rights of %s', (service, use) => {
  it('are to publish what it tells', () => {
    const publishes = use.publishes.filter((type) => TOLD_BY_SOMEBODY.has(type));
    expect([...publishes].sort()).toEqual(TOLD.get(service));
  });

  it('are to take in what it consumes', () => {
    expect([...use.consumes].sort()).toEqual(consumedBy(service));
  });
});
