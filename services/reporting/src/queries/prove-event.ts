import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { readInclusion } from '@credit/platform/merkle';
import { uuidFrom } from '@credit/platform/requests';
import { entryText } from '../domain/event-log';
import { findLogged, readLogs } from '../store/event-log';
import { getAccount } from './accounts';

/** Where an event stands in its log. */
export interface EventProof {
  readonly entry: string;
  /** From 0. */
  readonly index: number;
  readonly path: readonly Buffer[];
}

/** That an event of one of the institution's accounts stands in the log of so many events. */
export async function proveEvent(
  db: Database,
  ctx: CallContext,
  wanted: { readonly account_id: string; readonly event_id: string; readonly size: number },
): Promise<EventProof> {
  const { facts } = await getAccount(db, ctx, wanted.account_id);
  const event_id = uuidFrom('event_id', wanted.event_id);
  const on = db.read(ctx);
  const key = { subject_id: facts.subject_id, account_id: facts.id };
  const found = await findLogged(on, key, event_id);
  if (found === undefined) throw notFound('The event does not exist.');
  const { record, place, subject_id } = found;
  if (place === undefined || place >= wanted.size) {
    throw notFound('No checkpoint covers the event yet; one is made within the hour.');
  }
  const { institution_id } = facts;
  const [log] = await readLogs(on, [institution_id]);
  if (wanted.size > (log?.size ?? 0)) throw new Error('The log is shorter than what was signed.');
  return {
    entry: entryText({ institution_id, subject_id, account_id: facts.id, record }),
    index: place,
    path: await readInclusion(on, institution_id, place, wanted.size),
  };
}
