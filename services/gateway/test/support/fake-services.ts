import type { CallContext } from '@credit/platform/context';
import { hashSecret } from '@credit/platform/credentials';
import {
  type Handlers,
  type RpcServer,
  serviceRegistration,
  startRpcServer,
  type UnaryService,
} from '@credit/platform/rpc';
import type { Logger } from '@credit/platform/runtime';
import { PERMISSIONS, SCOPES } from '@credit/platform/values';
import { DisputesServiceDefinition } from '@credit/proto/disputes/v1/disputes';
import {
  type AuthorizeBatchRequest,
  type AuthorizeBatchResponse,
  type AuthorizeCheck,
  CredentialState,
  IdentityServiceDefinition,
  InstitutionStatus,
  PlatformRole,
  type Principal,
  type RateState,
  Role,
} from '@credit/proto/identity/v1/identity';
import { OperationsServiceDefinition } from '@credit/proto/operations/v1/operations';
import { ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import { ScoringServiceDefinition } from '@credit/proto/scoring/v1/scoring';
import { WebhooksServiceDefinition } from '@credit/proto/webhooks/v1/webhooks';
import { SERVICE_NAMES, type ServiceName } from '../../src/clients';

/** Answers a call in a test. */
export type Answer = (ctx: CallContext, request: never) => unknown;

export interface RecordedCall {
  readonly method: string;
  readonly ctx: CallContext;
  readonly request: unknown;
}

const DEFINITIONS = {
  identity: IdentityServiceDefinition,
  reporting: ReportingServiceDefinition,
  scoring: ScoringServiceDefinition,
  disputes: DisputesServiceDefinition,
  webhooks: WebhooksServiceDefinition,
};

export const INSTITUTION_ID = '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11';

/** A key that may do all, of an active institution; a test says what is different. */
export function keyPrincipal(changes: Partial<Principal> = {}): Principal {
  return {
    is_api_key: true,
    id: '0198a1c3-0c5e-7d1b-9a42-1b7f6e5d4c33',
    institution_id: INSTITUTION_ID,
    institution_status: InstitutionStatus.ACTIVE,
    environment: 'test',
    scopes: [...SCOPES],
    role: Role.UNSPECIFIED,
    platform_role: PlatformRole.UNSPECIFIED,
    permissions: [],
    test_permissions: [],
    must_change_password: false,
    must_set_second_factor: false,
    session_id: '',
    is_person: false,
    ...changes,
  };
}

export function userPrincipal(changes: Partial<Principal> = {}): Principal {
  return keyPrincipal({
    is_api_key: false,
    id: '0198a1c2-8a44-7f10-b1d3-6c2e9f0a7b21',
    session_id: '0198a1c2-9b10-7d22-9f01-1c2d3e4f5a66',
    environment: 'live',
    scopes: [],
    role: Role.OWNER,
    permissions: [...PERMISSIONS],
    ...changes,
  });
}

/** The person whom a record is about. */
export function personPrincipal(changes: Partial<Principal> = {}): Principal {
  return keyPrincipal({
    is_api_key: false,
    is_person: true,
    id: '0198a1c5-2d11-7b3c-8e44-5a6b7c8d9e01',
    institution_id: '',
    institution_status: InstitutionStatus.UNSPECIFIED,
    environment: 'live',
    scopes: [],
    session_id: '0198a1c5-3e22-7c4d-9f55-6b7c8d9e0f12',
    ...changes,
  });
}

export function platformPrincipal(changes: Partial<Principal> = {}): Principal {
  return userPrincipal({
    institution_id: '',
    institution_status: InstitutionStatus.UNSPECIFIED,
    role: Role.UNSPECIFIED,
    platform_role: PlatformRole.SVC_SUPERADMIN,
    permissions: [],
    test_permissions: [],
    ...changes,
  });
}

interface Credential {
  readonly principal?: Principal;
  readonly state?: CredentialState;
  readonly address_allowed?: boolean;
  readonly rate?: Partial<RateState>;
}

/** All services of the network, played behind real sockets. */
export class FakeServices {
  readonly calls: RecordedCall[] = [];
  readonly refusals: RecordedCall[] = [];
  readonly checks: AuthorizeCheck[] = [];
  readonly addresses = {} as Record<ServiceName, string>;
  /** What anyone without a credential that is known has left. */
  anonymous_rate: Partial<RateState> = {};
  readonly #credentials = new Map<string, Credential>();
  readonly #answers = new Map<string, Answer>();
  readonly #servers = new Map<ServiceName, RpcServer>();

  constructor(private readonly logger: Logger) {}

  async start(): Promise<void> {
    await Promise.all(SERVICE_NAMES.map((name) => this.startService(name)));
  }

  async startService(name: ServiceName): Promise<void> {
    const server = await startRpcServer({
      address: this.addresses[name] ?? '127.0.0.1:0',
      services: [
        this.#registration(DEFINITIONS[name]),
        this.#registration(OperationsServiceDefinition),
      ],
      logger: this.logger,
      drain_timeout_ms: 500,
    });
    server.setServing(true);
    this.addresses[name] = `127.0.0.1:${server.port}`;
    this.#servers.set(name, server);
  }

  async stopService(name: ServiceName): Promise<void> {
    await this.#servers.get(name)?.close();
    this.#servers.delete(name);
  }

  server(name: ServiceName): RpcServer {
    const server = this.#servers.get(name);
    if (server === undefined) throw new Error(`${name} does not run`);
    return server;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#servers.keys()].map((name) => this.stopService(name)));
  }

  /** Forgets what the last test set up. */
  reset(): void {
    this.calls.length = 0;
    this.refusals.length = 0;
    this.checks.length = 0;
    this.anonymous_rate = {};
    this.#answers.clear();
    this.#credentials.clear();
  }

  /** Makes a credential known to identity. */
  know(secret: string, credential: Credential): void {
    this.#credentials.set(hashSecret(secret).toString('hex'), credential);
  }

  /** How a method answers from now on; without it the call is a test's mistake. */
  answer(method: string, answer: Answer): void {
    this.#answers.set(method, answer);
  }

  callsOf(method: string): RecordedCall[] {
    return this.calls.filter((call) => call.method === method);
  }

  #registration(definition: UnaryService) {
    const handlers: Record<string, (ctx: CallContext, request: unknown) => Promise<unknown>> = {};
    for (const method of Object.keys(definition.methods)) {
      handlers[method] = async (ctx, request) => {
        if (method === 'authorizeBatch') return this.#authorize(request as AuthorizeBatchRequest);
        // Nobody waits for these: one of the last test may still arrive.
        if (method === 'countRejections') return {};
        if (method === 'recordRefusal') {
          this.refusals.push({ method, ctx, request });
          return {};
        }
        this.calls.push({ method, ctx, request });
        const answer = this.#answers.get(method);
        if (answer === undefined) throw new Error(`no answer for ${method}`);
        return answer(ctx, request as never);
      };
    }
    return serviceRegistration(definition, handlers as Handlers<UnaryService>);
  }

  #authorize({ checks }: AuthorizeBatchRequest): AuthorizeBatchResponse {
    this.checks.push(...checks);
    return { results: checks.map((check) => this.#checkOne(check)) };
  }

  #checkOne(check: AuthorizeCheck) {
    const hash = Buffer.from(check.credential_hash).toString('hex');
    const found = this.#credentials.get(hash);
    const fallback =
      found?.principal === undefined ? CredentialState.ABSENT : CredentialState.VALID;
    return {
      state: found?.state ?? fallback,
      principal: found?.principal,
      address_allowed: found?.address_allowed ?? true,
      rate: {
        limit: 600,
        remaining: 599,
        reset_s: 4_102_444_800n,
        exceeded: false,
        ...(found === undefined ? this.anonymous_rate : found.rate),
      },
    };
  }
}
