import {
  ARCHIVE_DAYS,
  type Figures,
  INBOX_DAYS,
  LOG_GB_OF_A_MILLION_EVENTS,
  MESSAGES,
  OUTBOX_DAYS,
  type ServiceName,
  SHARES,
  SIZES,
} from './figures';
import type { Network } from './network';

const DAY_S = 86_400;
const YEAR_DAYS = 365;
const MONTH_HOURS = 730;
const GB = 1e9;
/** One to be away while another serves. */
const LEAST_PODS = 2;
/** Of a database server, however little it does: as the manifests ask. */
export const LEAST_SERVER_CORES = 4;
/** Migrations, operators and what looks after a server. */
export const OTHER_CONNECTIONS = 20;
/** Of the stream; a consumer more in one service would find nothing to do. */
export const PARTITIONS = 16;
const NATS_SERVERS = 3;

export const SERVICE_NAMES = Object.keys(SHARES) as ServiceName[];
const DATABASES = ['reporting', 'scoring', 'identity', 'disputes', 'webhooks'] as const;

/** Connections that a pod may hold, by service. */
export type Pools = Readonly<Partial<Record<ServiceName, number>>>;

/**
 * How the databases are laid out, in the order in which a network grows: one server for all, one for
 * each service, whole stacks by a subject's id.
 */
export type Layout =
  | { readonly kind: 'one_server' }
  | { readonly kind: 'per_service' }
  | { readonly kind: 'cells'; readonly cells: number };

/** Something that one stack on one server has so much of. */
export interface Bound {
  readonly what: string;
  readonly unit: string;
  readonly used: number;
  readonly limit: number;
  /** Events a second at which a network of this shape reaches it; undefined when it never does. */
  readonly reached_at: number | undefined;
  readonly remedy: string;
}

/** What a network needs. */
export interface Plan {
  readonly network: Network;
  readonly events_a_day: number;
  readonly profiles_a_second: number;
  readonly layout: Layout;
  /** Of all cells together. */
  readonly pods: Readonly<Record<ServiceName, number>>;
  /** That PostgreSQL is busy with at the peak. */
  readonly database_cores: number;
  /** To be bought for it, standbys included. */
  readonly database_cores_bought: number;
  /** Of one copy of everything. */
  readonly disk_gb: {
    readonly reporting: number;
    readonly scoring: number;
    readonly identity: number;
  };
  /** Of one copy of the stream. */
  readonly nats_gb: number;
  readonly archive_gb: number;
  /** Of the largest server of the layout. */
  readonly restore_hours: number;
  readonly recalculation_core_hours: number;
  /** A month, by the given prices. */
  readonly costs: { readonly cores: number; readonly disk: number; readonly archive: number };
  /** What breaks first stands first. */
  readonly bounds: readonly Bound[];
}

/** Works a network's needs out. */
export function planOf(network: Network, figures: Figures, pools: Pools): Plan {
  const traffic = trafficOf(network);
  const busy = busyCores(traffic, network, figures);
  const disk_gb = diskOf(traffic, network);
  const nats_gb = (traffic.messages_a_day * OUTBOX_DAYS * SIZES.message.bytes) / GB;
  const layout = layoutOf(busy.database, disk_gb, network);
  const cells = layout.kind === 'cells' ? layout.cells : 1;

  const pods = mapServices((name) => {
    const of_a_cell = Math.ceil(busy.services[name] / network.utilisation / cells);
    return cells * Math.max(LEAST_PODS, of_a_cell);
  });
  const database_cores_bought =
    cells * network.instances * boughtOf(layout, busy.database, network);
  const total_gb = disk_gb.reporting + disk_gb.scoring + disk_gb.identity;
  const log_gb = (traffic.events_a_day / 1e6) * LOG_GB_OF_A_MILLION_EVENTS * ARCHIVE_DAYS;
  const archive_gb = total_gb * ARCHIVE_DAYS + log_gb;
  const largest_gb =
    layout.kind === 'one_server' ? total_gb : Math.max(...Object.values(disk_gb)) / cells;
  const all_pods = SERVICE_NAMES.reduce((sum, name) => sum + pods[name], 0);
  return {
    network,
    events_a_day: traffic.events_a_day,
    profiles_a_second: traffic.profiles_a_second,
    layout,
    pods,
    database_cores: busy.database,
    database_cores_bought,
    disk_gb,
    nats_gb,
    archive_gb,
    restore_hours: restoreHours(largest_gb, network),
    recalculation_core_hours: network.subjects / figures.recalculated / 3600,
    costs: {
      cores: (all_pods + database_cores_bought) * MONTH_HOURS * network['price-core-hour'],
      disk:
        (total_gb * network.instances + nats_gb * NATS_SERVERS) * network['price-disk-gb-month'],
      archive: archive_gb * network['price-archive-gb-month'],
    },
    bounds: boundsOf({ network, busy, total_gb, nats_gb, pools }),
  };
}

interface Traffic {
  readonly accounts: number;
  readonly events_a_day: number;
  readonly profiles_a_day: number;
  readonly profiles_a_second: number;
  readonly messages_a_day: number;
}

function trafficOf(network: Network): Traffic {
  const events_a_day = (network['events-per-second'] * DAY_S) / network['peak-factor'];
  const profiles_a_day = (network.subjects * network['reads-per-subject']) / YEAR_DAYS;
  return {
    accounts: network.subjects * network['accounts-per-subject'],
    events_a_day,
    profiles_a_day,
    profiles_a_second: (profiles_a_day / DAY_S) * network['peak-factor'],
    messages_a_day: events_a_day * MESSAGES.event + profiles_a_day * MESSAGES.inquiry,
  };
}

interface Busy {
  readonly services: Readonly<Record<ServiceName, number>>;
  /** Of the services, what scoring takes for events alone. */
  readonly scoring_of_events: number;
  readonly database: number;
}

/** Cores that are busy at the peak. */
function busyCores({ profiles_a_second }: Traffic, network: Network, figures: Figures): Busy {
  const rate = network['events-per-second'];
  const batched = rate * network['batch-share'];
  const deliveries = rate * network['deliveries-per-event'];
  const sum = (part: 'services_ms' | 'database_ms') => ({
    events: ((rate - batched) * figures.event[part] + batched * figures.batched_event[part]) / 1000,
    profiles: (profiles_a_second * figures.profile[part]) / 1000,
    deliveries: (deliveries * figures.delivery[part]) / 1000,
  });
  const services = sum('services_ms');
  const database = sum('database_ms');
  return {
    services: mapServices((name) => {
      const { event, profile } = SHARES[name];
      const requests = (services.events * event + services.profiles * profile) / 100;
      return name === 'webhooks' ? requests + services.deliveries : requests;
    }),
    scoring_of_events: (services.events * SHARES.scoring.event) / 100,
    database: database.events + database.profiles + database.deliveries,
  };
}

/** Of live data, one copy. What disputes and webhooks keep grows with members, and is swept. */
function diskOf(traffic: Traffic, { subjects, years }: Network): Plan['disk_gb'] {
  const kept_days = YEAR_DAYS * years;
  const changes_a_day = traffic.events_a_day + traffic.profiles_a_day;
  return {
    reporting:
      (subjects * SIZES.subject.bytes +
        traffic.accounts * SIZES.account.bytes +
        traffic.events_a_day * kept_days * SIZES.event.bytes +
        traffic.profiles_a_day * kept_days * SIZES.inquiry.bytes +
        traffic.messages_a_day * OUTBOX_DAYS * SIZES.outbox_row.bytes) /
      GB,
    // A snapshot for each change at the most.
    scoring:
      (subjects * SIZES.subject_head.bytes +
        traffic.accounts * SIZES.projected_account.bytes +
        changes_a_day * kept_days * SIZES.snapshot.bytes +
        changes_a_day * INBOX_DAYS * SIZES.inbox_row.bytes) /
      GB,
    identity:
      (changes_a_day * kept_days * SIZES.audit_row.bytes +
        changes_a_day * INBOX_DAYS * SIZES.inbox_row.bytes) /
      GB,
  };
}

/** The simplest layout of which no server is over its bounds. */
function layoutOf(cores: number, disk_gb: Plan['disk_gb'], network: Network): Layout {
  const cores_bound = network['server-cores'] * network.utilisation;
  const disk_bound = Math.min(network['server-disk-gb'], restorableGb(network));
  const sizes = Object.values(disk_gb);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (cores <= cores_bound && total <= disk_bound) return { kind: 'one_server' };
  // How an event's time divides between the databases was not measured: reporting's is reckoned to
  // take all of it, so that a server per service brings room on disk and not for events.
  const cells = Math.max(
    Math.ceil(cores / cores_bound),
    Math.ceil(Math.max(...sizes) / disk_bound),
  );
  return cells === 1 ? { kind: 'per_service' } : { kind: 'cells', cells };
}

/** Cores of a cell's primaries. */
function boughtOf(layout: Layout, busy: number, { utilisation }: Network): number {
  const cells = layout.kind === 'cells' ? layout.cells : 1;
  const most = Math.max(LEAST_SERVER_CORES, Math.ceil(busy / utilisation / cells));
  return layout.kind === 'one_server' ? most : most + LEAST_SERVER_CORES * (DATABASES.length - 1);
}

function boundsOf(found: {
  network: Network;
  busy: Busy;
  total_gb: number;
  nats_gb: number;
  pools: Pools;
}): Bound[] {
  const { network, busy, total_gb, nats_gb, pools } = found;
  const connections = SERVICE_NAMES.reduce(
    (sum, name) => sum + (busy.services[name] / network.utilisation) * (pools[name] ?? 0),
    0,
  );
  const bounds: Omit<Bound, 'reached_at'>[] = [
    {
      what: 'processor of the database server',
      unit: 'cores',
      used: busy.database,
      limit: network['server-cores'] * network.utilisation,
      remedy: 'batches; a larger server; cells',
    },
    {
      what: 'restoring the database server',
      unit: 'hours',
      used: restoreHours(total_gb, network),
      limit: network['restore-hours'],
      remedy: 'a server per service; volume snapshots; cells',
    },
    {
      what: 'disk of the database server',
      unit: 'GB',
      used: total_gb,
      limit: network['server-disk-gb'],
      remedy: 'a server per service; cells',
    },
    {
      what: 'connections of the database server',
      unit: 'connections',
      used: connections,
      limit: Math.max(1, network['max-connections'] - OTHER_CONNECTIONS),
      remedy: 'a server per service and environment',
    },
    {
      what: 'store of NATS',
      unit: 'GB',
      used: nats_gb,
      limit: network['nats-store-gb'],
      remedy: 'a larger `max_file_store` and volume, or fewer days',
    },
    {
      what: 'partitions of the stream for scoring',
      unit: 'cores',
      used: busy.scoring_of_events,
      limit: PARTITIONS * network.utilisation,
      remedy: 'cells',
    },
  ];
  const rate = network['events-per-second'];
  return bounds
    .sort((a, b) => b.used / b.limit - a.used / a.limit)
    .map((bound) => ({
      ...bound,
      reached_at: bound.used > 0 && rate > 0 ? (rate * bound.limit) / bound.used : undefined,
    }));
}

function restoreHours(gb: number, network: Network): number {
  return (gb * 1000) / network['restore-mb-per-second'] / 3600;
}

function restorableGb(network: Network): number {
  return (network['restore-hours'] * 3600 * network['restore-mb-per-second']) / 1000;
}

function mapServices<Value>(of: (name: ServiceName) => Value): Record<ServiceName, Value> {
  return Object.fromEntries(SERVICE_NAMES.map((name) => [name, of(name)])) as Record<
    ServiceName,
    Value
  >;
}
