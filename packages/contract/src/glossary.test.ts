import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { type DescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { FEED_EVENT_NAMES } from '@credit/platform/values';
import { fileDescriptors } from '@credit/proto/descriptors';
import { buildOpenApi } from './openapi';

const GLOSSARY = path.join(__dirname, '../../../docs/GLOSSARY.md');

interface Entry {
  readonly term: string;
  readonly meaning: string;
  readonly not: readonly string[];
}

function parseGlossary(text: string): Entry[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| **'))
    .map((line) => {
      const [term = '', meaning = '', not = ''] = line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim());
      return {
        term: term.replaceAll('**', ''),
        meaning,
        not: [...not.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
      };
    });
}

/** `chargeOff`, `charge_off`, `ChargeOff` and `CHARGE_OFF` as `charge off`. */
function words(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase();
}

interface Name {
  readonly name: string;
  /** Where it stands, for whoever has to change it. */
  readonly place: string;
}

const files = fileDescriptors()
  .map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
  .filter((file) => file.package.startsWith('credit.'));

function namesOfMessage(message: DescriptorProto, file: string): Name[] {
  if (message.options?.mapEntry) return [];
  const place = `${file}: ${message.name}`;
  return [
    { name: message.name, place: file },
    ...message.field.map((field) => ({ name: field.name, place })),
    ...message.oneofDecl.map((oneof) => ({ name: oneof.name.replace(/^_/, ''), place })),
    ...message.nestedType.flatMap((nested) => namesOfMessage(nested, file)),
  ];
}

const proto_names: Name[] = files.flatMap((file) => [
  ...file.messageType.flatMap((message) => namesOfMessage(message, file.name)),
  ...file.enumType.flatMap((one) => [
    { name: one.name, place: file.name },
    ...one.value.map((value) => ({ name: value.name, place: `${file.name}: ${one.name}` })),
  ]),
  ...file.service.flatMap((service) => [
    { name: service.name, place: file.name },
    ...service.method.map((method) => ({ name: method.name, place: service.name })),
  ]),
]);

interface Field extends Name {
  readonly schema: Schema;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const document = buildOpenApi() as {
  paths: Record<string, Record<string, { operationId: string; parameters: Parameter[] }>>;
  components: { schemas: Record<string, Schema> };
};

interface Parameter {
  readonly name?: string;
  readonly schema: Schema;
}

function fieldsOf(node: unknown, place: string): Field[] {
  if (typeof node !== 'object' || node === null) return [];
  const { properties } = node as Schema;
  return [
    ...Object.entries(properties ?? {}).map(([name, schema]) => ({ name, place, schema })),
    ...Object.entries(node).flatMap(([key, value]) =>
      key === 'example' ? [] : fieldsOf(value, place),
    ),
  ];
}

const api_fields: Field[] = [
  ...Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    fieldsOf(schema, name),
  ),
  ...Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, parameters }) =>
      parameters.flatMap(({ name, schema }) =>
        name === undefined ? [] : [{ name, place: operationId, schema }],
      ),
    ),
];

const api_names: Name[] = [
  ...api_fields,
  ...Object.keys(document.components.schemas).map((name) => ({ name, place: 'schemas' })),
  ...Object.entries(document.paths).flatMap(([route, methods]) => [
    { name: route, place: 'paths' },
    ...Object.values(methods).map(({ operationId }) => ({ name: operationId, place: route })),
  ]),
  ...FEED_EVENT_NAMES.map((name) => ({ name, place: 'events' })),
];

const glossary = parseGlossary(readFileSync(GLOSSARY, 'utf8'));

/** Names that stand for a thing that has another name, with what to call it. */
function misnamed(names: readonly Name[], entries: readonly Entry[]): string[] {
  const synonyms = entries.flatMap(({ term, not }) =>
    not.map((synonym) => ({ term, synonym, pattern: new RegExp(`\\b${words(synonym)}s?\\b`) })),
  );
  return names.flatMap(({ name, place }) => {
    const spoken = words(name);
    return synonyms
      .filter(({ pattern }) => pattern.test(spoken))
      .map(({ term, synonym }) => `${place}: ${name}: not “${synonym}”; the glossary says ${term}`);
  });
}

test('the glossary is in the order of the alphabet, and every term has a meaning', () => {
  const terms = glossary.map(({ term }) => term.toLowerCase());
  expect(terms.length).toBeGreaterThan(40);
  expect(terms).toEqual([...terms].sort());
  expect(glossary.filter(({ meaning }) => !/^[A-Z0-9`].*\.$/.test(meaning))).toEqual([]);
});

test('no synonym stands for two things', () => {
  const synonyms = glossary.flatMap(({ not }) => not);
  expect(synonyms.length).toBeGreaterThan(40);
  expect(new Set(synonyms).size).toBe(synonyms.length);
});

test('nothing in protos, API or events has a name that the glossary gives to something else', () => {
  expect(proto_names.length).toBeGreaterThan(900);
  expect(api_names.length).toBeGreaterThan(400);
  expect(misnamed([...proto_names, ...api_names], glossary)).toEqual([]);
});

test('a synonym is found in any spelling, and a word that merely holds it is not', () => {
  const entry = { term: 'Charge-off', meaning: '', not: ['charge off', 'bank'] };
  const found = (name: string) => misnamed([{ name, place: 'x' }], [entry]).length === 1;
  expect(['charge_off_at', 'ChargeOffs', 'CHARGE_OFF', 'charge-off', 'bankId'].map(found)).toEqual(
    Array(5).fill(true),
  );
  expect(['recharge_office', 'bankruptcy'].map(found)).toEqual([false, false]);
});

/** What the gateway puts together itself: no message has a field of the name. */
const API_ONLY = new Set([
  // An audit event's parts, the webhook's envelope, the sign-in's and the status page's.
  ...['actor', 'target', 'data', 'payload', 'token_type', 'components', 'time', 'error', 'details'],
  // Network metrics, from the figures of several services.
  ...['deliveries_24h', 'services', 'total', 'last_24h', 'open', 'reachable'],
  // A person's own file, of several services.
  ...['content_hash', 'generated_at', 'file', 'file_freeze', 'furnisher'],
  // Errors, which gRPC carries in a trailer of their own.
  ...['path', 'message', 'doc_url'],
]);

test('a field has the same name in the API as in the protos', () => {
  const known = new Set(proto_names.map(({ name }) => name));
  const strangers = api_fields
    .filter(({ name }) => !API_ONLY.has(name))
    // Amounts are minor units inside, free objects canonical text.
    .filter(({ name }) => !['', '_minor', '_json'].some((suffix) => known.has(name + suffix)))
    .map(({ name, place }) => `${place}: ${name}: no message has a field of this name`);
  expect(strangers).toEqual([]);
});

/** Not ours to make: the caller's own, or of no fixed form. */
const FOREIGN_IDS = ['external_account_id', 'forum_id', 'request_id'];

test('times, ids and amounts are told by their names', () => {
  const faults = api_fields.flatMap(({ name, place, schema }) => {
    const type = [schema.type].flat();
    const is_time = schema.format === 'date-time';
    const named_as_time = /(_at|_since|_until|^at|^as_of|^from|^to|^time)$/.test(name);
    const is_id = name.endsWith('_id') && !FOREIGN_IDS.includes(name);
    return [
      ...(is_time && !named_as_time
        ? [`${place}: ${name}: a time ends in _at, _since or _until`]
        : []),
      ...(name.endsWith('_at') && !is_time
        ? [`${place}: ${name}: what ends in _at is a time`]
        : []),
      ...(is_id && schema.format !== 'uuid'
        ? [`${place}: ${name}: what ends in _id is a UUID`]
        : []),
      ...(name.endsWith('_minor') ? [`${place}: ${name}: amounts are in major units here`] : []),
      ...(type.includes('integer') && /_at$/.test(name) ? [`${place}: ${name}: no epoch`] : []),
      ...(/^[a-z][a-z0-9_]*$/.test(name) ? [] : [`${place}: ${name}: is not in snake_case`]),
    ];
  });
  expect(faults).toEqual([]);
});
