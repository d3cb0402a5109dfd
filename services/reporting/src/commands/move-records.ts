// Puts files together that are one party's, and takes apart what is not. One transaction under the locks
// of both heads: whoever reports, looks or freezes meanwhile comes before it or after it.

import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { conflict, invalid, notFound } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { TEXTS, textFault } from '@credit/platform/values';
import { NO_RIGHTS, standingAt } from '../domain/file-entries';
import { FOLLOW_WINDOW_MS } from '../domain/inquiry';
import { isSameStanding, partedStandings, partedStatements } from '../domain/joined-files';
import { FURNISHERS } from '../domain/personas';
import { standingSubject, unknownSubject } from '../domain/standing-subject';
import type { SubjectDraft } from '../domain/subject';
import {
  changedDuplicates,
  MAX_MOVED_ACCOUNTS,
  MAX_MOVED_EVENTS,
  MAX_MOVED_OTHERS,
  type MoveKind,
  type SubjectMove,
  tooMuch,
  whyNotMergeable,
} from '../domain/subject-move';
import { loadAccounts } from '../store/accounts';
import { entriesOf } from '../store/file-entries';
import { type Head, lockHeads } from '../store/heads';
import { lookersOf } from '../store/receivers';
import { concernedInstitutions } from '../store/renames';
import {
  blockersOf,
  countEvents,
  creatorOf,
  type FiledRecord,
  keepMove,
  markHead,
  moveById,
  moveRecords,
  movesTakenBack,
  openedFor,
  type RecordIds,
  recordsOfMove,
  recordsOnFile,
  type StoredMove,
  setDuplicates,
} from '../store/subject-moves';
import { inquiriesOf } from '../store/voided-inquiries';
import type { CommandDeps } from './batch';
import { createSubject } from './create-subject';
import { enterAct } from './keep-file-entries';
import { refold } from './refold-states';

/** Both files of a move, locked. */
interface Files {
  readonly from: Head;
  readonly to: Head;
}

/** What is to be done, and why. */
interface Wanted {
  readonly id: string;
  readonly kind: MoveKind;
  readonly reason: string;
  readonly undoes?: StoredMove | undefined;
  readonly now_ms: number;
}

/** The files that become one: `from` goes into `to`. */
export interface MergeSubjects {
  readonly subject_id: string;
  readonly other_subject_id: string;
  readonly reason: string;
}

/** Moves all records of one subject to another, under whose id they are from then on. */
export async function mergeSubjects(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  request: MergeSubjects,
): Promise<SubjectMove> {
  const subject_id = uuidFrom('subject_id', request.subject_id);
  const other_id = uuidFrom('other_subject_id', request.other_subject_id);
  const wanted = begin(deps, 'MERGE', request.reason);
  if (subject_id === other_id) throw invalid('other_subject_id', 'must be another subject');
  const files = await lockFiles(tx, other_id, subject_id);
  const [from, to] = await Promise.all([mergeable(tx, files.from), mergeable(tx, files.to)]);
  const refusal = whyNotMergeable(from, to);
  if (refusal !== undefined) throw refusal;
  const records = await filed(tx, other_id);
  return carryOut(tx, deps, ctx, { wanted, files, records });
}

/** What leaves a file, and for where. */
export interface SplitSubject {
  readonly subject_id: string;
  /** A merge into the file that is taken back; or what follows. */
  readonly move_id?: string | undefined;
  readonly to_subject_id?: string | undefined;
  /** In its place, one that is not on file yet. */
  readonly to_subject?: SubjectDraft | undefined;
  readonly account_ids: readonly string[];
  readonly inquiry_ids: readonly string[];
  readonly reason: string;
}

/**
 * Takes a merge back, or moves single accounts and inquiries to the subject that they are about. With a
 * merge goes what came with it and is still there, accounts that were opened by the other's identity since,
 * and what is named beside.
 */
export async function splitSubject(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  request: SplitSubject,
): Promise<SubjectMove> {
  const subject_id = uuidFrom('subject_id', request.subject_id);
  const wanted = begin(deps, 'SPLIT', request.reason);
  const named = [
    ...idsFrom('account_ids', request.account_ids),
    ...idsFrom('inquiry_ids', request.inquiry_ids),
  ];
  if (request.move_id !== undefined) {
    return takeBack(tx, deps, ctx, { wanted, subject_id, request, named });
  }
  if (named.length === 0) throw invalid('account_ids', 'or inquiry_ids must name something');
  const to_id = await targetOf(tx, deps, ctx, subject_id, request);
  if (to_id === subject_id) throw invalid('to_subject_id', 'must be another subject');
  const files = await lockFiles(tx, subject_id, to_id);
  const [from, to] = await Promise.all([mergeable(tx, files.from), mergeable(tx, files.to)]);
  const refusal = whyNotMergeable(from, to);
  if (refusal !== undefined) throw refusal;
  const records = chosen(await filed(tx, subject_id), named);
  return carryOut(tx, deps, ctx, { wanted, files, records });
}

/** Where single records go: a subject on file, or a new one, which is told of as its file's creator's. */
async function targetOf(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  subject_id: string,
  { to_subject_id, to_subject }: SplitSubject,
): Promise<string> {
  if ((to_subject_id === undefined) === (to_subject === undefined)) {
    throw invalid('to_subject_id', 'or to_subject must say where the records go');
  }
  if (to_subject_id !== undefined) return uuidFrom('to_subject_id', to_subject_id);
  if (to_subject === undefined) throw new Error('A split has no end.');
  const institution_id = await creatorOf(tx, subject_id);
  if (institution_id === undefined) throw unknownSubject();
  return (await createSubject(tx, deps, { ...ctx, institution_id }, to_subject)).id;
}

async function takeBack(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  {
    named,
    request,
    subject_id,
    wanted,
  }: {
    wanted: Wanted;
    subject_id: string;
    request: SplitSubject;
    named: readonly NamedRecord[];
  },
): Promise<SubjectMove> {
  const move_id = uuidFrom('move_id', request.move_id ?? '');
  if (request.to_subject_id !== undefined || request.to_subject !== undefined) {
    throw invalid('to_subject_id', 'is where the merge came from: leave it out');
  }
  const known = await moveById(tx, move_id);
  if (known === undefined || known.to_subject_id !== subject_id) {
    throw notFound('There is no such move to this subject.');
  }
  const { from_subject_id } = known;
  const heads = await lockHeads(tx, [subject_id, from_subject_id]);
  const stays = standingSubject(heads.get(subject_id));
  const goes = heads.get(from_subject_id);
  // Read again under the lock: somebody else may have been quicker.
  const undoes = await moveById(tx, move_id);
  if (undoes?.kind !== 'MERGE' || undoes.undone_by_move_id !== undefined) {
    throw conflict('The move is no merge, or was taken back already.', {
      reason: 'MOVE_NOT_REVERSIBLE',
    });
  }
  if (goes === undefined) throw new Error('A subject that was merged has no head.');
  const on_file = await filed(tx, subject_id);
  const came = await recordsOfMove(tx, move_id);
  const accounts = on_file.filter(({ kind }) => kind === 'ACCOUNT');
  const opened = await openedFor(
    tx,
    accounts.map(({ record_id }) => record_id),
    from_subject_id,
  );
  const also = new Set(chosen(on_file, named).map(({ record_id }) => record_id));
  const records = on_file.filter(
    ({ record_id: id }) => came.has(id) || opened.has(id) || also.has(id),
  );
  const files = { from: stays, to: goes };
  return carryOut(tx, deps, ctx, { wanted: { ...wanted, undoes }, files, records });
}

function begin({ clock, newId }: CommandDeps, kind: MoveKind, reason: string): Wanted {
  const fault = textFault(reason, TEXTS.move_reason);
  if (fault !== undefined) throw invalid('reason', fault);
  return { id: newId(), kind, reason, now_ms: clock.now_ms() };
}

async function lockFiles(tx: Transaction, from_id: string, to_id: string): Promise<Files> {
  const heads = await lockHeads(tx, [from_id, to_id]);
  return { from: standingSubject(heads.get(from_id)), to: standingSubject(heads.get(to_id)) };
}

async function mergeable(tx: Transaction, { subject }: Head) {
  return { subject, ...(await blockersOf(tx, subject.id, Object.values(FURNISHERS))) };
}

/** All that is on a file; refused where it is more than one move may take. */
async function filed(tx: Transaction, subject_id: string): Promise<readonly FiledRecord[]> {
  const most = Math.max(MAX_MOVED_ACCOUNTS, MAX_MOVED_OTHERS);
  return recordsOnFile(tx, subject_id, most + 1);
}

interface NamedRecord {
  readonly path: string;
  readonly id: string;
}

function idsFrom(list: 'account_ids' | 'inquiry_ids', ids: readonly string[]): NamedRecord[] {
  return ids.map((id, index) => {
    const path = `${list}[${index}]`;
    return { path, id: uuidFrom(path, id) };
  });
}

/** The named ones of a file's records; 422 for those that are not on it. */
function chosen(
  on_file: readonly FiledRecord[],
  named: readonly NamedRecord[],
): readonly FiledRecord[] {
  const known = new Map(on_file.map((record) => [record.record_id, record]));
  const fits = ({ path, id }: NamedRecord) => {
    const kind = known.get(id)?.kind;
    return path.startsWith('account_ids') ? kind === 'ACCOUNT' : kind?.endsWith('INQUIRY') === true;
  };
  const details = named.flatMap((one) =>
    fits(one) ? [] : [{ path: one.path, message: 'is not on the file' }],
  );
  if (details.length > 0) throw invalid(details);
  const ids = new Set(named.map(({ id }) => id));
  return on_file.filter(({ record_id }) => ids.has(record_id));
}

interface Move {
  readonly wanted: Wanted;
  readonly files: Files;
  readonly records: readonly FiledRecord[];
}

async function carryOut(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  { files, records, wanted }: Move,
): Promise<SubjectMove> {
  const { from, to } = files;
  const { id, kind, now_ms, reason, undoes } = wanted;
  const from_subject_id = from.subject.id;
  const to_subject_id = to.subject.id;
  const ids = idsOf(records);
  await refuseTooMuch(tx, from_subject_id, ids);
  // Where states of earlier rules are looked for, moved accounts might be passed by.
  const accounts = await loadAccounts(
    tx,
    ids.account_ids.map((account_id) => ({ subject_id: from_subject_id, account_id })),
  );
  const versions = await refold(
    tx,
    ctx,
    [...accounts.values()].filter(({ is_stale }) => is_stale),
    new Map([[from_subject_id, from.version]]),
  );
  const from_version = (versions.get(from_subject_id) ?? from.version) + 1;
  const to_version = to.version + 1;
  // Told before the records are elsewhere, so that everybody concerned is found on either file.
  const both = [from_subject_id, to_subject_id];
  const lookers = await lookersOf(tx, both, now_ms - FOLLOW_WINDOW_MS);
  const concerned = new Set([
    ...(await concernedInstitutions(tx, from_subject_id)),
    ...(await concernedInstitutions(tx, to_subject_id)),
    ...[...lookers.values()].flat(),
  ]);
  await moveRecords(tx, ids, { from_subject_id, to_subject_id, to_version, now_ms });
  for (const subject_id of both) {
    await setDuplicates(tx, subject_id, changedDuplicates(await inquiriesOf(tx, subject_id, [])));
  }
  const merged_into = kind === 'MERGE' ? to_subject_id : undefined;
  await markHead(tx, from_subject_id, from_version, { left: true, merged_into });
  await markHead(tx, to_subject_id, to_version, { left: false });
  const entries_at_move = await moveWord(tx, deps, ctx, { wanted, files, ids });
  const move = {
    id,
    kind,
    from_subject_id,
    to_subject_id,
    undoes_move_id: undoes?.id,
    reason,
    actor_type: ctx.actor.type,
    actor_id: ctx.actor.id,
    moved_at_ms: now_ms,
  };
  await keepMove(tx, { ...move, entries_at_move }, records);
  const counted = {
    ...move,
    accounts: ids.account_ids.length,
    inquiries: ids.inquiry_ids.length + ids.refused_ids.length,
    disputes: ids.dispute_ids.length,
  };
  tell(tx, ctx, counted, records, concerned);
  return counted;
}

function idsOf(records: readonly FiledRecord[]): RecordIds {
  const of = (wanted: FiledRecord['kind']) =>
    records.filter(({ kind }) => kind === wanted).map(({ record_id }) => record_id);
  return {
    account_ids: of('ACCOUNT'),
    inquiry_ids: of('INQUIRY'),
    refused_ids: of('REFUSED_INQUIRY'),
    dispute_ids: of('DISPUTE'),
  };
}

async function refuseTooMuch(tx: Transaction, subject_id: string, ids: RecordIds): Promise<void> {
  if (ids.account_ids.length > MAX_MOVED_ACCOUNTS) throw tooMuch('accounts', MAX_MOVED_ACCOUNTS);
  for (const some of [ids.inquiry_ids, ids.refused_ids, ids.dispute_ids]) {
    if (some.length > MAX_MOVED_OTHERS) throw tooMuch('inquiries or disputes', MAX_MOVED_OTHERS);
  }
  const events = await countEvents(tx, subject_id, ids.account_ids, MAX_MOVED_EVENTS + 1);
  if (events > MAX_MOVED_EVENTS) throw tooMuch('credit events', MAX_MOVED_EVENTS);
}

/** Moves what persons have put on the files; answers how many entries the file that takes has then. */
async function moveWord(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  { files: { from, to }, ids, wanted }: { files: Files; ids: RecordIds; wanted: Wanted },
): Promise<number> {
  const { id: move_id, kind, undoes } = wanted;
  const account_ids = new Set(ids.account_ids);
  // Times of a file never go back.
  const now_ms = Math.max(wanted.now_ms, from.rights.recorded_at_ms, to.rights.recorded_at_ms);
  const open = ({ rights, subject }: Head) => {
    return { subject_id: subject.id, rights: standingAt(rights, now_ms), now_ms };
  };
  if (undoes !== undefined) {
    const { id: subject_id } = from.subject;
    const entries = (await entriesOf(tx, [subject_id])).get(subject_id) ?? [];
    const { goes, stays } = partedStandings(entries, to.rights, {
      move_id: undoes.id,
      entries_at_merge: undoes.entries_at_move,
      account_ids,
      taken_back_before: await movesTakenBack(tx, subject_id),
      now_ms,
    });
    for (const [file, stands] of [
      [open(from), stays],
      [open(to), goes],
    ] as const) {
      if (isSameStanding(file.rights, stands)) continue;
      enterAct(tx, deps, ctx, file, { kind: 'FILE_PARTED', move_id: undoes.id, stands });
    }
    return 0;
  }
  const came =
    kind === 'MERGE'
      ? standingAt(from.rights, now_ms)
      : partedStatements(standingAt(from.rights, now_ms), account_ids).gone;
  if (kind === 'SPLIT') {
    let { rights, ...file } = open(from);
    for (const { record_id: target_id } of came.statements) {
      const act = { kind: 'STATEMENT_REMOVED' as const, target_id };
      ({ rights } = enterAct(tx, deps, ctx, { ...file, rights }, act));
    }
  }
  if (isSameStanding(came, NO_RIGHTS)) return to.rights.sequence;
  const { frozen_since_ms, thaws, alerts, statements } = came;
  const { rights } = enterAct(tx, deps, ctx, open(to), {
    kind: 'FILE_JOINED',
    move_id,
    came: { frozen_since_ms, thaws, alerts, statements },
  });
  return rights.sequence;
}

/** Everybody who relies on either file hears of it, and of nobody's accounts but its own. */
function tell(
  tx: Transaction,
  ctx: CallContext,
  move: SubjectMove,
  records: readonly FiledRecord[],
  concerned: ReadonlySet<string>,
): void {
  const { id: move_id, kind, from_subject_id, to_subject_id, moved_at_ms, reason } = move;
  const moved_at = toTimestamp(moved_at_ms);
  const own = Map.groupBy(records, ({ institution_id }) => institution_id ?? '');
  const { account_ids, dispute_ids } = idsOf(records);
  const { undoes_move_id } = move;
  const action = kind === 'MERGE' ? 'subject.merged' : 'subject.split';
  const entry = { at: moved_at, action, target_type: 'subject', target_id: from_subject_id };
  const said = {
    move_id,
    to_subject_id,
    ...(undoes_move_id === undefined ? {} : { undoes_move_id }),
  };
  tx.audit({ ...entry, changes: { ...said, reason, account_ids } }, { ...ctx, institution_id: '' });
  tx.outbox({
    partition_key: to_subject_id,
    payload: {
      $case: 'subject_records_moved',
      value: {
        ...said,
        kind,
        from_subject_id,
        account_ids: [...account_ids],
        dispute_ids: [...dispute_ids],
        moved_at,
      },
    },
  });
  const furnishers = records.flatMap(({ institution_id, kind: of }) =>
    of === 'ACCOUNT' && institution_id !== undefined ? [institution_id] : [],
  );
  for (const institution_id of new Set([...concerned, ...furnishers])) {
    const owned = [...idsOf(own.get(institution_id) ?? []).account_ids];
    // Why is the network's business: the reason may speak of others.
    tx.audit({ ...entry, changes: { ...said, account_ids: owned } }, { ...ctx, institution_id });
    const value = { ...said, institution_id, from_subject_id, account_ids: owned, moved_at };
    tx.outbox({
      partition_key: to_subject_id,
      payload:
        kind === 'MERGE' ? { $case: 'subject_merged', value } : { $case: 'subject_split', value },
    });
  }
}
