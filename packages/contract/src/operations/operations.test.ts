import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { operations } from './index';

const all = Object.entries(operations);

test('an operation is known by its own id', () => {
  for (const [id, operation] of all) expect(operation.id).toBe(id);
});

test('no two operations share a method and a path', () => {
  const routes = all.map(([, { method, path }]) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
  expect(new Set(routes).size).toBe(routes.length);
});

test.each(all)('%s is described for a reader', (_id, operation) => {
  expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
  expect(operation.description).toMatch(/\.$/);
  expect(operation.description.length).toBeGreaterThan(30);
});

test.each(all)('%s shows an example of all it takes and gives', (_id, operation) => {
  const { params, query, body, response } = operation.examples as Record<string, unknown>;
  expect(operation.params_schema.safeParse(params ?? {})).toMatchObject({ success: true });
  expect(operation.query_schema.safeParse(query ?? {})).toMatchObject({ success: true });
  expect(body === undefined).toBe(operation.body === undefined);
  expect(response === undefined).toBe(operation.response === undefined);
  const body_schema: z.ZodType = operation.body ?? z.undefined();
  expect(body_schema.safeParse(body)).toMatchObject({ success: true });
});

test.each(all)('%s writes what its schema reads', (_id, operation) => {
  if (operation.response === undefined) {
    expect(operation.status).toBe(operation.stream === undefined ? 204 : 200);
    return;
  }
  const schema: z.ZodType = operation.response;
  const inside = schema.parse(operation.examples.response);
  expect(JSON.parse(operation.encode?.(inside) ?? '')).toEqual(operation.examples.response);
});

test.each(all)('%s creates with 201 and answers nothing with 204', (_id, operation) => {
  if (operation.method === 'GET') expect(operation.status).toBe(200);
  if (operation.method === 'DELETE') expect(operation.status).toBe(operation.response ? 200 : 204);
  if (operation.body === undefined) expect(operation.batch).toBeUndefined();
});

test('what reports, contests, moves records or makes test data is idempotent, and nothing else', () => {
  const idempotent = all.filter(([, operation]) => operation.idempotent).map(([id]) => id);
  expect(idempotent).toEqual([
    'createSubjects',
    'createAccount',
    'createAccounts',
    'reportEvent',
    'reportEvents',
    'answerDispute',
    'createPersona',
    'openMyDispute',
    'mergeSubjects',
    'splitSubject',
  ]);
});

test('public writes that anyone can flood are limited apart', () => {
  const limited = all.filter(([, { limit_class }]) => limit_class === 'PUBLIC_WRITE');
  expect(limited.map(([id]) => id)).toEqual([
    'openDispute',
    'forgotPassword',
    'resetForgottenPassword',
    'openMySession',
    'beginMySignIn',
    'completeMySignIn',
    'confirmMyContact',
    'submitContactRequest',
    'submitApplication',
  ]);
});

test('the example of a signed test payload can be verified with the secret of the examples', () => {
  const { secret } = z
    .object({ secret: z.string() })
    .parse(operations.createWebhook.examples.response);
  const { headers, payload, body } = z
    .object({ headers: z.record(z.string(), z.string()), payload: z.unknown(), body: z.string() })
    .parse(operations.testWebhook.examples.response);
  const signed = `${headers['Svc-Timestamp']}.${body}`;
  const digest = createHmac('sha256', secret).update(signed).digest('hex');
  expect(headers['Svc-Signature']).toBe(`v1=${digest}`);
  expect(JSON.parse(body)).toEqual(payload);
});
