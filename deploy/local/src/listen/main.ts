import { randomBytes } from 'node:crypto';
import { makeSecret } from '@credit/platform/signing';
import { EVENT_NAMES, FEED_EVENT_NAMES, type FeedEventName } from '@credit/platform/values';
import {
  Misused,
  NETWORK_OPTIONS,
  NETWORK_USAGE,
  readArguments,
  readBase,
  readKey,
  requireKey,
  runTool,
} from '../command-line';
import { Client } from '../demo/client';
import { Feed, PlaceGone } from './feed';
import { readTarget } from './forward';
import { listen } from './listen';
import { placeIn } from './place';

// Brings the institution's events to a receiver on this machine, as signed messages of the form
// that the network itself sends. It uses only the public API.

const USAGE = `npm run listen -- --forward URL [--base URL] [--key KEY] [--secret SECRET] [--since TIME]
  [--events NAME,NAME] [--state FILE] [--allow-remote]
${NETWORK_USAGE}
The signing secret is read from CREDIT_WEBHOOK_SECRET or --secret; else one is made and shown.
TIME is RFC 3339, or how long ago: 30m, 6h, 7d.`;
const EXIT = { ENDED: 0, USAGE: 2, PLACE_GONE: 3, FAILED: 4 } as const;

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function readSince(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return Date.now() - Number(count) * (UNITS_MS[unit] ?? 0);
  const at_ms = /^\d{4}-\d\d-\d\dT.+(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at_ms)) {
    throw new Misused(
      '--since is a time such as 2026-01-31T08:00:00Z, or how long ago: 30m, 6h, 7d.',
    );
  }
  return at_ms;
}

function readEvents(text: string | undefined): ReadonlySet<FeedEventName> {
  if (text === undefined) return new Set(EVENT_NAMES);
  return new Set(
    text.split(',').map((given) => {
      const name = FEED_EVENT_NAMES.find((known) => known === given.trim());
      if (name === undefined)
        throw new Misused(`--events are some of ${FEED_EVENT_NAMES.join(', ')}.`);
      return name;
    }),
  );
}

function readSecret(given: string | undefined, environment: NodeJS.ProcessEnv): string | undefined {
  const secret = given ?? environment.CREDIT_WEBHOOK_SECRET ?? '';
  if (secret === '') return undefined;
  if (!/^[!-~]{8,256}$/.test(secret)) {
    throw new Misused('The secret is 8 to 256 characters, without spaces.');
  }
  return secret;
}

async function main(): Promise<number> {
  const { values, positionals } = readArguments(process.argv.slice(2), {
    ...NETWORK_OPTIONS,
    forward: { type: 'string' },
    secret: { type: 'string' },
    since: { type: 'string' },
    events: { type: 'string' },
    state: { type: 'string' },
    'allow-remote': { type: 'boolean', default: false },
  });
  if (positionals.length > 0) throw new Misused(`What is ${positionals[0]}?`);
  const target = readTarget(values.forward, values['allow-remote']);
  const base = readBase(values.base);
  const types = readEvents(values.events);
  const since_ms = readSince(values.since);
  const given = readSecret(values.secret, process.env);
  const key = requireKey(readKey(values.key, process.env));
  const place = placeIn(values.state, base, key);

  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());

  const secret = given ?? makeSecret(randomBytes);
  if (given === undefined) console.log(`Signing secret of this run: ${secret}`);
  const api = new Client(base, key, {
    patience_ms: Number.POSITIVE_INFINITY,
    signal: stopping.signal,
    onPause: (why, pause_ms) =>
      console.error(`The network does not answer (${why}): again in ${pause_ms} ms.`),
  });
  const { delivered, failed } = await listen({
    feed: new Feed(api),
    target,
    secret,
    types,
    since_ms,
    place,
    print: (line) => console.log(line),
    stop: stopping.signal,
  });
  console.log(`${delivered} taken, ${failed} not.`);
  return EXIT.ENDED;
}

runTool({
  usage: USAGE,
  main,
  exitCodeOf: (error) => {
    if (error instanceof Misused) return EXIT.USAGE;
    return error instanceof PlaceGone ? EXIT.PLACE_GONE : EXIT.FAILED;
  },
});
