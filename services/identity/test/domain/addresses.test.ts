import {
  meteredPlace,
  meteredSite,
  normalizeAddress,
  normalizeNetwork,
} from '../../src/domain/addresses';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::1', '::1'],
])('the address %s is %s', (text, address) => {
  expect(normalizeAddress(text)).toBe(address);
});

test.each(['', 'localhost', '10.1', '0x7f.1', '010.0.0.1', '192.0.2.7:80', '[::1]', '1.2.3.4/32'])(
  'the address %j is none',
  (text) => {
    expect(normalizeAddress(text)).toBeUndefined();
  },
);

test.each([
  ['192.0.2.7', '192.0.2.7/32'],
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['2001:db8::1', '2001:db8::1/128'],
  ['2001:DB8::/33', '2001:db8::/33'],
  ['::/0', '::/0'],
  ['::ffff:192.0.2.7', '192.0.2.7/32'],
  ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
  [' 192.0.2.0/24 ', '192.0.2.0/24'],
])('the network %s is %s', (text, network) => {
  expect(normalizeNetwork(text)).toBe(network);
});

test.each([
  '',
  'any',
  '192.0.2.0/33',
  '192.0.2.0/-1',
  '192.0.2.0/08',
  '192.0.2.0/24/24',
  '2001:db8::/129',
  '192.0.2/24',
  '10.0.0.0/255.0.0.0',
  'fe80::1%eth0/64',
  '010.0.0.0/8',
  // Bits beyond the prefix: a slip that would let in a whole network.
  '192.0.2.7/24',
  '10.255.255.255/8',
  '0.0.0.1/0',
  '2001:db8::ffff/33',
  '::ffff:192.0.2.7/120',
])('the network %j is none', (text) => {
  expect(normalizeNetwork(text)).toBeUndefined();
});

test('an IPv6 host is metered by the network it owns, an IPv4 host by its address', () => {
  expect(meteredPlace('192.0.2.7')).toBe('192.0.2.7');
  expect(meteredPlace('2001:db8:1:2:3::4')).toBe('2001:db8:1:2::/64');
  expect(meteredPlace('2001:db8:1:2:ffff::')).toBe('2001:db8:1:2::/64');
  expect(meteredPlace('2001:db8:1:3::')).toBe('2001:db8:1:3::/64');
  expect(meteredPlace(undefined)).toBe('unknown');
  expect(meteredSite('2001:db8:1:2:3::4')).toBe('2001:db8:1::/48');
  expect(meteredSite('2001:db8:1:ffff::')).toBe('2001:db8:1::/48');
  expect(meteredSite('192.0.2.7')).toBeUndefined();
  expect(meteredSite(undefined)).toBeUndefined();
});
