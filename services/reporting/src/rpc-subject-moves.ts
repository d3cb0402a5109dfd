// What administrators do about files that hold the wrong records.

import type { CallContext } from '@credit/platform/context';
import { command, type Database, type Transaction } from '@credit/platform/db';
import { forbidden } from '@credit/platform/errors';
import { type Handlers, keyedWrite } from '@credit/platform/rpc';
import { toTimestamp } from '@credit/platform/runtime';
import * as wire from '@credit/proto/reporting/v1/reporting';
import type { CommandDeps } from './commands/batch';
import { mergeSubjects, splitSubject } from './commands/move-records';
import { rehearse } from './commands/rehearsal';
import { monthsBefore } from './domain/calendar';
import { INQUIRY_MONTHS_SHOWN } from './domain/inquiry';
import type { SubjectMove } from './domain/subject-move';
import { subjectDraft } from './drafts-from-proto';
import { fileMessage } from './messages';
import { listSubjectMoves } from './queries/subject-moves';
import { subjectFile } from './store/subject-file';

type SubjectMoveHandlers = Pick<
  Handlers<typeof wire.ReportingServiceDefinition>,
  'mergeSubjects' | 'splitSubject' | 'listSubjectMoves'
>;

const { methods } = wire.ReportingServiceDefinition;
const WEEK_S = 7 * 86_400;

/** Handlers of merging and splitting. */
export function subjectMoveHandlers(
  deps: CommandDeps & { readonly db: Database },
): SubjectMoveHandlers {
  const { db } = deps;
  return {
    mergeSubjects: async (caller, request) => {
      const ctx = network(caller);
      const run = (tx: Transaction, newId: () => string) =>
        mergeSubjects(tx, { ...deps, newId }, ctx, request);
      if (request.dry_run) return rehearseMove(deps, ctx, run);
      const write = keyedWrite(methods.mergeSubjects, WEEK_S);
      return command(db, ctx, write, request, async (tx) => ({
        move: moveMessage(await run(tx, deps.newId)),
      }));
    },
    splitSubject: async (caller, request) => {
      const ctx = network(caller);
      const split = {
        ...request,
        to_subject: request.to_subject && subjectDraft(request.to_subject),
      };
      const run = (tx: Transaction, newId: () => string) =>
        splitSubject(tx, { ...deps, newId }, ctx, split);
      if (request.dry_run) return rehearseMove(deps, ctx, run);
      const write = keyedWrite(methods.splitSubject, WEEK_S);
      return command(db, ctx, write, request, async (tx) => ({
        move: moveMessage(await run(tx, deps.newId)),
      }));
    },
    listSubjectMoves: async (caller, request) => {
      const page = await listSubjectMoves(db, network(caller), request);
      return { moves: page.items.map(moveMessage), next_cursor: page.next_cursor };
    },
  };
}

/** Only administrators may: what they do is the network's. */
function network(ctx: CallContext): CallContext {
  if (!ctx.actor.administers) {
    throw forbidden('Only administrators of the network may.', { reason: 'ROLE' });
  }
  return { ...ctx, institution_id: '' };
}

/** Carries a move out, reads both files before and after, and takes it back. */
async function rehearseMove(
  deps: CommandDeps & { readonly db: Database },
  ctx: CallContext,
  run: (tx: Transaction, newId: () => string) => Promise<SubjectMove>,
): Promise<wire.MergeSubjectsResponse> {
  const now_ms = deps.clock.now_ms();
  const fileOf = async (on: Parameters<typeof subjectFile>[0], subject_id: string) => {
    const file = await subjectFile(on, subject_id, monthsBefore(now_ms, INQUIRY_MONTHS_SHOWN));
    if (file === undefined) return undefined;
    return { ...fileMessage(file), subject_version: file.version, left_version: file.left_version };
  };
  const { result } = await rehearse(deps.db, ctx, deps.newId, async (tx, newId) => {
    const move = await run(tx, newId);
    const { from_subject_id, to_subject_id } = move;
    return {
      move,
      from_after: await fileOf(tx, from_subject_id),
      to_after: await fileOf(tx, to_subject_id),
    };
  });
  const { move, from_after, to_after } = result;
  const on = deps.db.read(ctx);
  return {
    move: moveMessage(move),
    preview: {
      from_before: await fileOf(on, move.from_subject_id),
      from_after,
      to_before: await fileOf(on, move.to_subject_id),
      to_after,
    },
  };
}

function moveMessage(move: SubjectMove): wire.SubjectMove {
  return {
    id: move.id,
    kind: move.kind,
    from_subject_id: move.from_subject_id,
    to_subject_id: move.to_subject_id,
    undoes_move_id: move.undoes_move_id,
    undone_by_move_id: move.undone_by_move_id,
    reason: move.reason,
    moved_by: move.actor_id,
    moved_at: toTimestamp(move.moved_at_ms),
    account_count: move.accounts,
    inquiry_count: move.inquiries,
    dispute_count: move.disputes,
  };
}
