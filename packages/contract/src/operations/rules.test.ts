import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { ERRORS } from '@credit/platform/errors';
import { fileDescriptors } from '@credit/proto/descriptors';
import { buildOpenApi, securityOf } from '../openapi';
import type { Operation } from '../operation';
import { INTERNAL_RPCS } from '../rpc-method';
import { TAG_GROUPS, TAGS } from '../tags';
import { operations } from './index';

const all = Object.values(operations) as unknown as Operation[];

/** Every method of the protos, by its full name. */
const rpcs = new Set(
  fileDescriptors().flatMap((bytes) => {
    const file = fromBinary(FileDescriptorProtoSchema, bytes);
    return file.service.flatMap((service) =>
      service.method.map((method) => `${file.package}.${service.name}/${method.name}`),
    );
  }),
);

/** Answered by the gateway alone. */
const WITHOUT_RPC = ['getOpenApi'];

interface Described {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

const document = buildOpenApi() as {
  paths: Record<string, Record<string, Described>>;
};
const described = new Map(
  Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation]),
);

/** What an operation lacks that every operation has, in sentences that say what to do. */
function missingIn(operation: Operation): string[] {
  const { id, method, summary, description, access, examples, rpc } = operation;
  const missing: string[] = [];
  if (!summary) missing.push('give it a summary');
  if (!description || description === summary) missing.push('give it a description of its own');
  if (!access) missing.push('say in access who may call it');
  if (!(operation.tag in TAGS)) missing.push(`describe its tag ${operation.tag} in tags.ts`);
  if (!rpc) {
    missing.push('name in rpc the gRPC methods that serve it');
  } else {
    if (rpc.length === 0 && !WITHOUT_RPC.includes(id)) {
      missing.push('name in rpc the gRPC methods that serve it, or list it in WITHOUT_RPC here');
    }
    for (const name of rpc) {
      if (!rpcs.has(name)) {
        missing.push(`name another rpc than ${name}, which no proto declares`);
      }
      if (name in INTERNAL_RPCS) {
        missing.push(`take ${name} out of INTERNAL_RPCS, or out of its rpc`);
      }
    }
  }
  if (!examples) return [...missing, 'give it examples'];
  if (operation.body !== undefined && examples.body === undefined) {
    missing.push('give it an example of its body');
  }
  if (operation.response !== undefined && examples.response === undefined) {
    missing.push('give it an example of its response');
  }
  for (const name of Object.keys(operation.params)) {
    if (examples.params?.[name] === undefined) missing.push(`give it an example of ${name}`);
  }
  return [...missing, ...missingErrors(operation, method)];
}

/** An error that the operation can end in, and that its list leaves out. */
function missingErrors(operation: Operation, method: string): string[] {
  if (!Array.isArray(operation.errors)) return ['list its errors, if only with []'];
  const missing: string[] = [];
  const needs = (code: keyof typeof ERRORS, why: string) => {
    const { responses } = described.get(operation.id) ?? { responses: {} };
    if (!(ERRORS[code].http_status in responses)) missing.push(`list ${code} in errors: ${why}`);
  };
  needs('VALIDATION_ERROR', 'anything can be sent');
  needs('RATE_LIMIT_EXCEEDED', 'everything is limited');
  needs('INTERNAL_ERROR', 'everything can fail');
  const schemes = operation.access === undefined ? [] : securityOf(operation.access);
  if (schemes.length > 0) needs('INVALID_API_KEY', 'it needs a credential');
  if (schemes.some((scheme) => 'apiKey' in scheme || 'userToken' in scheme)) {
    needs('INSUFFICIENT_SCOPE', 'its credential can lack the right');
  }
  if (operation.body !== undefined) needs('REQUEST_TOO_LARGE', 'it takes a body');
  if (operation.idempotent) needs('INVALID_STATE_TRANSITION', 'a key can come with another body');
  for (const name of Object.keys(operation.params)) {
    // Without the thing's own token nobody is told whether there is such a thing.
    if (operation.access?.kind === 'token') break;
    // What is put under a name need not be there.
    if (operation.method === 'PUT') break;
    needs('NOT_FOUND', `${name} of its path can be unknown`);
  }
  for (const [, status] of operation.description.matchAll(/\b(4\d\d)\b/g)) {
    const { responses } = described.get(operation.id) ?? { responses: {} };
    if (!(`${status}` in responses)) missing.push(`list the error of the ${status} it speaks of`);
  }
  if (method === 'GET' && operation.idempotent) missing.push('leave idempotent out of a GET');
  if (operation.repeated_by_gateway && (method === 'GET' || operation.idempotent)) {
    missing.push('leave repeated_by_gateway to writes that take no key');
  }
  return missing;
}

test('every operation says all that a reader must know', () => {
  const missing = all.flatMap((operation) =>
    missingIn(operation).map((sentence) => `${operation.id}: ${sentence}`),
  );
  expect(missing).toEqual([]);
});

test('an operation that says nothing is told all that it lacks', () => {
  const bare = { id: 'bare', method: 'GET', params: { a: 1 }, description: 'Answers 418 or 409.' };
  expect(missingIn({ ...bare, body: 1, response: 1 } as unknown as Operation)).toEqual(
    expect.arrayContaining([
      'give it a summary',
      'say in access who may call it',
      'name in rpc the gRPC methods that serve it',
      'give it examples',
    ]),
  );
  const wordless = { ...bare, errors: [], examples: {}, rpc: ['x.Y/Z'] } as unknown as Operation;
  expect(missingIn(wordless)).toEqual(
    expect.arrayContaining([
      'name another rpc than x.Y/Z, which no proto declares',
      'give it an example of a',
      'list NOT_FOUND in errors: a of its path can be unknown',
      'list the error of the 409 it speaks of',
    ]),
  );
});

test('every gRPC method serves an operation, or is listed as internal with its purpose', () => {
  const served = new Set<string>(all.flatMap(({ rpc }) => rpc));
  const unexplained = [...rpcs].filter((name) => !served.has(name) && !(name in INTERNAL_RPCS));
  expect(unexplained).toEqual([]);
  const unknown = Object.keys(INTERNAL_RPCS).filter((name) => !rpcs.has(name));
  expect(unknown).toEqual([]);
});

test('every tag is used, and in one group', () => {
  expect(new Set(all.map(({ tag }) => tag))).toEqual(new Set(Object.keys(TAGS)));
  expect(TAG_GROUPS.flatMap(({ tags }) => tags).sort()).toEqual(Object.keys(TAGS).sort());
});
