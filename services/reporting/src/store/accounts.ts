import {
  column,
  columns,
  nullable,
  type Queryable,
  type RowOf,
  statement,
} from '@credit/platform/db';
import type { Account, AccountFacts } from '../domain/ledger';
import { statusOf } from '../domain/ledger';
import type {
  AccountStatus,
  AccountType,
  InterestType,
  PaymentFrequency,
  SubjectType,
  UnderlyingStatus,
} from '../domain/vocabulary';
import type { AccountKey } from './events';
import { OPEN_DISPUTES_OF_ACCOUNT } from './known-disputes';
import { decodeSettlements, decodeTerms, encodeSettlements, encodeTerms } from './opening-codec';
import { decodeState, encodeState, isStale } from './state-codec';
import { toMs, toText } from './time';

const KEY = columns({ subject_id: column('uuid'), id: column('uuid') });

const TERMS = columns({
  account_type: column<'text', AccountType>('text'),
  currency: column('text'),
  original_principal_minor: column('bigint'),
  interest_rate_bps: nullable(column('integer')),
  interest_type: nullable(column<'text', InterestType>('text')),
  opened_at: column('timestamptz'),
  maturity_at: nullable(column('timestamptz')),
  payment_frequency: nullable(column<'text', PaymentFrequency>('text')),
});

/** What is set at creation. */
const FACTS = columns({
  institution_id: column('uuid'),
  subject_type: column<'text', SubjectType>('text'),
  external_account_id: column('text'),
})
  .with(TERMS)
  .with(columns({ metadata_json: column('text'), created_at: column('timestamptz') }));

/** What changes with every event. */
export const STATE = columns({
  state: column('json'),
  status: column<'text', AccountStatus>('text'),
  underlying_status: column<'text', UnderlyingStatus>('text'),
  balance_minor: column('bigint'),
  version: column('integer'),
  subject_version: column('integer'),
  updated_at: column('timestamptz'),
});

const SETTLED_FACTS = columns({ settled: nullable(column('json')) });
const CORRECTED = columns({ original_terms: nullable(column('json')) }).with(SETTLED_FACTS);

/** The state of an account that is on record. */
export const KEYED_STATE = KEY.with(STATE);
/** A new account. */
export const NEW_ACCOUNT = KEYED_STATE.with(FACTS).with(SETTLED_FACTS);
/** What corrections of its opening and outcomes of disputes change. */
export const OPENING = columns({ voided: column('boolean') })
  .with(TERMS)
  .with(CORRECTED);
export const KEYED_OPENING = KEY.with(OPENING);

/** An account as it is read. */
export const ACCOUNT = KEY.with(FACTS)
  .with(STATE.pick('state', 'version', 'subject_version', 'updated_at'))
  .with(CORRECTED);
export type AccountRow = RowOf<typeof ACCOUNT>;

/** {@link KEYED_STATE} of an account. */
export function toStateRow(account: Account): RowOf<typeof KEYED_STATE> {
  const { facts, state } = account;
  return {
    subject_id: facts.subject_id,
    id: facts.id,
    state: encodeState(state),
    status: statusOf(account),
    underlying_status: state.underlying_status,
    balance_minor: state.balance_minor,
    version: account.version,
    subject_version: account.subject_version,
    updated_at: toText(account.updated_at_ms),
  };
}

/** The rest of {@link NEW_ACCOUNT}, and {@link KEYED_OPENING}. */
export function toFactsRow({ facts, state, original_terms, settlements }: Account) {
  return {
    ...facts,
    opened_at: toText(facts.opened_at_ms),
    maturity_at: toText(facts.maturity_at_ms),
    created_at: toText(facts.created_at_ms),
    voided: state.voided,
    original_terms: encodeTerms(original_terms),
    settled: encodeSettlements(settlements),
  };
}

/** An account that someone names, and the institution that says it is its own. */
export interface OwnAccount {
  readonly account_id: string;
  readonly institution_id: string;
}

export function toAccount(row: AccountRow): Account {
  const facts: AccountFacts = {
    id: row.id,
    subject_id: row.subject_id,
    institution_id: row.institution_id,
    subject_type: row.subject_type,
    external_account_id: row.external_account_id,
    account_type: row.account_type,
    currency: row.currency,
    original_principal_minor: row.original_principal_minor,
    interest_rate_bps: row.interest_rate_bps,
    interest_type: row.interest_type,
    opened_at_ms: toMs(row.opened_at),
    maturity_at_ms: toMs(row.maturity_at),
    payment_frequency: row.payment_frequency,
    metadata_json: row.metadata_json,
    created_at_ms: toMs(row.created_at),
  };
  return {
    facts,
    original_terms: decodeTerms(row.original_terms),
    settlements: decodeSettlements(row.settled),
    is_stale: isStale(row.state),
    state: decodeState(row.state, row.subject_type === 'ORGANISATION'),
    version: row.version,
    subject_version: row.subject_version,
    updated_at_ms: toMs(row.updated_at),
  };
}

const LOAD_OWN = statement<AccountRow>(
  'accounts_load_own',
  `SELECT ${ACCOUNT.names('accounts')}
   FROM unnest($1::uuid[], $2::uuid[]) AS wanted (account_id, institution_id)
   JOIN account_directory AS directory USING (account_id, institution_id)
   JOIN accounts ON accounts.subject_id = directory.subject_id
     AND accounts.id = directory.account_id`,
);

const LOAD = statement<AccountRow>(
  'accounts_load',
  `SELECT ${ACCOUNT.names('accounts')}
   FROM unnest($1::uuid[], $2::uuid[]) AS wanted (subject_id, id)
   JOIN accounts USING (subject_id, id)`,
);

/** Accounts by their keys. */
export async function loadAccounts(
  on: Queryable,
  keys: readonly AccountKey[],
): Promise<Map<string, Account>> {
  if (keys.length === 0) return new Map();
  const rows = await on.query(LOAD, [
    keys.map((key) => key.subject_id),
    keys.map((key) => key.account_id),
  ]);
  return new Map(rows.map((row) => [row.id, toAccount(row)]));
}

/** The wanted accounts that exist and are their institution's own, by account id. */
export async function loadOwnAccounts(
  on: Queryable,
  wanted: readonly OwnAccount[],
): Promise<Map<string, Account>> {
  const rows = await on.query(LOAD_OWN, [
    wanted.map((account) => account.account_id),
    wanted.map((account) => account.institution_id),
  ]);
  return new Map(rows.map((row) => [row.id, toAccount(row)]));
}

/** An account as its institution reads it. */
export interface ContestableAccount extends Account {
  /** Disputes about it without an outcome. */
  readonly open_dispute_count: number;
}

interface ContestableRow extends AccountRow {
  open_dispute_count: number;
}

const READ_COLUMNS = `${ACCOUNT.names('accounts')}, ${OPEN_DISPUTES_OF_ACCOUNT}`;

function toContestable(row: ContestableRow): ContestableAccount {
  return { ...toAccount(row), open_dispute_count: row.open_dispute_count };
}

const READ_OWN = statement<ContestableRow>(
  'accounts_read_own',
  `SELECT ${READ_COLUMNS}
   -- OFFSET 0 keeps the planner from looking the account up by its id, with which no key begins.
   FROM (
     SELECT subject_id, account_id FROM account_directory
     WHERE account_id = $1 AND institution_id = $2
     OFFSET 0
   ) AS directory
   JOIN accounts ON accounts.subject_id = directory.subject_id
     AND accounts.id = directory.account_id`,
);

/** The account if it exists and is the institution's own. */
export async function readOwnAccount(
  on: Queryable,
  { account_id, institution_id }: OwnAccount,
): Promise<ContestableAccount | undefined> {
  const row = await on.maybe(READ_OWN, [account_id, institution_id]);
  return row && toContestable(row);
}

const LIST_CONTESTED = statement<ContestableRow>(
  'accounts_list_contested',
  `SELECT ${READ_COLUMNS} FROM accounts
   WHERE subject_id = $1 AND ($2::uuid IS NULL OR id = $2)
     AND (cardinality($3::uuid[]) = 0 OR institution_id = ANY ($3::uuid[]))
   ORDER BY id LIMIT $4`,
);

/**
 * A subject's accounts with the named institutions, or with all when none is named, the oldest first;
 * the one account alone when it is named. Voided ones are among them.
 */
export async function listContestedAccounts(
  on: Queryable,
  wanted: {
    readonly subject_id: string;
    readonly account_id: string | undefined;
    readonly institution_ids: readonly string[];
  },
  limit: number,
): Promise<ContestableAccount[]> {
  const { account_id, institution_ids, subject_id } = wanted;
  const values = [subject_id, account_id, institution_ids, limit];
  return (await on.query(LIST_CONTESTED, values)).map(toContestable);
}

const CLAIM = statement<{ account_id: string }>(
  'account_directory_claim',
  `INSERT INTO account_directory (account_id, institution_id, external_account_id, subject_id)
   SELECT account_id, institution_id, external_account_id, subject_id
   FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[])
     AS new (account_id, institution_id, external_account_id, subject_id)
   ORDER BY institution_id, external_account_id
   ON CONFLICT (institution_id, external_account_id) DO NOTHING
   RETURNING account_id`,
);

/**
 * Enters new accounts in the directory, in the order of its key, so that two claimants cannot wait
 * for each other. Returns which got in; the others' external ids are taken.
 */
export async function claimAccounts(
  on: Queryable,
  accounts: readonly AccountFacts[],
): Promise<Set<string>> {
  const rows = await on.query(CLAIM, [
    accounts.map((account) => account.id),
    accounts.map((account) => account.institution_id),
    accounts.map((account) => account.external_account_id),
    accounts.map((account) => account.subject_id),
  ]);
  return new Set(rows.map((row) => row.account_id));
}

type ExternalId = Pick<AccountFacts, 'institution_id' | 'external_account_id'>;

export function externalIdKey({ institution_id, external_account_id }: ExternalId): string {
  return `${institution_id}:${external_account_id}`;
}

const HOLDERS = statement<ExternalId & { account_id: string }>(
  'account_directory_holders',
  `SELECT account_id, institution_id, external_account_id
   FROM unnest($1::uuid[], $2::text[]) AS wanted (institution_id, external_account_id)
   JOIN account_directory USING (institution_id, external_account_id)`,
);

/** The accounts that have external ids, by {@link externalIdKey}. */
export async function holdersOfExternalIds(
  on: Queryable,
  wanted: readonly ExternalId[],
): Promise<Map<string, string>> {
  if (wanted.length === 0) return new Map();
  const rows = await on.query(HOLDERS, [
    wanted.map((one) => one.institution_id),
    wanted.map((one) => one.external_account_id),
  ]);
  return new Map(rows.map((row) => [externalIdKey(row), row.account_id]));
}

/** What a listing is narrowed to; what is absent narrows nothing. */
export interface AccountFilter {
  readonly institution_id: string;
  readonly subject_id?: string | undefined;
  readonly status?: AccountStatus | undefined;
  readonly external_account_id?: string | undefined;
  /** The last id of the page before. */
  readonly before_id?: string | undefined;
  readonly limit: number;
}

const LIST = statement<ContestableRow>(
  'accounts_list',
  `SELECT ${READ_COLUMNS} FROM accounts
   WHERE institution_id = $1 AND ($2::uuid IS NULL OR id < $2)
   ORDER BY id DESC LIMIT $3`,
);

const LIST_BY_STATUS = statement<ContestableRow>(
  'accounts_list_by_status',
  `SELECT ${READ_COLUMNS} FROM accounts
   WHERE institution_id = $1 AND ($2::uuid IS NULL OR id < $2) AND status = $4
   ORDER BY id DESC LIMIT $3`,
);

// A subject has few accounts: no index of the institution must be a choice.
const LIST_OF_SUBJECT = statement<ContestableRow>(
  'accounts_list_of_subject',
  `SELECT ${READ_COLUMNS} FROM accounts
   WHERE subject_id = $4 AND institution_id IS NOT DISTINCT FROM $1
     AND ($2::uuid IS NULL OR id < $2)
     AND ($5::text IS NULL OR status = $5)
   ORDER BY id DESC LIMIT $3`,
);

const LIST_BY_EXTERNAL_ID = statement<ContestableRow>(
  'accounts_list_by_external_id',
  `SELECT ${READ_COLUMNS}
   FROM account_directory AS directory
   JOIN accounts ON accounts.subject_id = directory.subject_id
     AND accounts.id = directory.account_id
   WHERE directory.institution_id = $1
     AND (directory.external_account_id = $4 OR directory.former_external_account_id = $4)
     AND ($2::uuid IS NULL OR accounts.id < $2)
     AND ($5::uuid IS NULL OR accounts.subject_id = $5)
     AND ($6::text IS NULL OR accounts.status = $6)
   ORDER BY accounts.id DESC LIMIT $3`,
);

/** An institution's accounts, newest first. */
export async function listAccounts(
  on: Queryable,
  filter: AccountFilter,
): Promise<ContestableAccount[]> {
  const page = [filter.institution_id, filter.before_id, filter.limit];
  const { subject_id, status, external_account_id } = filter;
  if (external_account_id !== undefined) {
    const values = [...page, external_account_id, subject_id, status];
    return (await on.query(LIST_BY_EXTERNAL_ID, values)).map(toContestable);
  }
  if (subject_id !== undefined) {
    return (await on.query(LIST_OF_SUBJECT, [...page, subject_id, status])).map(toContestable);
  }
  if (status !== undefined) {
    return (await on.query(LIST_BY_STATUS, [...page, status])).map(toContestable);
  }
  return (await on.query(LIST, page)).map(toContestable);
}

/** Where a walk through changes stands: after the account that was last changed then. */
export interface ChangePlace {
  readonly updated_at_ms: number;
  readonly account_id: string;
}

const LIST_CHANGED = statement<ContestableRow>(
  'accounts_list_changed',
  `SELECT ${READ_COLUMNS} FROM accounts
   WHERE institution_id = $1 AND (updated_at, id) > ($2::timestamptz, $3::uuid)
   ORDER BY updated_at, id LIMIT $4`,
);

// A subject has few accounts: no index of the institution must be a choice.
const LIST_CHANGED_OF_SUBJECT = statement<ContestableRow>(
  'accounts_list_changed_of_subject',
  `SELECT ${READ_COLUMNS} FROM accounts
   WHERE subject_id = $5 AND institution_id IS NOT DISTINCT FROM $1
     AND (updated_at, id) > ($2::timestamptz, $3::uuid)
   ORDER BY updated_at, id LIMIT $4`,
);

/** An institution's accounts that changed after a place, in the order of their changes. */
export async function listChangedAccounts(
  on: Queryable,
  wanted: Pick<AccountFilter, 'institution_id' | 'subject_id' | 'limit'>,
  after: ChangePlace,
): Promise<ContestableAccount[]> {
  const { institution_id, subject_id, limit } = wanted;
  const page = [institution_id, toText(after.updated_at_ms), after.account_id, limit];
  const rows =
    subject_id === undefined
      ? await on.query(LIST_CHANGED, page)
      : await on.query(LIST_CHANGED_OF_SUBJECT, [...page, subject_id]);
  return rows.map(toContestable);
}

const SETTLED = statement<AccountRow>(
  'accounts_settled',
  // A subject has few accounts: its key is all that is needed.
  `SELECT ${ACCOUNT.names('accounts')} FROM accounts
   WHERE subject_id = ANY ($1::uuid[]) AND institution_id = ANY ($2::uuid[])
     AND (settled IS NOT NULL OR state ->> 'suppression' = 'ACCOUNT')`,
);

/** Accounts of these subjects and institutions about which a dispute has settled something, or which it leaves out. */
export async function settledAccounts(
  on: Queryable,
  subject_ids: readonly string[],
  institution_ids: readonly string[],
): Promise<Account[]> {
  return (await on.query(SETTLED, [subject_ids, institution_ids])).map(toAccount);
}

const TAKEN = statement<{ account_id: string }>(
  'account_directory_taken',
  `SELECT wanted.account_id
   FROM unnest($1::uuid[], $2::uuid[], $3::text[])
     AS wanted (account_id, institution_id, external_account_id)
   JOIN account_directory AS directory USING (institution_id, external_account_id)`,
);

/** Which of these void accounts have lost their external id to another account since. */
export async function accountsWithoutId(
  on: Queryable,
  accounts: readonly Account[],
): Promise<Set<string>> {
  const rows = await on.query(TAKEN, [
    accounts.map(({ facts }) => facts.id),
    accounts.map(({ facts }) => facts.institution_id),
    accounts.map(({ facts }) => facts.external_account_id),
  ]);
  return new Set(rows.map((row) => row.account_id));
}
