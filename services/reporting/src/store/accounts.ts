import { type Queryable, statement } from '@credit/platform/db';
import type { Account, AccountFacts } from '../domain/ledger';
import { statusOf } from '../domain/ledger';
import type {
  AccountStatus,
  AccountType,
  InterestType,
  PaymentFrequency,
  SubjectType,
} from '../domain/vocabulary';
import type { AccountKey } from './events';
import { OPEN_DISPUTES_OF_ACCOUNT } from './known-disputes';
import {
  decodeSettlements,
  decodeTerms,
  encodeSettlements,
  type StoredSettlement,
  type StoredTerms,
} from './opening-codec';
import { type AnyStoredState, decodeState, encodeState, isStale } from './state-codec';
import { toMs, toText } from './time';

/** An account as its row says it. */
export interface AccountRow {
  subject_id: string;
  id: string;
  institution_id: string;
  subject_type: SubjectType;
  external_account_id: string;
  account_type: AccountType;
  currency: string;
  original_principal_minor: bigint;
  interest_rate_bps: number | undefined;
  interest_type: InterestType | undefined;
  opened_at: string;
  maturity_at: string | undefined;
  payment_frequency: PaymentFrequency | undefined;
  metadata_json: string;
  state: AnyStoredState;
  original_terms: StoredTerms | undefined;
  settled: readonly StoredSettlement[] | undefined;
  version: number;
  subject_version: number;
  created_at: string;
  updated_at: string;
}

/** An account that someone names, and the institution that says it is its own. */
export interface OwnAccount {
  readonly account_id: string;
  readonly institution_id: string;
}

export const ACCOUNT_COLUMNS = `accounts.subject_id, accounts.id, accounts.institution_id, accounts.subject_type,
  accounts.external_account_id, accounts.account_type, accounts.currency,
  accounts.original_principal_minor, accounts.interest_rate_bps, accounts.interest_type,
  accounts.opened_at, accounts.maturity_at, accounts.payment_frequency, accounts.metadata_json,
  accounts.state, accounts.version, accounts.subject_version, accounts.created_at,
  accounts.updated_at, accounts.original_terms, accounts.settled`;

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
  `SELECT ${ACCOUNT_COLUMNS}
   FROM unnest($1::uuid[], $2::uuid[]) AS wanted (account_id, institution_id)
   JOIN account_directory AS directory USING (account_id, institution_id)
   JOIN accounts ON accounts.subject_id = directory.subject_id
     AND accounts.id = directory.account_id`,
);

const LOAD = statement<AccountRow>(
  'accounts_load',
  `SELECT ${ACCOUNT_COLUMNS}
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

const READ_COLUMNS = `${ACCOUNT_COLUMNS}, ${OPEN_DISPUTES_OF_ACCOUNT}`;

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

// A subject has few accounts: its key is all that is needed.
const LIST_OF_SUBJECT = statement<ContestableRow>(
  'accounts_list_of_subject',
  `SELECT ${READ_COLUMNS} FROM accounts
   WHERE subject_id = $4 AND institution_id = $1 AND ($2::uuid IS NULL OR id < $2)
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

/** What changes with every event, as columns for unnest. */
export function stateColumns(accounts: readonly Account[]): unknown[][] {
  return [
    accounts.map((account) => account.facts.subject_id),
    accounts.map((account) => account.facts.id),
    accounts.map((account) => encodeState(account.state)),
    accounts.map(statusOf),
    accounts.map((account) => account.state.underlying_status),
    accounts.map((account) => account.state.balance_minor),
    accounts.map((account) => account.version),
    accounts.map((account) => account.subject_version),
    accounts.map((account) => toText(account.updated_at_ms)),
  ];
}

/** What is set at creation, as columns for unnest beside {@link stateColumns}. */
export function factColumns(accounts: readonly Account[]): unknown[][] {
  const facts = accounts.map((account) => account.facts);
  return [
    facts.map((account) => account.institution_id),
    facts.map((account) => account.subject_type),
    facts.map((account) => account.external_account_id),
    facts.map((account) => account.account_type),
    facts.map((account) => account.currency),
    facts.map((account) => account.original_principal_minor),
    facts.map((account) => account.interest_rate_bps),
    facts.map((account) => account.interest_type),
    facts.map((account) => toText(account.opened_at_ms)),
    facts.map((account) => toText(account.maturity_at_ms)),
    facts.map((account) => account.payment_frequency),
    facts.map((account) => account.metadata_json),
    facts.map((account) => toText(account.created_at_ms)),
    accounts.map((account) => encodeSettlements(account.settlements)),
  ];
}

const SETTLED = statement<AccountRow>(
  'accounts_settled',
  // A subject has few accounts: its key is all that is needed.
  `SELECT ${ACCOUNT_COLUMNS} FROM accounts
   WHERE subject_id = ANY ($1::uuid[]) AND institution_id = ANY ($2::uuid[])
     AND settled IS NOT NULL`,
);

/** Accounts of these subjects and institutions about which a dispute has settled something. */
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
