import '@credit/reporting/store/changes';
import '@credit/reporting/store/heads';
import { inline, one } from '../inline';
import type { Contest } from '../interleave';
import { load } from '../load';
import { pgbench } from '../pgbench';
import { createWorld, inSchemas, type World } from '../world';
import { ACCOUNTS, type BenchCase, CONNECTIONS } from './case';
import { claim, outbox, pickAccount, store } from './statements';

/** One event a request through the gateway, against its own SQL run one by one by pgbench. */
export const singleEvent: BenchCase = {
  name: 'single-event',
  title: `POST one event, ${CONNECTIONS} connections`,
  target: 0.6,
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
  const url = inSchemas(world.admin_url, 'reporting_live,extensions');
  const headers = {
    authorization: `Bearer ${world.token}`,
    'content-type': 'application/json',
  };
  let number = 0;
  return {
    unit: 'events',
    limit_name: 'pgbench, the same statements in a transaction per event',
    system: (slice_s) =>
      load({
        base_url: world.system.base_url.replace('/api/v1', ''),
        connections: CONNECTIONS,
        slice_s,
        next() {
          number += 1;
          const account = world.accounts[number % world.accounts.length];
          return {
            method: 'POST',
            path: `/api/v1/accounts/${account?.id}/events`,
            headers: { ...headers, 'idempotency-key': `bench-event-${number}` },
            body: JSON.stringify({
              event_type: 'PAYMENT_MADE',
              occurred_at: new Date().toISOString(),
              amount: 10,
              balance_after: 1000 + (number % 1000),
            }),
          };
        },
      }),
    limit: (slice_s) => pgbench({ url, script: script(), clients: CONNECTIONS, slice_s }),
  };
}

function script(): string {
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
      one('false', 'boolean'),
      nothing('text'),
      nothing('uuid'),
      one("'EFFECTIVE'", 'text'),
      one("'CURRENT'", 'text'),
    ]),
    outbox(['account_changed', 'audit_recorded']),
    store('ReportEvent'),
    'COMMIT;',
  ].join('\n');
}
