import { z } from 'zod';
import { type JsonSchema, names, wires } from './wire';

const COMPONENTS = '#/components/schemas/';

export function componentReference(name: string): JsonSchema {
  return { $ref: `${COMPONENTS}${name}` };
}

type Context = { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema };

/** Adds what zod cannot know: leaves are transforms to it, optional in its eyes. */
function override({ zodSchema, jsonSchema }: Context): void {
  const schema = zodSchema as unknown as z.ZodType;
  const wire = wires.get(schema);
  Object.assign(jsonSchema, wire?.json_schema);
  if (wire?.encoding.kind === 'json' && wire.encoding.contents !== undefined) {
    const forms = wire.encoding.contents.map(referenceTo);
    Object.assign(jsonSchema, forms.length === 1 ? forms[0] : { oneOf: forms });
  }
  if (!(schema instanceof z.ZodObject)) return;
  const required = Object.entries(schema.shape).filter(
    ([, field]) => !(field instanceof z.ZodOptional || field instanceof z.ZodDefault),
  );
  delete jsonSchema.required;
  if (required.length > 0) jsonSchema.required = required.map(([name]) => name);
}

const options = {
  io: 'input',
  target: 'draft-2020-12',
  unrepresentable: 'any',
  override,
} as const;

/** JSON Schema of one schema that refers to no named one. */
export function inlineSchema(schema: z.ZodType): JsonSchema {
  return tidy(z.toJSONSchema(schema, options));
}

/** JSON Schemas of the named schemas, and of the given ones under the given names. */
export function componentSchemas(
  further: ReadonlyMap<string, z.ZodType>,
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of further) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { ...options, uri: (id) => `${COMPONENTS}${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [id, tidy(schema as JsonSchema)]),
  );
}

/** The name of a schema, when it has one of its own. */
export function nameOf(schema: z.ZodType): string | undefined {
  return names.get(schema)?.id;
}

function referenceTo(schema: z.ZodType): JsonSchema {
  const name = nameOf(schema);
  if (name === undefined) throw new Error('What is referred to has no name.');
  return componentReference(name);
}

/** Takes zod's bookkeeping out and writes "or null" the short way. */
function tidy(node: JsonSchema): JsonSchema {
  const result: JsonSchema = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === '$schema' || key === '$id' || key === '~standard') continue;
    result[key] = tidyValue(value);
  }
  const alternatives = result.anyOf;
  if (!Array.isArray(alternatives) || alternatives.length !== 2) return result;
  const [first, second] = alternatives as [JsonSchema, JsonSchema];
  if (second.type !== 'null' || typeof first.type !== 'string') return result;
  delete result.anyOf;
  const nullable = { ...first, ...result, type: [first.type, 'null'] };
  return Array.isArray(first.enum) ? { ...nullable, enum: [...first.enum, null] } : nullable;
}

function tidyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidyValue);
  return typeof value === 'object' && value !== null ? tidy(value as JsonSchema) : value;
}
