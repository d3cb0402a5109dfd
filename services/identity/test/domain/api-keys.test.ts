import { SCOPES } from '@credit/platform/values';
import { draftKey, type KeyRequest } from '../../src/domain/api-keys';

const now_ms = Date.parse('2026-03-01T12:00:00Z');
const request: KeyRequest = {
  display_name: ' ledger sync ',
  scopes: ['events:write', 'credit:read', 'events:write'],
  environment: 'test',
  allowed_ips: [],
};

function faults(change: Partial<KeyRequest>): string[] {
  try {
    draftKey({ ...request, ...change }, now_ms);
    return [];
  } catch (error) {
    return (error as { details: { path: string; message: string }[] }).details.map(
      ({ path, message }) => `${path} ${message}`,
    );
  }
}

test('a key is drafted with each scope once, in one order', () => {
  expect(draftKey(request, now_ms)).toEqual({
    display_name: 'ledger sync',
    scopes: ['credit:read', 'events:write'],
    environment: 'test',
    allowed_ips: undefined,
    expires_at: undefined,
  });
  expect(draftKey({ ...request, scopes: [...SCOPES].reverse() }, now_ms).scopes).toEqual([
    ...SCOPES,
  ]);
});

test('networks are normalised, and the same one twice is one', () => {
  const allowed_ips = ['10.0.0.0/8', '::ffff:10.0.0.0/104', '192.0.2.7', '2001:DB8::/32'];
  expect(draftKey({ ...request, allowed_ips }, now_ms).allowed_ips).toEqual([
    '10.0.0.0/8',
    '192.0.2.7/32',
    '2001:db8::/32',
  ]);
});

test('every fault is named with its place', () => {
  expect(faults({ scopes: [] })).toEqual(['scopes needs at least one scope']);
  expect(faults({ scopes: ['credit:read', 'api_keys:create'] })).toEqual([
    'scopes[1] is not a known scope',
  ]);
  expect(faults({ environment: 'production' })).toEqual(['environment must be live or test']);
  expect(faults({ allowed_ips: ['10.0.0.0/8', 'everywhere'] })).toEqual([
    'allowed_ips[1] is not an address or a CIDR range without host bits',
  ]);
  expect(faults({ allowed_ips: ['10.1.2.3/8'] })).toEqual([
    'allowed_ips[0] is not an address or a CIDR range without host bits',
  ]);
  expect(faults({ display_name: '  ', scopes: ['x'], environment: '' })).toHaveLength(3);
});

test('an expiry is in the future', () => {
  expect(faults({ expires_at: '2026-03-01T12:00:00.001Z' })).toEqual([]);
  for (const expires_at of ['2026-03-01T12:00:00.000Z', '2020-01-01T00:00:00Z', 'tomorrow']) {
    expect(faults({ expires_at })).toEqual(['expires_at must be in the future']);
  }
});
