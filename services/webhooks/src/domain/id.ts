import { invalid } from '@credit/platform/errors';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID of any version. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The id as the database writes it; VALIDATION_ERROR at `path` when it is none. */
export function parseId(path: string, text: string): string {
  if (!isUuid(text)) throw invalid(path, 'must be a UUID');
  return text.toLowerCase();
}
