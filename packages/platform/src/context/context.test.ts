import fc from 'fast-check';
import { ENVIRONMENTS, fromMetadata, systemContext, toMetadata } from '.';

const ID = '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11';
const signal = new AbortController().signal;
const received = (metadata: Record<string, string>) => fromMetadata(metadata, 1, signal);
const faultsOf = (metadata: Record<string, string>) => {
  try {
    received(metadata);
    return [];
  } catch (error) {
    return (error as { details: { path: string }[] }).details.map(({ path }) => path);
  }
};

test('what a context says of a call is what the callee is told', () => {
  const actor = fc.oneof(
    fc.record({ type: fc.constantFrom('user', 'api_key', 'person'), id: fc.uuid() }),
    fc.record({ type: fc.constant('user'), id: fc.uuid(), administers: fc.constant(true) }),
    fc.record({ type: fc.constantFrom('system', 'anonymous'), id: fc.constant('') }),
  );
  const said = fc.record({
    environment: fc.constantFrom(...ENVIRONMENTS),
    institution_id: fc.oneof(fc.uuid(), fc.constant('')),
    actor,
    request_id: fc.stringMatching(/^[A-Za-z0-9._-]{0,128}$/),
    idempotency_key: fc.stringMatching(/^[ -~]{0,255}$/),
    client_address: fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant('')),
  });
  fc.assert(
    fc.property(said, (values) => {
      const ctx = systemContext('live', values as Parameters<typeof systemContext>[1]);
      expect(received(toMetadata(ctx))).toMatchObject(values);
    }),
  );
});

test('who names no environment, and says nothing else, is anonymous in test', () => {
  expect(received({})).toMatchObject({
    environment: 'test',
    institution_id: '',
    actor: { type: 'anonymous', id: '' },
  });
});

test.each([
  ['credit-environment', 'LIVE'],
  ['credit-environment', 'production'],
  ['credit-institution', 'x'],
  ['credit-institution', `${ID} `],
  ['credit-actor', 'user'],
  ['credit-actor', 'user:'],
  ['credit-actor', 'user:x'],
  ['credit-actor', `user:${ID}:all`],
  ['credit-actor', `person:${ID}:administers`],
  ['credit-actor', `root:${ID}`],
  ['x-request-id', 'a b'],
  ['x-request-id', 'x'.repeat(129)],
  ['idempotency-key', 'a\u0000b'],
  ['credit-client-address', '\u202e'],
])('%s that says %j is refused by its name', (name, said) => {
  expect(faultsOf({ 'credit-institution': ID, [name]: said })).toEqual([name]);
});
