import '@credit/reporting/store/changes';
import '@credit/reporting/store/heads';
import '@credit/reporting/store/inquiries';
import '@credit/scoring/store/subject-files';
import { inline, one } from '../inline';
import type { Contest } from '../interleave';
import { load } from '../load';
import { pgbench } from '../pgbench';
import { createWorld, inSchemas, type World } from '../world';
import { ACCOUNTS, type BenchCase, CONNECTIONS } from './case';
import { outbox, pickAccount } from './statements';

/** A profile with its inquiry, against its own reads and inserts run one by one by pgbench. */
export const profileRead: BenchCase = {
  name: 'profile-read',
  title: `GET a profile, inquiry included, ${CONNECTIONS} connections`,
  target: 0.3,
  async open() {
    const world = await createWorld(ACCOUNTS);
    return {
      contest: contest(world),
      output: () => world.system.output(),
      stop: () => world.stop(),
    };
  },
};

function contest(world: World): Contest {
  const url = inSchemas(world.admin_url, 'reporting_live,scoring_live,extensions');
  const headers = { authorization: `Bearer ${world.token}` };
  let number = 0;
  return {
    unit: 'profiles',
    limit_name: 'pgbench, the same reads and the same inserts, in a transaction per profile',
    system: (slice_s) =>
      load({
        base_url: world.system.base_url.replace('/api/v1', ''),
        connections: CONNECTIONS,
        slice_s,
        next() {
          number += 1;
          const account = world.accounts[number % world.accounts.length];
          return {
            method: 'GET',
            path: `/api/v1/credit/${account?.subject_id}?purpose=ACCOUNT_REVIEW`,
            headers,
          };
        },
      }),
    limit: (slice_s) => pgbench({ url, script: script(), clients: CONNECTIONS, slice_s }),
  };
}

function script(): string {
  const subject = one(':subject_id', 'uuid');
  const institution = one(':institution_id', 'uuid');
  return [
    pickAccount(ACCOUNTS),
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
    ]),
    outbox(['inquiry_recorded', 'audit_recorded']),
    'COMMIT;',
    inline('subject_files_load', [subject, '0']).replaceAll(
      'FROM subject_heads',
      'FROM scoring_live.subject_heads',
    ),
  ].join('\n');
}
