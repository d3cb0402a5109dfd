import { type CallContext, type Environment, systemContext } from '@credit/platform/context';
import { type Database, statement } from '@credit/platform/db';
import type { RpcChannel, Stub } from '@credit/platform/rpc';
import { loadConfig, newId, type ServiceParts } from '@credit/platform/runtime';
import type { Event } from '@credit/proto/events/v1/events';
import {
  type GetProfileResponse,
  ScoringServiceDefinition,
  type Snapshot,
} from '@credit/proto/scoring/v1/scoring';
import { startTestService, type TestDatabase, testDatabase, testLogger } from '@credit/testing';
import { scoringConfig } from '../../src/config';
import { build } from '../../src/service';
import { CatchUp } from '../../src/workers/catch-up';
import { FakeReporting, NOW_MS, reportingService } from './reporting';

/** The service with a real database and a reporting service that is not, over real sockets. */
export interface TestScoring {
  readonly database: TestDatabase;
  readonly parts: ServiceParts;
  readonly stub: Stub<typeof ScoringServiceDefinition>;
  readonly reporting: Readonly<Record<Environment, FakeReporting>>;
  /** The time it is. */
  readonly clock: { at_ms: number };
  /** Takes events in as the bus would, each type in a transaction of its own. */
  take(...events: Event[]): Promise<void>;
  /** Read with an inquiry before which reporting had come to a version, by default its head. */
  profile(
    subject_id: string,
    profile_version?: number,
    more?: Partial<ProfileOptions>,
  ): Promise<GetProfileResponse>;
  snapshots(subject_id: string): Promise<Snapshot[]>;
  /** Lets the catch-up do what it has in hand. */
  caughtUp(): Promise<void>;
  /** All rows about a subject, without the snapshots. */
  projection(subject_id: string, environment?: Environment): Promise<Projection>;
  stop(): Promise<void>;
}

export interface ProfileOptions {
  inquiry_id: string;
  environment: Environment;
  model_version: string;
  open_dispute_count: number;
}

export interface Projection {
  complete_version: number;
  early_versions: number[];
  accounts: number;
  inquiries: number;
}

const PROJECTION = statement<Projection>(
  'test_projection',
  `SELECT h.complete_version, h.early_versions,
     (SELECT count(*)::integer FROM account_projections a WHERE a.subject_id = h.subject_id) AS accounts,
     (SELECT count(*)::integer FROM inquiry_projections i WHERE i.subject_id = h.subject_id) AS inquiries
   FROM subject_heads h WHERE h.subject_id = $1`,
);

export async function startScoring(): Promise<TestScoring> {
  const database = await testDatabase('scoring');
  const reporting = { live: new FakeReporting('live'), test: new FakeReporting('test') };
  const peer = await startTestService([reportingService(reporting)]);
  const clock = { at_ms: NOW_MS };
  const parts = buildReplica(database, database.db, peer.channel, clock);
  const service = await startTestService(parts.services);
  const stub = service.channel.stub(ScoringServiceDefinition);
  return {
    database,
    parts,
    stub,
    reporting,
    clock,
    take: (...events) => takeEvents(parts, database.db, events),
    profile(subject_id, profile_version, more = {}) {
      const { inquiry_id = newId(), environment = 'live', model_version } = more;
      const fake = reporting[environment];
      fake.said.set(inquiry_id, {
        profile_version: profile_version ?? fake.version(subject_id),
        open_dispute_count: more.open_dispute_count,
      });
      const purpose = 'ACCOUNT_REVIEW';
      return stub.getProfile(call(environment), { subject_id, inquiry_id, purpose, model_version });
    },
    async snapshots(subject_id) {
      const page = await stub.listSnapshots(call(), { subject_id, limit: 100 });
      return page.snapshots;
    },
    async caughtUp() {
      for (const worker of parts.workers ?? []) {
        if (worker instanceof CatchUp) await worker.flush();
      }
    },
    projection: (subject_id, environment = 'live') =>
      database.db.read(systemContext(environment)).one(PROJECTION, [subject_id]),
    async stop() {
      await service.stop();
      await peer.stop();
      await database.stop();
    },
  };
}

/** Builds one replica; its workers are not started. */
function buildReplica(
  database: TestDatabase,
  db: Database,
  channel: RpcChannel,
  clock: { readonly at_ms: number },
): ServiceParts {
  return build({
    config: loadConfig(scoringConfig, {
      RPC_ADDRESS: '127.0.0.1:0',
      NATS_URL: 'nats://unused',
      DATABASE_URL_LIVE: database.urls.live,
      DATABASE_URL_TEST: database.urls.test,
      REPORTING_ADDRESS: 'unused:1',
      HTTP_ADDRESS: '127.0.0.1:0',
    }),
    db,
    logger: testLogger,
    clock: { now_ms: () => clock.at_ms },
    newId,
    channel: () => channel,
  });
}

export function call(environment: Environment = 'live'): CallContext {
  return systemContext(environment, { institution_id: newId(), request_id: newId() });
}

/** Runs of events of one type and environment are a batch each, in the order given. */
export async function takeEvents(
  parts: ServiceParts,
  db: Database,
  events: readonly Event[],
): Promise<void> {
  const batches: Event[][] = [];
  for (const event of events) {
    const last = batches.at(-1);
    const same =
      last?.[0]?.payload?.$case === event.payload?.$case &&
      last?.[0]?.environment === event.environment;
    if (last !== undefined && same) last.push(event);
    else batches.push([event]);
  }
  for (const batch of batches) {
    const [first] = batch;
    const type = first?.payload?.$case;
    const definition = parts.consumers?.find((consumer) => consumer.type === type);
    if (first === undefined || definition === undefined) throw new Error(`Nobody takes ${type}.`);
    const ctx = systemContext(first.environment === 'live' ? 'live' : 'test');
    const received = batch.map((event) => ({ ctx, event }));
    await db.transaction(ctx, (tx) => definition.run(ctx, received, tx));
  }
}
