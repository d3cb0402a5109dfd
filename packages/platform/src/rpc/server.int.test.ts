import { setTimeout as sleep } from 'node:timers/promises';

import { DisputesServiceDefinition, OpenDisputeRequest } from '@credit/proto/disputes/v1/disputes';
import { type HealthCheckResponse, HealthDefinition } from '@credit/proto/grpc/health/v1/health';
import {
  type ClientFrame,
  type ExchangeRequest,
  type ExchangeResponse,
  type ServerFrame,
  TunnelDefinition,
} from '@credit/proto/rpc/v1/tunnel';
import {
  Client,
  type ClientDuplexStream,
  credentials,
  status as GrpcStatus,
  Metadata,
  type MethodDefinition,
  type ServiceDefinition,
  type ServiceError,
  type StatusObject,
} from '@grpc/grpc-js';
import {
  loadFileDescriptorSetFromBuffer,
  loadSync,
  type PackageDefinition,
} from '@grpc/proto-loader';

import { echo, eventually, gate, onCleanup, REQUEST, serve } from '../../test/rpc-fixture';
import { grpcDefinition } from './grpc-definition';
import type { RpcServer } from './server';
import { encoded, pathOf } from './service';

function clientOf(server: RpcServer): Client {
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  onCleanup(() => client.close());
  return client;
}

function methodOf(
  definition: PackageDefinition,
  service: string,
  name: string,
): MethodDefinition<unknown, unknown> {
  const method = (definition[service] as ServiceDefinition)[name];
  if (method === undefined) throw new Error(`there is no ${service}/${name}`);
  // Whatever the message, its codec is the method's own.
  return method as MethodDefinition<unknown, unknown>;
}

function callUnary(
  client: Client,
  method: MethodDefinition<unknown, unknown>,
  request: object,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request,
      (error: ServiceError | null, response) => {
        if (error !== null) reject(error);
        else resolve(response ?? {});
      },
    );
  });
}

describe('health checks', () => {
  const { check, watch: watching } = grpcDefinition(HealthDefinition);

  it.each(['', 'credit.disputes.v1.DisputesService', 'credit.rpc.v1.Tunnel'])(
    'answer for "%s"',
    async (service) => {
      const server = await serve(echo);
      const client = clientOf(server);

      expect(await callUnary(client, check, { service })).toEqual({ status: 'SERVING' });
      server.setServing(false);
      expect(await callUnary(client, check, { service })).toEqual({ status: 'NOT_SERVING' });
      server.setServing(true);
      expect(await callUnary(client, check, { service })).toEqual({ status: 'SERVING' });
    },
  );

  it('do not know other services', async () => {
    const client = clientOf(await serve(echo));

    await expect(callUnary(client, check, { service: 'credit.other' })).rejects.toMatchObject({
      code: GrpcStatus.NOT_FOUND,
    });
  });

  it('are watched through a drain, which they do not hold up', async () => {
    const server = await serve(echo);
    const { path, requestSerialize, responseDeserialize } = watching;
    const watch = clientOf(server).makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize as (bytes: Buffer) => HealthCheckResponse,
      { service: '' },
    );
    const seen: unknown[] = [];
    const ended = new Promise<StatusObject>((resolve) => watch.on('status', resolve));
    watch.on('data', ({ status }) => seen.push(status));
    watch.on('error', () => {});
    await eventually(() => seen.length === 1);

    const started_at_ms = Date.now();
    await server.drain();

    expect((await ended).code).toBe(GrpcStatus.UNAVAILABLE);
    expect(seen).toEqual(['SERVING', 'NOT_SERVING']);
    expect(Date.now() - started_at_ms).toBeLessThan(8_000);
  });
});

describe.each(['v1', 'v1alpha'])('reflection %s', (version) => {
  const definition = loadSync(
    require.resolve(`@grpc/reflection/build/proto/grpc/reflection/${version}/reflection.proto`),
    { oneofs: true },
  );
  const method = methodOf(
    definition,
    `grpc.reflection.${version}.ServerReflection`,
    'ServerReflectionInfo',
  );

  async function ask(server: RpcServer, request: object) {
    const stream = clientOf(server).makeBidiStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
    );
    const answer = new Promise<Record<string, unknown>>((resolve, reject) => {
      stream.on('data', resolve);
      stream.on('error', reject);
    });
    stream.write(request);
    const response = await answer;
    stream.end();
    return response;
  }

  it('lists what is served', async () => {
    const server = await serve(echo);

    expect(await ask(server, { listServices: '*' })).toMatchObject({
      listServicesResponse: {
        service: expect.arrayContaining([
          { name: 'credit.disputes.v1.DisputesService' },
          { name: 'credit.rpc.v1.Tunnel' },
          { name: 'grpc.health.v1.Health' },
        ]),
      },
    });
  });

  it('describes a service well enough to call it', async () => {
    const server = await serve(echo);

    const answer = await ask(server, {
      fileContainingSymbol: 'credit.disputes.v1.DisputesService',
    });

    const { fileDescriptorProto } = answer.fileDescriptorResponse as {
      fileDescriptorProto: Buffer[];
    };
    const learned = loadFileDescriptorSetFromBuffer(
      Buffer.concat(fileDescriptorProto.map(lengthDelimited)),
      { keepCase: true, enums: String },
    );
    const openDispute = methodOf(learned, 'credit.disputes.v1.DisputesService', 'OpenDispute');
    // Who knows only the descriptors says an enum's value by its name in the proto.
    const request = { ...REQUEST, reason: 'DISPUTE_REASON_FRAUD' };
    expect(await callUnary(clientOf(server), openDispute, request)).toMatchObject({
      dispute: {
        id: 'd1',
        reason: 'DISPUTE_REASON_FRAUD',
        opened_by: 'consumer',
        evidence_links: ['https://example.org/1'],
      },
    });
  });
});

/** One element of a FileDescriptorSet. */
function lengthDelimited(bytes: Buffer): Buffer {
  const head = [0x0a];
  let length = bytes.length;
  for (; length > 0x7f; length >>>= 7) head.push((length & 0x7f) | 0x80);
  head.push(length);
  return Buffer.concat([Buffer.from(head), bytes]);
}

describe('a tunnel, frame by frame', () => {
  function open(server: RpcServer) {
    const { path, requestSerialize, responseDeserialize } =
      grpcDefinition(TunnelDefinition).exchange;
    const stream: ClientDuplexStream<ExchangeRequest, ExchangeResponse> = clientOf(
      server,
    ).makeBidiStreamRequest(
      path,
      requestSerialize,
      responseDeserialize as (bytes: Buffer) => ExchangeResponse,
    );
    const batches: ServerFrame[][] = [];
    stream.on('data', ({ frames }: ExchangeResponse) => batches.push(frames));
    stream.on('error', () => {});
    const ended = new Promise<StatusObject>((resolve) => stream.on('status', resolve));
    return { stream, batches, ended };
  }

  function callFrame(call_id: number, timeout_ms = 0): ClientFrame {
    const method = pathOf(DisputesServiceDefinition, 'openDispute');
    const request = encoded(OpenDisputeRequest, REQUEST);
    return {
      call_id,
      kind: {
        $case: 'call',
        value: { method, timeout_ms, metadata: {}, request },
      },
    };
  }

  it('answers the calls of one turn in one message, and ends when the client is done', async () => {
    const { stream, batches, ended } = open(await serve(echo));

    stream.write({ frames: [1, 2, 3].map((call_id) => callFrame(call_id)) });
    stream.end();

    expect((await ended).code).toBe(GrpcStatus.OK);
    expect(batches.map((frames) => frames.map(({ call_id }) => call_id))).toEqual([[1, 2, 3]]);
    expect(batches[0]?.every(({ kind }) => kind?.$case === 'reply')).toBe(true);
  });

  it('sends nothing for a call that was cancelled', async () => {
    const { openDispute, contexts } = gate();
    const { stream, batches, ended } = open(await serve(openDispute));
    stream.write({ frames: [callFrame(1)] });
    await eventually(() => contexts.length === 1);

    stream.write({ frames: [{ call_id: 1, kind: { $case: 'cancel', value: {} } }] });
    stream.end();

    expect((await ended).code).toBe(GrpcStatus.OK);
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(batches).toEqual([]);
  });

  it('keeps the deadline itself', async () => {
    const { openDispute, contexts } = gate();
    const { stream, batches } = open(await serve(openDispute));

    stream.write({ frames: [callFrame(7, 100)] });

    await eventually(() => batches.length === 1);
    expect(batches[0]).toMatchObject([
      {
        call_id: 7,
        kind: { $case: 'failure', value: { status: GrpcStatus.DEADLINE_EXCEEDED } },
      },
    ]);
    expect(contexts[0]?.signal.aborted).toBe(true);
    await sleep(50);
    expect(batches).toHaveLength(1);
    stream.cancel();
  });

  it('aborts its calls when the client vanishes', async () => {
    const { openDispute, contexts } = gate();
    const { stream } = open(await serve(openDispute));
    stream.write({ frames: [callFrame(1), callFrame(2)] });
    await eventually(() => contexts.length === 2);

    stream.cancel();

    await eventually(() => contexts.every(({ signal }) => signal.aborted));
  });

  it('is refused when a call id is used twice at once', async () => {
    const { openDispute, contexts } = gate();
    const { stream, ended } = open(await serve(openDispute));

    stream.write({ frames: [callFrame(1), callFrame(1)] });

    expect((await ended).code).toBe(GrpcStatus.INVALID_ARGUMENT);
    expect(contexts.every(({ signal }) => signal.aborted)).toBe(true);
  });

  it('is refused when its bytes are no frames, and other tunnels go on', async () => {
    const server = await serve(echo);
    const other = open(server);
    const garbage = clientOf(server).makeBidiStreamRequest(
      '/credit.rpc.v1.Tunnel/Exchange',
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => bytes,
      new Metadata(),
    );
    garbage.on('error', () => {});
    garbage.on('data', () => {});
    const ended = new Promise<StatusObject>((resolve) => garbage.on('status', resolve));

    garbage.write(Buffer.from([0x0a, 0xff, 0xff]));

    expect((await ended).code).not.toBe(GrpcStatus.OK);
    other.stream.write({ frames: [callFrame(1)] });
    await eventually(() => other.batches.length === 1);
    other.stream.end();
  });

  it('is told of a drain, and what is in flight is answered after it', async () => {
    const { openDispute, contexts, release } = gate();
    const server = await serve(openDispute);
    const { stream, batches, ended } = open(server);
    stream.write({ frames: [callFrame(1)] });
    await eventually(() => contexts.length === 1);

    const drained = server.drain();
    await eventually(() => batches.length === 1);
    expect(batches[0]).toEqual([{ call_id: 0, kind: { $case: 'drain', value: {} } }]);
    // Sent before the notice was read: still answered.
    stream.write({ frames: [callFrame(2)] });
    await eventually(() => contexts.length === 2);
    release();
    await eventually(() => batches.flat().length === 3);
    stream.end();

    expect((await ended).code).toBe(GrpcStatus.OK);
    await drained;
  });

  it('splits what is larger than a batch may be', async () => {
    const { stream, batches } = open(
      await serve(async (_ctx, request) => {
        const { dispute } = await echo(_ctx, request);
        if (dispute !== undefined) dispute.description = 'x'.repeat(400 * 1024);
        return { dispute, access_token: '' };
      }),
    );

    stream.write({ frames: Array.from({ length: 7 }, (_, index) => callFrame(index + 1)) });

    await eventually(() => batches.flat().length === 7);
    expect(batches.map((frames) => frames.length)).toEqual([2, 2, 2, 1]);
    stream.end();
  });

  it('stops reading from a client that does not read its answers', async () => {
    let handled = 0;
    const server = await serve(async (ctx, request) => {
      handled++;
      const { dispute } = await echo(ctx, request);
      if (dispute !== undefined) dispute.description = 'x'.repeat(1024 * 1024);
      return { dispute, access_token: '' };
    });
    const { stream, batches } = open(server);
    stream.pause();

    for (let id = 1; id <= 80; id++) stream.write({ frames: [callFrame(id)] });
    await sleep(300);
    const handled_unread = handled;
    stream.resume();
    // 80 MB, beside another file's system.
    await eventually(() => batches.flat().length === 80, 45_000);

    expect(handled_unread).toBeGreaterThan(0);
    expect(handled_unread).toBeLessThan(60);
    stream.end();
  }, 60_000);
});
