import MiniSearch, { type SearchResult } from 'minisearch';

/** How much an entry is worth beside another one with the same words, by what it is. */
const WEIGHTS = {
  page: 1.6,
  section: 1.3,
  operation: 1.3,
  reason: 1.3,
  value: 1.2,
  field: 1.1,
  term: 0.9,
  row: 0.8,
  /** Of the services behind the API: these come after everything else. */
  internal: 0.5,
} as const;

/** What an entry of the index is. */
export type EntryKind = keyof typeof WEIGHTS;

/** An entry of the search index. */
export interface SearchEntry {
  readonly url: string;
  readonly title: string;
  /** What is shown beside the title: the route of an operation, or the page. */
  readonly where: string;
  readonly kind: EntryKind;
  /** What else people call it. */
  readonly also: readonly string[];
  readonly text: string;
}

/** An entry with the words around the first hit in its text; empty when only its title was hit. */
export interface Found extends SearchEntry {
  readonly excerpt: string;
}

const MOST_RESULTS = 12;
const EXCERPT_CHARACTERS = 110;
const FIELD_WEIGHTS = { title: 6, also: 6, where: 2, text: 1 };
/** The whole query is the title, or one of the other names. */
const EXACT = 6;

function stem(word: string): string {
  return word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

const JOINTS = '_.:-';

/** Without what joins words, at either end. */
function trimmed(word: string): string {
  let from = 0;
  let to = word.length;
  while (from < to && JOINTS.includes(word.charAt(from))) from++;
  while (to > from && JOINTS.includes(word.charAt(to - 1))) to--;
  return word.slice(from, to);
}

/** Words as they are written, without what stands around them. */
function wordsOf(text: string): string[] {
  return text
    .split(/[^\p{L}\p{N}_.:$-]+/u)
    .map(trimmed)
    .filter((word) => word !== '');
}

/** With the parts of names, as `past` and `due` of PAST_DUE and `create` of createSubject. */
function indexedWords(text: string): string[] {
  return wordsOf(text).flatMap((word) => {
    const parts = word.split(/[_.:-]|(?<=[a-z])(?=[A-Z])/).filter((part) => part !== '');
    return parts.length > 1 ? [word, ...parts] : [word];
  });
}

interface Numbered extends Omit<SearchEntry, 'also'> {
  readonly id: number;
  readonly also: string;
}

/** Finds entries by their words, offline. */
export class SearchEngine {
  readonly #entries: readonly SearchEntry[];
  readonly #index: MiniSearch<Numbered>;

  constructor(entries: readonly SearchEntry[]) {
    this.#entries = entries;
    this.#index = new MiniSearch<Numbered>({
      fields: Object.keys(FIELD_WEIGHTS),
      tokenize: indexedWords,
      processTerm: (word) => stem(word.toLowerCase()),
      searchOptions: {
        boost: FIELD_WEIGHTS,
        boostDocument: (id) => WEIGHTS[this.#entry(Number(id)).kind],
        tokenize: wordsOf,
        prefix: (word) => word.length > 1,
        weights: { prefix: 0.4, fuzzy: 0.15 },
      },
    });
    this.#index.addAll(entries.map((entry, id) => ({ ...entry, id, also: entry.also.join(', ') })));
  }

  /** The entries with all words, at worst with similar ones or with any of them; best first. */
  find(query: string): Found[] {
    const wanted = query.trim().toLowerCase();
    if (wordsOf(query).length === 0) return [];
    return this.#results(query)
      .map((result) => {
        const entry = this.#entry(Number(result.id));
        const is_exact = [entry.title, ...entry.also].some((name) => name.toLowerCase() === wanted);
        return { entry, result, points: is_exact ? result.score * EXACT : result.score };
      })
      .sort(
        (a, b) =>
          Number(a.entry.kind === 'internal') - Number(b.entry.kind === 'internal') ||
          b.points - a.points,
      )
      .slice(0, MOST_RESULTS)
      .map(({ entry, result }) => ({ ...entry, excerpt: excerptOf(entry, result) }));
  }

  #results(query: string): SearchResult[] {
    // Numbers and names of values are meant as they are written.
    const fuzzy = (word: string) => (/^[a-z]{5,}$/i.test(word) ? 0.2 : false);
    const attempts = [
      { combineWith: 'AND' },
      { combineWith: 'AND', fuzzy },
      { combineWith: 'OR', fuzzy },
    ] as const;
    for (const options of attempts) {
      const results = this.#index.search(query, options);
      if (results.length > 0) return results;
    }
    return [];
  }

  #entry(id: number): SearchEntry {
    const entry = this.#entries[id];
    if (entry === undefined) throw new Error(`The index has no entry ${id}.`);
    return entry;
  }
}

function excerptOf({ text }: SearchEntry, { terms }: SearchResult): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  // From the beginning of a word, a little before the hit.
  const from = at < 40 ? 0 : lower.indexOf(' ', at - 40) + 1;
  const cut = text.slice(from, from + EXCERPT_CHARACTERS).trimEnd();
  return `${from > 0 ? '… ' : ''}${cut}${from + EXCERPT_CHARACTERS < text.length ? ' …' : ''}`;
}
