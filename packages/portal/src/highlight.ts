import { escaped, type Html, trusted } from '@credit/pages';
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import csharp from 'highlight.js/lib/languages/csharp';
import go from 'highlight.js/lib/languages/go';
import http from 'highlight.js/lib/languages/http';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import protobuf from 'highlight.js/lib/languages/protobuf';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';

// Only what the pages use: the whole set takes a second to load.
const LANGUAGES = {
  bash,
  csharp,
  go,
  http,
  java,
  javascript,
  json,
  protobuf,
  python,
  sql,
  typescript,
  yaml,
};

for (const [name, language] of Object.entries(LANGUAGES)) {
  highlighter.registerLanguage(name, language);
}

/** Code with its parts marked up; as it is in a language that is not known. */
export function highlighted(code: string, language: string): Html {
  if (highlighter.getLanguage(language) === undefined) return trusted(escaped(code));
  return trusted(highlighter.highlight(code, { language }).value);
}

/** What a language is called above a block of it. */
const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
  bash: 'Shell',
  csharp: 'C#',
  go: 'Go',
  http: 'HTTP',
  java: 'Java',
  javascript: 'JavaScript',
  js: 'JavaScript',
  json: 'JSON',
  proto: 'Protocol Buffers',
  python: 'Python',
  sh: 'Shell',
  sql: 'SQL',
  ts: 'TypeScript',
  yaml: 'YAML',
};

/** A block of code that scrolls in itself and can be reached by keyboard. */
export function codeBlock(code: string, language: string, label: string): Html {
  const name = escaped(label);
  const shown = escaped(LANGUAGE_NAMES[language] ?? 'Text');
  return trusted(
    `<div class="code"><div class="code-bar"><span aria-hidden="true">${shown}</span></div>` +
      `<pre tabindex="0" role="group" aria-label="${name}">` +
      `<code>${highlighted(code, language)}</code></pre></div>`,
  );
}
