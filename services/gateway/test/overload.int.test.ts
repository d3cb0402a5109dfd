import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { OperationId, Priority } from '@credit/contract';
import { newApiKey } from '@credit/platform/credentials';
import { keyPrincipal } from './support/fake-services';
import { TestGateway } from './support/gateway';
import { declaredAs, exampleAnswers, exampleRequest } from './support/scenarios';

/** What the services behind can do: so many calls at once, each so long. The rest waits there. */
const AT_ONCE = 2;
const WORK_MS = 50;
/** What comes of that is measured: a machine with other work does less. */
let capacity_per_s = 0;

const FLOODING_KEY = newApiKey('test');
const STEADY_KEY = newApiKey('test');

const SENT = {
  keyed_write: 'reportEvent',
  read: 'getAccount',
  list: 'listAccounts',
} as const satisfies Partial<Record<Priority, OperationId>>;
type Kind = keyof typeof SENT;

interface Outcome {
  readonly kind: Kind;
  readonly status: number;
  readonly reason: string | undefined;
  readonly retry_after: string | undefined;
  readonly took_ms: number;
}

const gateway = new TestGateway();
const agent = new Agent({ keepAlive: true });

beforeAll(() => gateway.start({ MIN_IN_FLIGHT: '4' }));
afterAll(async () => {
  agent.destroy();
  await gateway.stop();
});

beforeEach(() => {
  gateway.reset();
  const known = (id: string) => ({ principal: keyPrincipal({ id, institution_id: id }) });
  gateway.services.know(FLOODING_KEY, known('0198a1c3-0c5e-7d1b-9a42-000000000001'));
  gateway.services.know(STEADY_KEY, known('0198a1c3-0c5e-7d1b-9a42-000000000002'));
  const waiting: (() => void)[] = [];
  let busy = 0;
  const work = async () => {
    if (busy >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    busy += 1;
    await pause(WORK_MS);
    busy -= 1;
    waiting.shift()?.();
  };
  for (const id of Object.values(SENT)) {
    for (const [method, message] of Object.entries(exampleAnswers(declaredAs(id)))) {
      gateway.services.answer(method, async () => {
        await work();
        return message;
      });
    }
  }
});

beforeEach(async () => {
  // What is done for the first time takes longer.
  await Promise.all(Array.from({ length: 20 }, () => call('read', FLOODING_KEY)));
  const began_ms = performance.now();
  let count = 0;
  const worker = async () => {
    while (performance.now() - began_ms < 1_000) {
      await call('read', FLOODING_KEY);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  capacity_per_s = (count * 1_000) / (performance.now() - began_ms);
  // Whose a key is, is known once it has been looked at.
  await call('read', STEADY_KEY);
  gateway.services.checks.length = 0;
});

let sent_count = 0;

function call(kind: Kind, key: string): Promise<Outcome> {
  const { path, method, body, headers } = exampleRequest(declaredAs(SENT[kind]));
  sent_count += 1;
  const own = kind === 'keyed_write' ? { 'Idempotency-Key': `overload-${sent_count}` } : {};
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const began_ms = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        ...{ host: '127.0.0.1', port: gateway.port, agent, method, path },
        headers: { ...headers, ...type, ...own, Authorization: `Bearer ${key}` },
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const status = response.statusCode ?? 0;
        resolve({
          kind,
          status,
          reason: status < 400 ? undefined : JSON.parse(`${Buffer.concat(chunks)}`).error.reason,
          retry_after: response.headers['retry-after'],
          took_ms: performance.now() - began_ms,
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Sends so many a second, whether answers come or not. */
async function send(
  kind: Kind,
  key: string,
  per_s: number,
  for_ms: number,
): Promise<readonly Outcome[]> {
  const began_ms = performance.now();
  const answers: Promise<Outcome>[] = [];
  for (;;) {
    const elapsed_ms = performance.now() - began_ms;
    if (elapsed_ms >= for_ms) break;
    while (answers.length < (elapsed_ms * per_s) / 1_000) answers.push(call(kind, key));
    await pause(5);
  }
  return Promise.all(answers);
}

const served = (outcomes: readonly Outcome[]) => outcomes.filter(({ status }) => status < 400);
const shareServed = (outcomes: readonly Outcome[]) => served(outcomes).length / outcomes.length;

test('what one institution sends too much of costs another next to nothing', async () => {
  const [flood, steady] = await Promise.all([
    send('keyed_write', FLOODING_KEY, 5 * capacity_per_s, 4_000),
    pause(500).then(() => send('read', STEADY_KEY, capacity_per_s / 8, 3_000)),
  ]);
  // How nearly all of it is served is held by the gate's own tests: here all share one process.
  expect(shareServed(flood)).toBeLessThan(0.6);
  expect(shareServed(steady)).toBeGreaterThan(1.5 * shareServed(flood));
  expect(shareServed(steady)).toBeGreaterThan(0.5);
}, 60_000);

test('health is told however much is asked', async () => {
  const flood = send('list', FLOODING_KEY, 5 * capacity_per_s, 2_500);
  await pause(1_500);
  const probes = await Promise.all(
    ['/healthz', '/readyz', '/llms.txt'].map((path) => gateway.call({ as: null, path })),
  );
  expect(probes.map(({ status }) => status)).toEqual([200, 200, 500]);
  await flood;
}, 60_000);

test('a network that was frozen for a while is served at once when that is over', async () => {
  let thaw = () => {};
  const frozen = new Promise<void>((resolve) => {
    thaw = resolve;
  });
  const [[method, message] = ['', undefined]] = Object.entries(
    exampleAnswers(declaredAs('getAccount')),
  );
  gateway.services.answer(method, async () => {
    await frozen;
    return message;
  });
  const meanwhile = send('read', FLOODING_KEY, capacity_per_s, 3_000);
  await pause(2_500);
  thaw();
  await meanwhile;
  const outcomes = await send('read', FLOODING_KEY, capacity_per_s / 4, 2_000);
  expect(shareServed(outcomes)).toBeGreaterThan(0.9);
}, 60_000);
