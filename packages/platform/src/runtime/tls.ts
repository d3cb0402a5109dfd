import {
  createServer as createHttpServer,
  Agent as HttpAgent,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import { createServer as createHttpsServer, Agent as HttpsAgent } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { type ChannelCredentials, experimental, type ServerCredentials } from '@grpc/grpc-js';
import { type Attributes, metrics } from '@opentelemetry/api';
import { ConfigError } from '../core';
import { namesOf } from '../rpc';
import { Certificates, type NamedFile, ReloadedCertificate, readPair } from './certificates';
import type { Logger } from './logger';

/** How this process shows who it is, and whom it believes. */
export interface ServiceTls {
  readonly server: ServerCredentials;
  readonly channel: ChannelCredentials;
  readonly certificates: Certificates;
  /** For NATS, whose client reads them itself at each connection. */
  readonly files: { readonly certFile: string; readonly keyFile: string; readonly caFile: string };
}

const RELOAD_MS = 30_000;

/**
 * Mutual TLS between services as TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE ask for it;
 * undefined, which means plain text, when none of them is set. Renewed files are taken up within
 * half a minute (`TLS_RELOAD_MS`), for new connections.
 */
export function tlsFromEnvironment(
  environment: NodeJS.ProcessEnv = process.env,
  logger?: Pick<Logger, 'info' | 'warn'>,
): ServiceTls | undefined {
  const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE } = environment;
  if (!TLS_CERT_FILE && !TLS_KEY_FILE && !TLS_CA_FILE) return undefined;
  if (!TLS_CERT_FILE || !TLS_KEY_FILE || !TLS_CA_FILE) {
    throw new ConfigError('TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE go together.');
  }
  const certificates = new Certificates(
    {
      cert: { variable: 'TLS_CERT_FILE', file: TLS_CERT_FILE },
      key: { variable: 'TLS_KEY_FILE', file: TLS_KEY_FILE },
      ca: { variable: 'TLS_CA_FILE', file: TLS_CA_FILE },
    },
    { reload_ms: reloadInterval(environment), logger },
  );
  return {
    server: experimental.createCertificateProviderServerCredentials(
      certificates,
      certificates,
      true,
    ),
    channel: experimental.createCertificateProviderChannelCredentials(certificates, certificates),
    certificates,
    files: { certFile: TLS_CERT_FILE, keyFile: TLS_KEY_FILE, caFile: TLS_CA_FILE },
  };
}

function reloadInterval(environment: NodeJS.ProcessEnv): number {
  const { TLS_RELOAD_MS } = environment;
  const reload_ms = Number(TLS_RELOAD_MS || RELOAD_MS);
  if (!(reload_ms > 0)) throw new ConfigError('TLS_RELOAD_MS must be a positive number.');
  return reload_ms;
}

/** What a server shows to whoever comes, read again like certificates between services. */
export function servedCertificate(
  cert: NamedFile,
  key: NamedFile,
  logger: Pick<Logger, 'info' | 'warn'>,
  environment: NodeJS.ProcessEnv = process.env,
): ReloadedCertificate {
  const reload_ms = reloadInterval(environment);
  return new ReloadedCertificate(() => readPair(cert, key), { reload_ms, logger });
}

/** Shows when the certificate in use ends and whom the process believes, whenever metrics are read. */
export function observeCertificate({ certificates }: ServiceTls): void {
  metrics
    .getMeter('@credit/platform/runtime')
    .createObservableGauge('tls.authorities', {
      description: 'How many authorities this process believes: two while one follows the other.',
    })
    .addCallback((result) => result.observe(certificates.authorities));
  observeExpiry(certificates);
}

/** The same of what is shown to whoever comes, which may be another one. */
export function observeServedCertificate(certificate: ReloadedCertificate): void {
  observeExpiry(certificate, { shown_to: 'anybody' });
}

function observeExpiry(
  certificate: Pick<ReloadedCertificate, 'expires_at_ms'>,
  attributes: Attributes = {},
): void {
  metrics
    .getMeter('@credit/platform/runtime')
    .createObservableGauge('tls.certificate.expires_in.seconds', {
      description: 'How long the certificate that this process shows is still valid.',
    })
    .addCallback((result) =>
      result.observe((certificate.expires_at_ms - Date.now()) / 1_000, attributes),
    );
}

/**
 * HTTP for whoever comes, over TLS where there is a certificate. Who breaks off a handshake, or speaks
 * something else, is told nothing: there is nobody yet to answer.
 */
export function createOpenServer(
  certificate: ReloadedCertificate | undefined,
  options: ServerOptions,
  handshake_ms: number,
): Server {
  if (certificate === undefined) return createHttpServer(options);
  const server = createHttpsServer({
    ...options,
    ...certificate.current,
    handshakeTimeout: handshake_ms,
  });
  // Node would hand it to whoever answers what is no HTTP, in plain text.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  certificate.onChange((pair) => server.setSecureContext(pair));
  return server;
}

/**
 * HTTP between services, for what does not fit gRPC. With TLS only the named callers are let in,
 * by their certificates.
 */
export function createPeerServer(
  tls: ServiceTls | undefined,
  callers: readonly string[],
  options: ServerOptions,
  listener: RequestListener,
): Server {
  if (tls === undefined) return createHttpServer(options, listener);
  const { certificates } = tls;
  const server = createHttpsServer(
    { ...options, ...certificates.current, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      const names = namesOf((request.socket as TLSSocket).getPeerCertificate());
      if (names.some((name) => callers.includes(name))) listener(request, response);
      else response.writeHead(403, { 'content-length': 0 }).end();
    },
  );
  certificates.onChange((set) => server.setSecureContext(set));
  return server;
}

/**
 * Connections to such a server, one for each exchange: on one that were kept, whatever went wrong
 * with the last exchange would be the next one's, and that is another caller's.
 */
export function createPeerAgent(tls: ServiceTls | undefined): HttpAgent | HttpsAgent {
  if (tls === undefined) return new HttpAgent({ keepAlive: false });
  const { certificates } = tls;
  const agent = new HttpsAgent({ keepAlive: false, ...certificates.current });
  // Read at each new connection.
  certificates.onChange((set) => Object.assign(agent.options, set));
  return agent;
}
