import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Pools } from './plan';

const TABLE = path.resolve(__dirname, '../../../deploy/services.json');

interface Row {
  readonly name: string;
  readonly database: 'one' | 'two';
  readonly config: Readonly<Record<string, string>>;
}

/** Connections that a pod of each service holds at the most, as the table of services has it. */
export function podPools(): Pools {
  const { rpc } = JSON.parse(readFileSync(TABLE, 'utf8')) as { rpc: Row[] };
  return Object.fromEntries(
    rpc.map(({ name, database, config }) => {
      const pools = database === 'two' ? 2 : 1;
      const { DB_POOL_SIZE = 0, AUTHORIZE_POOL_SIZE = 0 } = config;
      return [name, pools * Number(DB_POOL_SIZE) + Number(AUTHORIZE_POOL_SIZE)];
    }),
  );
}
