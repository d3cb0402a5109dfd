import { systemContext } from '@credit/platform/context';
import { type Database, openDatabase } from '@credit/platform/db';
import { createLogger } from '@credit/platform/runtime';
import { searchSubjects } from '@credit/reporting/queries/subjects';
import pg from 'pg';
import type { Contest, Slice } from '../interleave';
import type { World } from '../world';
import { type BenchCase, inWorld, nth } from './case';

const SUBJECTS = 1_000_000;
const ROWS_A_STATEMENT = 50_000;
const MOST_MS = 10;

/** Each a kind of text of its own; what is slow for one kind is not hidden by the others. */
const TEXTS = [
  'anderson', // every ninth subject
  'oldguild', // 110,000 in a row, long before the newest
  'an', // two characters that very many hold
  'anderson 7f', // many pieces, few hits
  'a1b2', // rare
  'nobody here', // none
  'ldguil', // all of its pieces, and itself, behind 690,000 others
  'millerson', // none, though each of its pieces is in a ninth of the names
] as const;

/** Searches in a million subjects, by the slowest kind of text, against 10 ms a search. */
export const subjectSearch: BenchCase = {
  name: 'subject-search',
  title: `Search ${SUBJECTS} subjects by text, the slowest of ${TEXTS.length} kinds of text`,
  target: 1,
  bound_s: 52,
  open: inWorld(
    async (world) => {
      await fill(world);
      return contest(world);
    },
    { accounts: 100 },
  ),
};

function contest(world: World): Contest {
  return {
    unit: 'searches',
    limit_name: `a search every ${MOST_MS} ms`,
    async system(slice_s) {
      const db = openAs(world.admin_url);
      try {
        return await searchInTurns(db, slice_s);
      } finally {
        await db.close();
      }
    },
    limit: () => Promise.resolve({ count: 1_000 / MOST_MS, elapsed_s: 1 }),
  };
}

function openAs(admin_url: string): Database {
  return openDatabase({
    service: 'bench',
    urls: { live: admin_url, test: admin_url },
    pool_size: 1,
    logger: createLogger({ service: 'bench', level: 'warn' }),
    settings: { search_path: 'reporting_live,extensions' },
  });
}

/** Searches for the texts by turns; what comes out is the slowest text's. */
async function searchInTurns(db: Database, slice_s: number): Promise<Slice> {
  const times_ms = TEXTS.map((): number[] => []);
  const until_ms = performance.now() + slice_s * 1_000;
  for (let number = 0; performance.now() < until_ms; number += 1) {
    nth(times_ms, number).push(await search(db, nth(TEXTS, number)));
  }
  const [slowest = []] = times_ms.toSorted((a, b) => middle(b, 0.5) - middle(a, 0.5));
  const p50_ms = middle(slowest, 0.5);
  return {
    count: slowest.length,
    elapsed_s: (slowest.length * p50_ms) / 1_000,
    p50_ms,
    p99_ms: middle(slowest, 0.99),
  };
}

async function search(db: Database, q: string): Promise<number> {
  const started_ms = performance.now();
  await searchSubjects(db, systemContext('live'), { q, limit: 25 });
  return performance.now() - started_ms;
}

function middle(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.POSITIVE_INFINITY;
}

/** Subjects with names of some families, set by set; their pieces are listed once they are there. */
async function fill({ admin_url }: World): Promise<void> {
  const client = new pg.Client({ connectionString: admin_url });
  await client.connect();
  try {
    await client.query("SET search_path = reporting_live; SET maintenance_work_mem = '256MB'");
    // The index is the release before's; this one's searches don't use it.
    await client.query(`DROP INDEX subjects_search;
      ALTER TABLE subjects DISABLE TRIGGER keep_subject_grams;
      ALTER TABLE subject_grams DROP CONSTRAINT subject_grams_pkey`);
    for (let first = 1; first < SUBJECTS; first += ROWS_A_STATEMENT) {
      await client.query(
        `WITH added AS (
           INSERT INTO subjects (id, type, created_by_institution_id, search_text, created_at, updated_at)
           SELECT ${ID}, 'INDIVIDUAL', gen_random_uuid(), ${NAME}, now(), now()
           FROM generate_series($1::integer, $1::integer + ${ROWS_A_STATEMENT - 1}) AS n
           RETURNING id, search_text
         )
         INSERT INTO subject_grams SELECT unnest(search_grams(search_text)), id FROM added`,
        [first],
      );
    }
    await client.query(`ALTER TABLE subject_grams ADD PRIMARY KEY (gram, subject_id);
      ALTER TABLE subjects ENABLE TRIGGER keep_subject_grams`);
    await client.query('VACUUM ANALYZE subjects');
    await client.query('VACUUM ANALYZE subject_grams');
  } finally {
    await client.end();
  }
}

/** Ids of version 7, a millisecond apart: what was added later is newer. */
const ID = `(lpad(to_hex(1700000000000 + n), 12, '0') || '70008' || left(md5(n::text), 15))::uuid`;

const NAME = `CASE WHEN n BETWEEN 200000 AND 310000 THEN 'oldguild' WHEN n % 9 = 0 THEN 'anderson'
    ELSE (ARRAY['miller','smith','johansson','fernandez','okafor','tanaka','ivanova','kowalski'])[1 + n % 8]
  END || ' ' || left(md5(n::text), 8)`;
