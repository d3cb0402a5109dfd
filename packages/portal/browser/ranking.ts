/** An entry of the search index. */
export interface SearchEntry {
  readonly url: string;
  readonly title: string;
  /** What is shown beside the title: the route of an operation, or the page. */
  readonly where: string;
  readonly method: string;
  /** Words that are searched and not shown. */
  readonly text: string;
}

/** How much a word in each place is worth; the start of a word counts more than its middle. */
const WEIGHTS = { title: 10, where: 6, text: 1 } as const;
const MOST_RESULTS = 12;

/** The entries in which every word occurs, best first. */
export function ranked(entries: readonly SearchEntry[], query: string): SearchEntry[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, points: pointsOf(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || a.entry.title.length - b.entry.title.length)
    .slice(0, MOST_RESULTS)
    .map(({ entry }) => entry);
}

function pointsOf(entry: SearchEntry, words: readonly string[]): number {
  let sum = 0;
  for (const word of words) {
    const points =
      wordPoints(entry.title, word, WEIGHTS.title) +
      wordPoints(entry.where, word, WEIGHTS.where) +
      wordPoints(entry.text, word, WEIGHTS.text);
    if (points === 0) return 0;
    sum += points;
  }
  // Where words occur equally, an operation is what is mostly looked for.
  return entry.method === '' ? sum : sum + 2;
}

function wordPoints(text: string, word: string, weight: number): number {
  const lower = text.toLowerCase();
  const at = lower.indexOf(word);
  if (at < 0) return 0;
  if (lower === word) return weight * 4;
  return at === 0 || /[^a-z0-9]/.test(lower.charAt(at - 1)) ? weight * 2 : weight;
}
