import { readFileSync } from 'node:fs';
import type { Environment } from '@credit/platform/context';
import {
  ConfigError,
  type ServiceDeps,
  type ServiceParts,
  sweeping,
  type Worker,
} from '@credit/platform/runtime';
import { expirySweeps } from './commands/sweep-expired';
import type { WebhooksConfig } from './config';
import { webhookConsumers } from './consumers';
import { RETENTION } from './retention';
import { webhooksRpc } from './rpc';
import { Egress } from './sending/egress';
import { DnsNameResolver } from './sending/name-resolver';
import { SEALED } from './store/subscriptions';
import { DeliveryWorker } from './workers/delivery-worker';

const SWEEP_EVERY_MS = 3_600_000;

/** Builds the service from its dependencies; main.ts and the tests use the same. */
export function build(deps: ServiceDeps<WebhooksConfig>): ServiceParts {
  const { clock, config, db, logger, newId } = deps;
  const egress = new Egress({
    resolver: new DnsNameResolver(clock, config.WEBHOOK_DNS_SERVERS),
    opened: config.WEBHOOK_ALLOWED_PRIVATE_CIDRS,
    ca: readCertificate(config.WEBHOOK_CA_FILE),
    timeout_ms: config.WEBHOOK_TIMEOUT_MS,
  });
  const senders = new Map(
    db.environments.map((environment) => [
      environment,
      new DeliveryWorker({
        environment,
        db,
        logger,
        clock,
        newId,
        random: Math.random,
        egress,
        keys: config.keys,
        backoff_base_ms: config.WEBHOOK_BACKOFF_BASE_MS,
        lease_ms: config.WEBHOOK_LEASE_MS,
        poll_ms: config.WEBHOOK_POLL_MS,
        max_in_flight: config.WEBHOOK_MAX_IN_FLIGHT,
      }),
    ]),
  );
  const wakeSender = (environment: Environment) => senders.get(environment)?.wake();
  return {
    retention: RETENTION,
    services: [webhooksRpc({ db, clock, newId, wakeSender, egress, config })],
    consumers: webhookConsumers({ newId, wakeSender }),
    sealed: { columns: SEALED, keys: config.keys },
    workers: [
      sending([...senders.values()], egress),
      sweeping({
        name: 'sweep-expired',
        db,
        logger,
        pause_ms: SWEEP_EVERY_MS,
        sweeps: () => expirySweeps(clock.now_ms()),
      }),
    ],
  };
}

/** All senders as one worker, because they share what they send through. */
function sending(senders: readonly DeliveryWorker[], egress: Egress): Worker {
  return {
    name: 'deliveries',
    start: () => {
      for (const sender of senders) sender.start();
    },
    stop: async () => {
      await Promise.all(senders.map((sender) => sender.stop()));
      await egress.close();
    },
  };
}

function readCertificate(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(`WEBHOOK_CA_FILE names ${file}, which cannot be read.`);
  }
}
