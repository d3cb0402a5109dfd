import {
  type HealthCheckResponse,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '@credit/proto/grpc/health/v1/health';
import type { Clients } from './clients';
import { SystemStatus } from './system-status';

type Check = () => Promise<HealthCheckResponse>;

function health(check: Check): Clients['health'] {
  const stub = { check };
  return { identity: stub, reporting: stub, scoring: stub, disputes: stub, webhooks: stub };
}

test('whoever asks, the services are asked once a second', async () => {
  let now_ms = 1_770_112_800_000;
  let checks = 0;
  const clock = { now_ms: () => now_ms };
  const answer = async () => {
    checks += 1;
    return { status: ServingStatus.SERVING };
  };
  const status = new SystemStatus(health(answer), { clock, version: '1.2.3' });
  const [first] = await Promise.all([status.read(), status.read(), status.read()]);
  expect(first).toMatchObject({
    status: 'OPERATIONAL',
    version: '1.2.3',
    time: '2026-02-03T10:00:00.000Z',
  });
  now_ms += 999;
  await status.read();
  expect(checks).toBe(5);
  now_ms += 1;
  await status.read();
  expect(checks).toBe(10);
});

test('when nothing answers it is an outage, not an error', async () => {
  const clock = { now_ms: () => 0 };
  const broken = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:9101'));
  const answer = await new SystemStatus(health(broken), { clock, version: '0' }).read();
  expect(answer.status).toBe('OUTAGE');
  expect(JSON.stringify(answer)).not.toContain('10.0.0.7');
});
