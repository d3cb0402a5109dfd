import { packagedBinary } from './packaged-binary';

/** Finds or fetches a nats-server. JetStream as used here is in 2.9 and later. */
export function natsServerBinary(cache_directory?: string): Promise<string> {
  return packagedBinary(
    {
      name: 'nats-server',
      package_name: 'nats-server',
      accepts(version) {
        const [, major = '0', minor = '0'] = /v(\d+)\.(\d+)/.exec(version) ?? [];
        return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 9);
      },
      advice:
        'No nats-server was found and the package could not be fetched: install nats-server 2.9 or later so that it is on PATH (Debian and Ubuntu: apt-get install nats-server; macOS: brew install nats-server), or set NATS_URL to a server with JetStream.',
    },
    cache_directory,
  );
}
