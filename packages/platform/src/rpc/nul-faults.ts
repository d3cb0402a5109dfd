import type { ErrorDetail } from '../errors';

const MOST_FAULTS = 10;

/** Texts of a request that hold NUL, which no text on record can, by the names of their fields. */
export function nulFaults(request: unknown, bytes: Buffer): ErrorDetail[] {
  // A request hardly ever has a byte of zero in it; one that has is looked through.
  if (!bytes.includes(0)) return [];
  const faults: ErrorDetail[] = [];
  collect(request, '', faults);
  return faults;
}

function collect(value: unknown, path: string, faults: ErrorDetail[]): void {
  if (faults.length >= MOST_FAULTS) return;
  if (typeof value === 'string') {
    if (value.includes('\0')) faults.push({ path, message: 'must not hold NUL' });
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect(item, `${path}[${index}]`, faults);
  } else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    for (const [name, inner] of Object.entries(value)) {
      collect(inner, path === '' ? name : `${path}.${name}`, faults);
    }
  }
}
