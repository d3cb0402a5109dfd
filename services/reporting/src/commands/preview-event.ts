import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { institutionOf, uuidFrom } from '@credit/platform/requests';
import type { EventRecord } from '../domain/event';
import { changedAmong } from '../domain/timeline';
import type { EventPreview } from '../messages';
import { type ContestableAccount, readOwnAccount } from '../store/accounts';
import { historiesOf } from '../store/events';
import { lockHeadsOfAccounts } from '../store/heads';
import type { CommandDeps } from './batch';
import { type EventItem, recordEvents } from './record-events';

/** Records an event and says what that did; whoever asks only to know rolls it back. */
export async function previewEvent(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  item: EventItem,
): Promise<EventPreview> {
  const account_id = uuidFrom('credit_account_id', item.account_id);
  const own = { account_id, institution_id: institutionOf(ctx) };
  // The lock first: what is read after it cannot change until the end.
  await lockHeadsOfAccounts(tx, [own]);
  const before = await readOwnAccount(tx, own);
  const known = before && (await historyOf(tx, before));
  const [outcome] = await recordEvents(tx, deps, [{ ctx, items: [item] }]);
  if (outcome === undefined) throw new Error('A request was not decided.');
  if ('error' in outcome) throw outcome.error;
  const [event] = outcome.value;
  const after = await readOwnAccount(tx, own);
  if (event === undefined || before === undefined || known === undefined || after === undefined) {
    throw notFound('The account does not exist.');
  }
  const changed = changedAmong(known, await historyOf(tx, before));
  return { event, before, after, changed_events: changed.toReversed() };
}

async function historyOf(
  tx: Transaction,
  { facts }: ContestableAccount,
): Promise<readonly EventRecord[]> {
  const key = { subject_id: facts.subject_id, account_id: facts.id };
  return (await historiesOf(tx, [key])).get(facts.id) ?? [];
}
