import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import type { Delivery } from '@credit/proto/webhooks/v1/webhooks';
import { deliveryFigures } from '../src/queries/delivery-figures';
import { listAttempts } from '../src/store/deliveries';
import { type Certificate, makeAuthority, makeCertificate } from './support/certificates';
import { type NameServer, startNameServer } from './support/name-server';
import { type Receiver, startReceiver, status, verifies } from './support/receiver';
import {
  audited,
  callOf,
  defaultReported,
  eventually,
  startWebhooks,
  type TestWebhooks,
} from './support/webhooks';

// Above what a busy machine takes for an exchange.
const TIMEOUT_MS = 2_000;
const BASE_MS = 10;
const EVENTS = ['credit.default.reported'];

let authority: Certificate;
let directory: string;
let names: NameServer;
let receiver: Receiver;
let service: TestWebhooks;
const closing: Array<() => Promise<void>> = [];

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'webhooks-'));
  authority = await makeAuthority();
  writeFileSync(path.join(directory, 'ca.pem'), authority.cert);
  names = await startNameServer();
  names.set('receiver.test', ['127.0.0.1']);
  receiver = await startReceiver(await makeCertificate(['receiver.test'], authority));
  service = await startWebhooks({
    workers: true,
    settings: {
      WEBHOOK_DNS_SERVERS: names.address,
      WEBHOOK_ALLOWED_PRIVATE_CIDRS: '127.0.0.1',
      WEBHOOK_CA_FILE: path.join(directory, 'ca.pem'),
      WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
      WEBHOOK_LEASE_MS: String(5 * TIMEOUT_MS),
      WEBHOOK_BACKOFF_BASE_MS: String(BASE_MS),
      WEBHOOK_POLL_MS: '10',
    },
  });
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
  await Promise.all(closing.map((close) => close()));
  await names.stop();
  rmSync(directory, { recursive: true });
});

interface Subscribed {
  readonly institution_id: string;
  readonly webhook_id: string;
  readonly secret: string;
}

async function subscribe(url: string, institution_id = newId()): Promise<Subscribed> {
  const made = await service.stub.createSubscription(callOf(institution_id), {
    url,
    events: EVENTS,
  });
  return { institution_id, webhook_id: made.subscription?.id ?? '', secret: made.secret };
}

/** A subscription to a path of the receiver's own. */
function subscribePath(hook: string): Promise<Subscribed> {
  return subscribe(`https://receiver.test:${receiver.port}${hook}`);
}

async function deliveries(of: Subscribed): Promise<Delivery[]> {
  const ctx = callOf(of.institution_id);
  const { webhook_id } = of;
  return (await service.stub.listDeliveries(ctx, { webhook_id, limit: 0 })).deliveries;
}

async function report(to: Subscribed, count = 1): Promise<void> {
  await service.take(
    ...Array.from({ length: count }, () => defaultReported({ receivers: [to.institution_id] })),
  );
}

/** Reports one event and waits until its delivery holds. */
async function deliver(
  to: Subscribed,
  holds: (delivery: Delivery) => boolean,
  within_ms = 20_000,
): Promise<Delivery> {
  await report(to);
  let last: Delivery | undefined;
  await eventually(
    'the delivery is as wanted',
    async () => {
      [last] = await deliveries(to);
      return last !== undefined && holds(last);
    },
    within_ms,
  );
  if (last === undefined) throw new Error('There is no delivery.');
  return last;
}

const isDelivered = (one: Delivery) => one.status === 'DELIVERED';
const isFailed = (one: Delivery) => one.status === 'FAILED';
const attempts = (of: Delivery) =>
  listAttempts(service.database.db.read(systemContext('live')), of.id);

async function rawServer(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

test('what comes of deliveries is counted by the hour and the day, each once', async () => {
  receiver.on('/counted-500', status(500));
  receiver.on('/counted-410', status(410));
  const counted = async () => {
    const { hours, days } = await service.stub.getDeliveryTraffic(systemContext('live'), {});
    const sum = (of: typeof hours) =>
      of.reduce(
        (all, row) => ({
          delivered: all.delivered + Number(row.delivered),
          failed_attempts: all.failed_attempts + Number(row.failed_attempts),
          given_up: all.given_up + Number(row.given_up),
        }),
        { delivered: 0, failed_attempts: 0, given_up: 0 },
      );
    // All of it happened within both spans.
    expect(sum(hours)).toEqual(sum(days));
    return sum(hours);
  };
  const before = await counted();
  await deliver(await subscribePath('/counted'), isDelivered);
  await deliver(await subscribePath('/counted-500'), isFailed);
  await deliver(await subscribePath('/counted-410'), ({ status: of }) => of === 'CANCELLED');
  expect(await counted()).toEqual({
    delivered: before.delivered + 1,
    failed_attempts: before.failed_attempts + 9,
    given_up: before.given_up + 1,
  });
  expect(await service.stub.getDeliveryTraffic(systemContext('test'), {})).toEqual({
    hours: [],
    days: [],
  });
});

describe('a delivery that arrives', () => {
  test('is one signed POST over HTTP/1.1 and is recorded', async () => {
    const to = await subscribePath('/ok');
    const delivery = await deliver(to, isDelivered);
    const [request, ...more] = receiver.at('/ok');
    if (request === undefined) throw new Error('Nothing came.');
    expect(more).toEqual([]);
    expect(request.method).toBe('POST');
    expect(request.http_version).toBe('1.1');
    expect(verifies(request, to.secret)).toBe(true);
    expect(request.headers['content-type']).toBe('application/json');
    expect(request.headers['svc-event-id']).toBe(delivery.event_id);
    expect(request.headers['svc-timestamp']).toMatch(/^\d{10}$/);
    expect(request.headers['accept-encoding']).toBeUndefined();
    expect(JSON.parse(request.body).id).toBe(delivery.event_id);
    expect(delivery).toMatchObject({ attempts: 1, last_response_status: 200 });
    expect(delivery.delivered_at).toBeDefined();
    expect(delivery.next_attempt_at).toBeUndefined();
    expect(delivery.last_error).toBeUndefined();
    expect(await attempts(delivery)).toEqual([
      expect.objectContaining({ attempt: 1, response_status: 200, error_class: undefined }),
    ]);
  });

  test('is shown with what was sent and what was answered', async () => {
    receiver.on('/told', (_request, response) => {
      response
        .writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': ['sid=S3CRET', 'b=S3CRET'] })
        .end(`<script>alert(1)</script>${'x'.repeat(5_000)}`);
    });
    const to = await subscribePath('/told');
    const { id: delivery_id } = await deliver(to, isDelivered);
    const ctx = callOf(to.institution_id);
    const [shown] = (await service.stub.listAttempts(ctx, { delivery_id })).attempts;
    const [request] = receiver.at('/told');
    // As the receiver had it: what was sent verifies by what is shown alone, also after a rotation.
    await service.stub.rotateSecret(ctx, to);
    expect((await service.stub.listAttempts(ctx, { delivery_id })).attempts[0]).toEqual(shown);
    expect(shown?.request?.body).toBe(request?.body);
    for (const { name, value } of shown?.request?.headers ?? []) {
      expect([name, request?.headers[name.toLowerCase()]]).toEqual([name, value]);
    }
    expect(shown?.request?.headers.map(({ name }) => name)).toContain('Svc-Signature');
    expect(shown?.response).toMatchObject({ truncated: true });
    expect(shown?.response?.headers).toEqual(
      expect.arrayContaining([
        { name: 'content-type', value: 'text/html' },
        { name: 'set-cookie', value: '(left out)' },
      ]),
    );
    expect(shown?.response?.body).toMatch(/^<script>alert\(1\)<\/script>x{2023}$/);
    expect(JSON.stringify(shown)).not.toContain('S3CRET');
  });

  test('counts with any 2xx, whatever it answers beside', async () => {
    receiver.on('/accepted', status(202));
    receiver.on('/empty', (_request, response) => response.writeHead(204).end());
    expect(await deliver(await subscribePath('/accepted'), isDelivered)).toMatchObject({
      attempts: 1,
      last_response_status: 202,
    });
    expect(await deliver(await subscribePath('/empty'), isDelivered)).toMatchObject({
      attempts: 1,
    });
  });

  test('the reporter alone reads which of its accounts it is', async () => {
    const reporter = await subscribePath('/reporter');
    const other = await subscribePath('/other');
    const receivers = [reporter.institution_id, other.institution_id];
    await service.take(defaultReported({ receivers, reporter: reporter.institution_id }));
    await eventually('both came', () => {
      return receiver.at('/reporter').length === 1 && receiver.at('/other').length === 1;
    });
    const [own] = receiver.at('/reporter');
    const [theirs] = receiver.at('/other');
    expect(JSON.parse(own?.body ?? '').data.external_account_id).toBe('LN-2001');
    expect(JSON.parse(theirs?.body ?? '').data).not.toHaveProperty('external_account_id');
    expect(JSON.parse(theirs?.body ?? '').data).not.toHaveProperty('account_id');
    if (own === undefined || theirs === undefined) throw new Error('Nothing came.');
    expect(verifies(own, reporter.secret)).toBe(true);
    expect(verifies(theirs, other.secret)).toBe(true);
    expect(verifies(theirs, reporter.secret)).toBe(false);
  });

  test('comes soon after it was planned', async () => {
    const to = await subscribePath('/soon');
    const waits_ms: number[] = [];
    for (let index = 0; index < 20; index += 1) {
      const planned_at_ms = Date.now();
      await report(to);
      await eventually('it came', () => receiver.at('/soon').length === index + 1);
      waits_ms.push((receiver.at('/soon').at(-1)?.at_ms ?? 0) - planned_at_ms);
    }
    waits_ms.sort((a, b) => a - b);
    expect(waits_ms[10]).toBeLessThan(100);
  });
});

describe('a receiver that misbehaves', () => {
  test('500: eight attempts on the schedule, each signed anew, then no more', async () => {
    receiver.on('/500', status(500));
    const to = await subscribePath('/500');
    const delivery = await deliver(to, isFailed);
    expect(delivery).toMatchObject({ attempts: 8, last_response_status: 500 });
    expect(delivery.last_error).toBe('The receiver answered 500.');
    expect(delivery.next_attempt_at).toBeUndefined();
    const requests = receiver.at('/500');
    expect(requests).toHaveLength(8);
    expect(new Set(requests.map((one) => one.headers['svc-event-id'])).size).toBe(1);
    expect(new Set(requests.map((one) => one.body)).size).toBe(1);
    expect(requests.every((one) => verifies(one, to.secret))).toBe(true);
    // 10, 30, 90, 270, 600, 600, 600 ms less up to a fifth.
    const table_ms = [10, 30, 90, 270, 600, 600, 600];
    for (const [index, wait_ms] of table_ms.entries()) {
      const waited_ms = (requests[index + 1]?.at_ms ?? 0) - (requests[index]?.at_ms ?? 0);
      expect(waited_ms).toBeGreaterThanOrEqual(Math.floor(wait_ms * 0.8) - 2);
    }
    expect((await attempts(delivery)).map((one) => [one.attempt, one.error_class])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => [attempt, 'HTTP_STATUS']),
    );
    const retry = service.stub.retryDelivery(callOf(to.institution_id), {
      delivery_id: delivery.id,
    });
    await expect(retry).rejects.toThrow(
      expect.objectContaining({ code: 'INVALID_STATE_TRANSITION' }),
    );
  }, 30_000);

  test.each([301, 302, 303, 304, 305, 306, 307, 308])(
    '%d: not followed, tried again',
    async (code) => {
      receiver.on(`/${code}`, status(code, { location: '/elsewhere' }));
      const to = await subscribePath(`/${code}`);
      const delivery = await deliver(to, (one) => one.attempts >= 2);
      expect(delivery.last_response_status).toBe(code);
      expect(delivery.last_error).toContain('redirects are not followed');
      expect(receiver.at('/elsewhere')).toEqual([]);
      await service.stub.disableSubscription(callOf(to.institution_id), to);
    },
  );

  test('recovers after failures, and the attempts before are on record', async () => {
    let left = 3;
    receiver.on('/flaky', (request, response, raw) => {
      left -= 1;
      status(left >= 0 ? 503 : 200)(request, response, raw);
    });
    const delivery = await deliver(await subscribePath('/flaky'), isDelivered);
    expect(delivery.attempts).toBe(4);
    expect((await attempts(delivery)).map((one) => one.response_status)).toEqual([
      503, 503, 503, 200,
    ]);
  });

  test('410: the subscription ends and everything it had waiting with it', async () => {
    let answers = 0;
    receiver.on('/410', (request, response, raw) => {
      answers += 1;
      status(answers === 1 ? 410 : 500)(request, response, raw);
    });
    const to = await subscribePath('/410');
    const neighbour = await subscribe(
      `https://receiver.test:${receiver.port}/ok`,
      to.institution_id,
    );
    const delivery = await deliver(to, (one) => one.status === 'CANCELLED');
    expect(delivery).toMatchObject({ attempts: 1, last_response_status: 410 });
    const ctx = callOf(to.institution_id);
    const { subscriptions } = await service.stub.listSubscriptions(ctx, { limit: 10 });
    const enabled = new Map(subscriptions.map((one) => [one.id, one.enabled]));
    expect(enabled.get(to.webhook_id)).toBe(false);
    expect(enabled.get(neighbour.webhook_id)).toBe(true);
    expect(await audited(service.database.db)).toContainEqual(
      expect.objectContaining({
        action: 'webhook.disabled',
        target_id: to.webhook_id,
        actor_type: 'system',
        institution_id: to.institution_id,
      }),
    );
    await report(to);
    await eventually('the neighbour goes on', async () => {
      return (await deliveries(neighbour)).filter(isDelivered).length === 2;
    });
    expect(receiver.at('/410')).toHaveLength(1);
  });

  test('429 with Retry-After: waits as asked', async () => {
    let asked_at_ms = 0;
    receiver.on('/429', (request, response, raw) => {
      if (asked_at_ms > 0) return status(200)(request, response, raw);
      asked_at_ms = Date.now();
      status(429, { 'retry-after': '1' })(request, response, raw);
    });
    const delivery = await deliver(await subscribePath('/429'), isDelivered);
    expect(delivery.attempts).toBe(2);
    expect((receiver.at('/429')[1]?.at_ms ?? 0) - asked_at_ms).toBeGreaterThanOrEqual(990);
  });

  test('429 with a Retry-After of a day: an hour; with nonsense: the schedule', async () => {
    receiver.on('/429-day', status(429, { 'retry-after': '86400' }));
    const to = await subscribePath('/429-day');
    const waiting = await deliver(to, (one) => one.attempts === 1);
    const wait_ms = Date.parse(waiting.next_attempt_at ?? '') - Date.now();
    expect(wait_ms).toBeGreaterThan(3_590_000);
    expect(wait_ms).toBeLessThanOrEqual(3_600_000);
    // A manual retry does not wait for it.
    receiver.on('/429-day', status(200));
    const ctx = callOf(to.institution_id);
    await service.stub.retryDelivery(ctx, { delivery_id: waiting.id });
    await eventually('it arrived', async () => (await deliveries(to)).every(isDelivered));

    receiver.on('/429-bad', status(429, { 'retry-after': 'next week' }));
    expect(await deliver(await subscribePath('/429-bad'), isFailed)).toMatchObject({ attempts: 8 });
  });

  const timedOut = {
    last_error: 'The receiver did not answer completely in time.',
  };
  const once = (one: Delivery) => one.attempts >= 1;

  test('never answers: given up after the time limit', async () => {
    receiver.on('/silent', () => {});
    const to = await subscribePath('/silent');
    const delivery = await deliver(to, once);
    expect(delivery).toMatchObject(timedOut);
    expect(delivery.last_response_status).toBeUndefined();
    const [attempt] = await attempts(delivery);
    expect(attempt?.error_class).toBe('TIMEOUT');
    expect(attempt?.duration_ms).toBeGreaterThanOrEqual(TIMEOUT_MS - 5);
    expect(attempt?.duration_ms).toBeLessThan(TIMEOUT_MS + 5_000);
    await service.stub.disableSubscription(callOf(to.institution_id), to);
  });

  test('sends its headers and hangs, or one byte at a time: the same', async () => {
    receiver.on('/hang', (_request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.flushHeaders();
    });
    receiver.on('/drip', (_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(drip));
    });
    for (const hook of ['/hang', '/drip']) {
      const to = await subscribePath(hook);
      const delivery = await deliver(to, once);
      expect(delivery).toMatchObject(timedOut);
      expect((await attempts(delivery))[0]?.duration_ms).toBeLessThan(TIMEOUT_MS + 5_000);
      await service.stub.disableSubscription(callOf(to.institution_id), to);
    }
  });

  test('5 MB or a compressed bomb of an answer: cut off, judged by the status', async () => {
    let written = 0;
    receiver.on('/big', (_request, response, raw) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(64 * 1024);
      const more = () => {
        while (written < 5_000_000 && !raw.socket.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    receiver.on('/bomb', (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const before_bytes = process.memoryUsage().rss;
    for (const hook of ['/big', '/bomb']) {
      expect(await deliver(await subscribePath(hook), isDelivered)).toMatchObject({ attempts: 1 });
    }
    expect(written).toBeLessThan(5_000_000);
    expect(process.memoryUsage().rss - before_bytes).toBeLessThan(80_000_000);
  });

  test('resets the connection before it answers: tried again', async () => {
    receiver.on('/reset', (_request, _response, raw) => raw.socket.destroy());
    const to = await subscribePath('/reset');
    const delivery = await deliver(to, (one) => one.attempts >= 2);
    expect((await attempts(delivery))[0]?.error_class).toBe('CONNECTION_LOST');
    receiver.on('/reset', status(200));
    await eventually('it arrived', async () => (await deliveries(to)).every(isDelivered));
  });

  test('resets in the middle of its answer: tried again', async () => {
    receiver.on('/half', (_request, response, raw) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => raw.socket.destroy());
    });
    const to = await subscribePath('/half');
    const delivery = await deliver(to, (one) => one.attempts >= 1);
    expect((await attempts(delivery))[0]?.error_class).toBe('CONNECTION_LOST');
    await service.stub.disableSubscription(callOf(to.institution_id), to);
  });

  async function fails(url: string, error_class: string): Promise<void> {
    const to = await subscribe(url);
    const delivery = await deliver(to, (one) => one.attempts >= 1);
    expect(delivery.status).toBe('PENDING');
    expect((await attempts(delivery))[0]?.error_class).toBe(error_class);
    await service.stub.disableSubscription(callOf(to.institution_id), to);
  }

  test('speaks plain HTTP on the port: no TLS, nothing sent', async () => {
    const bodies: string[] = [];
    const plain = createHttpServer((request, response) => {
      request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
      response.end();
    });
    await fails(`https://receiver.test:${await rawServer(plain)}/`, 'TLS_FAILED');
    expect(bodies).toEqual([]);
  });

  test('speaks no HTTP at all behind TLS: an invalid answer', async () => {
    receiver.on('/garbage', (_request, _response, raw) => {
      raw.socket.end('220 mail.example ESMTP\r\n');
    });
    await fails(`https://receiver.test:${receiver.port}/garbage`, 'INVALID_ANSWER');
  });

  test('shows a self-signed certificate, or one of another name: nothing sent', async () => {
    const impostor = await startReceiver(await makeCertificate(['receiver.test']));
    closing.push(() => impostor.stop());
    await fails(`https://receiver.test:${impostor.port}/`, 'TLS_FAILED');
    const other = await startReceiver(await makeCertificate(['other.test'], authority));
    closing.push(() => other.stop());
    await fails(`https://receiver.test:${other.port}/`, 'TLS_FAILED');
    expect([...impostor.received, ...other.received]).toEqual([]);
  });

  test('has no port open, or no name: tried again', async () => {
    const closed = createServer();
    const port = await rawServer(closed);
    await new Promise((resolve) => closed.close(resolve));
    await fails(`https://receiver.test:${port}/`, 'CONNECTION_FAILED');
    await fails('https://missing.test/', 'NAME_NOT_RESOLVED');
  });

  test('whose name server is silent: given up after the time limit', async () => {
    names.set('lost.test', 'silent');
    await fails('https://lost.test/', 'TIMEOUT');
  }, 30_000);
});

describe('addresses at the moment of sending', () => {
  test('a name that has moved to a refused address since is not connected to', async () => {
    names.set('moved.test', ['93.184.216.34']);
    const to = await subscribe(`https://moved.test:${receiver.port}/moved`);
    names.set('moved.test', ['127.0.0.2']);
    const delivery = await deliver(to, (one) => one.attempts >= 1);
    expect((await attempts(delivery))[0]?.error_class).toBe('ADDRESS_REFUSED');
    expect(receiver.at('/moved')).toEqual([]);
    // Also when only one of several is refused.
    names.set('moved.test', ['127.0.0.1', '169.254.169.254']);
    await eventually(
      'another attempt',
      async () => ((await deliveries(to))[0]?.attempts ?? 0) >= 3,
    );
    expect(receiver.at('/moved')).toEqual([]);
    await service.stub.disableSubscription(callOf(to.institution_id), to);
  });

  test('a name that changes between two look-ups: connected to what was checked', async () => {
    let asked = 0;
    // Allowed first, refused from then on: the connection must not ask again.
    names.set('rebind.test', () => {
      asked += 1;
      return [asked <= 4 ? '127.0.0.1' : '127.0.0.2'];
    });
    const rebound = await startReceiver(await makeCertificate(['rebind.test'], authority));
    closing.push(() => rebound.stop());
    const to = await subscribe(`https://rebind.test:${rebound.port}/`); // two queries: A and AAAA
    await deliver(to, isDelivered); // two more
    expect(asked).toBe(4);
    expect(rebound.received.map((one) => one.remote_address)).toEqual(['127.0.0.1']);
  });
});

describe('changes while deliveries wait', () => {
  test('a rotated secret signs the next attempt', async () => {
    receiver.on('/rotate', status(500));
    const to = await subscribePath('/rotate');
    await deliver(to, (one) => one.attempts >= 2);
    const ctx = callOf(to.institution_id);
    const { secret } = await service.stub.rotateSecret(ctx, { webhook_id: to.webhook_id });
    const before = receiver.at('/rotate').length;
    receiver.on('/rotate', status(200));
    await eventually('it arrived', async () => (await deliveries(to)).every(isDelivered));
    // An attempt that was on its way at the rotation may still bear the old one.
    const last = receiver.at('/rotate').at(-1);
    expect(receiver.at('/rotate').length).toBeGreaterThan(before);
    expect(last !== undefined && verifies(last, secret)).toBe(true);
    expect(
      receiver
        .at('/rotate')
        .slice(0, 2)
        .every((one) => verifies(one, to.secret)),
    ).toBe(true);
  });

  test('a disabled subscription is sent nothing more; what was under way counts', async () => {
    let release = () => {};
    receiver.on('/disable', (_request, response) => {
      release = () => response.end();
    });
    const to = await subscribePath('/disable');
    await report(to, 1);
    await eventually('it is under way', () => receiver.at('/disable').length === 1);
    await service.stub.disableSubscription(callOf(to.institution_id), to);
    expect((await deliveries(to)).map((one) => one.status)).toEqual(['CANCELLED']);
    release();
    await eventually('its arrival is recorded', async () =>
      (await deliveries(to)).every(isDelivered),
    );
    expect(receiver.at('/disable')).toHaveLength(1);
  });

  test('nothing is left in flight', async () => {
    await eventually('the queue is empty', async () => {
      const figures = await deliveryFigures(service.database.db, systemContext('live'));
      return figures.in_flight === 0 && figures.due === 0;
    });
  });
});
