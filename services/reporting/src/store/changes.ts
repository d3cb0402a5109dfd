// Everything that one batch changes, in one statement.

import { type Queryable, statement, type Transaction } from '@credit/platform/db';
import type { Inquiry } from '../domain/inquiry';
import type { Account } from '../domain/ledger';
import { factColumns, stateColumns } from './accounts';
import { amendEvents, eventColumns, type OwnedRecord } from './events';
import { headColumns } from './heads';
import { inquiryColumns } from './inquiries';
import { encodeSettlements, encodeTerms } from './opening-codec';
import { toText } from './time';

export const BUMP_HEADS = `
  UPDATE subject_heads AS heads SET version = new.version
  FROM unnest($2::uuid[], $3::integer[]) AS new (subject_id, version)
  WHERE heads.subject_id = new.subject_id`;

/** Counts of today; a slot per connection, so that hardly anyone waits for its row. */
function addTotals(counts: string): string {
  return `
  INSERT INTO daily_totals AS known (day, slot, subjects, accounts, events, inquiries)
  SELECT $1::timestamptz AT TIME ZONE 'UTC', pg_backend_pid() % 16, ${counts}
  ON CONFLICT (day, slot) DO UPDATE
    SET subjects = known.subjects + excluded.subjects,
        accounts = known.accounts + excluded.accounts,
        events = known.events + excluded.events,
        inquiries = known.inquiries + excluded.inquiries`;
}

const EVENT_COLUMNS = `subject_id, account_id, sequence, id, event_type, occurred_at, reported_at,
  amount_minor, balance_after_minor, source_reference, default_severity, supersedes_event_id,
  correction_reason, corrected_event_type, corrected_occurred_at, opening_facts,
  certification, by_network, notice,
  superseded_by_event_id, effect, resulting_status`;

function insertEvents(first: number): string {
  const types = [
    'uuid',
    'uuid',
    'integer',
    'uuid',
    'text',
    'timestamptz',
    'timestamptz',
    'bigint',
    'bigint',
    'text',
    'text',
    'uuid',
    'text',
    'text',
    'timestamptz',
    'json',
    'text',
    'boolean',
    'text',
    'uuid',
    'text',
    'text',
  ];
  const columns = types.map((type, index) => `$${first + index}::${type}[]`);
  return `INSERT INTO credit_events (${EVENT_COLUMNS})
   SELECT ${EVENT_COLUMNS} FROM unnest(${columns.join(', ')}) AS new (${EVENT_COLUMNS})`;
}

const STATE_COLUMNS =
  'state, status, underlying_status, balance_minor, version, subject_version, updated_at';
const STATE_TYPES = `$4::uuid[], $5::uuid[], $6::json[], $7::text[], $8::text[], $9::bigint[],
  $10::integer[], $11::integer[], $12::timestamptz[]`;
const FACT_COLUMNS = `institution_id, subject_type, external_account_id, account_type, currency,
  original_principal_minor, interest_rate_bps, interest_type, opened_at, maturity_at,
  payment_frequency, metadata_json, created_at, settled`;
const FACT_TYPES = `$13::uuid[], $14::text[], $15::text[], $16::text[], $17::text[],
  $18::bigint[], $19::integer[], $20::text[], $21::timestamptz[], $22::timestamptz[],
  $23::text[], $24::text[], $25::timestamptz[], $26::json[]`;

const WRITE_EVENTS = statement(
  'changes_write_events',
  `WITH heads AS (${BUMP_HEADS}),
   totals AS (${addTotals('0, 0, cardinality($13::uuid[]), 0')}),
   states AS (
     UPDATE accounts
     SET state = new.state, status = new.status, underlying_status = new.underlying_status,
         balance_minor = new.balance_minor, version = new.version,
         subject_version = new.subject_version, updated_at = new.updated_at
     FROM unnest(${STATE_TYPES}) AS new (subject_id, id, ${STATE_COLUMNS})
     WHERE accounts.subject_id = new.subject_id AND accounts.id = new.id
   ),
   days AS (
     INSERT INTO reporting_days AS known (institution_id, day, slot, events, timely_events,
       correction_halves)
     SELECT institution_id, $1::timestamptz AT TIME ZONE 'UTC', pg_backend_pid() % 16, events,
       timely_events, correction_halves
     FROM unnest($35::uuid[], $36::bigint[], $37::bigint[], $38::bigint[])
       AS new (institution_id, events, timely_events, correction_halves)
     ORDER BY institution_id
     ON CONFLICT (institution_id, day, slot) DO UPDATE
       SET events = known.events + excluded.events,
           timely_events = known.timely_events + excluded.timely_events,
           correction_halves = known.correction_halves + excluded.correction_halves
   )
   ${insertEvents(13)}`,
);

/** What an institution reported in a batch, for the health of its reporting. */
export interface Reported {
  readonly institution_id: string;
  events: number;
  timely_events: number;
  correction_halves: number;
}

/** What a batch of events changes. */
export interface EventChanges {
  readonly now_ms: number;
  /** New versions by subject. */
  readonly heads: ReadonlyMap<string, number>;
  readonly accounts: readonly Account[];
  readonly recorded: readonly OwnedRecord[];
  readonly amended: readonly OwnedRecord[];
  /** One entry an institution. */
  readonly reported: readonly Reported[];
}

export function writeEvents(tx: Transaction, changes: EventChanges): void {
  if (changes.recorded.length === 0) return;
  tx.write(WRITE_EVENTS, [
    toText(changes.now_ms),
    ...headColumns(changes.heads),
    ...stateColumns(changes.accounts),
    ...eventColumns(changes.recorded),
    changes.reported.map((day) => day.institution_id),
    changes.reported.map((day) => day.events),
    changes.reported.map((day) => day.timely_events),
    changes.reported.map((day) => day.correction_halves),
  ]);
  amendEvents(tx, changes.amended);
}

const WRITE_ACCOUNTS = statement(
  'changes_write_accounts',
  `WITH heads AS (${BUMP_HEADS}),
   totals AS (${addTotals('0, cardinality($5::uuid[]), cardinality($5::uuid[]), 0')}),
   opened AS (
     INSERT INTO accounts (subject_id, id, ${STATE_COLUMNS}, ${FACT_COLUMNS})
     SELECT * FROM unnest(${STATE_TYPES}, ${FACT_TYPES})
   )
   ${insertEvents(27)}`,
);

/** What a batch of new accounts changes. */
export interface AccountChanges {
  readonly now_ms: number;
  readonly heads: ReadonlyMap<string, number>;
  readonly accounts: readonly Account[];
  readonly recorded: readonly OwnedRecord[];
}

export function writeAccounts(tx: Transaction, changes: AccountChanges): void {
  if (changes.accounts.length === 0) return;
  tx.write(WRITE_ACCOUNTS, [
    toText(changes.now_ms),
    ...headColumns(changes.heads),
    ...stateColumns(changes.accounts),
    ...factColumns(changes.accounts),
    ...eventColumns(changes.recorded),
  ]);
}

const WRITE_STATES = statement(
  'changes_write_states',
  `WITH heads AS (${BUMP_HEADS}), now AS (SELECT $1::timestamptz)
   UPDATE accounts
   SET state = new.state, status = new.status, underlying_status = new.underlying_status,
       balance_minor = new.balance_minor, version = new.version,
       subject_version = new.subject_version, updated_at = new.updated_at
   FROM unnest(${STATE_TYPES}) AS new (subject_id, id, ${STATE_COLUMNS})
   WHERE accounts.subject_id = new.subject_id AND accounts.id = new.id`,
);

/** Writes states that come of no new event. */
export function writeStates(
  tx: Transaction,
  heads: ReadonlyMap<string, number>,
  accounts: readonly Account[],
): void {
  if (accounts.length === 0) return;
  tx.write(WRITE_STATES, [undefined, ...headColumns(heads), ...stateColumns(accounts)]);
}

const WRITE_OPENINGS = statement(
  'changes_write_openings',
  // The directory keeps what a void account was called, and its name is free.
  `WITH directory AS (
     UPDATE account_directory AS directory
     SET external_account_id = CASE WHEN new.voided THEN NULL ELSE new.external_account_id END,
         former_external_account_id = CASE WHEN new.voided THEN new.external_account_id END
     FROM unnest($2::uuid[], $3::boolean[], $4::text[])
       AS new (account_id, voided, external_account_id)
     WHERE directory.account_id = new.account_id
       AND (directory.external_account_id IS NULL) <> new.voided
   )
   UPDATE accounts
   SET voided = new.voided, account_type = new.account_type, currency = new.currency,
       original_principal_minor = new.original_principal_minor,
       interest_rate_bps = new.interest_rate_bps, interest_type = new.interest_type,
       opened_at = new.opened_at, maturity_at = new.maturity_at,
       payment_frequency = new.payment_frequency, original_terms = new.original_terms,
       settled = new.settled
   FROM unnest($1::uuid[], $2::uuid[], $3::boolean[], $5::text[], $6::text[], $7::bigint[],
       $8::integer[], $9::text[], $10::timestamptz[], $11::timestamptz[], $12::text[],
       $13::json[], $14::json[])
     AS new (subject_id, id, voided, account_type, currency, original_principal_minor,
       interest_rate_bps, interest_type, opened_at, maturity_at, payment_frequency,
       original_terms, settled)
   WHERE accounts.subject_id = new.subject_id AND accounts.id = new.id`,
);

/** Writes what corrections of openings and outcomes of disputes change: rare, and apart from events. */
export function writeOpenings(tx: Transaction, accounts: readonly Account[]): void {
  if (accounts.length === 0) return;
  const facts = accounts.map((account) => account.facts);
  tx.write(WRITE_OPENINGS, [
    facts.map((account) => account.subject_id),
    facts.map((account) => account.id),
    accounts.map((account) => account.state.voided),
    facts.map((account) => account.external_account_id),
    facts.map((account) => account.account_type),
    facts.map((account) => account.currency),
    facts.map((account) => account.original_principal_minor),
    facts.map((account) => account.interest_rate_bps),
    facts.map((account) => account.interest_type),
    facts.map((account) => toText(account.opened_at_ms)),
    facts.map((account) => toText(account.maturity_at_ms)),
    facts.map((account) => account.payment_frequency),
    accounts.map((account) => encodeTerms(account.original_terms)),
    accounts.map((account) => encodeSettlements(account.settlements)),
  ]);
}

const INQUIRY_COLUMNS =
  'subject_id, id, institution_id, purpose, inquiry_type, duplicate_of, subject_version, created_at';

const WRITE_INQUIRIES = statement(
  'changes_write_inquiries',
  `WITH heads AS (${BUMP_HEADS}),
   totals AS (${addTotals('0, 0, 0, cardinality($5::uuid[])')})
   INSERT INTO inquiries (${INQUIRY_COLUMNS})
   SELECT ${INQUIRY_COLUMNS}
   FROM unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::uuid[],
     $10::integer[], $11::timestamptz[]) AS new (${INQUIRY_COLUMNS})`,
);

/** What a batch of inquiries changes. */
export interface InquiryChanges {
  readonly now_ms: number;
  readonly heads: ReadonlyMap<string, number>;
  readonly inquiries: readonly Inquiry[];
}

export function writeInquiries(tx: Transaction, changes: InquiryChanges): void {
  if (changes.inquiries.length === 0) return;
  tx.write(WRITE_INQUIRIES, [
    toText(changes.now_ms),
    ...headColumns(changes.heads),
    ...inquiryColumns(changes.inquiries),
  ]);
}

const ADD_SUBJECT = statement('totals_add_subject', addTotals('1, 0, 0, 0'));

/** Counts a new subject. */
export async function countSubject(on: Queryable, now_ms: number): Promise<void> {
  await on.execute(ADD_SUBJECT, [toText(now_ms)]);
}
