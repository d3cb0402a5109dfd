import type { Row } from '@credit/furnishing';
import type { Queryable, Transaction } from '@credit/platform/db';
import type { CommandDeps } from '../../commands/batch';
import { loadOwnAccounts } from '../../store/accounts';
import { existingSubjects } from '../../store/subjects';
import type { FaultyRow, RowFault } from '../domain/import';
import { type ClaimedImport, claimRowKeys } from '../store/imports';
import { accountsByExternalId, isSameAccount, takenBy } from './accounts-of-rows';
import { Faults, keyOfAccount, keyOfEvent, readAccounts, readEvents } from './read-batch';
import { findSubjects } from './subjects-of-rows';

/**
 * Looks at rows as far as one can without the rows before them: their shape, what stands twice in the
 * file, and what they name on record. Writes nothing but what it remembers of the file.
 */
export function checkRows(
  tx: Transaction,
  deps: CommandDeps,
  found: Pick<ClaimedImport, 'id' | 'institution_id' | 'kind'>,
  rows: readonly Row[],
): Promise<FaultyRow[]> {
  return found.kind === 'ACCOUNTS'
    ? checkAccounts(tx, deps, found, rows)
    : checkEvents(tx, deps, found, rows);
}

type Checked = Pick<ClaimedImport, 'id' | 'institution_id'>;

async function checkAccounts(
  tx: Transaction,
  { clock }: CommandDeps,
  { id, institution_id }: Checked,
  rows: readonly Row[],
): Promise<FaultyRow[]> {
  const faults = new Faults();
  const { accounts, subjects } = readAccounts(rows, clock.now_ms(), faults);
  await checkTwice(
    tx,
    id,
    accounts.map((account) => ({ line: account.line, key: keyOfAccount(account) })),
    'external_account_id',
    faults,
  );
  const known = await findSubjects(tx, clock.now_ms(), subjects);
  const named = accounts.flatMap(({ draft, subject_key }) =>
    subject_key === undefined ? [draft.subject_id] : [],
  );
  const there = await existingSubjects(tx, [...new Set(named)]);
  const holders = await accountsByExternalId(
    tx,
    institution_id,
    accounts.map(({ draft }) => draft.external_account_id),
  );
  for (const { line, draft, subject_key } of accounts) {
    const subject =
      subject_key === undefined ? { subject_id: draft.subject_id } : known.get(subject_key);
    if (subject === undefined) throw new Error('A subject was not looked for.');
    if ('doubts' in subject) {
      faults.add(line, ...subject.doubts);
      continue;
    }
    if (subject_key === undefined && !there.has(draft.subject_id)) {
      faults.add(line, unknownId('subject_id', 'is no subject on file'));
    }
    const holder = holders.get(draft.external_account_id);
    if (holder !== undefined && !isSameAccount(holder, draft, subject.subject_id)) {
      faults.add(line, takenBy(holder));
    }
  }
  return faults.of(rows);
}

async function checkEvents(
  tx: Transaction,
  { clock }: CommandDeps,
  { id, institution_id }: Checked,
  rows: readonly Row[],
): Promise<FaultyRow[]> {
  const faults = new Faults();
  const events = readEvents(rows, clock.now_ms(), faults);
  await checkTwice(
    tx,
    id,
    events.map((event) => ({ line: event.line, key: keyOfEvent(event) })),
    'source_reference',
    faults,
  );
  const holders = await accountsByExternalId(
    tx,
    institution_id,
    events.flatMap(({ external_account_id }) => external_account_id ?? []),
  );
  const own = await loadOwn(
    tx,
    institution_id,
    events.flatMap(({ item, external_account_id }) =>
      external_account_id === undefined ? [item.account_id] : [],
    ),
  );
  for (const { line, item, external_account_id } of events) {
    if (external_account_id !== undefined) {
      if (!holders.has(external_account_id)) faults.add(line, noAccount('external_account_id'));
    } else if (!own.has(item.account_id)) {
      faults.add(line, noAccount('credit_account_id'));
    }
  }
  return faults.of(rows);
}

function loadOwn(on: Queryable, institution_id: string, ids: readonly string[]) {
  const wanted = [...new Set(ids)].map((account_id) => ({ account_id, institution_id }));
  return wanted.length === 0 ? new Map<string, unknown>() : loadOwnAccounts(on, wanted);
}

async function checkTwice(
  tx: Transaction,
  import_id: string,
  rows: readonly { readonly line: number; readonly key: Buffer }[],
  field: string,
  faults: Faults,
): Promise<void> {
  for (const [line, first] of await claimRowKeys(tx, import_id, rows)) {
    const message = `stands in line ${first} of the file already`;
    faults.add(line, { code: 'DUPLICATE_ROW', field, message });
  }
}

function unknownId(field: string, message: string): RowFault {
  return { code: 'UNKNOWN_ID', field, message };
}

/** An event's row that names an account which is not the institution's. */
export function noAccount(field: string): RowFault {
  return unknownId(field, 'is no account of yours: report the accounts first');
}
