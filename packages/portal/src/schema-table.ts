import { breakable, type Html, html, type Piece, prose, slug, trusted } from '@credit/pages';
import type { Schema } from './openapi-document';

export const SCHEMAS_URL = '/docs/reference/schemas';
export const VALUES_URL = '/docs/reference/values';

/** More values than these are folded away. */
const MOST_OPEN_VALUES = 4;

/** The anchor of a value on the page of values. */
export function valueAnchor(title: string, value: string): string {
  return `${slug(title)}-${value}`;
}

/** What each value means; nothing for values that say it themselves. */
function meaningsList(schema: Schema): Html | undefined {
  const { 'x-enum-title': title, 'x-enumDescriptions': meanings } = schema;
  if (title === undefined || meanings === undefined) return undefined;
  const rows = Object.entries(meanings);
  const list = html`<dl class="meanings">${rows.map(
    ([
      value,
      meaning,
    ]) => html`<div><dt><code>${breakable(value)}</code></dt><dd>${prose(meaning)}</dd></div>
`,
  )}</dl>`;
  if (rows.length <= MOST_OPEN_VALUES) return list;
  return html`<details class="values"><summary>${rows.length} values</summary>${list}</details>`;
}

function lastStep(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function joined(pieces: readonly Html[], separator: string): Html {
  return trusted(pieces.map(String).join(separator));
}

/** A schema's type in a few words; named schemas are links. */
export function typeText(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = lastStep(schema.$ref);
    return html`<a href="${SCHEMAS_URL}#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`;
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives !== undefined) return joined(alternatives.map(typeText), ' or ');
  if (schema.allOf?.[0] !== undefined) return joined(schema.allOf.map(typeText), ' and ');
  if (schema.items !== undefined) return html`array of ${typeText(schema.items)}`;
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any']);
  return html`${types.map((type) => (type === 'string' && schema.format) || type).join(' or ')}`;
}

const NUMBERS = new Intl.NumberFormat('en-US');

function range(what: string, min: number | undefined, max: number | undefined): string[] {
  if (min === undefined && max === undefined) return [];
  const shown = (bound: number) => NUMBERS.format(bound);
  if (max === undefined) return [`at least ${shown(min ?? 0)}${what}`];
  if (min === undefined) return [`at most ${shown(max)}${what}`];
  return min === max ? [`exactly ${shown(min)}${what}`] : [`${shown(min)} to ${shown(max)}${what}`];
}

/** What a value has to be, and what it means. */
export function rulesText(schema: Schema): Html {
  const rules = [
    ...range('', schema.minimum, schema.maximum),
    ...range(' characters', schema.minLength, schema.maxLength),
    ...range(' items', schema.minItems, schema.maxItems),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
  const values = (schema.enum ?? schema.items?.enum)?.filter((value) => value !== null) ?? [];
  const parts: Html[] = [];
  if (schema.description !== undefined) parts.push(prose(schema.description));
  if (rules.length > 0) parts.push(html`<span class="rules">${rules.join(', ')}</span>`);
  const meanings = meaningsList(schema.items ?? schema);
  if (meanings !== undefined) parts.push(meanings);
  else if (values.length > 0) {
    const codes = values.map((value) => html`<code>${String(value)}</code>`);
    parts.push(html`<span class="values">${joined(codes, ' ')}</span>`);
  }
  return joined(parts, ' ');
}

export interface Row {
  readonly name: string;
  readonly note: Piece;
  readonly schema: Schema;
  /** Its anchor, where it has one. */
  readonly id?: string | undefined;
}

/** A table of fields or parameters; nothing when there are none. */
export function fieldTable(caption: string, rows: readonly Row[]): Html | undefined {
  if (rows.length === 0) return undefined;
  const body = rows.map(
    ({ name, note, schema, id }) => html`<tr${id !== undefined && html` id="${id}"`}>
<th scope="row"><code>${breakable(name)}</code> ${note}</th>
<td>${typeText(schema)}</td>
<td>${rulesText(schema)}</td>
</tr>
`,
  );
  return html`<div class="table" tabindex="0" role="group" aria-label="${caption}"><table class="fields">
<caption>${caption}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Rules</th></tr></thead>
<tbody>${body}</tbody>
</table></div>`;
}

const OPTIONAL = html`<small>optional</small>`;

/** What a reference leads to; undefined where it is to stay a link. */
export type SchemaResolver = (schema: Schema) => Schema | undefined;

const DEEPEST = 4;

/** The fields of a schema, with those of the objects in it in place. */
export function fieldRows(schema: Schema, resolve: SchemaResolver, depth = 1): Row[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const row = { name, note: !required.has(name) && OPTIONAL, schema: field };
    const object = objectIn(field, resolve);
    if (object === undefined || depth === DEEPEST) return [row];
    const { inner, mark } = object;
    const dotted = fieldRows(inner, resolve, depth + 1).map((nested) => ({
      ...nested,
      name: `${name}${mark}.${nested.name}`,
    }));
    return [row, ...dotted];
  });
}

/** The object that a field holds, itself or in a list. */
function objectIn(
  field: Schema,
  resolve: SchemaResolver,
): { inner: Schema; mark: string } | undefined {
  const resolved = (schema: Schema | undefined) =>
    schema?.$ref === undefined ? schema : resolve(schema);
  // An object or null.
  const of_null = field.anyOf?.find(({ type }) => type !== 'null');
  const own = resolved(of_null ?? field);
  if (own?.properties !== undefined) return { inner: own, mark: '' };
  const item = resolved(own?.items);
  return item?.properties === undefined ? undefined : { inner: item, mark: '[]' };
}
