import { requestError } from '@credit/platform/errors';

/** More parameters than any operation has. */
const MAX_PARAMETERS = 50;

/** A query string's parameters, and the names that came more than once (422). */
export interface Query {
  readonly values: Readonly<Record<string, string>>;
  readonly repeated: readonly string[];
}

const EMPTY: Query = { values: {}, repeated: [] };

/** Reads what stands after the question mark; broken percent-encoding is 400. */
export function parseQuery(text: string): Query {
  if (text === '') return EMPTY;
  // Without a prototype: a parameter may be called anything.
  const values: Record<string, string> = Object.create(null);
  const repeated = new Set<string>();
  const pairs = text.split('&');
  if (pairs.length > MAX_PARAMETERS)
    throw requestError('The query has too many parameters.', 'MALFORMED_URL');
  for (const pair of pairs) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    if (name in values) repeated.add(name);
    values[name] = at < 0 ? '' : decode(pair.slice(at + 1));
  }
  return { values, repeated: [...repeated] };
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw requestError('The query has broken percent-encoding.', 'MALFORMED_URL');
  }
}
