import type { CallContext } from '@credit/platform/context';
import { type ErrorDetail, invalid } from '@credit/platform/errors';
import { TEXTS } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import { optionalText, requiredEmail, requiredText } from '../domain/texts';
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
  const email = requiredEmail(faults, 'email', form.email);
  const request = {
    id: deps.newId(),
    name: requiredText(faults, 'name', form.name, TEXTS.person_name),
    email,
    subject: optionalText(faults, 'subject', form.subject, TEXTS.contact_subject),
    message: requiredText(faults, 'message', form.message, TEXTS.contact_message),
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
