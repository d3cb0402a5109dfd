import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { consoleRoutes, personRoutes, publicRoutes } from '@credit/console';
import {
  BASE_PATH,
  buildOpenApi,
  type JsonText,
  type Operation,
  operations,
} from '@credit/contract';
import type { KeyRing } from '@credit/platform/credentials';
import { notFound } from '@credit/platform/errors';
import {
  ConfigError,
  createOpenServer,
  type Logger,
  newId,
  observeCertificate,
  observeServedCertificate,
  type Running,
  servedCertificate,
  systemClock,
  tlsFromEnvironment,
} from '@credit/platform/runtime';
import { endAfterAnswer, isEnding } from './answer';
import { buildApp, isAppPath } from './app';
import { Authorizer } from './authorizer';
import { hasBody } from './body';
import { ClientAddresses } from './client-address';
import { type Clients, openClients, SERVICE_NAMES, type ServiceName } from './clients';
import type { GatewayConfig } from './config';
import { DocumentProxy } from './document-proxy';
import { LoadGate } from './load-gate/load-gate';
import { openMetrics } from './metrics';
import { Readiness } from './readiness';
import { RefusalLog } from './refusal-log';
import { RejectionLog } from './rejection-log';
import { Interpreter } from './route';
import { buildHandlers } from './routes';
import { SystemStatus } from './system-status';
import { VERSION } from './version';

/** How long clients may take; only tests are in more of a hurry. */
const CLIENT_TIMEOUTS = {
  /** Longer than the idle timeout of common load balancers, so that they close first. */
  keep_alive_ms: 75_000,
  /** From the opening of a connection, or the first byte of a request. */
  headers_ms: 15_000,
  /** For a whole request: a batch over a slow line. */
  request_ms: 60_000,
  /** For a reader that takes nothing of its answer. */
  stall_ms: 65_000,
  check_interval_ms: 2_000,
};
const DRAIN_POLL_MS = 20;
/**
 * Connections that wait for the process to come to them; the kernel may bound it lower. For which
 * there is no room try again after one second, then two, then four: far longer than a wait here.
 */
const BACKLOG = 16_384;

export interface RunningGateway extends Running {
  readonly port: number;
}

/** What a gateway is made of beside its configuration; only code can give another. */
export interface GatewayParts {
  /** Who decides on credentials and counts: identity. */
  readonly authorizer?: (clients: Clients) => Pick<Authorizer, 'check'>;
  readonly client_timeouts?: Partial<typeof CLIENT_TIMEOUTS>;
}

/** Starts the gateway: channels to the services, then the HTTP server. */
export async function startGateway(
  config: GatewayConfig,
  logger: Logger,
  parts: GatewayParts = {},
): Promise<RunningGateway> {
  const tls = tlsFromEnvironment(process.env, logger);
  if (tls !== undefined) observeCertificate(tls);
  const certificate =
    config.https &&
    servedCertificate(
      { variable: 'HTTPS_CERT_FILE', file: config.https.cert_file },
      { variable: 'HTTPS_KEY_FILE', file: config.https.key_file },
      logger,
    );
  if (certificate !== undefined) observeServedCertificate(certificate);
  const clients = openClients(
    addressesOf(config),
    // A request has one call at a time on a channel; the gateway sheds before its channels do.
    {
      logger,
      max_in_flight: 2 * config.MAX_IN_FLIGHT,
      credentials: tls?.channel,
    },
  );
  // Whoever names its proxies has them end their callers' TLS, whatever they speak to the gateway.
  const over_tls = certificate !== undefined || !config.TRUSTED_PROXIES.empty;
  const docs_origin = config.PUBLIC_ORIGIN?.replace(/\/$/, '') ?? '';
  const openapi = buildOpenApi({
    name: config.CONTACT_NAME,
    url: config.CONTACT_URL,
    email: config.SUPPORT_EMAIL,
  });
  const rejections = new RejectionLog(clients.reporting, logger);
  const metrics = openMetrics(() => gate);
  const gate: LoadGate = new LoadGate({
    min_in_flight: config.MIN_IN_FLIGHT,
    max_in_flight: config.MAX_IN_FLIGHT,
    logger,
    onShed: metrics.shed,
  });
  const interpreter = new Interpreter({
    operations: Object.values(operations) as unknown as Operation[],
    handlers: buildHandlers(clients, {
      status: new SystemStatus(clients.health, { clock: systemClock, version: VERSION }),
      openapi: JSON.stringify(openapi) as JsonText,
      clock: systemClock,
      network: {
        name: config.NETWORK_NAME,
        contact_email: config.SUPPORT_EMAIL,
        url: config.PUBLIC_ORIGIN?.replace(/\/$/, ''),
      },
    }),
    authorizer: parts.authorizer?.(clients) ?? new Authorizer(clients.identity),
    addresses: new ClientAddresses(config.TRUSTED_PROXIES),
    refusals: new RefusalLog(clients.identity, logger),
    rejections,
    metrics,
    gate,
    documents: new DocumentProxy(config.SCORING_HTTP_ADDRESS, newId, tls),
    logger,
    clock: systemClock,
    newId,
    over_tls,
    docs_origin,
    limits: {
      call_timeout_ms: config.CALL_TIMEOUT_MS,
      anonymous_per_minute: config.RATE_LIMIT_ANONYMOUS_PER_MINUTE,
    },
  });

  const readiness = new Readiness(clients.health.identity);
  const pages = (keys: KeyRing) => {
    const { invoke, deliver } = interpreter;
    const page_deps = {
      invoke,
      deliver,
      keys,
      clock: systemClock,
      logger,
      network_name: config.NETWORK_NAME,
    };
    return {
      console: consoleRoutes(page_deps),
      everybody: publicRoutes(page_deps),
      persons: personRoutes(page_deps),
    };
  };
  const app = buildApp({
    openapi,
    docs_directory: config.DOCS_DIRECTORY,
    support_email: config.SUPPORT_EMAIL,
    pages: config.console_keys && pages(config.console_keys),
    readiness,
    gate,
    anonymous_per_minute: config.RATE_LIMIT_ANONYMOUS_PER_MINUTE,
    over_tls,
    docs_origin,
    clock: systemClock,
    newId,
    logger,
  });
  const handle = (request: IncomingMessage, response: ServerResponse, awaits_continue: boolean) => {
    // It was told that it is over; what it sent behind that is not done, as nobody will be told.
    if (isEnding(request.socket)) return;
    // A connection that is kept would hold up the end; of one that was to become another protocol,
    // or that waits for a body to be asked for that there is not, nobody knows what comes next.
    const is_odd = request.headers.upgrade !== undefined || (awaits_continue && !hasBody(request));
    if (is_odd || readiness.state === 'draining') {
      response.shouldKeepAlive = false;
      endAfterAnswer(request.socket);
    }
    if (isAppPath(request)) app(request, response);
    else interpreter.handle(request, response, awaits_continue);
  };

  const timeouts = { ...CLIENT_TIMEOUTS, ...parts.client_timeouts };
  const server = createOpenServer(
    certificate,
    {
      keepAliveTimeout: timeouts.keep_alive_ms,
      headersTimeout: timeouts.headers_ms,
      requestTimeout: timeouts.request_ms,
      connectionsCheckingInterval: timeouts.check_interval_ms,
      // Node would refuse a missing Host with an answer of its own, without our headers.
      requireHostHeader: false,
    },
    timeouts.headers_ms,
  );
  // Node would drop what is over its count without a word, as a proxy's X-Forwarded-For at the end;
  // their bytes are bounded.
  server.maxHeadersCount = 0;
  server.maxConnections = config.MAX_CONNECTIONS;
  server.timeout = timeouts.stall_ms;
  server.on('request', (request, response) => handle(request, response, false));
  server.on('checkContinue', (request, response) => handle(request, response, true));
  // Any other expectation is ignored, as the standard allows.
  server.on('checkExpectation', (request, response) => handle(request, response, false));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    interpreter.handleParserError(error, socket as Socket),
  );
  server.on('connect', (_request, socket) =>
    interpreter.refuseConnection(socket as Socket, notFound('There is no such route.', 'NO_ROUTE')),
  );
  try {
    await listen(server, config);
  } catch (error) {
    clients.close();
    throw error;
  }
  readiness.begin();
  gate.begin();
  // As when file descriptors run out: connections wait, the process goes on.
  server.on('error', (error) => logger.error({ err: error }, 'cannot accept a connection'));
  const { port } = server.address() as AddressInfo;
  logger.info({ port, base_path: BASE_PATH }, 'listening');
  return {
    port,
    async stop() {
      readiness.drain();
      await new Promise((resolve) => setTimeout(resolve, config.DRAIN_GRACE_MS));
      await close(server, gate, config.DRAIN_TIMEOUT_MS);
      gate.end();
      await rejections.flush();
      clients.close();
    },
  };
}

function addressesOf(config: GatewayConfig): Record<ServiceName, string> {
  const entries = SERVICE_NAMES.map(
    (name) => [name, config[`${name.toUpperCase() as Uppercase<ServiceName>}_ADDRESS`]] as const,
  );
  return Object.fromEntries(entries) as Record<ServiceName, string>;
}

function listen(server: Server, { PORT, BIND_ADDRESS }: GatewayConfig): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new ConfigError(`Port ${PORT} on ${BIND_ADDRESS} is taken: set PORT to a free one.`)
          : error,
      );
    };
    server.once('error', onError);
    server.listen({ port: PORT, host: BIND_ADDRESS, backlog: BACKLOG }, () => {
      server.off('error', onError);
      resolve();
    });
  });
}

/** Takes no new connections, answers what has come, ends the rest after a while. */
async function close(server: Server, gate: LoadGate, timeout_ms: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), DRAIN_POLL_MS);
  const forced = setTimeout(() => server.closeAllConnections(), timeout_ms);
  await closed;
  clearInterval(idle);
  clearTimeout(forced);
  // Writes whose clients have gone are still carried through.
  const end_ms = Date.now() + timeout_ms;
  while (gate.in_flight > 0 && Date.now() < end_ms) {
    await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
  }
}
