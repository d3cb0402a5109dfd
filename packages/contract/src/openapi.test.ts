import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FEED_EVENT_NAMES } from '@credit/platform/values';
import { OpenApiChecker, type OpenApiDocument } from '@credit/testing/openapi';
import { API_VERSION, buildOpenApi } from './openapi';
import { operations } from './operations';

const GOLDEN = path.join(__dirname, '../../../docs/openapi.json');

type Node = Record<string, unknown>;

const document = buildOpenApi() as Node & {
  paths: Record<string, Record<string, Node>>;
  webhooks: Record<string, Node>;
  components: Record<string, Record<string, Node>>;
};

const described = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** Every `$ref` of the document. */
function references(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value] : references(value),
  );
}

function resolve(reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, step) => (node as Node | undefined)?.[step], document);
}

test('a validator that knows nothing of the declarations accepts every example', () => {
  const checker = new OpenApiChecker(document as unknown as OpenApiDocument);
  expect(checker.exampleFaults()).toEqual([]);
});

// A change of the API shows in review as a change of the file. UPDATE_GOLDEN=1 writes it.
test('the published document is the one on file', () => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(GOLDEN, text);
  expect(text).toBe(readFileSync(GOLDEN, 'utf8'));
});

test('the changelog says what is new in its version', () => {
  const changelog = readFileSync(path.join(__dirname, '../../../docs/CHANGELOG.md'), 'utf8');
  const [first] = [...changelog.matchAll(/^## (.+)$/gm)].map(([, version]) => version);
  expect(first).toBe(API_VERSION);
});

test('every operation is in it', () => {
  expect(described.map(({ operationId }) => operationId).sort()).toEqual(
    Object.keys(operations).sort(),
  );
});

test('every reference leads somewhere', () => {
  const missing = references(document).filter((reference) => resolve(reference) === undefined);
  expect(missing).toEqual([]);
});

test('every component is used', () => {
  const used = new Set(references(document));
  for (const kind of ['schemas', 'responses', 'headers', 'parameters']) {
    for (const name of Object.keys(document.components[kind] ?? {})) {
      expect(used).toContain(`#/components/${kind}/${name}`);
    }
  }
});

test.each(described.map((operation) => [operation.operationId as string, operation]))(
  '%s tells who may call it and what can go wrong',
  (id, operation) => {
    const access = operations[id as keyof typeof operations].access;
    expect(operation.security).toHaveLength(
      { public: 0, any: 2, scope: 2 }[access.kind as string] ?? 1,
    );
    const statuses = Object.keys(operation.responses as Node);
    for (const status of ['429', '500']) expect(statuses).toContain(status);
    // Whoever signs in has no credential yet, and an institution that may be suspended.
    const signs_in = [
      'login',
      'completeLogin',
      'refresh',
      'previewInvitation',
      'acceptInvitation',
      'openMySession',
      'beginMySignIn',
      'completeMySignIn',
    ].includes(id as string);
    expect(statuses.includes('403')).toBe(signs_in || !['public', 'token'].includes(access.kind));
    if (access.kind === 'scope') {
      expect(operation).toMatchObject({
        'x-scope': access.scope,
        'x-permission': access.permission,
      });
    }
  },
);

test('every tag that is used is described', () => {
  const tags = (document.tags as { name: string }[]).map(({ name }) => name);
  for (const operation of described) {
    for (const tag of operation.tags as string[]) expect(tags).toContain(tag);
  }
});

test('a field of a request is required unless it is optional', () => {
  const account = document.components.schemas?.NewAccount;
  expect(account?.required).toEqual([
    'subject_id',
    'external_account_id',
    'account_type',
    'original_principal',
    'opened_at',
  ]);
  expect(account?.additionalProperties).toBe(false);
});

test('a field of a response can be null but is there', () => {
  const account = document.components.schemas?.Account as Node & { properties: Node };
  expect(account.required).toEqual(Object.keys(account.properties));
  expect(account.properties.closed_at).toEqual({ type: ['string', 'null'], format: 'date-time' });
});

test('the events to subscribe to are described with their headers', () => {
  expect(Object.keys(document.webhooks)).toEqual([
    'credit.default.reported',
    'credit.delinquency.reported',
    'credit.default.voided',
    'credit.delinquency.voided',
    'credit.record.corrected',
  ]);
  expect(JSON.stringify(document.webhooks)).toContain('Svc-Signature');
});

describe('what is read from the feed', () => {
  const checker = new OpenApiChecker(document as unknown as OpenApiDocument);
  const opened = {
    id: '0198a1c7-9e00-7a0b-8d1c-2e3f4a5b6c7d',
    type: 'dispute.opened',
    created_at: '2026-02-03T10:00:00.000Z',
    environment: 'live',
    data: {
      dispute_id: '0198a1c7-9d00-7f0a-8c0b-1e2f3a4b5c6d',
      subject_id: null,
      account_id: null,
      credit_event_id: null,
      reason: 'FRAUD',
      opened_at: '2026-02-03T10:00:00.000Z',
      due_at: '2026-03-05T10:00:00.000Z',
    },
  };
  const faultsOf = (event: unknown) =>
    checker
      .faultsOf({
        method: 'GET',
        target: '/api/v1/events',
        status: 200,
        header: (name) => {
          if (name === 'content-type') return 'application/json';
          if (name === 'x-request-id') return 'r1';
          return name.startsWith('x-ratelimit-') ? '1' : null;
        },
        text: JSON.stringify([event]),
      })
      .join('\n');

  test('is one of the events that it can be asked for, each by its name', () => {
    const { oneOf } = resolve('#/components/schemas/FeedEvent') as { oneOf: { $ref: string }[] };
    const event_names = oneOf.map(({ $ref }) => {
      const { properties } = resolve($ref) as { properties: { type: Node } };
      return properties.type.const;
    });
    expect(event_names).toEqual(FEED_EVENT_NAMES);
  });

  test('is held against the event of its name', () => {
    expect(faultsOf(opened)).toBe('');
    const { due_at: _due_at, ...data } = opened.data;
    for (const wrong of [
      { ...opened, type: 'dispute.closed' },
      { ...opened, type: 'dispute.resolved' },
      { ...opened, data },
      { ...opened, data: { ...opened.data, name: 'Ada' } },
      { ...opened, data: { ...opened.data, reason: 'ODD' } },
    ]) {
      expect([wrong, faultsOf(wrong)]).toEqual([wrong, expect.stringMatching(/^\/0\//)]);
    }
  });
});

test('the version is one of the document, not of the software', () => {
  expect((document.info as Node).version).toBe(API_VERSION);
});
