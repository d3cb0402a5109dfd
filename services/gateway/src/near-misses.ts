import { BASE_PATH, type Operation } from '@credit/contract';

/** Longer ones are no slip of the keyboard, and would cost what they are worth. */
const LONGEST_PATH = 200;
const MOST_SLIPS = 2;
const SHOWN = 3;

/** Routes that a caller who met none may have meant, the likeliest first: `POST /api/v1/accounts`. */
export function nearMisses(
  operations: readonly Operation[],
  method: string,
  path: string,
): string[] {
  if (path.length > LONGEST_PATH) return [];
  const given = segmentsOf(path.toLowerCase());
  return operations
    .flatMap((operation) => {
      const slips = slipsBetween(given, segmentsOf(BASE_PATH + operation.path));
      const other_method = operation.method === method ? 0 : 0.5;
      const name = `${operation.method} ${BASE_PATH}${operation.path}`;
      return slips <= MOST_SLIPS ? [{ name, distance: slips + other_method }] : [];
    })
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SHOWN)
    .map(({ name }) => name);
}

/** Without the prefix, which is often forgotten, and without empty ones. */
function segmentsOf(path: string): string[] {
  const [, ...prefix] = BASE_PATH.split('/');
  const segments = path.split('/').filter((segment) => segment !== '');
  return prefix.every((part, at) => segments[at] === part)
    ? segments.slice(prefix.length)
    : segments;
}

function slipsBetween(given: readonly string[], declared: readonly string[]): number {
  if (given.length !== declared.length) return Infinity;
  let slips = 0;
  for (const [at, segment] of declared.entries()) {
    if (!segment.startsWith('{')) slips += editDistance(given[at] ?? '', segment);
    if (slips > MOST_SLIPS) return Infinity;
  }
  return slips;
}

/** Characters to put in, take out or change (Levenshtein); over the most slips when lengths say so. */
function editDistance(one: string, other: string): number {
  if (one === other) return 0;
  if (Math.abs(one.length - other.length) > MOST_SLIPS) return Infinity;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? Infinity;
}
