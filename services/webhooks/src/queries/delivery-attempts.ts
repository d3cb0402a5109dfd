import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { signedHeaders } from '@credit/platform/signing';
import { type Answer, headersOf } from '../domain/answer';
import {
  type AttemptRow,
  type DeliveredMessage,
  findMessage,
  listAttempts,
} from '../store/deliveries';

/** An attempt with what was sent and answered, where that was kept. */
export interface ShownAttempt
  extends Pick<
    AttemptRow,
    'attempt' | 'started_at' | 'duration_ms' | 'response_status' | 'error_class'
  > {
  readonly request?: { readonly headers: Record<string, string>; readonly body: string };
  readonly response?: Answer;
}

/** The attempts of an institution's delivery, in order: at most as many as there may be. */
export async function deliveryAttempts(
  db: Database,
  ctx: CallContext,
  query: { delivery_id: string; institution_id: string },
): Promise<ShownAttempt[]> {
  const on = db.read(ctx);
  const { delivery_id, institution_id } = query;
  const message = await findMessage(on, delivery_id, institution_id);
  if (message === undefined) throw notFound('There is no such delivery.');
  return (await listAttempts(on, delivery_id)).map((row) => shownAttempt(row, message));
}

function shownAttempt(row: AttemptRow, { event_id, body }: DeliveredMessage): ShownAttempt {
  const { request_signature, response_headers, response_body, response_truncated, ...rest } = row;
  const now_ms = Date.parse(row.started_at);
  return {
    ...rest,
    ...(request_signature !== undefined && {
      request: { headers: signedHeaders({ event_id, now_ms, signature: request_signature }), body },
    }),
    ...(response_headers !== undefined && {
      response: {
        headers: headersOf(response_headers),
        body: response_body ?? '',
        truncated: response_truncated ?? false,
      },
    }),
  };
}
