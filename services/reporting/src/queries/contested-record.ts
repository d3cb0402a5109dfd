import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { uuidFrom, uuidIfGiven } from '@credit/platform/requests';
import { outcomeOf } from '../domain/correction';
import type { EventRecord } from '../domain/event';
import { type ContestableAccount, listContestedAccounts } from '../store/accounts';
import { placesOfEvents } from '../store/contested-records';
import {
  type AccountKey,
  type ContestableRecord,
  eventsOfAccount,
  historiesOf,
  pageOfEvents,
} from '../store/events';
import { survivorOf } from '../store/subjects';

/** As many accounts are shown of a subject. */
export const MAX_ACCOUNTS_SHOWN = 50;
/** As many events are shown at once. */
export const MAX_EVENTS_SHOWN = 200;
const MAX_CHAIN = 50;
const MAX_INSTITUTIONS = 100;

/** What a dispute names, and whose reporting is wanted. */
export interface ContestedRecordRequest {
  readonly credit_event_id?: string | undefined;
  readonly subject_id?: string | undefined;
  /** Empty for everybody's. */
  readonly institution_ids: readonly string[];
  readonly account_id?: string | undefined;
  readonly before_sequence?: number | undefined;
}

/** What is contested, as it stands. */
export interface ContestedRecord {
  readonly accounts: readonly ContestableAccount[];
  readonly has_more_accounts: boolean;
  /** Whose events are shown. */
  readonly shown: AccountKey | undefined;
  readonly events: readonly ContestableRecord[];
  readonly next_before_sequence: number | undefined;
  /** The contested event with what it corrects and what corrects it. */
  readonly contested: readonly ContestableRecord[];
}

const NOTHING: ContestedRecord = {
  accounts: [],
  has_more_accounts: false,
  shown: undefined,
  events: [],
  next_before_sequence: undefined,
  contested: [],
};

/**
 * What a dispute contests, of the named institutions' reporting alone. What is not on record, or is
 * another institution's, is as nothing.
 */
export async function getContestedRecord(
  db: Database,
  ctx: CallContext,
  request: ContestedRecordRequest,
): Promise<ContestedRecord> {
  const wanted = parse(request);
  return db.snapshot(ctx, async (on) => {
    const [place] =
      wanted.credit_event_id === undefined
        ? []
        : await placesOfEvents(on, [wanted.credit_event_id]);
    const named = wanted.credit_event_id === undefined ? wanted.subject_id : place?.subject_id;
    if (named === undefined) return NOTHING;
    const subject_id = await survivorOf(on, named);
    const { institution_ids } = wanted;
    const covered = { subject_id, account_id: place?.account_id, institution_ids };
    const found = await listContestedAccounts(on, covered, MAX_ACCOUNTS_SHOWN + 1);
    const accounts = found.slice(0, MAX_ACCOUNTS_SHOWN);
    const account_id = wanted.account_id ?? accounts[0]?.facts.id;
    if (account_id === undefined) return NOTHING;
    if (accounts.every(({ facts }) => facts.id !== account_id)) {
      throw invalid('account_id', 'is no account that the dispute covers');
    }
    const shown = { subject_id, account_id };
    const { before_sequence } = wanted;
    const page = await pageOfEvents(on, shown, before_sequence, MAX_EVENTS_SHOWN + 1);
    const events = page.slice(0, MAX_EVENTS_SHOWN);
    const has_more = page.length > MAX_EVENTS_SHOWN;
    const records =
      place === undefined ? [] : ((await historiesOf(on, [shown])).get(account_id) ?? []);
    return {
      accounts,
      has_more_accounts: found.length > MAX_ACCOUNTS_SHOWN,
      shown,
      events,
      next_before_sequence: has_more ? events.at(-1)?.record.sequence : undefined,
      contested: await eventsOfAccount(on, shown, chainOf(records, wanted.credit_event_id)),
    };
  });
}

function parse(request: ContestedRecordRequest): ContestedRecordRequest {
  const { before_sequence, institution_ids } = request;
  if (institution_ids.length > MAX_INSTITUTIONS) {
    throw invalid('institution_ids', `must hold at most ${MAX_INSTITUTIONS} items`);
  }
  if (before_sequence !== undefined && before_sequence < 1) {
    throw invalid('before_sequence', 'must be at least 1');
  }
  return {
    credit_event_id: uuidIfGiven('credit_event_id', request.credit_event_id),
    subject_id: uuidIfGiven('subject_id', request.subject_id),
    institution_ids: institution_ids.map((id, index) => uuidFrom(`institution_ids[${index}]`, id)),
    account_id: uuidIfGiven('account_id', request.account_id),
    before_sequence,
  };
}

/** Where in the record all is that is about the fact behind an event. */
function chainOf(records: readonly EventRecord[], event_id: string | undefined): readonly number[] {
  if (event_id === undefined) return [];
  const { slots } = outcomeOf(records);
  const root_id = slots.get(event_id)?.root.id;
  const chain = records.filter(({ id }) => id === event_id || slots.get(id)?.root.id === root_id);
  // Of the longest chains: what was contested and what has come of it last.
  return chain
    .filter(({ id }, index) => id === event_id || index >= chain.length - MAX_CHAIN)
    .map(({ sequence }) => sequence);
}
