import type { CallContext } from '@credit/platform/context';
import { type Database, decodeCursor, encodeCursor } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { characterCount, isUuid } from '@credit/platform/values';
import type { Dispute, DisputeStatus } from '../domain/dispute';
import { countDisputes, type DisputeFilter, groupSizes, listDisputeRows } from '../store/disputes';

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;
const MAX_SEARCH_LENGTH = 200;

/** What is asked for. */
export interface ListDisputes {
  readonly status: DisputeStatus | null;
  readonly overdue?: boolean | undefined;
  readonly reported_institution_id?: string | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly now_ms: number;
}

/** A page of disputes, and how many there are on all pages together. */
export interface DisputePage {
  readonly disputes: readonly Dispute[];
  /** For the network's desk: how many of each group have no outcome. */
  readonly group_sizes: ReadonlyMap<string, number>;
  readonly next_cursor: string | undefined;
  readonly total_count: number;
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
  const limit = pageLimit(wanted.limit);
  const before_id = idFromCursor(wanted.cursor);
  const filter: DisputeFilter = {
    institution_id: institutionFilter(ctx, wanted.reported_institution_id),
    status: wanted.status,
    overdue: wanted.overdue ?? null,
    text: searchText(wanted.q),
    now: new Date(wanted.now_ms).toISOString(),
  };
  return db.snapshot(ctx, async (on) => {
    const rows = await listDisputeRows(on, filter, before_id, limit + 1);
    const disputes = rows.slice(0, limit);
    const last = disputes.at(-1);
    const more = rows.length > limit && last !== undefined;
    const group_ids = disputes.map(({ group_id }) => group_id);
    return {
      disputes,
      group_sizes: ctx.institution_id === '' ? await groupSizes(on, group_ids) : new Map(),
      next_cursor: more ? encodeCursor([last.id]) : undefined,
      total_count: await countDisputes(on, filter),
    };
  });
}

function institutionFilter(ctx: CallContext, asked: string | undefined): string | null {
  if (asked !== undefined && !isUuid(asked)) {
    throw invalid('reported_institution_id', 'must be a UUID');
  }
  if (ctx.institution_id === '') return asked?.toLowerCase() ?? null;
  if (asked !== undefined && asked.toLowerCase() !== ctx.institution_id) {
    throw invalid('reported_institution_id', 'must be your own, or left out');
  }
  return ctx.institution_id;
}

function searchText(q: string | undefined): string | null {
  if (q === undefined || q === '') return null;
  if (characterCount(q) > MAX_SEARCH_LENGTH || q.includes('\0') || !q.isWellFormed()) {
    throw invalid('q', `must be a text of at most ${MAX_SEARCH_LENGTH} characters`);
  }
  return q;
}

/** 0 is proto's way of saying nothing. */
function pageLimit(limit: number): number {
  if (limit === 0) return DEFAULT_LIMIT;
  if (limit < 1 || limit > MAX_LIMIT) throw invalid('limit', `must be between 1 and ${MAX_LIMIT}`);
  return limit;
}

function idFromCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const [id = ''] = decodeCursor(cursor, 1);
  if (!isUuid(id)) throw invalid('cursor', 'is not a cursor of this listing');
  return id;
}
