/** A LIKE pattern for a text anywhere in a lower-cased column; without one everything is found. */
export function searchPattern(q: string | undefined): string | undefined {
  if (q === undefined || q.trim() === '') return undefined;
  return `%${q
    .trim()
    .toLowerCase()
    .replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
}
