import { startSystem } from '@credit/local/spawned-system';
import { systemContext } from '@credit/platform/context';
import { type Database, openDatabase, statement } from '@credit/platform/db';
import { createLogger, newId } from '@credit/platform/runtime';
import { applyWholeSubject } from '@credit/scoring/commands/apply-whole-subject';
import { recalculate } from '@credit/scoring/commands/recalculate';
import { instantOfDay } from '@credit/scoring/domain/model/index';
import { simulatePopulation } from '@credit/scoring/research/simulation/population';
import { copyRows } from '../copies';
import type { Contest } from '../interleave';
import { secondsOf } from '../processor-time';
import { inSchemas } from '../world';
import type { BenchCase } from './case';

const SUBJECTS = 100_000;
/** Different ones; the others are copies. */
const TEMPLATES = 1_000;
const SEED = 1;
const DAY = 20_527;
const WANTED_PER_S = 20_000;

/** Every score worked out again from the projections, as after a change of the calendar. */
export const recalculation: BenchCase = {
  name: 'recalculation',
  title: `Recalculation of ${SUBJECTS} subjects from their projections, a second of one core's time`,
  target: 1,
  bound_s: 55,
  async open() {
    const system = await startSystem({ LOG_LEVEL: 'warn' });
    const url = inSchemas(system.runRecord().admin_url, 'scoring_live');
    const logger = createLogger({ service: 'bench' });
    const db = openDatabase({
      service: 'scoring',
      urls: { live: url, test: url },
      pool_size: 2,
      logger,
    });
    const stop = async () => {
      await db.close();
      await system.stop();
    };
    try {
      await populate(db);
      return { contest: contest(db), output: () => system.output(), stop };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

const makings = { clock: { now_ms: () => instantOfDay(DAY) }, newId };

/** Simulated borrowers, and copies of them. */
async function populate(db: Database): Promise<void> {
  const ctx = systemContext('live');
  for (const { input } of simulatePopulation(TEMPLATES, SEED, DAY)) {
    const whole = {
      subject_id: newId(),
      subject_type: input.subject_type,
      subject_version: 1,
      left_version: 0,
      accounts: input.accounts.map((facts) => ({
        version: 1,
        facts: { ...facts, account_id: newId(), institution_id: newId() },
      })),
      inquiries: input.inquiries.map((inquiry) => ({ ...inquiry, inquiry_id: newId() })),
      last_change: { type: 'EVENT', id: undefined } as const,
    };
    await db.transaction(ctx, (tx) => applyWholeSubject(tx, whole, makings));
  }
  const pool = db.pool('live');
  await pool.query(
    `CREATE UNLOGGED TABLE bench_copies AS
     SELECT h.subject_id AS of_id, gen_random_uuid() AS subject_id
     FROM subject_heads h, generate_series(2, $1) AS copy`.replace(
      '$1',
      String(SUBJECTS / TEMPLATES),
    ),
  );
  for (const name of ['account_projections', 'inquiry_projections', 'subject_heads']) {
    await copyRows(pool, { schema: 'scoring_live', name }, 't.subject_id = copies.of_id', {
      subject_id: 'copies.subject_id',
    });
  }
}

function contest(db: Database): Contest {
  return {
    unit: 'subjects',
    limit_name: `${WANTED_PER_S} a second of processor time, Node's and PostgreSQL's together`,
    async system() {
      const before_s = await processorTime(db);
      const { subjects, changed } = await recalculate({ db, ...makings }, 'live');
      if (subjects !== SUBJECTS || changed !== 0) {
        throw new Error(`${subjects} subjects were worked out and ${changed} changed.`);
      }
      return { count: subjects, elapsed_s: (await processorTime(db)) - before_s };
    },
    limit: (slice_s) => Promise.resolve({ count: slice_s * WANTED_PER_S, elapsed_s: slice_s }),
  };
}

const BACKENDS = statement<{ pid: number }>(
  'bench_backends',
  `SELECT pid FROM pg_stat_activity
   WHERE datname = current_database() AND leader_pid IS NULL AND backend_type = 'client backend'`,
);

/** Seconds of a core that this process and the server's backends have used so far. */
async function processorTime(db: Database): Promise<number> {
  const { user, system } = process.cpuUsage();
  const backends = await db.read(systemContext('live')).query(BACKENDS);
  const seconds = backends.reduce((sum, { pid }) => sum + secondsOf(pid), 0);
  return (user + system) / 1e6 + seconds;
}
