import { type Exchange, OpenApiChecker, type OpenApiDocument } from './checker';

const text_schema = { type: 'string' };
const loan = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    note: { $ref: '#/components/schemas/Note' },
    free: { type: 'object', additionalProperties: true },
  },
};

const document: OpenApiDocument = {
  servers: [{ url: '/api/v1' }],
  paths: {
    '/loans/{loan_id}': {
      get: {
        operationId: 'getLoan',
        responses: {
          200: {
            headers: { 'X-Request-ID': { $ref: '#/components/headers/X-Request-ID' } },
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Loan' },
                example: { id: 'no uuid' },
              },
            },
          },
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
    },
    '/loans/bulk': {
      post: {
        operationId: 'createLoans',
        requestBody: {
          content: {
            'application/json': { schema: { type: 'array', items: text_schema, maxItems: 2 } },
          },
        },
        responses: { 204: { headers: {} } },
      },
    },
  },
  webhooks: {
    'loan.opened': {
      post: {
        operationId: 'receiveLoanOpened',
        parameters: [{ name: 'Svc-Event-ID', in: 'header', required: true, schema: text_schema }],
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Loan' } } },
        },
        responses: {},
      },
    },
  },
  components: {
    headers: {
      'X-Request-ID': { required: true, schema: text_schema },
      Link: { schema: text_schema },
    },
    responses: {
      NotFound: {
        headers: { 'X-Request-ID': { $ref: '#/components/headers/X-Request-ID' } },
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['error'],
              properties: { error: { type: 'string' } },
            },
          },
        },
      },
    },
    schemas: {
      Loan: loan,
      Note: { type: 'object', properties: { text: { type: ['string', 'null'] } } },
    },
  },
};

const checker = new OpenApiChecker(document);
const ID = '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f';

/** An answer to `GET /loans/{loan_id}` that is as declared, but for what is given. */
function faultsOf(
  changes: Partial<Exchange> & { body?: unknown; headers?: Record<string, string> } = {},
): string[] {
  const headers: Record<string, string> = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': 'r-1',
    ...changes.headers,
  };
  return checker.faultsOf({
    method: 'GET',
    target: `/api/v1/loans/${ID}?x=1`,
    status: 200,
    header: (name) => headers[name],
    text: JSON.stringify(changes.body ?? { id: ID, note: { text: null }, free: { any: 1 } }),
    ...changes,
  });
}

test('an answer as it is declared has no fault', () => {
  expect(faultsOf()).toEqual([]);
  expect(faultsOf({ status: 404, body: { error: 'gone' } })).toEqual([]);
});

test.each([
  ['a status that is not declared', { status: 201 }, /does not declare 201/],
  ['a missing field', { body: {} }, /required property 'id'/],
  ['a field of another type', { body: { id: 7 } }, /\/id must be string/],
  ['a format that does not hold', { body: { id: 'x' } }, /match format "uuid"/],
  ['a field that nobody declared', { body: { id: ID, extra: 1 } }, /additional.*extra/],
  ['such a field further in', { body: { id: ID, note: { more: 1 } } }, /\/note must NOT.*more/],
  ['no JSON', { text: '<html>' }, /no JSON/],
  [
    'another content type',
    { headers: { 'content-type': 'text/html' } },
    /content type "text\/html"/,
  ],
  ['a header of other answers', { headers: { link: '<x>' } }, /undeclared header Link/],
  [
    'an error in another shape',
    { status: 404, body: { message: 'x' } },
    /required property 'error'/,
  ],
  ['success where there is nothing', { target: '/api/v1/cars' }, /no operation declares/],
  ['another method', { method: 'DELETE' }, /no operation declares/],
])('%s is a fault', (_what, changes, fault) => {
  expect(faultsOf(changes)).toContainEqual(expect.stringMatching(fault));
});

test('a header that every answer has must be there', () => {
  const header = (name: string) => (name === 'content-type' ? 'application/json' : null);
  expect(faultsOf({ header })).toEqual(['no header X-Request-ID']);
});

test('what no operation declares is answered with a declared error', () => {
  const target = '/api/v1/cars';
  expect(faultsOf({ target, status: 404, body: { error: 'no route' } })).toEqual([]);
  expect(faultsOf({ target, status: 404, body: {} })).toHaveLength(1);
});

test('what was accepted must have been allowed; what was refused need not', () => {
  const sent = {
    method: 'POST',
    target: '/api/v1/loans/bulk',
    status: 204,
    header: () => null,
    text: '',
  };
  expect(checker.faultsOf({ ...sent, request_text: '["a"]' })).toEqual([]);
  expect(checker.faultsOf({ ...sent, request_text: '["a","b","c"]' })).toEqual([
    expect.stringMatching(/^what was accepted: .*more than 2 items/),
  ]);
  expect(checker.faultsOf({ ...sent, text: '{}' })).toEqual(['a body where none is declared']);
});

test('a delivery is held against the event it brings', () => {
  const text = JSON.stringify({ id: ID });
  expect(checker.webhookFaults('loan.opened', () => 'e-1', text)).toEqual([]);
  expect(checker.webhookFaults('loan.opened', () => null, '{}')).toHaveLength(2);
  expect(checker.webhookFaults('loan.closed', () => 'e-1', text)).toHaveLength(1);
});

test('an example that does not validate is named', () => {
  expect(checker.exampleFaults()).toEqual([
    expect.stringMatching(/^an example of getLoan: \/id must match format "uuid"/),
  ]);
});
