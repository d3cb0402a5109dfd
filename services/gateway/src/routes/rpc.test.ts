import { Readable } from 'node:stream';
import { type Operation, operations } from '@credit/contract';
import { systemContext } from '@credit/platform/context';
import { DisputesServiceDefinition } from '@credit/proto/disputes/v1/disputes';
import { HealthDefinition } from '@credit/proto/grpc/health/v1/health';
import { IdentityServiceDefinition } from '@credit/proto/identity/v1/identity';
import { OperationsServiceDefinition } from '@credit/proto/operations/v1/operations';
import { ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import { ScoringServiceDefinition } from '@credit/proto/scoring/v1/scoring';
import { WebhooksServiceDefinition } from '@credit/proto/webhooks/v1/webhooks';
import { type Clients, SERVICE_NAMES } from '../clients';
import type { Call } from '../handler';
import { SystemStatus } from '../system-status';
import { buildHandlers } from './index';

const clock = { now_ms: () => 1_770_112_800_000 };

interface Definition {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, { readonly name: string }>>;
}

/** Stands for any message: every field of it is there, and is one too; as a list it is empty. */
const anything: unknown = new Proxy(() => undefined, {
  get: (_, name) => {
    if (name === Symbol.iterator) return [][Symbol.iterator].bind([]);
    return name === 'then' || typeof name === 'symbol' ? undefined : anything;
  },
  apply: () => anything,
});

/** A stub that notes which methods are called and answers anything. */
function noting<Stub>({ fullName, methods }: Definition, called: string[]): Stub {
  return new Proxy({} as object, {
    get: (_, name) => async () => {
      called.push(`${fullName}/${methods[String(name)]?.name}`);
      return anything;
    },
  }) as Stub;
}

function notingClients(called: string[]): Clients {
  const each = (definition: Definition) =>
    Object.fromEntries(SERVICE_NAMES.map((name) => [name, noting(definition, called)]));
  return {
    identity: noting(IdentityServiceDefinition, called),
    reporting: noting(ReportingServiceDefinition, called),
    scoring: noting(ScoringServiceDefinition, called),
    disputes: noting(DisputesServiceDefinition, called),
    webhooks: noting(WebhooksServiceDefinition, called),
    health: each(HealthDefinition) as Clients['health'],
    operations: each(OperationsServiceDefinition) as Clients['operations'],
  };
}

/** Called with what is made of answers, which anything does not allow. */
const WITH_WHAT_WAS_ANSWERED: Readonly<Record<string, readonly string[]>> = {
  getMyFileDocument: ['credit.scoring.v1.ScoringService/WritePersonFile'],
};

type AnyHandler = (call: unknown) => Promise<unknown>;

test.each((Object.values(operations) as unknown as Operation[]).map((one) => [one.id, one]))(
  '%s calls the gRPC methods that it says it does',
  async (id, operation) => {
    const called: string[] = [];
    const clients = notingClients(called);
    const handlers = buildHandlers(clients, {
      status: new SystemStatus(clients.health, { clock, version: '0' }),
      openapi: '{}' as never,
      clock,
      network: { name: 'Network', contact_email: undefined, url: undefined },
    });
    const { params = {}, query = {}, body } = operation.examples;
    const call: Partial<Call<unknown>> = {
      ctx: systemContext('live', { institution_id: '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11' }),
      principal: anything as Call<unknown>['principal'],
      token: 'svc_dt_x',
      upload: { type: 'text/csv', pieces: Readable.from([Buffer.from('a')]) },
      renew: () => systemContext('live'),
      made_id: '0198a1c5-2b7c-7a90-b4e1-9d8c7b6a5f40',
      params: operation.params_schema.parse(params) as never,
      query: operation.query_schema.parse(query) as never,
      body: operation.body?.parse(body) as never,
    };
    // What is made of an answer that holds anything is not looked at, nor whether that works.
    const handle = (handlers as unknown as Record<string, AnyHandler>)[id];
    await handle?.(call).catch(() => undefined);
    // Some ask others for what it would come to.
    const tried = Object.assign({}, call.query, { dry_run: true });
    await handle?.({ ...call, query: tried }).catch(() => undefined);
    const all = new Set([...called, ...(WITH_WHAT_WAS_ANSWERED[id] ?? [])]);
    expect([...all].sort()).toEqual([...operation.rpc].sort());
  },
);
