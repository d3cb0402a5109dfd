import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { institutionOf, pageLimit } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { listRejections, type RejectionOfDay } from '../store/rejections';

const SHOWN = { fallback: 50, maximum: 200 };

/** What was refused of the caller's institution in the last days. */
export function getRejections(
  db: Database,
  ctx: CallContext,
  limit: number,
  now_ms: number,
): Promise<RejectionOfDay[]> {
  const institution_id = institutionOf(ctx);
  return listRejections(db.read(ctx), institution_id, toTimestamp(now_ms), pageLimit(limit, SHOWN));
}
