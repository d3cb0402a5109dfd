import { parseArgs } from 'node:util';
import type { JetStreamManager } from 'nats';
import {
  type ConsumerDefinition,
  countTaken,
  forgetTaken,
  type ReplayStart,
  replayConsumer,
  replayRange,
} from '../bus';
import { type Clock, toTimestamp } from '../core';
import type { Database } from '../db';
import { ACT_OPTIONS, readAct, tellOutside } from './act';

/**
 * `replay --consumer NAME (--from TIME | --from SEQUENCE) --by NAME [--again] [--reason TEXT] [--dry-run]` has
 * a consumer be given again what the stream has from there on. What it took in before has no second effect;
 * with --again, which needs a time, it has.
 */
export async function replayCommand(
  parts: {
    readonly db: Database;
    readonly clock: Clock;
    readonly consumers: readonly ConsumerDefinition[];
    readonly manager: JetStreamManager;
    readonly say: (line: string) => void;
  },
  args: string[],
): Promise<void> {
  const { db, clock, consumers, manager, say } = parts;
  const { values } = parseArgs({
    args,
    options: {
      consumer: { type: 'string' },
      from: { type: 'string' },
      again: { type: 'boolean', default: false },
      ...ACT_OPTIONS,
    },
  });
  const definition = consumers.find(({ durable }) => durable === values.consumer);
  if (definition === undefined) {
    throw new Error(`--consumer is one of ${consumers.map(({ durable }) => durable).join(', ')}.`);
  }
  const start = readStart(values.from);
  const again_since = values.again ? timeOf(start) : undefined;
  const act = readAct(values, { named: true });

  const { first_seq, first_ts, last_seq, last_ts, at_seq } = await replayRange(manager, definition);
  say(`the stream holds ${first_seq} of ${first_ts} to ${last_seq} of ${last_ts}`);
  say(`${definition.durable} is at ${at_seq}`);
  if (again_since !== undefined) {
    const take = act.dry_run ? countTaken : forgetTaken;
    const verb = act.dry_run ? 'would have' : 'have';
    for (const environment of db.environments) {
      const count = await take(db, environment, definition, again_since);
      say(`${environment}: ${count} that it took in ${verb} their effect again`);
    }
  }
  if (act.dry_run) {
    say(`it would begin again from ${values.from}`);
    return;
  }
  // Told first: what was done and not told would be worse than the other way around.
  await tellOutside(db, clock, act, {
    action: 'consumer.replayed',
    target_type: 'consumer',
    target_id: definition.durable,
    changes: { from: values.from, again: values.again },
  });
  await replayConsumer(manager, definition, start);
  say(`it begins again from ${values.from}`);
}

function timeOf(start: ReplayStart): string {
  if ('time' in start) return start.time;
  throw new Error('--again needs a time as --from.');
}

function readStart(text = ''): ReplayStart {
  if (/^[1-9]\d{0,15}$/.test(text)) return { sequence: Number(text) };
  const at_ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at_ms))
    throw new Error('--from is a time, as 2026-11-28T09:59:00Z, or a sequence.');
  return { time: toTimestamp(at_ms) };
}
