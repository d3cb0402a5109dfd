import type { CallContext } from '@credit/platform/context';
import { type ErrorDetail, invalid } from '@credit/platform/errors';
import { TEXTS } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import type { Application } from '../domain/applications';
import { optionalText, requiredEmail, requiredText } from '../domain/texts';
import { insertApplication } from '../store/applications';
import { tellAudit } from './tell';

/** A membership application as it was sent. */
export interface ApplicationForm {
  readonly institution_name: string;
  readonly contact_name: string;
  readonly contact_email: string;
  readonly website?: string | undefined;
  readonly description?: string | undefined;
}

/** Takes a membership application in. */
export async function submitApplication(
  deps: Dependencies,
  ctx: CallContext,
  form: ApplicationForm,
): Promise<Application> {
  const faults: ErrorDetail[] = [];
  const contact_email = requiredEmail(faults, 'contact_email', form.contact_email);
  const application = {
    id: deps.newId(),
    institution_name: requiredText(
      faults,
      'institution_name',
      form.institution_name,
      TEXTS.institution_name,
    ),
    contact_name: requiredText(faults, 'contact_name', form.contact_name, TEXTS.person_name),
    contact_email,
    website: optionalText(faults, 'website', form.website, TEXTS.link),
    description: optionalText(
      faults,
      'description',
      form.description,
      TEXTS.application_description,
    ),
  };
  if (faults.length > 0) throw invalid(faults);
  return deps.db.transaction(ctx, async (tx) => {
    tellAudit(tx, deps.clock, {
      institution_id: undefined,
      action: 'application.submitted',
      target_type: 'application',
      target_id: application.id,
      changes: { institution_name: application.institution_name },
    });
    return insertApplication(tx, application);
  });
}
