import { readFileSync } from 'node:fs';
import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js';
import { ConfigError } from './config';

/** How this process shows who it is, and whom it believes. */
export interface ServiceTls {
  readonly server: ServerCredentials;
  readonly channel: ChannelCredentials;
  /** For NATS, whose client reads them itself. */
  readonly files: { readonly certFile: string; readonly keyFile: string; readonly caFile: string };
}

/**
 * Mutual TLS between services as TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE ask for it;
 * undefined, which means plain text, when none of them is set. The files are read once: a
 * renewed certificate is taken up by a restart.
 */
export function tlsFromEnvironment(
  environment: NodeJS.ProcessEnv = process.env,
): ServiceTls | undefined {
  const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE } = environment;
  if (!TLS_CERT_FILE && !TLS_KEY_FILE && !TLS_CA_FILE) return undefined;
  if (!TLS_CERT_FILE || !TLS_KEY_FILE || !TLS_CA_FILE) {
    throw new ConfigError('TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE go together.');
  }
  const ca = read('TLS_CA_FILE', TLS_CA_FILE);
  const cert_chain = read('TLS_CERT_FILE', TLS_CERT_FILE);
  const private_key = read('TLS_KEY_FILE', TLS_KEY_FILE);
  return {
    server: ServerCredentials.createSsl(ca, [{ cert_chain, private_key }], true),
    channel: ChannelCredentials.createSsl(ca, private_key, cert_chain),
    files: { certFile: TLS_CERT_FILE, keyFile: TLS_KEY_FILE, caFile: TLS_CA_FILE },
  };
}

function read(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new ConfigError(`The file that ${name} names cannot be read.`);
  }
}
