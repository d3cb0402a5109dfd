import '@credit/reporting/store/changes';
import '@credit/reporting/store/heads';
import '@credit/reporting/store/inquiries';
import '@credit/scoring/store/subject-files';
import { inline, one } from '../inline';
import {
  ACCOUNTS,
  againstPgbench,
  type BenchCase,
  CONNECTIONS,
  inWorld,
  nth,
  throughGateway,
} from './case';
import { outbox, pickAccount } from './statements';

/** A profile with its inquiry, against its own reads and inserts run one by one by pgbench. */
export const profileRead: BenchCase = {
  name: 'profile-read',
  title: `GET a profile, inquiry included, ${CONNECTIONS} connections`,
  target: 0.3,
  open: inWorld((world) => ({
    unit: 'profiles',
    limit_name: 'pgbench, the same reads and the same inserts, in a transaction per profile',
    system: throughGateway(world, (number) => ({
      path: `/credit/${nth(world.accounts, number).subject_id}?purpose=ACCOUNT_REVIEW`,
    })),
    limit: againstPgbench(world, {
      schemas: 'reporting_live,scoring_live,extensions',
      script: script(),
    }),
  })),
};

/** The statements of one request. */
export function script(): string {
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
