import { type ErrorDetail, invalid } from '../errors';
import { isUuid } from '../values';

/** Test and live data never meet: a call carries its environment from edge to table. */
export type Environment = 'live' | 'test';

export const ENVIRONMENTS: readonly Environment[] = ['live', 'test'];

/**
 * Who acts. `id` is empty for `system` and `anonymous`; of a `person` it is the subject's id whose
 * file it is, the only one that it acts on.
 */
export interface Actor {
  readonly type: 'user' | 'api_key' | 'person' | 'system' | 'anonymous';
  readonly id: string;
  /** A user with a role on the platform, as identity says; what it may is each service's to decide. */
  readonly administers?: true;
}

/**
 * What every handler, command and query knows of its call. Made in three places
 * only: by the rpc server, by the bus consumer, and by {@link systemContext}.
 */
export interface CallContext {
  readonly environment: Environment;
  /** The caller's institution; empty when there is none. */
  readonly institution_id: string;
  readonly actor: Actor;
  readonly request_id: string;
  /** Empty when the caller sent none. */
  readonly idempotency_key: string;
  /**
   * What it reads may be some seconds old, so that a replica may answer. Never of what decides: it is said by
   * the operation's declaration.
   */
  readonly may_lag?: true;
  /** The client's address at the gateway; empty when unknown. */
  readonly client_address: string;
  /** Milliseconds since 1970; Infinity when the call has no deadline. */
  readonly deadline_at_ms: number;
  /** Aborts when the caller gave up or the deadline passed. */
  readonly signal: AbortSignal;
  /** W3C trace context; empty when not traced. */
  readonly traceparent: string;
  /** What the handler tells the caller beside its answer (gRPC trailers). */
  readonly reply_metadata: Map<string, string>;
}

const NEVER_ABORTED = new AbortController().signal;

/** The context of work that no caller asked for: workers, start-up, tests. */
export function systemContext(
  environment: Environment,
  overrides: Partial<CallContext> = {},
): CallContext {
  return {
    environment,
    institution_id: '',
    actor: { type: 'system', id: '' },
    request_id: '',
    idempotency_key: '',
    client_address: '',
    deadline_at_ms: Number.POSITIVE_INFINITY,
    signal: NEVER_ABORTED,
    traceparent: '',
    reply_metadata: new Map(),
    ...overrides,
  };
}

/** The context's fields as ASCII metadata; empty ones are left out. */
export function toMetadata(ctx: CallContext): Record<string, string> {
  const metadata: Record<string, string> = {
    'credit-environment': ctx.environment,
    'credit-actor': actorText(ctx.actor),
  };
  if (ctx.institution_id !== '') metadata['credit-institution'] = ctx.institution_id;
  if (ctx.request_id !== '') metadata['x-request-id'] = ctx.request_id;
  if (ctx.idempotency_key !== '') metadata['idempotency-key'] = ctx.idempotency_key;
  if (ctx.may_lag) metadata['credit-may-lag'] = MAY_LAG;
  if (ctx.client_address !== '') metadata['credit-client-address'] = ctx.client_address;
  if (ctx.traceparent !== '') metadata['traceparent'] = ctx.traceparent;
  return metadata;
}

/**
 * The context of a received call; VALIDATION_ERROR that names the metadata where it says what no caller is. A caller
 * that names no environment gets `test`: a forgotten header must never reach live data.
 */
export function fromMetadata(
  metadata: Readonly<Record<string, string>>,
  deadline_at_ms: number,
  signal: AbortSignal,
): CallContext {
  const faults = faultsOf(metadata);
  if (faults.length > 0) throw invalid(faults);
  return {
    environment: metadata['credit-environment'] === 'live' ? 'live' : 'test',
    institution_id: metadata['credit-institution'] ?? '',
    actor: parseActor(metadata['credit-actor']),
    request_id: metadata['x-request-id'] ?? '',
    idempotency_key: metadata['idempotency-key'] ?? '',
    ...(metadata['credit-may-lag'] === MAY_LAG ? { may_lag: true } : {}),
    client_address: metadata['credit-client-address'] ?? '',
    deadline_at_ms,
    signal,
    traceparent: metadata['traceparent'] ?? '',
    reply_metadata: new Map(),
  };
}

const ADMINISTERS = 'administers';
const MAY_LAG = 'yes';

/** What may be said of a call. It goes into rows, logs and further calls, so that it has to be what it says. */
const SHAPES: Readonly<
  Record<string, { readonly is: (said: string) => boolean; readonly message: string }>
> = {
  'credit-environment': {
    is: (said) => said === 'live' || said === 'test',
    message: 'must be live or test',
  },
  'credit-institution': { is: isUuid, message: 'must be a UUID' },
  'credit-actor': {
    is: isActor,
    message: 'must be user, api_key or person with its id, system or anonymous',
  },
  'x-request-id': {
    is: (said) => /^[!-~]{1,128}$/.test(said),
    message: 'must be 1 to 128 visible ASCII characters',
  },
  'idempotency-key': {
    is: (said) => /^[ -~]{1,255}$/.test(said),
    message: 'must be 1 to 255 ASCII characters',
  },
  'credit-may-lag': { is: (said) => said === MAY_LAG, message: 'must be yes or left out' },
  'credit-client-address': {
    is: (said) => /^[!-~]{1,64}$/.test(said),
    message: 'must be an address',
  },
};

function isActor(said: string): boolean {
  const [type, id = '', ...more] = said.split(':', 4);
  switch (type) {
    case 'user':
      return isUuid(id) && (more.length === 0 || (more.length === 1 && more[0] === ADMINISTERS));
    case 'api_key':
    case 'person':
      return isUuid(id) && more.length === 0;
    default:
      return said === 'system:' || said === 'anonymous:';
  }
}

function faultsOf(metadata: Readonly<Record<string, string>>): ErrorDetail[] {
  return Object.entries(SHAPES).flatMap(([path, { is, message }]) => {
    const said = metadata[path];
    return said === undefined || said === '' || is(said) ? [] : [{ path, message }];
  });
}

function actorText({ type, id, administers }: Actor): string {
  return `${type}:${id}${administers ? `:${ADMINISTERS}` : ''}`;
}

function parseActor(text: string | undefined): Actor {
  const [type, id = '', more] = (text ?? '').split(':', 3);
  switch (type) {
    case 'user':
      return more === ADMINISTERS ? { type, id, administers: true } : { type, id };
    case 'api_key':
    case 'person':
    case 'system':
      return { type, id };
    default:
      return { type: 'anonymous', id: '' };
  }
}
