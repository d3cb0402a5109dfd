// What a new account must be: 422 for its shape, and the defaults it starts with.

import type { ErrorDetail } from '@credit/platform/errors';
import { checkText, isUuid, TEXTS } from '@credit/platform/values';
import { checkSubject, type NewSubject, type SubjectDraft } from './subject';
import { checkAmount, checkTerms, type OpeningDates, type Terms } from './terms';
import { type AccountStatus, isAdverse, type UnderlyingStatus, type Wrong } from './vocabulary';

/** An account before it is recorded. */
export interface NewAccount extends Terms {
  /** Empty while `subject` is to be found. */
  readonly subject_id: string;
  readonly subject?: NewSubject | undefined;
  /** By whose identity the subject was found, when that one was merged into it. */
  readonly merged_subject_id?: string | undefined;
  readonly external_account_id: string;
  readonly current_balance_minor: bigint;
  readonly status: UnderlyingStatus;
  /** JSON text of an object; empty when there is none. */
  readonly metadata_json: string;
  /** Of an adverse status: when the trouble began, and since when it has been that bad. */
  readonly dates?: OpeningDates | undefined;
  /** What was verified and how, of an account that a dispute took off the file before. */
  readonly certification?: string | undefined;
}

/** An account as it came in. */
export interface AccountDraft extends Partial<Omit<Terms, 'original_principal_minor'>> {
  /** Empty when `subject` says who it is. */
  readonly subject_id: string;
  readonly subject?: SubjectDraft | undefined;
  readonly external_account_id: string;
  readonly original_principal_minor: bigint;
  readonly current_balance_minor?: bigint | undefined;
  readonly status?: AccountStatus | undefined;
  readonly metadata_json?: string | undefined;
  readonly first_delinquency_at_ms?: number | undefined;
  readonly status_since_ms?: number | undefined;
  readonly certification?: string | undefined;
}

const DEFAULT_CURRENCY = 'DCR';
const MAX_METADATA_BYTES = 2_048;
const MAX_METADATA_KEYS = 20;
const MAX_METADATA_DEPTH = 2;

/** The account with its defaults, or everything that is wrong with its shape. */
export function checkAccount(draft: AccountDraft, now_ms: number): NewAccount | ErrorDetail[] {
  const details: ErrorDetail[] = [];
  const wrong = (path: string, message: string) => details.push({ path, message });
  const { account_type, opened_at_ms, status } = draft;
  const currency = draft.currency ?? DEFAULT_CURRENCY;
  const subject = checkOwner(draft, now_ms, wrong);
  checkText('external_account_id', draft.external_account_id, TEXTS.external_account_id, wrong);
  if (account_type === undefined) wrong('account_type', 'is required');
  checkAmount('current_balance', draft.current_balance_minor ?? 0n, wrong);
  if (opened_at_ms === undefined) wrong('opened_at', 'is required');
  checkTerms(
    {
      currency,
      original_principal_minor: draft.original_principal_minor,
      interest_rate_bps: draft.interest_rate_bps,
      opened_at_ms,
      maturity_at_ms: draft.maturity_at_ms,
    },
    now_ms,
    wrong,
  );
  if (status === 'DISPUTED') wrong('status', 'cannot be DISPUTED at creation');
  const settled = status === 'PAID' || status === 'CANCELLED';
  if (settled && (draft.current_balance_minor ?? 0n) !== 0n) {
    wrong('current_balance', `must be 0 when status is ${status}`);
  }
  checkDates(draft, now_ms, wrong);
  checkText('certification', draft.certification, TEXTS.certification, wrong);
  checkMetadata(draft.metadata_json, wrong);
  if (details.length > 0) return details;
  if (account_type === undefined || opened_at_ms === undefined || status === 'DISPUTED')
    return details;
  const { first_delinquency_at_ms, status_since_ms, ...kept } = draft;
  const dated = first_delinquency_at_ms !== undefined || status_since_ms !== undefined;
  return {
    ...kept,
    subject,
    account_type,
    currency,
    // What is paid or cancelled owes nothing, whatever it began with.
    current_balance_minor:
      draft.current_balance_minor ?? (settled ? 0n : draft.original_principal_minor),
    opened_at_ms,
    status: status ?? 'CURRENT',
    metadata_json: draft.metadata_json ?? '',
    dates: dated ? { first_delinquency_at_ms, status_since_ms } : undefined,
  };
}

/** Whose account it is: an id, or what the subject says of itself. */
function checkOwner(
  { subject_id, subject }: AccountDraft,
  now_ms: number,
  wrong: Wrong,
): NewSubject | undefined {
  if (subject === undefined) {
    if (!isUuid(subject_id)) wrong('subject_id', 'must be a UUID, unless subject says who it is');
    return undefined;
  }
  if (subject_id !== '') wrong('subject', 'stands beside subject_id: give one of both');
  const checked = checkSubject(subject, now_ms);
  if (!Array.isArray(checked)) return checked;
  for (const { path, message } of checked) wrong(`subject.${path}`, message);
  return undefined;
}

/** Dates of an adverse status lie between the opening and now, the trouble before its worst. */
function checkDates(draft: AccountDraft, now_ms: number, wrong: Wrong): void {
  const { first_delinquency_at_ms, status_since_ms, opened_at_ms, status } = draft;
  const dates = { first_delinquency_at: first_delinquency_at_ms, status_since: status_since_ms };
  for (const [path, at_ms] of Object.entries(dates)) {
    if (at_ms === undefined) continue;
    if (at_ms > now_ms) wrong(path, 'must not be in the future');
    if (at_ms < (opened_at_ms ?? -Infinity)) wrong(path, 'must not be before opened_at');
  }
  if (first_delinquency_at_ms !== undefined && !isAdverse(status ?? 'CURRENT')) {
    wrong('first_delinquency_at', 'is for an account that is created in an adverse status only');
  }
  if ((status_since_ms ?? Infinity) < (first_delinquency_at_ms ?? -Infinity)) {
    wrong('status_since', 'must not be before first_delinquency_at');
  }
}

function checkMetadata(json: string | undefined, wrong: Wrong): void {
  if (json === undefined || json === '') return;
  if (Buffer.byteLength(json) > MAX_METADATA_BYTES) {
    wrong('metadata', `must have at most ${MAX_METADATA_BYTES} bytes`);
    return;
  }
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    wrong('metadata', 'must be a JSON object');
    return;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    wrong('metadata', 'must be a JSON object');
  } else if (Object.keys(value).length > MAX_METADATA_KEYS) {
    wrong('metadata', `must have at most ${MAX_METADATA_KEYS} keys`);
  } else if (depthOf(value) > MAX_METADATA_DEPTH) {
    wrong('metadata', `must not be nested deeper than ${MAX_METADATA_DEPTH}`);
  }
}

/** 0 for a plain value, 1 for an object or array of plain values. Text of 2 KiB bounds it. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce((max: number, inner) => Math.max(max, depthOf(inner)), 0);
}
