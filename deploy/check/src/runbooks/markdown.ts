/** A piece of a document that is typed somewhere: a fenced block, or code in a sentence. */
export interface Snippet {
  /** Of the fence; `inline` in a sentence. */
  readonly language: string;
  readonly text: string;
}

const FENCE = '```';

/** All code of a document, in its order. */
export function snippetsOf(markdown: string): Snippet[] {
  const snippets: Snippet[] = [];
  let prose: string[] = [];
  let block: { language: string; lines: string[] } | undefined;
  for (const line of markdown.split('\n')) {
    const bare = line.trim();
    if (!bare.startsWith(FENCE)) {
      (block?.lines ?? prose).push(line);
    } else if (block === undefined) {
      snippets.push(...inlineOf(prose));
      prose = [];
      block = { language: bare.slice(FENCE.length), lines: [] };
    } else {
      snippets.push({ language: block.language, text: block.lines.join('\n') });
      block = undefined;
    }
  }
  return [...snippets, ...inlineOf(prose)];
}

function inlineOf(lines: readonly string[]): Snippet[] {
  // Code in a sentence may go on in the next line, where the indentation of a list is none of it.
  const text = lines.map((line) => line.trim()).join('\n');
  return text
    .split('\n\n')
    .flatMap((paragraph) => paragraph.split('`').filter((_, index) => index % 2 === 1))
    .map((code) => ({ language: 'inline', text: code.replaceAll('\n', ' ') }));
}
