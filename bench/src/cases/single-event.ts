import '@credit/reporting/store/changes';
import '@credit/reporting/store/heads';
import { inline, one } from '../inline';
import { fieldOf } from '../interleave';
import {
  ACCOUNTS,
  againstPgbench,
  type BenchCase,
  CONNECTIONS,
  inSharedWorld,
  nth,
  payment,
  throughGateway,
  warmUpOf,
} from './case';
import { claim, outbox, pickAccount, store } from './statements';

/** Callers at a time, and what is wanted of the ratio with so many. */
const WIDTHS = [
  { name: 'single-event', connections: CONNECTIONS, target: 1 },
  { name: 'single-event-wide', connections: 4 * CONNECTIONS, target: 1.2 },
] as const;

/** One event a request through the gateway, against its own SQL run one by one by pgbench. */
export const singleEvent: BenchCase = {
  name: 'single-event',
  title: 'POST one event',
  bound_s: 112,
  shares_world: true,
  open: inSharedWorld((world) =>
    fieldOf(
      ...WIDTHS.map(({ name, connections, target }) => ({
        ...{ name, target, unit: 'events', title: `POST one event, ${connections} connections` },
        limit_name: 'pgbench, the same statements in a transaction per event',
        beside_s: warmUpOf(connections),
        system: throughGateway(
          world,
          (number) => payment(nth(world.accounts, number).id, number),
          connections,
        ),
        limit: againstPgbench(world, {
          schemas: 'reporting_live,extensions',
          script: script(),
          clients: connections,
        }),
      })),
    ),
  ),
};

/** The statements of one request. */
export function script(): string {
  const now = 'now()';
  const nothing = (type: string) => one('NULL', type);
  return [
    pickAccount(ACCOUNTS),
    'BEGIN;',
    claim('ReportEvent'),
    `${inline('subject_heads_lock_of_accounts', [one(':account_id', 'uuid'), one(':institution_id', 'uuid')]).slice(0, -1)} \\gset head_`,
    // The account as the service loads it; only its versions are needed further on.
    `SELECT state::text, status, version, subject_version FROM account_directory AS directory
       JOIN accounts ON accounts.subject_id = directory.subject_id AND accounts.id = directory.account_id
       WHERE directory.account_id = :account_id::uuid AND directory.institution_id = :institution_id::uuid \\gset old_`.replace(
      /\s+/g,
      ' ',
    ),
    inline('changes_write_events', [
      now,
      one(':head_subject_id', 'uuid'),
      one(':head_version::integer + 1', 'integer'),
      one(':subject_id', 'uuid'),
      one(':account_id', 'uuid'),
      one(':old_state', 'jsonb'),
      one("'CURRENT'", 'text'),
      one("'CURRENT'", 'text'),
      one('100000', 'bigint'),
      one(':old_version::integer + 1', 'integer'),
      one(':head_version::integer + 1', 'integer'),
      one(now, 'timestamptz'),
      one(':subject_id', 'uuid'),
      one(':account_id', 'uuid'),
      one(':old_version::integer + 1', 'integer'),
      one('gen_random_uuid()', 'uuid'),
      one("'PAYMENT_MADE'", 'text'),
      one(now, 'timestamptz'),
      one(now, 'timestamptz'),
      one('1000', 'bigint'),
      one('100000', 'bigint'),
      nothing('text'),
      nothing('text'),
      nothing('uuid'),
      nothing('text'),
      nothing('text'),
      nothing('timestamptz'),
      nothing('json'),
      nothing('text'),
      one('false', 'boolean'),
      nothing('text'),
      nothing('uuid'),
      one("'EFFECTIVE'", 'text'),
      one("'CURRENT'", 'text'),
      '1',
      one(':institution_id', 'uuid'),
      one('1', 'integer'),
      one('1', 'integer'),
      one('0', 'integer'),
    ]),
    outbox(['account_changed', 'audit_recorded']),
    store('ReportEvent'),
    'COMMIT;',
  ].join('\n');
}
