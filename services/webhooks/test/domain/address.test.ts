import { isReachableAddress, parseAddressRanges } from '../../src/domain/address';

describe('addresses that the network connects to', () => {
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '2606:4700::6810:84e5',
    '2a00:1450:4001:81b::200e',
  ])('%s is reachable', (address) => {
    expect(isReachableAddress(address, [])).toBe(true);
  });

  test.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['carrier-grade NAT, a metadata service', '100.100.100.200'],
    ['carrier-grade NAT', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local', '169.254.0.1'],
    ['link-local, the metadata service', '169.254.169.254'],
    ['protocol assignments, a metadata service', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarking', '198.18.0.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['a cloud host service on a global address', '168.63.129.16'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible', '::8.8.8.8'],
    ['IPv4-compatible loopback', '::127.0.0.1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped, though global', '::ffff:8.8.8.8'],
    ['mapped in hexadecimal', '::ffff:a9fe:a9fe'],
    ['translated', '::ffff:0:127.0.0.1'],
    ['NAT64 of the metadata service', '64:ff9b::a9fe:a9fe'],
    ['NAT64, though of a global address', '64:ff9b::8.8.8.8'],
    ['local NAT64', '64:ff9b:1::a00:1'],
    ['discard', '100::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['ORCHID', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['6to4, though of a global address', '2002:808:808::1'],
    ['documentation', '3fff::1'],
    ['segment routing', '5f00::1'],
    ['unallocated', '4000::1'],
    ['unique local, a metadata service', 'fd00:ec2::254'],
    ['unique local', 'fc00::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['not an address: decimal', '2130706433'],
    ['not an address: octal', '0177.0.0.1'],
    ['not an address: hexadecimal', '0x7f.0.0.1'],
    ['not an address: short', '127.1'],
    ['not an address: trailing dot', '8.8.8.8.'],
    ['not an address: a name', 'example.com'],
    ['nothing', ''],
  ])('%s (%s) is refused', (_kind, address) => {
    expect(isReachableAddress(address, [])).toBe(false);
  });

  test('an operator opens ranges and single addresses, and nothing beside them', () => {
    const opened = parseAddressRanges('10.1.0.0/16, 127.0.0.1,fd00:1::/32');
    expect(isReachableAddress('10.1.2.3', opened)).toBe(true);
    expect(isReachableAddress('127.0.0.1', opened)).toBe(true);
    expect(isReachableAddress('fd00:1::5', opened)).toBe(true);
    expect(isReachableAddress('10.2.0.1', opened)).toBe(false);
    expect(isReachableAddress('127.0.0.2', opened)).toBe(false);
    expect(isReachableAddress('fd00:2::5', opened)).toBe(false);
    // The mapped form of an opened address goes by its own rules.
    expect(isReachableAddress('::ffff:10.1.2.3', opened)).toBe(false);
  });

  test('an empty list opens nothing; what is no range is refused', () => {
    expect(parseAddressRanges('')).toEqual([]);
    for (const text of [
      '10.0.0.0/33',
      'example.com',
      '10/8',
      '0x7f.0.0.1',
      '::1/129',
      '1.2.3.4/x',
    ]) {
      expect(() => parseAddressRanges(text)).toThrow();
    }
  });
});
