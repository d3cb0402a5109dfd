import { type Html, html, type Piece, prose, slug } from '@credit/pages';
import type { EntryKind } from '../browser/ranking';
import { codeBlock } from './highlight';
import type { Heading } from './markdown';
import {
  exampleOf,
  type FoundAnswer,
  type FoundError,
  type FoundOperation,
  type Media,
  type OpenApiDocument,
  type ReasonDescription,
  type Schema,
} from './openapi-document';
import {
  errorMarkdown,
  fieldLines,
  operationMarkdown,
  pageMarkdown,
  valuesMarkdown,
} from './reference-markdown';
import { LANGUAGES, sampleOf } from './samples';
import {
  fieldRows,
  fieldTable,
  SCHEMAS_URL,
  typeText,
  VALUES_URL,
  valueAnchor,
} from './schema-table';
import { tryForm } from './try-form';

export const REFERENCE_URL = '/docs/reference';
export const ERRORS_URL = '/docs/errors';
export const EVENTS_URL = `${REFERENCE_URL}/webhook-events`;

/** A page of the reference, before it is put into the portal's frame. */
export interface ReferencePage {
  readonly url: string;
  readonly title: string;
  readonly summary: string;
  readonly body: Html;
  /** The same for programs, and for whoever copies the page. */
  readonly markdown: string;
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
  readonly kind: EntryKind;
  /** What else it is called. */
  readonly also?: readonly string[];
  readonly text: string;
}

/** What people call a status. */
const STATUS_NAMES: Readonly<Record<string, readonly string[]>> = {
  400: ['bad request'],
  401: ['unauthorized', 'unauthorised'],
  403: ['forbidden', 'access denied', 'not allowed'],
  404: ['not found'],
  409: ['conflict'],
  413: ['too large', 'payload too large'],
  422: ['validation', 'unprocessable'],
  500: ['server error', 'unavailable', '503'],
};

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
      this.#errorsPage(),
      this.#valuesPage(),
      this.#schemasPage(),
    ];
  }

  #tagPage(name: string, description: string, operations: FoundOperation[]): ReferencePage {
    return {
      url: `${REFERENCE_URL}/${slug(name)}`,
      title: name,
      summary: description,
      body: html`${operations.map((operation) => this.#operation(operation))}`,
      markdown: pageMarkdown(
        name,
        description,
        operations.map((operation) => this.#markdown(operation)),
      ),
      headings: operations.map(({ id, summary }) => ({ id, level: 2, text: summary })),
      entries: operations.map((operation) => this.#entryOf(operation)),
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
      markdown: pageMarkdown(
        'Webhook events',
        'What your webhook endpoints are sent, signed: see /docs/guides/webhooks.md.',
        events.map((event) => eventMarkdown(event)),
      ),
      headings: events.map(({ id, summary }) => ({ id, level: 2, text: summary })),
      entries: events.map((event) => ({ ...this.#entryOf(event), route: event.path, method: '' })),
    };
  }

  #errorsPage(): ReferencePage {
    const errors = this.#document.errors();
    return {
      url: ERRORS_URL,
      title: 'Errors and reasons',
      summary: 'Every code and every reason that an error can have: what it means and what to do.',
      body: html`<p>Decide by the status and <code>code</code>, and by <code>reason</code> where it is
there; <code>message</code> is for people and may change. How to repeat a request safely is in the
<a href="/docs/guides/errors">guide to errors</a>.</p>
${errors.map((error) => this.#error(error))}`,
      markdown: pageMarkdown(
        'Errors and reasons',
        'Every code and every reason that an error can have.',
        errors.map(errorMarkdown),
      ),
      headings: errors.flatMap(({ code, status, reasons }) => [
        { id: code, level: 2, text: `${status} ${code}` },
        ...reasons.map(({ name }) => ({ id: name, level: 3, text: name })),
      ]),
      entries: errors.flatMap(({ code, status, cause, cure, reasons }) => [
        {
          id: code,
          title: `${status} ${code}`,
          route: 'Error',
          method: '',
          kind: 'reason' as const,
          also: [
            status,
            `error ${status}`,
            `http ${status}`,
            code,
            ...(STATUS_NAMES[status] ?? []),
          ],
          text: `${cause} ${cure}`,
        },
        ...reasons.map((reason) => ({
          id: reason.name,
          title: reason.name,
          route: `Reason of a ${status}`,
          method: '',
          kind: 'reason' as const,
          text: `${reason.cause} ${reason.cure}`,
        })),
      ]),
    };
  }

  #error({ code, status, cause, cure, example, reasons, operations }: FoundError): Html {
    const able = (list: readonly FoundOperation[]) =>
      list.map(
        ({ id, tag, summary }) =>
          html`<li><a href="${REFERENCE_URL}/${slug(tag)}#${id}">${summary}</a></li>
`,
      );
    const everywhere = operations.length === this.#document.operations().length;
    const from = (giving: readonly FoundOperation[]) =>
      giving.length === 0 || giving.length === operations.length
        ? ''
        : html`<details><summary>From ${giving.length} ${giving.length === 1 ? 'operation' : 'operations'}</summary><ul>${able(giving)}</ul></details>`;
    return html`<section id="${code}" class="operation">
<h2><span class="error-status">${status}</span> ${code} ${anchor(code, code)}</h2>
<p>${prose(cause)}</p>
<p><strong>What to do:</strong> ${prose(cure)}</p>
<details><summary>An example</summary>${jsonBlock(example, `Example of ${code}`)}</details>
${
  everywhere
    ? html`<p>Every operation can end so.</p>`
    : html`<details><summary>${operations.length} operations can end so</summary><ul>${able(operations)}</ul></details>`
}
${reasons.map(
  ({ name, cause: why, cure: remedy }) => html`<section id="${name}" class="reason">
<h3><code>${name}</code> ${anchor(name, name)}</h3>
<p>${prose(why)}</p>
<p><strong>What to do:</strong> ${prose(remedy)}</p>
${from(operations.filter((operation) => operation.reasons.includes(name)))}
</section>
`,
)}
</section>
`;
  }

  #valuesPage(): ReferencePage {
    const sets = this.#document.valueSets();
    return {
      url: VALUES_URL,
      title: 'Values',
      summary: 'Every closed set of values, and what each of them means.',
      body: html`${sets.map(
        ({ title, meanings }) => html`<section id="${slug(title)}" class="schema">
<h2>${title} ${anchor(slug(title), title)}</h2>
<div class="table" tabindex="0" role="group" aria-label="${title}"><table>
<thead><tr><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead>
<tbody>${Object.entries(meanings).map(
          ([value, meaning]) => html`<tr id="${valueAnchor(title, value)}">
<th scope="row"><code>${value}</code></th><td>${prose(meaning)}</td></tr>
`,
        )}</tbody>
</table></div>
</section>
`,
      )}`,
      markdown: pageMarkdown(
        'Values',
        'Every closed set of values, and what each of them means.',
        sets.map(valuesMarkdown),
      ),
      headings: sets.map(({ title }) => ({ id: slug(title), level: 2, text: title })),
      entries: sets.flatMap(({ title, meanings }) =>
        Object.entries(meanings).map(([value, text]) => ({
          id: valueAnchor(title, value),
          title: value,
          route: title,
          method: '',
          kind: 'value' as const,
          text,
        })),
      ),
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
${fieldTable(`Fields of ${name}`, ownRows(name, schema)) ?? html`<p>${typeText(schema)}</p>`}
</section>
`,
      )}`,
      markdown: pageMarkdown(
        'Schemas',
        'The objects that requests and answers are made of.',
        schemas.map(
          ([name, schema]) =>
            `## ${name}\n\n${[schema.description, fieldLines(ownRows(name, schema))].filter(Boolean).join('\n\n')}`,
        ),
      ),
      headings: schemas.map(([name]) => ({ id: `schema-${name}`, level: 2, text: name })),
      entries: [
        ...schemas.map(([name, schema]) => ({
          id: `schema-${name}`,
          title: name,
          route: '',
          method: '',
          kind: 'field' as const,
          text: [schema.description, ...ownRows(name, schema).map((row) => row.name)].join(' '),
        })),
        ...fieldEntries(schemas),
      ],
    };
  }

  #operation(operation: FoundOperation): Html {
    const { id, method, path, summary, limit_class, body, upload, answers } = operation;
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
  upload !== undefined &&
  html`<h3>Body</h3>
<p>A file as it is, of type ${upload.types.map((type, at) => html`${at > 0 && ' or '}<code>${type}</code>`)}.</p>`
}
${
  success?.media !== undefined &&
  html`<details><summary>Answer ${success.status}</summary>
<p>Type: ${typeText(success.media.schema)}</p>
${this.#fields('Fields of the answer', success.media)}
</details>`
}
${headerList(success)}
<details><summary>Errors</summary>${errorTable(answers, operation.reasons, this.#document.reasons)}</details>
</div>
<div class="samples">
<h3>Request</h3>
${requestSamples(operation, this.#document.base_path)}
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

  #markdown(operation: FoundOperation): string {
    const success = operation.answers.findLast((answer) => isSuccess(answer) && answer.media);
    return operationMarkdown(operation, this.#document.base_path, {
      parameters: fieldLines(parameterRows(operation)),
      body: this.#fieldLines(operation.body),
      answer: this.#fieldLines(success?.media),
    });
  }

  #fieldLines(media: Media | undefined): string {
    if (media === undefined) return '';
    const schema = this.#named(media.schema.items ?? media.schema);
    const options = schema?.oneOf?.map((option) => this.#named(option)) ?? [schema];
    return options
      .map((option) => (option === undefined ? '' : fieldLines(this.#rows(option))))
      .join('\n\n')
      .trim();
  }

  #named(schema: Schema): Schema | undefined {
    const { $ref } = schema;
    return $ref === undefined
      ? schema
      : this.#document.schemas[$ref.slice($ref.lastIndexOf('/') + 1)];
  }

  #rows(schema: Schema) {
    return fieldRows(schema, (reference) => this.#named(reference));
  }

  /** The fields of a body, or the name of what it is a list of. */
  #fields(caption: string, { schema }: Media): Html {
    const named = this.#named(schema);
    if (named?.oneOf !== undefined) {
      return html`${named.oneOf.map(
        (option) => html`<h3>${caption}: ${typeText(option)}</h3>${this.#table(caption, option)}`,
      )}`;
    }
    const table = named === undefined ? undefined : this.#table(caption, named);
    return table ?? html`<p>${caption}: ${typeText(schema)}</p>`;
  }

  #table(caption: string, schema: Schema): Html | undefined {
    const own = this.#named(schema);
    return own === undefined ? undefined : fieldTable(caption, this.#rows(own));
  }

  #entryOf(operation: FoundOperation): ReferenceEntry {
    const { id, method, path, summary, description, parameters } = operation;
    const words = [description, ...parameters.map(({ name }) => name)];
    return {
      id,
      title: summary,
      route: `${method} ${path}`,
      method,
      kind: 'operation',
      also: [id, path, `${method} ${path}`],
      text: words.join(' '),
    };
  }
}

function eventMarkdown({ path, summary, description, body }: FoundOperation): string {
  const example = body === undefined ? undefined : exampleOf(body);
  const shown = `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``;
  return [`## ${summary}`, `\`${path}\``, description, shown].join('\n\n');
}

/** The fields of a schema with their anchors; other schemas stay links. */
function ownRows(name: string, schema: Schema) {
  return fieldRows(schema, () => undefined).map((row) => ({
    ...row,
    id: `field-${name}.${row.name}`,
  }));
}

/** Each field once, at the shortest name of a schema that has it: what is sent before what comes. */
function fieldEntries(schemas: readonly (readonly [string, Schema])[]): ReferenceEntry[] {
  const rank = (name: string) => (/^New|Request$/.test(name) ? 0 : 100) + name.length;
  const found = new Map<
    string,
    { readonly id: string; readonly in_schemas: string[]; text: string }
  >();
  for (const [name, schema] of [...schemas].sort(([a], [b]) => rank(a) - rank(b))) {
    for (const { name: path, id, schema: field } of ownRows(name, schema)) {
      const last = path.slice(path.lastIndexOf('.') + 1).replace('[]', '');
      const known = found.get(last) ?? { id, in_schemas: [], text: '' };
      found.set(last, known);
      if (!known.in_schemas.includes(name)) known.in_schemas.push(name);
      const said = field.description ?? '';
      if (!known.text.includes(said)) known.text += `${said} `;
    }
  }
  return [...found].map(([title, { id, in_schemas, text }]) => ({
    id,
    title,
    route: `field of ${in_schemas.slice(0, 3).join(', ')}${in_schemas.length > 3 ? ' …' : ''}`,
    method: '',
    kind: 'field',
    text: text.trim(),
  }));
}

export function anchor(id: string, title: string): Html {
  return html`<a class="anchor" href="#${id}" aria-label="Link to “${title}”">#</a>`;
}

/** Begins the sentence on how often, which the page says in a line of its own. */
const LIMIT_SENTENCE = / (?:Counts against|Limited to) /;

/** The document ends each description with who may call and how often. */
function described({ description }: FoundOperation): { paragraphs: string[]; access: string } {
  const paragraphs = description.split('\n\n');
  const last = paragraphs.at(-1) ?? '';
  return last.startsWith('Needs ')
    ? { paragraphs: paragraphs.slice(0, -1), access: last.split(LIMIT_SENTENCE, 1)[0] ?? '' }
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

function errorTable(
  answers: readonly FoundAnswer[],
  own_reasons: readonly string[],
  reasons: Readonly<Record<string, ReasonDescription>>,
): Html {
  const rows = answers
    .filter((answer) => !isSuccess(answer))
    .map(({ status, description, error_code = '' }) => {
      const named = own_reasons.filter((name) => reasons[name]?.code === error_code);
      return html`<tr>
<th scope="row">${status}</th>
<td><a href="${ERRORS_URL}#${error_code}"><code>${error_code}</code></a></td>
<td>${prose(description)}${
        named.length > 0 &&
        html`<ul class="reasons">${named.map(
          (name) =>
            html`<li><a href="${ERRORS_URL}#${name}"><code>${name}</code></a> ${prose(reasons[name]?.cause ?? '')}</li>
`,
        )}</ul>`
      }</td>
</tr>
`;
    });
  return html`<div class="table" tabindex="0" role="group" aria-label="Errors"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>`;
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

/** One request in every language; the page's script shows the one that was chosen. */
function requestSamples(operation: FoundOperation, base_path: string): Html {
  return html`<div class="request-samples">
<div class="languages" role="group" aria-label="Language of the samples" hidden>
${LANGUAGES.map(
  ({ id, label }, at) =>
    html`<button type="button" data-choose="${id}" aria-pressed="${at === 0 ? 'true' : 'false'}">${label}</button>
`,
)}</div>
${LANGUAGES.map(
  ({ id, label, highlight }, at) =>
    html`<div data-language="${id}"${at > 0 && html` hidden`}>${codeBlock(
      sampleOf(operation, id, base_path),
      highlight,
      `Request in ${label}: ${operation.summary}`,
    )}</div>
`,
)}
</div>`;
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
