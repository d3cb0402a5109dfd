import {
  newAccessToken,
  newApiKey,
  newDisputeToken,
  newPersonToken,
} from '@credit/platform/credentials';
import { type Logger, loadConfig } from '@credit/platform/runtime';
import { gatewayConfig } from '../../src/config';
import { type GatewayParts, type RunningGateway, startGateway } from '../../src/gateway';
import { DocumentServer } from './document-server';
import {
  FakeServices,
  keyPrincipal,
  personPrincipal,
  platformPrincipal,
  userPrincipal,
} from './fake-services';
import { closeConnections, type Reply, type Sent, send } from './http-client';
import { silentLogger } from './logger';

export const API_KEY = newApiKey('test');
export const USER_TOKEN = newAccessToken();
export const ADMIN_TOKEN = newAccessToken();
export const PERSON_TOKEN = newPersonToken();
export const DISPUTE_TOKEN = newDisputeToken();

/** A gateway in front of fake services. */
export class TestGateway {
  readonly services: FakeServices;
  readonly documents = new DocumentServer();
  /** Where nobody listens, until the document server is started. */
  #documents_address = '127.0.0.1:9';
  #gateway: RunningGateway | undefined;

  /** A test that looks at log lines gives the services' logger and the gateway's. */
  constructor(
    private readonly loggers: { readonly gateway: Logger; readonly service: Logger } = {
      gateway: silentLogger,
      service: silentLogger,
    },
  ) {
    this.services = new FakeServices(loggers.service);
  }

  get port(): number {
    return this.#gateway?.port ?? 0;
  }

  async start(environment: Record<string, string> = {}, parts: GatewayParts = {}): Promise<void> {
    await this.services.start();
    this.#documents_address = await this.documents.start();
    await this.startGateway(environment, parts);
    this.reset();
  }

  async startGateway(
    environment: Record<string, string> = {},
    parts: GatewayParts = {},
  ): Promise<void> {
    const addresses = Object.entries(this.services.addresses).map(([name, address]) => [
      `${name.toUpperCase()}_ADDRESS`,
      address,
    ]);
    const config = loadConfig(gatewayConfig, {
      PORT: '0',
      DRAIN_GRACE_MS: '0',
      SCORING_HTTP_ADDRESS: this.#documents_address,
      ...Object.fromEntries(addresses),
      ...environment,
    });
    this.#gateway = await startGateway(config, this.loggers.gateway, parts);
  }

  async stopGateway(): Promise<void> {
    const gateway = this.#gateway;
    this.#gateway = undefined;
    await gateway?.stop();
  }

  async stop(): Promise<void> {
    closeConnections();
    await this.stopGateway();
    await this.services.stop();
    this.documents.stop();
  }

  reset(): void {
    this.services.reset();
    this.services.know(API_KEY, { principal: keyPrincipal() });
    this.services.know(USER_TOKEN, { principal: userPrincipal() });
    this.services.know(ADMIN_TOKEN, { principal: platformPrincipal() });
    this.services.know(PERSON_TOKEN, { principal: personPrincipal() });
  }

  /** Sends a request with a credential, an API key unless another is named. */
  call(sent: Sent & { as?: string | null }): Promise<Reply> {
    const { as = API_KEY, headers, ...rest } = sent;
    const authorization = as === null ? {} : { Authorization: `Bearer ${as}` };
    return send(this.port, { ...rest, headers: { ...authorization, ...headers } });
  }
}
