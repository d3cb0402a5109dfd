import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** The order of the pages, beside the guides themselves. */
export const MANIFEST = 'guides/index.json';

const manifest = z.strictObject({
  sections: z.array(
    z.strictObject({
      title: z.string().min(1),
      /** Markdown files below the documents' folder, in reading order. */
      pages: z.array(z.string().regex(/\.md$/)),
      /** Markdown files in or below it that no section names follow by name. */
      folder: z.string().optional(),
    }),
  ),
});

export interface PageFile {
  /** Below the documents' folder, with slashes. */
  readonly file: string;
  /** Where the portal serves it. */
  readonly url: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly PageFile[];
}

/** Where the portal serves a markdown file: its path, without the ending, in lower case. */
function urlOf(file: string): string {
  const name = file.replace(/\.md$/, '').toLowerCase();
  return `/docs/${name.replace(/\/(readme|index)$/, '')}`;
}

/** The sections and their files; a file that is listed and missing is an error that names it. */
export function readManifest(docs_directory: string): Section[] {
  const file = path.join(docs_directory, MANIFEST);
  const { sections } = manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
  const listed = sections.flatMap(({ pages }) => pages);
  for (const page of listed) {
    if (!existsSync(path.join(docs_directory, page))) {
      throw new Error(`${file} lists ${page}, which does not exist.`);
    }
    if (listed.indexOf(page) !== listed.lastIndexOf(page)) {
      throw new Error(`${file} lists ${page} twice.`);
    }
  }
  return sections
    .map(({ title, pages, folder }) => {
      const rest = folder === undefined ? [] : markdownFiles(docs_directory, folder);
      const files = [...pages, ...rest.filter((found) => !listed.includes(found))];
      return { title, pages: files.map((name) => ({ file: name, url: urlOf(name) })) };
    })
    .filter(({ pages }) => pages.length > 0);
}

/** Files of a folder before those of the folders in it, each by name. */
function markdownFiles(docs_directory: string, folder: string): string[] {
  const directory = path.join(docs_directory, folder);
  if (!existsSync(directory)) return [];
  const depth = (name: string) => name.split('/').length;
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
    .sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
}
