import pg from 'pg';

// Amounts fit a double exactly; the driver would give 64-bit integers as text.
const INT8 = 20;
pg.types.setTypeParser(INT8, Number);

export type Connection = pg.PoolClient;

/** A prepared statement: parsed and planned once on each connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Connections that send what follows without waiting for what went before. */
export function openPool(size: number, settings: Record<string, string> = {}): pg.Pool {
  const options = Object.entries({ timezone: 'UTC', ...settings }).map(
    ([name, value]) => `-c ${name}=${value}`,
  );
  const pool = new pg.Pool({
    connectionString: process.env['DATABASE_URL'],
    max: size,
    pipeline: true,
    // Opened once: to sign in and to prepare costs more than many requests.
    idleTimeoutMillis: 0,
    options: options.join(' '),
  });
  pool.on('error', (error) => console.error('An idle connection was lost.', error.message));
  return pool;
}

/** Runs something on one connection, which does not come back when its state is unknown. */
export async function onConnection<T>(
  pool: pg.Pool,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await pool.connect();
  let failed: Error | undefined;
  try {
    return await work(connection);
  } catch (error) {
    failed = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    if (failed === undefined) connection.release();
    else
      await connection.query('ROLLBACK').then(
        () => connection.release(),
        () => connection.release(failed),
      );
  }
}

/** Waits for statements that were sent together; what failed first says why. */
export async function together<T extends readonly unknown[]>(
  results: readonly [...{ [Index in keyof T]: Promise<T[Index]> }],
): Promise<T> {
  const settled = await Promise.allSettled(results);
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as T;
}
