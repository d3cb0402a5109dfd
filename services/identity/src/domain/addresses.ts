import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The one way to write a client's address: an IPv4 address that came in IPv6's
 * mapped form is the IPv4 address, a zone is dropped. Undefined when it is none.
 */
export function normalizeAddress(text: string): string | undefined {
  // isIP first: the parser below also takes hexadecimal, octal and short forms.
  if (isIP(text) === 0) return undefined;
  const address = ipaddr.process(text.split('%', 1)[0] ?? '');
  return address.toString();
}

/**
 * What limits per address count by. One IPv6 host owns at least a /64 and may call
 * from any address in it, so the network counts, not the address.
 */
export function meteredPlace(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (!address.includes(':')) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()}/64`;
}

/**
 * The site that a network of IPv6 belongs to: whoever is given one has 65,536 networks, so what
 * only limits each of those limits nobody. None for IPv4.
 */
export function meteredSite(address: string | undefined): string | undefined {
  if (address === undefined || !address.includes(':')) return undefined;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`).toString()}/48`;
}

const BITS = { ipv4: 32, ipv6: 128 } as const;
/** The first bits of a mapped address, before the IPv4 address proper. */
const MAPPED_PREFIX_BITS = 96;

/**
 * A network in CIDR notation: a single address becomes a host network, a mapped IPv4 network
 * becomes the IPv4 network. Undefined when the text is no network, and also when bits beyond
 * the prefix are set: 10.1.2.3/8 is a slip, and would let in sixteen million addresses.
 */
export function normalizeNetwork(text: string): string | undefined {
  const [, host = '', prefix] = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text.trim()) ?? [];
  if (isIP(host) === 0) return undefined;
  let address = ipaddr.parse(host);
  let bits = prefix === undefined ? BITS[address.kind()] : Number(prefix);
  if (bits > BITS[address.kind()]) return undefined;
  if (
    address instanceof ipaddr.IPv6 &&
    address.isIPv4MappedAddress() &&
    bits >= MAPPED_PREFIX_BITS
  ) {
    address = address.toIPv4Address();
    bits -= MAPPED_PREFIX_BITS;
  }
  const network = `${address.toString()}/${bits}`;
  const base =
    address instanceof ipaddr.IPv4
      ? ipaddr.IPv4.networkAddressFromCIDR(network)
      : ipaddr.IPv6.networkAddressFromCIDR(network);
  return base.toString() === address.toString() ? `${base.toString()}/${bits}` : undefined;
}
