import '@credit/reporting/store/changes';
import '@credit/reporting/store/heads';
import { copyEvents } from '../copy';
import { importEvents } from '../import-events';
import { inline, one, text } from '../inline';
import type { Run, Slice } from '../interleave';
import type { World } from '../world';
import {
  ACCOUNTS,
  againstPgbench,
  type BenchCase,
  inSharedWorld,
  nth,
  throughGateway,
  warmUpOf,
} from './case';
import { claim, outbox, store } from './statements';

const EVENTS = 500;
/** Of each batch, so that an account has several events in it. */
const ACCOUNTS_A_BATCH = 100;
const EVENTS_AN_ACCOUNT = EVENTS / ACCOUNTS_A_BATCH;
/** Each works on accounts of its own. */
const CONNECTIONS = ACCOUNTS / ACCOUNTS_A_BATCH - 1;

const TITLE = `POST batches of ${EVENTS} events, ${CONNECTIONS} connections`;

/** Batches of events through the gateway, against the same SQL, against COPY, and the same as a file. */
export const bulkEvents: BenchCase = {
  name: 'bulk-events',
  title: TITLE,
  bound_s: 52,
  shares_world: true,
  open: inSharedWorld((world) => {
    const sets = setsOf(world);
    return {
      beside_s: warmUpOf(CONNECTIONS),
      runs: [
        batches(world, sets),
        inEvents(
          againstPgbench(world, {
            schemas: 'reporting_live,extensions',
            script: script(),
            clients: CONNECTIONS,
          }),
        ),
        (slice_s) => copyEvents(world.admin_url, slice_s),
        // The same accounts and events beside each other as in batches.
        importEvents(
          world,
          (number) => nth(nth(sets, Math.floor(number / EVENTS)), number % EVENTS).id,
        ),
      ],
      comparisons: [
        {
          ...{ name: 'bulk-events', title: TITLE, target: 0.8, ...OF_EVENTS, system: 0, limit: 1 },
          limit_name: 'pgbench, the same statements in a transaction per batch',
        },
        {
          ...{ name: 'bulk-events-copy', title: TITLE, target: 0.25, ...OF_EVENTS },
          ...{ system: 0, limit: 2 },
          limit_name: 'COPY of the same rows into one table like that of the events, keys included',
        },
        {
          ...{ name: 'bulk-events-import', title: 'Import a CSV file of events', target: 0.6 },
          ...{ ...OF_EVENTS, system: 3, limit: 0 },
          limit_name: `batches of ${EVENTS} of them, ${CONNECTIONS} connections`,
        },
      ],
    };
  }),
};

const OF_EVENTS = { unit: 'events', measure: 'rate' } as const;

type Sets = readonly World['accounts'][];

const setsOf = ({ accounts }: World): Sets =>
  Array.from({ length: CONNECTIONS + 1 }, (_unused, set) =>
    accounts.slice(set * ACCOUNTS_A_BATCH, (set + 1) * ACCOUNTS_A_BATCH),
  );

function batches(world: World, sets: Sets): Run {
  return inEvents(
    throughGateway(
      world,
      (number) => {
        const occurred_at = new Date().toISOString();
        return {
          path: '/events/bulk',
          body: {
            events: Array.from({ length: EVENTS }, (_unused, index) => ({
              credit_account_id: nth(nth(sets, number), index).id,
              event_type: 'PAYMENT_MADE',
              occurred_at,
              amount: 10,
              balance_after: 1000 + (index % 1000),
            })),
          },
        };
      },
      CONNECTIONS,
    ),
  );
}

/** Counts a batch as its events. */
function inEvents(run: Run): Run {
  return async (slice_s): Promise<Slice> => {
    const slice = await run(slice_s);
    return { ...slice, count: slice.count * EVENTS };
  };
}

/** The statements of one batch. */
export function script(): string {
  const now = 'now()';
  const filled = (value: string, type: string, count: number) =>
    `array_fill(${value}::${type}, ARRAY[${count}])`;
  const ofEvents = (value: string, type: string) => filled(value, type, EVENTS);
  const ofAccounts = (value: string, type: string) => filled(value, type, ACCOUNTS_A_BATCH);
  // As the service sends a column without any value: `unnest` fills it up.
  const nothing = (type: string) => `'{}'::${type}[]`;
  const variable = (name: string, type: string) => `:${name}::${type}[]`;
  const first = `:client_id * ${ACCOUNTS_A_BATCH}`;
  return [
    '\\set key random(1, 9000000000000000000)',
    // pgbench's variables are text: lists go from statement to statement as literals of arrays.
    `SELECT array_agg(account_id)::text AS accounts, array_agg(institution_id)::text AS institutions,
       min(institution_id::text) AS institution_id
       FROM bench_accounts WHERE n > ${first} AND n <= ${first} + ${ACCOUNTS_A_BATCH} \\gset`,
    'BEGIN;',
    claim('ReportEvents'),
    `SELECT array_agg(subject_id)::text AS subjects, array_agg(version + 1)::text AS versions
       FROM (${inline('subject_heads_lock_of_accounts', [variable('accounts', 'uuid'), variable('institutions', 'uuid')]).slice(0, -1)}) AS locked \\gset head_`,
    // The accounts as the service loads them, and the columns of their events.
    `SELECT array_agg(accounts.subject_id)::text AS subjects, array_agg(id)::text AS accounts,
       array_agg(state)::text AS states, array_agg(version + ${EVENTS_AN_ACCOUNT})::text AS versions,
       array_agg(subject_version + 1)::text AS subject_versions
       FROM unnest(:accounts::uuid[]) AS wanted (account_id)
       JOIN account_directory AS directory USING (account_id)
       JOIN accounts ON accounts.subject_id = directory.subject_id AND accounts.id = account_id \\gset old_`,
    `SELECT array_agg(subject)::text AS subjects, array_agg(account)::text AS accounts,
       array_agg(version - place)::text AS sequences
       FROM unnest(:old_subjects::uuid[], :old_accounts::uuid[], :old_versions::integer[])
         AS old (subject, account, version), generate_series(0, ${EVENTS_AN_ACCOUNT - 1}) AS place \\gset event_`,
    inline('changes_write_events', [
      now,
      variable('head_subjects', 'uuid'),
      variable('head_versions', 'integer'),
      variable('old_subjects', 'uuid'),
      variable('old_accounts', 'uuid'),
      variable('old_states', 'json'),
      ofAccounts("'CURRENT'", 'text'),
      ofAccounts("'CURRENT'", 'text'),
      ofAccounts('100000', 'bigint'),
      variable('old_versions', 'integer'),
      variable('old_subject_versions', 'integer'),
      ofAccounts(now, 'timestamptz'),
      variable('event_subjects', 'uuid'),
      variable('event_accounts', 'uuid'),
      variable('event_sequences', 'integer'),
      `ARRAY(SELECT gen_random_uuid() FROM generate_series(1, ${EVENTS}))`,
      ofEvents(text('PAYMENT_MADE'), 'text'),
      ofEvents(now, 'timestamptz'),
      ofEvents(now, 'timestamptz'),
      ofEvents('1000', 'bigint'),
      ofEvents('100000', 'bigint'),
      nothing('text'),
      nothing('text'),
      nothing('uuid'),
      nothing('text'),
      nothing('text'),
      nothing('timestamptz'),
      nothing('json'),
      nothing('text'),
      ofEvents('false', 'boolean'),
      nothing('text'),
      nothing('uuid'),
      ofEvents(text('EFFECTIVE'), 'text'),
      ofEvents(text('CURRENT'), 'text'),
      `${EVENTS}`,
      one(':institution_id', 'uuid'),
      one(`${EVENTS}`, 'integer'),
      one(`${EVENTS}`, 'integer'),
      one('0', 'integer'),
    ]),
    outbox([...Array<string>(ACCOUNTS_A_BATCH).fill('account_changed'), 'audit_recorded']),
    store('ReportEvents', EVENTS),
    'COMMIT;',
  ]
    .map((command) => command.replace(/\s+/g, ' '))
    .join('\n');
}
