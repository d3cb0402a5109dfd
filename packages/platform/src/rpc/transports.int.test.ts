import { getEventListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  DisputesServiceDefinition,
  type OpenDisputeRequest,
} from '@credit/proto/disputes/v1/disputes';
import { status as GrpcStatus } from '@grpc/grpc-js';

import {
  answerTo,
  connect,
  context,
  DISPUTES,
  echo,
  eventually,
  failure,
  gate,
  logger,
  type OpenDispute,
  onCleanup,
  REQUEST,
  serve,
  stubOf,
} from '../../test/rpc-fixture';
import type { CallContext } from '../context';
import { AppError, conflict, invalid, rateLimited, unavailable } from '../errors';
import {
  isRetryable,
  type MessageCodec,
  pathOf,
  serviceRegistration,
  startRpcServer,
  unaryPart,
  withRetry,
} from './index';

describe.each(['unary', 'tunnel'] as const)('calls over %s', (transport) => {
  it('carries the request, the answer and the whole context', async () => {
    let seen: CallContext | undefined;
    const server = await serve(async (ctx, request) => {
      seen = ctx;
      return answerTo(request);
    });
    const deadline_at_ms = Date.now() + 5_000;

    const response = await connect(transport, server).openDispute(
      context({
        environment: 'live',
        institution_id: '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11',
        actor: { type: 'api_key', id: '0198a1c3-0c5e-7d1b-9a42-1b7f6e5d4c33' },
        request_id: 'r42',
        idempotency_key: 'once',
        client_address: '2001:db8::1',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        deadline_at_ms,
      }),
      REQUEST,
    );

    expect(response).toEqual(answerTo(REQUEST));
    expect(seen).toMatchObject({
      environment: 'live',
      institution_id: '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11',
      actor: { type: 'api_key', id: '0198a1c3-0c5e-7d1b-9a42-1b7f6e5d4c33' },
      request_id: 'r42',
      idempotency_key: 'once',
      client_address: '2001:db8::1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(Math.abs((seen?.deadline_at_ms ?? 0) - deadline_at_ms)).toBeLessThan(1_000);
    expect(seen?.signal.aborted).toBe(false);
  });

  it('gives a call without a deadline the default one', async () => {
    let deadline_at_ms = 0;
    const server = await serve(async (ctx, request) => {
      deadline_at_ms = ctx.deadline_at_ms;
      return answerTo(request);
    });

    await connect(transport, server).openDispute(context(), REQUEST);

    expect(deadline_at_ms - Date.now()).toBeGreaterThan(13_000);
    expect(deadline_at_ms - Date.now()).toBeLessThan(16_000);
  });

  it('restores an application error with its details', async () => {
    const server = await serve(async () => {
      throw invalid([
        { path: 'events[3].amount', message: 'must be positive – größer als 0' },
        { path: 'reason', message: 'is unknown' },
      ]);
    });

    const error = await failure(connect(transport, server).openDispute(context(), REQUEST));

    expect(error).toBeInstanceOf(AppError);
    expect(error.code).toBe('VALIDATION_ERROR');
    expect(error.grpc_status).toBe(GrpcStatus.INVALID_ARGUMENT);
    expect(error.message).toContain('events[3].amount');
    expect(error.details).toEqual([
      { path: 'events[3].amount', message: 'must be positive – größer als 0' },
      { path: 'reason', message: 'is unknown' },
    ]);
    expect(error.retry_after_s).toBeUndefined();
    expect(isRetryable(error)).toBe(false);
  });

  it.each([
    [
      'a conflict',
      conflict('no', { reason: 'CHANGED_MEANWHILE' }),
      'INVALID_STATE_TRANSITION',
      undefined,
      false,
    ],
    ['a rate limit', rateLimited('slow down', 17), 'RATE_LIMIT_EXCEEDED', 17, false],
    ['unavailability', unavailable('try later', 3), 'INTERNAL_ERROR', 3, true],
  ])('restores %s', async (_name, thrown, code, retry_after_s, retryable) => {
    const server = await serve(() => Promise.reject(thrown));

    const error = await failure(connect(transport, server).openDispute(context(), REQUEST));

    expect(error).toMatchObject({ code, message: thrown.message, retry_after_s });
    expect(isRetryable(error)).toBe(retryable);
  });

  it('leaks nothing of an unexpected error and logs it with the request id', async () => {
    const server = await serve(async () => {
      throw new Error('password=hunter2 in relation "users"');
    });

    const error = await failure(connect(transport, server).openDispute(context(), REQUEST));

    expect(error.code).toBe('INTERNAL_ERROR');
    expect(error.grpc_status).toBe(GrpcStatus.INTERNAL);
    expect(`${error.message} ${String(error.cause)}`).not.toMatch(/hunter2|users/);
    expect(logger.error).toHaveBeenCalledTimes(1);
    expect(logger.error).toHaveBeenCalledWith(
      expect.objectContaining({
        request_id: 'r1',
        method: pathOf(DisputesServiceDefinition, 'openDispute'),
      }),
      expect.any(String),
    );
  });

  it('ends a call at its deadline, on both sides', async () => {
    const { openDispute, contexts } = gate();
    const server = await serve(openDispute);
    const stub = connect(transport, server);
    const started_at_ms = Date.now();

    const error = await failure(
      stub.openDispute(context({ deadline_at_ms: started_at_ms + 150 }), REQUEST),
    );

    expect(error.grpc_status).toBe(GrpcStatus.DEADLINE_EXCEEDED);
    expect(error).toMatchObject({ code: 'INTERNAL_ERROR', retry_after_s: 1 });
    expect(isRetryable(error)).toBe(false);
    expect(Date.now() - started_at_ms).toBeLessThan(10_000);
    await eventually(() => contexts[0]?.signal.aborted === true);
    await expect(stub.listDisputes(context(), { limit: 1 })).resolves.toBeDefined();
  });

  it('does not send a call whose deadline has passed', async () => {
    const openDispute = jest.fn(echo);
    const server = await serve(openDispute);

    const error = await failure(
      connect(transport, server).openDispute(context({ deadline_at_ms: Date.now() - 1 }), REQUEST),
    );

    expect(error.grpc_status).toBe(GrpcStatus.DEADLINE_EXCEEDED);
    expect(openDispute).not.toHaveBeenCalled();
  });

  it('aborts the handler when the caller gives up', async () => {
    const { openDispute, contexts } = gate();
    const server = await serve(openDispute);
    const stub = connect(transport, server);
    const controller = new AbortController();
    const call = failure(stub.openDispute(context({ signal: controller.signal }), REQUEST));
    await eventually(() => contexts.length === 1);

    controller.abort();

    expect((await call).grpc_status).toBe(GrpcStatus.CANCELLED);
    await eventually(() => contexts[0]?.signal.aborted === true);
    await expect(stub.listDisputes(context(), { limit: 1 })).resolves.toBeDefined();
  });

  it('turns calls away over the server bound before doing work', async () => {
    const { openDispute, contexts, release } = gate();
    const server = await serve(openDispute, { max_in_flight: 2 });
    const stub = connect(transport, server);
    const accepted = [stub.openDispute(context(), REQUEST), stub.openDispute(context(), REQUEST)];
    await eventually(() => contexts.length === 2);

    const error = await failure(stub.openDispute(context(), REQUEST));

    expect(error).toMatchObject({ code: 'INTERNAL_ERROR', retry_after_s: 1 });
    expect(isRetryable(error)).toBe(false);
    expect(contexts).toHaveLength(2);
    release();
    await Promise.all(accepted);
    await expect(stub.openDispute(context(), REQUEST)).resolves.toBeDefined();
  });

  it('brings back reply metadata, each call its own', async () => {
    const server = await serve(async (ctx, request) => {
      ctx.reply_metadata.set('idempotent-replayed', request.description);
      return answerTo(request);
    });
    const stub = connect(transport, server);
    const first = context({ reply_metadata: new Map() });
    const second = context({ reply_metadata: new Map() });

    await Promise.all([
      stub.openDispute(first, { ...REQUEST, description: 'one' }),
      stub.openDispute(second, { ...REQUEST, description: 'two' }),
    ]);

    expect(first.reply_metadata.get('idempotent-replayed')).toBe('one');
    expect(second.reply_metadata.get('idempotent-replayed')).toBe('two');
  });

  it('says that a method is unknown', async () => {
    const server = await startRpcServer({
      address: '127.0.0.1:0',
      logger,
      services: [
        serviceRegistration(unaryPart(DisputesServiceDefinition, 'listDisputes'), {
          listDisputes: async () => ({ disputes: [], total_count: 0 }),
        }),
      ],
    });
    onCleanup(() => server.close());
    const stub = connect(transport, server);

    const error = await failure(stub.openDispute(context(), REQUEST));

    expect(error.grpc_status).toBe(GrpcStatus.UNIMPLEMENTED);
    expect(error.code).toBe('INTERNAL_ERROR');
    await expect(stub.listDisputes(context(), { limit: 1 })).resolves.toBeDefined();
  });

  it('refuses request bytes that are not the message', async () => {
    const openDispute = jest.fn(echo);
    const server = await serve(openDispute);
    const { openDispute: method } = DISPUTES.methods;
    const requestType: MessageCodec<OpenDisputeRequest> = {
      ...method.requestType,
      encode: () => ({ finish: () => Buffer.from([0x0a, 0xff]) }),
    };
    const stub = stubOf(
      { ...DISPUTES, methods: { openDispute: { ...method, requestType } } },
      transport,
      server,
    );

    const error = await failure(stub.openDispute(context(), REQUEST));

    expect(error.grpc_status).toBe(GrpcStatus.INVALID_ARGUMENT);
    expect(openDispute).not.toHaveBeenCalled();
  });

  it('carries 3 MiB each way beside small calls', async () => {
    const server = await serve(echo);
    const stub = connect(transport, server);
    const description = 'å'.repeat(1.5 * 1024 * 1024);

    const [large, small] = await Promise.all([
      stub.openDispute(context(), { ...REQUEST, description }),
      stub.openDispute(context(), REQUEST),
    ]);

    expect(large.dispute?.description === description).toBe(true);
    expect(small.dispute?.description).toBe(REQUEST.description);
  });

  it('fails a call whose answer is too large, and only that one', async () => {
    const server = await serve(async (_ctx, request) =>
      answerTo({
        ...request,
        description: request.description === 'huge' ? 'x'.repeat(17 * 1024 * 1024) : 'small',
      }),
    );
    const stub = connect(transport, server);
    // The two share a connection that stands, so that what one does to it reaches the other.
    await stub.openDispute(context(), REQUEST);

    const [huge, small] = await Promise.all([
      failure(stub.openDispute(context(), { ...REQUEST, description: 'huge' })),
      stub.openDispute(context(), REQUEST),
    ]);

    expect(huge.code).toBe('INTERNAL_ERROR');
    expect(small.dispute?.description).toBe('small');
  });

  it('keeps 2,000 interleaved calls apart', async () => {
    const server = await serve(
      async (ctx, request) => {
        await sleep(Number(ctx.request_id) % 7);
        if (request.description.endsWith('3'))
          throw conflict(request.description, { reason: 'CHANGED_MEANWHILE' });
        return answerTo(request);
      },
      { max_in_flight: 2_000 },
    );
    const stub = connect(transport, server, { max_in_flight: 2_000 });

    const outcomes = await Promise.all(
      Array.from({ length: 2_000 }, (_, n) =>
        stub
          .openDispute(context({ request_id: String(n) }), { ...REQUEST, description: `call ${n}` })
          .then(
            (response) => response.dispute?.description,
            (error: AppError) => `${error.code} ${error.message}`,
          ),
      ),
    );

    expect(outcomes).toEqual(
      Array.from({ length: 2_000 }, (_, n) =>
        n % 10 === 3 ? `INVALID_STATE_TRANSITION call ${n}` : `call ${n}`,
      ),
    );
  });

  it('finishes what is in flight before a drain ends', async () => {
    const { openDispute, contexts, release } = gate();
    const server = await serve(openDispute);
    const call = connect(transport, server).openDispute(context(), REQUEST);
    await eventually(() => contexts.length === 1);

    const drained = server.drain();
    await sleep(50);
    release();

    await expect(call).resolves.toEqual(answerTo(REQUEST));
    await drained;
  });

  it('finishes what its caller gave up too, before it says that it is drained', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const server = await serve(async () => {
      await promise;
      return answerTo(REQUEST);
    });
    const short = context({ deadline_at_ms: Date.now() + 300 });
    await failure(connect(transport, server).openDispute(short, REQUEST));

    let is_drained = false;
    const drained = server.drain().then(() => {
      is_drained = true;
    });
    await sleep(300);
    expect(is_drained).toBe(false);
    release();
    await drained;
  });

  it('does not wait longer than the drain timeout', async () => {
    const { openDispute, contexts } = gate();
    const server = await serve(openDispute, { drain_timeout_ms: 100 });
    const call = failure(connect(transport, server).openDispute(context(), REQUEST));
    await eventually(() => contexts.length === 1);

    await server.drain();

    expect(isRetryable(await call)).toBe(true);
    await eventually(() => contexts[0]?.signal.aborted === true);
  });

  it('reports a server killed mid-call as retryable, and reconnects', async () => {
    const { openDispute, contexts } = gate();
    const server = await serve(openDispute);
    const stub = connect(transport, server);
    const call = failure(stub.openDispute(context(), REQUEST));
    await eventually(() => contexts.length === 1);

    await server.close();

    const error = await call;
    expect(isRetryable(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'INTERNAL_ERROR',
      message: 'The service is temporarily unavailable.',
      retry_after_s: 1,
    });
    await eventually(() => contexts[0]?.signal.aborted === true);
    await serve(echo, { address: `127.0.0.1:${server.port}` });
    const ctx = context({ deadline_at_ms: Date.now() + 10_000 });
    for (;;) {
      try {
        await withRetry(ctx, () => stub.openDispute(ctx, REQUEST));
        break;
      } catch (retryable) {
        if (!isRetryable(retryable)) throw retryable;
        await sleep(50);
      }
    }
  });

  it('fails calls soon when nobody listens', async () => {
    const server = await serve(echo);
    await server.close();
    const started_at_ms = Date.now();

    const error = await failure(connect(transport, server).openDispute(context(), REQUEST));

    expect(isRetryable(error)).toBe(true);
    expect(Date.now() - started_at_ms).toBeLessThan(8_000);
  });

  it('reaches a server on a unix socket', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'rpc-'));
    onCleanup(() => rm(folder, { recursive: true }));
    const address = `unix:${path.join(folder, 'socket')}`;
    await serve(echo, { address });

    await expect(
      connect(transport, address).openDispute(context(), REQUEST),
    ).resolves.toBeDefined();
  });

  it('reaches a server by the name localhost', async () => {
    const server = await serve(echo);

    const stub = connect(transport, `dns:///localhost:${server.port}`);

    await expect(stub.openDispute(context(), REQUEST)).resolves.toBeDefined();
  });
});

describe('a channel', () => {
  it('leaves no listener on the signal, however the call ends', async () => {
    const server = await serve(async (_ctx, request) => {
      if (request.description === 'bad') throw conflict('no', { reason: 'CHANGED_MEANWHILE' });
      return answerTo(request);
    });
    const stub = connect('tunnel', server);
    const { signal } = new AbortController();

    await stub.openDispute(context({ signal }), REQUEST);
    await failure(stub.openDispute(context({ signal }), { ...REQUEST, description: 'bad' }));

    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('fails calls over the channel bound without sending them', async () => {
    const { openDispute, contexts, release } = gate();
    const server = await serve(openDispute);
    const stub = connect('tunnel', server, { max_in_flight: 2 });
    const accepted = [stub.openDispute(context(), REQUEST), stub.openDispute(context(), REQUEST)];

    const error = await failure(stub.openDispute(context(), REQUEST));

    expect(error).toMatchObject({ code: 'INTERNAL_ERROR', retry_after_s: 1 });
    await eventually(() => contexts.length === 2);
    release();
    await Promise.all(accepted);
    await expect(stub.openDispute(context(), REQUEST)).resolves.toBeDefined();
    expect(contexts).toHaveLength(3);
  });

  it('loses no call when a server drains and another takes over', async () => {
    const answers = { first: 0, second: 0 };
    const counting =
      (name: keyof typeof answers): OpenDispute =>
      async (_ctx, request) => {
        await sleep(20);
        answers[name]++;
        return answerTo(request);
      };
    const first = await serve(counting('first'));
    const second = await serve(counting('second'), { address: `127.0.0.2:${first.port}` });
    const stub = connect('tunnel', `ipv4:127.0.0.1:${first.port},127.0.0.2:${second.port}`);
    let stopped = false;
    let sent = 0;
    const callers = Array.from({ length: 20 }, async () => {
      while (!stopped) {
        sent++;
        await stub.openDispute(context(), REQUEST);
      }
    });
    await eventually(() => answers.first > 20 && answers.second > 20);

    const drained_at_ms = Date.now();
    await first.drain();
    const drain_ms = Date.now() - drained_at_ms;
    const answered = { ...answers };
    await eventually(() => answers.second > answered.second + 100);
    stopped = true;
    await Promise.all(callers);

    expect(drain_ms).toBeLessThan(5_000);
    expect(answers.first).toBe(answered.first);
    expect(answers.first + answers.second).toBe(sent);
  });
});
