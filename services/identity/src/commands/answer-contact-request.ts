import type { CallContext } from '@credit/platform/context';
import { type ErrorDetail, invalid, notFound } from '@credit/platform/errors';
import { TEXTS } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import {
  assertAnswerable,
  type ContactRequest,
  type ContactRequestEnd,
} from '../domain/contact-requests';
import { optionalText, requiredText } from '../domain/texts';
import { lockContactRequest, recordAnswer } from '../store/contact-requests';
import { requirePlatformRole } from './actor';
import { tellAudit } from './tell';

/**
 * Keeps what somebody was answered, or closes the request without an answer. Nothing is sent:
 * the address is a stranger's word, and whoever answers writes from a mailbox of their own.
 */
export async function answerContactRequest(
  deps: Dependencies,
  ctx: CallContext,
  given: { contact_request_id: string; status: ContactRequestEnd; answer?: string | undefined },
): Promise<ContactRequest> {
  const { contact_request_id, status } = given;
  const faults: ErrorDetail[] = [];
  const answer =
    status === 'ANSWERED'
      ? requiredText(faults, 'answer', given.answer ?? '', TEXTS.contact_answer)
      : optionalText(faults, 'answer', given.answer, TEXTS.contact_answer);
  if (status === 'CLOSED' && answer !== undefined) {
    faults.push({ path: 'answer', message: 'goes together with ANSWERED' });
  }
  if (faults.length > 0) throw invalid(faults);
  return deps.db.transaction(ctx, async (tx) => {
    const { id: answered_by } = await requirePlatformRole(tx, ctx, 'PLATFORM_ADMIN');
    const before = await lockContactRequest(tx, contact_request_id);
    if (before === undefined) throw notFound('There is no such contact request.');
    assertAnswerable(before);
    tellAudit(tx, deps.clock, {
      institution_id: undefined,
      action: status === 'ANSWERED' ? 'contact_request.answered' : 'contact_request.closed',
      target_type: 'contact_request',
      target_id: before.id,
      changes: { status: { from: before.status, to: status } },
    });
    return recordAnswer(tx, before.id, { status, answer, answered_by });
  });
}
