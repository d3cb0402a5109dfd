import type { Context } from 'moleculer';
import { openPool } from '../shared/database.ts';
import { authorise, type Caller, COUNTING_SETTINGS } from '../shared/identity.ts';
import { setting } from '../shared/process.ts';
import { startService } from './broker.ts';
import { refusing } from './errors.ts';

const limit_per_minute = setting('RATE_LIMIT_PER_MINUTE');
const pool = openPool(setting('DB_POOL_SIZE'), COUNTING_SETTINGS);

await startService({
  name: 'identity',
  actions: {
    authorise: {
      params: { token: 'string' },
      handler: (ctx: Context<{ token: string }>): Promise<Caller> =>
        refusing(() => authorise(pool, ctx.params.token, limit_per_minute)),
    },
  },
  stopped: () => pool.end(),
});
