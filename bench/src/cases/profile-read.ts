import { setTimeout as sleep } from 'node:timers/promises';
import '@credit/reporting/store/changes';
import '@credit/reporting/store/heads';
import '@credit/reporting/store/inquiries';
import '@credit/scoring/store/subject-files';
import pg from 'pg';
import { inline, one } from '../inline';
import type { World } from '../world';
import {
  ACCOUNTS,
  againstPgbench,
  type BenchCase,
  CONNECTIONS,
  inSharedWorld,
  nth,
  throughGateway,
  warmUpOf,
} from './case';
import { outbox, pickAccount } from './statements';

/** A profile with its inquiry, against its own reads and inserts run one by one by pgbench. */
export const profileRead: BenchCase = {
  name: 'profile-read',
  title: `GET a profile, inquiry included, ${CONNECTIONS} connections`,
  target: 0.4,
  bound_s: 62,
  shares_world: true,
  open: inSharedWorld(async (world) => {
    await noteRevisions(world);
    return {
      unit: 'profiles',
      beside_s: warmUpOf(CONNECTIONS),
      limit_name: 'pgbench, the same reads and the same inserts, in a transaction per profile',
      system: throughGateway(world, (number) => ({
        path: `/credit/${nth(world.accounts, number).subject_id}?purpose=ACCOUNT_REVIEW`,
      })),
      limit: againstPgbench(world, {
        schemas: 'reporting_live,scoring_live,extensions',
        script: script(),
      }),
    };
  }),
};

const WAIT_LIMIT_MS = 60_000;

/**
 * The service knows these subjects' accounts after its first read of each, and asks for them by
 * their revision from then on. So does the script.
 */
async function noteRevisions({ admin_url }: World): Promise<void> {
  const client = new pg.Client({ connectionString: admin_url });
  await client.connect();
  try {
    const deadline_ms = performance.now() + WAIT_LIMIT_MS;
    for (;;) {
      const { rows } = await client.query(
        `SELECT FROM reporting_live.bench_accounts JOIN reporting_live.subject_heads r
           USING (subject_id) LEFT JOIN scoring_live.subject_heads s USING (subject_id)
         WHERE r.version > coalesce(s.complete_version, 0) LIMIT 1`,
      );
      if (rows.length === 0) break;
      if (performance.now() > deadline_ms) throw new Error('Scoring did not come to the end.');
      await sleep(50);
    }
    await client.query('ALTER TABLE reporting_live.bench_accounts ADD accounts_revision uuid');
    await client.query(
      `UPDATE reporting_live.bench_accounts b SET accounts_revision = h.accounts_revision
       FROM scoring_live.subject_heads h WHERE h.subject_id = b.subject_id`,
    );
    await client.query('VACUUM ANALYZE reporting_live.bench_accounts');
  } finally {
    await client.end();
  }
}

/** The statements of one request. */
export function script(): string {
  const subject = one(':subject_id', 'uuid');
  const institution = one(':institution_id', 'uuid');
  return [
    pickAccount(ACCOUNTS, ['accounts_revision']),
    'SELECT gen_random_uuid() AS inquiry_id \\gset',
    'BEGIN;',
    // Only the version is needed further on.
    `SELECT version AS head_version FROM (${inline('subject_heads_lock', [subject]).slice(0, -1)}) AS head \\gset`,
    inline('inquiries_relevant', [
      subject,
      one(':inquiry_id', 'uuid'),
      institution,
      "now() - interval '24 hours'",
    ]),
    inline('accounts_holders', [subject, institution]),
    inline('changes_write_inquiries', [
      'now()',
      subject,
      one(':head_version::integer + 1', 'integer'),
      subject,
      one(':inquiry_id', 'uuid'),
      institution,
      one("'ACCOUNT_REVIEW'", 'text'),
      one("'SOFT'", 'text'),
      one('NULL', 'uuid'),
      one(':head_version::integer + 1', 'integer'),
      one('now()', 'timestamptz'),
      one('NULL', 'text'),
      '1',
    ]),
    outbox(['inquiry_recorded', 'audit_recorded']),
    'COMMIT;',
    inline('subject_files_read', [':subject_id::uuid', '0', ':accounts_revision']).replaceAll(
      'FROM subject_heads',
      'FROM scoring_live.subject_heads',
    ),
  ].join('\n');
}
