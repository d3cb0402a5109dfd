import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

interface Range {
  readonly base: Address;
  readonly bits: number;
}

/** More hops than any chain of proxies has; what comes before them is not looked at. */
const MAX_HOPS = 32;

/** An address in its shortest form, IPv4 in its own; undefined when it is none. */
function parseAddress(text: string): Address | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) {
    // 010.1 and 0x7f.1 are addresses to some parsers; a chain never holds them.
    return ipaddr.IPv4.isValidFourPartDecimal(text) ? address : undefined;
  }
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function addressText(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  // A zone names an interface of the host that wrote it; PostgreSQL knows none.
  const [text = ''] = address.toString().split('%', 1);
  return text;
}

function parseRange(text: string): Range | undefined {
  const [address_text = '', bits_text, ...rest] = text.split('/');
  const address = parseAddress(address_text);
  if (address === undefined || rest.length > 0) return undefined;
  const mapped = address instanceof ipaddr.IPv4 && address_text.includes(':');
  const width = address instanceof ipaddr.IPv4 ? 32 : 128;
  if (bits_text === undefined) return { base: address, bits: width };
  if (!/^\d{1,3}$/.test(bits_text)) return undefined;
  // ::ffff:10.0.0.0/104 is 10.0.0.0/8 written the long way.
  const bits = Number(bits_text) - (mapped ? 96 : 0);
  return bits >= 0 && bits <= width ? { base: address, bits } : undefined;
}

function contains({ base, bits }: Range, address: Address): boolean {
  if (base instanceof ipaddr.IPv4) {
    return address instanceof ipaddr.IPv4 && address.match(base, bits);
  }
  return address instanceof ipaddr.IPv6 && address.match(base, bits);
}

/** The addresses of proxies whose word on the client's address is taken. */
export class TrustedProxies {
  readonly #ranges: readonly Range[];

  /** Throws one sentence that names the entry that is wrong. */
  constructor(list: string) {
    const entries = list.split(',').map((entry) => entry.trim());
    this.#ranges = entries
      .filter((entry) => entry !== '')
      .map((entry) => {
        const range = parseRange(entry);
        if (range === undefined) {
          throw new Error(
            `must be a comma-separated list of addresses and CIDR ranges; "${entry}" is neither`,
          );
        }
        return range;
      });
  }

  get empty(): boolean {
    return this.#ranges.length === 0;
  }

  has(address: Address): boolean {
    return this.#ranges.some((range) => contains(range, address));
  }
}

/** Longer than any address with a zone and a port: nothing of it is looked at. */
const MAX_HOP_LENGTH = 64;

/** One entry of X-Forwarded-For; some proxies add the port. */
function parseHop(text: string): Address | undefined {
  if (text.length > MAX_HOP_LENGTH) return undefined;
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text);
  if (bracketed !== null) return parseAddress(bracketed[1] ?? '');
  const with_port = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text);
  return parseAddress(with_port?.[1] ?? text);
}

/**
 * The client behind a connection from `peer`. Only what trusted proxies wrote is
 * believed: from the right, the first entry that is not one of them is the
 * client. Empty when it cannot be told.
 */
export function clientAddress(
  peer: string | undefined,
  forwarded_for: string | undefined,
  trusted: TrustedProxies,
): string {
  const address = peer === undefined ? undefined : parseAddress(peer);
  if (address === undefined) return '';
  if (forwarded_for === undefined || trusted.empty || !trusted.has(address)) {
    return addressText(address);
  }
  let client = address;
  const hops = forwarded_for.split(',');
  for (let i = hops.length - 1; i >= 0; i--) {
    if (hops.length - i > MAX_HOPS) return '';
    const hop = parseHop((hops[i] ?? '').trim());
    if (hop === undefined) return '';
    client = hop;
    if (!trusted.has(hop)) break;
  }
  return addressText(client);
}

/** Works the client's address out, once a connection where no proxy is in front. */
export class ClientAddresses {
  readonly #trusted: TrustedProxies;
  readonly #of_socket = new WeakMap<Socket, string>();

  constructor(trusted: TrustedProxies) {
    this.#trusted = trusted;
  }

  of(request: IncomingMessage): string {
    const { socket } = request;
    if (!this.#trusted.empty) {
      // Several headers are one list, in their order; Node joins them so.
      const forwarded_for = request.headers['x-forwarded-for'];
      const list = Array.isArray(forwarded_for) ? forwarded_for.join(',') : forwarded_for;
      return clientAddress(socket.remoteAddress, list, this.#trusted);
    }
    let address = this.#of_socket.get(socket);
    if (address === undefined) {
      address = clientAddress(socket.remoteAddress, undefined, this.#trusted);
      this.#of_socket.set(socket, address);
    }
    return address;
  }
}
