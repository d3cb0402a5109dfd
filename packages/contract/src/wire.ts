import {
  EMAIL_MAX_LENGTH,
  isAbsoluteUrl,
  isEmail,
  isUuid,
  TEXTS,
  type TextRule,
  textFault,
} from '@credit/platform/values';
import { z } from 'zod';
import { meaningsOf } from './meanings';
import { normalTimestamp } from './timestamp';

/**
 * What a value looks like in JSON and inside. Every schema of the contract is
 * built from these functions and goes both ways: zod decodes a request (JSON to
 * inside), `encoder.ts` compiles the way back. Inside is what the generated
 * messages hold: money as minor units in `<name>_minor`, free objects as
 * canonical text in `<name>_json`, absent values as undefined.
 */

/** Canonical text of a JSON object; inside its field is called `<name>_json`. */
export type JsonText = string & { readonly [json_text]: true };
declare const json_text: unique symbol;

/** How a schema's value is written in a response. */
export type Encoding =
  | { readonly kind: 'text' | 'plain' | 'number' | 'boolean' | 'money' | 'document' }
  | {
      readonly kind: 'json';
      /** What the text can say, where that is known: schemas with names of their own. */
      readonly contents?: readonly z.ZodType[];
    }
  | { readonly kind: 'enumeration'; readonly values: ReadonlySet<string> }
  | { readonly kind: 'object'; readonly shape: Shape }
  | { readonly kind: 'list'; readonly item: z.ZodType }
  | { readonly kind: 'map'; readonly value: z.ZodType }
  | { readonly kind: 'or_null'; readonly inner: z.ZodType }
  | {
      readonly kind: 'variants';
      readonly key: string;
      /** By the value of the key. */
      readonly options: ReadonlyMap<string, z.ZodType>;
    };

export type Shape = Readonly<Record<string, z.ZodType>>;
export type JsonSchema = Record<string, unknown>;

/** What is known of a schema beyond zod. */
export interface Wire {
  readonly encoding: Encoding;
  /** For schemas that zod cannot describe. */
  readonly json_schema?: JsonSchema;
}

/** What is known of each schema made here. */
export const wires = new WeakMap<z.ZodType, Wire>();

/** Schemas that have a name of their own in the published document. */
export const names = z.registry<{ id: string }>();

/** Gives a schema its name in the published document. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  names.add(schema, { id });
  return schema;
}

/** Why a value is refused: a sentence's end, after the field's path. */
class Fault {
  constructor(readonly message: string) {}
}

const REQUIRED = new Fault('is required');

/** A value that decodes in one function. */
function leaf<Output, Input>(
  encoding: Encoding,
  json_schema: JsonSchema,
  decode: (value: unknown) => Output | Fault,
): z.ZodType<Output, Input> {
  const schema: z.ZodType<Output, Input> = z.transform<Input, Output>((value, context) => {
    const result = value === undefined ? REQUIRED : decode(value);
    if (!(result instanceof Fault)) return result;
    context.issues.push({ code: 'custom', message: result.message, input: value });
    return z.NEVER;
  });
  wires.set(schema, { encoding, json_schema });
  return schema;
}

function described(schema: JsonSchema, description: string | undefined): JsonSchema {
  return description === undefined ? schema : { ...schema, description };
}

// ---- strings

export interface TextOptions extends TextRule {
  pattern?: RegExp;
  /** Completes "must be …" when the pattern does not match. */
  pattern_name?: string;
  format?: string;
  description?: string;
}

/** A string with bounds, by the rule that services check texts by. */
export function text(options: TextOptions): z.ZodType<string, string> {
  const { min = 1, max, pattern, pattern_name } = options;
  const type = new Fault('must be a string');
  const shape = new Fault(`must be ${pattern_name}`);
  const decode = (value: unknown) => {
    if (typeof value !== 'string') return type;
    const fault = textFault(value, options);
    if (fault !== undefined) return new Fault(fault);
    return pattern === undefined || pattern.test(value) ? value : shape;
  };
  const json_schema: JsonSchema = { type: 'string', minLength: min, maxLength: max };
  if (options.format !== undefined) json_schema.format = options.format;
  else if (pattern !== undefined) json_schema.pattern = pattern.source;
  return leaf({ kind: 'text' }, described(json_schema, options.description), decode);
}

/** A string of a response alone: the network made it, nothing is checked. */
export function label(description?: string, example?: string): z.ZodType<string, string> {
  const schema: JsonSchema = { type: 'string' };
  if (example !== undefined) schema.examples = [example];
  return leaf({ kind: 'text' }, described(schema, description), (value) =>
    typeof value === 'string' ? value : new Fault('must be a string'),
  );
}

const NOT_A_UUID = new Fault('must be a UUID');

/** A UUID of any version, in lower case inside. */
export function id(description?: string): z.ZodType<string, string> {
  const json_schema = described({ type: 'string', format: 'uuid' }, description);
  return leaf({ kind: 'plain' }, json_schema, (value) => {
    if (typeof value !== 'string') return NOT_A_UUID;
    const lower = value.toLowerCase();
    return isUuid(lower) ? lower : NOT_A_UUID;
  });
}

const NOT_AN_EMAIL = new Fault('must be an e-mail address');

/** An e-mail address of a domain with a dot. */
export function email(description?: string): z.ZodType<string, string> {
  const json_schema: JsonSchema = {
    type: 'string',
    minLength: 3,
    maxLength: EMAIL_MAX_LENGTH,
    format: 'email',
  };
  return leaf({ kind: 'text' }, described(json_schema, description), (value) => {
    if (typeof value !== 'string') return new Fault('must be a string');
    const fault = textFault(value, { min: 3, max: EMAIL_MAX_LENGTH });
    if (fault !== undefined) return new Fault(fault);
    return isEmail(value) && value.includes('.', value.indexOf('@')) ? value : NOT_AN_EMAIL;
  });
}

/** What the address of a receiver has none of: user information, a fragment, blanks, backslashes. */
export const RECEIVER_URL = /^https:\/\/[^\s\\#@/?]+(?:[/?][^\s\\#]*)?$/;

/** An absolute URL with one of the given schemes; of a shape that the one who reads it checks. */
export function url(
  schemes: readonly string[],
  description?: string,
  shape?: RegExp,
): z.ZodType<string, string> {
  const string = text(TEXTS.link);
  const fault = new Fault(`must be an absolute URL (${schemes.join(' or ')})`);
  const json_schema: JsonSchema = { type: 'string', format: 'uri', maxLength: TEXTS.link.max };
  if (shape !== undefined) json_schema.pattern = shape.source;
  return leaf({ kind: 'text' }, described(json_schema, description), (value) => {
    const checked = string.safeParse(value);
    if (!checked.success) return new Fault(checked.error.issues[0]?.message ?? fault.message);
    return isAbsoluteUrl(checked.data, schemes) ? checked.data : fault;
  });
}

// ---- times

const NOT_A_TIME = new Fault('must be an RFC 3339 date and time that exists, with an offset');

/** RFC 3339 with any offset; UTC with milliseconds inside and in responses. */
export function timestamp(description?: string): z.ZodType<string, string> {
  const json_schema = described({ type: 'string', format: 'date-time' }, description);
  return leaf({ kind: 'plain' }, json_schema, (value) =>
    typeof value === 'string' ? (normalTimestamp(value) ?? NOT_A_TIME) : NOT_A_TIME,
  );
}

// ---- numbers

const MAX_MONEY = 999_999_999_999.99;
const MAX_MONEY_MINOR = 99_999_999_999_999n;
const MONEY = /^(\d+)(?:\.(\d{1,2}))?$/;
const NOT_MONEY = new Fault(
  'must be a number from 0 to 999999999999.99 with at most 2 decimal places',
);

// By the digits that the number prints as: no arithmetic on a binary fraction.
// The parser has made sure that these are the digits that were sent.
function decodeMoney(value: unknown): bigint | Fault {
  if (typeof value !== 'number') return NOT_MONEY;
  const match = MONEY.exec(String(value));
  if (match === null) return NOT_MONEY;
  const minor = BigInt(`${match[1]}${(match[2] ?? '').padEnd(2, '0')}`);
  return minor > MAX_MONEY_MINOR ? NOT_MONEY : minor;
}

/** An amount in major units with at most 2 decimals; minor units inside. */
export function money(description?: string): z.ZodType<bigint, number> {
  const json_schema = described(
    { type: 'number', minimum: 0, maximum: MAX_MONEY },
    description ?? 'At most 2 decimal places.',
  );
  return leaf({ kind: 'money' }, json_schema, decodeMoney);
}

/** A sum of amounts in a response, which no amount's bound bounds. */
export function moneySum(description: string): z.ZodType<bigint, number> {
  return leaf({ kind: 'money' }, { type: 'number', minimum: 0, description }, decodeMoney);
}

export interface IntegerOptions {
  min?: number;
  max?: number;
  description?: string;
}

export function integer(options: IntegerOptions = {}): z.ZodType<number, number> {
  const { min = -2_147_483_648, max = 2_147_483_647 } = options;
  const fault = new Fault(`must be a whole number from ${min} to ${max}`);
  const json_schema: JsonSchema = { type: 'integer' };
  if (options.min !== undefined) json_schema.minimum = min;
  if (options.max !== undefined) json_schema.maximum = max;
  return leaf({ kind: 'number' }, described(json_schema, options.description), (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max ? Number(value) : fault,
  );
}

export function boolean(description?: string): z.ZodType<boolean, boolean> {
  const fault = new Fault('must be true or false');
  return leaf({ kind: 'boolean' }, described({ type: 'boolean' }, description), (value) =>
    typeof value === 'boolean' ? value : fault,
  );
}

// ---- closed sets

type Known<Values> = Exclude<keyof Values & string, 'UNSPECIFIED'>;

function choice<Output extends string, Input extends string>(
  declared: object,
  values: readonly Output[],
  encoding: Encoding,
  description: string | undefined,
): z.ZodType<Output, Input> {
  const known = new Set<unknown>(values);
  const fault = new Fault(`must be one of ${values.join(', ')}`);
  const json_schema = described(
    { type: 'string', enum: [...values], ...explained(declared, values) },
    description,
  );
  // Sound: only values of the set pass.
  return leaf(encoding, json_schema, (value) => (known.has(value) ? (value as Output) : fault));
}

/** What the values mean, for those who read the document with a program. */
function explained(declared: object, values: readonly string[]): JsonSchema {
  const meanings = meaningsOf(declared);
  if (meanings === undefined) return {};
  return {
    'x-enum-title': meanings.title,
    'x-enumDescriptions': Object.fromEntries(
      values.map((value) => [value, meanings.values[value] ?? '']),
    ),
  };
}

/** An enumeration of the generated messages: one of its values but the zero, which says none. */
export function enumeration<const Values extends Readonly<Record<string, string>>>(
  values: Values,
  options: { without?: readonly Known<Values>[]; description?: string } = {},
): z.ZodType<Values[keyof Values], Known<Values>> {
  const excluded: readonly string[] = ['UNSPECIFIED', ...(options.without ?? [])];
  const known = (Object.values(values) as Values[keyof Values][]).filter(
    (value) => !excluded.includes(value),
  );
  const encoding: Encoding = { kind: 'enumeration', values: new Set(known) };
  return choice(values, known, encoding, options.description);
}

/** One of a few strings; plain strings in the generated messages. */
export function oneOf<const Value extends string>(
  values: readonly Value[],
  description?: string,
): z.ZodType<string, Value> {
  return choice<string, Value>(values, values, { kind: 'plain' }, description);
}

/** The value that tells one variant from the others. */
export function literal<const Value extends string>(value: Value): z.ZodType<Value, Value> {
  const schema = z.literal(value);
  wires.set(schema, { encoding: { kind: 'enumeration', values: new Set([value]) } });
  return schema;
}

// ---- free objects

const NOT_AN_OBJECT = new Fault('must be an object');
const METADATA_MAX_KEYS = 20;
const METADATA_MAX_BYTES = 2_048;
const METADATA_MAX_DEPTH = 2;
const NOT_METADATA = new Fault(
  `must be an object of at most ${METADATA_MAX_KEYS} keys, ${METADATA_MAX_BYTES} bytes of JSON and ${METADATA_MAX_DEPTH} levels`,
);

/** Canonical text (keys sorted, no spaces); undefined when it is out of bounds. */
function canonicalText(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
      if (value.includes('\u0000') || !value.isWellFormed()) return undefined;
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : undefined;
    case 'boolean':
      return String(value);
    case 'object':
      break;
    default:
      return undefined;
  }
  if (value === null) return 'null';
  if (depth === METADATA_MAX_DEPTH) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => canonicalText(item, depth + 1));
    return items.includes(undefined) ? undefined : `[${items.join(',')}]`;
  }
  // Anything else, as a number that JavaScript cannot hold, is not of JSON.
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length > METADATA_MAX_KEYS) return undefined;
  const members: string[] = [];
  for (const [key, item] of entries) {
    const key_text = canonicalText(key, depth);
    const item_text = canonicalText(item, depth + 1);
    if (key_text === undefined || item_text === undefined) return undefined;
    members.push(`${key_text}:${item_text}`);
  }
  return `{${members.join(',')}}`;
}

/** A small object of the caller's own; canonical text in `<name>_json` inside. */
export function metadata(description?: string): z.ZodType<JsonText, Record<string, unknown>> {
  const json_schema = described(
    { type: 'object', maxProperties: METADATA_MAX_KEYS, additionalProperties: true },
    description,
  );
  return leaf({ kind: 'json' }, json_schema, (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return NOT_METADATA;
    const canonical = canonicalText(value, 0);
    if (canonical === undefined || Buffer.byteLength(canonical) > METADATA_MAX_BYTES) {
      return NOT_METADATA;
    }
    return canonical as JsonText;
  });
}

/** An object of texts by names that are data, in the order in which they came; text in `<name>_json` inside. */
export function texts(options: {
  min?: number;
  max: number;
  names: TextRule;
  values: TextRule;
  description: string;
}): z.ZodType<JsonText, Record<string, string>> {
  const { min = 0, max, names: of_names, values, description } = options;
  const json_schema: JsonSchema = {
    type: 'object',
    minProperties: min,
    maxProperties: max,
    propertyNames: { minLength: 1, maxLength: of_names.max },
    additionalProperties: { type: 'string', minLength: 1, maxLength: values.max },
  };
  const size = new Fault(`must have ${min} to ${max} names`);
  return leaf({ kind: 'json' }, described(json_schema, description), (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return NOT_AN_OBJECT;
    const entries = Object.entries(value);
    if (entries.length < min || entries.length > max) return size;
    for (const [name, item] of entries) {
      const of_name = textFault(name, of_names);
      if (of_name !== undefined) return new Fault(`has a name that ${of_name}`);
      const of_value = typeof item === 'string' ? textFault(item, values) : 'must be a string';
      if (of_value !== undefined) return new Fault(`has a "${name}" that ${of_value}`);
    }
    return JSON.stringify(value) as JsonText;
  });
}

/** An object of a response that the network keeps as text, in `<name>_json`. */
export function freeObject(description?: string): z.ZodType<JsonText, Record<string, unknown>> {
  const json_schema = described({ type: 'object', additionalProperties: true }, description);
  return leaf({ kind: 'json' }, json_schema, (value) => JSON.stringify(value) as JsonText);
}

/** An object of a response that the network keeps as text, of which the form is one of these. */
export function keptAsText(
  contents: readonly z.ZodType[],
): z.ZodType<JsonText, Record<string, unknown>> {
  return leaf({ kind: 'json', contents }, {}, (value) => JSON.stringify(value) as JsonText);
}

/** A whole response that is JSON text already. */
export function document(description: string): z.ZodType<JsonText, Record<string, unknown>> {
  const json_schema = { type: 'object', additionalProperties: true, description };
  return leaf({ kind: 'document' }, json_schema, (value) => JSON.stringify(value) as JsonText);
}

// ---- structure

type Name<Key extends string, Value> =
  NonNullable<Value> extends bigint
    ? `${Key}_minor`
    : NonNullable<Value> extends JsonText
      ? `${Key}_json`
      : Key;

type Flat<T> = { [K in keyof T]: T[K] };

/** What an object of the given fields is inside. */
export type Inside<S extends Shape> = Flat<
  {
    [K in keyof S & string as undefined extends z.output<S[K]>
      ? never
      : Name<K, z.output<S[K]>>]: z.output<S[K]>;
  } & {
    [K in keyof S & string as undefined extends z.output<S[K]>
      ? Name<K, z.output<S[K]>>
      : never]?: z.output<S[K]>;
  }
>;

type InJson<S extends Shape> = Flat<
  {
    [K in keyof S & string as undefined extends z.input<S[K]> ? never : K]: z.input<S[K]>;
  } & {
    [K in keyof S & string as undefined extends z.input<S[K]> ? K : never]?: z.input<S[K]>;
  }
>;

/** What lies under optional and defaulted schemas. */
export function innermost(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return innermost(schema.unwrap() as z.ZodType);
  }
  const encoding = wires.get(schema)?.encoding;
  return encoding?.kind === 'or_null' ? innermost(encoding.inner) : schema;
}

/** The name that a field has inside. */
export function insideName(name: string, schema: z.ZodType): string {
  switch (wires.get(innermost(schema))?.encoding.kind) {
    case 'money':
      return `${name}_minor`;
    case 'json':
      return `${name}_json`;
    default:
      return name;
  }
}

/** Moves the fields that have another name inside; undefined when there are none. */
function renaming(shape: Shape): ((value: Record<string, unknown>) => object) | undefined {
  const renamed = new Map<string, string>();
  for (const [name, schema] of Object.entries(shape)) {
    const inside = insideName(name, schema);
    if (inside !== name) renamed.set(name, inside);
  }
  if (renamed.size === 0) return undefined;
  return (value) => {
    const result: Record<string, unknown> = {};
    for (const name in value) result[renamed.get(name) ?? name] = value[name];
    return result;
  };
}

function build<S extends Shape>(
  shape: S,
  base: z.ZodType<Record<string, unknown>>,
): z.ZodType<Inside<S>, InJson<S>> {
  const rename = renaming(shape);
  const schema = rename === undefined ? base : base.transform(rename);
  wires.set(schema, { encoding: { kind: 'object', shape } });
  // The types above say exactly what `renaming` does to the value.
  return schema as unknown as z.ZodType<Inside<S>, InJson<S>>;
}

const objectFault = (issue: { code: string }) =>
  issue.code === 'invalid_type' ? 'must be an object' : undefined;

/** An object of a request: a field that it does not know is refused. */
export function request<S extends Shape>(shape: S): z.ZodType<Inside<S>, InJson<S>> {
  return build(shape, z.strictObject(shape, { error: objectFault }));
}

/** As {@link request}, where exactly one of two fields is given. */
export function requestWithOneOf<
  S extends Shape,
  const First extends keyof S & string,
  const Second extends keyof S & string,
>(shape: S, [first, second]: readonly [First, Second]): z.ZodType<Inside<S>, InJson<S>> {
  const isGiven = (value: object, name: string) =>
    Object.hasOwn(value, name) && (value as Record<string, unknown>)[name] !== undefined;
  const base = z
    .strictObject(shape, { error: objectFault })
    .refine((value) => isGiven(value, first) || isGiven(value, second), {
      path: [first],
      message: `is required, unless ${second} is given`,
    })
    .refine((value) => !isGiven(value, first) || !isGiven(value, second), {
      path: [second],
      message: `stands beside ${first}: give one of both`,
    });
  return build(shape, base);
}

/** An object of a response: clients must expect further fields. */
export function reply<S extends Shape>(shape: S): z.ZodType<Inside<S>, InJson<S>> {
  return build(shape, z.object(shape, { error: objectFault }));
}

export interface ListOptions {
  min?: number;
  max?: number;
  unique?: boolean;
  description?: string;
}

export function list<Output, Input>(
  item: z.ZodType<Output, Input>,
  options: ListOptions = {},
): z.ZodType<Output[], Input[]> {
  const { min = 0, max, unique = false } = options;
  const bounds = max === undefined ? `at least ${min}` : `${min} to ${max}`;
  const error = (issue: { code: string }) =>
    issue.code === 'invalid_type' ? 'must be an array' : `must hold ${bounds} items`;
  let array = z.array(item, { error });
  if (min > 0) array = array.min(min, { error });
  if (max !== undefined) array = array.max(max, { error });
  const schema: z.ZodType<Output[], Input[]> = unique
    ? array.refine((items) => new Set(items).size === items.length, 'must not repeat an item')
    : array;
  const json_schema: JsonSchema = unique ? { uniqueItems: true } : {};
  wires.set(schema, {
    encoding: { kind: 'list', item },
    json_schema: described(json_schema, options.description),
  });
  return schema;
}

/** An object of a response with names that are data. */
export function map<Output, Input>(
  value: z.ZodType<Output, Input>,
  description: string,
): z.ZodType<Record<string, Output>, Record<string, Input>> {
  const schema = z.record(z.string(), value);
  wires.set(schema, {
    encoding: { kind: 'map', value },
    json_schema: { description },
  });
  return schema;
}

/** A field of a response that can be missing: null in JSON, undefined inside. */
export function orNull<Output, Input>(
  inner: z.ZodType<Output, Input>,
): z.ZodType<Output | undefined, Input | null> {
  const schema = z.nullable(inner).transform((value) => value ?? undefined);
  wires.set(schema, { encoding: { kind: 'or_null', inner } });
  return schema;
}

/** A field of a change that null empties. */
export function orClear<Output, Input>(
  inner: z.ZodType<Output, Input>,
  cleared: Output,
): z.ZodType<Output, Input | null> {
  return z.nullable(inner).transform((value) => value ?? cleared);
}

type Variant<Key extends string> = z.ZodType<Record<Key, string>, Record<Key, string>>;

/** One of several objects, told apart by the literal in `key`. */
export function variants<
  const Key extends string,
  const Options extends readonly [Variant<Key>, ...Variant<Key>[]],
>(key: Key, options: Options): z.ZodType<z.output<Options[number]>, z.input<Options[number]>> {
  const by_tag = new Map<string, z.ZodType>();
  for (const option of options) {
    const encoding = wires.get(option)?.encoding;
    const discriminator = encoding?.kind === 'object' ? encoding.shape[key] : undefined;
    const tag = discriminator && wires.get(discriminator)?.encoding;
    if (tag?.kind !== 'enumeration') throw new Error(`A variant has no literal in ${key}.`);
    for (const value of tag.values) by_tag.set(value, option);
  }
  const error = (issue: { code: string; note?: string }) => {
    if (issue.code === 'invalid_type') return 'must be an object';
    return `must be one of ${[...by_tag.keys()].join(', ')}`;
  };
  // zod wants to see the discriminator in the static type, where it is a plain ZodType here.
  const members = options as unknown as readonly [z.ZodObject, ...z.ZodObject[]];
  const schema = z.discriminatedUnion(key, members, { error });
  wires.set(schema, { encoding: { kind: 'variants', key, options: by_tag } });
  return schema as unknown as z.ZodType<z.output<Options[number]>, z.input<Options[number]>>;
}

// ---- query parameters: strings that stand for something else

type QueryBounds = Required<Pick<IntegerOptions, 'min' | 'max'>> & { description?: string };

/** A whole number in a query. */
export function queryNumber({ min, max, description }: QueryBounds): z.ZodType<number, string> {
  const fault = new Fault(`must be a whole number from ${min} to ${max}`);
  const json_schema = { type: 'integer', minimum: min, maximum: max };
  return leaf({ kind: 'number' }, described(json_schema, description), (value) => {
    if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) return fault;
    const number = Number(value);
    return number < min || number > max ? fault : number;
  });
}

/** A whole number in a query that may be left out. */
export function queryInteger(
  options: QueryBounds & { default: number },
): z.ZodType<number, string | undefined> {
  const schema = queryNumber(options);
  const wire = wires.get(schema);
  if (wire?.json_schema !== undefined) {
    wires.set(schema, {
      ...wire,
      json_schema: { ...wire.json_schema, default: options.default },
    });
  }
  return schema.default(options.default);
}

/** true or false in a query. */
export function queryBoolean(description?: string): z.ZodType<boolean, string> {
  const fault = new Fault('must be true or false');
  return leaf({ kind: 'boolean' }, described({ type: 'boolean' }, description), (value) =>
    value === 'true' ? true : value === 'false' ? false : fault,
  );
}

/** As {@link queryBoolean}, where false is the same as nothing: what is inside is true or absent. */
export function queryFlag(description?: string): z.ZodType<true | undefined, string | undefined> {
  const fault = new Fault('must be true or false');
  const schema: z.ZodType<true | undefined, string> = leaf(
    { kind: 'boolean' },
    described({ type: 'boolean' }, description),
    (value) => (value === 'true' ? true : value === 'false' ? undefined : fault),
  );
  return schema.optional();
}

export const DEFAULT_PAGE_SIZE = 25;
export const MAX_PAGE_SIZE = 100;

/** The query parameters of every paged list. */
export const page = {
  limit: queryInteger({
    min: 1,
    max: MAX_PAGE_SIZE,
    default: DEFAULT_PAGE_SIZE,
    description: 'How many items at most.',
  }),
  cursor: text({
    max: 500,
    description: 'Where the page begins, from the `Link` header of the page before.',
  }).optional(),
};
