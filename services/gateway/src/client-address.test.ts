import fc from 'fast-check';
import { clientAddress, TrustedProxies } from './client-address';

const none = new TrustedProxies('');
const proxies = new TrustedProxies('10.0.0.0/8, 192.0.2.1, 2001:db8:1::/48,::ffff:172.16.0.0/108');

test('without trusted proxies the peer is the client, whatever it says', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.string(), (peer, header) => {
      expect(clientAddress(peer, header, none)).toBe(peer);
    }),
  );
});

test('a peer that is no trusted proxy cannot name a client', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      expect(clientAddress('203.0.113.5', header, proxies)).toBe('203.0.113.5');
    }),
  );
});

test.each([
  ['10.1.2.3', '198.51.100.7', '198.51.100.7'],
  ['10.1.2.3', '6.6.6.6, 198.51.100.7', '198.51.100.7'],
  ['10.1.2.3', '6.6.6.6, 198.51.100.7, 10.9.9.9', '198.51.100.7'],
  ['10.1.2.3', '198.51.100.7 , 192.0.2.1,2001:db8:1::5', '198.51.100.7'],
  ['10.1.2.3', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
  ['172.20.0.1', '2001:db8:2::9', '2001:db8:2::9'],
  ['::ffff:10.1.2.3', '::ffff:198.51.100.7', '198.51.100.7'],
  ['10.1.2.3', '198.51.100.7:4711', '198.51.100.7'],
  ['10.1.2.3', '[2001:db8:2::9]:4711', '2001:db8:2::9'],
  ['10.1.2.3', '[2001:DB8:2:0::9]', '2001:db8:2::9'],
  ['10.1.2.3', 'fe80::1%eth0', 'fe80::1'],
])('behind %s, "%s" is %s', (peer, header, client) => {
  expect(clientAddress(peer, header, proxies)).toBe(client);
});

test.each([
  'unknown',
  '',
  ',',
  '198.51.100.7,',
  '198.51.100.256',
  '010.1.1.1',
  '1.2.3',
  '_hidden',
  '[::1',
])('the client of "%s" cannot be told', (header) => {
  expect(clientAddress('10.1.2.3', header, proxies)).toBe('');
});

test('what stands left of the client is never believed', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 5 }), (spoofed) => {
      const header = [...spoofed, '198.51.100.7', '10.0.0.1'].join(',');
      expect(clientAddress('10.1.2.3', header, proxies)).toBe('198.51.100.7');
    }),
  );
});

test('a chain without end is given up', () => {
  const header = Array.from({ length: 100 }, () => '10.0.0.1').join(',');
  expect(clientAddress('10.1.2.3', header, proxies)).toBe('');
});

test('a connection without an address has none', () => {
  expect(clientAddress(undefined, '198.51.100.7', proxies)).toBe('');
});

test.each([
  '10.0.0.0/33',
  '10.0.0',
  'proxy.local',
  '10.0.0.0/8/1',
  '::1/129',
  '::ffff:10.0.0.0/8',
  '10.0.0.0/',
])('a list with "%s" is refused in one sentence', (entry) => {
  expect(() => new TrustedProxies(`10.0.0.1,${entry}`)).toThrow(
    `must be a comma-separated list of addresses and CIDR ranges; "${entry}" is neither`,
  );
});
