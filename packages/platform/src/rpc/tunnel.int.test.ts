import { setTimeout as sleep } from 'node:timers/promises';

import { DisputesServiceDefinition } from '@credit/proto/disputes/v1/disputes';

import {
  answerTo,
  connect,
  context,
  echo,
  eventually,
  failure,
  gate,
  logger,
  type OpenDispute,
  onCleanup,
  REQUEST,
  serve,
} from '../../test/rpc-fixture';
import { createChannel, isRetryable, type RpcServer } from './index';
import { TRANSPORT_OPTIONS } from './limits';

/** Servers on 127.0.0.1, 127.0.0.2, … with one port, and how many calls each has had. */
async function serveMany(count: number): Promise<{ servers: RpcServer[]; calls: number[] }> {
  const calls = Array.from({ length: count }, () => 0);
  const counting =
    (index: number): OpenDispute =>
    async (_ctx, request) => {
      calls[index] = (calls[index] ?? 0) + 1;
      return answerTo(request);
    };
  const first = await serve(counting(0));
  const servers = [first];
  for (let index = 1; index < count; index++) {
    servers.push(await serve(counting(index), { address: `127.0.0.${index + 1}:${first.port}` }));
  }
  return { servers, calls };
}

describe('a channel of tunnels', () => {
  it('spreads calls over all addresses of a name', async () => {
    const { servers, calls } = await serveMany(3);
    const stub = connect('tunnel', `dns:///disputes.test:${servers[0]?.port}`, {
      lookup: async () => ['127.0.0.1', '127.0.0.2', '127.0.0.3'],
    });
    await eventually(
      () => logger.debug.mock.calls.filter(([, text]) => text === 'rpc tunnel opened').length === 3,
    );

    for (let n = 0; n < 30; n++) await stub.openDispute(context(), REQUEST);

    expect(calls).toEqual([10, 10, 10]);
  });

  it('follows the name: new addresses get calls, removed ones finish theirs', async () => {
    const { openDispute, contexts, release } = gate();
    const first = await serve(openDispute);
    let second_calls = 0;
    await serve(
      async (ctx, request) => {
        second_calls++;
        return echo(ctx, request);
      },
      { address: `127.0.0.2:${first.port}` },
    );
    let addresses = ['127.0.0.1'];
    const stub = connect('tunnel', `disputes.test:${first.port}`, {
      lookup: async () => addresses,
      resolve_interval_ms: 50,
    });
    const slow = stub.openDispute(context(), REQUEST);
    await eventually(() => contexts.length === 1);

    addresses = ['127.0.0.2'];
    await sleep(200);
    await stub.openDispute(context(), REQUEST);
    await stub.openDispute(context(), REQUEST);
    release();

    await expect(slow).resolves.toEqual(answerTo(REQUEST));
    expect(second_calls).toBe(2);
    expect(contexts).toHaveLength(1);
  });

  it('keeps the addresses it has when the name cannot be resolved any more', async () => {
    const server = await serve(echo);
    let broken = false;
    const stub = connect('tunnel', `disputes.test:${server.port}`, {
      lookup: async () => {
        if (broken) throw new Error('SERVFAIL');
        return ['127.0.0.1'];
      },
      resolve_interval_ms: 20,
    });
    await stub.openDispute(context(), REQUEST);

    broken = true;
    await eventually(() => logger.warn.mock.calls.length > 0);

    await expect(stub.openDispute(context(), REQUEST)).resolves.toBeDefined();
  });

  it('fails calls as retryable when the name has never been resolved', async () => {
    const stub = connect('tunnel', 'disputes.test:1', {
      lookup: () => Promise.reject(new Error('NXDOMAIN')),
    });

    expect(isRetryable(await failure(stub.openDispute(context(), REQUEST)))).toBe(true);
    expect(isRetryable(await failure(stub.openDispute(context(), REQUEST)))).toBe(true);
  });

  it('replaces an aged tunnel without losing a call', async () => {
    const server = await serve(
      async (_ctx, request) => {
        await sleep(5);
        return answerTo(request);
      },
      { drain_after_ms: 1_300 },
    );
    const stub = connect('tunnel', server);
    let stopped = false;
    const callers = Array.from({ length: 8 }, async () => {
      while (!stopped) await stub.openDispute(context(), REQUEST);
    });

    const opened = () =>
      logger.debug.mock.calls.filter(([, text]) => text === 'rpc tunnel opened').length;
    await eventually(() => opened() >= 2);
    stopped = true;
    await Promise.all(callers);

    expect(logger.warn).not.toHaveBeenCalled();
  });

  it('has its calls answered by a server that drains, though it asks meanwhile whether that lives', async () => {
    const asking = jest.replaceProperty(TRANSPORT_OPTIONS, 'grpc.keepalive_time_ms', 100);
    onCleanup(() => asking.restore());
    const { openDispute, contexts, release } = gate();
    const server = await serve(openDispute);
    const call = connect('tunnel', server).openDispute(context(), REQUEST);
    await eventually(() => contexts.length === 1);

    const drained = server.drain();
    await sleep(500);
    release();

    await expect(call).resolves.toEqual(answerTo(REQUEST));
    await drained;
  });

  it('goes on with the other servers when one is killed', async () => {
    const { servers, calls } = await serveMany(2);
    const stub = connect(
      'tunnel',
      `ipv4:127.0.0.1:${servers[0]?.port},127.0.0.2:${servers[0]?.port}`,
    );
    await eventually(
      () => logger.debug.mock.calls.filter(([, text]) => text === 'rpc tunnel opened').length === 2,
    );

    await servers[0]?.close();
    await eventually(() => logger.warn.mock.calls.length > 0);
    for (let n = 0; n < 10; n++) await stub.openDispute(context(), REQUEST);

    expect(calls).toEqual([0, 10]);
  });

  it('finds a server that came back with the next call, however long it was away', async () => {
    const { servers } = await serveMany(2);
    const [first, second] = servers;
    if (first === undefined || second === undefined) throw new Error('No servers.');
    const stub = connect('tunnel', `ipv4:127.0.0.1:${first.port},127.0.0.2:${first.port}`);
    await stub.openDispute(context(), REQUEST);
    await first.close();
    // Attempts fail, and pauses between them grow to more than a second.
    await sleep(3_000);
    await second.close();
    await failure(stub.openDispute(context(), REQUEST));
    await sleep(2_000);
    await serve(echo, { address: `127.0.0.1:${first.port}` });
    await expect(stub.openDispute(context(), REQUEST)).resolves.toEqual(answerTo(REQUEST));
  }, 20_000);

  it('finds a server that came back although its own clock was set back meanwhile', async () => {
    const server = await serve(echo);
    const stub = connect('tunnel', `127.0.0.1:${server.port}`);
    await stub.openDispute(context(), REQUEST);
    await server.close();
    // Pauses between attempts have grown.
    await sleep(3_000);
    const now = Date.now;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() - 2 * 86_400_000);
    onCleanup(() => clock.mockRestore());
    await failure(stub.openDispute(context(), REQUEST));
    await serve(echo, { address: `127.0.0.1:${server.port}` });
    await expect(stub.openDispute(context(), REQUEST)).resolves.toEqual(answerTo(REQUEST));
  }, 20_000);

  it('fails what is in flight when it is closed, and every later call', async () => {
    const { openDispute, contexts } = gate();
    const server = await serve(openDispute);
    const channel = createChannel({ target: `127.0.0.1:${server.port}`, logger });
    onCleanup(() => channel.close());
    const stub = channel.stub(DisputesServiceDefinition);
    const call = failure(stub.openDispute(context(), REQUEST));
    await eventually(() => contexts.length === 1);

    channel.close();

    expect(isRetryable(await call)).toBe(true);
    expect(isRetryable(await failure(stub.openDispute(context(), REQUEST)))).toBe(true);
    await eventually(() => contexts[0]?.signal.aborted === true);
  });

  it('does not send a call that was given up before a connection was there', async () => {
    const openDispute = jest.fn(echo);
    const server = await serve(openDispute);
    const { promise, resolve } = Promise.withResolvers<string[]>();
    const stub = connect('tunnel', `disputes.test:${server.port}`, { lookup: () => promise });
    const controller = new AbortController();
    const given_up = failure(stub.openDispute(context({ signal: controller.signal }), REQUEST));
    const late = failure(stub.openDispute(context({ deadline_at_ms: Date.now() + 50 }), REQUEST));
    const patient = stub.openDispute(context(), REQUEST);

    controller.abort();
    await given_up;
    await late;
    resolve(['127.0.0.1']);
    await patient;

    expect(openDispute).toHaveBeenCalledTimes(1);
  });
});
