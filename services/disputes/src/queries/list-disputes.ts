import type { CallContext } from '@credit/platform/context';
import { type Database, decodeCursor } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import {
  type CountedPage,
  cursorFault,
  idFromCursor,
  type PageRequest,
  readPage,
  uuidFrom,
} from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { isUuid, TEXTS, textFault } from '@credit/platform/values';
import type { DisputeStatus } from '../domain/dispute';
import {
  countDisputes,
  type DisputeFilter,
  type DisputeStage,
  type DuePlace,
  groupSizes,
  type ListedDispute,
  listDisputeRows,
  listDisputesDue,
} from '../store/disputes';

/** What is asked for. */
export interface ListDisputes extends PageRequest {
  readonly status: DisputeStatus | undefined;
  readonly overdue?: boolean | undefined;
  readonly stage?: DisputeStage | undefined;
  readonly order?: 'NEWEST' | 'DUE' | undefined;
  readonly reported_institution_id?: string | undefined;
  readonly q?: string | undefined;
  readonly now_ms: number;
}

/** A page of disputes, and how many there are on all pages together. */
export interface DisputePage extends CountedPage<ListedDispute> {
  /** For the network's desk: how many of each group have no outcome. */
  readonly group_sizes: ReadonlyMap<string, number>;
}

/**
 * Disputes about the calling institution's reporting, or of the whole network
 * when no institution calls: newest first, or those without an outcome by their due dates.
 */
export function listDisputes(
  db: Database,
  ctx: CallContext,
  wanted: ListDisputes,
): Promise<DisputePage> {
  const is_by_due_date = wanted.order === 'DUE';
  if (is_by_due_date && wanted.stage === 'DECIDED') {
    throw invalid('order', 'must be left out for DECIDED: DUE is of disputes without an outcome');
  }
  const after = is_by_due_date ? placeFromCursor(wanted.cursor) : undefined;
  const before_id = is_by_due_date ? undefined : idFromCursor(wanted.cursor);
  const filter: DisputeFilter = {
    institution_id: institutionFilter(ctx, wanted.reported_institution_id),
    status: wanted.status,
    overdue: wanted.overdue,
    // What is listed by its due date has no outcome: the count is of these.
    stage: wanted.stage ?? (is_by_due_date ? 'UNDECIDED' : undefined),
    text: searchText(wanted.q),
    now: toTimestamp(wanted.now_ms),
  };
  return db.snapshot(ctx, async (on) => {
    const page = await readPage(
      wanted,
      (limit) =>
        is_by_due_date
          ? listDisputesDue(on, filter, after, limit)
          : listDisputeRows(on, filter, before_id, limit),
      ({ due_at, id }) => (is_by_due_date ? [String(Date.parse(due_at)), id] : [id]),
    );
    const group_ids = page.items.map(({ group_id }) => group_id);
    return {
      ...page,
      group_sizes: ctx.institution_id === '' ? await groupSizes(on, group_ids) : new Map(),
      total_count: await countDisputes(on, filter),
    };
  });
}

function placeFromCursor(cursor: string | undefined): DuePlace | undefined {
  if (cursor === undefined) return undefined;
  const [due_at_ms = '', id = ''] = decodeCursor(cursor, 2);
  if (!/^\d{1,14}$/.test(due_at_ms) || !isUuid(id)) throw cursorFault();
  return { due_at: toTimestamp(Number(due_at_ms)), id };
}

function institutionFilter(ctx: CallContext, text: string | undefined): string | undefined {
  const asked = text === undefined ? undefined : uuidFrom('reported_institution_id', text);
  if (ctx.institution_id === '') return asked;
  if (asked !== undefined && asked !== ctx.institution_id) {
    throw invalid('reported_institution_id', 'must be your own, or left out');
  }
  return ctx.institution_id;
}

function searchText(q: string | undefined): string | undefined {
  if (q === undefined || q === '') return undefined;
  const fault = textFault(q, TEXTS.search);
  if (fault !== undefined) throw invalid('q', fault);
  return q;
}
