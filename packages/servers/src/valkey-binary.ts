import { packagedBinary } from './packaged-binary';

/**
 * Finds or fetches a server that speaks Valkey's protocol and runs its scripts. Debian has had redis-server for
 * longer than valkey-server, and what is used here is the same in both.
 */
export function valkeyServerBinary(cache_directory?: string): Promise<string> {
  return packagedBinary(
    {
      name: 'redis-server',
      package_name: 'redis-server',
      further_packages: ['redis-tools', 'libjemalloc2', 'liblzf1'],
      accepts(version) {
        const [, major = '0'] = /v=(\d+)\./.exec(version) ?? [];
        return Number(major) >= 7;
      },
      advice:
        'No redis-server was found and the package could not be fetched: install Redis 7 or later so that redis-server is on PATH (Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis).',
    },
    cache_directory,
  );
}
