/** A LIKE pattern for a text anywhere in a lower-cased column; null finds everything. */
export function searchPattern(q: string | null): string | null {
  if (q === null || q.trim() === '') return null;
  return `%${q
    .trim()
    .toLowerCase()
    .replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
}
