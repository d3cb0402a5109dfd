import { randomBytes } from 'node:crypto';
import { type CallContext, type Environment, systemContext } from '@credit/platform/context';
import { openKeyRing } from '@credit/platform/credentials';
import { type Database, statement } from '@credit/platform/db';
import type { Stub } from '@credit/platform/rpc';
import { loadConfig, newId, type ServiceParts, systemClock } from '@credit/platform/runtime';
import type { Event } from '@credit/proto/events/v1/events';
import { WebhooksServiceDefinition } from '@credit/proto/webhooks/v1/webhooks';
import { startTestService, type TestDatabase, testDatabase, testLogger } from '@credit/testing';
import { webhooksConfig } from '../../src/config';
import { build } from '../../src/service';

/** The service with a real database, called through a real socket. */
export interface TestWebhooks {
  readonly database: TestDatabase;
  readonly stub: Stub<typeof WebhooksServiceDefinition>;
  readonly parts: ServiceParts;
  /** Takes events in as the bus would. */
  take(...events: Event[]): Promise<void>;
  stop(): Promise<void>;
}

/** Sealing keys of a test file. */
export const SECRET_KEY = randomBytes(32).toString('base64');
export const KEY_IDS = [...openKeyRing(SECRET_KEY, []).keys.keys()];

/** Builds one replica; `settings` are environment variables. */
export function buildReplica(
  database: Pick<TestDatabase, 'urls'>,
  db: Database,
  settings: Record<string, string>,
): ServiceParts {
  const config = loadConfig(webhooksConfig, {
    RPC_ADDRESS: '127.0.0.1:0',
    NATS_URL: 'nats://unused',
    DATABASE_URL_LIVE: database.urls.live,
    DATABASE_URL_TEST: database.urls.test,
    WEBHOOK_SECRET_KEY: SECRET_KEY,
    ...settings,
  });
  return build({
    config,
    db,
    logger: testLogger,
    clock: systemClock,
    newId,
    channel: () => {
      throw new Error('The webhooks service calls no one.');
    },
  });
}

/** Starts the service; its workers only when asked. */
export async function startWebhooks(options: {
  settings?: Record<string, string>;
  workers?: boolean;
}): Promise<TestWebhooks> {
  const database = await testDatabase('webhooks');
  const parts = buildReplica(database, database.db, options.settings ?? {});
  const service = await startTestService(parts.services);
  if (options.workers === true) for (const worker of parts.workers ?? []) worker.start();
  return {
    database,
    stub: service.channel.stub(WebhooksServiceDefinition),
    parts,
    take: (...events) => takeEvents(parts, database.db, events),
    async stop() {
      await service.stop();
      if (options.workers === true) {
        await Promise.all((parts.workers ?? []).map((worker) => worker.stop()));
      }
      await database.stop();
    },
  };
}

/** Hands events of one type and environment to the service's consumer, in one transaction. */
export async function takeEvents(
  parts: ServiceParts,
  db: Database,
  events: readonly Event[],
): Promise<void> {
  const [first] = events;
  const type = first?.payload?.$case;
  const definition = parts.consumers?.find((consumer) => consumer.type === type);
  if (first === undefined || definition === undefined) throw new Error(`Nobody takes ${type}.`);
  const ctx = systemContext(first.environment as Environment);
  await db.transaction(ctx, (tx) =>
    definition.run(
      ctx,
      events.map((event) => ({ ctx, event })),
      tx,
    ),
  );
}

/** An institution's call. */
export function callOf(institution_id: string, environment: Environment = 'live'): CallContext {
  return systemContext(environment, {
    institution_id,
    actor: { type: 'api_key', id: newId() },
    request_id: newId(),
  });
}

/** A default as the reporting service tells of it. */
export function defaultReported(options: {
  receivers: string[];
  reporter?: string;
  environment?: Environment;
}): Event {
  return {
    id: newId(),
    environment: options.environment ?? 'live',
    created_at: '2026-03-01T12:00:00.000Z',
    request_id: newId(),
    traceparent: '',
    payload: {
      $case: 'default_reported',
      value: {
        subject_id: newId(),
        credit_event_id: newId(),
        account_type: 'TERM_LOAN',
        status: 'DEFAULTED',
        default_severity: 'MODERATE',
        occurred_at: '2026-02-28T09:30:00.000Z',
        reported_at: '2026-03-01T11:59:59.999Z',
        receiver_institution_ids: options.receivers,
        account_id: newId(),
        external_account_id: 'LN-2001',
        reporting_institution_id: options.reporter ?? newId(),
      },
    },
  };
}

/** What identity says of an institution. */
export function institutionChanged(
  institution_id: string,
  status: string,
  version: number,
  environment: Environment = 'live',
): Event {
  return {
    id: newId(),
    environment,
    created_at: new Date().toISOString(),
    request_id: '',
    traceparent: '',
    payload: {
      $case: 'institution_changed',
      value: { institution_id, name: 'North', status, version },
    },
  };
}

/** Waits until `holds` answers true; fails with `what` after `within_ms`. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  within_ms = 10_000,
): Promise<void> {
  const deadline_ms = Date.now() + within_ms;
  while (!(await holds())) {
    if (Date.now() > deadline_ms) throw new Error(`In vain for ${within_ms} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

const AUDITED = statement<{ payload: Buffer }>(
  'test_audited',
  "SELECT payload FROM outbox WHERE type = 'audit_recorded' ORDER BY id",
);

/** The audit entries waiting in an environment's outbox. */
export async function audited(db: Database, environment: Environment = 'live') {
  const { Event: codec } = await import('@credit/proto/events/v1/events');
  const rows = await db.read(systemContext(environment)).query(AUDITED);
  return rows.map(({ payload }) => {
    const event = codec.decode(payload);
    if (event.payload?.$case !== 'audit_recorded') throw new Error('Not an audit entry.');
    return event.payload.value;
  });
}
