/** The parts of an OpenAPI document that the page shows. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
}

interface Content {
  readonly 'application/json'?: { readonly schema: Schema; readonly example?: unknown };
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<
      string,
      { readonly $ref?: string; readonly description?: string; readonly content?: Content }
    >
  >;
}

interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Described }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, { readonly description: string }>>;
  };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}

/** Escaped text in which `code` is marked up. */
function prose(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function lastStep(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = lastStep(schema.$ref);
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return `<code>${escaped(String(schema.const))}</code>`;
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives !== undefined) return alternatives.map(typeText).join(' or ');
  if (schema.items !== undefined) return `array of ${typeText(schema.items)}`;
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any']);
  const name = types.map((type) => (type === 'string' && schema.format) || type).join(' or ');
  return escaped(name);
}

function range(what: string, min: number | undefined, max: number | undefined): string[] {
  if (min === undefined && max === undefined) return [];
  if (max === undefined) return [`at least ${min}${what}`];
  return [min === undefined ? `at most ${max}${what}` : `${min} to ${max}${what}`];
}

function rulesText(schema: Schema): string {
  const rules = [
    ...range('', schema.minimum, schema.maximum),
    ...range(' characters', schema.minLength, schema.maxLength),
    ...range(' items', schema.minItems, schema.maxItems),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
  const values = schema.enum?.filter((value) => value !== null) ?? [];
  const text = rules.length === 0 ? '' : `${escaped(rules.join(', '))}. `;
  const names = values.map((value) => `<code>${escaped(String(value))}</code>`).join(' ');
  return `${text}${schema.description === undefined ? '' : `${prose(schema.description)} `}${names}`;
}

interface Row {
  readonly name: string;
  readonly note: string;
  readonly schema: Schema;
}

function table(caption: string, rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const body = rows.map(
    ({ name, note, schema }) =>
      `<tr><th scope="row"><code>${escaped(name)}</code>${note}</th>` +
      `<td>${typeText(schema)}</td><td>${rulesText(schema)}</td></tr>`,
  );
  return (
    `<div class="table"><table><caption>${escaped(caption)}</caption>` +
    '<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Rules</th></tr></thead>' +
    `<tbody>${body.join('')}</tbody></table></div>`
  );
}

function fieldRows(schema: Schema): Row[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const row = { name, note: required.has(name) ? '' : ' <small>optional</small>', schema: field };
    // Objects that have no name of their own are shown in place.
    const inner = field.properties === undefined ? field.items : field;
    if (inner?.properties === undefined) return [row];
    const dotted = fieldRows(inner).map((nested) => ({
      ...nested,
      name: `${name}.${nested.name}`,
    }));
    return [row, ...dotted];
  });
}

function example(title: string, content: Content | undefined): string {
  const value = content?.['application/json']?.example;
  if (value === undefined) return '';
  const text = escaped(JSON.stringify(value, null, 2));
  return `<details><summary>${escaped(title)}</summary><pre tabindex="0"><code>${text}</code></pre></details>`;
}

function bodyText(title: string, content: Content | undefined): string {
  const schema = content?.['application/json']?.schema;
  return schema === undefined ? '' : `<p><strong>${title}:</strong> ${typeText(schema)}</p>`;
}

class Page {
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  render(): string {
    const { info, servers, tags, webhooks, components } = this.#document;
    const sections = tags.map(({ name, description }) => this.#tag(name, description));
    const events = Object.entries(webhooks).map(([name, { post }]) =>
      this.#operation('POST', name, post),
    );
    const schemas = Object.entries(components.schemas).map(
      ([name, schema]) =>
        `<section id="schema-${name}"><h3>${name}</h3>${this.#schema(name, schema)}</section>`,
    );
    const links = tags.map(({ name }) => `<li><a href="#${slug(name)}">${escaped(name)}</a></li>`);
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info.title)} API</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<h1>${escaped(info.title)} API <small>${escaped(info.version)}</small></h1>
<p>${prose(info.description)}</p>
<p>Base path <code>${escaped(servers[0]?.url ?? '')}</code> ·
<a href="${escaped(servers[0]?.url ?? '')}/openapi.json">OpenAPI document</a></p>
</header>
<nav aria-label="Sections"><ul>${links.join('')}
<li><a href="#webhook-events">Webhook events</a></li><li><a href="#schemas">Schemas</a></li></ul></nav>
<main id="content">
${sections.join('\n')}
<section id="webhook-events"><h2>Webhook events</h2>
<p>What your webhook endpoints receive.</p>${events.join('')}</section>
<section id="schemas"><h2>Schemas</h2>${schemas.join('')}</section>
</main>
</body>
</html>
`;
  }

  #tag(name: string, description: string): string {
    const shown = Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.tags.includes(name))
        .map(([method, operation]) => this.#operation(method.toUpperCase(), path, operation)),
    );
    return (
      `<section id="${slug(name)}"><h2>${escaped(name)}</h2>` +
      `<p>${prose(description)}</p>${shown.join('')}</section>`
    );
  }

  #operation(method: string, path: string, operation: Described): string {
    const { components } = this.#document;
    const parameters = operation.parameters.map((parameter) =>
      parameter.$ref === undefined
        ? parameter
        : (components.parameters[lastStep(parameter.$ref)] ?? parameter),
    );
    const rows = parameters.map(({ name, in: place, required, description, schema }) => ({
      name,
      note: ` <small>${place}${required ? '' : ', optional'}</small>`,
      schema: { ...schema, description: description ?? schema.description },
    }));
    const answers = Object.entries(operation.responses).map(([status, response]) => {
      const shared = response.$ref && components.responses[lastStep(response.$ref)]?.description;
      const text = shared ?? response.description ?? '';
      return `<li><code>${status}</code> ${prose(text)}</li>`;
    });
    const success = Object.values(operation.responses).find(({ content }) => content !== undefined);
    const paragraphs = operation.description.split('\n\n').map((text) => `<p>${prose(text)}</p>`);
    return `<article id="${operation.operationId}">
<h3><code class="method">${method}</code> <code>${escaped(path)}</code> ${escaped(operation.summary)}</h3>
${paragraphs.join('')}
${table('Parameters', rows)}
${bodyText('Body', operation.requestBody?.content)}${example('Example body', operation.requestBody?.content)}
${bodyText('Answer', success?.content)}${example('Example answer', success?.content)}
<details><summary>Statuses</summary><ul>${answers.join('')}</ul></details>
</article>`;
  }

  #schema(name: string, schema: Schema): string {
    if (schema.properties === undefined) return `<p>${typeText(schema)}</p>`;
    return table(`Fields of ${name}`, fieldRows(schema));
  }
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

/** The reference as one page, made from the document; it needs no script and no other host. */
export function renderDocs(openapi: Record<string, unknown>): string {
  return new Page(openapi as unknown as Document).render();
}

export const DOCS_STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --accent: #8ab4f8; } }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
a { color: var(--accent); }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; padding: .5rem 0;
  border-block: 1px solid var(--line); }
article { border-top: 1px solid var(--line); padding-block: .5rem; }
h3 { overflow-wrap: anywhere; }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
.method { background: var(--soft); border: 1px solid var(--line); border-radius: .25rem;
  padding: .1rem .4rem; }
.table, pre { overflow-x: auto; }
pre { background: var(--soft); padding: .75rem; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; font-weight: 600; padding-block: .5rem; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .5rem; text-align: left;
  vertical-align: top; }
th { font-weight: 500; }
summary { cursor: pointer; }
`;
