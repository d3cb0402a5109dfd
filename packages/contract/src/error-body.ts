import type { AppError } from '@credit/platform/errors';
import { ERRORS_URL } from './reasons';

/** A 409 has them where it is about several items of a batch. */
function hasDetails({ code, details }: AppError): boolean {
  if (code === 'INVALID_STATE_TRANSITION') return details.length > 0;
  return code === 'VALIDATION_ERROR';
}

/** The envelope of an error, as it is written; `origin` is where /docs is, or empty for the API's own. */
export function errorBody(error: AppError, request_id: string, origin: string) {
  const {
    code,
    message,
    details,
    reason,
    existing_id,
    merged_into,
    required,
    allowed_event_types,
  } = error;
  // JSON leaves out what is undefined.
  return {
    error: {
      code,
      message,
      request_id,
      reason,
      doc_url: `${origin}${ERRORS_URL}#${reason}`,
      details: hasDetails(error) ? details : undefined,
      existing_id,
      merged_into,
      required,
      allowed_event_types,
    },
  };
}
