import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { institutionOf, uuidFrom } from '@credit/platform/requests';
import { inquiryOfInstitution, type OwnInquiry } from '../store/inquiries';

/** One of the institution's inquiries, be it that it was refused; another's is as unknown as none. */
export async function getInquiry(
  db: Database,
  ctx: CallContext,
  inquiry_id: string,
): Promise<OwnInquiry> {
  const id = uuidFrom('inquiry_id', inquiry_id);
  const inquiry = await inquiryOfInstitution(db.read(ctx), institutionOf(ctx), id);
  if (inquiry === undefined) throw notFound('The inquiry does not exist.');
  return inquiry;
}
