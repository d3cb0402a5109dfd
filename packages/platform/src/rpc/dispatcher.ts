import { status as GrpcStatus } from '@grpc/grpc-js';
import { type Span, SpanKind } from '@opentelemetry/api';
import type { Logger } from 'pino';

import { type CallContext, fromMetadata } from '../context';
import { invalid } from '../errors';
import { traceIdOf } from '../telemetry';
import { CallMetrics } from './call-metrics';
import type { CallerPolicy } from './caller-policy';
import { timerUntil } from './deadline';
import { MAX_PAYLOAD_BYTES } from './limits';
import { nulFaults } from './nul-faults';
import { type Failure, failureOf, plainFailure, SHED } from './rpc-error';
import type { MethodRegistration, ServiceRegistration } from './service';
import { endCallSpan, startCallSpan, traceparentOf } from './tracing';

/** What the rpc layer logs with; pino's loggers fit. */
export type RpcLogger = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

/**
 * A call as the server received it. Each transport says how an answer leaves;
 * that it leaves at most once, and not after a cancellation, is decided here.
 */
export abstract class IncomingCall {
  readonly deadline_at_ms: number;
  readonly #abort = new AbortController();
  #span: Span | undefined;
  #onEnded: ((status: GrpcStatus) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(deadline_at_ms: number) {
    this.deadline_at_ms = deadline_at_ms;
  }

  /** Sends the answer. May throw when the answer cannot be expressed on the wire. */
  protected abstract sendReply(response: Buffer, metadata: ReadonlyMap<string, string>): void;

  /** Sends the failure. */
  protected abstract sendFailure(failure: Failure): void;

  /** Aborts when the caller gave up or the deadline passed. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** True once it was answered or given up: nothing more is sent. */
  get ended(): boolean {
    return this.#ended;
  }

  set span(span: Span | undefined) {
    this.#span = span;
  }

  /** Told of the call's status when it ends. */
  set onEnded(listener: (status: GrpcStatus) => void) {
    this.#onEnded = listener;
  }

  /** Ends the call with its answer. */
  reply(response: Buffer, metadata: ReadonlyMap<string, string>): void {
    if (this.#ended) return;
    this.sendReply(response, metadata);
    this.#end(GrpcStatus.OK);
  }

  /** Ends the call with a failure. */
  fail(failure: Failure): void {
    if (this.#ended) return;
    this.#end(failure.status);
    this.sendFailure(failure);
  }

  /** The caller gave up: the work is aborted and nothing is sent. */
  cancel(): void {
    if (this.#ended) return;
    const late = Date.now() >= this.deadline_at_ms;
    this.#end(late ? GrpcStatus.DEADLINE_EXCEEDED : GrpcStatus.CANCELLED);
    this.#abort.abort();
  }

  /** From now on the call fails by itself when its deadline passes. */
  begin(): void {
    if (this.deadline_at_ms === Number.POSITIVE_INFINITY) return;
    this.#timer = timerUntil(this.deadline_at_ms, () => {
      this.fail(plainFailure(GrpcStatus.DEADLINE_EXCEEDED, 'the deadline has passed'));
      this.#abort.abort();
    });
  }

  #end(status: GrpcStatus): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    if (this.#span !== undefined) endCallSpan(this.#span, status);
    this.#onEnded?.(status);
  }
}

/** Options of a {@link Dispatcher}. */
export interface DispatcherOptions {
  readonly services: readonly ServiceRegistration[];
  readonly max_in_flight: number;
  readonly logger: RpcLogger;
  /** Who may call what; only meant where callers show certificates. */
  readonly policy?: CallerPolicy;
}

/**
 * The one place where a received call becomes a handler's call and its outcome an
 * answer, whichever transport it came on.
 */
export class Dispatcher {
  readonly #methods = new Map<string, MethodRegistration>();
  readonly #max_in_flight: number;
  readonly #logger: RpcLogger;
  readonly #policy: CallerPolicy | undefined;
  readonly #metrics = new CallMetrics(() => this.#in_flight);
  #in_flight = 0;

  constructor({ services, max_in_flight, logger, policy }: DispatcherOptions) {
    for (const service of services) {
      for (const method of service.methods) {
        if (this.#methods.has(method.path)) throw new Error(`${method.path} is registered twice`);
        this.#methods.set(method.path, method);
      }
    }
    this.#max_in_flight = max_in_flight;
    this.#logger = logger;
    this.#policy = policy;
  }

  /** Handlers that run, those whose callers gave up included. */
  get in_flight(): number {
    return this.#in_flight;
  }

  /**
   * Begins a call; it ends itself through `reply` or `fail`. `metadata` is ours to change.
   * `callers` are the names in the certificate of whoever calls.
   */
  start(
    call: IncomingCall,
    path: string,
    metadata: Record<string, string>,
    request_bytes: Buffer,
    callers: readonly string[],
  ): void {
    const method = this.#methods.get(path);
    if (method === undefined) {
      call.fail(plainFailure(GrpcStatus.UNIMPLEMENTED, 'unknown method'));
      return;
    }
    const started_ms = performance.now();
    call.onEnded = (status) => this.#metrics.record(path, status, performance.now() - started_ms);
    if (this.#policy?.allows(callers, path) === false) {
      this.#logger.warn({ method: path, callers }, 'rpc caller refused');
      call.fail(plainFailure(GrpcStatus.PERMISSION_DENIED, 'the caller may not call this'));
      return;
    }
    if (this.#in_flight >= this.#max_in_flight) {
      call.fail(SHED);
      return;
    }
    let request: unknown;
    try {
      request = method.decodeRequest(request_bytes);
    } catch {
      call.fail(plainFailure(GrpcStatus.INVALID_ARGUMENT, 'the request cannot be decoded'));
      return;
    }
    const span = startCallSpan(SpanKind.SERVER, path, metadata.traceparent ?? '');
    if (span !== undefined) {
      call.span = span;
      metadata.traceparent = traceparentOf(span);
    }
    let ctx: CallContext;
    try {
      ctx = fromMetadata(metadata, call.deadline_at_ms, call.signal);
      const faults = nulFaults(request, request_bytes);
      if (faults.length > 0) throw invalid(faults);
    } catch (error) {
      call.fail(failureOf(error) ?? plainFailure(GrpcStatus.INTERNAL, 'internal error'));
      return;
    }
    call.begin();
    this.#in_flight++;
    void this.#run(call, method, ctx, request);
  }

  async #run(
    call: IncomingCall,
    method: MethodRegistration,
    ctx: CallContext,
    request: unknown,
  ): Promise<void> {
    try {
      const response = await method.handler(ctx, request);
      if (call.ended) return;
      const bytes = method.encodeResponse(response);
      if (bytes.length > MAX_PAYLOAD_BYTES) {
        throw new Error(`the response has ${bytes.length} bytes, more than a message may`);
      }
      call.reply(bytes, ctx.reply_metadata);
    } catch (error) {
      this.#fail(call, method, ctx, error);
    } finally {
      // Counted until the handler is really done: a given-up call still costs.
      this.#in_flight--;
    }
  }

  #fail(call: IncomingCall, method: MethodRegistration, ctx: CallContext, error: unknown): void {
    const log = {
      err: error,
      method: method.path,
      request_id: ctx.request_id,
      trace_id: traceIdOf(ctx.traceparent),
    };
    if (call.ended) {
      // Most often the abort itself, seen from inside.
      this.#logger.debug(log, 'rpc handler failed after its call had ended');
      return;
    }
    const failure = failureOf(error);
    if (failure === undefined) {
      this.#logger.error(log, 'rpc handler failed');
      call.fail(plainFailure(GrpcStatus.INTERNAL, 'internal error'));
      return;
    }
    if (failure.error?.code === 'INTERNAL_ERROR') this.#logger.warn(log, 'rpc handler gave up');
    call.fail(failure);
  }
}
