import type { CallContext } from '@credit/platform/context';
import { type ErrorDetail, invalid } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { isEmail } from '../domain/emails';
import { optionalText, requiredText } from '../domain/texts';
import { insertContactRequest } from '../store/contact-requests';
import { tellAudit } from './tell';

/** A message to the network's operators as it was sent. */
export interface ContactForm {
  readonly name: string;
  readonly email: string;
  readonly subject?: string | undefined;
  readonly message: string;
}

/** Takes a contact request in; returns its id. */
export async function submitContactRequest(
  deps: Dependencies,
  ctx: CallContext,
  form: ContactForm,
): Promise<string> {
  const faults: ErrorDetail[] = [];
  const email = requiredText(faults, 'email', form.email, 254);
  if (email !== '' && !isEmail(email)) {
    faults.push({ path: 'email', message: 'is not an e-mail address' });
  }
  const request = {
    id: deps.newId(),
    name: requiredText(faults, 'name', form.name, 200),
    email,
    subject: optionalText(faults, 'subject', form.subject, 200),
    message: requiredText(faults, 'message', form.message, 5_000),
  };
  if (faults.length > 0) throw invalid(faults);
  await deps.db.transaction(ctx, async (tx) => {
    await insertContactRequest(tx, request);
    tellAudit(tx, deps.clock, {
      institution_id: undefined,
      action: 'contact_request.submitted',
      target_type: 'contact_request',
      target_id: request.id,
    });
  });
  return request.id;
}
