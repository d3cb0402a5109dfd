import {
  type AuditRecord,
  CHAIN_START,
  type ChainedRecord,
  ChainVerifier,
  chainHash,
} from '../../src/domain/audit-chain';

function chain(length: number): ChainedRecord[] {
  const records: ChainedRecord[] = [];
  let prev_hash = CHAIN_START;
  for (let sequence = 1n; sequence <= length; sequence += 1n) {
    const record: AuditRecord = {
      chain_id: '0198a1c2-0000-7000-8000-000000000001',
      sequence,
      id: `0198a1c2-0000-7000-8000-00000000000${sequence}`,
      at: '2026-03-01T12:00:00.000Z',
      actor_type: 'user',
      actor_id: 'ada',
      action: 'api_key.created',
      target_type: 'api_key',
      target_id: 'k1',
      environment: 'live',
      request_id: 'r1',
      ip: '192.0.2.7',
      changes: '{}',
    };
    const hash = chainHash(record, prev_hash);
    records.push({ ...record, prev_hash, hash });
    prev_hash = hash;
  }
  return records;
}

function verify(records: readonly ChainedRecord[], head: ChainedRecord | undefined) {
  const verifier = new ChainVerifier();
  for (const record of records) {
    const fault = verifier.next(record);
    if (fault !== undefined) return fault;
  }
  return verifier.end({ sequence: head?.sequence ?? 0n, hash: head?.hash ?? CHAIN_START });
}

test('an untouched chain is whole', () => {
  const records = chain(5);
  expect(verify(records, records.at(-1))).toBeUndefined();
  expect(verify([], undefined)).toBeUndefined();
});

test('every field of a record is covered', () => {
  const [record] = chain(1);
  if (record === undefined) throw new Error('no record');
  for (const field of Object.keys(record) as (keyof ChainedRecord)[]) {
    if (field === 'sequence' || field === 'hash' || field === 'prev_hash') continue;
    expect(verify([{ ...record, [field]: `${record[field]}x` }], record)).toEqual({
      sequence: 1n,
      problem: 'altered',
    });
  }
});

test('text moved from one field into the next is an alteration', () => {
  const [record] = chain(1);
  if (record === undefined) throw new Error('no record');
  const moved = { ...record, action: 'api_key', target_type: '.createdapi_key' };
  expect(verify([moved], record)).toEqual({ sequence: 1n, problem: 'altered' });
});

test('a record taken out, put in, or cut off the end is noticed', () => {
  const records = chain(5);
  const head = records.at(-1);
  expect(verify(records.toSpliced(2, 1), head)).toEqual({ sequence: 3n, problem: 'missing' });
  expect(verify(records.slice(0, 4), head)).toEqual({ sequence: 5n, problem: 'cut off' });
  expect(verify(records, records.at(-2))).toEqual({ sequence: 6n, problem: 'cut off' });
});

test('a record rewritten with a hash that fits breaks the link of the next', () => {
  const records = chain(3);
  const [first, second, third] = records;
  if (first === undefined || second === undefined || third === undefined) throw new Error('short');
  const rewritten = { ...second, changes: '{"scopes":["credit:read"]}' };
  const forged = { ...rewritten, hash: chainHash(rewritten, first.hash) };
  expect(verify([first, forged, third], third)).toEqual({ sequence: 3n, problem: 'unlinked' });
});
