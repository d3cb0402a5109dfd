import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { type System, startSystem } from '@credit/local/spawned-system';
import { BUS_USE } from '@credit/platform/bus';
import { ERRORS } from '@credit/platform/errors';
import { fileDescriptors } from '@credit/proto/descriptors';
import { status as GrpcStatus } from '@grpc/grpc-js';
import { type GrpcurlLine, grpcurlLines, isService, runGrpcurl } from '../support/grpcurl';

const run = promisify(execFile);

const FOLDER = path.join(__dirname, '../../docs/grpc');
const GUIDE = readFileSync(path.join(FOLDER, 'guide.md'), 'utf8');

/** Where the guide says that services listen. */
const SERVICE_BY_PORT: Readonly<Record<string, string>> = {
  9101: 'identity',
  9102: 'reporting',
  9103: 'scoring',
  9104: 'disputes',
  9105: 'webhooks',
};

/** What each script must have said, in the order in which they are run. */
const EXAMPLES: readonly (readonly [string, readonly RegExp[]])[] = [
  ['reflection', [/^credit\.reporting\.v1\.ReportingService$/m, /^grpc\.health\.v1\.Health$/m]],
  ['call-context', [/^created example-\w+ in test data$/m, /^live data: No subject/m]],
  ['deadlines', [/^with two seconds: OK$/m, /^with none: DEADLINE_EXCEEDED$/m]],
  ['errors', [/^NOT_FOUND NOT_FOUND: /m, /^INVALID_ARGUMENT VALIDATION_ERROR: .*\[opened_at /m]],
  ['idempotency', [/^one account: true$/m, /^replayed: true$/m, /^changed: The Idempotency-Key/m]],
  ['tunnel', [/^100 answers .* NOT_FOUND$/m]],
  ['events', [/^credit\.v1\.test\.p\d\d\.account_changed: .*balance 250000/m, /^events: [1-9]/m]],
];

let system: System;
beforeAll(async () => {
  system = await startSystem();
}, 240_000);
afterAll(() => system?.stop(), 60_000);

function addressOf({ address }: GrpcurlLine): string {
  const service = SERVICE_BY_PORT[address.split(':')[1] ?? ''] ?? '';
  const actual = system.runRecord().rpc_addresses[service];
  if (actual === undefined) throw new Error(`No service listens at ${address}.`);
  return actual;
}

it.each(EXAMPLES)(
  'runs %s.mjs as the guide shows it',
  async (name, said) => {
    expect(GUIDE).toContain(`node docs/grpc/examples/${name}.mjs`);
    const { stdout, stderr } = await run(
      process.execPath,
      [path.join(FOLDER, `examples/${name}.mjs`)],
      { env: { ...process.env, DATA_DIR: system.data_directory }, timeout: 60_000 },
    );
    for (const pattern of said) expect(stdout).toMatch(pattern);
    expect(stderr).toBe('');
  },
  70_000,
);

it('has an example for every script, and no other', () => {
  const scripts = readdirSync(path.join(FOLDER, 'examples')).filter((one) => one !== 'connect.mjs');
  expect(scripts.sort()).toEqual(EXAMPLES.map(([name]) => `${name}.mjs`).sort());
});

describe('the grpcurl lines', () => {
  const lines = grpcurlLines(GUIDE);
  const calls = lines.filter(({ verb }) => verb !== 'list' && verb !== 'describe');

  it('ask for services and methods that there are', () => {
    expect(lines.length).toBeGreaterThan(8);
    for (const { verb, subject } of lines) {
      if (verb === 'describe') expect(isService(subject ?? '')).toBe(true);
    }
  });

  it.each(calls.map((line) => [line.verb, line] as const))(
    '%s answers, or refuses as the guide says',
    async (verb, line) => {
      const { answer, error } = await runGrpcurl(line, addressOf(line));
      if (verb.endsWith('/GetSubject') || verb.endsWith('/CreateAccount')) {
        expect(error?.code).toBe(GrpcStatus.NOT_FOUND);
        expect(error?.metadata.get('credit-error-bin')).toHaveLength(1);
        return;
      }
      expect(error).toBeUndefined();
      expect(answer).toBeInstanceOf(Object);
    },
    20_000,
  );
});

it('names every type of event, and links to what is there', () => {
  const events = fileDescriptors()
    .map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
    .find((file) => file.package === 'credit.events.v1');
  const payload = events?.messageType
    .find(({ name }) => name === 'Event')
    ?.field.filter(({ number }) => number >= 10)
    .map(({ name, typeName }) => `| \`${name}\` ${typeName.split('.').at(-1)}`);
  expect(payload?.length).toBeGreaterThan(7);
  const rows = [...GUIDE.matchAll(/^\| `(\w+)` +\|.*\[(\w+)\]\(reference\/credit\.events/gm)];
  expect(rows.map(([, type, message]) => `| \`${type}\` ${message}`).sort()).toEqual(
    payload?.sort(),
  );
  const takers = GUIDE.matchAll(
    /^\| `(\w+)` +\|.*reference\/credit\.events[^|]*\| ([\w, ]+?) *\|$/gm,
  );
  const taken_in = Object.entries(BUS_USE).flatMap(([service, { consumes }]) =>
    consumes.map((type) => `${type} ${service}`),
  );
  const told = [...takers].flatMap(([, type, services = '']) =>
    services.split(', ').map((service) => `${type} ${service}`),
  );
  expect(told.sort()).toEqual(taken_in.sort());
  for (const [, link = '', anchor = ''] of GUIDE.matchAll(/\]\(([^)#:]*)(?:#([\w-]+))?\)/g)) {
    const text = link === '' ? GUIDE : readFileSync(path.join(FOLDER, link), 'utf8');
    const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    if (anchor !== '') expect(anchors).toContain(anchor);
  }
});

it('shows the errors with the statuses that they have', () => {
  const rows = [...GUIDE.matchAll(/^\| `([A-Z_]+)` +\| `([A-Z_]+)` +\|/gm)];
  expect(Object.fromEntries(rows.map(([, code, status]) => [code, status]))).toEqual(
    Object.fromEntries(
      Object.entries(ERRORS).map(([code, { grpc_status }]) => [code, GrpcStatus[grpc_status]]),
    ),
  );
});
