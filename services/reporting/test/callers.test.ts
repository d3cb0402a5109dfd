import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathOf } from '@credit/platform/rpc';
import { ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import { CALLERS } from '../src/service';

type Method = keyof typeof ReportingServiceDefinition.methods;

/** The methods that a service's client of reporting calls. */
function calledBy(service: string): Method[] {
  const file = path.resolve(__dirname, `../../${service}/src/reporting-client.ts`);
  const called = readFileSync(file, 'utf8').matchAll(/\breporting\.(\w+)\(/g);
  const known = new Set(Object.keys(ReportingServiceDefinition.methods));
  return [...called].flatMap(([, name = '']) => (known.has(name) ? [name as Method] : []));
}

// With certificates between services a method that is left out is refused; without, nobody notices.
test.each(['scoring', 'disputes'] as const)(
  '%s may call what its client calls, and no more',
  (service) => {
    const called = new Set(
      calledBy(service).map((name) => pathOf(ReportingServiceDefinition, name)),
    );
    expect([...CALLERS[service]].sort()).toEqual([...called].sort());
  },
);
