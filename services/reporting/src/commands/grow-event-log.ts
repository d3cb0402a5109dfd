import { type Environment, systemContext } from '@credit/platform/context';
import type { Database, Transaction } from '@credit/platform/db';
import {
  leafHash,
  readConsistency,
  readFrontiers,
  type TreeHead,
  writeFrontiers,
} from '@credit/platform/merkle';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import type { ReportingConfig } from '../config';
import { entryText, firstIdAt } from '../domain/event-log';
import {
  EVENTS_A_PAGE,
  type EventLog,
  insertEntries,
  LOGS_A_PAGE,
  type LogEntry,
  logsWaiting,
  moveLogOn,
  pageOfCommitted,
  readLogs,
  settledAt,
  takeLogTurn,
  writeLogs,
} from '../store/event-log';

/** A log is told of at this many new events at the latest, each time. */
export const EVENTS_A_HEAD = 1_000;

export interface EventLogDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly config: Pick<ReportingConfig, 'EVENT_LOG_SETTLE_S' | 'EVENT_LOG_EVERY_S'>;
}

/**
 * Takes committed events into their institutions' logs, up to a thousand, and tells identity of logs
 * that it should sign. True when there may be more; false also while another process is at it.
 *
 * Events come in the order of their ids, and stay where they came: what is committed late, with an
 * older id, would come after. So none is taken before every transaction that might still commit an
 * older one is over, and the minutes have passed that clocks and queues may differ by.
 */
export function growEventLog(
  deps: EventLogDependencies,
  environment: Environment,
): Promise<boolean> {
  const { db, clock, config } = deps;
  return db.transaction(systemContext(environment), async (tx) => {
    const after_id = await takeLogTurn(tx);
    if (after_id === undefined) return false;
    const settled_ms = (await settledAt(tx)) - config.EVENT_LOG_SETTLE_S * 1_000;
    const page = await pageOfCommitted(tx, after_id, firstIdAt(settled_ms));
    const last = page.at(-1);
    if (last !== undefined) {
      await append(
        tx,
        clock,
        page.filter(({ logged }) => !logged),
      );
      await moveLogOn(tx, last.record.id);
      if (page.length === EVENTS_A_PAGE) return true;
    }
    const since = toTimestamp(clock.now_ms() - config.EVENT_LOG_EVERY_S * 1_000);
    return (await tellWaiting(tx, since)) === LOGS_A_PAGE;
  });
}

interface Telling {
  readonly institution_id: string;
  readonly from_size: number;
  readonly head: TreeHead;
}

async function append(
  tx: Transaction,
  clock: Clock,
  events: Awaited<ReturnType<typeof pageOfCommitted>>,
): Promise<void> {
  const by_institution = Map.groupBy(events, ({ institution_id }) => institution_id);
  const institution_ids = [...by_institution.keys()].sort();
  const known = new Map(
    (await readLogs(tx, institution_ids)).map((log) => [log.institution_id, log]),
  );
  const sizes = new Map(institution_ids.map((id) => [id, known.get(id)?.size ?? 0]));
  const frontiers = await readFrontiers(tx, sizes);
  const now = toTimestamp(clock.now_ms());
  const entries: LogEntry[] = [];
  const logs: EventLog[] = [];
  const tellings: Telling[] = [];
  for (const [institution_id, frontier] of frontiers) {
    let told_size = known.get(institution_id)?.told_size ?? 0;
    let waiting_since = known.get(institution_id)?.waiting_since;
    for (const event of by_institution.get(institution_id) ?? []) {
      entries.push({ institution_id, place: frontier.size, event_id: event.record.id });
      frontier.push(leafHash(entryText(event)));
      waiting_since ??= now;
      if (frontier.size - told_size < EVENTS_A_HEAD) continue;
      const head = { size: frontier.size, root: frontier.root() };
      tellings.push({ institution_id, from_size: told_size, head });
      told_size = frontier.size;
      waiting_since = undefined;
    }
    logs.push({ institution_id, size: frontier.size, told_size, waiting_since });
  }
  await insertEntries(tx, entries);
  await writeFrontiers(tx, frontiers);
  await writeLogs(tx, logs);
  for (const telling of tellings) await tell(tx, telling);
}

/** Tells of logs that have waited long enough; how many. */
async function tellWaiting(tx: Transaction, since: string): Promise<number> {
  const logs = await logsWaiting(tx, since);
  const frontiers = await readFrontiers(
    tx,
    new Map(logs.map(({ institution_id, size }) => [institution_id, size])),
  );
  for (const { institution_id, told_size, size } of logs) {
    const root = frontiers.get(institution_id)?.root();
    if (root === undefined) throw new Error('A log has no edge.');
    await tell(tx, { institution_id, from_size: told_size, head: { size, root } });
  }
  await writeLogs(
    tx,
    logs.map((log) => ({ ...log, told_size: log.size, waiting_since: undefined })),
  );
  return logs.length;
}

async function tell(tx: Transaction, { institution_id, from_size, head }: Telling): Promise<void> {
  const consistency_path = await readConsistency(tx, institution_id, from_size, head.size);
  tx.outbox({
    partition_key: institution_id,
    payload: {
      $case: 'event_log_grown',
      value: {
        institution_id,
        from_size: BigInt(from_size),
        size: BigInt(head.size),
        root_hash: head.root,
        consistency_path,
      },
    },
  });
}
