// Proof that the events on record are those that were taken into their logs, and those signed.

import { type Environment, systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import {
  eventsOrigin,
  Frontier,
  leafHash,
  readFrontiers,
  type SignedCheckpoint,
} from '@credit/platform/merkle';
import { entryText, firstIdAt } from '../domain/event-log';
import {
  EVENTS_A_PAGE,
  type EventLog,
  LOGS_A_PAGE,
  pageOfCommitted,
  pageOfLogs,
  readEntries,
} from '../store/event-log';

/** What following the logs of an environment has found. */
export interface EventLogVerification {
  readonly logs: number;
  readonly events: number;
  /** Signed states that were right. */
  readonly heads: number;
  /** Events of more than a day ago that are in no log. */
  readonly unlogged: number;
  /** What is wrong, for each log the first thing. */
  readonly faults: readonly { readonly institution_id: string; readonly problem: string }[];
}

const FIRST = '00000000-0000-0000-0000-000000000000';
const DAY_MS = 86_400_000;

/** Follows every log of an environment, against signed states of it where there are any. */
export async function verifyEventLogs(
  db: Database,
  environment: Environment,
  now_ms: number,
  signed: readonly SignedCheckpoint[],
): Promise<EventLogVerification> {
  const on = db.read(systemContext(environment));
  const origins = new Map(Map.groupBy(signed, ({ origin }) => origin));
  const faults: { institution_id: string; problem: string }[] = [];
  let logs = 0;
  let events = 0;
  let heads = 0;
  for (let after_id: string | undefined = FIRST; after_id !== undefined; ) {
    const page = await pageOfLogs(on, after_id);
    for (const log of page) {
      const { institution_id, size } = log;
      const origin = eventsOrigin(environment, institution_id);
      const states = origins.get(origin) ?? [];
      origins.delete(origin);
      const problem = await verifyLog(db, environment, log, states);
      if (problem !== undefined) faults.push({ institution_id, problem });
      else heads += states.length;
      logs += 1;
      events += size;
    }
    after_id = page.length < LOGS_A_PAGE ? undefined : page.at(-1)?.institution_id;
  }
  const prefix = eventsOrigin(environment, '');
  for (const origin of origins.keys()) {
    if (!origin.startsWith(prefix)) continue;
    faults.push({ institution_id: origin.slice(prefix.length), problem: 'the log is gone' });
  }
  const unlogged = await countUnlogged(db, environment, now_ms - DAY_MS);
  return { logs, events, heads, unlogged, faults };
}

async function verifyLog(
  db: Database,
  environment: Environment,
  { institution_id, size }: EventLog,
  states: readonly SignedCheckpoint[],
): Promise<string | undefined> {
  const on = db.read(systemContext(environment));
  const expected = Map.groupBy(states, (state) => state.size);
  const frontier = new Frontier();
  while (frontier.size < size) {
    const from = frontier.size;
    const page = await readEntries(on, institution_id, from, Math.min(size, from + EVENTS_A_PAGE));
    if (page.length === 0) return `entry ${from} is missing`;
    for (const { place, event } of page) {
      if (place !== frontier.size) return `entry ${frontier.size} is missing`;
      if (event === undefined) return `the event of entry ${place} is gone`;
      frontier.push(leafHash(entryText(event)));
      for (const { root } of expected.get(frontier.size) ?? []) {
        if (!root.equals(frontier.root())) {
          return `the first ${frontier.size} events are not those that were signed`;
        }
      }
    }
  }
  const longest = Math.max(0, ...states.map((state) => state.size));
  if (longest > size) return `${longest} events were signed, and ${size} are there`;
  const stored = (await readFrontiers(on, new Map([[institution_id, size]]))).get(institution_id);
  if (stored?.root().equals(frontier.root())) return undefined;
  return 'its events are not those that were taken in';
}

async function countUnlogged(
  db: Database,
  environment: Environment,
  before_ms: number,
): Promise<number> {
  const on = db.read(systemContext(environment));
  const before_id = firstIdAt(before_ms);
  let unlogged = 0;
  for (let after_id: string | undefined = FIRST; after_id !== undefined; ) {
    const page = await pageOfCommitted(on, after_id, before_id);
    unlogged += page.filter(({ logged }) => !logged).length;
    after_id = page.length < EVENTS_A_PAGE ? undefined : page.at(-1)?.record.id;
  }
  return unlogged;
}
