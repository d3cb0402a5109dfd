// What people put on their own files, under the lock that looks at the file take too: what is answered
// here holds for every look that is decided afterwards, on whichever machine.

import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { conflict, invalid, notFound, rateLimited } from '@credit/platform/errors';
import { toTimestamp } from '@credit/platform/runtime';
import { TEXTS, textFault } from '@credit/platform/values';
import { DAY_MS, yearsBefore } from '../domain/calendar';
import {
  type AlertKind,
  addsToShown,
  type FileAct,
  type FileAlert,
  type FileEntry,
  type FileRights,
  type FileStatement,
  standingAt,
  type Thaw,
  withEntry,
} from '../domain/file-entries';
import { standingSubject } from '../domain/standing-subject';
import { entryRecordedAt, recordOnFile, shownSince, writeEntry } from '../store/file-entries';
import { lockHeads } from '../store/heads';
import type { CommandDeps } from './batch';

/** Entries of a file within 24 hours; a freeze is placed beyond it too. */
export const MAX_ENTRIES_A_DAY = 50;
/** Alerts and statements within a year: whoever reads a past profile reads all that there ever were. */
export const MAX_SHOWN_A_YEAR = 200;
/** At a time. */
export const MAX_THAWS = 20;
export const MAX_STATEMENTS = 50;
/** How far a caller's clock may be behind. */
const TOLERANCE_MS = 5 * 60_000;

/** Whom to open a frozen file to, and when. */
export interface ThawDraft {
  /** Undefined for everybody. */
  readonly institution_id?: string | undefined;
  /** Undefined for now. */
  readonly from_ms?: number | undefined;
  readonly until_ms?: number | undefined;
}

/** A file that is locked, and how it stands. */
export interface OpenFile {
  readonly subject_id: string;
  readonly rights: FileRights;
  readonly now_ms: number;
}

/** Freezes the file; one that is frozen stays as it is. */
export async function placeFreeze(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  subject_id: string,
): Promise<FileRights> {
  const file = await openFile(tx, deps, subject_id);
  if (file.rights.frozen_since_ms !== undefined) return file.rights;
  return (await enter(tx, deps, ctx, file, { kind: 'FREEZE_PLACED' })).rights;
}

/** Ends the freeze with all exceptions from it; a file that is not frozen stays as it is. */
export async function liftFreeze(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  subject_id: string,
): Promise<FileRights> {
  const file = await openFile(tx, deps, subject_id);
  if (file.rights.frozen_since_ms === undefined) return file.rights;
  return (await enter(tx, deps, ctx, file, { kind: 'FREEZE_LIFTED' })).rights;
}

/** Opens a frozen file to one institution, for a time, or both; as one that stands already, by that. */
export async function placeThaw(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  subject_id: string,
  draft: ThawDraft,
): Promise<Thaw> {
  const file = await openFile(tx, deps, subject_id);
  const span = spanOf(draft, file.now_ms);
  if (file.rights.frozen_since_ms === undefined) {
    throw conflict('The file is not frozen.', { reason: 'NOT_FROZEN' });
  }
  const same = file.rights.thaws.find(
    (thaw) =>
      thaw.institution_id === draft.institution_id &&
      thaw.until_ms === span.until_ms &&
      (thaw.from_ms === span.from_ms || Math.max(thaw.from_ms, span.from_ms) <= file.now_ms),
  );
  if (same !== undefined) return same;
  if (file.rights.thaws.length >= MAX_THAWS) {
    throw conflict(`A file has at most ${MAX_THAWS} thaws at a time.`, { reason: 'LIMIT_REACHED' });
  }
  const { institution_id } = draft;
  const act = { kind: 'THAW_PLACED' as const, institution_id, ...span };
  const { entry, rights } = await enter(tx, deps, ctx, file, act);
  return standing(rights.thaws, entry);
}

/** Ends a thaw before its time. */
export async function withdrawThaw(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  subject_id: string,
  thaw_id: string,
): Promise<void> {
  const file = await openFile(tx, deps, subject_id);
  if (!file.rights.thaws.some(({ id }) => id === thaw_id)) {
    throw notFound('The thaw does not stand.');
  }
  await enter(tx, deps, ctx, file, { kind: 'THAW_WITHDRAWN', target_id: thaw_id });
}

/** Has who reads the file warned for a year from now on. */
export async function placeAlert(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  subject_id: string,
  alert_kind: AlertKind | undefined,
): Promise<FileAlert> {
  if (alert_kind === undefined) throw invalid('kind', 'is required');
  const file = await openFile(tx, deps, subject_id);
  const until_ms = yearsBefore(file.now_ms, -1);
  const act = { kind: 'ALERT_PLACED' as const, alert_kind, until_ms };
  const { entry, rights } = await enter(tx, deps, ctx, file, act);
  return standing(rights.alerts, entry);
}

/** Ends an alert before its time. */
export async function removeAlert(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  subject_id: string,
  alert_id: string,
): Promise<void> {
  const file = await openFile(tx, deps, subject_id);
  if (!file.rights.alerts.some(({ id }) => id === alert_id)) {
    throw notFound('The alert does not stand.');
  }
  await enter(tx, deps, ctx, file, { kind: 'ALERT_REMOVED', target_id: alert_id });
}

/** Sets what the person has to say about a record of the file. */
export async function setStatement(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  subject_id: string,
  wanted: { readonly record_id: string; readonly text: string },
): Promise<FileStatement> {
  const { record_id, text } = wanted;
  const fault = textFault(text, TEXTS.statement);
  if (fault !== undefined) throw invalid('text', fault);
  const file = await openFile(tx, deps, subject_id);
  const said = statementOn(file, record_id);
  if (said?.text === text) return said;
  if (said === undefined && file.rights.statements.length >= MAX_STATEMENTS) {
    throw conflict(`A file has at most ${MAX_STATEMENTS} statements.`, { reason: 'LIMIT_REACHED' });
  }
  const record = await recordOnFile(tx, subject_id, record_id);
  if (record === undefined) throw notFound('The record is not on your file.');
  const { rights } = await enter(tx, deps, ctx, file, { kind: 'STATEMENT_SET', record, text });
  const statement = statementOn({ rights }, record_id);
  if (statement === undefined) throw new Error('A statement that was set is not there.');
  return statement;
}

/** Takes a statement off the file. */
export async function removeStatement(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  subject_id: string,
  record_id: string,
): Promise<void> {
  const file = await openFile(tx, deps, subject_id);
  if (statementOn(file, record_id) === undefined) {
    throw notFound('There is no statement about the record.');
  }
  await enter(tx, deps, ctx, file, { kind: 'STATEMENT_REMOVED', target_id: record_id });
}

async function openFile(
  tx: Transaction,
  { clock }: CommandDeps,
  subject_id: string,
): Promise<OpenFile> {
  const head = standingSubject((await lockHeads(tx, [subject_id])).get(subject_id));
  // Read under the lock, and never before the last entry's, on whichever machine that was.
  const now_ms = Math.max(clock.now_ms(), head.rights.recorded_at_ms);
  return { subject_id, rights: standingAt(head.rights, now_ms), now_ms };
}

function statementOn(
  { rights }: Pick<OpenFile, 'rights'>,
  wanted: string,
): FileStatement | undefined {
  return rights.statements.find(({ record_id }) => record_id === wanted);
}

function standing<Item extends { readonly id: string }>(
  items: readonly Item[],
  { id }: FileEntry,
): Item {
  const item = items.find((one) => one.id === id);
  if (item === undefined) throw new Error('What was entered is not there.');
  return item;
}

function spanOf(
  { institution_id, from_ms, until_ms }: ThawDraft,
  now_ms: number,
): { from_ms: number; until_ms: number | undefined } {
  const latest_ms = yearsBefore(now_ms, -1);
  const begins_ms = Math.max(from_ms ?? now_ms, now_ms);
  if (from_ms !== undefined && from_ms < now_ms - TOLERANCE_MS) {
    throw invalid('starts_at', 'must not be in the past');
  }
  if (begins_ms > latest_ms) throw invalid('starts_at', 'must be within a year');
  if (until_ms === undefined) {
    if (institution_id === undefined) {
      throw invalid('ends_at', 'is required of a thaw that is for everybody');
    }
    return { from_ms: begins_ms, until_ms };
  }
  if (until_ms <= begins_ms) throw invalid('ends_at', 'must be later than starts_at, and than now');
  if (until_ms > latest_ms) throw invalid('ends_at', 'must be within a year');
  return { from_ms: begins_ms, until_ms };
}

const ACTIONS: Readonly<Record<FileAct['kind'], string>> = {
  FREEZE_PLACED: 'file.frozen',
  FREEZE_LIFTED: 'file.freeze_lifted',
  THAW_PLACED: 'file.thaw_placed',
  THAW_WITHDRAWN: 'file.thaw_withdrawn',
  ALERT_PLACED: 'file.alert_placed',
  ALERT_REMOVED: 'file.alert_removed',
  STATEMENT_SET: 'file.statement_set',
  STATEMENT_REMOVED: 'file.statement_removed',
  FILE_JOINED: 'file.joined',
  FILE_PARTED: 'file.parted',
};

async function enter(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  file: OpenFile,
  act: FileAct,
): Promise<{ readonly entry: FileEntry; readonly rights: FileRights }> {
  const { subject_id, rights, now_ms } = file;
  await refuseTooMany(tx, { subject_id, act, sequence: rights.sequence + 1, now_ms });
  return enterAct(tx, deps, ctx, file, act);
}

/** Enters an act on a locked file, however many there were. */
export function enterAct(
  tx: Transaction,
  { newId }: CommandDeps,
  ctx: CallContext,
  { subject_id, rights: before, now_ms }: OpenFile,
  act: FileAct,
): { readonly entry: FileEntry; readonly rights: FileRights } {
  const sequence = before.sequence + 1;
  const entry = { id: newId(), sequence, recorded_at_ms: now_ms, act };
  const rights = withEntry(before, entry);
  writeEntry(tx, subject_id, entry, rights);
  tx.audit(
    {
      at: toTimestamp(now_ms),
      action: ACTIONS[act.kind],
      target_type: 'subject',
      target_id: subject_id,
      changes: changesOf(entry),
    },
    ctx,
  );
  return { entry, rights };
}

async function refuseTooMany(
  tx: Transaction,
  wanted: { subject_id: string; act: FileAct; sequence: number; now_ms: number },
): Promise<void> {
  const { subject_id, act, sequence, now_ms } = wanted;
  // Each needs the end of another one, and those are bounded.
  if (act.kind === 'FREEZE_PLACED') return;
  const [earlier_ms, shown] = await Promise.all([
    entryRecordedAt(tx, subject_id, sequence - MAX_ENTRIES_A_DAY),
    addsToShown(act) ? shownSince(tx, subject_id, yearsBefore(now_ms, 1), MAX_SHOWN_A_YEAR) : 0,
  ]);
  if (earlier_ms !== undefined && earlier_ms > now_ms - DAY_MS) {
    const wait_s = Math.ceil((earlier_ms + DAY_MS - now_ms) / 1_000);
    const message = `A file is changed at most ${MAX_ENTRIES_A_DAY} times in 24 hours.`;
    throw rateLimited(message, wait_s, 'FILE_CHANGES');
  }
  if (shown >= MAX_SHOWN_A_YEAR) {
    const message = `A file takes at most ${MAX_SHOWN_A_YEAR} alerts and statements in a year.`;
    throw conflict(message, { reason: 'LIMIT_REACHED' });
  }
}

/** For the log, which does not repeat what somebody has to say. */
function changesOf({ id: entry_id, act }: FileEntry): Readonly<Record<string, unknown>> {
  switch (act.kind) {
    case 'FREEZE_PLACED':
    case 'FREEZE_LIFTED':
      return { entry_id };
    case 'THAW_PLACED': {
      const { institution_id, from_ms, until_ms } = act;
      const ends_at = until_ms === undefined ? null : toTimestamp(until_ms);
      return {
        entry_id,
        institution_id: institution_id ?? null,
        starts_at: toTimestamp(from_ms),
        ends_at,
      };
    }
    case 'ALERT_PLACED':
      return { entry_id, kind: act.alert_kind, ends_at: toTimestamp(act.until_ms) };
    case 'STATEMENT_SET': {
      const { record_kind, record_id } = act.record;
      return { entry_id, record_kind, record_id };
    }
    case 'THAW_WITHDRAWN':
    case 'ALERT_REMOVED':
    case 'STATEMENT_REMOVED':
      return { entry_id, target_id: act.target_id };
    case 'FILE_JOINED':
    case 'FILE_PARTED':
      return { entry_id, move_id: act.move_id };
    default:
      return act satisfies never;
  }
}
