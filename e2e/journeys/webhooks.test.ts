import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Json, Member } from '@credit/local/demo/client';
import { type Received, type Receiver, startReceiver, verifies } from '@credit/local/demo/receiver';
import { checkedCount, checker } from '../support/answers';
import { openLoan } from '../support/borrower';
import { company } from '../support/company';
import { eventually } from '../support/eventually';
import { type SharedSystem, sharedSystem } from '../support/shared-system';

let system: SharedSystem;
let receiver: Receiver;
let lender: Member;
let stranger: Member;

beforeAll(async () => {
  system = await sharedSystem();
  receiver = await startReceiver(system.data_directory);
  ({
    members: { lender, stranger },
  } = await company(system, { lender: 'Hook Lender', stranger: 'Quiet Lender' }));
}, 240_000);

afterAll(async () => {
  await receiver?.stop();
}, 60_000);

/** The tool as `npm run listen` starts it. */
function listener(args: readonly string[]) {
  const main = path.join(system.root, 'deploy/local/dist/listen/main.js');
  const child = spawn(process.execPath, [main, '--base', system.base_url, ...args], {
    env: { ...process.env, CREDIT_API_KEY: lender.key.token, CREDIT_WEBHOOK_SECRET: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  return { child, finished: once(child, 'close').then(([code]) => code), output: () => printed };
}

async function reportDefault(): Promise<string> {
  const { account } = await openLoan(lender.key);
  const event = await lender.key.create(
    `/accounts/${account.id}/events`,
    { event_type: 'DEFAULT_REPORTED', occurred_at: new Date().toISOString() },
    `default-${randomUUID()}`,
  );
  return event.id;
}

describe('a lender that builds on webhooks', () => {
  const begun_at = new Date(Date.now() - 60_000).toISOString();
  let subscription: Json;
  let cursor: string;
  let missed: string;

  it('reads its feed before it subscribes, and misses nothing reported meanwhile', async () => {
    const empty = await lender.key.request<Json[]>('GET', '/events');
    expect(empty.body).toEqual([]);
    const [, from_here] =
      /^<\/api\/v1([^>]+)>; rel="next"$/.exec(empty.headers.get('link') ?? '') ?? [];
    if (from_here === undefined) throw new Error('The feed does not say where to go on.');
    missed = await reportDefault();
    const read = await eventually(
      () => lender.key.get<Json[]>(from_here),
      (feed) => feed.length > 0,
    );
    expect(read).toHaveLength(1);
    expect(read[0]).toMatchObject({
      type: 'credit.default.reported',
      environment: 'live',
      data: { credit_event_id: missed, status: 'DEFAULTED' },
    });
    cursor = read[0]?.id;
    expect(await lender.key.get(`/events?after=${cursor}`)).toEqual([]);
    expect(await stranger.key.get('/events')).toEqual([]);
    const foreign = await stranger.key.request('GET', `/events?after=${cursor}`);
    expect(foreign.status).toBe(400);
  });

  it('has what came before replayed to a new subscription, signed with its secret', async () => {
    subscription = await lender.key.create('/webhooks', {
      url: `${receiver.url}/hook`,
      events: ['credit.default.reported'],
    });
    const span = { from: begun_at, to: new Date(Date.now() + 60_000).toISOString() };
    const replay = `/webhooks/${subscription.id}/replay`;
    expect(await lender.key.create(replay, span)).toEqual({ deliveries: 1 });
    await receiver.waitFor(1);
    const [delivery] = receiver.received;
    if (delivery === undefined) throw new Error('Nothing came.');
    expect(verifies(delivery, subscription.secret)).toBe(true);
    expect(JSON.parse(delivery.body).data.credit_event_id).toBe(missed);
    const stranger_s = await stranger.key.request('POST', replay, { body: span });
    expect(stranger_s.status).toBe(404);
    const backwards = await lender.key.request('POST', replay, {
      body: { from: span.to, to: span.from },
    });
    expect(backwards.status).toBe(422);
  });

  it('gets the next default by webhook and finds the same event in its feed', async () => {
    const reported = await reportDefault();
    await receiver.waitFor(2);
    const body = JSON.parse(receiver.received[1]?.body ?? '');
    expect(body.data.credit_event_id).toBe(reported);
    const events = await lender.key.get(`/events?after=${cursor}&type=credit.default.reported`);
    expect(events).toEqual([body]);
  });

  it('is sent what the published document says it will be', () => {
    const faults = receiver.received.map(({ headers, body }) =>
      checker.webhookFaults(JSON.parse(body).type, (name) => headers[name]?.toString(), body),
    );
    expect(faults).toEqual([[], []]);
    // And so was every answer that it has got until now.
    expect(checkedCount()).toBeGreaterThan(20);
  });

  it('has the same messages brought to a laptop, and ends that when it likes', async () => {
    const brought: Received[] = [];
    const laptop = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        brought.push({ path: request.url ?? '', headers: request.headers, body });
        response.writeHead(204).end();
      });
    }).listen(0, '127.0.0.1');
    await once(laptop, 'listening');
    const forward = `http://127.0.0.1:${(laptop.address() as AddressInfo).port}/hook`;
    const { child, finished, output } = listener(['--forward', forward, '--since', '1h']);
    await eventually(
      async () => brought,
      ({ length }) => length >= 2,
    );
    const [, secret = ''] = /^Signing secret of this run: (whsec_\w{43})$/m.exec(output()) ?? [];
    expect(brought.every((one) => verifies(one, secret))).toBe(true);
    expect(brought.map(({ body }) => body)).toEqual(receiver.received.map(({ body }) => body));
    const names = ({ headers }: Received) =>
      Object.keys(headers).filter((name) => /^(svc-|content-type|user-agent)/.test(name));
    expect(brought.map(names)).toEqual(receiver.received.map(names));
    await eventually(
      async () => output(),
      (text) => text.split(' -> 204 ').length === 3,
    );
    child.kill('SIGINT');
    expect(await finished).toBe(0);
    expect(output()).toContain('2 taken, 0 not.');
    expect(output()).not.toContain(String(lender.key.token));
    laptop.close();
  });

  it.each([
    ['no address to forward to', [], 2],
    ['an address beyond this machine', ['--forward', 'https://hooks.example/'], 2],
    ['no event', ['--forward', 'http://localhost:9/', '--events', 'credit.default'], 2],
    ['no time', ['--forward', 'http://localhost:9/', '--since', 'yesterday'], 2],
    ['a key that nobody knows', ['--forward', 'http://localhost:9/', '--key', 'svc_live_x'], 4],
  ])('listens to no end with %s', async (_fault, args, code) => {
    const { finished, output } = listener(args);
    expect(await finished).toBe(code);
    expect(output()).not.toContain(String(lender.key.token));
  });

  it('sees how its endpoint fares, and why it is disabled', async () => {
    const list = () => lender.key.get<Json[]>('/webhooks');
    const [shown] = await eventually(list, ([one]) => one?.health.last_success_at !== null);
    expect(shown?.health).toMatchObject({
      disabled_reason: null,
      consecutive_failures: 0,
      failure_rate_percent: 0,
    });
    await lender.key.expect(204, 'DELETE', `/webhooks/${subscription.id}`);
    expect((await list())[0]?.health.disabled_reason).toBe('REQUESTED');
    expect((await lender.key.request('GET', '/events?type=svc.test')).status).toBe(422);
    // Its people may read the feed as well; a key of another scope may not.
    expect((await lender.owner.request('GET', '/events')).status).toBe(200);
    const reader = await lender.owner.create('/api-keys', {
      display_name: 'reader',
      scopes: ['credit:read'],
      environment: 'live',
    });
    expect((await lender.key.as(String(reader.secret)).request('GET', '/events')).status).toBe(403);
  });
});
