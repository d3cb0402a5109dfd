import { Misused } from '@credit/local/command-line';

/** What a number may be, and what it is when nobody says. */
interface Given {
  readonly meaning: string;
  /** Undefined: it has to be said. */
  readonly fallback?: number;
  readonly least: number;
  readonly most: number;
}

/**
 * Everything a plan follows from, by the option's name. What has a fallback is an assumption, or what the
 * manifests say today; `npm run capacity` prints each that it goes by.
 */
export const OPTIONS = {
  subjects: { meaning: 'subjects on record', least: 1, most: 1e11 },
  'events-per-second': { meaning: 'events reported a second, at the peak', least: 0, most: 1e8 },
  'accounts-per-subject': { meaning: 'accounts of one subject', fallback: 3, least: 0, most: 1000 },
  'reads-per-subject': {
    meaning: 'profiles of one subject read in a year',
    fallback: 4,
    least: 0,
    most: 1000,
  },
  'peak-factor': {
    meaning: 'the peak, over the mean of a whole day (12: five times the mean of ten hours)',
    fallback: 12,
    least: 1,
    most: 1000,
  },
  'batch-share': {
    meaning: 'share of the events that come in batches of 500',
    fallback: 0,
    least: 0,
    most: 1,
  },
  'deliveries-per-event': {
    meaning: 'webhooks that an event brings about',
    fallback: 0.05,
    least: 0,
    most: 1000,
  },
  years: {
    meaning: 'years of events, inquiries and audit on record',
    fallback: 1,
    least: 0,
    most: 100,
  },
  utilisation: {
    meaning: 'how far a core is used at the peak',
    fallback: 0.75,
    least: 0.05,
    most: 1,
  },
  'server-cores': {
    meaning: 'cores of the largest database server one would run',
    fallback: 16,
    least: 1,
    most: 1024,
  },
  'server-disk-gb': {
    meaning: 'disk of that server, in GB',
    fallback: 16_000,
    least: 1,
    most: 1e6,
  },
  instances: {
    meaning: 'copies of each database: its primary and its standbys',
    fallback: 3,
    least: 1,
    most: 9,
  },
  'restore-mb-per-second': {
    meaning: 'how fast a server is restored from its archive, in MB a second',
    fallback: 250,
    least: 1,
    most: 1e5,
  },
  'restore-hours': {
    meaning: 'how long that may take, in hours',
    fallback: 4,
    least: 0.01,
    most: 1000,
  },
  'max-connections': {
    meaning: 'max_connections of a database server',
    fallback: 520,
    least: 1,
    most: 1e5,
  },
  'nats-store-gb': {
    meaning: 'max_file_store of a NATS server, in GB',
    fallback: 40,
    least: 1,
    most: 1e6,
  },
  'price-core-hour': { meaning: 'of a core for an hour', fallback: 0.05, least: 0, most: 1000 },
  'price-disk-gb-month': {
    meaning: 'of a GB of fast disk for a month',
    fallback: 0.1,
    least: 0,
    most: 1000,
  },
  'price-archive-gb-month': {
    meaning: 'of a GB in the archive for a month',
    fallback: 0.02,
    least: 0,
    most: 1000,
  },
} as const satisfies Readonly<Record<string, Given>>;

export type OptionName = keyof typeof OPTIONS;
export const OPTION_NAMES = Object.keys(OPTIONS) as OptionName[];

/** A network to plan for: every option's value. */
export type Network = Readonly<Record<OptionName, number>>;

/** Reads what was given; what is missing, no number or out of its range is named. */
export function readNetwork(
  given: Readonly<Partial<Record<OptionName, string | undefined>>>,
): Network {
  const read = (name: OptionName): number => {
    const { meaning, fallback, least, most }: Given = OPTIONS[name];
    const text = given[name];
    if (text === undefined) {
      if (fallback === undefined) throw new Misused(`--${name} is missing: ${meaning}.`);
      return fallback;
    }
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!(value >= least && value <= most)) {
      throw new Misused(`--${name} must be a number from ${least} to ${most}.`);
    }
    return value;
  };
  const network = Object.fromEntries(OPTION_NAMES.map((name) => [name, read(name)])) as Network;
  for (const name of ['subjects', 'instances'] as const) {
    if (!Number.isInteger(network[name])) throw new Misused(`--${name} must be a whole number.`);
  }
  return network;
}
