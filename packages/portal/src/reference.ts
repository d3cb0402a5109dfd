import { codeBlock } from './highlight';
import { type Html, html, type Piece, prose, slug } from './html';
import type { Heading } from './markdown';
import {
  exampleOf,
  type FoundAnswer,
  type FoundOperation,
  type Media,
  type OpenApiDocument,
} from './openapi-document';
import { fieldRows, fieldTable, SCHEMAS_URL, typeText } from './schema-table';
import { tryForm } from './try-form';

export const REFERENCE_URL = '/docs/reference';
export const EVENTS_URL = `${REFERENCE_URL}/webhook-events`;

/** A page of the reference, before it is put into the portal's frame. */
export interface ReferencePage {
  readonly url: string;
  readonly title: string;
  readonly summary: string;
  readonly body: Html;
  readonly headings: readonly Heading[];
  /** What the page describes one by one. */
  readonly entries: readonly ReferenceEntry[];
}

export interface ReferenceEntry {
  readonly id: string;
  readonly title: string;
  /** As in POST /accounts; empty for schemas. */
  readonly route: string;
  readonly method: string;
  readonly text: string;
}

const LIMITS: Readonly<Record<string, string>> = {
  STANDARD: 'Counts against the minute and day limits of the credential, or of the address.',
  PUBLIC_WRITE: '10 a minute from one address, counted for this operation alone.',
  BEST_EFFORT: 'Counts like any request, and is answered even when counting is impossible.',
};

/** All pages of the reference: one for each tag, the events that receivers get, the schemas. */
export class Reference {
  readonly #document: OpenApiDocument;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  pages(): ReferencePage[] {
    const operations = this.#document.operations();
    const tags = this.#document.tags.map(({ name, description }) =>
      this.#tagPage(
        name,
        description,
        operations.filter(({ tag }) => tag === name),
      ),
    );
    return [
      ...tags.filter(({ entries }) => entries.length > 0),
      this.#eventsPage(),
      this.#schemasPage(),
    ];
  }

  #tagPage(name: string, description: string, operations: FoundOperation[]): ReferencePage {
    return {
      url: `${REFERENCE_URL}/${slug(name)}`,
      title: name,
      summary: description,
      body: html`${operations.map((operation) => this.#operation(operation))}`,
      headings: operations.map(({ id, summary }) => ({ id, level: 2, text: summary })),
      entries: operations.map((operation) => entryOf(operation)),
    };
  }

  #eventsPage(): ReferencePage {
    const events = this.#document.events();
    return {
      url: EVENTS_URL,
      title: 'Webhook events',
      summary: 'What your webhook endpoints are sent, signed.',
      body: html`<p>How to subscribe, verify and answer is in the
<a href="/docs/guides/webhooks">guide to webhooks</a>.</p>
${events.map((event) => this.#event(event))}`,
      headings: events.map(({ id, summary }) => ({ id, level: 2, text: summary })),
      entries: events.map((event) => ({ ...entryOf(event), route: event.path, method: '' })),
    };
  }

  #schemasPage(): ReferencePage {
    const schemas = Object.entries(this.#document.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      url: SCHEMAS_URL,
      title: 'Schemas',
      summary: 'The objects that requests and answers are made of.',
      body: html`${schemas.map(
        ([name, schema]) => html`<section id="schema-${name}" class="schema">
<h2>${name} ${anchor(`schema-${name}`, name)}</h2>
${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}
${fieldTable(`Fields of ${name}`, fieldRows(schema)) ?? html`<p>${typeText(schema)}</p>`}
</section>
`,
      )}`,
      headings: schemas.map(([name]) => ({ id: `schema-${name}`, level: 2, text: name })),
      entries: schemas.map(([name, { description = '' }]) => ({
        id: `schema-${name}`,
        title: name,
        route: '',
        method: '',
        text: description,
      })),
    };
  }

  #operation(operation: FoundOperation): Html {
    const { id, method, path, summary, limit_class, body, answers } = operation;
    const { paragraphs, access } = described(operation);
    const successes = answers.filter(isSuccess);
    const success = successes.findLast(({ media }) => media !== undefined) ?? successes.at(-1);
    const idempotent = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
    return html`<article id="${id}" class="operation" aria-labelledby="${id}-title">
<h2 id="${id}-title">${summary} ${anchor(id, summary)}</h2>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span>
<code>${this.#document.base_path}${path}</code></p>
<div class="columns">
<div class="explanation">
${paragraphs.map((text) => html`<p>${prose(text)}</p>`)}
<dl class="facts">
<div><dt>Access</dt><dd>${prose(access)}</dd></div>
${
  limit_class !== undefined &&
  html`<div><dt>Limit</dt><dd>${LIMITS[limit_class] ?? limit_class}</dd></div>`
}
${
  idempotent &&
  html`<div><dt>Repeats</dt><dd>Safe: the same <code>Idempotency-Key</code> and body give the first
answer again.</dd></div>`
}
</dl>
${fieldTable('Parameters', parameterRows(operation))}
${body !== undefined && this.#fields('Body', body)}
${
  success?.media !== undefined &&
  html`<details><summary>Answer ${success.status}</summary>
<p>Type: ${typeText(success.media.schema)}</p>
${this.#fields('Fields of the answer', success.media)}
</details>`
}
${headerList(success)}
<details><summary>Errors</summary>${errorTable(answers)}</details>
</div>
<div class="samples">
<h3>Request</h3>
${codeBlock(curlOf(operation), 'bash', `Request: ${summary}`)}
${successSample(success, summary)}
${tryForm(operation, this.#document.base_path)}
</div>
</div>
</article>
`;
  }

  #event(event: FoundOperation): Html {
    const { id, path, summary, description, body, answers } = event;
    return html`<article id="${id}" class="operation" aria-labelledby="${id}-title">
<h2 id="${id}-title">${summary} ${anchor(id, summary)}</h2>
<p class="route"><code>${path}</code></p>
<div class="columns">
<div class="explanation">
${description.split('\n\n').map((text) => html`<p>${prose(text)}</p>`)}
${fieldTable('Headers', parameterRows(event))}
${body !== undefined && this.#fields('Body', body)}
<h3>Your answer</h3>
<ul>${answers.map(({ status, description: text }) => html`<li><code>${status}</code> ${prose(text)}</li>`)}</ul>
</div>
<div class="samples">
<h3>Body</h3>
${body !== undefined && jsonBlock(exampleOf(body), `Body: ${summary}`)}
</div>
</div>
</article>
`;
  }

  /** The fields of a body, or the name of what it is a list of. */
  #fields(caption: string, { schema }: Media): Html {
    const name = schema.$ref?.slice(schema.$ref.lastIndexOf('/') + 1);
    const named = name === undefined ? schema : this.#document.schemas[name];
    const table = named === undefined ? undefined : fieldTable(caption, fieldRows(named));
    return table ?? html`<p>${caption}: ${typeText(schema)}</p>`;
  }
}

function entryOf({ id, method, path, summary, description }: FoundOperation): ReferenceEntry {
  return { id, title: summary, route: `${method} ${path}`, method, text: description };
}

export function anchor(id: string, title: string): Html {
  return html`<a class="anchor" href="#${id}" aria-label="Link to “${title}”">#</a>`;
}

/** The document ends each description with who may call. */
function described({ description }: FoundOperation): { paragraphs: string[]; access: string } {
  const paragraphs = description.split('\n\n');
  const last = paragraphs.at(-1) ?? '';
  return last.startsWith('Needs ')
    ? { paragraphs: paragraphs.slice(0, -1), access: last }
    : { paragraphs, access: 'See above.' };
}

function isSuccess({ status }: FoundAnswer): boolean {
  return status.startsWith('2');
}

function parameterRows({ parameters }: FoundOperation) {
  return parameters.map(({ name, in: place, required = false, description, schema }) => ({
    name,
    note: html`<small>${place}${!required && ', optional'}</small>`,
    schema: { ...schema, description: description ?? schema.description },
  }));
}

function errorTable(answers: readonly FoundAnswer[]): Html {
  const rows = answers
    .filter((answer) => !isSuccess(answer))
    .map(
      ({ status, description, media }) => html`<tr>
<th scope="row">${status}</th>
<td><code>${errorCode(media) ?? ''}</code></td>
<td>${prose(description)}</td>
</tr>
`,
    );
  return html`<div class="table" tabindex="0" role="group" aria-label="Errors"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>
<p><a href="/docs/guides/errors">What to do about each</a></p>`;
}

function errorCode(media: Media | undefined): string | undefined {
  const example = media === undefined ? undefined : exampleOf(media);
  return (example as { error?: { code?: string } } | undefined)?.error?.code;
}

function headerList(success: FoundAnswer | undefined): Piece {
  if (success === undefined || success.headers.length === 0) return undefined;
  const items = success.headers.map(
    ({ name, description }) =>
      html`<div><dt><code>${name}</code></dt><dd>${prose(description)}</dd></div>
`,
  );
  return html`<details><summary>Headers of the answer</summary><dl class="facts">${items}</dl></details>`;
}

function successSample(success: FoundAnswer | undefined, summary: string): Piece {
  if (success === undefined) return undefined;
  const { status, media, content_types } = success;
  const example = media === undefined ? undefined : exampleOf(media);
  const sample =
    example === undefined
      ? html`<p>${content_types.length === 0 ? 'No body.' : `A document: ${content_types.join(', ')}.`}</p>`
      : jsonBlock(example, `Answer: ${summary}`);
  return html`<h3>Answer <span class="status">${status}</span></h3>${sample}`;
}

function jsonBlock(value: unknown, label: string): Html {
  return codeBlock(`${JSON.stringify(value, null, 2)}\n`, 'json', label);
}

/** The request as a command line; `$BASE` and `$KEY` are those of the guides. */
function curlOf({ method, path, security, parameters, body }: FoundOperation): string {
  let route = path;
  const query = new URLSearchParams();
  const headers: string[] = [];
  if (security.length > 0) {
    headers.push(`"Authorization: Bearer ${security.includes('apiKey') ? '$KEY' : '$TOKEN'}"`);
  }
  for (const parameter of parameters) {
    const example = exampleOf(parameter);
    if (example === undefined) continue;
    if (parameter.in === 'path') route = route.replace(`{${parameter.name}}`, String(example));
    if (parameter.in === 'query') query.set(parameter.name, String(example));
    if (parameter.in === 'header') headers.push(`'${parameter.name}: ${String(example)}'`);
  }
  const search = query.size === 0 ? '' : `?${query}`;
  const lines = [
    `curl ${method === 'GET' || (method === 'POST' && body) ? '' : `-X ${method} `}"$BASE${route}${search}"`,
  ];
  for (const header of headers) lines.push(`  -H ${header}`);
  if (body !== undefined) {
    const text = JSON.stringify(exampleOf(body) ?? {}, null, 2).replaceAll("'", "'\\''");
    lines.push(`  -H 'Content-Type: application/json'`, `  -d '${text}'`);
  }
  return `${lines.join(' \\\n')}\n`;
}
