import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;
const HOSTS_FILE = '/etc/hosts';
const HOSTS_MAX_AGE_MS = 60_000;
const MAX_ADDRESSES = 16;

/** Finds all addresses of a name; throws when there is none. */
export interface NameResolver {
  resolve(name: string): Promise<string[]>;
}

/**
 * Resolves names by queries of its own instead of getaddrinfo, whose few threads
 * a handful of names with dead name servers would keep from everyone else.
 * Loopback names and the hosts file work as everywhere.
 */
export class DnsNameResolver implements NameResolver {
  private readonly resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  private hosts: Promise<Map<string, string[]>> = Promise.resolve(new Map());
  private hosts_read_at_ms = Number.NEGATIVE_INFINITY;

  /** `servers` replaces the machine's own name servers, each `address` or `address:port`. */
  constructor(
    private readonly clock: { now_ms(): number },
    servers: readonly string[] = [],
  ) {
    if (servers.length > 0) this.resolver.setServers(servers);
  }

  async resolve(name: string): Promise<string[]> {
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const listed = (await this.readHosts()).get(name);
    if (listed !== undefined) return listed;
    const [v4, v6] = await Promise.allSettled([
      this.resolver.resolve4(name),
      this.resolver.resolve6(name),
    ]);
    const addresses = [
      ...(v4.status === 'fulfilled' ? v4.value : []),
      ...(v6.status === 'fulfilled' ? v6.value : []),
    ];
    if (addresses.length === 0) {
      throw new Error(`${name} has no address.`, {
        cause: v4.status === 'rejected' ? v4.reason : undefined,
      });
    }
    return addresses.slice(0, MAX_ADDRESSES);
  }

  private readHosts(): Promise<Map<string, string[]>> {
    if (this.clock.now_ms() - this.hosts_read_at_ms > HOSTS_MAX_AGE_MS) {
      this.hosts_read_at_ms = this.clock.now_ms();
      this.hosts = readFile(HOSTS_FILE, 'utf8').then(parseHosts, () => new Map());
    }
    return this.hosts;
  }
}

/** The addresses of each name in the text of a hosts file. */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), address]);
    }
  }
  return hosts;
}
