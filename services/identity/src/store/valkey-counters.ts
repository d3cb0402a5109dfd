import { createHash } from 'node:crypto';
import { createClient } from '@redis/client';
import type { Counted } from '../domain/rate-limits';
import type { CheckedGroup, CheckGroup, SharedLimits, UncountedGroup } from './authorization';
import { COUNT_SCRIPT } from './count-script';

/** How to reach a Valkey server. */
export interface ValkeyOptions {
  /** `redis://` or, with certificates, `rediss://`; holds the password. */
  readonly url: string;
  /** What connecting and counting may take. */
  readonly timeout_ms: number;
  /** Whom to believe and what to show, as it is at each connection; the system's authorities unless given. */
  readonly certificates?: () => {
    readonly cert: Buffer;
    readonly key: Buffer;
    readonly ca: Buffer;
  };
  /** The connection is of no use any more. */
  readonly onLost: (error: unknown) => void;
}

type Client = ReturnType<typeof clientOf>;

const PREFIX = 'credit:rate:';
const SHA = createHash('sha1').update(COUNT_SCRIPT).digest('hex');
/** Batches that wait for an answer; a gateway has two under way. */
const MAX_WAITING = 1_000;
const NUMBERS_OF_A_KEY = 5;

/** Counters in Valkey: one connection, which is given up at the first thing that goes wrong. */
export class ValkeyCounters {
  private client: Client | undefined;

  constructor(private readonly options: ValkeyOptions) {}

  get is_connected(): boolean {
    return this.client !== undefined;
  }

  /** Rejects when there is no server, or none that will count. */
  async connect(): Promise<void> {
    const { timeout_ms, onLost } = this.options;
    const client = clientOf(this.options);
    client.on('error', (error) => {
      if (this.client === client) this.client = undefined;
      onLost(error);
    });
    try {
      await inTime(timeout_ms, client.connect());
      // Where a replica answers, or memory is full, this says so before anybody waits for it.
      await inTime(timeout_ms, client.scriptLoad(COUNT_SCRIPT));
    } catch (error) {
      client.destroy();
      throw error;
    }
    this.client = client;
  }

  /** Counts a batch in, in one round trip. Rejects in bounded time; what was counted then stays counted. */
  async countIn(
    found: readonly UncountedGroup[],
    groups: readonly CheckGroup[],
    shared_limits: SharedLimits,
  ): Promise<CheckedGroup[]> {
    const { client } = this;
    if (client === undefined) throw new Error('Valkey is not connected.');
    const batch = batchOf(found, groups);
    const keys = [...batch.counters.keys(), ...batch.institutions.keys()];
    const request = {
      keys: keys.map((id) => `${PREFIX}${id}`),
      arguments: argumentsOf(batch, shared_limits),
    };
    try {
      const answer = await inTime(this.options.timeout_ms, run(client, request));
      return countedGroups(found, keys, answer, shared_limits);
    } catch (error) {
      this.drop(client, error);
      throw error;
    }
  }

  close(): void {
    const { client } = this;
    this.client = undefined;
    if (client?.isOpen) client.destroy();
  }

  private drop(client: Client, error: unknown): void {
    if (this.client !== client) return;
    this.close();
    this.options.onLost(error);
  }
}

function clientOf({ url, timeout_ms, certificates }: ValkeyOptions) {
  return createClient({
    url,
    name: 'identity',
    RESP: 2,
    // What waits for a connection would be counted in a window of later.
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_WAITING,
    socket: {
      connectTimeout: timeout_ms,
      // Certificates may be others by then: a new client is made.
      reconnectStrategy: false,
      ...(url.startsWith('rediss:') ? { tls: true as const, ...certificates?.() } : {}),
    },
  });
}

interface Request {
  readonly keys: string[];
  readonly arguments: string[];
}

async function run(client: Client, request: Request): Promise<unknown> {
  try {
    return await client.evalSha(SHA, request);
  } catch (error) {
    // A server that was restarted has forgotten it.
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return await client.eval(COUNT_SCRIPT, request);
  }
}

interface Batch {
  readonly counters: Map<
    string,
    { wanted: number; minute_limit: number; day_limit: number; institution: number }
  >;
  /** Their places, from 1. */
  readonly institutions: Map<string, number>;
}

/** Each counter once, however many groups share it. */
function batchOf(found: readonly UncountedGroup[], groups: readonly CheckGroup[]): Batch {
  const counters: Batch['counters'] = new Map();
  const institutions: Batch['institutions'] = new Map();
  const placeOf = ({ is_shared, institution_id }: UncountedGroup) => {
    if (!is_shared || institution_id === undefined) return 0;
    const place = institutions.get(institution_id) ?? institutions.size + 1;
    institutions.set(institution_id, place);
    return place;
  };
  for (const group of found) {
    const { counter, minute_limit, day_limit, ordinal } = group;
    const count = groups[ordinal - 1]?.count ?? 0;
    const known = counters.get(counter);
    if (known !== undefined) known.wanted += count;
    else {
      const institution = placeOf(group);
      counters.set(counter, { wanted: count, minute_limit, day_limit, institution });
    }
  }
  return { counters, institutions };
}

function argumentsOf(batch: Batch, shared: SharedLimits): string[] {
  const numbers = [
    batch.counters.size,
    shared.minute_limit,
    shared.day_limit,
    ...[...batch.counters.values()].flatMap((counter) => [
      counter.wanted,
      counter.minute_limit,
      counter.day_limit,
      counter.institution,
    ]),
  ];
  return numbers.map(String);
}

function countedGroups(
  found: readonly UncountedGroup[],
  keys: readonly string[],
  answer: unknown,
  shared_limits: SharedLimits,
): CheckedGroup[] {
  const numbers = numbersOf(answer, keys.length * NUMBERS_OF_A_KEY);
  const places = new Map(keys.map((id, index) => [id, index * NUMBERS_OF_A_KEY]));
  const countedOf = (id: string, limits: SharedLimits): Counted => {
    const at = places.get(id) ?? 0;
    const [minute = 0, minute_count = 0, day = 0, day_count = 0, granted = 0] = numbers.slice(at);
    const { minute_limit, day_limit } = limits;
    return { minute, minute_count, minute_limit, day, day_count, day_limit, granted };
  };
  return found.map((group) => ({
    ...group,
    ...countedOf(group.counter, group),
    shared:
      group.is_shared && group.institution_id !== undefined
        ? countedOf(group.institution_id, shared_limits)
        : undefined,
  }));
}

function numbersOf(answer: unknown, count: number): number[] {
  const is_right =
    Array.isArray(answer) && answer.length === count && answer.every(Number.isInteger);
  if (!is_right) throw new Error('Valkey answered with something else than counts.');
  return answer;
}

async function inTime<T>(timeout_ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`Valkey did not answer within ${timeout_ms} ms.`)),
      timeout_ms,
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
