import { setTimeout as sleep } from 'node:timers/promises';

import {
  type Dispute,
  DisputesServiceDefinition,
  type OpenDisputeRequest,
  type OpenDisputeResponse,
} from '@credit/proto/disputes/v1/disputes';

import { type CallContext, systemContext } from '../src/context';
import {
  type ChannelOptions,
  createChannel,
  type Handlers,
  RpcError,
  type RpcServer,
  type RpcServerOptions,
  type Stub,
  serviceRegistration,
  startRpcServer,
  type UnaryService,
  unaryPart,
} from '../src/rpc';
import { PlainClient } from './plain-client';

/** A part of a real service that stays as it is, whatever the service gains. */
export const DISPUTES = unaryPart(DisputesServiceDefinition, 'openDispute', 'listDisputes');
type Disputes = typeof DISPUTES;

/** The handler under test; the service's other method always answers. */
export type OpenDispute = Handlers<Disputes>['openDispute'];

export const REQUEST: OpenDisputeRequest = {
  opened_by: 'consumer',
  reason: 'FRAUD',
  description: 'not mine',
  evidence_links: ['https://example.org/1'],
};

export function disputeOf(request: OpenDisputeRequest): Dispute {
  return {
    id: 'd1',
    status: 'OPEN',
    opened_by: request.opened_by,
    reason: request.reason,
    description: request.description,
    evidence_links: request.evidence_links,
    opened_at: '2026-01-02T03:04:05.678Z',
    due_at: undefined,
    overdue: false,
    correction_pending: false,
    voided_inquiry_ids: [],
    identity_known: false,
  };
}

/** What the echo answers. */
export function answerTo(request: OpenDisputeRequest): OpenDisputeResponse {
  return { dispute: disputeOf(request), access_token: '' };
}

export const echo: OpenDispute = async (_ctx, request) => answerTo(request);

export const logger = { debug: jest.fn(), info: jest.fn(), warn: jest.fn(), error: jest.fn() };

const cleanups: (() => unknown)[] = [];

/** Runs after the test, last in first out. */
export function onCleanup(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  jest.clearAllMocks();
});

/** A disputes server on a free port of loopback, closed after the test. */
export async function serve(
  openDispute: OpenDispute,
  options: Partial<RpcServerOptions> = {},
): Promise<RpcServer> {
  const server = await startRpcServer({
    address: '127.0.0.1:0',
    logger,
    services: [
      serviceRegistration(DISPUTES, {
        openDispute,
        listDisputes: async () => ({ disputes: [], total_count: 0 }),
      }),
    ],
    ...options,
  });
  onCleanup(() => server.close());
  return server;
}

/** `unary`: as a client that knows nothing but gRPC. */
export type Transport = 'unary' | 'tunnel';

/** A stub of the definition for the server or target, closed after the test. */
export function stubOf<S extends UnaryService>(
  definition: S,
  transport: Transport,
  target: string | RpcServer,
  options: Partial<ChannelOptions> = {},
): Stub<S> {
  const address = typeof target === 'string' ? target : `127.0.0.1:${target.port}`;
  if (transport === 'unary') {
    const plain = new PlainClient(address, options.credentials);
    onCleanup(() => plain.close());
    return plain.stub(definition);
  }
  const channel = createChannel({ target: address, logger, ...options });
  onCleanup(() => channel.close());
  return channel.stub(definition);
}

/** A stub for the server or target, closed after the test. */
export function connect(
  transport: Transport,
  target: string | RpcServer,
  options: Partial<ChannelOptions> = {},
): Stub<Disputes> {
  return stubOf(DISPUTES, transport, target, options);
}

export function context(overrides: Partial<CallContext> = {}): CallContext {
  return systemContext('test', { request_id: 'r1', ...overrides });
}

/** The error a call fails with. */
export async function failure(call: Promise<unknown>): Promise<RpcError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome && outcome.error instanceof RpcError) return outcome.error;
  throw new Error('expected an RpcError', { cause: outcome });
}

export async function eventually(condition: () => boolean, within_ms = 15_000): Promise<void> {
  const give_up_at_ms = Date.now() + within_ms;
  while (!condition()) {
    if (Date.now() > give_up_at_ms) throw new Error('it did not happen in time');
    await sleep(5);
  }
}

/** A handler that hangs until it is released or its call is aborted. */
export function gate() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const contexts: CallContext[] = [];
  const openDispute: OpenDispute = async (ctx, request) => {
    contexts.push(ctx);
    await Promise.race([
      promise,
      new Promise((_resolve, reject) => {
        ctx.signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
    ]);
    return answerTo(request);
  };
  return { openDispute, contexts, release };
}
