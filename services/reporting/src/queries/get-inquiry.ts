import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { institutionOf, uuidFrom } from '@credit/platform/requests';
import type { Inquiry } from '../domain/inquiry';
import { inquiryOfInstitution } from '../store/inquiries';

/** One of the institution's inquiries; another's is as unknown as none. */
export async function getInquiry(
  db: Database,
  ctx: CallContext,
  inquiry_id: string,
): Promise<Inquiry> {
  const id = uuidFrom('inquiry_id', inquiry_id);
  const inquiry = await inquiryOfInstitution(db.read(ctx), institutionOf(ctx), id);
  if (inquiry === undefined) throw notFound('The inquiry does not exist.');
  return inquiry;
}
