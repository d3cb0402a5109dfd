import { type Queryable, statement } from '@credit/platform/db';
import { leftOutOf } from '../domain/correction';
import { type AccountKey, historiesOf } from './events';

const LEAVING_OUT = statement<AccountKey>(
  'accounts_leaving_out',
  `SELECT accounts.subject_id, accounts.id AS account_id
   FROM unnest($1::uuid[], $2::uuid[]) AS wanted (subject_id, account_id)
   JOIN accounts ON accounts.subject_id = wanted.subject_id AND accounts.id = wanted.account_id
   WHERE accounts.state ->> 'suppression' = 'EVENTS'`,
);

/** The events of accounts, each named once, that disputes leave out of the file for a time. */
export async function eventsLeftOut(
  on: Queryable,
  accounts: readonly AccountKey[],
): Promise<ReadonlySet<string>> {
  if (accounts.length === 0) return new Set();
  const leaving_out = await on.query(LEAVING_OUT, [
    accounts.map(({ subject_id }) => subject_id),
    accounts.map(({ account_id }) => account_id),
  ]);
  if (leaving_out.length === 0) return new Set();
  const histories = await historiesOf(on, leaving_out);
  return new Set([...histories.values()].flatMap((records) => [...leftOutOf(records)]));
}
