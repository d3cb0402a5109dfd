import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamManager } from 'nats';
import type { z } from 'zod';
import {
  type Bus,
  type BusOptions,
  type BusUse,
  busUseOf,
  type ConsumerDefinition,
  connectBus,
  consumersLag,
  outboxLag,
  startConsumers,
  startRelay,
  sweepInbox,
  sweepOutbox,
} from '../bus';
import { type Environment, systemContext } from '../context';
import { type Clock, loadConfig, newId, type serviceConfig } from '../core';
import {
  type Database,
  databaseClock,
  migrate,
  openDatabase,
  type RetentionPolicies,
  sweepKeys,
} from '../db';
import {
  type CallerRules,
  createChannel,
  type HealthServer,
  type RpcChannel,
  type ServiceRegistration,
  startHealthServer,
  startRpcServer,
} from '../rpc';
import { serveMetrics } from '../telemetry/sdk';
import { deadLetterCommand } from './dead-letter-command';
import { drainCommand } from './drain-command';
import { createLogger, type Logger } from './logger';
import { type Running, runProcess } from './process';
import { replayCommand } from './replay-command';
import { restoreDrillCommand } from './restore-drill-command';
import { type SealedSecrets, sealedSecretsCommand } from './sealed-secrets';
import { operationsService } from './service-figures';
import { observeRetention, observeSealed, observeService } from './service-metrics';
import { sweeping } from './sweeping';
import { observeCertificate, type ServiceTls, tlsFromEnvironment } from './tls';
import type { Worker } from './worker';

/** What a service is built from; tests give the same. */
export interface ServiceDeps<Config> {
  readonly config: Config;
  readonly db: Database;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Undefined on plain text. */
  readonly tls?: ServiceTls;
  /** Opens a channel to a peer; closed with the service. */
  channel(target: string): RpcChannel;
}

/** What a service consists of. */
export interface ServiceParts {
  readonly services: readonly ServiceRegistration[];
  /** Who beside the gateway may call which methods, where services show certificates. */
  readonly callers?: CallerRules;
  readonly consumers?: readonly ConsumerDefinition[];
  readonly workers?: readonly Worker[];
  /** Whether commands take idempotency keys: then the schema has their records, which are swept. */
  readonly keyed_writes?: boolean;
  /** How long it keeps each of its tables. */
  readonly retention: RetentionPolicies;
  /** What it keeps that a configured key seals. */
  readonly sealed?: SealedSecrets;
}

/** How a service is run. */
export interface ServiceOptions<Schema extends z.ZodType> {
  readonly name: string;
  readonly config: Schema;
  /** The service's folder, where `migrations` is. */
  readonly directory: string;
  readonly urls: (config: z.output<Schema>) => Record<Environment, string>;
  readonly build: (deps: ServiceDeps<z.output<Schema>>) => ServiceParts | Promise<ServiceParts>;
  /** Further subcommands of main.ts beside `migrate` and those that every service has. */
  readonly commands?: Readonly<
    Record<string, (deps: ServiceDeps<z.output<Schema>>, args: string[]) => Promise<void>>
  >;
}

/** Of its parts: what one does with them, and whether anything is left to do. */
type PartsCommand = (
  parts: ServiceParts,
  deps: ServiceDeps<unknown>,
  args: string[],
  /** Connects to the stream; for commands that need it. */
  stream: () => Promise<JetStreamManager>,
) => Promise<number>;

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Subcommands that every service has. */
const PARTS_COMMANDS: Readonly<Record<string, PartsCommand>> = {
  'dead-letters': ({ consumers = [] }, { db, clock }, args) =>
    deadLetterCommand({ db, clock, consumers, say }, args),
  replay: async ({ consumers = [] }, { db, clock }, args, stream) => {
    await replayCommand({ db, clock, consumers, manager: await stream(), say }, args);
    return 0;
  },
  drain: async ({ consumers = [] }, { db, clock }, args, stream) => {
    const manager = await stream();
    const unpublished = () =>
      Promise.all(
        db.environments.map((environment) =>
          outboxLag(db.read(systemContext(environment)), environment),
        ),
      );
    const behind = () => consumersLag(manager, consumers);
    const now_ms = () => clock.now_ms();
    return drainCommand({ unpublished, behind, now_ms, sleep, say }, args);
  },
  'sealed-secrets': async ({ sealed }, { db, clock }, args) => {
    if (sealed === undefined) throw new Error('It keeps nothing that is sealed.');
    return sealedSecretsCommand({ db, clock, sealed, say }, args);
  },
  'restore-drill': async (_parts, { db, clock }, args) => {
    await restoreDrillCommand({ db, clock, say, serve: serveMetrics }, args);
    return 0;
  },
};

const PLATFORM_SWEEP_MS = 60_000;
/** How long a command waits for the stream. */
const STREAM_WAIT_MS = 15_000;
const STREAM_POLL_MS = 100;

type BaseConfig = z.output<typeof serviceConfig>;

/** The main function of a gRPC service: `main.js`, `main.js migrate`, `main.js <command>`. */
export async function runService<Schema extends z.ZodType<BaseConfig>>(
  options: ServiceOptions<Schema>,
): Promise<void> {
  const [subcommand, ...args] = process.argv.slice(2);
  if (subcommand === undefined) {
    await runProcess(options.name, (logger) => startService(options, logger));
    return;
  }
  const logger = createLogger({ service: options.name });
  try {
    await runSubcommand(options, subcommand, args, logger);
  } catch (error) {
    logger.fatal({ err: error }, `${subcommand} failed`);
    process.exitCode = 1;
  }
}

async function runSubcommand<Schema extends z.ZodType<BaseConfig>>(
  options: ServiceOptions<Schema>,
  subcommand: string,
  args: string[],
  logger: Logger,
): Promise<void> {
  const config = loadConfig(options.config);
  if (subcommand === 'migrate') {
    const urls = options.urls(config);
    for (const url of new Set([urls.live, urls.test])) {
      const applied = await migrate(url, path.join(options.directory, 'migrations'));
      for (const name of applied) logger.info({ migration: name }, 'migrated');
    }
    return;
  }
  const run = options.commands?.[subcommand];
  const common = Object.hasOwn(PARTS_COMMANDS, subcommand) ? PARTS_COMMANDS[subcommand] : undefined;
  const opened = openDeps(options, config, logger);
  let bus: Bus | undefined;
  try {
    await opened.clock.start();
    if (run !== undefined) {
      await run(opened.deps, args);
    } else if (common !== undefined) {
      const stream = async () => {
        bus = await connectBus(busOptions(options.name, config, opened.deps));
        return managerOf(bus);
      };
      const left = await common(await options.build(opened.deps), opened.deps, args, stream);
      if (left > 0) process.exitCode = 1;
    } else {
      throw new Error(`There is no command ${subcommand}.`);
    }
  } finally {
    await bus?.close();
    await opened.close();
  }
}

/** Of a connection that is being made. */
async function managerOf(bus: Bus): Promise<JetStreamManager> {
  const until_ms = performance.now() + STREAM_WAIT_MS;
  while (bus.stream === undefined) {
    if (performance.now() > until_ms) throw new Error('NATS does not answer, or has no stream.');
    await sleep(STREAM_POLL_MS);
  }
  return bus.manager();
}

function busOptions(
  name: string,
  config: BaseConfig,
  { logger, tls }: Pick<ServiceDeps<unknown>, 'logger' | 'tls'>,
): BusOptions {
  return {
    url: config.NATS_URL,
    name,
    logger,
    tls: config.NATS_URL.startsWith('tls://') ? tls?.files : undefined,
    limits: { replicas: config.NATS_STREAM_REPLICAS },
    makes_stream: false,
  };
}

/** Of a service with one database, and of one with two. */
type ReplicaUrls = Partial<
  Record<'DATABASE_REPLICA_URL' | 'DATABASE_REPLICA_URL_LIVE' | 'DATABASE_REPLICA_URL_TEST', string>
>;

function replicaUrlsOf(config: BaseConfig & ReplicaUrls): Partial<Record<Environment, string>> {
  return {
    live: config.DATABASE_REPLICA_URL_LIVE ?? config.DATABASE_REPLICA_URL,
    test: config.DATABASE_REPLICA_URL_TEST,
  };
}

function openDeps<Schema extends z.ZodType<BaseConfig>>(
  options: ServiceOptions<Schema>,
  config: z.output<Schema>,
  logger: Logger,
) {
  const channels: RpcChannel[] = [];
  const tls = tlsFromEnvironment(process.env, logger);
  const credentials = tls?.channel;
  const db = openDatabase({
    service: options.name,
    urls: options.urls(config),
    replica_urls: replicaUrlsOf(config),
    max_lag_ms: config.REPLICA_MAX_LAG_MS,
    pool_size: config.DB_POOL_SIZE,
    logger,
  });
  const clock = databaseClock(db, logger);
  const deps: ServiceDeps<z.output<Schema>> = {
    config,
    db,
    logger,
    clock,
    newId,
    tls,
    channel(target) {
      const channel = createChannel({ target, logger, credentials });
      channels.push(channel);
      return channel;
    },
  };
  return {
    deps,
    clock,
    async close() {
      clock.stop();
      for (const channel of channels) channel.close();
      await db.close();
    },
  };
}

/** A consumer that the server's permissions know nothing of would wait for ever: better no start. */
function checkedBusUse(name: string, consumers: readonly ConsumerDefinition[]): BusUse {
  const use = busUseOf(name);
  if (use === undefined) throw new Error(`The bus knows no service ${name}.`);
  const defined = consumers.map(({ type }) => type).sort();
  const allowed = [...use.consumes].sort();
  if (defined.join() !== allowed.join()) {
    throw new Error(`${name} consumes ${defined.join()}, and may consume ${allowed.join()}.`);
  }
  return use;
}

async function startService<Schema extends z.ZodType<BaseConfig>>(
  options: ServiceOptions<Schema>,
  logger: Logger,
): Promise<Running> {
  const config = loadConfig(options.config);
  const health: HealthServer | undefined = config.HEALTH_ADDRESS
    ? await startHealthServer(config.HEALTH_ADDRESS)
    : undefined;
  const { clock, close, deps } = openDeps(options, config, logger);
  await clock.start();
  const { tls } = deps;
  await deps.db.requireLogins();
  const parts = await options.build(deps);
  const use = checkedBusUse(options.name, parts.consumers ?? []);
  const bus: Bus = await connectBus({
    ...busOptions(options.name, config, deps),
    makes_stream: use.makes_stream === true,
  });
  const relay = startRelay({
    db: deps.db,
    bus,
    logger,
    events_per_message: config.EVENTS_PER_MESSAGE,
  });
  const consumers = startConsumers({
    db: deps.db,
    bus,
    logger,
    consumers: [...(parts.consumers ?? [])],
  });
  const server = await startRpcServer({
    address: config.RPC_ADDRESS,
    services: [...parts.services, operationsService({ db: deps.db, relay, consumers })],
    logger,
    credentials: tls?.server,
    callers: tls === undefined ? undefined : { ...parts.callers, gateway: 'all' },
  });
  deps.db.followReplicas();
  if (tls !== undefined) observeCertificate(tls);
  observeService({ db: deps.db, bus, relay, consumers });
  observeRetention(options.name, parts.retention, deps.db);
  if (parts.sealed !== undefined) observeSealed(deps.db, parts.sealed);
  const workers = [...(parts.workers ?? []), platformSweeper(deps.db, logger, parts)];
  for (const worker of workers) worker.start();
  server.setServing(true);
  health?.setServing(true);
  logger.info({ port: server.port }, 'serving');
  return {
    // Callers first, then what feeds the service, then what it stands on.
    async stop() {
      server.setServing(false);
      health?.setServing(false);
      await server.drain();
      await Promise.all(workers.map((worker) => worker.stop()));
      await consumers.stop();
      await relay.stop();
      await server.close();
      await bus.close();
      await close();
      health?.close();
    },
  };
}

/** Deletes what is over in the platform's own tables. */
function platformSweeper(db: Database, logger: Logger, { keyed_writes }: ServiceParts): Worker {
  return sweeping({
    name: 'sweep-platform',
    db,
    logger,
    pause_ms: PLATFORM_SWEEP_MS,
    sweeps: () => [sweepOutbox, sweepInbox, ...(keyed_writes ? [sweepKeys] : [])],
  });
}
