import {
  CITUS,
  type Cost,
  type Figures,
  INBOX_DAYS,
  MESSAGES,
  OUTBOX_DAYS,
  SHARES,
  SIZES,
  TWO_PHASE_COMMIT_MS,
} from './figures';
import { type Network, OPTION_NAMES, OPTIONS } from './network';
import { type Layout, type Plan, SERVICE_NAMES } from './plan';

/** Rows of a table, the first of them its head. */
type Table = readonly (readonly string[])[];

/** A markdown table, its columns as wide as what is in them. */
export function markdown(rows: Table): string {
  const [head = []] = rows;
  const widths = head.map((_, at) => Math.max(3, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(head), rule, ...rows.slice(1).map(line)].join('\n');
}

/** A number as one says it: three digits that count, thousands apart. */
export function amount(value: number): string {
  const rounded = Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

export function layoutName(layout: Layout): string {
  switch (layout.kind) {
    case 'one_server':
      return 'one database server';
    case 'per_service':
      return 'a server per service';
    case 'cells':
      return `${layout.cells} cells`;
  }
}

/** What a plan says, a column for each of several. */
export function planTable(plans: readonly Plan[]): Table {
  const row = (what: string, of: (plan: Plan) => string) => [what, ...plans.map(of)];
  const gb = (value: number) => `${amount(value)} GB`;
  return [
    row('', ({ network }) => `${amount(network.subjects)} subjects`),
    row('Events a second, at the peak', ({ network }) => amount(network['events-per-second'])),
    row('Events a day', (plan) => amount(plan.events_a_day)),
    row('Profiles a second, at the peak', (plan) => amount(plan.profiles_a_second)),
    row('Layout', ({ layout }) => layoutName(layout)),
    ...SERVICE_NAMES.map((name) => row(`Pods of ${name}`, ({ pods }) => `${pods[name]}`)),
    row('Cores that PostgreSQL is busy with', (plan) => amount(plan.database_cores)),
    row('Cores of all database servers', (plan) => amount(plan.database_cores_bought)),
    row('Disk of reporting, one copy', ({ disk_gb }) => gb(disk_gb.reporting)),
    row('Disk of scoring', ({ disk_gb }) => gb(disk_gb.scoring)),
    row("Disk of identity's audit", ({ disk_gb }) => gb(disk_gb.identity)),
    row('Disk of NATS, one copy', (plan) => gb(plan.nats_gb)),
    row('Archive', (plan) => gb(plan.archive_gb)),
    row('Restoring the largest server', (plan) => `${amount(plan.restore_hours)} hours`),
    row(
      'Recalculating everybody, one core',
      (plan) => `${amount(plan.recalculation_core_hours)} hours`,
    ),
    row('Cores, a month', ({ costs }) => amount(costs.cores)),
    row('Disks, a month', ({ costs }) => amount(costs.disk)),
    row('Archive, a month', ({ costs }) => amount(costs.archive)),
    row('Breaks first, on one server', ({ bounds }) => bounds[0]?.what ?? ''),
  ];
}

/** In what order things break as a network of this shape grows on one server. */
export function boundsTable({ bounds }: Plan): Table {
  return [
    ['One stack on one server', 'Used', 'There is', 'Full at', 'Then'],
    ...bounds.map(({ what, unit, used, limit, reached_at, remedy }) => [
      what,
      `${amount(used)} ${unit}`,
      `${amount(limit)} ${unit}`,
      reached_at === undefined ? '' : `${amount(reached_at)} events a second`,
      remedy,
    ]),
  ];
}

/** What a plan goes by. */
export function assumptionsTable(network: Network): Table {
  return [
    ['Option', 'Value', 'Meaning'],
    ...OPTION_NAMES.map((name) => [`\`--${name}\``, `${network[name]}`, OPTIONS[name].meaning]),
  ];
}

/** What a request costs. */
export function costsTable(figures: Figures): Table {
  const row = (what: string, { rate, cores, services_ms, database_ms, cases }: Cost) => [
    what,
    `${amount(rate)} on ${cores} cores`,
    `${amount(services_ms)} ms`,
    `${amount(database_ms)} ms`,
    cases.join(', '),
  ];
  return [
    ['Request', 'A second, everything together', 'Services', 'PostgreSQL', 'Cases'],
    row('One event', figures.event),
    row('An event of a batch of 500', figures.batched_event),
    row('A profile, its inquiry included', figures.profile),
    row('A webhook', figures.delivery),
    [
      'A subject recalculated',
      `${amount(figures.recalculated)} on 1 core`,
      '',
      '',
      'recalculation',
    ],
  ];
}

export function sharesTable(): Table {
  return [
    ['', ...SERVICE_NAMES],
    ['A profile', ...SERVICE_NAMES.map((name) => `${SHARES[name].profile} %`)],
    ['An event', ...SERVICE_NAMES.map((name) => `${SHARES[name].event} %`)],
  ];
}

export function sizesTable(): Table {
  const row = (what: string, size: keyof typeof SIZES, kept: string) => {
    const { bytes, from } = SIZES[size];
    return [what, `${bytes} bytes`, kept, from];
  };
  const for_good = 'for good';
  return [
    ['What', 'Each', 'Kept', 'From'],
    row('A subject, with its names and their pieces', 'subject', for_good),
    row('An account', 'account', for_good),
    row('An event', 'event', for_good),
    row('An inquiry', 'inquiry', for_good),
    row('A subject in scoring', 'subject_head', for_good),
    row('An account in scoring', 'projected_account', for_good),
    row('A snapshot', 'snapshot', for_good),
    row('A line of the audit log', 'audit_row', '84 months'),
    row(
      `A row of the outbox, ${MESSAGES.event} an event and ${MESSAGES.inquiry} an inquiry`,
      'outbox_row',
      `${OUTBOX_DAYS} days`,
    ),
    row('The same as a message in NATS', 'message', `${OUTBOX_DAYS} days`),
    row('A row of the inbox', 'inbox_row', `${INBOX_DAYS} days`),
  ];
}

/** What was found when the schema was laid out on Citus. */
export function citusTable(): Table {
  const { reporting, scoring, changed_lines, event_ms, reads } = CITUS;
  return [
    ['What', 'Found'],
    [
      'The layout that stood here, code as it is',
      `${reporting.failing} of reporting's ${reporting.statements} statements fail, and ${scoring.failing} of scoring's ${scoring.statements}`,
    ],
    [`With about ${changed_lines} lines changed`, 'everything runs, and reconciles'],
    [
      'Processor time of the databases for one event, after that',
      `${event_ms.least} to ${event_ms.most} ms, the coordinator's alone ${event_ms.coordinator} ms; one plain server takes ${event_ms.plain} ms`,
    ],
    [
      'Reads that span workers, while something is written',
      `${reads.torn_percent} % of ${amount(reads.tried)} were torn: part of them from before a commit, part from after`,
    ],
    ['Settings of a session', 'stay behind on the coordinator'],
    [
      'For comparison: a commit in two phases over two plain servers',
      `${TWO_PHASE_COMMIT_MS.least} to ${TWO_PHASE_COMMIT_MS.most} ms of processor time more`,
    ],
  ];
}
