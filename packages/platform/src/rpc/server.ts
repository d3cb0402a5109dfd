import { setTimeout as sleep } from 'node:timers/promises';
import { TunnelDefinition } from '@credit/proto/rpc/v1/tunnel';
import {
  status as GrpcStatus,
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';

import { CallerPolicy, type CallerRules, callersOf } from './caller-policy';
import { Dispatcher, IncomingCall, type RpcLogger } from './dispatcher';
import { grpcDefinition } from './grpc-definition';
import { Health } from './health';
import { DEFAULT_MAX_IN_FLIGHT, TRANSPORT_OPTIONS } from './limits';
import { addReflection } from './reflection';
import { ERROR_TRAILER, encodeErrorTrailer, type Failure } from './rpc-error';
import { type ServerStream, ServerTunnel } from './server-tunnel';
import type { ServiceRegistration } from './service';

const DEFAULT_DRAIN_AFTER_MS = 300_000;
const DEFAULT_DRAIN_TIMEOUT_MS = 15_000;
const DRAIN_POLL_MS = 20;

/** Options of {@link startRpcServer}. */
export interface RpcServerOptions {
  /** `host:port`; port 0 takes a free one. */
  readonly address: string;
  readonly services: readonly ServiceRegistration[];
  readonly logger: RpcLogger;
  /** More calls than this at once are turned away before any work is done. */
  readonly max_in_flight?: number;
  /** Plain text when absent, which is for loopback only. */
  readonly credentials?: ServerCredentials;
  /** Who may call what, by the names in the caller's certificate; anybody, when absent. */
  readonly callers?: CallerRules;
  /** A tunnel is replaced after about this long (a fifth more or less), so that load
   * spreads over servers that started meanwhile. */
  readonly drain_after_ms?: number;
  /** How long calls in flight may take to finish once a drain has begun. */
  readonly drain_timeout_ms?: number;
}

/** A running server. */
export interface RpcServer {
  readonly port: number;
  /** What health checks answer; calls are served either way. */
  setServing(serving: boolean): void;
  /** Takes no new work, finishes what is in flight within the drain timeout, stops. */
  drain(): Promise<void>;
  /** Stops at once; calls in flight fail. */
  close(): Promise<void>;
}

/**
 * Serves each service as plain unary gRPC and through the tunnel, with the same
 * handlers, together with health checks and reflection.
 */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const server = new RunningServer(options);
  await server.listen(options.address);
  return server;
}

class RunningServer implements RpcServer {
  readonly #server = new Server(TRANSPORT_OPTIONS);
  readonly #dispatcher: Dispatcher;
  readonly #health: Health;
  readonly #credentials: ServerCredentials;
  readonly #tunnels = new Set<ServerTunnel>();
  readonly #drain_after_ms: number;
  readonly #drain_timeout_ms: number;
  #port = 0;
  #draining: Promise<void> | undefined;

  constructor(options: RpcServerOptions) {
    const names = [...options.services.map(({ name }) => name), TunnelDefinition.fullName];
    this.#health = new Health(names);
    this.#dispatcher = new Dispatcher({
      services: [...options.services, this.#health.registration],
      max_in_flight: options.max_in_flight ?? DEFAULT_MAX_IN_FLIGHT,
      logger: options.logger,
      policy: options.callers === undefined ? undefined : new CallerPolicy(options.callers),
    });
    this.#credentials = options.credentials ?? ServerCredentials.createInsecure();
    this.#drain_after_ms = options.drain_after_ms ?? DEFAULT_DRAIN_AFTER_MS;
    this.#drain_timeout_ms = options.drain_timeout_ms ?? DEFAULT_DRAIN_TIMEOUT_MS;

    for (const service of options.services) this.#addUnary(service);
    this.#server.addService(grpcDefinition(TunnelDefinition), {
      exchange: (stream: ServerStream) => this.#openTunnel(stream),
    });
    this.#health.addTo(this.#server);
    addReflection(this.#server, names);
  }

  get port(): number {
    return this.#port;
  }

  listen(address: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(address, this.#credentials, (error, port) => {
        this.#port = port;
        if (error === null) resolve();
        else reject(error);
      });
    });
  }

  setServing(serving: boolean): void {
    this.#health.setServing(serving);
  }

  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  async close(): Promise<void> {
    this.#health.setServing(false);
    this.#server.forceShutdown();
    // Streams close in the next turns; their calls are aborted now.
    for (const tunnel of [...this.#tunnels]) {
      tunnel.destroy(GrpcStatus.UNAVAILABLE, 'the server is going away');
    }
    await this.#draining;
  }

  async #drain(): Promise<void> {
    this.#health.setServing(false);
    this.#health.close();
    for (const tunnel of this.#tunnels) tunnel.drain();
    const until_ms = Date.now() + this.#drain_timeout_ms;
    // Callers end their tunnels when their calls are answered. Only then are connections told to go: a
    // client whose connection was, and which asks whether the peer still lives, takes it for dead.
    while (this.#tunnels.size > 0 && Date.now() < until_ms) await sleep(DRAIN_POLL_MS);
    let is_shut = false;
    // Refuses new connections and streams, and waits for those that are open; not for what a caller gave
    // up. Whoever stops takes away what handlers work with.
    this.#server.tryShutdown(() => {
      is_shut = true;
    });
    const isDone = () => is_shut && this.#tunnels.size === 0 && this.#dispatcher.in_flight === 0;
    while (!isDone() && Date.now() < until_ms) await sleep(DRAIN_POLL_MS);
    if (!isDone()) this.#server.forceShutdown();
  }

  #addUnary(service: ServiceRegistration): void {
    const definition: Record<string, typeof RAW_METHOD & { path: string }> = {};
    const handlers: UntypedServiceImplementation = {};
    for (const { path } of service.methods) {
      definition[path] = { ...RAW_METHOD, path };
      handlers[path] = (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => {
        const incoming = new PlainCall(call, callback);
        const metadata = asciiMetadata(call.metadata);
        this.#dispatcher.start(incoming, path, metadata, call.request, callersOf(call));
      };
    }
    this.#server.addService(definition, handlers);
  }

  #openTunnel(stream: ServerStream): void {
    if (this.#draining !== undefined) {
      const details = 'the server is going away';
      stream.emit(
        'error',
        Object.assign(new Error(details), { code: GrpcStatus.UNAVAILABLE, details }),
      );
      return;
    }
    const age_ms = this.#drain_after_ms * (0.8 + 0.4 * Math.random());
    let timer: NodeJS.Timeout | undefined;
    const tunnel = new ServerTunnel(stream, this.#dispatcher, () => {
      clearTimeout(timer);
      this.#tunnels.delete(tunnel);
    });
    this.#tunnels.add(tunnel);
    timer = setTimeout(() => {
      tunnel.drain();
      // A client that ignores the notice must not keep its place for ever.
      timer = setTimeout(
        () => tunnel.destroy(GrpcStatus.UNAVAILABLE, 'the tunnel is too old'),
        Math.max(this.#drain_timeout_ms, MIN_GRACE_MS),
      ).unref();
    }, age_ms).unref();
  }
}

// Longer than any call takes: there is no hurry when only a tunnel is replaced.
const MIN_GRACE_MS = 60_000;

// Bytes in, bytes out: decoding belongs to the dispatcher, for both transports.
const RAW_METHOD = {
  requestStream: false,
  responseStream: false,
  requestSerialize: sameBytes,
  requestDeserialize: sameBytes,
  responseSerialize: sameBytes,
  responseDeserialize: sameBytes,
} as const;

function sameBytes(bytes: Buffer): Buffer {
  return bytes;
}

/** A call that came as plain unary gRPC. */
class PlainCall extends IncomingCall {
  readonly #callback: sendUnaryData<Buffer>;

  constructor(call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) {
    const deadline = call.getDeadline();
    super(deadline instanceof Date ? deadline.getTime() : deadline);
    this.#callback = callback;
    // Also emitted after the answer and after grpc-js's own deadline.
    call.on('cancelled', () => this.cancel());
  }

  protected override sendReply(response: Buffer, metadata: ReadonlyMap<string, string>): void {
    if (metadata.size === 0) {
      this.#callback(null, response);
      return;
    }
    const trailers = new Metadata();
    for (const [key, value] of metadata) trailers.set(key, value);
    this.#callback(null, response, trailers);
  }

  protected override sendFailure({ status, message, error }: Failure): void {
    const trailers = new Metadata();
    if (error !== undefined) trailers.set(ERROR_TRAILER, encodeErrorTrailer(error));
    this.#callback({ code: status, details: message, metadata: trailers });
  }
}

function asciiMetadata(metadata: Metadata): Record<string, string> {
  const record: Record<string, string> = {};
  for (const [key, value] of Object.entries(metadata.getMap())) {
    if (typeof value === 'string') record[key] = value;
  }
  return record;
}
