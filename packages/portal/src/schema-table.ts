import { escaped, Html, html, type Piece, prose } from './html';
import type { Schema } from './openapi-document';

export const SCHEMAS_URL = '/docs/reference/schemas';

function lastStep(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function joined(pieces: readonly Html[], separator: string): Html {
  return new Html(pieces.map(({ text }) => text).join(separator));
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

function range(what: string, min: number | undefined, max: number | undefined): string[] {
  if (min === undefined && max === undefined) return [];
  const shown = (bound: number) => bound.toLocaleString('en-US');
  if (max === undefined) return [`at least ${shown(min ?? 0)}${what}`];
  if (min === undefined) return [`at most ${shown(max)}${what}`];
  return min === max ? [`exactly ${shown(min)}${what}`] : [`${shown(min)} to ${shown(max)}${what}`];
}

function rulesText(schema: Schema): Html {
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
  if (values.length > 0) {
    const codes = values.map((value) => html`<code>${String(value)}</code>`);
    parts.push(html`<span class="values">${joined(codes, ' ')}</span>`);
  }
  return joined(parts, ' ');
}

export interface Row {
  readonly name: string;
  readonly note: Piece;
  readonly schema: Schema;
}

/** A table of fields or parameters; nothing when there are none. */
export function fieldTable(caption: string, rows: readonly Row[]): Html | undefined {
  if (rows.length === 0) return undefined;
  const body = rows.map(
    ({ name, note, schema }) => html`<tr>
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

/** A long name may break after its full stops and underscores, and nowhere else. */
function breakable(name: string): Html {
  return new Html(escaped(name).replace(/[._]/g, '$&<wbr>'));
}

const OPTIONAL = html`<small>optional</small>`;

/** The fields of a schema; objects without a name of their own are shown in place. */
export function fieldRows(schema: Schema): Row[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const row = { name, note: !required.has(name) && OPTIONAL, schema: field };
    const inner = field.properties === undefined ? field.items : field;
    if (inner?.properties === undefined) return [row];
    const mark = field.properties === undefined ? '[]' : '';
    const dotted = fieldRows(inner).map((nested) => ({
      ...nested,
      name: `${name}${mark}.${nested.name}`,
    }));
    return [row, ...dotted];
  });
}
