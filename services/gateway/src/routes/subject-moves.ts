import type { CallContext } from '@credit/platform/context';
import type { SubjectMove } from '@credit/proto/reporting/v1/reporting';
import type {
  RehearseSubjectMoveRequest,
  RehearseSubjectMoveResponse,
} from '@credit/proto/scoring/v1/scoring';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

/** What administrators merge and split; what it would come to is asked of who makes the scores. */
export function subjectMoveRoutes({
  reporting,
  scoring,
}: Clients): HandlersOf<'mergeSubjects' | 'splitSubject' | 'listSubjectMoves'> {
  const rehearsed = async (ctx: CallContext, move: RehearseSubjectMoveRequest['move']) => {
    const answer = await scoring.rehearseSubjectMove(ctx, { move });
    ctx.reply_metadata.set('dry-run', 'true');
    return shown(answer.move, answer);
  };
  return {
    mergeSubjects: async ({ ctx, params, query, body }) => {
      const value = { ...params, ...body };
      if (query.dry_run) return rehearsed(ctx, { $case: 'merge', value });
      return shown((await reporting.mergeSubjects(ctx, value)).move);
    },
    splitSubject: async ({ ctx, params, query, body }) => {
      const { account_ids = [], inquiry_ids = [], ...split } = body;
      const value = { ...params, ...split, account_ids, inquiry_ids };
      if (query.dry_run) return rehearsed(ctx, { $case: 'split', value });
      return shown((await reporting.splitSubject(ctx, value)).move);
    },
    listSubjectMoves: async ({ ctx, params, query }) => {
      const page = await reporting.listSubjectMoves(ctx, { ...params, ...query });
      return { items: page.moves, next_cursor: page.next_cursor };
    },
  };
}

function shown(
  move: SubjectMove | undefined,
  files?: Pick<RehearseSubjectMoveResponse, 'from' | 'to'>,
) {
  const preview = files && { from: present(files.from), to: present(files.to) };
  return { ...present(move), preview };
}
