import pg from 'pg';
import type { Logger } from 'pino';

const CHECK_EVERY_MS = 1_000;
/** In somebody's hands for so long, a connection may have lost its server. */
const HELD_MS = 3_000;
const PROBE_TIMEOUT_MS = 2_000;

/** When the server began: no two have this in common, and none keeps it over a restart. */
const BEGAN = 'SELECT pg_postmaster_start_time()::text AS began';

interface Known {
  readonly connected_at_ms: number;
  held_since_ms: number | undefined;
  /** Of the server that it leads to; undefined until that has said so. */
  began: string | undefined;
}

/**
 * Ends a pool's connections to a server that is not there any more. A machine that goes without a
 * word closes nothing: whoever asked it waits until the kernel gives up, a quarter of an hour later,
 * while its successor already answers under the same name. So where an answer takes long, the name is
 * asked anew who is there.
 */
export function watchServer(pool: pg.Pool, config: pg.ClientConfig, logger: Logger): void {
  const connections = new Map<pg.PoolClient, Known>();
  let timer: NodeJS.Timeout | undefined;
  let is_probing = false;

  const check = async () => {
    const now_ms = performance.now();
    const is_long = [...connections.values()].some(
      ({ held_since_ms }) => held_since_ms !== undefined && now_ms - held_since_ms >= HELD_MS,
    );
    if (!is_long || is_probing) return;
    is_probing = true;
    const began = await askServer(config);
    is_probing = false;
    if (began === undefined) return;
    for (const [client, known] of connections) {
      const is_asked = known.began === undefined && now_ms - known.connected_at_ms < HELD_MS;
      if (known.began === began || is_asked) {
        // It only takes long: there is no need to ask again soon.
        if (known.held_since_ms !== undefined) known.held_since_ms = performance.now();
        continue;
      }
      logger.warn('a connection leads to a database server that was replaced');
      connections.delete(client);
      abandon(client);
    }
  };

  pool.on('connect', (client) => {
    const known: Known = {
      connected_at_ms: performance.now(),
      held_since_ms: undefined,
      began: undefined,
    };
    connections.set(client, known);
    client.query<{ began: string }>(BEGAN).then(
      ({ rows }) => {
        known.began = rows[0]?.began;
      },
      // It broke, which whoever wanted it is told.
      () => {},
    );
    timer ??= setInterval(() => void check(), CHECK_EVERY_MS).unref();
  });
  pool.on('acquire', (client) => hold(connections.get(client), performance.now()));
  pool.on('release', (_error, client) => hold(connections.get(client), undefined));
  pool.on('remove', (client) => {
    connections.delete(client);
    if (connections.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
}

function hold(known: Known | undefined, since_ms: number | undefined): void {
  if (known !== undefined) known.held_since_ms = since_ms;
}

/** Undefined when nobody answers. */
async function askServer(config: pg.ClientConfig): Promise<string | undefined> {
  const client = new pg.Client({
    ...config,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ began: string }>(BEGAN);
    return rows[0]?.began;
  } catch {
    return undefined;
  } finally {
    // Says goodbye, and does not wait for an answer to that.
    client.end().catch(() => {});
  }
}

/** As pg ends one whose query takes longer than it may: everything asked of it fails. */
function abandon(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}
