import { status as GrpcStatus } from '@grpc/grpc-js';
import type { Span } from '@opentelemetry/api';

import type { CallContext } from '../context';
import { timerUntil } from './deadline';
import { type RpcError, transportError } from './rpc-error';
import { endCallSpan } from './tracing';

/** Where a call has gone. */
interface Carrier {
  /** The caller no longer waits; the server is told. */
  cancel(call: OutgoingCall): void;
}

/** What a call needs to know of its method. */
export interface OutgoingMethod {
  readonly path: string;
  readonly decodeResponse: (bytes: Buffer) => unknown;
}

/** A call on its way: ends once, by an answer, a failure, its deadline or its signal. */
export class OutgoingCall {
  readonly path: string;
  readonly request: Buffer;
  readonly metadata: Record<string, string>;
  readonly deadline_at_ms: number;
  /** Who has the call; undefined while it waits for a connection. */
  peer: Carrier | undefined;
  /** Whether a pause between attempts to connect was shortened for it already. */
  hurried = false;
  /** The call's number on its tunnel. */
  id = 0;
  span: Span | undefined;
  readonly #method: OutgoingMethod;
  readonly #ctx: CallContext;
  readonly #resolve: (response: unknown) => void;
  readonly #reject: (error: unknown) => void;
  readonly #onEnded: (call: OutgoingCall) => void;
  readonly #timer: NodeJS.Timeout;
  #ended = false;

  constructor(options: {
    method: OutgoingMethod;
    ctx: CallContext;
    request: Buffer;
    metadata: Record<string, string>;
    deadline_at_ms: number;
    resolve: (response: unknown) => void;
    reject: (error: unknown) => void;
    onEnded: (call: OutgoingCall) => void;
  }) {
    this.path = options.method.path;
    this.request = options.request;
    this.metadata = options.metadata;
    this.deadline_at_ms = options.deadline_at_ms;
    this.#method = options.method;
    this.#ctx = options.ctx;
    this.#resolve = options.resolve;
    this.#reject = options.reject;
    this.#onEnded = options.onEnded;
    this.#timer = timerUntil(options.deadline_at_ms, () =>
      this.#giveUp(GrpcStatus.DEADLINE_EXCEEDED, 'the deadline has passed'),
    );
    // The call is its own listener: no closure, and nothing to find when removing it.
    options.ctx.signal.addEventListener('abort', this);
  }

  /** True once the caller has its outcome. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The peer answered. */
  succeed(response: Buffer, metadata: Iterable<[string, string]>): void {
    if (this.#ended) return;
    let decoded: unknown;
    try {
      decoded = this.#method.decodeResponse(response);
    } catch (error) {
      this.fail(
        transportError(GrpcStatus.INTERNAL, `${this.path}: cannot decode the response: ${error}`),
      );
      return;
    }
    this.#end(GrpcStatus.OK);
    for (const [key, value] of metadata) this.#ctx.reply_metadata.set(key, value);
    this.#resolve(decoded);
  }

  /** The call failed. */
  fail(error: RpcError): void {
    if (this.#ended) return;
    this.#end(error.grpc_status);
    this.#reject(error);
  }

  /** The context's signal aborted. */
  handleEvent(): void {
    this.#giveUp(GrpcStatus.CANCELLED, 'the caller gave up');
  }

  #giveUp(status: GrpcStatus, reason: string): void {
    if (this.#ended) return;
    const { peer } = this;
    this.fail(transportError(status, `${this.path}: ${reason}`));
    peer?.cancel(this);
  }

  #end(status: GrpcStatus): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#ctx.signal.removeEventListener('abort', this);
    if (this.span !== undefined) endCallSpan(this.span, status);
    this.#onEnded(this);
  }
}
