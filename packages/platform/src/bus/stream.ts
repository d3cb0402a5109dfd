import {
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from 'nats';
import { LOSS_SUBJECTS, type Loss, parseLoss, STREAM, STREAM_SUBJECTS } from './subjects';

/**
 * One life of the stream: another `created_at` means that all that the first one held is gone, a
 * further loss that its end is.
 */
export interface Incarnation {
  readonly created_at: string;
  /** What the stream itself tells of, see {@link lossSubject}. */
  readonly losses: readonly Loss[];
}

/** Whether two looks saw the stream in the same life. */
export function sameIncarnation(one: Incarnation | undefined, other: Incarnation | undefined) {
  if (one === undefined || other === undefined) return one === other;
  const ids = new Set(one.losses.map((loss) => loss.id));
  return (
    one.created_at === other.created_at &&
    ids.size === other.losses.length &&
    other.losses.every((loss) => ids.has(loss.id))
  );
}

/** What an operator may choose. */
export interface StreamLimits {
  /** Copies in a JetStream cluster. */
  readonly replicas: number;
  /** A consumer that is away longer misses events; the outbox keeps its rows as long. */
  readonly max_age_ms: number;
  /** -1: as much as the server's store has. */
  readonly max_bytes: number;
}

const DAY_MS = 24 * 60 * 60_000;
export const STREAM_MAX_AGE_MS = 14 * DAY_MS;
/** For so long the stream knows a message that it holds by its id. */
export const DUPLICATE_WINDOW_MS = 10 * 60_000;

/** The latest count: a consumer's description, which names them, has room for no more than 4 KB. */
const MAX_LOSSES = 64;

const STREAM_NOT_FOUND = 10_059;
/** The servers of the cluster do not reach each other, or have not chosen who leads. */
const CLUSTER_NOT_AVAILABLE = 10_008;

/** JetStream's own code of an error; 0 for other errors. */
export function apiErrorCode(error: unknown): number {
  return error instanceof NatsError ? (error.api_error?.err_code ?? 0) : 0;
}

/** Whether an error is what JetStream says, as opposed to nobody's answering for it. */
export function isAnswer(error: unknown): boolean {
  const code = apiErrorCode(error);
  return code !== 0 && code !== CLUSTER_NOT_AVAILABLE;
}

/** The stream that is there; undefined when there is none. */
export async function findStream(manager: JetStreamManager): Promise<Incarnation | undefined> {
  const info = await find(manager);
  if (info === undefined) return undefined;
  const losses = Object.keys(info.state.subjects ?? {}).map(parseLoss);
  const known = losses.filter((loss) => loss !== undefined).sort((a, b) => (a.id < b.id ? -1 : 1));
  return { created_at: info.created, losses: known.slice(-MAX_LOSSES) };
}

/** Finds the stream, or makes it. */
export async function ensureStream(
  manager: JetStreamManager,
  limits: Partial<StreamLimits>,
): Promise<Incarnation> {
  const found = await findStream(manager);
  if (found !== undefined) return found;
  const info = await manager.streams.add({ name: STREAM, ...settings(limits) });
  return { created_at: info.created, losses: [] };
}

/** What {@link bringUpToDate} did. */
export type StreamChange = 'changed' | 'kept';

/** Gives the stream that was there the settings of this release. */
export async function bringUpToDate(
  manager: JetStreamManager,
  limits: Partial<StreamLimits>,
): Promise<StreamChange> {
  const wanted = settings(limits);
  const { config } = await manager.streams.info(STREAM);
  if (!differs(config, wanted)) return 'kept';
  await manager.streams.update(STREAM, wanted);
  return 'changed';
}

function settings(limits: Partial<StreamLimits>) {
  return {
    subjects: [STREAM_SUBJECTS],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    // A full store refuses new events, which wait in the outbox; it does not drop old ones.
    discard: DiscardPolicy.New,
    max_age: nanos(limits.max_age_ms ?? STREAM_MAX_AGE_MS),
    max_bytes: limits.max_bytes ?? -1,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    num_replicas: limits.replicas ?? 1,
    // Not even its keeper takes single events out of it.
    deny_delete: true,
    deny_purge: true,
  } satisfies Partial<StreamConfig>;
}

function find(manager: JetStreamManager): Promise<StreamInfo | undefined> {
  const asked = manager.streams.info(STREAM, { subjects_filter: LOSS_SUBJECTS });
  return ifFound(asked, STREAM_NOT_FOUND);
}

/** What was asked of JetStream; undefined when it says by this code that there is no such thing. */
export async function ifFound<Result>(
  asked: Promise<Result>,
  not_found_code: number,
): Promise<Result | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (apiErrorCode(error) === not_found_code) return undefined;
    throw error;
  }
}

function differs(actual: StreamConfig, wanted: Partial<StreamConfig>): boolean {
  return Object.entries(wanted).some(
    ([name, value]) => JSON.stringify(actual[name as keyof StreamConfig]) !== JSON.stringify(value),
  );
}
