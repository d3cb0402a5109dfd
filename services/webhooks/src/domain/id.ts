import { invalid } from '@credit/platform/errors';
import { isUuid } from '@credit/platform/values';

/** No UUIDv7 made from that moment on is lower; every one made before is. */
export function lowestIdAt(at_ms: number): string {
  const hex = Math.max(0, Math.floor(at_ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** The id as the database writes it; VALIDATION_ERROR at `path` when it is none. */
export function parseId(path: string, text: string): string {
  if (!isUuid(text)) throw invalid(path, 'must be a UUID');
  return text.toLowerCase();
}
