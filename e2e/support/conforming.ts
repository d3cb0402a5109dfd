import { buildOpenApi, type Operation } from '@credit/contract';
import fc from 'fast-check';
import { API_PREFIX } from './api';

/** As much of JSON Schema as the published document uses in requests. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

interface Described {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

interface Published {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

const published = buildOpenApi() as unknown as Published;

/** Lists that are published as long are not made long: it is their items that are looked at. */
const LONGEST_LIST = 3;
const MOST_KEYS = 2;

/** Bodies of the operation that its published schema allows; undefined when it has none. */
export function conformingBodies(operation: Operation): fc.Arbitrary<unknown> | undefined {
  const path = published.paths[operation.path] ?? published.paths[API_PREFIX + operation.path];
  const schema =
    path?.[operation.method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
  return schema && valuesOf(schema);
}

function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valuesOf(resolved(schema.$ref));
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants !== undefined) return fc.oneof(...variants.map(valuesOf));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => valuesOf({ ...schema, type })));
  }
  switch (schema.type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 - 1 });
    case 'number':
      // Money: cents, of which a number has at most two digits.
      return fc.bigInt({ min: 0n, max: 99_999_999_999_999n }).map((minor) => Number(minor) / 100);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return listOf(schema);
    case 'object':
      return objectOf(schema);
    default:
      throw new Error(`No values are made of ${JSON.stringify(schema)}.`);
  }
}

function resolved(reference: string): Schema {
  const schema = published.components.schemas[reference.split('/').at(-1) ?? ''];
  if (schema === undefined) throw new Error(`${reference} leads nowhere.`);
  return schema;
}

function textOf({ format, pattern, minLength = 0, maxLength = 200 }: Schema): fc.Arbitrary<string> {
  switch (format) {
    case 'uuid':
      return fc.uuid();
    case 'date-time':
      return fc
        .date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z') })
        .filter((date) => !Number.isNaN(date.getTime()))
        .map((date) => date.toISOString());
    case 'email':
      return fc.emailAddress();
    case 'uri':
      return fc
        .webUrl({ validSchemes: ['https'], withQueryParameters: true, withFragments: true })
        .filter((url) => pattern === undefined || new RegExp(pattern).test(url));
    default:
  }
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  // One that folds into a phrase, one that is not seen, and one that sits on nothing, among them.
  const longest = ['😀', 'a', 'é', '漢', 'ﷺ', '\u200b', '\u0301'].map((one) =>
    one.repeat(maxLength),
  );
  const shortest = ['😀', 'a'].map((one) => one.repeat(Math.max(minLength, 1)));
  return fc.oneof(
    fc.constantFrom(...longest),
    fc.constantFrom(...shortest),
    fc.string({ unit: 'grapheme', minLength, maxLength }).filter(fits(minLength, maxLength)),
    fc.string({ unit: 'binary', minLength, maxLength }).filter(fits(minLength, maxLength)),
  );
}

/** JSON Schema counts code points. */
function fits(minimum: number, maximum: number): (text: string) => boolean {
  return (text) => {
    const { length } = [...text];
    return length >= minimum && length <= maximum;
  };
}

function listOf({ items = {}, minItems = 0, maxItems, uniqueItems }: Schema) {
  const bounds = {
    minLength: minItems,
    maxLength: Math.min(maxItems ?? LONGEST_LIST, LONGEST_LIST),
  };
  return uniqueItems ? fc.uniqueArray(valuesOf(items), bounds) : fc.array(valuesOf(items), bounds);
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema) {
  const members = Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema)]);
  const declared = fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: [...required],
  });
  if (members.length > 0 || additionalProperties === false) return declared;
  // A free object of the caller's own.
  return fc.dictionary(fc.string({ maxLength: 20 }), fc.oneof(fc.string(), fc.integer()), {
    maxKeys: MOST_KEYS,
  });
}
