import { ChannelCredentials, Client, status as GrpcStatus } from '@grpc/grpc-js';
import { SpanKind } from '@opentelemetry/api';

import { type CallContext, toMetadata } from '../context';
import { AddressResolver, type Lookup, lookupAddresses, parseTarget } from './address-resolver';
import type { RpcLogger } from './dispatcher';
import {
  DEFAULT_MAX_IN_FLIGHT,
  DEFAULT_TIMEOUT_MS,
  MAX_PAYLOAD_BYTES,
  TRANSPORT_OPTIONS,
} from './limits';
import { OutgoingCall, type OutgoingMethod } from './outgoing-call';
import { transportError } from './rpc-error';
import { encoded, pathOfMethod, type Stub, type UnaryService } from './service';
import { startCallSpan, traceparentOf } from './tracing';
import { TunnelConnection } from './tunnel-connection';
import type { TunnelPeer } from './tunnel-peer';

const DEFAULT_RESOLVE_INTERVAL_MS = 30_000;

/** Options of {@link createChannel}. */
export interface ChannelOptions {
  /** `dns:///host:port` or `host:port`; also `ipv4:a:p,b:p` and `unix:path`. */
  readonly target: string;
  readonly logger: RpcLogger;
  /** Plain text when absent, which is for loopback only. */
  readonly credentials?: ChannelCredentials;
  /** More calls than this at once fail without being sent. */
  readonly max_in_flight?: number;
  /** The deadline of a call whose context has none. */
  readonly default_timeout_ms?: number;
  /** How often the name is resolved again. */
  readonly resolve_interval_ms?: number;
  /** Replaces the system's resolver. */
  readonly lookup?: Lookup;
}

/** A way to one service's servers. */
export interface RpcChannel {
  /** The functions of a generated service definition, called over this channel. */
  stub<S extends UnaryService>(definition: S): Stub<S>;
  /** Ends the channel; calls in flight fail as UNAVAILABLE. */
  close(): void;
}

/**
 * Opens a channel: one long-lived stream for each address, which many calls share. Connecting
 * begins at once and needs no waiting for. A call without a deadline gets 15 s; one with a signal
 * ends when that aborts. What a peer's handler put into `reply_metadata` is added to the caller's
 * own map.
 */
export function createChannel(options: ChannelOptions): RpcChannel {
  return new Channel(options);
}

class Channel implements RpcChannel {
  readonly #peers: TunnelPeers;
  readonly #max_in_flight: number;
  readonly #default_timeout_ms: number;
  #in_flight = 0;
  #closed = false;

  constructor(options: ChannelOptions) {
    this.#peers = new TunnelPeers(options);
    this.#max_in_flight = options.max_in_flight ?? DEFAULT_MAX_IN_FLIGHT;
    this.#default_timeout_ms = options.default_timeout_ms ?? DEFAULT_TIMEOUT_MS;
  }

  stub<S extends UnaryService>(definition: S): Stub<S> {
    const stub: Record<string, (ctx: CallContext, request: unknown) => Promise<unknown>> = {};
    for (const [name, method] of Object.entries(definition.methods)) {
      const { requestType, responseType } = method;
      const outgoing = {
        path: pathOfMethod(definition.fullName, method),
        decodeResponse: (bytes: Buffer) => responseType.decode(bytes),
      };
      stub[name] = (ctx, request) => this.#call(outgoing, ctx, () => encoded(requestType, request));
    }
    return stub as Stub<S>;
  }

  close(): void {
    this.#closed = true;
    this.#peers.close();
  }

  #call(method: OutgoingMethod, ctx: CallContext, encodeRequest: () => Buffer): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const now_ms = Date.now();
      const refusal = this.#refusal(ctx, now_ms);
      if (refusal !== undefined) {
        reject(transportError(refusal.status, `${method.path}: ${refusal.reason}`));
        return;
      }
      const request = encodeRequest();
      if (request.length > MAX_PAYLOAD_BYTES) {
        reject(new Error(`${method.path}: a request of ${request.length} bytes is too large`));
        return;
      }
      const metadata = toMetadata(ctx);
      const span = startCallSpan(SpanKind.CLIENT, method.path, ctx.traceparent);
      if (span !== undefined) metadata.traceparent = traceparentOf(span);
      const call = new OutgoingCall({
        method,
        ctx,
        request,
        metadata,
        deadline_at_ms:
          ctx.deadline_at_ms === Number.POSITIVE_INFINITY
            ? now_ms + this.#default_timeout_ms
            : ctx.deadline_at_ms,
        resolve,
        reject,
        onEnded: this.#onEnded,
      });
      call.span = span;
      this.#in_flight++;
      this.#peers.dispatch(call);
    });
  }

  #refusal(ctx: CallContext, now_ms: number): { status: GrpcStatus; reason: string } | undefined {
    if (this.#closed) return { status: GrpcStatus.UNAVAILABLE, reason: 'the channel is closed' };
    if (ctx.signal.aborted) {
      return { status: GrpcStatus.CANCELLED, reason: 'the caller gave up' };
    }
    if (ctx.deadline_at_ms <= now_ms) {
      return { status: GrpcStatus.DEADLINE_EXCEEDED, reason: 'the deadline has passed' };
    }
    if (this.#in_flight >= this.#max_in_flight) {
      return { status: GrpcStatus.RESOURCE_EXHAUSTED, reason: 'too many calls in flight' };
    }
    return undefined;
  }

  readonly #onEnded = (call: OutgoingCall): void => {
    this.#in_flight--;
    this.#peers.forget(call);
  };
}

/** One tunnel per address; calls go round them. */
class TunnelPeers {
  readonly #connections = new Map<string, TunnelConnection>();
  readonly #waiting = new Set<OutgoingCall>();
  readonly #resolver: AddressResolver;
  readonly #newClient: (address: string) => Client;
  readonly #logger: RpcLogger;
  #ready: TunnelPeer[] = [];
  #next = 0;
  #resolved = false;

  constructor(options: ChannelOptions) {
    this.#logger = options.logger;
    const target = parseTarget(options.target);
    const credentials = options.credentials ?? ChannelCredentials.createInsecure();
    const client_options = {
      ...TRANSPORT_OPTIONS,
      // Bookkeeping per call that nothing here reads. (A server needs it: without, its
      // forceShutdown forgets the open connections.)
      'grpc.enable_channelz': 0,
      // A connection for each tunnel: behind a virtual address, a new tunnel on an
      // old connection would reach the old server.
      'grpc.use_local_subchannel_pool': 1,
      // Certificates name the service, but each address is dialled by number.
      ...(target.host !== '' && {
        'grpc.ssl_target_name_override': target.host,
        'grpc.default_authority': `${target.host}:${target.port}`,
      }),
    };
    this.#newClient = (address) => new Client(address, credentials, client_options);
    this.#resolver = new AddressResolver({
      target,
      lookup: options.lookup ?? lookupAddresses,
      interval_ms: options.resolve_interval_ms ?? DEFAULT_RESOLVE_INTERVAL_MS,
      logger: options.logger,
      onAddresses: (addresses) => this.#onAddresses(addresses),
      onFailure: () => {
        this.#resolved = true;
        this.#onChange();
      },
    });
    this.#resolver.start();
  }

  dispatch(call: OutgoingCall): void {
    const peer = this.#pick();
    if (peer !== undefined) {
      call.peer = peer;
      peer.start(call);
    } else if (this.#hopeful || this.#hurry(call)) {
      this.#waiting.add(call);
    } else {
      call.fail(this.#nobody(call));
    }
  }

  forget(call: OutgoingCall): void {
    if (call.peer === undefined) this.#waiting.delete(call);
  }

  close(): void {
    this.#resolver.stop();
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
    this.#resolved = true;
    this.#onChange();
  }

  #pick(): TunnelPeer | undefined {
    for (let tried = 0; tried < this.#ready.length; tried++) {
      this.#next = (this.#next + 1) % this.#ready.length;
      const peer = this.#ready[this.#next];
      if (peer?.accepting) return peer;
    }
    return undefined;
  }

  /** True while waiting may bring a peer: nothing has been found out yet, or is being. */
  get #hopeful(): boolean {
    if (!this.#resolved) return true;
    for (const connection of this.#connections.values()) if (connection.connecting) return true;
    return false;
  }

  /**
   * With nobody left, no long pause is waited out: whoever came back meanwhile is found by trying,
   * once for each call. True when an attempt is to be waited for.
   */
  #hurry(call: OutgoingCall): boolean {
    if (this.#ready.length > 0 || call.hurried) return false;
    call.hurried = true;
    let trying = false;
    for (const connection of this.#connections.values()) trying = connection.hurry() || trying;
    return trying;
  }

  #nobody(call: OutgoingCall) {
    return this.#ready.length === 0
      ? transportError(GrpcStatus.UNAVAILABLE, `${call.path}: no server is reachable`)
      : transportError(GrpcStatus.RESOURCE_EXHAUSTED, `${call.path}: all tunnels are full`);
  }

  #onAddresses(addresses: readonly string[]): void {
    this.#resolved = true;
    const wanted = new Set(addresses);
    for (const [address, connection] of this.#connections) {
      if (wanted.has(address)) continue;
      this.#connections.delete(address);
      connection.retire();
    }
    for (const address of wanted) {
      if (this.#connections.has(address)) continue;
      const connection = new TunnelConnection({
        address,
        newClient: () => this.#newClient(address),
        logger: this.#logger,
        onChange: () => this.#onChange(),
        onFailure: () => this.#resolver.resolveSoon(),
      });
      this.#connections.set(address, connection);
      connection.connect();
    }
    this.#onChange();
  }

  #onChange(): void {
    this.#ready = [];
    for (const { peer } of this.#connections.values()) {
      if (peer !== undefined) this.#ready.push(peer);
    }
    // Waiting calls start, go on waiting or fail, as if they came now.
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const call of waiting) this.dispatch(call);
  }
}
