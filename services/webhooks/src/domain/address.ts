import { isIP } from 'node:net';
import { IPv4, IPv6, parse, parseCIDR } from 'ipaddr.js';

/** A range of addresses: its first address and its prefix length. */
export type AddressRange = readonly [IPv4 | IPv6, number];

// The only block that IANA allocates global unicast addresses from. Everything
// outside (IPv4-compatible, mapped, translated, unique local) is an alias of
// something else or not routed.
const GLOBAL_UNICAST_V6: AddressRange = parseCIDR('2000::/3');

// Global addresses that only reach a cloud host's own metadata and control service.
const HOST_SERVICES: readonly AddressRange[] = [parseCIDR('168.63.129.16/32')];

function isWithin(address: IPv4 | IPv6, range: AddressRange): boolean {
  const [network, prefix] = range;
  if (address instanceof IPv4) return network instanceof IPv4 && address.match(network, prefix);
  return network instanceof IPv6 && address.match(network, prefix);
}

/** Reads a comma list of ranges and addresses; throws on what is neither. */
export function parseAddressRanges(list: string): AddressRange[] {
  return list
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => {
      const [network = '', prefix] = text.split('/');
      const family = isIP(network);
      if (family === 0) throw new Error(`${text} is not an address or a range.`);
      return parseCIDR(prefix === undefined ? `${network}/${family === 4 ? 32 : 128}` : text);
    });
}

/**
 * Whether the network may connect to an address: global unicast, or in a range
 * that the operator opened. Addresses that embed another (mapped, NAT64, 6to4,
 * Teredo) are refused whatever they embed, for the embedded one decides where
 * the packets go. Takes canonical texts only, as a resolver gives them.
 */
export function isReachableAddress(address: string, opened: readonly AddressRange[]): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = parse(address);
  if (opened.some((range) => isWithin(parsed, range))) return true;
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof IPv6 && !isWithin(parsed, GLOBAL_UNICAST_V6)) return false;
  return !HOST_SERVICES.some((range) => isWithin(parsed, range));
}
