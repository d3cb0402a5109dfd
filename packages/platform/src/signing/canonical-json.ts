/** What JSON can say. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json };

/**
 * The canonical text of a value (RFC 8785): members sorted by their UTF-16 code
 * units, no insignificant space, ECMAScript's own forms of numbers and strings.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new Error('A lone surrogate has no canonical form.');
    return JSON.stringify(value);
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error(`${value} has no canonical form.`);
    return JSON.stringify(value);
  }
  if (value === null || typeof value === 'boolean') return String(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .map((name) => `${canonicalJson(name)}:${canonicalJson(value[name] as Json)}`);
  return `{${members.join(',')}}`;
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
