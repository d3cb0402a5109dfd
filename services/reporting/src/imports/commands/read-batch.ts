// A batch of rows as the record takes them in, and what rows have in common.

import { createHash } from 'node:crypto';
import {
  checkAccountRow,
  checkEventRow,
  type Fault,
  type Kind,
  LATER,
  type Row,
} from '@credit/furnishing';
import { type AppError, type ErrorDetail, isAppError } from '@credit/platform/errors';
import type { EventItem } from '../../commands/record-events';
import { checkEvent } from '../../domain/event';
import { type AccountDraft, checkAccount } from '../../domain/new-account';
import type { NewSubject } from '../../domain/subject';
import { accountDraft, bare, eventItem } from '../../drafts-from-proto';
import type { FaultyRow, ImportKind, RowFault } from '../domain/import';

/** An account as a row reports it. */
export interface AccountOfRow {
  readonly line: number;
  readonly draft: AccountDraft;
  /** Names what the row says of its subject; undefined when it gives an id. */
  readonly subject_key?: string | undefined;
}

/** An event as a row reports it. */
export interface EventOfRow {
  readonly line: number;
  readonly item: EventItem;
  /** The furnisher's own id of the account; undefined when it gives the network's. */
  readonly external_account_id?: string | undefined;
}

/** What rows of an import are, as they are read by. */
export function kindOfRows(kind: ImportKind): Kind {
  return kind === 'ACCOUNTS' ? 'accounts' : 'events';
}

/** Faults by their rows' lines. */
export class Faults {
  private readonly found: Map<number, RowFault[]>;

  constructor(before?: ReadonlyMap<number, RowFault[]>) {
    this.found = new Map(before);
  }

  copy(): Faults {
    return new Faults(this.found);
  }

  add(line: number, ...faults: readonly RowFault[]): void {
    if (faults.length === 0) return;
    const there = this.found.get(line) ?? [];
    this.found.set(line, [...there, ...faults]);
  }

  has(line: number): boolean {
    return this.found.has(line);
  }

  /** With what the rows hold. */
  of(rows: readonly Row[]): FaultyRow[] {
    return rows.flatMap((row) => {
      const faults = this.found.get(row.line);
      if (faults === undefined) return [];
      return [{ line: row.line, faults, row_json: JSON.stringify(row.cells ?? row.fields) }];
    });
  }
}

/** The accounts that rows report, and what is wrong with the other rows. */
export function readAccounts(
  rows: readonly Row[],
  now_ms: number,
  faults: Faults,
): { readonly accounts: AccountOfRow[]; readonly subjects: Map<string, NewSubject> } {
  const accounts: AccountOfRow[] = [];
  const subjects = new Map<string, NewSubject>();
  for (const row of rows) {
    const { line } = row;
    const checked = checkAccountRow(row);
    if ('faults' in checked) {
      faults.add(line, ...checked.faults.map(withoutLine));
      continue;
    }
    const { subject_id = '', subject: described, ...rest } = checked.item;
    const draft = accountDraft({ ...rest, subject_id, subject: described });
    const account = checkAccount(draft, now_ms);
    if (Array.isArray(account)) {
      faults.add(line, ...account.map(ruled));
      continue;
    }
    const { subject } = account;
    const subject_key = subject && JSON.stringify(described);
    if (subject !== undefined && subject_key !== undefined) subjects.set(subject_key, subject);
    accounts.push({ line, draft: { ...draft, subject: undefined }, subject_key });
  }
  return { accounts, subjects };
}

/** The events that rows report, and what is wrong with the other rows. */
export function readEvents(rows: readonly Row[], now_ms: number, faults: Faults): EventOfRow[] {
  return rows.flatMap((row): EventOfRow[] => {
    const { line } = row;
    const checked = checkEventRow(row);
    if ('faults' in checked) {
      faults.add(line, ...checked.faults.map(withoutLine));
      return [];
    }
    const item = eventItem(checked.item.event);
    const event = checkEvent(item.draft, now_ms);
    if (Array.isArray(event)) {
      faults.add(line, ...event.map(ruled));
      return [];
    }
    return [{ line, item, external_account_id: bare(checked.item.external_account_id) }];
  });
}

/** What an account must be in its file once by. */
export function keyOfAccount({ draft }: AccountOfRow): Buffer {
  return hash([draft.external_account_id]);
}

/** What an event must be in its file once by. */
export function keyOfEvent({ item, external_account_id }: EventOfRow): Buffer {
  const account = external_account_id === undefined ? item.account_id : LATER;
  return hash([account, external_account_id ?? '', item.draft.source_reference ?? '']);
}

/** Half of a SHA-256: of a million rows, no two meet by chance. */
function hash(parts: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
}

function withoutLine({ code, field, message }: Fault): RowFault {
  return { code, field, message };
}

const ruled = ({ path, message }: ErrorDetail): RowFault => ({
  code: 'VALIDATION_ERROR',
  field: path,
  message,
});

/** Why the record refuses a row; anything else is no row's fault, and goes on. */
export function refusalOf(error: unknown): RowFault[] {
  if (!isRefusal(error)) throw error;
  const { code, reason, message, details } = error;
  if (code === 'VALIDATION_ERROR' && details.length > 0) {
    return details.map(ruled);
  }
  return [{ code: reason ?? code, field: '', message: message.replace(/\.$/, '') }];
}

/** Whether the record refuses what it was given, and would again. */
export function isRefusal(error: unknown): error is AppError {
  return (
    isAppError(error) &&
    (error.code === 'VALIDATION_ERROR' ||
      error.code === 'INVALID_STATE_TRANSITION' ||
      error.code === 'NOT_FOUND' ||
      error.code === 'INSUFFICIENT_SCOPE')
  );
}
