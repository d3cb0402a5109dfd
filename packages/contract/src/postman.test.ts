import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Operation } from './operation';
import { operations } from './operations';
import { buildPostmanCollection } from './postman';

const GOLDEN = path.join(__dirname, '../../../docs/credit-network.postman_collection.json');

/** What the format v2.1 asks of the parts that a collection of requests has. */
const variable = z.strictObject({ key: z.string().min(1), value: z.string(), type: z.string() });
const auth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('noauth') }),
  z.strictObject({ type: z.literal('bearer'), bearer: z.tuple([variable]) }),
]);
const parameter = z.strictObject({
  key: z.string().min(1),
  value: z.string(),
  description: z.string().optional(),
  disabled: z.boolean().optional(),
});
const request = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  header: z.array(parameter),
  url: z.strictObject({
    raw: z.string(),
    host: z.array(z.string()),
    path: z.array(z.string().min(1)),
    query: z.array(parameter),
    variable: z.array(parameter),
  }),
  description: z.string().min(1),
  auth: auth.optional(),
  body: z
    .strictObject({
      mode: z.literal('raw'),
      raw: z.string(),
      options: z.strictObject({ raw: z.strictObject({ language: z.enum(['json', 'text']) }) }),
    })
    .optional(),
});
const item = z.strictObject({
  id: z.string(),
  name: z.string().min(1),
  event: z
    .array(
      z.strictObject({
        listen: z.enum(['test', 'prerequest']),
        script: z.strictObject({ type: z.string(), exec: z.array(z.string()) }),
      }),
    )
    .optional(),
  request,
  response: z.array(
    z.strictObject({
      name: z.string(),
      originalRequest: request,
      status: z.string(),
      code: z.int(),
      header: z.array(parameter),
      body: z.string().optional(),
      _postman_previewlanguage: z.string().optional(),
    }),
  ),
});
const collection = z.strictObject({
  info: z.strictObject({
    name: z.string().min(1),
    description: z.string(),
    schema: z.literal('https://schema.getpostman.com/json/collection/v2.1.0/collection.json'),
  }),
  auth,
  variable: z.array(variable),
  item: z.array(
    z.strictObject({ name: z.string(), description: z.string(), item: z.array(item).min(1) }),
  ),
});

const built = buildPostmanCollection();
const parsed = collection.parse(built);
const items = parsed.item.flatMap((folder) => folder.item);
const declared = new Map(
  (Object.values(operations) as unknown as Operation[]).map((one) => [one.id, one]),
);

// As with the OpenAPI document: UPDATE_GOLDEN=1 writes it.
test('the published collection is the one on file', () => {
  const text = `${JSON.stringify(built, null, 2)}\n`;
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(GOLDEN, text);
  expect(text).toBe(readFileSync(GOLDEN, 'utf8'));
});

test('every operation is in it, once', () => {
  expect(items.map(({ id }) => id).sort()).toEqual([...declared.keys()].sort());
});

test('every variable that it uses is one that it has', () => {
  const known = parsed.variable.map(({ key }) => key);
  const used = [...JSON.stringify(built).matchAll(/\{\{(\$?\w+)\}\}/g)].map(([, name]) => name);
  // `$guid` is made by the program that sends it.
  expect(new Set(used)).toEqual(new Set([...known, '$guid']));
});

test('what is kept of an answer is a field of it, and goes into a variable that there is', () => {
  const known = parsed.variable.map(({ key }) => key);
  const kept = items.filter(({ event }) => event !== undefined);
  expect(kept.length).toBeGreaterThan(2);
  for (const { event, response } of kept) {
    const script = event?.[0]?.script.exec.join(' ') ?? '';
    const [, variable = '', field = ''] =
      /set\('(\w+)', pm\.response\.json\(\)\.(\w+)\)/.exec(script) ?? [];
    expect(known).toContain(variable);
    expect(JSON.parse(response[0]?.body ?? '{}')).toHaveProperty(field);
  }
});

test.each(items.map((one) => [one.id, one]))('%s can be sent as it stands', (id, { request }) => {
  const operation = declared.get(id);
  const { raw, host, path: steps, query, variable: path_variables } = request.url;
  const search = query
    .filter(({ disabled }) => !disabled)
    .map(({ key, value }) => `${key}=${encodeURIComponent(value)}`)
    .join('&');
  expect(raw).toBe(`${[...host, ...steps].join('/')}${search === '' ? '' : `?${search}`}`);
  const values = Object.fromEntries(path_variables.map(({ key, value }) => [key, value]));
  const filled = steps.map((step) => (step.startsWith(':') ? values[step.slice(1)] : step));
  expect(filled).not.toContain(undefined);
  expect(operation?.params_schema.safeParse(values).success).toBe(true);
  const chosen = query.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]);
  expect(operation?.query_schema.safeParse(Object.fromEntries(chosen)).success).toBe(true);
  if (operation?.upload === undefined) {
    const body = request.body === undefined ? undefined : JSON.parse(request.body.raw);
    expect(body).toEqual(operation?.examples.body);
  } else {
    expect(request.body?.raw).toBe(operation.upload.example.text);
  }
  const sends_key = request.header.some(({ key }) => key === 'Idempotency-Key');
  expect(sends_key).toBe(operation?.idempotent === true);
});
