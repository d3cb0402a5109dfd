import { DisputesServiceDefinition } from '@credit/proto/disputes/v1/disputes';
import { CertificateFolder } from '@credit/testing';
import { status as GrpcStatus } from '@grpc/grpc-js';
import { context, echo, failure, logger, onCleanup, REQUEST, stubOf } from '../../test/rpc-fixture';
import { tlsFromEnvironment } from '../runtime/tls';
import { startRpcServer } from './server';
import { pathOf, serviceRegistration, unaryPart } from './service';

const OPEN = unaryPart(DisputesServiceDefinition, 'openDispute');

const WAITING: typeof REQUEST = { ...REQUEST, reason: 'OTHER' };
const folder = new CertificateFolder();

beforeAll(() => {
  folder.authority('authority');
  folder.authority('stranger');
  folder.bundle('both', 'authority', 'stranger');
});
afterAll(() => folder.remove());

describe.each(['unary', 'tunnel'] as const)('certificates over %s', (transport) => {
  async function call(environment: NodeJS.ProcessEnv) {
    const server = await startRpcServer({
      address: 'localhost:0',
      services: [serviceRegistration(OPEN, { openDispute: echo })],
      logger,
      credentials: tlsFromEnvironment(folder.certificate('disputes', 'authority'))?.server,
      callers: { gateway: 'all', scoring: [pathOf(DisputesServiceDefinition, 'listDisputes')] },
    });
    onCleanup(() => server.close());
    const credentials = tlsFromEnvironment(environment)?.channel;
    return stubOf(OPEN, transport, `localhost:${server.port}`, { credentials }).openDispute(
      context({ deadline_at_ms: Date.now() + 3_000 }),
      REQUEST,
    );
  }

  it('lets the named caller in', async () => {
    const answer = await call(folder.certificate('gateway', 'authority'));
    expect(answer.dispute).toBeDefined();
  });

  it('finishes what is in hand before it stops', async () => {
    let took = () => {};
    const taken = new Promise<void>((resolve) => {
      took = resolve;
    });
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const server = await startRpcServer({
      address: 'localhost:0',
      services: [
        serviceRegistration(OPEN, {
          async openDispute(ctx, request) {
            if (request.reason === WAITING.reason) {
              took();
              await finished;
            }
            return echo(ctx, request);
          },
        }),
      ],
      logger,
      credentials: tlsFromEnvironment(folder.certificate('disputes', 'authority'))?.server,
      callers: { gateway: 'all' },
    });
    onCleanup(() => server.close());
    const credentials = tlsFromEnvironment(folder.certificate('gateway', 'authority'))?.channel;
    const target = `localhost:${server.port}`;
    const caller = () => stubOf(OPEN, transport, target, { credentials });
    const patient = () => context({ deadline_at_ms: Date.now() + 10_000 });
    // Others have nothing in hand: they go at once, and that is no reason to stop.
    for (const idle of [caller(), caller(), caller()]) await idle.openDispute(patient(), REQUEST);
    const answer = caller().openDispute(patient(), WAITING);
    await taken;
    let is_drained = false;
    const drained = server.drain().then(() => {
      is_drained = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(is_drained).toBe(false);
    finish();
    expect((await answer).dispute).toBeDefined();
    await drained;
  });

  it("refuses another service's name for a method it was not given", async () => {
    const error = await failure(call(folder.certificate('scoring', 'authority')));
    expect(error.grpc_status).toBe(GrpcStatus.PERMISSION_DENIED);
  });

  it('refuses who has no certificate, and one that a stranger signed', async () => {
    for (const environment of [{}, folder.certificate('gateway', 'stranger', 'both')]) {
      const error = await failure(call(environment));
      expect([GrpcStatus.UNAVAILABLE, GrpcStatus.DEADLINE_EXCEEDED]).toContain(error.grpc_status);
    }
  });
});
