import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import {
  type CountedPage,
  idFromCursor,
  type PageRequest,
  readPage,
  uuidFrom,
} from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { TEXTS, textFault } from '@credit/platform/values';
import type { Dispute, DisputeStatus } from '../domain/dispute';
import { countDisputes, type DisputeFilter, groupSizes, listDisputeRows } from '../store/disputes';

/** What is asked for. */
export interface ListDisputes extends PageRequest {
  readonly status: DisputeStatus | undefined;
  readonly overdue?: boolean | undefined;
  readonly reported_institution_id?: string | undefined;
  readonly q?: string | undefined;
  readonly now_ms: number;
}

/** A page of disputes, and how many there are on all pages together. */
export interface DisputePage extends CountedPage<Dispute> {
  /** For the network's desk: how many of each group have no outcome. */
  readonly group_sizes: ReadonlyMap<string, number>;
}

/**
 * Disputes about the calling institution's reporting, or of the whole network
 * when no institution calls, newest first.
 */
export function listDisputes(
  db: Database,
  ctx: CallContext,
  wanted: ListDisputes,
): Promise<DisputePage> {
  const before_id = idFromCursor(wanted.cursor);
  const filter: DisputeFilter = {
    institution_id: institutionFilter(ctx, wanted.reported_institution_id),
    status: wanted.status,
    overdue: wanted.overdue,
    text: searchText(wanted.q),
    now: toTimestamp(wanted.now_ms),
  };
  return db.snapshot(ctx, async (on) => {
    const page = await readPage(
      wanted,
      (limit) => listDisputeRows(on, filter, before_id, limit),
      (last) => [last.id],
    );
    const group_ids = page.items.map(({ group_id }) => group_id);
    return {
      ...page,
      group_sizes: ctx.institution_id === '' ? await groupSizes(on, group_ids) : new Map(),
      total_count: await countDisputes(on, filter),
    };
  });
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
