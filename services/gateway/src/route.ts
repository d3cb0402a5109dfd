import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Caller, Deliver, Given, Invoke } from '@credit/console';
import {
  type Access,
  choosesEnvironment,
  maxBodyBytes,
  maxBodyValues,
  type Operation,
  type OperationId,
  type PageOf,
  toDetails,
} from '@credit/contract';
import type { Actor, CallContext, Environment } from '@credit/platform/context';
import { parseDisputeToken } from '@credit/platform/credentials';
import {
  AppError,
  ERRORS,
  type ErrorDetail,
  invalid,
  isAppError,
  notFound,
  requestError,
  tooLarge,
  unavailable,
} from '@credit/platform/errors';
import { withRetry } from '@credit/platform/rpc';
import { type Clock, crashPoint, type Logger } from '@credit/platform/runtime';
import {
  endSpan,
  startSpan,
  traceIdOf,
  traceparentOf,
  unsampled,
} from '@credit/platform/telemetry';
import { parseJson } from '@credit/platform/values';
import {
  type AuthorizeResult,
  CredentialState,
  LimitClass,
  PlatformRole,
  type Principal,
} from '@credit/proto/identity/v1/identity';
import { SpanKind } from '@opentelemetry/api';
import { admit, lacking, Refused } from './admission';
import {
  anonymousRate,
  commonHeaders,
  errorAnswer,
  type HeaderList,
  meteredRate,
  refusedRate,
  send,
  sendRaw,
} from './answer';
import type { Authorizer } from './authorizer';
import { BodyReader, ClientGone, checkContentHeaders, hasBody } from './body';
import type { ClientAddresses } from './client-address';
import { Document, type DocumentProxy } from './document-proxy';
import { Download, sendDownload } from './download';
import { Exchange, requestId } from './exchange';
import { AdmittedCall, type Call, type Handlers } from './handler';
import { CallerFlows } from './load-gate/caller-flows';
import { isTurnedAway, type LoadGate } from './load-gate/load-gate';
import type { GatewayMetrics } from './metrics';
import { nearMisses } from './near-misses';
import { parseQuery, type Query } from './query';
import type { RefusalLog } from './refusal-log';
import type { RejectionLog } from './rejection-log';
import { bodyFault, headFault } from './request-head';
import { type Match, Router } from './router';
import { piecesOf, type Upload, UploadReader, uploadType } from './upload';

/** Files that a process takes in at once: each has half a mebibyte in hand. */
const MAX_UPLOADS = 32;
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{8,255}$/;
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const NO_CREDENTIAL = Buffer.alloc(0);

const NO_SUCH_ROUTE = 'There is no such route.';

function noSuchRoute(meant: readonly string[]): string {
  const hint = meant.length === 0 ? '' : ` Did you mean ${meant.join(', ')}?`;
  return `${NO_SUCH_ROUTE}${hint} The reference is at /docs.`;
}

type Taken = NonNullable<Operation['upload']>;

/** A handler without its types; the declaration that it belongs to guarantees them. */
type ErasedHandler = (call: Call<unknown>) => Promise<unknown>;

export interface RouteDeps {
  readonly operations: readonly Operation[];
  readonly handlers: Handlers;
  readonly authorizer: Pick<Authorizer, 'check'>;
  readonly addresses: ClientAddresses;
  readonly refusals: Pick<RefusalLog, 'record'>;
  readonly rejections: Pick<RejectionLog, 'note'>;
  readonly metrics: GatewayMetrics;
  readonly gate: Pick<LoadGate, 'enter'>;
  readonly documents: Pick<DocumentProxy, 'pass'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly limits: RouteLimits;
  /** TLS ends in front of the gateway. */
  readonly over_tls: boolean;
  /** Where /docs is for who is told of it: an origin, or empty for the API's own. */
  readonly docs_origin: string;
}

export interface RouteLimits {
  /** How long a request's calls may take together. */
  readonly call_timeout_ms: number;
  /** What the rate headers name where nobody was metered. */
  readonly anonymous_per_minute: number;
}

/** What a request has been found to hold, before its handler is called. */
interface Input {
  readonly params: unknown;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly idempotency_key: string;
  readonly upload?: Upload;
}

/** Whom a request comes from, and which data it acts on. */
interface Admitted {
  readonly principal: Principal | undefined;
  readonly environment: Environment;
}

const NOBODY: Admitted = { principal: undefined, environment: 'live' };

/**
 * The one interpreter of the declarations. Each request goes the same way: route
 * (404), room (500), credential (401), limits (429), access (403), body (400, 413),
 * fields (422), handler (404, 409); and each answer leaves the same way.
 */
export class Interpreter {
  readonly #deps: RouteDeps;
  readonly #router: Router;
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #handlers: ReadonlyMap<string, ErasedHandler>;
  /** The requests of a connection that have not been answered, in their order. */
  readonly #pending = new WeakMap<Socket, Set<Exchange>>();
  /** Connections that are told, or will be, that they cannot be understood. */
  readonly #refused = new WeakSet<Socket>();
  readonly #flows = new CallerFlows();
  #uploads = 0;

  constructor(deps: RouteDeps) {
    this.#deps = deps;
    this.#router = new Router(deps.operations);
    this.#operations = new Map(deps.operations.map((one) => [one.id, one]));
    this.#handlers = new Map(
      Object.entries(deps.handlers).map(([id, handler]) => [id, handler as ErasedHandler]),
    );
  }

  /** Takes a request; `awaits_continue` when its client asked before sending the body. */
  handle(request: IncomingMessage, response: ServerResponse, awaits_continue = false): void {
    const { clock, limits, newId } = this.#deps;
    const now_ms = clock.now_ms();
    const exchange = new Exchange(request, response, {
      request_id: requestId(request, newId),
      started_at_ms: now_ms,
      rate: anonymousRate(limits.anonymous_per_minute, now_ms),
      authorization: request.headers.authorization,
    });
    exchange.awaits_continue = awaits_continue;
    const pending = this.#pending.get(request.socket) ?? new Set();
    this.#pending.set(request.socket, pending.add(exchange));
    response.on('close', () => this.#onClosed(exchange));
    // A connection that breaks under an answer is its client's loss alone.
    response.on('error', ignore);
    void this.#run(exchange);
  }

  /** An answer where the parser found no request, or a broken one. */
  handleParserError(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || socket.destroyed) {
      socket.destroy();
      return;
    }
    const refusal =
      error.code === 'HPE_INVALID_METHOD'
        ? notFound(NO_SUCH_ROUTE, 'NO_ROUTE')
        : requestError(parserMessage(error.code));
    const exchange = this.#latest(socket);
    if (exchange !== undefined && !exchange.request.complete) {
      exchange.broken = refusal;
      exchange.body?.abort(refusal);
    } else {
      this.refuseConnection(socket, refusal);
    }
  }

  /** Answers on the bare connection, after all that it is still owed, and ends it. */
  refuseConnection(socket: Socket, error: AppError): void {
    // The parser complains of every piece that follows a broken one.
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    // After a CONNECT the server looks after the connection no more: one that its client resets
    // would end the process, and what it is still owed would be worked on without end.
    socket.on('error', ignore);
    socket.once('close', () => {
      for (const { response } of [...(this.#pending.get(socket) ?? [])]) {
        response.destroy();
        response.emit('close');
      }
    });
    const response = this.#latest(socket)?.response;
    if (response === undefined || response.writableFinished) this.#refuseNow(socket, error);
    else response.once('finish', () => this.#refuseNow(socket, error));
  }

  #latest(socket: Socket): Exchange | undefined {
    return [...(this.#pending.get(socket) ?? [])].at(-1);
  }

  #refuseNow(socket: Socket, error: AppError): void {
    const { clock, limits, newId } = this.#deps;
    const id = newId();
    const rate = anonymousRate(limits.anonymous_per_minute, clock.now_ms());
    const answer = errorAnswer(error, id, this.#deps.docs_origin);
    sendRaw(socket, answer, commonHeaders(id, rate, this.#deps.over_tls));
  }

  #onClosed(exchange: Exchange): void {
    const { socket } = exchange.request;
    this.#pending.get(socket)?.delete(exchange);
    if (!exchange.response.writableFinished) exchange.abandon();
  }

  async #run(exchange: Exchange): Promise<void> {
    try {
      await this.#serve(exchange);
    } catch (error) {
      this.#fail(exchange, error);
    } finally {
      const { operation, response, started_at_ms } = exchange;
      exchange.place?.leave(response.statusCode < 400);
      exchange.span?.setAttribute('http.response.status_code', response.statusCode);
      endSpan(exchange.span, response.statusCode >= 500 ? 'server error' : undefined);
      const duration_ms = this.#deps.clock.now_ms() - started_at_ms;
      this.#deps.metrics.record(operation, response.statusCode, duration_ms);
    }
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { request, path } = exchange;
    const fault = headFault(request);
    if (fault !== undefined) throw fault;
    const match = this.#router.find(request.method ?? '', path);
    if (match === undefined) {
      await this.#enter(exchange);
      await this.#meterUnknown(exchange);
      const meant = nearMisses(this.#deps.operations, request.method ?? '', path);
      throw notFound(noSuchRoute(meant), 'NO_ROUTE');
    }
    const { operation } = match;
    const asks_for_test = asksForTest(exchange.query_text);
    const { result, input, ctx } = await this.#perform(
      exchange,
      operation,
      asks_for_test,
      (acts_on) => this.#read(exchange, match, acts_on),
    );
    if (operation.stream !== undefined) {
      await this.#pass(exchange, result);
      return;
    }
    this.#answer(exchange, operation, result, input, ctx);
  }

  /** What every call goes through, whether it came as a request or from a page. */
  async #perform(
    exchange: Exchange,
    operation: Operation,
    asks_for_test: boolean,
    read: (acts_on: Environment) => Input | Promise<Input>,
  ): Promise<{ result: unknown; input: Input; ctx: CallContext }> {
    exchange.operation = operation;
    await this.#enter(exchange);
    exchange.span = startSpan({
      kind: SpanKind.SERVER,
      name: operation.id,
      traceparent: traceparentGiven(exchange.request),
      started_at: exchange.started_at_ms,
      from_outside: true,
    });
    const { principal, environment } = await this.#authorize(exchange, operation, asks_for_test);
    const noteRejection = (error: unknown, is_dry_run: boolean): void => {
      if (is_dry_run || !isAppError(error)) return;
      const institution_id = principal?.institution_id ?? '';
      const { request_id } = exchange;
      const refused = { institution_id, environment, operation_id: operation.id, request_id };
      this.#deps.rejections.note(refused, error);
    };
    let input: Input;
    try {
      input = await read(environment);
    } catch (error) {
      noteRejection(error, DRY_RUN.test(exchange.query_text));
      throw error;
    }
    const key = operation.repeated_by_gateway === true ? this.#deps.newId() : input.idempotency_key;
    const ctx = this.#context(exchange, principal, environment, key);
    const token = tokenOf(operation, exchange.authorization) ?? '';
    const renew = () => this.#context(exchange, principal, environment, key);
    const call = { ctx, principal, token, renew, ...input, upload: input.upload };
    const carried =
      input.upload === undefined
        ? this.#call(operation, call)
        : this.#takeIn(exchange, () => this.#call(operation, call));
    const result = await carried.catch((error) => {
      // Some bodies of an operation need more than the operation.
      if (error instanceof Refused) this.#noteRefusal(ctx, operation, error);
      noteRejection(error, input.query.dry_run === true);
      throw error;
    });
    crashPoint('answer.owed');
    return { result, input, ctx };
  }

  /**
   * Carries out an operation for a page of ours, with its reader's credential: the same access
   * rules, limits, validation and audit as for a request. Answers what the operation's answer would
   * hold; rejects with an AppError where a request would be refused.
   */
  readonly invoke: Invoke = async (operation_id, given, caller) => {
    const operation = this.#operationOf(operation_id);
    // Before its handler holds anything open.
    if (operation.stream !== undefined) throw new Error(`${operation_id} answers a document.`);
    return this.#carryOut(operation, given, caller, (_exchange, result) => {
      const page = operation.paging === undefined ? undefined : (result as PageOf<unknown>);
      const text = operation.encode?.(page === undefined ? result : page.items);
      return {
        // Typed by the declaration that has just encoded it.
        value: (text === undefined ? undefined : JSON.parse(text)) as never,
        next_cursor: page?.next_cursor === '' ? undefined : page?.next_cursor,
        total_count: (page as { total_count?: number } | undefined)?.total_count,
      };
    });
  };

  /** As {@link invoke}, of an operation that answers a document: the page's answer is that. */
  readonly deliver: Deliver = async (operation_id, given, caller) => {
    const operation = this.#operationOf(operation_id);
    if (operation.stream === undefined) throw new Error(`${operation_id} answers no document.`);
    await this.#carryOut(operation, given, caller, (exchange, result) =>
      this.#pass(exchange, result),
    );
  };

  #operationOf(operation_id: OperationId): Operation {
    const operation = this.#operations.get(operation_id);
    if (operation === undefined) throw new Error(`There is no operation ${operation_id}.`);
    return operation;
  }

  async #carryOut<Made>(
    operation: Operation,
    given: Given,
    caller: Caller,
    finish: (exchange: Exchange, result: unknown) => Made | Promise<Made>,
  ): Promise<Made> {
    const { clock, limits } = this.#deps;
    const now_ms = clock.now_ms();
    const exchange = new Exchange(caller.request, caller.response, {
      request_id: caller.request_id,
      started_at_ms: now_ms,
      rate: anonymousRate(limits.anonymous_per_minute, now_ms),
      authorization: caller.token === undefined ? undefined : `Bearer ${caller.token}`,
    });
    exchange.operation = operation;
    const onClose = () => exchange.abandon();
    caller.response.once('close', onClose);
    let status: number = operation.status;
    try {
      const asks_for_test = given.query?.environment === 'test';
      const { result } = await this.#perform(exchange, operation, asks_for_test, (acts_on) => {
        const input = validated(operation, {
          params: given.params ?? {},
          query: { values: withoutAbsent(given.query ?? {}), repeated: [] },
          // As it would have come over the wire.
          body: given.body === undefined ? undefined : JSON.parse(JSON.stringify(given.body)),
          idempotency_key: given.idempotency_key,
          acts_on,
        });
        if (operation.upload === undefined) return input;
        return { ...input, upload: uploadGiven(operation.upload, given.upload) };
      });
      return await finish(exchange, result);
    } catch (error) {
      const known = isAppError(error) ? error : undefined;
      status = known === undefined ? 500 : ERRORS[known.code].http_status;
      const is_alone = exchange.signal.aborted || error instanceof ClientGone;
      if (status === 500 && !is_alone && !isTurnedAway(error)) this.#log(exchange, error);
      throw known ?? new AppError('INTERNAL_ERROR', 'An internal error occurred.');
    } finally {
      exchange.place?.leave(status < 400);
      caller.response.off('close', onClose);
      endSpan(exchange.span, status >= 500 ? 'server error' : undefined);
      this.#deps.metrics.record(operation, status, clock.now_ms() - now_ms);
    }
  }

  /** Hands a document through from the service that has it, or sends one that is made on the way. */
  #pass(exchange: Exchange, result: unknown): Promise<void> {
    const { request, response, request_id, rate } = exchange;
    const headers = commonHeaders(request_id, rate, this.#deps.over_tls);
    if (result instanceof Download) {
      // Who reads slowly keeps nobody else out: downloads have bounds of their own.
      exchange.place?.giveBack();
      return sendDownload(response, result, headers, this.#deps.clock);
    }
    if (!(result instanceof Document)) throw new Error('A handler owes a document.');
    return this.#deps.documents.pass(request, response, result, headers);
  }

  /**
   * Waits for a place, before anything is done for the request: nothing of it is read, nobody is
   * asked who it is, and it counts against no limit.
   */
  async #enter(exchange: Exchange): Promise<void> {
    const { request, response, operation } = exchange;
    const flow = this.#flows.of(exchange.credential?.hash, this.#deps.addresses.of(request));
    try {
      exchange.place = await this.#deps.gate.enter({ operation, flow, response });
    } catch (error) {
      // A small body is all here a moment later, and then the connection can be kept.
      if (hasBody(request) && !request.complete) await new Promise(setImmediate);
      throw error;
    }
  }

  /** Routes that do not exist are metered too; who cannot be metered gets the same answer. */
  async #meterUnknown(exchange: Exchange): Promise<void> {
    try {
      const { rate } = await this.#check(exchange, LimitClass.STANDARD, '', true);
      if (rate !== undefined) exchange.rate = meteredRate(rate);
    } catch {
      // Nothing hangs on it.
    }
  }

  async #authorize(
    exchange: Exchange,
    operation: Operation,
    asks_for_test: boolean,
  ): Promise<Admitted> {
    const { access, limit_class } = operation;
    const counted = limit_class === 'PUBLIC_WRITE' ? LimitClass.PUBLIC_WRITE : LimitClass.STANDARD;
    const is_public = access.kind === 'public' || access.kind === 'token';
    let result: AuthorizeResult;
    try {
      result = await this.#check(exchange, counted, operation.id, !is_public);
    } catch (error) {
      if (limit_class === 'BEST_EFFORT' && access.kind === 'public') return NOBODY;
      throw error;
    }
    if (!is_public) this.#learn(exchange, result);
    if (result.rate !== undefined) exchange.rate = meteredRate(result.rate);
    const lacks_token =
      access.kind === 'token' && tokenOf(operation, exchange.authorization) === undefined;
    if (lacks_token) throw lacking(exchange.authorization);
    const environment = environmentOf(access, result.principal, asks_for_test);
    const now_ms = this.#deps.clock.now_ms();
    try {
      const principal = admit(access, result, exchange.authorization, now_ms, environment);
      return { principal, environment };
    } catch (error) {
      if (error instanceof Refused) {
        const ctx = this.#context(exchange, error.principal, environment, '');
        this.#noteRefusal(ctx, operation, error);
      }
      throw error;
    }
  }

  /** Whose turn it is, the next time that the credential comes. */
  #learn({ credential }: Exchange, { state, principal }: AuthorizeResult): void {
    if (credential === undefined) return;
    const holder = state === CredentialState.VALID ? principal : undefined;
    this.#flows.learn(credential.hash, holder && (holder.institution_id || holder.id));
  }

  #noteRefusal(ctx: CallContext, { id }: Operation, { refusal }: Refused): void {
    this.#deps.refusals.record(ctx, { reason: refusal, operation: id });
  }

  #check(
    exchange: Exchange,
    limit_class: LimitClass,
    operation: string,
    with_credential: boolean,
  ): Promise<AuthorizeResult> {
    const credential = with_credential ? exchange.credential : undefined;
    return this.#deps.authorizer.check({
      credential_hash: credential?.hash ?? NO_CREDENTIAL,
      is_api_key: credential?.kind === 'api_key',
      is_person: credential?.kind === 'person_token',
      client_address: this.#deps.addresses.of(exchange.request),
      limit_class,
      operation,
    });
  }

  /** 400 and 413, then 422 with all that is wrong at once. */
  async #read(exchange: Exchange, match: Match, acts_on: Environment): Promise<Input> {
    const { operation } = match;
    if (match.malformed)
      throw requestError('The path has broken percent-encoding.', 'MALFORMED_URL');
    const fault = bodyFault(exchange.request);
    if (fault !== undefined) throw fault;
    const query = parseQuery(exchange.query_text);
    const upload = operation.upload && this.#uploadOf(exchange, operation.upload);
    const has_json = operation.method !== 'GET' && upload === undefined;
    const input = validated(operation, {
      params: match.params,
      query,
      body: has_json ? await this.#receive(exchange) : undefined,
      idempotency_key: exchange.request.headers['idempotency-key'],
      acts_on,
    });
    return upload === undefined ? input : { ...input, upload };
  }

  /** A file to be taken in, of which nothing is read yet. */
  #uploadOf(exchange: Exchange, { types, max_bytes }: Taken): Upload {
    const { request } = exchange;
    const type = uploadType(request, types);
    const reader = new UploadReader(request, max_bytes);
    exchange.body = reader;
    return { type, pieces: reader.pieces() };
  }

  /** As with {@link #receive}; files have a bound of their own. */
  async #takeIn<Res>(exchange: Exchange, take: () => Promise<Res>): Promise<Res> {
    if (exchange.broken !== undefined) throw exchange.broken;
    if (this.#uploads >= MAX_UPLOADS) throw unavailable('The service takes in many files.');
    if (exchange.awaits_continue) exchange.response.writeContinue();
    this.#uploads++;
    exchange.place?.giveBack();
    try {
      return await take();
    } finally {
      exchange.place?.takeAgain();
      this.#uploads--;
      exchange.body = undefined;
    }
  }

  /** Who waits for a slow client keeps nobody else out. */
  async #receive(exchange: Exchange): Promise<unknown> {
    if (exchange.broken !== undefined) throw exchange.broken;
    exchange.place?.giveBack();
    try {
      return await readJson(exchange);
    } finally {
      exchange.place?.takeAgain();
    }
  }

  #context(
    exchange: Exchange,
    principal: Principal | undefined,
    environment: Environment,
    idempotency_key: string,
  ): CallContext {
    const { request, operation } = exchange;
    const may_lag = operation?.may_lag === true && !asksForNewest(request);
    return {
      environment,
      institution_id: principal?.institution_id ?? '',
      ...(may_lag ? { may_lag } : {}),
      actor: actorOf(principal),
      request_id: exchange.request_id,
      idempotency_key,
      client_address: this.#deps.addresses.of(request),
      deadline_at_ms: this.#deps.clock.now_ms() + this.#deps.limits.call_timeout_ms,
      signal: exchange.signal,
      traceparent:
        exchange.span === undefined
          ? unsampled(traceparentGiven(request))
          : traceparentOf(exchange.span),
      reply_metadata: new Map(),
    };
  }

  async #call(
    operation: Operation,
    parts: ConstructorParameters<typeof AdmittedCall>[0],
  ): Promise<unknown> {
    const handler = this.#handlers.get(operation.id);
    if (handler === undefined) throw new Error(`${operation.id} has no handler`);
    const call = new AdmittedCall(parts, this.#deps.newId);
    // Erased here, checked where the handlers are declared.
    const erased = call as unknown as Call<unknown>;
    const repeatable =
      operation.method === 'GET' || operation.idempotent === true || operation.repeated_by_gateway;
    return repeatable ? withRetry(parts.ctx, () => handler(erased)) : handler(erased);
  }

  #answer(
    exchange: Exchange,
    operation: Operation,
    result: unknown,
    input: Input,
    ctx: CallContext,
  ): void {
    const headers = commonHeaders(exchange.request_id, exchange.rate, this.#deps.over_tls);
    // That the gateway itself repeated a request is nobody's news.
    if (operation.idempotent && ctx.reply_metadata.get('idempotent-replayed') === 'true') {
      headers.push('Idempotent-Replayed', 'true');
    }
    const is_dry_run = ctx.reply_metadata.get('dry-run') === 'true';
    if (is_dry_run) headers.push('Dry-Run', 'true');
    let value = result;
    if (operation.paging !== undefined) {
      const page = result as AnyPage;
      value = page.items;
      addPageHeaders(headers, exchange, page, input);
    }
    const text = operation.encode === undefined ? undefined : operation.encode(value);
    // Nothing was created then.
    send(exchange, is_dry_run ? 200 : operation.status, headers, text);
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (error instanceof ClientGone) {
      exchange.response.destroy();
      return;
    }
    const shown = isAppError(error)
      ? error
      : new AppError('INTERNAL_ERROR', 'An internal error occurred.');
    const is_fault = shown.code === 'INTERNAL_ERROR' && !isTurnedAway(shown);
    if (is_fault && !exchange.signal.aborted) this.#log(exchange, error);
    if (shown.code === 'RATE_LIMIT_EXCEEDED' && shown.retry_after_s !== undefined) {
      exchange.rate = refusedRate(exchange.rate, shown.retry_after_s, this.#deps.clock.now_ms());
    }
    const answer = errorAnswer(shown, exchange.request_id, this.#deps.docs_origin);
    const headers = [
      ...commonHeaders(exchange.request_id, exchange.rate, this.#deps.over_tls),
      ...answer.headers,
    ];
    send(exchange, answer.status, headers, answer.text);
  }

  #log({ request_id, operation, span }: Exchange, error: unknown): void {
    const { logger } = this.#deps;
    const trace_id = span === undefined ? undefined : traceIdOf(traceparentOf(span));
    const fields = { request_id, trace_id, operation: operation?.id };
    // Overload and an absent peer come in thousands: one short line each, no stack.
    if (isAppError(error) && error.retry_after_s !== undefined) {
      const { cause, message } = error;
      logger.warn(
        { ...fields, reason: cause instanceof Error ? cause.message : message },
        'refused',
      );
    } else {
      logger.error({ ...fields, err: error }, 'request failed');
    }
  }
}

/** What is only tried is not reported. */
const DRY_RUN = /(?:^|&)dry_run=true(?:&|$)/;

function actorOf(principal: Principal | undefined): Actor {
  if (principal === undefined) return { type: 'anonymous', id: '' };
  const { id, is_api_key, is_person, platform_role } = principal;
  if (is_api_key) return { type: 'api_key', id };
  if (is_person) return { type: 'person', id };
  return platform_role === PlatformRole.UNSPECIFIED
    ? { type: 'user', id }
    : { type: 'user', id, administers: true };
}

function traceparentGiven({ headers: { traceparent } }: IncomingMessage): string {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : '';
}

/** The token of a thing, well-formed, where an operation is open to whoever has it. */
function tokenOf({ access }: Operation, authorization: string | undefined): string | undefined {
  return access.kind === 'token' ? parseDisputeToken(authorization) : undefined;
}

/** The parsed body; undefined when there is none and none is needed. */
async function readJson(exchange: Exchange): Promise<unknown> {
  const { request, response, operation } = exchange;
  // A body that the operation does not know is still looked at: what is in it must not vanish.
  const is_needed = operation?.body !== undefined;
  if (!is_needed && !hasBody(request)) return undefined;
  checkContentHeaders(request);
  if (exchange.awaits_continue) response.writeContinue();
  const reader = new BodyReader(request, maxBodyBytes(operation));
  exchange.body = reader;
  try {
    const bytes = await reader.read();
    return bytes.length === 0 && !is_needed
      ? undefined
      : parseJson(bytes, maxBodyValues(operation));
  } finally {
    exchange.body = undefined;
  }
}

function withoutAbsent(query: Readonly<Record<string, string | undefined>>): Query['values'] {
  const given = Object.entries(query).filter((entry) => entry[1] !== undefined);
  return Object.fromEntries(given) as Query['values'];
}

/** A file that a page has in hand, as the operation takes one. */
function uploadGiven({ types, max_bytes }: Taken, given: Given['upload']): Upload {
  if (given === undefined || !types.includes(given.type)) {
    throw new Error('The operation takes a file of another type.');
  }
  return { type: given.type, pieces: piecesOf(given.content, max_bytes) };
}

/** What came with a call, before anything is known of it. */
interface Received {
  /** The data that the caller acts on, whatever the query asks for. */
  readonly acts_on: Environment;
  readonly params: unknown;
  readonly query: Query;
  readonly body: unknown;
  readonly idempotency_key: unknown;
}

/** 413, then 422 with all that is wrong at once. */
function validated(operation: Operation, received: Received): Input {
  const { query, body: raw_body } = received;
  refuseLargeBatch(operation, raw_body);
  const details: ErrorDetail[] = [];
  const params = operation.params_schema.safeParse(received.params);
  if (!params.success) details.push(...toDetails(params.error.issues));
  const parameters = operation.query_schema.safeParse(query.values);
  for (const name of query.repeated) details.push({ path: name, message: 'must not be repeated' });
  if (!parameters.success) details.push(...toDetails(parameters.error.issues));
  const is_dry_run = parameters.success && parameters.data.dry_run === true;
  // A dry run neither needs a key nor uses one up.
  const needs_key = operation.idempotent === true && !is_dry_run;
  const idempotency_key = needs_key ? idempotencyKey(received.idempotency_key, details) : '';
  const body = operation.body?.safeParse(raw_body);
  if (body?.success === false) details.push(...toDetails(body.error.issues));
  if (body === undefined) refuseFields(raw_body, details);
  if (details.length > 0 || !params.success || !parameters.success) throw invalid(details);
  const { environment = received.acts_on, ...others }: Readonly<Record<string, unknown>> =
    parameters.data;
  if (environment !== received.acts_on) {
    throw invalid(
      'environment',
      `must be ${received.acts_on}, as an API key sees its own environment only`,
    );
  }
  return { params: params.data, query: others, body: body?.data, idempotency_key };
}

/** A batch over its count is refused as too large before its items are looked at. */
function refuseLargeBatch({ batch }: Operation, body: unknown): void {
  if (batch === undefined || typeof body !== 'object' || body === null) return;
  const items = (body as Record<string, unknown>)[batch.field];
  if (Array.isArray(items) && items.length > batch.max) {
    throw tooLarge(
      `${batch.field} holds ${items.length} items; ${batch.max} are allowed.`,
      'BATCH_TOO_LARGE',
    );
  }
}

/** What an operation without a body may still be sent: nothing, or an empty object. */
function refuseFields(body: unknown, details: ErrorDetail[]): void {
  if (body === undefined) return;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    details.push({ path: '', message: 'must be an object' });
    return;
  }
  for (const name of Object.keys(body).slice(0, 10)) {
    details.push({ path: name.slice(0, 100).toWellFormed(), message: 'is not a known field' });
  }
}

function idempotencyKey(key: unknown, details: ErrorDetail[]): string {
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return key;
  details.push({
    path: 'Idempotency-Key',
    message: 'must be a header of 8 to 255 printable ASCII characters',
  });
  return '';
}

/** Whether a caller wants what nothing is newer than, as HTTP has it. */
function asksForNewest({ headers }: IncomingMessage): boolean {
  return /\bno-cache\b/i.test(headers['cache-control'] ?? '');
}

/**
 * A key acts on its own environment, and so does a person's session; a user on live unless it asks for test of an operation that
 * lets it choose. Looked at before the query is checked, for what a role may differs between them; a
 * query that is not well-formed, or asks twice, is refused afterwards.
 */
function environmentOf(
  access: Access,
  principal: Principal | undefined,
  asks_for_test: boolean,
): Environment {
  if (principal === undefined) return 'live';
  if (principal.is_api_key || principal.is_person) {
    return principal.environment === 'test' ? 'test' : 'live';
  }
  return choosesEnvironment(access) && asks_for_test ? 'test' : 'live';
}

function asksForTest(query_text: string): boolean {
  if (query_text === '') return false;
  try {
    return parseQuery(query_text).values.environment === 'test';
  } catch {
    return false;
  }
}

type AnyPage = PageOf<unknown> & { total_count?: number; next_updated_since?: string };

function addPageHeaders(
  headers: HeaderList,
  exchange: Exchange,
  page: AnyPage,
  input: Input,
): void {
  if (page.next_cursor !== undefined && page.next_cursor !== '') {
    const query = new URLSearchParams(parseQuery(exchange.query_text).values);
    query.set('limit', String(input.query.limit));
    query.set(page.cursor_parameter ?? 'cursor', page.next_cursor);
    headers.push('Link', `<${exchange.path}?${query}>; rel="next"`);
  }
  if (page.total_count !== undefined) headers.push('X-Total-Count', String(page.total_count));
  if (page.next_updated_since !== undefined) {
    headers.push('X-Next-Updated-Since', page.next_updated_since);
  }
}

function ignore(): void {}

function parserMessage(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 'The request line and headers are too large.';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'The request took too long to arrive.';
    default:
      return 'The request cannot be read.';
  }
}
