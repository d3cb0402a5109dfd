import type { SearchEntry } from '../browser/ranking';
import type { Prose } from './markdown';
import type { ReferencePage } from './reference';
import { SYNONYMS } from './synonyms';

/** A page of prose and where it stands. */
export interface IndexedGuide extends Prose {
  readonly url: string;
  readonly section: string;
}

/** Documents of the services behind the API: they come last. */
const INTERNAL = '/docs/grpc';

/** Everything that can be found, in the order of the pages. */
export function searchIndex(
  guides: readonly IndexedGuide[],
  reference: readonly ReferencePage[],
  reference_title: string,
): SearchEntry[] {
  const entries = [
    ...reference.flatMap((page) => referenceEntries(page, reference_title)),
    ...guides.flatMap(guideEntries),
  ];
  const named = new Set<string>();
  const known = new Set<string>();
  // A thing may have several rows of one table.
  const apart = entries.filter(({ url, title }) => {
    const place = `${url} ${title}`;
    return !known.has(place) && known.add(place);
  });
  return apart.map((entry) => {
    // Several entries may lead to one place; the first is the place itself.
    if (named.has(entry.url)) return entry;
    named.add(entry.url);
    return { ...entry, also: [...entry.also, ...(SYNONYMS[entry.url] ?? [])] };
  });
}

function referenceEntries(page: ReferencePage, reference_title: string): SearchEntry[] {
  const { url, title, summary, entries } = page;
  return [
    { url, title, where: reference_title, kind: 'page', also: [], text: summary },
    ...entries.map(({ id, title: name, route, kind, also = [], text }) => ({
      url: `${url}#${id}`,
      title: name,
      where: route || title,
      kind,
      also,
      text,
    })),
  ];
}

function guideEntries({ url, title, section, summary, sections }: IndexedGuide): SearchEntry[] {
  const is_internal = url.startsWith(INTERNAL);
  return sections.flatMap(({ heading, text, rows }): SearchEntry[] => {
    const place = heading === undefined ? url : `${url}#${heading.id}`;
    const own: SearchEntry = {
      url: place,
      title: heading?.text ?? title,
      where: heading === undefined ? section : title,
      kind: heading === undefined ? 'page' : 'section',
      also: [],
      text: heading === undefined ? text || summary : text,
    };
    const named = rows.flatMap(({ names, id, text: meaning }) =>
      names.map(
        (name): SearchEntry => ({
          url: id === undefined ? place : `${url}#${id}`,
          title: name,
          where: heading === undefined ? title : `${heading.text} · ${title}`,
          kind: id === undefined ? 'row' : 'term',
          also: [],
          text: meaning,
        }),
      ),
    );
    return is_internal ? [{ ...own, kind: 'internal' }] : [own, ...named];
  });
}
