import type { Measured } from '../measured';

/** Of one core, in milliseconds, by what a request is. */
export interface Cost {
  /** All services together. */
  readonly services_ms: number;
  readonly database_ms: number;
  /** Requests a second of the machine that everything shared, and its cores. */
  readonly rate: number;
  readonly cores: number;
  /** The cases that it comes from. */
  readonly cases: readonly string[];
}

/** What the benchmarks say, for planning. */
export interface Figures {
  readonly event: Cost;
  readonly batched_event: Cost;
  readonly profile: Cost;
  readonly delivery: Cost;
  /** Subjects that a second of one core recalculates. */
  readonly recalculated: number;
}

/**
 * Of PostgreSQL's processor time for one reported event, on one plain server: what every process of the
 * server used, over the events. Measured beside the trial of Citus.
 */
const DATABASE_MS_OF_AN_EVENT = 1.5;

/** What the trial of Citus 12.1 found, with a coordinator and two workers. */
export const CITUS = {
  reporting: { failing: 47, statements: 72 },
  scoring: { failing: 28, statements: 56 },
  changed_lines: 190,
  event_ms: { least: 9.9, most: 21, coordinator: 4.3, plain: DATABASE_MS_OF_AN_EVENT },
  reads: { torn_percent: 12, tried: 1730 },
} as const;

/** Of a commit in two phases over two plain servers, what it costs more, in milliseconds of a core. */
export const TWO_PHASE_COMMIT_MS = { least: 0.3, most: 1 } as const;

/** How the services' time divides, in percent: of a profile, and of an event. */
export const SHARES = {
  gateway: { profile: 35, event: 40 },
  identity: { profile: 15, event: 15 },
  reporting: { profile: 30, event: 40 },
  scoring: { profile: 20, event: 5 },
  webhooks: { profile: 0, event: 0 },
  disputes: { profile: 0, event: 0 },
} as const;
export type ServiceName = keyof typeof SHARES;

/**
 * Bytes of a row with its share of all indexes, or of a message. Measured: after thousands of rows were
 * written through the service, what the table and its indexes took, over its rows.
 */
export const SIZES = {
  subject: { bytes: 3000, from: 'reckoned, most of it the lists of ADR 0022' },
  account: { bytes: 900, from: 'reckoned, like its projection' },
  event: { bytes: 450, from: 'reckoned' },
  inquiry: { bytes: 400, from: 'reckoned, like its projection' },
  subject_head: { bytes: 672, from: 'measured' },
  projected_account: { bytes: 781, from: 'measured' },
  snapshot: { bytes: 1278, from: 'measured' },
  outbox_row: { bytes: 340, from: 'reckoned' },
  inbox_row: { bytes: 340, from: 'reckoned' },
  audit_row: { bytes: 660, from: 'measured' },
  message: { bytes: 448, from: 'measured' },
} as const;

/** Messages that an event and an inquiry bring about, the audit's included. */
export const MESSAGES = { event: 3, inquiry: 2 } as const;
export const OUTBOX_DAYS = 14;
export const INBOX_DAYS = 30;
/** Write-ahead log of a million events, in GB. */
export const LOG_GB_OF_A_MILLION_EVENTS = 1;
/** For so long every night's copy and the log since are kept. */
export const ARCHIVE_DAYS = 30;

/** What follows from the kept results. Rates are the best of the rounds, as in RESULTS.md. */
export function figuresOf(results: readonly Measured[]): Figures {
  const find = (name: string): Measured => {
    const found = results.find((result) => result.name === name);
    if (found === undefined || found.rounds.length === 0) {
      throw new Error(`bench/results/${name}.json is missing: npm run bench -- ${name}`);
    }
    return found;
  };
  const best = (name: string, side: 'system' | 'limit') =>
    Math.max(...find(name).rounds.map((round) => round[side]));
  /** Of all cores of the machine, for one. */
  const costOf = (name: string, side: 'system' | 'limit') =>
    (find(name).cpus * 1000) / best(name, side);
  const measured = (name: string) => ({ rate: best(name, 'system'), cores: find(name).cpus });

  // Of the services' own processor time, with telemetry; profiles and events by turns.
  const request_ms = 1000 / best('telemetry-cost', 'system');
  return {
    event: {
      ...measured('single-event'),
      services_ms: request_ms,
      database_ms: DATABASE_MS_OF_AN_EVENT,
      cases: ['telemetry-cost', 'single-event'],
    },
    batched_event: {
      ...measured('bulk-events'),
      // Everything, PostgreSQL and the load generator too: not less than the services' part.
      services_ms: costOf('bulk-events', 'system'),
      database_ms: costOf('bulk-events', 'limit'),
      cases: ['bulk-events'],
    },
    profile: {
      ...measured('profile-read'),
      services_ms: request_ms,
      // The same statements by pgbench, which is in it: not less than PostgreSQL's part.
      database_ms: costOf('profile-read', 'limit'),
      cases: ['telemetry-cost', 'profile-read'],
    },
    delivery: {
      ...measured('webhook-deliveries'),
      services_ms: costOf('webhook-deliveries', 'system'),
      // What signing and sending alone do not take.
      database_ms: Math.max(
        0,
        costOf('webhook-deliveries', 'system') - costOf('webhook-deliveries', 'limit'),
      ),
      cases: ['webhook-deliveries'],
    },
    recalculated: best('recalculation', 'system'),
  };
}
